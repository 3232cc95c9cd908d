package simplex

import "fmt"

// Blocks is the matrix [A₁ A₂ …] whose parts have the same number of rows.
type Blocks []Columns

// Dims implements [Columns].
func (b Blocks) Dims() (m, n int) {
	for _, a := range b {
		var k int
		m, k = a.Dims()
		n += k
	}
	return m, n
}

// Column implements [Columns].
func (b Blocks) Column(dst []float64, j int) {
	for _, a := range b {
		_, k := a.Dims()
		if j < k {
			a.Column(dst, j)
			return
		}
		j -= k
	}
	panic("simplex: column out of range")
}

// Price implements [Columns].
func (b Blocks) Price(dst []float64, rows []int32, y []float64) {
	for _, a := range b {
		_, k := a.Dims()
		a.Price(dst[:k], rows, y)
		dst = dst[k:]
	}
}

// MulAdd adds A·x to dst.
func (b Blocks) MulAdd(dst, x []float64) {
	var scratch []float64
	for _, a := range b {
		m, k := a.Dims()
		if _, ok := a.(multiplier); !ok && scratch == nil {
			scratch = make([]float64, m)
		}
		mulAdd(a, dst, x[:k], scratch)
		x = x[k:]
	}
}

func (b Blocks) check(v *validity) error {
	for i, a := range b {
		m, _ := a.Dims()
		if m0, _ := b[0].Dims(); m != m0 {
			return invalid("matrix block %d has %d rows, block 0 has %d", i, m, m0)
		}
		if err := checkEntries(a, v); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	return nil
}

// flatten lists the parts of a, blocks inside blocks included.
func flatten(a Columns) []Columns {
	b, ok := a.(Blocks)
	if !ok {
		return []Columns{a}
	}
	var parts []Columns
	for _, p := range b {
		parts = append(parts, flatten(p)...)
	}
	return parts
}
