package svmtools

import "github.com/sparsekm/sparsekm/dataset"

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

// folds are those of LIBSVM: the rows fold by fold, and where each fold begins and the last ends. Each class is dealt
// by itself; as many folds as samples, and real numbers, are dealt as one class.
func folds(set *dataset.Set, k int, r *random) (rows, ends []int) {
	k = min(k, set.N)
	classes := groups(set, k)
	for _, c := range classes {
		r.shuffle(c)
	}
	ends = []int{0}
	for f := range k {
		for _, c := range classes {
			rows = append(rows, c[f*len(c)/k:(f+1)*len(c)/k]...)
		}
		ends = append(ends, len(rows))
	}
	return rows, ends
}

// groups are the rows that are dealt together.
func groups(set *dataset.Set, k int) [][]int {
	rows := make([][]int, max(1, len(set.Labels)))
	for i := range set.N {
		c := 0
		if set.Y != nil && k < set.N {
			c = set.Y[i]
		}
		rows[c] = append(rows[c], i)
	}
	if set.Y == nil || k == set.N {
		return rows[:1]
	}
	var dealt [][]int
	for _, c := range appearance(set) {
		dealt = append(dealt, rows[c])
	}
	return dealt
}
