package smo

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
)

// newton moves the free variables F of a working set together, between two-variable steps: where bounds are wide and
// a kernel is smooth, one system stands for tens of thousands of them. It looks for the minimum of the model
//
//	g_Fᵀd + ½ dᵀK̄d,  K̄ = K_FF + εI,  1ᵀd = 0,  lo ≤ a + d ≤ hi
//
// of one proximal step (Rockafellar 1976), whose ε keeps the factor of a smooth kernel's block from
// breaking down, as an active-set method does (Nocedal & Wright 2006, section 16.5), except that
// variables which have met a bound stay there: to let them go is what two-variable steps are for.
type newton[T dense.Float] struct {
	most          int  // free variables that there may be
	last          int  // iterations of the subproblem at the end of the last run
	next          int  // and before the next one
	held, outside int  // nonzero variables at bounds: all, and those that are not active
	near          bool // there was a start or a working set before: the first system may come soon
	chol          duals.Cholesky
	free          []int
	rows          [][]T
	// By free variable: the minimum without bounds, K̄⁻¹1, the way so far, and the next piece of it.
	target, z, d, dir []float64
	kd                []float64 // Kd over the active variables
	walls
}

// walls are the variables that have met a bound.
type walls struct {
	places []int     // places among the free variables
	v      []float64 // v_b, the columns of the bordered inverse of K̄, one a row
	l      []float64 // the factor of their elements at the walls, maxWalls a row
	size   []float64 // λ
}

const (
	// ridge is ε relative to the largest diagonal element: far above rounding in a factor of some
	// hundred rows, and with steps of 10⁵ still no more than 1e-5 of a gradient.
	ridge = 1e-10
	// maxWalls is the number of walls beyond which a factor of what is still free is better.
	maxWalls = 64
	// dependentWall is the pivot of a wall, relative to its diagonal element, that depends on the walls before it.
	dependentWall = 1e-13
	// passes is how many systems one run solves at most.
	passes = 8
	// systemRate is how many fused operations of a factor take a nanosecond, about, times 3.
	systemRate = 150
)

// begin forgets the working set before.
func (nt *newton[T]) begin() { nt.last, nt.next = 0, 0 }

// due reports whether steps have taken as long, since the last run, as a system of today's size
// would, and looks again no sooner than that can be.
func (nt *newton[T]) due(in *inner[T]) bool {
	if in.iterations < nt.next {
		return false
	}
	f := float64(nt.collect(in))
	if f > float64(nt.most) { // few steps do not change that, and to count takes as long as half of one
		nt.next = in.iterations + spacing(in.active)
		return false
	}
	system := f * f * (f/systemRate + 4) // in ns, about
	space := spacing(in.active)
	if nt.last == 0 && !nt.near {
		space = in.active
	}
	nt.next = max(nt.next, nt.last+space+int(system/nt.stepTime(in.active)))
	return in.iterations >= nt.next && f > 1
}

// run walks until it ends inside the box.
func (nt *newton[T]) run(ctx context.Context, in *inner[T]) {
	for range passes {
		if ctx.Err() != nil || nt.collect(in) < 2 {
			break
		}
		if nt.factor(ctx, in) != nil {
			break
		}
		inside := nt.walk(ctx, in)
		if !nt.move(in) || inside {
			break
		}
	}
	nt.last = in.iterations
	nt.next = nt.last + spacing(in.active)
}

// stepTime is about what a step takes, in ns, while its vectors fit the first-level cache. Where nearly all nonzero
// variables are free, no step ends at a bound: the steps are many, their variables change places in the caches, and a
// system meets no wall on its way. Then it may come four times as soon.
func (nt *newton[T]) stepTime(active int) float64 {
	const maxHeld = 0.05 // of the free variables
	if float64(nt.held) <= maxHeld*float64(len(nt.free)) {
		return float64(active) + 40
	}
	return float64(active)/4 + 40
}

// spacing is the least number of steps between two systems, and before the first one after a start.
func spacing(active int) int { return max(128, active/4) }

// collect lists the free variables.
func (nt *newton[T]) collect(in *inner[T]) int {
	nt.free = nt.free[:0]
	nt.held = nt.outside
	for t := range in.active {
		if in.up[t] == 0 && in.low[t] == 0 {
			nt.free = append(nt.free, t)
		} else if in.a[t] != 0 {
			nt.held++
		}
	}
	return len(nt.free)
}

// factor prepares the system and solves it without bounds. An error is the context's.
func (nt *newton[T]) factor(ctx context.Context, in *inner[T]) error {
	f := len(nt.free)
	l := nt.chol.Begin(f)
	for _, v := range []*[]float64{&nt.target, &nt.z, &nt.d, &nt.dir} {
		*v = duals.Grow(*v, f)
	}
	nt.rows = nt.rows[:0]
	most := 0.0
	for _, t := range nt.free {
		most = max(most, in.d[t])
	}
	for r, t := range nt.free {
		row := in.row(t)
		nt.rows = append(nt.rows, row)
		for c, u := range nt.free[:r+1] {
			l[r*f+c] = float64(row[u])
		}
		l[r*f+r] += ridge * most
		nt.target[r], nt.z[r] = -in.g[t], 1
	}
	if err := nt.chol.Factor(ctx); err != nil {
		return err
	}
	nt.chol.Solve(nt.z)
	nt.solve(nt.target)
	return nil
}

