package boxqp

import (
	"cmp"
	"context"
	"slices"

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

// workingSets solves subproblems until no variable violates its optimality condition
// by more than the tolerance.
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

// choose lists the working set: the free variables, those that were free or chosen not
// long ago, and the best of the rest by Huang et al. (2010), eq. (13): largest g²/h_ii
// among the violating.
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
