package direct_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/status"
)

// losses by name.
var losses = map[string]func(y, f float64) float64{"": ref.DirectSquaredHinge, "hinge": ref.DirectHinge, "logistic": ref.DirectLogistic}

// objective is the method's, by plain loops from what it returned.
func objective(p *learn.Problem, r *learn.Result, loss string, c, eta float64) float64 {
	return objectiveOf(p, r, loss, c, eta, nil)
}

func objectiveOf(p *learn.Problem, r *learn.Result, loss string, c, eta float64, curve func(float64) float64) float64 {
	e := &ref.DirectExpansion{Gamma: make([]float64, p.D), Log: make([]float64, p.D), Coef: r.Coef, Bias: r.Bias, Plane: r.Plane,
		Steps: r.Steps, Curve: curve}
	for k := range e.Gamma {
		weight, learnt := 1.0, r.KernelOf(p)
		if p.Kernel.Weights != nil {
			weight = p.Kernel.Weights[k]
		}
		e.Gamma[k] = learnt.Gamma * weight
		if learnt.Weights != nil && weight > 0 {
			e.Log[k] = math.Log(learnt.Weights[k]/weight) / 2
		}
	}
	for j := range r.Coef {
		e.Vectors = append(e.Vectors, r.Vectors[j*p.D:(j+1)*p.D])
	}
	x, v := make([][]float64, p.N), make([]float64, p.N)
	for i := range x {
		x[i], v[i] = p.X[i*p.D:(i+1)*p.D], c*p.WeightOf(i)
	}
	return e.Penalty(1, 1e-9) + e.Loss(x, p.Y, v, losses[loss]) + e.WidthPenalty(eta)
}

// searched reports whether a status is that of models with optimal coefficients: at a local optimum the gradient is
// small. The objective of the search, its unit, is a little larger than that of its optimal coefficients.
func searched(st status.Status, r ...learn.Result) bool {
	var objective float64
	for o := range r {
		objective += r[o].Report.Objective
	}
	size := r[0].Report.Figures.(direct.Figures).GradientNorm / (1e-5 * max(1, objective))
	return st == status.LocalOptimum && size <= 2 || st == status.FixedPoint && size > 1
}

// TestKernels does what TestReport does, with the other kernels that have slopes: more vectors than features, a
// gradient within the tolerance, and a certificate of the convex program.
func TestKernels(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for kernel, curve := range map[gram.Kind]func(float64) float64{gram.KindMatern32: ref.DirectMatern32,
			gram.KindMatern52: ref.DirectMatern52, gram.KindRationalQuadratic: ref.DirectRationalQuadratic(1.5)} {
			for _, tr := range []direct.Trainer{{MaxSV: 5}, {MaxSV: 7, C: 10, FeatureWidths: true},
				{MaxSV: 6, Units: "mixed", Loss: "logistic"}, {MaxSV: 8, Tune: true, MaxIter: 30}} {
				p := ref.Clouds(3, size(200), 4)
				p.Kernel = gram.WeightedRBF(0.2, []float64{1, 0.5, 0, 2})
				p.Kernel.Kind, p.Kernel.Alpha = kernel, 1.5
				r, what := train(t, tr, p), fmt.Sprintf("%v %+v", kernel, tr)
				c, f := max(tr.C, 1), r.Report.Figures.(direct.Figures)
				if tr.Tune {
					c = f.C
				}
				testutil.NearRel(t, what+": objective", r.Report.Objective, objectiveOf(p, r, tr.Loss, c, 0.01, curve), 1e-9)
				if k := r.KernelOf(p); !searched(r.Report.Status, *r) || r.Report.Duality == nil || k.Kind != kernel ||
					k.Alpha != 1.5 {
					t.Fatalf("%s: %v, kernel %v", what, r.Report.Status, k)
				}
				testutil.AtMost(t, what+": gap", math.Abs(r.Report.Duality.Gap), 1e-8)
			}
		}
	})
}

