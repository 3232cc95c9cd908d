package ref

import "math"

// SKMGrid is where the search for δ looks first. The paper has golden section on (0, 1]
// only; but f0 has several local minima, and 0 itself is excluded.
var SKMGrid = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03, 0.01, 0.001}

// Search evaluates f0 on the grid and then by golden section (Press et al., 1992,
// section 10.1; reference [16] of the paper) on ln δ between the neighbours of the
// least value, until the bracket's ends have a ratio of at most 1.2. It returns every
// evaluation in turn, and the index of the least.
func (p SKMProblem) Search(c float64) (all []SKMEvaluation, smallest int) {
	f := func(delta float64) float64 {
		all = append(all, p.F0(c, delta, 3))
		return all[len(all)-1].F0
	}
	for _, delta := range SKMGrid {
		f(delta)
	}
	pos := SKMLeast(all)
	// The bracket [ln lo, ln hi]; at an end of the grid it has only one neighbour.
	hi, lo := SKMGrid[pos], SKMGrid[pos]
	if pos > 0 {
		hi = SKMGrid[pos-1]
	}
	if pos < len(SKMGrid)-1 {
		lo = SKMGrid[pos+1]
	}
	skmGolden(func(u float64) float64 { return f(math.Exp(u)) }, math.Log(lo), math.Log(hi), math.Log(1.2))
	return all, SKMLeast(all)
}

// SKMLeast is the index of the first least f0.
func SKMLeast(all []SKMEvaluation) int {
	pos := 0
	for i, e := range all {
		if e.F0 < all[pos].F0 {
			pos = i
		}
	}
	return pos
}

// skmGolden keeps three parts of [a, d] in the skmGolden ratio and gives up the outer part
// next to the larger of the two inner values; of equal values, the upper part goes.
func skmGolden(f func(float64) float64, a, d, tolerance float64) {
	r := (math.Sqrt(5) - 1) / 2
	b, c := d-r*(d-a), a+r*(d-a)
	fb, fc := f(b), f(c)
	for d-a > tolerance {
		if fc < fb {
			a = b
			b, fb = c, fc
			c = a + r*(d-a)
			fc = f(c)
		} else {
			d = c
			c, fc = b, fb
			b = d - r*(d-a)
			fb = f(b)
		}
	}
}
