package qp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// prover is a program as Prove reads it. Variables come first, then rows.
type prover struct {
	*problem
	near         []float64 // the result's x
	lower, upper []float64 // n+m
	gradients    []terms   // of x and y in Qx − Aᵀy, by variables
	rows         []terms   // of x in Ax
	memory       int64     // bytes for exact solutions; 0 means no limit
	pivots       int
	scratch      rational.Sum

	basic   []bool    // n+m: on no bound, with a dual of 0
	resting []float64 // n+m: where the others rest
	dual    []float64 // n+m: their duals, with the right sign
	system
	z *rational.Vector // n+m: x and y
}

// system is that of the unknowns, basic variables and the rows on bounds.
type system struct {
	unknowns []int32
	place    []int32 // n+m: of each unknown, from 1 on; 0 for others
	factors  *rational.Factors
}

// terms are factors by places.
type terms struct {
	index []int32
	value []float64
}

func (t *terms) push(pos int, v float64) {
	if v != 0 {
		t.index = append(t.index, int32(pos))
		t.value = append(t.value, v)
	}
}

func newProver(s *problem, r *Result) *prover {
	size := s.n + s.m
	v := &prover{problem: s, near: r.X, gradients: make([]terms, s.n), rows: make([]terms, s.m),
		basic: make([]bool, size), resting: make([]float64, size), dual: make([]float64, size)}
	v.lower, v.upper = slices.Concat(s.lo, s.rowLo), slices.Concat(s.up, s.rowUp)
	for j := range s.n {
		for k, q := range s.q[j*s.n:][:s.n] {
			v.gradients[j].push(k, q)
		}
		for i := range s.m {
			a := s.a[i*s.n+j]
			v.gradients[j].push(s.n+i, -a)
			v.rows[i].push(j, a)
		}
	}
	for u, dual := range slices.Concat(r.BoundDuals, r.Y) {
		lo, up := v.lower[u], v.upper[u]
		switch {
		case lo == up, dual > 0 && !math.IsInf(lo, 0):
			v.resting[u] = lo
		case dual < 0 && !math.IsInf(up, 0):
			v.resting[u] = up
		default:
			v.basic[u] = true
		}
	}
	return v
}

// rest takes a variable out of the system. Where the result leaves it, it needs a dual of 0 unless that is a bound.
func (v *prover) rest(j int) {
	x := v.near[j]
	if !finite(x) {
		x = 0
	}
	v.basic[j], v.resting[j] = false, max(v.lower[j], min(v.upper[j], x))
}

// list finds the unknowns.
func (v *prover) list() {
	v.unknowns, v.place = v.unknowns[:0], make([]int32, v.n+v.m)
	for u, basic := range v.basic {
		if basic == (u < v.n) {
			v.unknowns = append(v.unknowns, int32(u))
			v.place[u] = int32(len(v.unknowns))
		}
	}
}

// line returns the terms of a variable or a row in x.
func (v *prover) line(u int) terms {
	if u < v.n {
		return terms{[]int32{int32(u)}, []float64{1}}
	}
	return v.rows[u-v.n]
}

