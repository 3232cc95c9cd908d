package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// Split is a division of a set's rows into a training and a test part, both ascending.
type Split struct{ Train, Test []int }

// NewRand returns the random generator of this package: PCG, so that a seed gives the same numbers in every version and
// on every host.
func NewRand(seed uint64) *rand.Rand { return stream(seed, 0) }

// stream returns generator number k of a seed.
func stream(seed, k uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15+k)) }

// Folds divides the rows into k stratified folds; split i tests on fold i. A class of fewer than k rows is absent from
// some folds. It is an error if k is not in 2..N. Rows of one group stay together: k is then at most the number of
// groups, and folds have similar sizes instead of similar classes.
func (s *Set) Folds(k int, seed uint64) ([]Split, error) {
	n, what := s.N, "samples"
	if s.Groups != nil {
		n, what = len(deal.Distinct(s.Groups)), "groups"
	}
	if k < 2 || k > n {
		return nil, fmt.Errorf("dataset: %d folds of %d %s, want 2 to %d", k, n, what, n)
	}
	var fold []int
	if rng := NewRand(seed); s.Groups != nil {
		fold = deal.Groups(s.Groups, k, rng)
	} else {
		fold = deal.Classes(s.byClass(), k, rng)
	}
	splits := make([]Split, k)
	for f := range splits {
		splits[f].Train, splits[f].Test = deal.Parts(fold, f)
	}
	return splits, nil
}

// Split draws a stratified training part of the given share of the rows, rounded. A class of one or two rows
// has one of them in it.
// It is an error if the share leaves either part empty.
func (s *Set) Split(share float64, seed uint64) (Split, error) {
	n := int(share*float64(s.N) + 0.5)
	if !(share > 0 && share < 1) || n < 1 || n >= s.N {
		return Split{}, fmt.Errorf("dataset: a training share of %v of %d samples, want both parts to have some",
			share, s.N)
	}
	rnd := NewRand(seed)
	var sp Split
	var rest []int // each class's next row after its whole share; the rounding draws some of them
	for _, rows := range s.byClass() {
		rnd.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		k := int(share * float64(len(rows)))
		if len(rows) == 1 || len(rows) == 2 {
			k = 1
		}
		sp.Train = append(sp.Train, rows[:k]...)
		if k < len(rows) {
			rest = append(rest, rows[k])
			sp.Test = append(sp.Test, rows[k+1:]...)
		}
	}
	rnd.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
	k := min(max(0, n-len(sp.Train)), len(rest))
	sp.Train = append(sp.Train, rest[:k]...)
	if sp.Test = append(sp.Test, rest[k:]...); len(sp.Test) == 0 {
		return Split{}, fmt.Errorf("dataset: %d samples of %d classes, a training share of %v leaves none to be tested", s.N,
			len(s.Labels), share)
	}
	slices.Sort(sp.Train)
	slices.Sort(sp.Test)
	return sp, nil
}

// byClass returns the rows of each class.
func (s *Set) byClass() [][]int {
	if s.Y == nil {
		return [][]int{deal.All(s.N)}
	}
	return deal.ByClass(s.Y, len(s.Labels))
}

// ReadSplits reads a split a line: the 0-based rows of the training part, separated by spaces, ascending; the other
// rows of n are the test part. Errors name the file.
func ReadSplits(r io.Reader, file string, n int) ([]Split, error) {
	var splits []Split
	line := 0
	err := newLines(r, &Options{}).each(file, func(text []byte) (used bool, err error) {
		line++
		var sp Split
		next := 0
		for w := range bytes.FieldsSeq(text) {
			i, err := strconv.Atoi(string(w))
			if err != nil || i < next || i >= n {
				return false, &Error{File: file, Line: line, Found: quote(w),
					Want: fmt.Sprintf("ascending row numbers from 0 to %d", n-1)}
			}
			for ; next < i; next++ {
				sp.Test = append(sp.Test, next)
			}
			sp.Train = append(sp.Train, i)
			next = i + 1
		}
		if len(sp.Train) == 0 { // an empty line
			return false, nil
		}
		for ; next < n; next++ {
			sp.Test = append(sp.Test, next)
		}
		splits = append(splits, sp)
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		return nil, &Error{File: file, Found: "no splits", Want: "a line of row numbers for each"}
	}
	return splits, nil
}
