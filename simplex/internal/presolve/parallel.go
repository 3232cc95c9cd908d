package presolve

import (
	"math"
	"slices"
	"sort"
)

// parallelPasses is how often rows and columns are compared anew after others have gone.
const parallelPasses = 8

// ratio returns t where every value of l is t times that of to, 0 where there is none.
func (l line) ratio(to line) float64 {
	if !slices.Equal(l.index, to.index) {
		return 0
	}
	for e, v := range l.value {
		if v*to.value[0] != l.value[0]*to.value[e] {
			return 0
		}
	}
	return l.value[0] / to.value[0]
}

// hash is the same for lines that differ by a factor, but where the rounding of quotients tells them apart.
func (l line) hash() uint64 {
	h := uint64(len(l.index))
	for e, i := range l.index {
		h = (h ^ uint64(i) ^ uint64(math.Float32bits(float32(l.value[e]/l.value[0])))<<32) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// Len, Less and Swap sort a line by its indices.
func (l line) Len() int           { return len(l.index) }
func (l line) Less(a, b int) bool { return l.index[a] < l.index[b] }
func (l line) Swap(a, b int) {
	l.index[a], l.index[b] = l.index[b], l.index[a]
	l.value[a], l.value[b] = l.value[b], l.value[a]
}

// alive returns what of the lines is alive, in order; count has the numbers of the entries.
func alive(lines []line, here, there []bool, count []int) []line {
	entries := 0
	for k, n := range count {
		if here[k] {
			entries += n
		}
	}
	index, value := make([]int32, 0, entries), make([]float64, 0, entries)
	list := make([]line, len(lines))
	for k, l := range lines {
		if !here[k] {
			continue
		}
		from := len(index)
		l.each(there, func(i int, v float64) {
			index = append(index, int32(i))
			value = append(value, v)
		})
		list[k] = line{index[from:], value[from:]}
		if !slices.IsSorted(list[k].index) { // a substitution has changed it
			sort.Sort(list[k])
		}
	}
	return list
}

// parallel calls merge for each pair of lines of which line k is t times line i, as long as both are there. Lines
// without entries are none.
func parallel(lines []line, here []bool, merge func(i, k int, t float64)) {
	first, next := make(map[uint64]int32, len(lines)), make([]int32, len(lines))
	for k, l := range lines {
		if len(l.index) == 0 {
			continue
		}
		h := l.hash()
		head, ok := first[h]
		if !ok {
			head = -1
		}
		for i := head; i >= 0 && here[k]; i = next[i] {
			if here[i] {
				if t := l.ratio(lines[i]); t != 0 {
					merge(int(i), k, t)
				}
			}
		}
		if here[k] {
			next[k], first[h] = head, int32(k)
		}
	}
}

// mergeParallel takes out rows and columns that others stand for. It is false if no x meets two rows.
func (s *state) mergeParallel() bool {
	ok := true
	parallel(alive(s.rows, s.rowAlive, s.colAlive, s.rowCount), s.rowAlive, func(i, k int, t float64) {
		ok = ok && s.mergeRows(i, k, t)
	})
	if ok {
		parallel(alive(s.cols, s.colAlive, s.rowAlive, s.colCount), s.colAlive, func(i, k int, t float64) {
			if !s.dominates(k, i, 1/t) && !s.dominates(i, k, t) {
				s.join(i, k, t)
			}
		})
	}
	return ok
}

// dominates takes out column k, t times column i, which can do all that k can do at no more cost: i has no bound on
// the side where it would take k's part, so that the sign of its reduced cost is known, and k's with it:
// d_k = c_k − t·c_i + t·d_i (Andersen and Andersen, 1995: duplicate columns).
func (s *state) dominates(i, k int, t float64) bool {
	extra := s.C[k] - t*s.C[i]
	falls, rises := ordered(t, math.IsInf(s.Lo[i], -1), math.IsInf(s.Up[i], 1))
	switch {
	case rises && extra >= 0 && isFinite(s.Lo[k]):
		s.fix(k, AtLower)
	case falls && extra <= 0 && isFinite(s.Up[k]):
		s.fix(k, AtUpper)
	default:
		return false
	}
	return true
}

// mergeRows takes out row k, t times row i, whose bounds become those of row i where they are tighter. It is false
// where they contradict one another. Undone, row k has the place and the dual of row i where it gave the bound on which
// row i rests. The sign of the dual says which bound of an equation that is: they may come from different rows.
func (s *state) mergeRows(i, k int, t float64) bool {
	lo, up := ordered(t, s.RowLo[k]/t, s.RowUp[k]/t)
	s.rowSize[i] = max(s.rowSize[i], s.rowSize[k]/math.Abs(t))
	gave, ok := tighten(&s.RowLo[i], &s.RowUp[i], lo, up, s.rowSize[i])
	if !ok {
		return false
	}
	equation := s.RowLo[i] == s.RowUp[i]
	s.dropRow(k)
	s.dirtyRows.push(i)
	s.done = append(s.done, func() {
		s.row[k], s.y[k] = Basic, 0
		position := s.row[i]
		if position == Basic {
			return
		}
		if equation {
			if position = AtLower; s.y[i] < 0 {
				position = AtUpper
			}
		}
		s.row[i] = position
		if gave.at(position) {
			s.y[k], s.y[i] = s.y[i]/t, 0
			s.row[k], s.row[i] = position.turned(t), Basic
		}
	})
	return true
}
