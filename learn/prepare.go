package learn

import "fmt"

// DefaultMemory is the budget in bytes when a problem names none.
const DefaultMemory = 4 << 30

// Present lists the points whose weight is not zero.
func (p *Problem) Present() []int {
	rows := make([]int, 0, p.N)
	for i := range p.N {
		if p.Weight == nil || p.Weight[i] > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Points returns the features of the given rows, row-major; without a copy when rows are all of them.
func (p *Problem) Points(rows []int) []float64 {
	if len(rows) == p.N {
		return p.X
	}
	x := make([]float64, 0, len(rows)*p.D)
	for _, i := range rows {
		x = append(x, p.X[i*p.D:(i+1)*p.D]...)
	}
	return x
}

// WeightOf returns the weight of point i.
func (p *Problem) WeightOf(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// Spare returns what the memory budget leaves once a method has taken the need bytes
// that it cannot do without, or an error that says both numbers.
func (p *Problem) Spare(method string, need int64) (int64, error) {
	have := p.Memory
	if have <= 0 {
		have = DefaultMemory
	}
	if need > have {
		return 0, fmt.Errorf("%s: %d points of dimension %d need at least %s, the memory budget is %s: raise the budget, or train on a subset of the points",
			method, p.N, p.D, byteSize(need), byteSize(have))
	}
	return have - need, nil
}

func byteSize(b int64) string {
	if b >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(b)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(b)/(1<<20))
}