// core returns the symmetric matrix of the unknowns x_F and −y_T.
func (v *prover) core() *rational.Matrix {
	a := &rational.Matrix{N: len(v.unknowns), Lines: rational.Lines{Start: []int{0}}}
	for _, u := range v.unknowns {
		values := v.rows
		if int(u) < v.n {
			values = v.gradients
		} else {
			u -= int32(v.n)
		}
		for t, w := range values[u].index {
			if v.place[w] == 0 {
				continue
			}
			e := values[u].value[t]
			if int(w) >= v.n {
				e = -e
			}
			a.Index = append(a.Index, v.place[w]-1)
			a.Value = append(a.Value, e)
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return a
}

// product returns Σ terms·x − b.
func (v *prover) product(t terms, x *rational.Vector, b float64) float64 {
	return x.Minus(t.index, t.value, b, 0, &v.scratch)
}

// blandPivots is the number of pivots after which the first candidate is taken instead of the best: with that rule
// the criss-cross method ends (Klafszky and Terlaky, Mathematische Operationsforschung und Statistik, Series
// Optimization 24, 1992).
const blandPivots = 200

func (v *prover) bland() bool { return v.pivots >= blandPivots }

// violated returns a basic variable or row beyond a bound, by how much it has to grow; or else one on a bound whose
// dual has the wrong sign, and the direction in which it leaves. u is −1 if there is none.
func (v *prover) violated() (u int, by float64) {
	u = -1
	for w, basic := range v.basic {
		e := 0.0
		if basic {
			e = -min(0, v.above(w, v.lower[w])) + min(0, -v.above(w, v.upper[w]))
		}
		if math.Abs(e) > math.Abs(by) {
			if u, by = w, e; v.bland() {
				break
			}
		}
	}
	if u >= 0 && !v.bland() {
		return u, by
	}
	for w, d := range v.dual {
		if u >= 0 && w > u && v.bland() {
			break
		}
		if math.Abs(d) > math.Abs(by) || d != 0 && v.bland() {
			if v.canMove(w, -d) {
				if u, by = w, -d; v.bland() {
					break
				}
			}
		}
	}
	return u, by
}

// above returns by how much the value of u is above b.
func (v *prover) above(u int, b float64) float64 {
	if math.IsInf(b, 0) {
		return -b
	}
	return v.product(v.line(u), v.z, b)
}

// canMove reports whether what rests on a bound can move in the direction of a sign.
func (v *prover) canMove(u int, sign float64) bool {
	return !v.basic[u] && (sign > 0 && v.resting[u] < v.upper[u] || sign < 0 && v.resting[u] > v.lower[u])
}

// pivot makes u leave its bound, or go to the one that it violates. The diagonal of the inverse says whether that alone
// gives the next system; otherwise another one changes places with it. If there is none, no x is feasible or the
// objective has no end, and that is the status.
func (v *prover) pivot(ctx context.Context, u int, by float64) (status.Status, error) {
	right := make([]rational.Number, len(v.unknowns))
	sign, entering := math.Copysign(1, by), !v.basic[u]
	set := func(w int32, e float64) {
		if k := v.place[w]; k > 0 {
			right[k-1] = rational.OfFloat(e)
		}
	}
	switch line := v.line(u); {
	case entering && u >= v.n:
		set(int32(u), sign)
	case entering:
		for t, w := range v.gradients[u].index {
			e := v.gradients[u].value[t]
			if int(w) >= v.n {
				e = -e
			}
			set(w, -sign*e)
		}
	default:
		for t, w := range line.index {
			set(w, line.value[t])
		}
	}
	z, err := v.solution(ctx, right)
	if err != nil {
		return 0, err
	}
	if entering && u < v.n {
		z[u] = rational.OfFloat(sign)
	}
	change := rational.NewVector(z)
	if entering {
		return v.enter(u, sign, change), nil
	}
	return v.leave(u, sign, change), nil
}

// enter moves u off its bound: x and y change so, at most until a bound where the objective does not curve.
func (v *prover) enter(u int, sign float64, change *rational.Vector) status.Status {
	curve := 0.0
	if u < v.n {
		curve = sign * v.product(v.gradients[u], change, 0)
	} else {
		curve = sign * change.Exact[u].Float64()
	}
	if curve > 0 {
		v.basic[u] = true
		return status.Optimal
	}
	leaving, smallest, largest, to := -1, inf, 0.0, 0.0
	for w := range v.basic {
		e := sign
		if w != u {
			if !v.basic[w] {
				continue
			}
			e = v.product(v.line(w), change, 0)
		}
		end := endOf(e, v.upper[w], v.lower[w])
		if e == 0 || math.IsInf(end, 0) {
			continue
		}
		ratio := 0.0
		if w == u {
			ratio = math.Abs(end - v.resting[u])
		} else if room := v.above(w, end); (room < 0) == (e > 0) {
			ratio = math.Abs(room / e)
		}
		if e = math.Abs(e); leaving < 0 || !v.bland() && (ratio < smallest || ratio == smallest && e > largest) {
			leaving, smallest, largest, to = w, ratio, e, end
		}
	}
	if leaving < 0 {
		return status.Unbounded
	}
	v.basic[u] = true
	v.basic[leaving], v.resting[leaving] = false, to
	return status.Optimal
}

// leave takes u to the bound that it violates, which change, the answer to a dual of 1, says how.
func (v *prover) leave(u int, sign float64, change *rational.Vector) status.Status {
	to := endOf(sign, v.lower[u], v.upper[u])
	if !(v.product(v.line(u), change, 0) > 0) {
		// Then the terms of u in the basic variables are −Σ change·s over the rows on bounds.
		entering, smallest, largest := -1, inf, 0.0
		own := make([]float64, v.n)
		for line, t := v.line(u), 0; t < len(line.index); t++ {
			own[line.index[t]] = line.value[t]
		}
		for w := range v.basic {
			if v.basic[w] {
				continue
			}
			e := 0.0
			if w < v.n {
				e = -v.product(v.gradients[w], change, own[w])
			} else {
				e = -change.Exact[w].Float64()
			}
			if e == 0 || !v.canMove(w, sign*e) {
				continue
			}
			e = math.Abs(e)
			ratio := math.Abs(v.dual[w]) / e
			if entering < 0 || !v.bland() && (ratio < smallest || ratio == smallest && e > largest) {
				entering, smallest, largest = w, ratio, e
			}
		}
		if entering < 0 {
			return status.Infeasible
		}
		v.basic[entering] = true
	}
	v.basic[u], v.resting[u] = false, to
	return status.Optimal
}
