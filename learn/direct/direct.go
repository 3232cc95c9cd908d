// Package direct trains models whose few vectors are free to move, and with them, if wanted, a width for each
// feature: Wu, Schölkopf and Bakır, "A direct method for building sparse kernel learning algorithms"
// (JMLR 7, 2006). For K vectors c_j it minimises
//
//	½ aᵀ(K_cc + 10⁻⁹ I)a + C Σ_i v_i ℓ(y_i f(x_i)) + ½ η ‖log w‖²,
//	f(x) = Σ_j a_j exp(−γ Σ_k w_k² (x_k − c_jk)²) + b
//
// over a, b, c and w (w = 1 without FeatureWidths), with v the samples' weights and ℓ(m) one of max(0, 1 − m)² (the
// default), max(0, 1 − m) (whose corner is rounded for the search, and sharp again for the coefficients) and
// log(1 + e^−m). For real values ℓ is (y − f)², with which the coefficients are those of a linear system, or
// max(0, |y − f| − ε), whose corners are rounded for the search as well.
//
// # What is optimal
//
// In a and b the problem is convex, in c and w it is not. A training starts at k-means++ centres of each class in
// the classes' proportions, solves the convex part, moves everything by L-BFGS for at most
// MaxIter steps, and solves the convex part once more. The report's objective, dual objective and gap are of that
// last program, recomputed from the model, and so is the word "optimal": the coefficients are, for
// the vectors returned. The vectors are at best a local optimum; the message says how far their search
// went, and [Figures] has the norm of its gradient.
//
// # Several classes
//
// [Trainer.TrainJoint] trains the models of each class against the rest over one pool of K vectors: f_o for each
// class o, with the same c and w, and the sum of their norms and losses. Given the vectors each model is a convex
// program of its own, with a certificate of its own. (The softmax loss instead of the sum errs as often, and its
// models would not be certified one by one.)
//
// # How many vectors
//
// With MaxSV there are that many (fewer if there are fewer different samples). Without it there are 2, 4, 8 and so on
// (of several classes 1, 2, 4 a class), each number begun at the vectors of the last and new ones where its loss is,
// for as long as the loss on held-out samples falls: those of Problem.Validation, else of 5-fold cross-validation
// (fewer folds where fewer give 1000 held-out samples; a part of more than 10⁵ samples). Fewer than 1000 samples with
// values are dealt to folds as often as makes 1000 held-out ones, at most 5 times. The smallest number whose loss is
// within a standard error of the least, that of the differences point by point, is chosen, or a smaller one within two
// that errs on no more of the held-out samples. From there a quarter of the vectors is dropped and the others move on,
// for as long as the smaller number is chosen in turn. What is chosen is trained on all samples: a search from the
// vectors of each fold ends, as those of the folds do, when 20 steps gain less than 0.3 % of the objective, and the one
// of least objective goes on.
//
// With Tune the same samples choose C, γ (more finely of fewer than 300 samples of classes) and whether widths are
// learnt along with the number, or for MaxSV vectors: of the settings that are as good, in these words, the simplest,
// which has the fewest vectors, then no widths, then the smallest γ, then the least loss.
package direct

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

// Trainer is the method's parameters.
type Trainer struct {
	C             float64 // weight of the errors; > 0, default 1
	Loss          string  // "squared-hinge", the default, "hinge", "logistic"; of values "squared", theirs, "insensitive"
	Epsilon       float64 // of "insensitive"; 0 means 0.1, a negative number 0
	MaxSV         int     // number of vectors, of all classes' models together; 0, the default, chooses it
	Tune          bool    // choose C, γ and whether widths are learnt, too
	FeatureWidths bool    // learn a width for each feature
	WidthPenalty  float64 // η; > 0, default 0.01
	Tolerance     float64 // norm of the gradient, of the objective or 1, at which the search ends; default 1e-5
	MaxIter       int     // most steps of a search; default 200
	Seed          uint64  // of centres and held-out samples; default 1
}

// Figures is Report.Figures of this package.
type Figures struct {
	// GradientNorm is ‖∂J‖ over all that moves where the last search ended, in units in which γ is 1.
	GradientNorm float64   `json:"gradient_norm"`
	Steps        int       `json:"steps"`                   // of the last search
	Evaluations  int       `json:"evaluations"`             // of objective and gradient
	C            float64   `json:"chosen_c,omitempty"`      // with Tune
	Gamma        float64   `json:"chosen_gamma,omitempty"`  // with Tune
	HeldOut      []HeldOut `json:"held_out,omitempty"`      // one for each setting and number of vectors tried
	Weights      []float64 `json:"width_squares,omitempty"` // w_k², with FeatureWidths
}

