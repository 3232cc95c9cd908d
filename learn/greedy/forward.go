package greedy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// criterion is what distinguishes one forward selection from another.
type criterion struct {
	bias     bool    // a free bias: columns and labels are centred
	ridge    float64 // ρ: the fit is penalised by ρ v'K_SS v
	matching bool    // select by the column's match with the residual, not by the gain of the joint fit
	singular float64 // a candidate whose pivot of Q_W, eq. (10) of Abe (2008), is at most this counts as dependent
	scatter  float64 // ε of eq. (15), added to the diagonal of Q_W: the ridge is ε M v'v, in the selection alone
}

// limits bounds a forward selection.
type limits struct {
	eta        float64 // stop when the next sample adds less than this share of the objective
	maxSV      int     // stop at this many support vectors; 0 means no limit
	candidates int     // score this many random candidates per step; 0 or less means all
	seed       uint64
}

// singular is the default of the criterion's. Abe (2008) does not print it; this one reproduces the support vector
// counts of its Table 3 (1e-7 gives 26, 1e-12 gives 47 instead of 33 for banana).
const singular = 1e-9

// Gains whose relative difference is at most tie are equal; the lower index wins.
const tie = 1e-10

// forward is the forward selection of Abe (2008), section 3.4, as orthogonal least squares. Q_W of eq. (10) is the
// total covariance K_c'K_c/M of the centred columns, and K_c'y_c = (2 M1 M2/M)(c1 − c2), so that
//
//	J_opt = (c1−c2)'Q_W⁻¹(c1−c2) = M²/(M1 M2) R²
//
// with R² the share of ‖y_c‖² that least squares on the selected columns explains. With z_j the part of column j
// orthogonal to the selection, n_j = ‖z_j‖² and p_j = z_j'y_c, adding j raises R² by p_j²/(n_j ‖y_c‖²); and n_j/M is
// the pivot that j would add to the Cholesky factor of Q_W. A step with the new direction q needs c = K_c'q only: n_j
// −= c_j², p_j −= c_j q'y_c.
type forward struct {
	*samples.LeastSquares
	criterion
	limits
	basis  *basis
	panels *panels // nil while random candidates are scored
	scores
	gains
	evals   int64
	blocked bool      // the Schur complement has been tried
	message string    // why the selection ended before its limits
	chosen  candidate // the column of the chosen sample
	v, c    []float64 // scratch of start and update
}

// scores are the quantities of the candidates, indexed by sample.
type scores struct {
	cand    []int     // samples that may still be selected, ascending
	mean    []float64 // weighted mean of each candidate's column; zeros without a bias
	norm    []float64 // n_j
	norm0   []float64 // n_j before the first step
	match   []float64 // p_j
	exactAt []int     // step in which n_j and p_j were last computed from the column
}

// gains describe the selection so far.
type gains struct {
	kept   []int     // selected samples, in order
	energy float64   // ‖y_c‖²
	gained float64   // Σ u²: the numerator of R²
	along  []float64 // u, with ε if there is one
	ybar   float64
}

func newForward(t *samples.LeastSquares, cr criterion, lim limits) *forward {
	f := &forward{LeastSquares: t, criterion: cr, limits: lim}
	f.ridge += cr.scatter * t.Total
	f.mean, f.norm, f.norm0 = make([]float64, t.N), make([]float64, t.N), make([]float64, t.N)
	f.match, f.exactAt = make([]float64, t.N), make([]int, t.N)
	f.chosen.a = make([]float64, t.N)
	f.basis, f.ybar = newBasis(t, f.bias, f.ridge)
	f.energy = dense.Dot(f.basis.y, f.basis.y)
	return f
}

// column computes the scaled kernel column of candidate j in c; orthogonalize centres it.
func (f *forward) column(c *candidate, j int) {
	f.Packed.Row(c.a, j)
	if f.ridge > 0 {
		c.ks = c.ks[:0]
		for _, s := range f.kept {
			c.ks = append(c.ks, c.a[s])
		}
		c.ks = append(c.ks, c.a[j])
		if f.scatter > 0 { // the identity in place of K_SS
			clear(c.ks)
			c.ks[len(f.kept)] = 1
		}
	}
	dense.Scale(c.a, f.Root)
}

