// Package csr stores sparse matrices row by row ("compressed sparse rows").
package csr

import (
	"fmt"
	"math"
	"slices"
)

// MaxFeatures bounds D, because some tables have an entry for each feature.
const MaxFeatures = 1 << 28

// IsSparse reports whether n rows of d features with so many non-zero elements are worth keeping sparse: they have
// more than 4096 features, and less than 15 % of their elements are not 0.
func IsSparse(elements, n, d int) bool {
	const features, share = 4096, 0.15
	return d > features && float64(elements) < share*float64(n)*float64(d)
}

// Matrix is N samples of D features. Several goroutines may read its fields, which must not change.
type Matrix struct {
	N, D  int
	Start []int     // where each row begins in Index and Value, and where the last one ends
	Index []int32   // features, from 0, ascending in each row
	Value []float64 // values of these features
}

// Row returns the stored features of row i and their values. Both slices share the matrix's memory.
func (m *Matrix) Row(i int) (index []int32, value []float64) {
	lo, hi := m.Start[i], m.Start[i+1]
	return m.Index[lo:hi:hi], m.Value[lo:hi:hi]
}

// Validate returns an error if the shapes or the order of features are wrong, or if a value is not finite.
func (m *Matrix) Validate() error {
	if m.N < 0 || m.D < 0 || m.D > MaxFeatures || len(m.Start) != m.N+1 || m.Start[0] != 0 ||
		len(m.Index) != len(m.Value) || m.Start[m.N] != len(m.Value) {
		return fmt.Errorf("csr: %d starts, %d indices and %d values for %d rows of %d features, at most %d", len(m.Start),
			len(m.Index), len(m.Value), m.N, m.D, MaxFeatures)
	}
	for i := range m.N {
		if m.Start[i] > m.Start[i+1] || m.Start[i+1] > len(m.Value) {
			return fmt.Errorf("csr: row %d goes from %d to %d", i, m.Start[i], m.Start[i+1])
		}
		last := int32(-1)
		index, value := m.Row(i)
		for k, j := range index {
			if j <= last || int(j) >= m.D {
				return fmt.Errorf("csr: feature %d after %d in row %d, want ascending ones below %d", j, last, i, m.D)
			}
			if last = j; value[k]-value[k] != 0 {
				return fmt.Errorf("csr: feature %d of row %d is %v", j+1, i, value[k])
			}
		}
	}
	return nil
}

// FromDense returns the matrix of n samples of d features (x is row-major). It stores only the non-zero values.
func FromDense(x []float64, n, d int) *Matrix {
	m := &Matrix{N: n, D: d, Start: make([]int, 1, n+1)}
	for i := range n {
		for j, v := range x[i*d : (i+1)*d] {
			if v != 0 {
				m.Index = append(m.Index, int32(j))
				m.Value = append(m.Value, v)
			}
		}
		m.Start = append(m.Start, len(m.Value))
	}
	return m
}

// WriteRow writes row i to dst, which has D elements.
func (m *Matrix) WriteRow(dst []float64, i int) {
	clear(dst)
	index, value := m.Row(i)
	for k, j := range index {
		dst[j] = value[k]
	}
}

// Dense returns all elements, N×D and row-major.
func (m *Matrix) Dense() []float64 {
	x := make([]float64, m.N*m.D)
	for i := range m.N {
		m.WriteRow(x[i*m.D:(i+1)*m.D], i)
	}
	return x
}

// Subset copies the given rows, in that order.
func (m *Matrix) Subset(rows []int) *Matrix {
	s := &Matrix{N: len(rows), D: m.D, Start: make([]int, 1, len(rows)+1)}
	total := 0
	for _, i := range rows {
		total += m.Start[i+1] - m.Start[i]
	}
	s.Index, s.Value = make([]int32, 0, total), make([]float64, 0, total)
	for _, i := range rows {
		index, value := m.Row(i)
		s.Index = append(s.Index, index...)
		s.Value = append(s.Value, value...)
		s.Start = append(s.Start, len(s.Value))
	}
	return s
}

// Clone returns a copy that shares no memory with m. The clone of nil is nil.
func (m *Matrix) Clone() *Matrix {
	if m == nil {
		return nil
	}
	return &Matrix{N: m.N, D: m.D, Start: slices.Clone(m.Start), Index: slices.Clone(m.Index), Value: slices.Clone(m.Value)}
}

// Bytes returns the memory of the elements, in bytes.
func (m *Matrix) Bytes() int64 { return 8*int64(len(m.Start)) + 12*int64(len(m.Value)) }

// Dot returns the inner product of row i with a vector of D elements.
func (m *Matrix) Dot(i int, w []float64) (sum float64) {
	index, value := m.Row(i)
	for k, j := range index {
		sum += float64(value[k] * w[j])
	}
	return sum
}

// AddTo adds c times row i to a vector of D elements.
func (m *Matrix) AddTo(w []float64, i int, c float64) {
	index, value := m.Row(i)
	for k, j := range index {
		w[j] += float64(c * value[k])
	}
}

// First returns for each row the number of the first row with the same elements.
func (m *Matrix) First() []int {
	first := make([]int, m.N)
	last := make(map[uint64]int, m.N) // by hash: last row with this hash, plus 1
	before := make([]int, m.N)        // for each row: the previous row with the same hash, plus 1; 0 for none
	for i := range first {
		index, value := m.Row(i)
		h := uint64(14695981039346656037)
		for k, j := range index {
			h = (h ^ uint64(j)) * 1099511628211
			h = (h ^ math.Float64bits(value[k])) * 1099511628211
			h ^= h >> 29
		}
		first[i] = i
		for pos := last[h]; pos > 0; pos = before[pos-1] {
			others, values := m.Row(pos - 1)
			if slices.Equal(others, index) && slices.Equal(values, value) {
				first[i] = pos - 1
				break
			}
		}
		if first[i] == i {
			last[h], before[i] = i+1, last[h]
		}
	}
	return first
}

// Append returns the rows of m, then those of o, which must have as many features.
func (m *Matrix) Append(o *Matrix) *Matrix {
	s := &Matrix{N: m.N + o.N, D: m.D, Start: slices.Clone(m.Start), Index: slices.Concat(m.Index, o.Index),
		Value: slices.Concat(m.Value, o.Value)}
	for _, pos := range o.Start[1:] {
		s.Start = append(s.Start, m.Start[m.N]+pos)
	}
	return s
}
