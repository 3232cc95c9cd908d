// Package direct trains models with few trained centres and, if wanted, a learned width for each feature: Wu,
// Schölkopf and Bakır, "A direct method for building sparse kernel learning algorithms" (JMLR 7, 2006). For K vectors
// c_j it minimises
//
//	½ aᵀ(K_cc + 10⁻⁹ I)a + C Σ_i v_i ℓ(y_i f(x_i)) + ½ η ‖log w‖²,
//	f(x) = Σ_j a_j exp(−γ Σ_k w_k² (x_k − c_jk)²) + b
//
// (or with a Matérn kernel of ν = 3/2 or 5/2 or the rational quadratic one, which have slopes everywhere, too) over
// a, b, c and w (w = 1 without FeatureWidths), with sample weights v. ℓ(m) is max(0, 1 − m)² (the default), max(0, 1
// − m), or log(1 + e^−m). In regression ℓ is (y − f)², or max(0, |y − f| − ε). With [learn.Problem.Soft] in place of
// labels it is the cross-entropy log(1 + eᶠ) − p f, whatever Loss is, and decision values are log odds.
//
// Where the truth is made of thresholds, a smooth step σ(uᵀx + t) of one feature says with two numbers what takes
// many vectors; where it is nearly linear, a plane pᵀx does. With Units a model has these too. Steps count as vectors
// do.
//
// # What is optimal
//
// The problem is convex in a and b, but not in c and w. The report's objective, dual objective and gap are of the
// convex program for the returned vectors and the exact loss, recomputed from the model. The status is LocalOptimum if
// the gradient of all variables is within the tolerance. Else it is FixedPoint: the coefficients are optimal for the
// vectors, whose search has stopped. The message says how far it went, and [Figures] has the norm of its gradient.
//
// [Trainer.TrainJoint] trains the models of each class against the rest over one pool of K vectors. For fixed vectors
// each model is a convex program with its own certificate. (The softmax loss has the same accuracy, but its models
// cannot be certified one by one.)
//
// # What held-out samples choose
//
// Without MaxSV they choose the number of vectors: 2, 4, 8, ... are tried as long as the loss falls. With Tune they
// choose C, γ, whether widths are learned, and the units too; MaxSV is the largest number then. The held-out samples
// are Problem.Validation, or those of a cross-validation. The simplest setting within one standard error of the least
// loss is taken, or within two if it makes no more errors; up to a MaxSV, that of the least loss. The choice is then
// trained on all samples. The zero value does not tune; the command's train and cv do.
//
// Features of Problem.Coded are numbers of levels. In their place the model has a value for each level, which is free
// like the vectors; see [statistic] for their start and [fit.trim] for those that are left out.
package direct

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

// Trainer is the method "direct" with its parameters.
type Trainer struct {
	learn.Named[Trainer]
	C             float64 // cost of a unit of loss; > 0, default 1
	Loss          string  // "squared-hinge" (default), "hinge", "logistic"; regression: "squared" (default), "insensitive"
	Epsilon       float64 // ε of "insensitive"; 0 means 0.1, a negative number 0
	MaxSV         int     // number of vectors, shared by all classes, with Tune at most; 0, the default, chooses it
	Tune          bool    // also choose C, γ, units and whether widths are learned; false by default, unlike train
	FeatureWidths bool    // learn a width for each feature
	// Units says what a model adds up: "vectors", "steps" of one feature each and a plane, "directions" (the same with
	// steps that turn) or "mixed", half vectors, half steps and a plane. "auto", the default, is vectors; with Tune it
	// compares vectors, steps and mixed.
	Units        string
	WidthPenalty float64 // η; > 0, default 0.01
	Tolerance    float64 // of the gradient relative to max(1, objective), to end the search; default 1e-5
	MaxIter      int     // limit on the steps of a search; default 200
	Seed         uint64  // of centres and folds; default 1
	Starts       int     // searches from other samples, of which the least objective stays; each takes as long; default 1
}

// Figures is Report.Figures of this package.
type Figures struct {
	// GradientNorm is ‖∂J‖ over all free variables at the end of the last search, in units in which γ is 1.
	GradientNorm float64      `json:"gradient_norm"`
	Steps        int          `json:"steps"`                   // of the last search
	Evaluations  int          `json:"evaluations"`             // of objective and gradient
	C            float64      `json:"chosen_c,omitempty"`      // with Tune
	Gamma        float64      `json:"chosen_gamma,omitempty"`  // with Tune
	Units        string       `json:"chosen_units,omitempty"`  // with Tune
	Edges        []learn.Edge `json:"chosen_edges,omitempty"`  // of the C and γ that were tried
	HeldOut      []HeldOut    `json:"held_out,omitempty"`      // one for each setting and number of vectors tried
	Weights      []float64    `json:"width_squares,omitempty"` // w_k², with FeatureWidths
}

