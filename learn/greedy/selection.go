package greedy

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Selection is an ordered selection of training samples, with the least squares of their kernel columns. It does not
// depend on C, and a selection for one η contains those for every larger η as prefixes: one selection serves a whole
// grid over (η, C).
type Selection struct {
	Support     []int     // rows of the problem in the order of selection
	J           []float64 // objective of eq. (11) of Abe (2008) after each sample: M²/(M1 M2) R² without (15)
	Status      status.Status
	Message     string // why the selection ended before its limits; usually empty
	KernelEvals int64
	Seconds     float64 // of the selection, kernel evaluations included

	criterion
	fitted  *solution // if lssvm-chol selected all samples: the only model, without R
	threads int
	r       [][]float64 // columns of R; r[k] has k+1 values
	u       []float64   // Q'y
	mean    []float64   // mean of each chosen column
	ybar    float64
	energy  float64 // ‖y_c‖²
	scale   float64 // J = scale·Σu²
}

// solution is a fit of a selection, with its objective, divided by C if that is finite.
type solution struct {
	coef      []float64
	bias      float64
	objective float64
	// correct overwrites b with the v of the fit's equations without bias, (K_c'WK_c + ρ K_SS + μ I) v = b. The error
	// is the context's.
	correct func(ctx context.Context, b []float64) error
}

// selection returns the samples that f selected. It does not share memory with f.
func (f *forward) selection(st status.Status) *Selection {
	s := &Selection{
		Support: f.Rows(f.kept), Status: st, Message: f.message, KernelEvals: f.evals,
		criterion: f.criterion, threads: f.Threads, r: make([][]float64, len(f.kept)), u: f.basis.u, ybar: f.ybar,
	}
	for k, j := range f.kept {
		s.mean = append(s.mean, f.mean[j])
		s.r[k] = slices.Clone(f.basis.r(k)) // so that the store can be freed
	}
	s.objectives(f.LeastSquares, f.along, f.energy)
	return s
}

// objectives computes J from u, that of the selection; energy is ‖y_c‖².
func (s *Selection) objectives(t *samples.LeastSquares, u []float64, energy float64) {
	s.energy = energy
	var positive float64
	for i, y := range t.Y {
		if y > 0 {
			positive += t.W[i]
		}
	}
	s.scale = t.Total * t.Total / (positive * (t.Total - positive)) / energy
	var sum float64
	for _, v := range u {
		sum += v * v
		s.J = append(s.J, s.scale*sum)
	}
}

// Prefix returns how many samples a selection with a larger η has: those before the first whose relative increase of J,
// eq. (19), is below eta.
func (s *Selection) Prefix(eta float64) int {
	old := 0.0
	for k, j := range s.J {
		if j-old < eta*j {
			return k
		}
		old = j
	}
	return len(s.J)
}

// Solve returns the expansion on the first n selected samples that minimises ½‖v‖² + (C/2) Σ w_i ξ_i², Abe (2008), eq.
// (3) and (4), where 1/C on the left of (4) means I/C. C = +Inf gives plain least squares. A selection with a ridge
// (SGGP, PFSALS) carries its own penalty and ignores c.
func (s *Selection) Solve(n int, c float64) learn.Expansion {
	m, err := s.solve(context.Background(), n, c)
	if err != nil {
		panic("greedy: " + err.Error()) // the only error is the context's
	}
	return learn.Expansion{Support: slices.Clone(s.Support[:n]), Coef: m.coef, Bias: m.bias}
}

// solve is Solve with a context. At the solution of (R'R + μ) v = R'u the objective is (‖y_c‖² − u'R v)/2.
func (s *Selection) solve(ctx context.Context, n int, c float64) (*solution, error) {
	if s.fitted != nil {
		return s.fitted, nil
	}
	r := make([][]float64, n)
	for k := range r {
		r[k] = slices.Clone(s.r[k])
	}
	v, err := ridge(ctx, s.threads, r, slices.Clone(s.u[:n]), s.penalty(c))
	if err != nil {
		return nil, err
	}
	m := &solution{coef: v, bias: s.ybar, objective: s.energy / 2}
	m.correct = func(ctx context.Context, b []float64) error { // ridge has left the factor of the equations in r
		normal(r, b)
		return ctx.Err()
	}
	for k, a := range v {
		m.bias -= a * s.mean[k]
		m.objective -= a * dense.Dot(s.r[k], s.u) / 2
	}
	return m, nil
}

// penalty is the factor of ‖v‖² for C = c if the squared error has factor 1.
func (s *Selection) penalty(c float64) float64 {
	if s.ridge > 0 {
		return 0
	}
	return 1 / c
}
