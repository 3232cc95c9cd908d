package boxqp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

const (
	// setEntrants is how many violating variables join a working set.
	setEntrants = 64
	// setMemory is how many passes a variable that went to a bound stays in the set.
	setMemory = 4
	// largestSet bounds a working set.
	largestSet = 1024
	// largestImage is the order of the systems that are solved for the image where more variables than that are free.
	largestImage = 2048
)

// entrant is a variable at a bound, or free, with the gain of a single step in it.
type entrant struct {
	i    int
	gain float64
}

// byGain sorts by falling gain.
func byGain(a, b entrant) int { return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.i, b.i)) }

// workingSets solves subproblems until no variable violates its optimality condition by more than the tolerance.
func (s *state) workingSets(ctx context.Context) status.Status {
	left := make([]int, s.n) // pass at which a variable was last free or chosen
	var set []int
	for pass := 1; ; pass++ {
		kkt := s.violation()
		if s.opt.Progress != nil {
			s.opt.Progress(s.result.Passes, kkt)
		}
		if kkt <= s.tol {
			return status.Optimal
		}
		if s.result.Passes >= s.limit {
			return status.IterationLimit
		}
		set = s.choose(set[:0], left, pass)
		st := s.work.solve(ctx, s, set, max(s.tol/4, 1e-3*kkt))
		if st != status.Unknown {
			return st
		}
		if s.work.move(s, set); len(s.idx) == 0 {
			return status.Numerical
		}
		_ = s.H.AddRows(context.Background(), s.g, s.idx, s.coef)
		s.result.Passes++
	}
}

// choose lists the working set: the free variables, those that were free or chosen not long ago, and the best of the
// rest by Huang et al. (2010), eq. (13): largest g²/h_ii among the violating.
func (s *state) choose(set, left []int, pass int) []int {
	var out []entrant
	for i, g := range s.g {
		v := violation(s.b[i], s.Lo[i], s.Hi[i], g)
		free := s.b[i] > s.Lo[i] && s.b[i] < s.Hi[i]
		if free || left[i] > 0 && pass-left[i] < setMemory {
			set = append(set, i)
		} else if v > 0 {
			out = append(out, entrant{i, v * v / max(s.diag[i], tau)})
		}
	}
	if len(set) > largestSet {
		set = s.largest(set)
	}
	slices.SortFunc(out, byGain)
	for _, e := range out[:min(len(out), setEntrants)] {
		set = append(set, e.i)
		left[e.i] = pass
	}
	for i := range s.b {
		if s.b[i] > s.Lo[i] && s.b[i] < s.Hi[i] {
			left[i] = pass
		}
	}
	return set
}

// largest cuts set down to the largestSet variables with the largest violations.
func (s *state) largest(set []int) []int {
	slices.SortFunc(set, func(i, j int) int {
		vi := violation(s.b[i], s.Lo[i], s.Hi[i], s.g[i])
		vj := violation(s.b[j], s.Lo[j], s.Hi[j], s.g[j])
		return cmp.Or(cmp.Compare(vj, vi), cmp.Compare(i, j))
	})
	return set[:largestSet]
}

// subproblem is the subproblem of one working set of m variables, dense.
type subproblem struct {
	m, ld    int
	h        []float64 // m×ld
	x, g     []float64
	lo, hi   []float64
	free     []int
	d, hd, y []float64 // Newton direction over all m, H times it, and over the free
	chol     Cholesky
}

const (
	// burstOf times the number of variables single-variable steps come before a Newton step.
	burstOf = 0.5
	// innerNewton limits the Newton steps of one subproblem.
	innerNewton = 200
)

// load copies the subproblem of the working set out of s.
func (q *subproblem) load(s *state, set []int) {
	q.m = len(set)
	q.ld = (q.m + 7) &^ 7
	q.h = Grow(q.h, q.m*q.ld)
	for _, v := range []*[]float64{&q.x, &q.g, &q.lo, &q.hi, &q.d, &q.hd} {
		*v = Grow(*v, q.m)
	}
	for r, i := range set {
		q.x[r], q.g[r], q.lo[r], q.hi[r] = s.b[i], s.g[i], s.Lo[i], s.Hi[i]
	}
	s.H.Select(set)
	for r := range set {
		s.H.SubRow(q.row(r), r)
	}
}

func (q *subproblem) row(i int) []float64 { return q.h[i*q.ld : i*q.ld+q.m] }

