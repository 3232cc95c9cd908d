package simplex

import (
	"math"
	"slices"
)

// candidate is a nonbasic variable whose reduced cost the dual step drives towards 0.
type candidate struct {
	v     int32
	alpha float64 // |pivot row entry|
	d     float64 // distance of the reduced cost from 0, ≥ 0
}

// dualRatio is the bound-flipping ratio test (Maros, 2003, section 10.2) with Harris's tolerance.
type dualRatio struct {
	program *program
	values  *values
	costs   *reducedCosts
	row     *updateRow

	flips      []int32     // boxed variables that the step passes; of the last choice
	tied       []int32     // those whose reduced costs reach 0 with that of the entering one, itself included
	candidates []candidate // those left of the present test, in buffer
	buffer     []candidate
	groups     groups
}

// choose returns the variable to enter for a leaving variable, of the present row, that is beyond its bound. Boxed
// variables that the step passes go to flips as long as the leaving variable stays beyond its bound. It is −1 when no
// step is long enough: the row proves infeasibility.
func (t *dualRatio) choose(beyond float64) (entering int32) {
	sign := 1.0
	if beyond < 0 {
		sign = -1
	}
	t.collect(sign)
	t.flips = t.flips[:0]
	return t.passFine(t.passHalves(t.passCoarse(math.Abs(beyond))))
}

// The reduced cost of a variable at its lower bound falls towards 0 where its entry
// of the row is positive, at its upper bound where it is negative, and a free one,
// whose reduced cost is 0, cannot move either way. Basic variables are no candidates.
//
// So entry·towards[p] + |entry|·eitherWay[p] is positive for the candidates at position p.
var (
	towards   = [4]float64{AtLower: 1, AtUpper: -1}
	eitherWay = [4]float64{AtZero: 1}
)

// collect lists the candidates of the row. About half of the variables are, in no
// order that a processor could predict: each is written, and counted or overwritten.
func (t *dualRatio) collect(sign float64) {
	position, entry, d := t.values.position, t.row.entry, t.costs.d
	list, k, smallest := t.buffer, 0, t.program.pivotZero
	if !t.program.matrix.sparse() {
		for j, p := range position[:t.program.matrix.n] {
			c := newCandidate(int32(j), p, entry[j]*sign, d[j])
			list[k] = c
			if c.alpha > smallest {
				k++
			}
		}
	}
	for _, v := range t.row.listed {
		c := newCandidate(v, position[v], entry[v]*sign, d[v])
		list[k] = c
		if c.alpha > smallest {
			k++
		}
	}
	t.candidates = list[:k]
	if t.program.anyFixed {
		t.dropFixed()
	}
}

func newCandidate(v int32, p Position, entry, d float64) candidate {
	p &= 3 // it is at most 3: no index to check
	return candidate{v, entry*towards[p] + math.Abs(entry)*eitherWay[p], max(d*towards[p], 0)}
}

// dropFixed removes the candidates that cannot move: their reduced costs may have any sign.
func (t *dualRatio) dropFixed() {
	k := 0
	for _, c := range t.candidates {
		if t.program.lower[c.v] < t.program.upper[c.v] {
			t.candidates[k] = c
			k++
		}
	}
	t.candidates = t.candidates[:k]
}

// drop is by how much the slope falls when the step passes c.
func (t *dualRatio) drop(c candidate) float64 {
	return c.alpha * (t.program.upper[c.v] - t.program.lower[c.v])
}

// passCoarse flips candidates in steps of ten times the least ratio left, while
// all of a step can go; the first step that cannot stays in t.candidates alone.
func (t *dualRatio) passCoarse(slope float64) float64 {
	for len(t.candidates) > 8 {
		k, drop := t.partition(len(t.candidates), 10*t.minRatio())
		if slope-drop <= t.program.primalTolerance || k == 0 || k == len(t.candidates) { // k is 0 only for NaNs
			t.candidates = t.candidates[:k]
			break
		}
		slope -= drop
		t.pass(k)
	}
	return slope
}

