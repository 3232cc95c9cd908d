package greedy

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Kernel columns that hardly vary and labels that cancel in them leave little of the equations
// but rounding errors: refined, the fits solve them.
func TestCancellation(t *testing.T) {
	near := &learn.Problem{N: 2, D: 1, X: []float64{1, 1 + 1e-12}, Y: []float64{1, -1}, Kernel: gram.Linear()}
	far := ref.Clouds(72, 10, 6)
	for i := range far.X {
		far.X[i] += 4e4
	}
	far.Kernel = gram.RBF(4e-8)
	for i := range far.Y {
		far.Y[i] = float64(1 - 2*(i%2))
	}
	equal := &learn.Problem{N: 6, D: 1, X: make([]float64, 6), Y: far.Y[:6], Kernel: gram.RBF(1)}
	both := &learn.Problem{N: 8, D: 1, X: []float64{0, 0, 1, 1, 3, 3, 7, 7}, Y: far.Y[:8], Kernel: gram.Laplacian(0.1)}
	for name, p := range map[string]*learn.Problem{"near": near, "far": far, "equal": equal, "both": both} {
		for _, tr := range []learn.Trainer{
			Cholesky{C: 1e-4}, Cholesky{C: 400}, Primal{C: 1}, LDA{C: 0.1}, LDA{C: 1e4}, KMP{}, SGGP{}, PFSALS{},
		} {
			r, err := tr.Train(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Report.Status != status.Optimal {
				t.Errorf("%s, %+v: %v: %s", name, tr, r.Report.Status, r.Report.Message)
			}
			testutil.AtMost(t, name+": "+tr.Name()+" residual", *r.Report.Residual, samples.OptimalResidual)
		}
	}
}

// A model that is far from the solution of its equations is brought to it, at every criterion, with
// the factor R and with that of all samples.
func TestMend(t *testing.T) {
	p, task := weighted(t, 73, 60, 3)
	for _, cr := range criteria {
		f := newForward(task, cr, limits{eta: 1e-6, maxSV: 20})
		s := f.selection(f.run(context.Background()))
		mended(t, p, task, s, 10)
	}
	p = ref.Clouds(74, 60, 3)
	p.Weight = ref.Ones(p.N)
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Cholesky{Eta: 1e-10}.choose(context.Background(), task, 10)
	if err != nil || s.fitted == nil {
		t.Fatalf("not the fit of all samples: %v", err)
	}
	mended(t, p, task, s, 10)
}

func mended(t *testing.T, p *learn.Problem, task *samples.LeastSquares, s *Selection, c float64) {
	t.Helper()
	m, err := s.solve(context.Background(), len(s.Support), c)
	if err != nil {
		t.Fatal(err)
	}
	e := &learn.Expansion{Support: s.Support, Coef: slices.Clone(m.coef), Bias: m.bias}
	for i := range e.Coef {
		e.Coef[i] += 1 + float64(i%5)
	}
	if s.bias {
		e.Bias -= 3
	}
	m.coef, m.bias = e.Coef, e.Bias
	before := literal(p, ref.KernelMatrix(p), s, e, c)
	good, residual := newEquations(task, s, e, c).refine(context.Background(), m)
	e.Coef, e.Bias = good.coef, good.bias
	after := literal(p, ref.KernelMatrix(p), s, e, c)
	if !(before > 1e-3) {
		t.Errorf("residual %v before", before)
	}
	testutil.AtMost(t, "residual", residual, 1e-9)
	testutil.AtMost(t, "residual, written out", after, 1e-9)
	objective, _ := figures(context.Background(), task, s, e, c)
	testutil.NearRel(t, "objective", good.objective, objective, 1e-9)
}

// Squares of what weights of 1e100 make of kernel values of 1e90 overflow; residuals do not.
func TestResidualOverflow(t *testing.T) {
	p := ref.Clouds(75, 12, 3)
	p.Weight = slices.Repeat([]float64{1e100}, p.N)
	p.Kernel = gram.Custom(func(x, z []float64) float64 { return 1e90 * gram.RBF(0.5).Eval(x, z) })
	task, err := samples.NewLeastSquares("test", p)
	if err != nil {
		t.Fatal(err)
	}
	e := &learn.Expansion{Support: []int{0, 3, 5}, Coef: make([]float64, 3), Bias: 0}
	s := &Selection{criterion: criterion{bias: true}}
	_, residual := figures(context.Background(), task, s, e, 1)
	testutil.NearRel(t, "residual of f = 0", residual, 1, 1e-12)
}

// Columns of samples far from 0 that rounding alone makes look independent are not chosen: the
// squared length of what is left of them may be negative.
func TestRoundedIndependence(t *testing.T) {
	for seed := range uint64(300) {
		p := ref.Clouds(seed, 3+int(seed%30), 1+int(seed%4))
		for i := range p.X {
			p.X[i] += 1e7
		}
		p.Kernel = gram.Linear()
		r, err := PFSALS{C: 1}.Train(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		testutil.AtMost(t, "size of the bias", math.Abs(r.Bias), 1e150)
	}
}