func train(t *testing.T, tr direct.Trainer, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// size is a number of samples, a quarter of it in short runs, which emulated processors make.
func size(n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

// TestReport holds the report to the model that is returned: objective, certificate, message.
func TestReport(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, tr := range []direct.Trainer{
			{MaxSV: 5}, {MaxSV: 7, C: 30, FeatureWidths: true, WidthPenalty: 0.5}, {MaxIter: 30},
			{MaxSV: 5, Loss: "hinge"}, {Loss: "hinge", MaxIter: 30, C: 100, FeatureWidths: true},
			{MaxSV: 5, Loss: "logistic"}, {Loss: "logistic", MaxIter: 30, FeatureWidths: true},
			{MaxSV: 5, Units: "steps"}, {MaxSV: 6, Units: "mixed", FeatureWidths: true, C: 20}, {Units: "directions", MaxIter: 30},
			{MaxSV: 5, Units: "mixed", Loss: "hinge"}, {MaxSV: 5, Units: "steps", Loss: "logistic"},
			{Tune: true, C: 3, MaxIter: 30}, {Tune: true, MaxSV: 4, Loss: "hinge", MaxIter: 30, FeatureWidths: true},
		} {
			p := ref.Clouds(3, size(200), 4)
			p.Weight = make([]float64, p.N)
			for i := range p.Weight {
				p.Weight[i] = float64(i % 3)
			}
			p.Kernel = gram.WeightedRBF(0.2, []float64{1, 0.5, 0, 2})
			r := train(t, tr, p)
			c, eta := max(tr.C, 1), 0.01
			if tr.WidthPenalty > 0 {
				eta = tr.WidthPenalty
			}
			f := r.Report.Figures.(direct.Figures)
			if tr.Tune {
				c = f.C
			}
			what := fmt.Sprintf("%+v", tr)
			testutil.NearRel(t, what+": objective", r.Report.Objective, objective(p, r, tr.Loss, c, eta), 1e-9)
			if !searched(r.Report.Status, *r) || r.Report.Duality == nil || r.Support != nil ||
				len(r.Vectors) != p.D*len(r.Coef) || !strings.Contains(r.Report.Message, "gradient norm") {
				t.Fatalf("%s: %v, %q, %d vectors", what, r.Report.Status, r.Report.Message, len(r.Coef))
			}
			testutil.AtMost(t, what+": gap", math.Abs(r.Report.Duality.Gap), 1e-8)
			if f.Steps < 1 || f.Evaluations < f.Steps || (tr.Tune || tr.MaxSV == 0) == (f.HeldOut == nil) ||
				tr.MaxSV > 0 && !fits(&tr, len(r.Coef)+len(r.Steps)) || !tr.Tune && tr.FeatureWidths != (r.Kernel != nil) ||
				tr.FeatureWidths && f.Weights == nil {
				t.Errorf("%s: figures %+v", what, f)
			}
		}
	})
}

// TestLearns: free vectors of learnt widths find the two features of six that matter, and few vectors are enough.
func TestLearns(t *testing.T) {
	p := ref.Clouds(1, 600, 8)
	for i := range p.N {
		x := p.X[i*8 : i*8+8]
		p.Y[i] = math.Copysign(1, x[2]*x[2]+x[5]*x[5]-1.2)
	}
	r := train(t, direct.Trainer{MaxSV: 4, C: 10, FeatureWidths: true}, p)
	f := ref.Decide(&learn.Problem{X: r.Vectors, D: 8, Kernel: *r.Kernel},
		&learn.Expansion{Support: []int{0, 1, 2, 3}, Coef: r.Coef, Bias: r.Bias}, p.X, p.N)
	wrong := 0
	for i, y := range p.Y {
		if f[i]*y <= 0 {
			wrong++
		}
	}
	if wrong > p.N/30 {
		t.Errorf("%d of %d wrong", wrong, p.N)
	}
	w := r.Kernel.Weights
	for k, v := range w {
		if matters := k == 2 || k == 5; matters != (v > 0.3*w[2]) {
			t.Errorf("width square of feature %d is %.3g of %.3g", k, v, w)
		}
	}
}