// Chosen implements [learn.Chooser].
func (f Figures) Chosen() (values learn.Values, gamma float64) {
	return learn.Values{"c": f.C, "feature_widths": len(f.Weights) > 0}, f.Gamma
}

// HeldOut is what the held-out samples say of a setting and a number of vectors.
type HeldOut struct {
	SV            int     `json:"sv"`
	C             float64 `json:"c"`
	Gamma         float64 `json:"gamma"`
	FeatureWidths bool    `json:"feature_widths"`
	Error         float64 `json:"error"` // fraction; of values the root of the mean square
	Loss          float64 `json:"loss"`  // mean ℓ, of several classes the sum over their models
}

const (
	optimalGap       = 1e-8 // of the objective
	optimalViolation = 1e-6
)

func init() {
	learn.Register(learn.Method{
		About: "few trained centres, and a width for each feature if wanted",
		Paper: "Wu, Schölkopf & Bakır (2006)",
		Tasks: []learn.Task{learn.Classify, learn.Regress}, Validation: true,
	}, (*Trainer).declare)
}

func (t *Trainer) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Word("loss", &t.Loss, []string{"squared-hinge", "hinge", "logistic", "squared", "insensitive"},
		"Loss of a sample: squared-hinge (the default), hinge or logistic; of values squared (the default) or insensitive.")
	p.Epsilon(&t.Epsilon, -1)
	p.MaxSV(&t.MaxSV)
	p.Bool("tune", &t.Tune,
		"Choose C (it or a tenth; of values it, 10 or 100 times it), gamma (1/20, 1/5, 0.7 or 2.5 times it; of fewer than "+
			"300 samples of classes 0.1, 0.4 and 1.4 times it too) and feature widths or none by held-out samples.")
	p.Bool("feature_widths", &t.FeatureWidths, "Learn a width for each feature with the vectors.")
	p.Float("width_penalty", &t.WidthPenalty, 0.01, learn.Positive, "Weight of the squared logarithms of learnt widths.")
	p.Tolerance(&t.Tolerance, 1e-5)
	p.MaxIter(&t.MaxIter, 200)
	p.Seed(&t.Seed)
}

// Name implements [learn.Trainer].
func (Trainer) Name() string { return "direct" }

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 {
	if learn.Complete(t.Name(), t.declare) != nil {
		return 0 // Train says what is wrong
	}
	p := &centres.Problem{N: n, D: d, Outputs: 1, Loss: t.loss(), Widths: t.widths(), Threads: 1}
	return 32*int64(n) + centres.Bytes(p, t.least(2))
}

func (t *Trainer) widths() centres.Widths {
	if t.FeatureWidths {
		return centres.Each
	}
	return centres.Fixed
}

// least is the smallest number of vectors that a training of so many classes has; values have two as well.
func (t *Trainer) least(classes int) int {
	if t.MaxSV > 0 {
		return t.MaxSV
	}
	return max(2, classes)
}

// Train implements [learn.Trainer], for two classes or real values; Report.Figures is a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	classes := 2
	if p.Task == learn.Regress {
		classes = 1 // samples are of one kind
	}
	r, err := t.train(ctx, p, classes)
	if err != nil {
		return nil, err
	}
	return &r[0], nil
}

// TrainJoint implements [learn.Joint]. An equal part of the widths' penalty is in each model's objective.
func (t Trainer) TrainJoint(ctx context.Context, p *learn.Problem, classes int) ([]learn.Result, error) {
	return t.train(ctx, p, classes)
}

func (t Trainer) train(ctx context.Context, p *learn.Problem, classes int) ([]learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if err := validate(p, classes); err != nil {
		return nil, err
	}
	if err := t.suit(p.Task); err != nil {
		return nil, err
	}
	if !p.Kernel.Gaussian() {
		return nil, fmt.Errorf("direct: found the kernel %v, want rbf: vectors move by the gradient of Gaussians",
			p.Kernel.Kind)
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	j := &job{Trainer: t, setting: setting{t.C, p.Kernel.Gamma, t.widths()}, problem: p, classes: classes, outputs: 1,
		budget: p.Budget(t.Name(), p.N, p.D), progress: p.Throttle()}
	if classes > 2 {
		j.outputs = classes
	}
	return j.train(ctx)
}

// validate looks at signs, of several classes at those of the first model.
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
