package svmtools

import (
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// random is rand() of the GNU C library as a program finds it that never called srand: the additive generator
// x_i = x_{i−3} + x_{i−31} modulo 2³², whose first 31 numbers are those of 16807 x modulo 2³¹ − 1 from 1 on. It throws
// the first 310 away, and the lowest bit of each. LIBSVM deals its folds with it.
type random struct {
	x    [31]uint32
	next int
}

func newRandom() *random {
	r := &random{next: 3}
	seed := int64(1)
	for i := range r.x {
		r.x[i] = uint32(seed)
		seed = 16807 * seed % (1<<31 - 1)
	}
	for range 310 {
		r.draw()
	}
	return r
}

func (r *random) draw() int {
	n := len(r.x)
	r.x[r.next] += r.x[(r.next+n-3)%n]
	v := r.x[r.next] >> 1
	r.next = (r.next + 1) % n
	return int(v)
}

// shuffle is LIBSVM's.
func (r *random) shuffle(rows []int) {
	for i := range rows {
		j := i + r.draw()%(len(rows)-i)
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// folds are those of svm-train -v k: each class is dealt by itself, in the order in which the classes' labels appear
// but for −1 and then +1, which change places. As many folds as samples, and real numbers, are dealt as one class.
func folds(set *dataset.Set, k int) []dataset.Split {
	r := newRandom()
	fold, splits := make([]int, set.N), make([]dataset.Split, k)
	for _, rows := range groups(set, k) {
		r.shuffle(rows)
		for f := range k {
			for _, i := range rows[f*len(rows)/k : (f+1)*len(rows)/k] {
				fold[i] = f
			}
		}
	}
	for f := range splits {
		splits[f].Train, splits[f].Test = deal.Parts(fold, f)
	}
	return splits
}

// groups are the rows that are dealt together.
func groups(set *dataset.Set, k int) [][]int {
	var classes []int // in order of appearance
	rows := make([][]int, max(1, len(set.Labels)))
	if set.Targets != nil || k == set.N {
		for i := range set.N {
			rows[0] = append(rows[0], i)
		}
		return rows[:1]
	}
	for i, c := range set.Y {
		if len(rows[c]) == 0 {
			classes = append(classes, c)
		}
		rows[c] = append(rows[c], i)
	}
	if len(classes) == 2 && set.Labels[classes[0]] == "-1" && set.Labels[classes[1]] == "1" {
		slices.Reverse(classes)
	}
	ordered := make([][]int, len(classes))
	for i, c := range classes {
		ordered[i] = rows[c]
	}
	return ordered
}
