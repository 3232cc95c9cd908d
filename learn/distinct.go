package learn

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Distinct numbers the different samples among n of dimension d (row-major; −0 equals 0). first lists the lowest row of
// each, ascending, and row i repeats row first[indices[i]]. It keeps no reference to x.
func Distinct(x []float64, n, d int) (first, indices []int) {
	return distinct(n, func(i int) []float64 { return x[i*d : (i+1)*d] }, nil)
}

// distinct is [Distinct] for n rows, with their hashes where these are known.
func distinct(n int, row func(i int) []float64, hash func(i int) uint64) (first, indices []int) {
	// An open hash table with linear probing, at most half full. A slot has the number of a distinct sample, from 1, and
	// some bits of its hash.
	type slot struct{ hash, sample uint32 }
	table := make([]slot, 1<<bits.Len(uint(2*n)))
	if hash == nil {
		seed := newSeed()
		hash = func(i int) uint64 { return seed.hash(row(i)) }
	}
	indices = make([]int, n)
	for i := range n {
		h, x := hash(i), row(i)
		for pos := h % uint64(len(table)); ; pos = (pos + 1) % uint64(len(table)) {
			s := &table[pos]
			if s.sample == 0 {
				first = append(first, i)
				*s = slot{uint32(h >> 32), uint32(len(first))}
			} else if s.hash != uint32(h>>32) || !slices.Equal(x, row(first[s.sample-1])) {
				continue
			}
			indices[i] = int(s.sample) - 1
			break
		}
	}
	return first, indices
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Repeats is the message of a report about n samples that were merged with others, "" for none.
func Repeats(n int) string {
	switch {
	case n == 0:
		return ""
	case n == 1:
		return "1 sample repeats another's features and was merged with it"
	}
	return fmt.Sprintf("%d samples repeat another's features and were merged with it", n)
}

// Merge merges the weights of samples that repeat another's features and target: q is a copy of p in which the first
// of them has the weight of all, and the others have none. Where losses are multiplied by weights, that is the same
// problem. indices[i] is the row that has the weight of row i. Without repetitions, or without targets, q is p and
// indices is nil.
func (p *Problem) Merge() (q *Problem, indices []int) {
	if p.mergesNothing() {
		return p, nil
	}
	present := p.Present()
	var hash func(k int) uint64
	if s := p.scanned(); s != nil && s.hashes != nil {
		hash = func(k int) uint64 { return s.hashes[present[k]] }
	}
	first, number := distinct(len(present), func(k int) []float64 {
		return p.X[present[k]*p.D : (present[k]+1)*p.D]
	}, hash)
	if len(first) == len(present) {
		return p, nil
	}
	merged := *p
	merged.Weight, indices = make([]float64, p.N), make([]int, p.N)
	type same struct {
		sample int
		y      float64 // 0 equals −0
	}
	// Nearly all have the target of the first at their place.
	at, others, repeats := make([]int, len(first)), map[same]int{}, false
	for k, i := range present {
		row, met := at[number[k]]-1, true
		if row < 0 {
			row, met, at[number[k]] = i, false, i+1
		} else if p.Y[row] != p.Y[i] {
			key := same{number[k], p.Y[i]}
			if row, met = others[key]; !met {
				row, others[key] = i, i
			}
		}
		repeats = repeats || met
		indices[i] = row
		merged.Weight[row] += p.WeightOf(i)
	}
	if !repeats {
		return p, nil
	}
	return &merged, indices
}

// mergesNothing reports whether it is known, without a comparison, that there are no samples to merge.
func (p *Problem) mergesNothing() bool { return p.Task.Blind() || p.AllDifferent() }

// AllDifferent reports whether it is known, without a comparison of these samples, that no two have equal features.
func (p *Problem) AllDifferent() bool { return p.Known.Different }

// MergeDuplicates replaces support vectors with equal features by the first of them, with the sum of their
// coefficients: a sample that has both labels may be two support vectors. Coefficients that cancel leave none. x are
// the problem's samples of dimension d, row-major.
func (e *Expansion) MergeDuplicates(x []float64, d int) {
	first, indices := distinct(len(e.Support), func(s int) []float64 {
		return x[e.Support[s]*d : (e.Support[s]+1)*d]
	}, nil)
	if len(first) == len(e.Support) {
		return
	}
	coef, rest := make([]float64, len(first)), make([]float64, len(first))
	for s, k := range indices { // compensated sums (Neumaier 1974): large coefficients may cancel
		a, b := coef[k], e.Coef[s]
		coef[k] = a + b
		if math.Abs(a) < math.Abs(b) {
			a, b = b, a
		}
		if coef[k]-coef[k] == 0 {
			rest[k] += a - coef[k] + b
		}
	}
	for k := range coef {
		coef[k] += rest[k]
	}
	var joined Expansion
	for k, s := range first {
		if coef[k] != 0 {
			joined.Support = append(joined.Support, e.Support[s])
			joined.Coef = append(joined.Coef, coef[k])
		}
	}
	e.Support, e.Coef = joined.Support, joined.Coef
}