// TestEdges trains where something is missing or too much: a status, no NaN, a model that is not worse than none,
// and the same for any number of threads.
func TestEdges(t *testing.T) {
	repeated := ref.Clouds(2, 60, 2)
	for i := range repeated.N {
		copy(repeated.X[2*i:], repeated.X[:6][2*(i%3):2*(i%3)+2])
	}
	constant := ref.Clouds(2, 60, 3)
	for i := range constant.N {
		constant.X[3*i+1] = 7
	}
	large, far := ref.Clouds(2, 60, 3), ref.Clouds(2, 60, 3)
	for i := range large.X {
		large.X[i] *= 1e6
		far.X[i] += 1e9
	}
	outlier := ref.Clouds(2, 60, 3)
	outlier.X[5] = 1e12
	tiny := &learn.Problem{X: []float64{0, 1, 0.2, 0.9}, N: 4, D: 1, Y: []float64{1, -1, 1, -1}, Kernel: gram.RBF(1)}
	two := &learn.Problem{X: []float64{0, 1}, N: 2, D: 1, Y: []float64{1, -1}, Kernel: gram.RBF(1)}
	same := &learn.Problem{X: []float64{1, 1, 1, 1}, N: 4, D: 1, Y: []float64{1, -1, 1, -1}, Kernel: gram.RBF(1)}
	different := map[string]int{"repeated": 6, "same": 2} // of both classes
	for name, p := range map[string]*learn.Problem{"repeated": repeated, "constant": constant, "large": large, "far": far,
		"outlier": outlier, "tiny": tiny, "two": two, "same": same} {
		for _, tr := range []direct.Trainer{{}, {MaxSV: 1}, {MaxSV: 2}, {MaxSV: 300}, {MaxSV: 5, FeatureWidths: true},
			{MaxSV: 5, C: 1e8}, {MaxSV: 5, C: 1e-8}, {MaxSV: 5, Loss: "hinge"}, {MaxSV: 5, C: 1e8, Loss: "hinge"},
			{MaxSV: 5, Loss: "logistic"}, {MaxSV: 5, C: 1e8, Loss: "logistic"}, {Tune: true, MaxIter: 10},
			{MaxSV: 4, Units: "steps"}, {MaxSV: 4, Units: "mixed", C: 1e8}, {Units: "directions", MaxIter: 30}} {
			what := fmt.Sprintf("%s, %+v", name, tr)
			p.Threads = 1
			r := train(t, tr, p)
			p.Threads = 3
			if again := train(t, tr, p); !reflect.DeepEqual(r.Expansion, again.Expansion) {
				t.Errorf("%s: three threads give another model", what)
			}
			if r.Report.Status == status.Unknown || r.Empty() || len(r.Coef)+len(r.Steps) > max(64, tr.MaxSV) {
				t.Errorf("%s: %v, %d vectors, %d steps", what, r.Report.Status, len(r.Coef), len(r.Steps))
			}
			if largest := different[name]; largest > 0 && tr.MaxSV > 0 && len(r.Coef) > largest {
				t.Errorf("%s: %d vectors for %d different samples of the classes", what, len(r.Coef), largest)
			}
			for _, v := range append(r.Vectors, r.Report.Objective) {
				if v-v != 0 || !r.Finite() {
					t.Fatalf("%s: found %v in the model", what, v)
				}
			}
			c := max(tr.C, 1e-8)
			if f := r.Report.Figures.(direct.Figures); f.C > 0 {
				c = f.C
			} else if tr.C == 0 {
				c = 1
			}
			smallest := 0.0 // f = b alone
			for i := range p.N {
				smallest += c * p.WeightOf(i)
			}
			testutil.AtMost(t, what+": objective", r.Report.Objective, smallest*(1+1e-9))
		}
	}
}

// TestWeights: a sample of weight 2 is two samples, one of weight 0 is none.
func TestWeights(t *testing.T) {
	p := ref.Clouds(3, 80, 3)
	p.Weight = ref.Ones(p.N)
	for i := range 20 {
		p.Weight[60+i] = 0
	}
	absent := *p
	absent.N, absent.Y, absent.Weight = 60, p.Y[:60], nil
	absent.Y[0], absent.Y[1] = 1, -1
	tr := direct.Trainer{MaxSV: 4}
	if a, b := train(t, tr, p), train(t, tr, &absent); !reflect.DeepEqual(a.Expansion, b.Expansion) {
		t.Error("samples of weight 0 change the model")
	}
	double := *p
	double.Weight = slices.Clone(p.Weight)
	for i := range double.Weight {
		double.Weight[i] *= 2
	}
	a, b := train(t, direct.Trainer{MaxSV: 4, C: 2}, p), train(t, tr, &double)
	testutil.NearRel(t, "objective of twice the weights and of twice C", b.Report.Objective, a.Report.Objective, 1e-12)
}

// TestThreads wants the same bits from any number of threads, where there are several parts.
func TestThreads(t *testing.T) {
	p := ref.Clouds(3, 3000, 20)
	var one *learn.Result
	for _, threads := range []int{1, 2, 5} {
		p.Threads = threads
		r := train(t, direct.Trainer{MaxSV: 24, MaxIter: 10, FeatureWidths: true}, p)
		r.Report.Seconds = learn.Seconds{}
		if one == nil {
			one = r
		} else if !reflect.DeepEqual(one, r) {
			t.Errorf("%d threads: another result", threads)
		}
	}
}

// several is a problem of three classes, two clouds each, with weights.
func several(n int) *learn.Problem {
	p := ref.Clouds(3, n, 4)
	p.Weight = make([]float64, n)
	for i := range n {
		x := p.X[4*i : 4*i+4]
		p.Y[i] = math.Floor(3 * math.Abs(math.Sin(x[0]+x[1]*x[1])))
		p.Weight[i] = float64(i % 3)
	}
	return p
}