// Chosen implements [learn.Chooser].
func (f Figures) Chosen() (values learn.Values, gamma float64, edges []learn.Edge) {
	return learn.Values{"c": f.C, "units": f.Units, "feature_widths": len(f.Weights) > 0}, f.Gamma, f.Edges
}

// HeldOut is the held-out error and loss of a setting and a number of vectors.
type HeldOut struct {
	SV            int     `json:"sv"`
	C             float64 `json:"c"`
	Gamma         float64 `json:"gamma"`
	FeatureWidths bool    `json:"feature_widths"`
	Units         string  `json:"units"`
	Error         float64 `json:"error"` // error rate; in regression the root mean square error
	Loss          float64 `json:"loss"`  // mean ℓ, summed over the models of several classes
}

// soft is the loss of [learn.Problem.Soft]: the cross-entropy, whose decision values are log odds.
const soft = "soft"

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 {
	if learn.Complete(&t) != nil {
		return 0 // Train reports the error
	}
	p := &centres.Problem{N: n, D: d, Outputs: 1, Loss: t.loss(), Widths: t.widths(), Threads: 1}
	return 32*int64(n) + centres.Bytes(p, t.min(2))
}

func (t *Trainer) widths() centres.Widths {
	if t.FeatureWidths {
		return centres.Each
	}
	return centres.Fixed
}

// min is the smallest number of vectors that is tried for so many classes; regression has 2.
func (t *Trainer) min(classes int) int {
	switch {
	case t.MaxSV > 0 && t.Tune:
		return min(t.MaxSV, max(2, classes))
	case t.MaxSV > 0:
		return t.MaxSV
	}
	return max(2, classes)
}

// Train implements [learn.Trainer], for two classes or regression; Report.Figures is a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	r, err := t.train(ctx, p, 2)
	if err != nil {
		return nil, err
	}
	return &r[0], nil
}

// TrainJoint implements [learn.Joint]. The penalty of widths is divided equally among the models' objectives.
func (t Trainer) TrainJoint(ctx context.Context, p *learn.Problem, classes int) ([]learn.Result, error) {
	return t.train(ctx, p, classes)
}

func (t Trainer) train(ctx context.Context, p *learn.Problem, classes int) ([]learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	if classes = max(2, classes); p.Task == learn.Regress {
		classes = 1 // no classes: one group of samples
	}
	if err := validate(p, classes); err != nil {
		return nil, err
	}
	if err := t.suit(p.Task); err != nil {
		return nil, err
	}
	if err := p.Kernel.ValidateSlopes(); err != nil {
		return nil, fmt.Errorf("direct: %w", err)
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	if p.Soft != nil {
		t.Loss = soft
		if columns := len(p.Soft) / p.N; columns != 1 && classes == 2 || classes > 2 && columns != classes {
			return nil, fmt.Errorf("direct: found %d probabilities a sample for %d classes", columns, classes)
		}
	}
	own := setting{t.C, p.Kernel.Gamma, t.widths(), shapeOf(t.Units)}
	j := &job{Trainer: t, setting: own, problem: p, classes: classes, outputs: 1,
		budget: p.Budget(t.Name(), p.N, p.D), progress: p.Throttle()}
	if classes > 2 {
		j.outputs = classes
	}
	return j.train(ctx)
}

// validate checks the problem; for several classes, with the labels of the first model.
func validate(p *learn.Problem, classes int) error {
	if classes <= 2 {
		return p.Validate(learn.Classify, learn.Regress)
	}
	first := *p
	first.Y = signs(p.Y, 0)
	if v := p.Validation; v != nil {
		first.Validation = &learn.Validation{X: v.X, Y: signs(v.Y, 0), N: v.N}
	}
	return first.Validate()
}

func (t *Trainer) loss() centres.Loss {
	switch t.Loss {
	case soft:
		return centres.CrossEntropy
	case "hinge":
		return centres.Hinge
	case "logistic":
		return centres.Logistic
	case "squared":
		return centres.Squared
	case "insensitive":
		return centres.Insensitive(t.Epsilon)
	}
	return centres.SquaredHinge
}

// suit rejects a loss of another task and an ε without its loss, and sets the defaults of regression.
func (t *Trainer) suit(task learn.Task) error {
	regression := t.Loss == "squared" || t.Loss == "insensitive"
	switch {
	case t.Epsilon >= 0 && t.Loss != "insensitive":
		return &learn.ParamError{Method: t.Name(), Param: "epsilon", Value: t.Epsilon,
			Want: "none unless the loss is insensitive"}
	case task == learn.Regress && t.Loss == "squared-hinge":
		t.Loss = "squared"
	case task == learn.Regress && !regression:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared or insensitive for regression"}
	case task == learn.Classify && regression:
		return &learn.ParamError{Method: t.Name(), Param: "loss", Value: t.Loss,
			Want: "squared-hinge, hinge or logistic for classification"}
	}
	if t.Epsilon < 0 {
		t.Epsilon = 0.1
	}
	return nil
}