// firstBlock allocates the vectors that rule.bytes counts.
func (f *forward) firstBlock() {
	f.basis.q.grow(func(size int) []float64 { return make([]float64, size) })
}

// run selects until a limit. Its status is Optimal if eta or a lack of independent candidates ended it, SizeReached at
// maxSV, and IterationLimit if the memory was used up.
func (f *forward) run(ctx context.Context) status.Status {
	f.cand, _ = learn.Distinct(f.X, f.N, f.D)
	if f.maxSV <= 0 || f.maxSV > len(f.cand) {
		f.maxSV = len(f.cand)
	}
	f.firstBlock()
	var st status.Status
	if f.candidates > 0 {
		st = f.runSampled(ctx)
	} else {
		f.start(ctx)
		st = f.steps(ctx)
		f.evals += f.panels.evals
	}
	f.along = f.basis.u
	if f.scatter > 0 {
		st = f.withoutScatter(ctx, st)
	}
	return st
}

// withoutScatter makes the basis that of the selected columns alone, for the fit, eq. (4), which has no ε. If ctx ends,
// it keeps the columns that are soon done.
func (f *forward) withoutScatter(ctx context.Context, st status.Status) status.Status {
	kept, store := f.kept, f.basis.q
	f.kept, f.ridge, f.scatter = nil, 0, 0
	f.basis, _ = newBasis(f.LeastSquares, f.bias, 0)
	f.basis.q = store
	for k, j := range kept {
		if float64(f.N)*float64(k)*float64(k) > endedWork && ctx.Err() != nil {
			f.along = f.along[:k]
			return status.FromContext(ctx)
		}
		f.column(&f.chosen, j)
		f.evals += int64(f.N)
		f.basis.orthogonalize(&f.chosen)
		if f.chosen.norm < 1e-26*dense.Dot(f.chosen.coef, f.chosen.coef) {
			f.chosen.norm = 0 // rounding errors alone, which are not orthogonal to the basis
		}
		f.accept(j, &f.chosen)
	}
	return st
}

// steps selects one sample after the other.
func (f *forward) steps(ctx context.Context) status.Status {
	progress := f.Throttle()
	for len(f.cand) > 0 {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		if f.blocksPay() {
			if st, done := f.inBlocks(ctx); done {
				return st
			}
		}
		j, gain := f.best()
		if j < 0 {
			break
		}
		if f.invalid(gain) {
			return status.Numerical
		}
		c := &f.chosen
		f.column(c, j)
		f.evals += int64(f.N)
		f.basis.orthogonalize(c)
		if !(c.norm/f.Total > f.singular) {
			f.norm[j] = 0
			continue
		}
		if f.correctDrift(j, c) {
			continue
		}
		if gain < f.eta*(f.gained+gain) {
			break
		}
		if len(f.kept) == f.maxSV {
			return status.SizeReached
		}
		if !f.makeRoom() {
			return status.IterationLimit
		}
		f.accept(j, c)
		f.update()
		if ctx.Err() != nil {
			continue // the update is incomplete, and the scores are invalid
		}
		if 4*f.numIndependent() < 3*len(f.cand) {
			f.shrink()
		}
		progress(func() learn.Event { return learn.Event{Phase: "select", Done: -1, Vectors: len(f.kept)} })
	}
	return status.Optimal
}

// invalid reports whether overflow or rounding has made a gain that is not finite.
func (f *forward) invalid(gain float64) bool {
	if gain-gain == 0 {
		return false
	}
	f.message = fmt.Sprintf("the next support vector's gain is %v: "+
		"kernel values, weights or the ridge are too large or too small", gain)
	return true
}

// correctDrift compares the updated n_j with the remainder computed from the column. If accumulated rounding exceeds
// 1e-6 of it, n_j and p_j are replaced and it returns true: the candidate has to win again.
func (f *forward) correctDrift(j int, c *candidate) bool {
	if f.exactAt[j] > len(f.kept) || math.Abs(c.norm-f.norm[j]) <= 1e-6*c.norm {
		return false
	}
	f.norm[j], f.match[j], f.exactAt[j] = c.norm, dense.Dot(c.a, f.basis.y), len(f.kept)+1
	return true
}

