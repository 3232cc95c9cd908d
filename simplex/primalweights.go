package simplex

// primalWeights is Devex pricing (Harris, 1973): the entering variable has the largest d²/weight.
type primalWeights struct {
	matrix *matrix
	weight []float64
}

// reset begins a reference framework of the present nonbasic variables.
func (w *primalWeights) reset() {
	for v := range w.weight {
		w.weight[v] = 1
	}
}

// chooseEntering returns −1 if every reduced cost has the right sign or is excluded.
func (w *primalWeights) chooseEntering(c *reducedCosts, out *exclusions) (entering int32) {
	entering = -1
	best, tolerance := 0.0, c.program.dualTolerance
	d, lower, upper := c.d, c.program.lower, c.program.upper
	for v, p := range c.values.position {
		e := wrong(p, d[v])
		if !(e > tolerance) || lower[v] == upper[v] || out.has(int32(v)) {
			continue
		}
		if score := e * e / w.weight[v]; score > best {
			best, entering = score, int32(v)
		}
	}
	return entering
}

// wornWeight is the weight at which a reference framework is far enough from the present basis to begin another.
const wornWeight = 1e7

// update follows the exchange e with the pivot row (Forrest and Goldfarb, 1992, section 4).
func (w *primalWeights) update(e exchange, row *updateRow) {
	n := w.matrix.n
	entering := w.weight[e.entering] / (e.pivot * e.pivot)
	most := 1.0 // of the structural variables
	see := func(v int, a float64) {
		weight := max(w.weight[v], a*a*entering)
		if w.weight[v] = weight; v < n {
			most = max(most, weight)
		}
	}
	if !w.matrix.sparse() {
		for j, a := range row.entry[:n] {
			see(j, a)
		}
	}
	for _, v := range row.listed {
		see(int(v), row.entry[v])
	}
	w.weight[e.leaving] = max(entering, 1)
	if most > wornWeight {
		w.reset()
	}
}
