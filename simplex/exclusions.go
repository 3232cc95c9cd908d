package simplex

// exclusions are the variables that pricing leaves out until the next factorisation: their pivots were of no use.
type exclusions struct {
	out   []bool
	count int
}

func (e *exclusions) has(v int32) bool { return e.out[v] }

func (e *exclusions) add(v int32) {
	if !e.out[v] {
		e.out[v] = true
		e.count++
	}
}

func (e *exclusions) clear() {
	clear(e.out)
	e.count = 0
}