// makeRoom makes room for one more vector in the store, and reports whether it could.
func (f *forward) makeRoom() bool {
	if f.grow(len(f.kept)) == nil {
		return true
	}
	f.message = noRoom(len(f.kept))
	return false
}

func noRoom(k int) string {
	return fmt.Sprintf("the memory budget has no room for more than %d support vectors: the selection ended there", k)
}

// grow makes room for the next vector, k, from the budget or else from the stored panels. The error is the budget's.
func (f *forward) grow(k int) (err error) {
	if k < f.basis.q.room() {
		return nil
	}
	grown := f.basis.q.grow(func(size int) []float64 {
		if err = f.Budget.Take(8 * int64(size)); err == nil {
			return make([]float64, size)
		}
		if f.panels == nil {
			return nil
		}
		return f.panels.reclaim(size)
	})
	if grown {
		return nil
	}
	return err
}

// start computes the panels and the first n_j and p_j.
func (f *forward) start(ctx context.Context) {
	f.panels = newPanels(ctx, f.LeastSquares, f.cand)
	f.v, f.c = make([]float64, f.N), make([]float64, f.N)
	if f.bias {
		for i, v := range f.W {
			f.v[i] = v / f.Total
		}
		f.panels.product(f.mean, f.v)
	}
	f.panels.spread(f.norm, f.W, f.mean)
	for i, y := range f.basis.y {
		f.v[i] = f.Root[i] * y
	}
	f.panels.product(f.match, f.v)
	if f.ridge > 0 {
		f.Packed.Diag(f.c)
		for _, j := range f.cand {
			if f.scatter > 0 {
				f.c[j] = 1
			}
			f.norm[j] += f.ridge * f.c[j]
		}
	}
	copy(f.norm0, f.norm)
}

// best returns the candidate with the largest score and its gain in Σu². The gain is NaN if a score is not finite; j is
// −1 if every candidate depends on the selection.
func (f *forward) best() (j int, gain float64) {
	top := 0.0
	for _, j := range f.cand {
		if v := f.norm[j]; v-v != 0 {
			return j, v - v
		}
		if f.norm[j]/f.Total > f.singular {
			v := f.score(j)
			if v-v != 0 {
				return j, v - v
			}
			top = math.Max(top, v)
		}
	}
	for _, j := range f.cand {
		if f.norm[j]/f.Total > f.singular && f.score(j) >= top*(1-tie) {
			return j, f.match[j] * f.match[j] / f.norm[j]
		}
	}
	return -1, 0
}

func (f *forward) score(j int) float64 {
	if f.matching {
		return f.match[j] * f.match[j] / f.norm0[j]
	}
	return f.match[j] * f.match[j] / f.norm[j]
}

// accept adds sample j to the selection.
func (f *forward) accept(j int, c *candidate) {
	f.basis.add(c)
	f.kept = append(f.kept, j)
	u := f.basis.u[len(f.kept)-1]
	f.gained += u * u
	f.norm[j] = 0
}

// update updates n_j and p_j for the newest basis vector.
func (f *forward) update() {
	k := f.basis.size() - 1
	for i, q := range f.basis.last() {
		f.v[i] = f.Root[i] * q
	}
	if f.ridge > 0 && f.scatter == 0 {
		for s, t := range f.basis.t(k) {
			f.v[f.kept[s]] += f.ridge * t
		}
	}
	f.panels.product(f.c, f.v)
	u := f.basis.u[k]
	for _, j := range f.cand {
		f.norm[j] -= f.c[j] * f.c[j]
		f.match[j] -= f.c[j] * u
	}
}

// numIndependent counts the candidates that are independent of the selection.
func (f *forward) numIndependent() int {
	n := 0
	for _, j := range f.cand {
		if f.norm[j]/f.Total > f.singular {
			n++
		}
	}
	return n
}

// shrink drops the dependent candidates and lays out the panels anew.
func (f *forward) shrink() {
	f.cand = slices.DeleteFunc(f.cand, func(j int) bool { return f.norm[j]/f.Total <= f.singular })
	f.panels.layout(f.cand)
}