// TestJoint holds the models of several classes to one pool, to the objective by plain loops, to a certificate
// each, and to the same bits for any number of threads.
func TestJoint(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, tr := range []direct.Trainer{
			{MaxSV: 6, C: 3}, {MaxSV: 7, FeatureWidths: true, WidthPenalty: 0.5}, {MaxIter: 30},
			{MaxSV: 6, Loss: "hinge"}, {MaxSV: 6, Loss: "logistic"}, {Tune: true, WidthPenalty: 0.3, MaxIter: 10},
		} {
			p := several(size(240))
			what := fmt.Sprintf("%+v", tr)
			r, err := tr.TrainJoint(t.Context(), p, 3)
			if err != nil {
				t.Fatal(err)
			}
			var sum, want float64
			cost := max(1, tr.C)
			if tr.Tune {
				cost = r[0].Report.Figures.(direct.Figures).C
			}
			for c := range r {
				one := *p
				one.Y = make([]float64, p.N)
				for i, y := range p.Y {
					if one.Y[i] = -1; y == float64(c) {
						one.Y[i] = 1
					}
				}
				sum += r[c].Report.Objective
				want += objective(&one, &r[c], tr.Loss, cost, tr.WidthPenalty/3)
				if !searched(r[c].Report.Status, r...) || len(r[c].Vectors) != p.D*len(r[c].Coef) ||
					&r[c].Vectors[0] != &r[0].Vectors[0] || r[c].Kernel != r[0].Kernel {
					t.Fatalf("%s: class %d: %v, %d vectors", what, c, r[c].Report.Status, len(r[c].Coef))
				}
				testutil.AtMost(t, what+": gap", math.Abs(r[c].Report.Duality.Gap), 1e-8)
			}
			testutil.NearRel(t, what+": objective", sum, want, 1e-9)
			r[0].Report.Seconds = learn.Seconds{}
			p.Threads = 5
			again, err := tr.TrainJoint(t.Context(), p, 3)
			if err != nil {
				t.Fatal(err)
			}
			if again[0].Report.Seconds = (learn.Seconds{}); !reflect.DeepEqual(r, again) {
				t.Errorf("%s: 5 threads give another result", what)
			}
		}
	})
}

// TestRefuses names what the method cannot train on.
func TestRefuses(t *testing.T) {
	for want, spoil := range map[string]func(p *learn.Problem){
		"found the kernel laplacian, want rbf":               func(p *learn.Problem) { p.Kernel = gram.Laplacian(1) },
		"found the kernel matern12, want rbf":                func(p *learn.Problem) { p.Kernel = gram.Matern12(1) },
		"loss is huber, want squared-hinge, hinge, logistic": nil,
		"distances overflow":                                 func(p *learn.Problem) { p.X[3] = 1e160 },
		"budget":                                             func(p *learn.Problem) { p.Memory = 1000 },
	} {
		p := ref.Clouds(3, 80, 3)
		tr := direct.Trainer{MaxSV: 3}
		if spoil == nil {
			tr.Loss = "huber"
		} else {
			spoil(p)
		}
		if _, err := tr.Train(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestValidation lets held-out samples decide on the number of vectors.
func TestValidation(t *testing.T) {
	p := ref.Clouds(3, 300, 4)
	v := ref.Clouds(3, 300, 4)
	p.Validation = &learn.Validation{X: v.X, Y: slices.Clone(v.Y), N: v.N}
	own := train(t, direct.Trainer{}, p)
	for i := range p.Validation.Y {
		p.Validation.Y[i] *= -1 // whatever is learnt is wrong
	}
	if other := train(t, direct.Trainer{}, p); len(other.Coef) > len(own.Coef) || reflect.DeepEqual(own.Vectors, other.Vectors) {
		t.Errorf("%d vectors with true labels held out, %d with false ones", len(own.Coef), len(other.Coef))
	}
}

// TestStopped ends the context after some questions: a model with a status that says so, or its error.
func TestStopped(t *testing.T) {
	p := ref.Clouds(3, 400, 4)
	for n := 0; n < 400; n += 7 {
		ctx := &countdown{Context: t.Context(), left: n}
		r, err := (direct.Trainer{MaxSV: 6}).Train(ctx, p)
		if err == nil && (r.Report.Status != status.Cancelled || len(r.Coef) != 6 || r.Report.Duality != nil) {
			t.Errorf("after %d questions: %v, %d vectors", n, r.Report.Status, len(r.Coef))
		}
	}
}

type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMemoryOfGrowth holds what the choice of a number of vectors allocates against its budget.
func TestMemoryOfGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of training")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	p := ref.Clouds(3, 4000, 10)
	p.Threads = 1
	for p.Memory = 1 << 20; p.Memory <= 16<<20; p.Memory *= 2 {
		var err error
		used := testutil.PeakHeap(t, func() { _, err = (direct.Trainer{MaxIter: 20}).Train(t.Context(), p) })
		t.Logf("%d of %d bytes (%v)", used, p.Memory, err)
		if !(used <= p.Memory+p.Memory/50+512<<10) {
			t.Errorf("%d bytes in use, the budget is %d", used, p.Memory)
		}
	}
}

// fits reports whether a model may have so many units: MaxSV, with Tune at most that.
func fits(t *direct.Trainer, units int) bool { return units == t.MaxSV || t.Tune && units < t.MaxSV }
