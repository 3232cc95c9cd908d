package lssvm

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// criterion is what distinguishes one forward selection from another.
type criterion struct {
	bias     bool    // columns and labels are centred, as a free bias does
	ridge    float64 // ρ: the fit is penalised by ρ v'K_SS v
	matching bool    // choose by the column's match with the residual, not by the joint fit's gain
}

// limits bounds a forward selection.
type limits struct {
	eta        float64 // stop when the next point adds less than this part of the objective
	maxSV      int     // and at this many points; 0 means no limit
	candidates int     // score this many random candidates a step; 0 means all
	seed       uint64
}

// singular is the threshold on the pivot of Q_W, eq. (10), below which a
// candidate counts as dependent on the selection. Abe (2008) does not print it;
// this one reproduces the support vector counts of its Table 3 (1e-7 gives 26,
// 1e-12 gives 47 instead of 33 for banana).
const singular = 1e-9

// tie is the relative difference of two gains that counts as none; the lower index wins.
const tie = 1e-10

// forward is the forward selection of Abe (2008), section 3.4, as orthogonal
// least squares. Q_W of eq. (10) is the total covariance K_c'K_c/M of the
// centred columns, and K_c'y_c = (2 M1 M2/M)(c1 − c2), so that
//
//	J_opt = (c1−c2)'Q_W⁻¹(c1−c2) = M²/(M1 M2) R²
//
// with R² the share of ‖y_c‖² that least squares on the selected columns
// explains. With z_j the part of column j orthogonal to the selection,
// n_j = ‖z_j‖² and p_j = z_j'y_c, adding j raises R² by p_j²/(n_j ‖y_c‖²); and
// n_j/M is the pivot that j would add to the Cholesky factor of Q_W. A step with
// the new direction q needs c = K_c'q only: n_j −= c_j², p_j −= c_j q'y_c.
type forward struct {
	*task
	criterion
	limits
	basis  *basis
	cand   []int     // points that may still be chosen, ascending
	mean   []float64 // weighted mean of each candidate's column, by point; zeros without a bias
	norm   []float64 // n_j, by point
	norm0  []float64 // n_j before the first step
	match  []float64 // p_j, by point
	kept   []int     // chosen points, in order
	energy float64   // ‖y_c‖²
	gained float64   // Σ u²: the numerator of R²
	fresh  []int     // step in which n_j and p_j were last computed anew, by point
	ybar   float64
	evals  int64
}

func newForward(t *task, cr criterion, lim limits) *forward {
	f := &forward{task: t, criterion: cr, limits: lim, cand: t.distinct()}
	f.mean, f.norm, f.norm0 = make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	f.match, f.fresh = make([]float64, t.n), make([]int, t.n)
	f.basis, f.ybar = t.newBasis(cr.bias, cr.ridge)
	f.energy = dense.Dot(f.basis.y, f.basis.y)
	if f.maxSV <= 0 || f.maxSV > len(f.cand) {
		f.maxSV = len(f.cand)
	}
	f.basis.q = make([]float64, 0, t.n*min(f.maxSV, usualSV))
	return f
}

// column computes the candidate's scaled kernel column, into a if it has room;
// orthogonalize centres it.
func (f *forward) column(a []float64, j int) *candidate {
	if a == nil {
		a = make([]float64, f.n)
	}
	c := &candidate{a: a}
	f.points.Row(c.a, j)
	if f.ridge > 0 {
		for _, s := range f.kept {
			c.ks = append(c.ks, c.a[s])
		}
		c.ks = append(c.ks, c.a[j])
	}
	for i, v := range f.root {
		c.a[i] *= v
	}
	return c
}