// solve overwrites y with the d of K̄d + ρ1 = y, 1ᵀd = 0: d = K̄⁻¹y − z (1ᵀK̄⁻¹y)/(1ᵀz) with z = K̄⁻¹1.
func (nt *newton[T]) solve(y []float64) {
	nt.chol.Solve(y)
	var sy, sz float64
	for r, v := range y {
		sy += v
		sz += nt.z[r]
	}
	dense.Axpy(-sy/sz, nt.z, y)
}

// walk goes to the minimum without bounds, or to the first wall, and from there to the minimum
// along the walls met so far: target − d − Vλ with V_bb λ = (target − d)_b. It reports whether
// it came to the end; wherever it stops it has gone down.
func (nt *newton[T]) walk(ctx context.Context, in *inner[T]) bool {
	nt.places = nt.places[:0]
	clear(nt.d)
	for {
		nt.along()
		wall, step := nt.ratio(in)
		dense.Axpy(step, nt.dir, nt.d)
		if wall < 0 {
			return true
		}
		t := nt.free[wall]
		if nt.dir[wall] > 0 {
			nt.d[wall] = in.hi[t] - in.a[t]
		} else {
			nt.d[wall] = in.lo[t] - in.a[t]
		}
		if ctx.Err() != nil || len(nt.places) == maxWalls || !nt.add(wall) {
			return false
		}
	}
}

// ratio returns the first wall on the way along dir and how far it is; without a wall, −1 and 1.
func (nt *newton[T]) ratio(in *inner[T]) (wall int, step float64) {
	wall, step = -1, 1
	for r, t := range nt.free {
		v := nt.dir[r]
		if v == 0 {
			continue
		}
		room := in.hi[t] - in.a[t] - nt.d[r]
		if v < 0 {
			room = in.lo[t] - in.a[t] - nt.d[r]
		}
		if room/v < step {
			wall, step = r, max(0, room/v)
		}
	}
	return wall, step
}

// add appends a wall, and reports false when it depends on those before it.
func (nt *newton[T]) add(wall int) bool {
	f, k := len(nt.free), len(nt.places)
	nt.v, nt.l = duals.Grow(nt.v, maxWalls*f), duals.Grow(nt.l, maxWalls*maxWalls)
	nt.size = duals.Grow(nt.size, maxWalls)
	col := nt.v[k*f : (k+1)*f]
	clear(col)
	col[wall] = 1
	nt.solve(col)
	row := nt.l[k*maxWalls:]
	for c, b := range nt.places {
		other := nt.l[c*maxWalls:]
		row[c] = (col[b] - dense.Dot(other[:c], row)) / other[c]
	}
	pivot := col[wall] - dense.Dot(row[:k], row)
	if !(pivot > dependentWall*col[wall]) {
		return false
	}
	row[k] = math.Sqrt(pivot)
	nt.places = append(nt.places, wall)
	return true
}

// along makes dir the way to the minimum along the walls, with a sum of 0 in spite of rounding,
// which a badly conditioned factor makes large.
func (nt *newton[T]) along() {
	f, k := len(nt.free), len(nt.places)
	for r := range nt.dir {
		nt.dir[r] = nt.target[r] - nt.d[r]
	}
	y := nt.size[:k]
	for r, b := range nt.places {
		y[r] = nt.dir[b]
	}
	duals.Solve(nt.l, maxWalls, y)
	for r, v := range y {
		dense.Axpy(-v, nt.v[r*f:(r+1)*f], nt.dir)
	}
	for _, b := range nt.places {
		nt.dir[b] = 0
	}
	if k == f {
		return
	}
	var sum float64
	for _, v := range nt.dir {
		sum += v
	}
	for r := range nt.dir {
		nt.dir[r] -= sum / float64(f-k)
	}
	for _, b := range nt.places {
		nt.dir[b] = 0
	}
}

// move takes the whole way, and reports whether it leads down.
func (nt *newton[T]) move(in *inner[T]) bool {
	nt.settle(in)
	nt.kd = duals.Grow(nt.kd, len(in.g))
	clear(nt.kd)
	dense.AddGathered(nt.kd, nt.d, nt.rows)
	change := 0.0
	for r, t := range nt.free {
		change += nt.d[r] * (in.g[t] + 0.5*nt.kd[t])
	}
	if !(change < 0) {
		return false
	}
	for r, t := range nt.free {
		in.a[t] = nt.dir[r]
		in.up[t], in.low[t] = freedom(in.a[t], in.lo[t], in.hi[t])
	}
	dense.Axpy(1, nt.kd[:in.active], in.g[:in.active])
	return true
}

// settle makes dir the iterate at the end of the way, exactly at its walls and in the box, and d the
// way there, whose rounded sum goes to the variable with the most room.
func (nt *newton[T]) settle(in *inner[T]) {
	for r, t := range nt.free {
		nt.dir[r] = min(max(in.a[t]+nt.d[r], in.lo[t]), in.hi[t])
	}
	for _, r := range nt.places {
		if t := nt.free[r]; nt.d[r] > 0 {
			nt.dir[r] = in.hi[t]
		} else {
			nt.dir[r] = in.lo[t]
		}
	}
	var sum, room float64
	roomy := 0
	for r, t := range nt.free {
		sum += nt.dir[r] - in.a[t]
		if v := min(in.hi[t]-nt.dir[r], nt.dir[r]-in.lo[t]); v > room {
			roomy, room = r, v
		}
	}
	if math.Abs(sum) < room {
		nt.dir[roomy] -= sum
	}
	for r, t := range nt.free {
		nt.d[r] = nt.dir[r] - in.a[t]
	}
}