// passHalves flips the smaller ratios of those left, about a half at a time, for as long as they can go. Groups are
// made one by one with a look at all that is left, which a hundred groups are too many for.
func (t *dualRatio) passHalves(slope float64) float64 {
	const few = 16
	for front := len(t.candidates); front > few; { // the step ends among the first
		c := t.middle(front)
		k, drop := t.partition(front, c.d/c.alpha)
		switch {
		case k == 0 || k == front: // equal ratios, or NaNs
			return slope
		case slope-drop > t.program.primalTolerance:
			slope -= drop
			t.pass(k)
			front -= k
		default:
			front = k
		}
	}
	return slope
}

// middle is the candidate of middle ratio among three of the first n.
func (t *dualRatio) middle(n int) candidate {
	a, b, c := t.candidates[0], t.candidates[n/2], t.candidates[n-1]
	less := func(a, b candidate) bool { return a.d*b.alpha < b.d*a.alpha }
	if less(b, a) {
		a, b = b, a
	}
	if less(c, a) {
		return a
	}
	if less(c, b) {
		return c
	}
	return b
}

// minRatio is the longest step that keeps every reduced cost left within Harris's tolerance of its sign.
func (t *dualRatio) minRatio() float64 {
	limit := math.Inf(1)
	for _, c := range t.candidates {
		limit = min(limit, (c.d+t.program.dualTolerance)/c.alpha)
	}
	return limit
}

// partition brings those of the first n candidates with ratios up to limit to the
// front and returns their number and the sum of their drops.
func (t *dualRatio) partition(n int, limit float64) (k int, drop float64) {
	for i, c := range t.candidates[:n] {
		if c.d <= limit*c.alpha {
			drop += t.drop(c)
			t.candidates[i], t.candidates[k] = t.candidates[k], c
			k++
		}
	}
	return k, drop
}

// pass moves the first k candidates to the flips.
func (t *dualRatio) pass(k int) {
	for _, c := range t.candidates[:k] {
		t.flips = append(t.flips, c.v)
	}
	t.candidates = t.candidates[k:]
}

// group is a set of candidates with equal ratios within tolerance.
type group struct {
	entering int32   // the one with the largest entry
	size     float64 // of that entry
	from, to int     // its variables are those passed as numbers from to to − 1
}

// passFine goes on in groups of equal ratios within tolerance, up to the group that the slope does not outlast, and
// takes the entry of largest size there. An earlier group is taken where that entry is too small to pivot on safely.
func (t *dualRatio) passFine(slope float64) (entering int32) {
	t.groups = t.groups[:0]
	var largest float64
	for len(t.candidates) > 0 {
		k, drop := t.partition(len(t.candidates), t.minRatio())
		if k == 0 {
			return -1
		}
		g := t.group(k)
		largest = max(largest, g.size)
		t.groups = append(t.groups, g)
		t.pass(k)
		slope -= drop
		if slope > t.program.primalTolerance { // the leaving variable would still be beyond its bound
			continue
		}
		if g, ok := t.groups.lastSafe(largest); ok {
			t.flips, t.tied = t.flips[:g.from], t.flips[g.from:g.to]
			return g.entering
		}
	}
	return -1
}

// group makes one of the first k candidates.
func (t *dualRatio) group(k int) group {
	g := group{entering: -1, from: len(t.flips), to: len(t.flips) + k}
	for _, c := range t.candidates[:k] {
		if c.alpha > g.size {
			g.entering, g.size = c.v, c.alpha
		}
	}
	return g
}

// groups are those of a step, in its order.
type groups []group

// lastSafe returns the last group whose entry is not small relative to the largest seen.
func (all groups) lastSafe(largest float64) (group, bool) {
	for _, g := range slices.Backward(all) {
		if g.size >= min(0.1*largest, 1) {
			return g, true
		}
	}
	return group{}, false
}