// run selects until a limit; its status is Optimal when eta or the lack of
// independent candidates ended it, IterationLimit at maxSV.
func (f *forward) run(ctx context.Context) status.Status {
	if f.candidates > 0 {
		return f.runSampled(ctx)
	}
	p := newPanels(f.task, f.cand, f.budget()-f.fixedBytes())
	defer func() { f.evals += p.evals }()
	f.start(p)
	last := time.Now()
	for len(f.cand) > 0 {
		if st := status.FromContext(ctx); st != status.Unknown {
			return st
		}
		j, gain := f.best()
		if j < 0 {
			break
		}
		c := f.column(nil, j)
		f.evals += int64(f.n)
		f.basis.orthogonalize(c)
		if c.norm/f.total <= singular {
			f.norm[j] = 0
			continue
		}
		if f.fresh[j] <= len(f.kept) && math.Abs(c.norm-f.norm[j]) > 1e-6*c.norm {
			f.norm[j], f.match[j], f.fresh[j] = c.norm, dense.Dot(c.a, f.basis.y), len(f.kept)+1
			continue
		}
		if gain < f.eta*(f.gained+gain) {
			break
		}
		if len(f.kept) == f.maxSV {
			return status.IterationLimit
		}
		f.accept(j, c)
		f.update(p)
		if 4*f.alive() < 3*len(f.cand) {
			p = f.shrink(p)
		}
		if f.Progress != nil && time.Since(last) > 50*time.Millisecond {
			f.Progress(learn.Event{Phase: "select", Done: -1})
			last = time.Now()
		}
	}
	return status.Optimal
}

// fixedBytes is what the selection needs besides the panels, with room for a few hundred points.
func (f *forward) fixedBytes() int64 {
	return forwardBytes(f.n, f.D, min(f.maxSV, usualSV))
}

// usualSV is the number of support vectors that room is made for at first.
const usualSV = 256

func forwardBytes(n, d, sv int) int64 { return 8 * int64(n) * int64(3*d+sv+16) }

// start computes the first n_j and p_j.
func (f *forward) start(p *panels) {
	if f.bias {
		w := make([]float64, f.n)
		for i, v := range f.w {
			w[i] = v / f.total
		}
		p.product(f.mean, w)
	}
	p.spread(f.norm, f.w, f.mean)
	v := make([]float64, f.n)
	for i, y := range f.basis.y {
		v[i] = f.root[i] * y
	}
	p.product(f.match, v)
	if f.ridge > 0 {
		diag := make([]float64, f.n)
		f.points.Diag(diag)
		for _, j := range f.cand {
			f.norm[j] += f.ridge * diag[j]
		}
	}
	copy(f.norm0, f.norm)
}

// best returns the candidate with the largest score and the gain in Σu² that it
// promises, or −1 when every candidate depends on the selection.
func (f *forward) best() (j int, gain float64) {
	top := 0.0
	for _, j := range f.cand {
		if f.norm[j]/f.total > singular {
			top = math.Max(top, f.score(j))
		}
	}
	for _, j := range f.cand {
		if f.norm[j]/f.total > singular && f.score(j) >= top*(1-tie) {
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

// accept adds the point to the selection.
func (f *forward) accept(j int, c *candidate) {
	f.basis.add(c)
	f.kept = append(f.kept, j)
	u := f.basis.u[len(f.kept)-1]
	f.gained += u * u
	f.norm[j] = 0
}

// update brings n_j and p_j up to date with the newest basis vector.
func (f *forward) update(p *panels) {
	k := f.basis.size() - 1
	v, c := make([]float64, f.n), make([]float64, f.n)
	for i, q := range f.basis.last() {
		v[i] = f.root[i] * q
	}
	if f.ridge > 0 {
		for s, t := range f.basis.t[k] {
			v[f.kept[s]] += f.ridge * t
		}
	}
	p.product(c, v)
	u := f.basis.u[k]
	for _, j := range f.cand {
		f.norm[j] -= c[j] * c[j]
		f.match[j] -= c[j] * u
	}
}

// alive counts the candidates that do not depend on the selection.
func (f *forward) alive() int {
	n := 0
	for _, j := range f.cand {
		if f.norm[j]/f.total > singular {
			n++
		}
	}
	return n
}

// shrink drops the dependent candidates for good and lays out the panels anew.
func (f *forward) shrink(p *panels) *panels {
	var rest []int
	for _, j := range f.cand {
		if f.norm[j]/f.total > singular {
			rest = append(rest, j)
		}
	}
	f.cand = rest
	f.evals += p.evals
	p.panel = nil // lets go of the old values before the new ones are made
	return newPanels(f.task, rest, f.budget()-f.fixedBytes())
}