// solve minimises over the working set to a violation of at most tol. Stopping
// short of it, at innerNewton, is no failure: the next working set goes on.
func (q *subproblem) solve(ctx context.Context, s *state, set []int, tol float64) status.Status {
	q.load(s, set)
	for range innerNewton {
		if q.steps(s, tol) {
			return status.Unknown
		}
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		q.newton()
		s.result.Newton++
	}
	return status.Unknown
}

// steps takes a burst of single-variable steps, Huang et al. (2010), eq. (12), each in the
// variable of eq. (13). It reports whether the violation has come down to tol.
func (q *subproblem) steps(s *state, tol float64) bool {
	for range 1 + int(burstOf*float64(q.m)) {
		var kkt, gain float64
		best := -1
		for i, g := range q.g {
			v := violation(q.x[i], q.lo[i], q.hi[i], g)
			kkt = max(kkt, v)
			if h := max(q.h[i*q.ld+i], tau); v*v > gain*h {
				best, gain = i, v*v/h
			}
		}
		if kkt <= tol || best < 0 {
			return true
		}
		v := singleStep(q.x[best], q.lo[best], q.hi[best], q.g[best], q.h[best*q.ld+best])
		dense.Axpy(v-q.x[best], q.row(best), q.g)
		q.x[best] = v
		s.result.Steps++
	}
	return false
}

// singleStep minimises over one variable with gradient g and curvature h, eq. (12).
func singleStep(b, lo, hi, g, h float64) float64 {
	return clip(b-g/max(h, tau), lo, hi)
}

// newton minimises over the free variables: along the Newton direction to the minimum or the first bound, where the
// variable that meets it stays and the rest go on while that leads downhill.
func (q *subproblem) newton() {
	if !q.direction() {
		return
	}
	for {
		t, hit := q.reach()
		if t == 0 && hit < 0 {
			return
		}
		for _, i := range q.free {
			q.x[i] = clip(q.x[i]+t*q.d[i], q.lo[i], q.hi[i])
		}
		dense.Axpy(t, q.hd, q.g)
		if hit < 0 {
			return
		}
		if q.d[hit] > 0 {
			q.x[hit] = q.hi[hit]
		} else {
			q.x[hit] = q.lo[hit]
		}
		dense.Axpy(-q.d[hit], q.row(hit), q.hd)
		q.d[hit] = 0
	}
}

// direction sets d = −H_FF⁻¹ g_F and hd = H d; it is false when no variable is free.
func (q *subproblem) direction() bool {
	q.free = q.free[:0]
	for i, v := range q.x {
		if v > q.lo[i] && v < q.hi[i] {
			q.free = append(q.free, i)
		}
	}
	f := len(q.free)
	q.y = Grow(q.y, f)
	l := q.chol.Begin(f)
	for r, i := range q.free {
		row := q.row(i)
		for c, j := range q.free[:r+1] {
			l[r*f+c] = row[j]
		}
		q.y[r] = -q.g[i]
	}
	_ = q.chol.Factor(context.Background())
	q.chol.Solve(q.y)
	clear(q.d)
	clear(q.hd)
	for r, i := range q.free {
		q.d[i] = q.y[r]
		dense.Axpy(q.y[r], q.row(i), q.hd)
	}
	return f > 0
}

// reach returns how far to go along d, and the variable whose bound stops it there, or
// −1 when the minimum does. It returns (0, −1) when d does not lead downhill.
func (q *subproblem) reach() (t float64, hit int) {
	var slope, curve float64
	t, hit = math.Inf(1), -1
	for _, i := range q.free {
		d := q.d[i]
		if d == 0 {
			continue
		}
		slope += d * q.g[i]
		curve += d * q.hd[i]
		room := (q.hi[i] - q.x[i]) / d
		if d < 0 {
			room = (q.lo[i] - q.x[i]) / d
		}
		if room < t {
			t, hit = room, i
		}
	}
	if !(slope < 0) {
		return 0, -1
	}
	if curve > 0 && -slope/curve < t {
		return -slope / curve, -1
	}
	if hit < 0 {
		return 0, -1
	}
	return t, hit
}

// move moves the variables of the set in s and lists those that moved in s.idx, and by how much in s.coef.
func (q *subproblem) move(s *state, set []int) {
	s.idx, s.coef = s.idx[:0], s.coef[:0]
	for r, i := range set {
		if d := q.x[r] - s.b[i]; d != 0 {
			s.idx = append(s.idx, i)
			s.coef = append(s.coef, d)
			s.b[i] = q.x[r]
		}
	}
}
