package sparsekm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Request is a training as data, without its samples: what flags, C, Python and R ask for. [Request.Options] makes
// [Options] of it. Its JSON form has a key for each field; a field that is left out has its default.
type Request struct {
	Method string       `json:"method"`           // of [Methods]
	Params learn.Values `json:"params,omitempty"` // of the method
	KernelRequest
	Widths      string             `json:"widths,omitempty"`       // given by default, or learned: [Options.LearnWidths]
	Scale       string             `json:"scale,omitempty"`        // none by default, or another name of [dataset.ParseScaleKind]
	RoundScaled bool               `json:"round_scaled,omitempty"` // see [Options]
	TargetScale bool               `json:"target_scale,omitempty"` // see [Options.ScaleTarget]
	Categories  string             `json:"categories,omitempty"`   // onehot by default, learned or learned-2
	Multiclass  string             `json:"multiclass,omitempty"`   // ovr by default, ovo or pairwise-fuzzy
	ClassWeight map[string]float64 `json:"class_weight,omitempty"`
	Refit       bool               `json:"refit,omitempty"`

	Calibrate     int     `json:"calibrate,omitempty"`      // folds for probabilities
	Coverage      float64 `json:"coverage,omitempty"`       // of prediction sets
	ByClass       bool    `json:"by_class,omitempty"`       // so many of each class
	CoverageFolds int     `json:"coverage_folds,omitempty"` // 0 to hold samples out
	Bound         float64 `json:"bound,omitempty"`          // confidence of a bound of the error rate
	BoundSettings int     `json:"bound_settings,omitempty"` // kernels and scalings that were compared
}

// KernelRequest is a kernel as data. A parameter that the kernel does not have is an error.
type KernelRequest struct {
	Kernel string   `json:"kernel,omitempty"` // rbf by default, another name of [gram.Names], or mahalanobis
	Gamma  any      `json:"gamma,omitempty"`  // a number, or a text for [prepare.ParseGamma]; scale by default
	Sigma  *float64 `json:"sigma,omitempty"`  // instead of Gamma, which is then 1/(2σ²)
	Degree *int     `json:"degree,omitempty"` // 3 by default
	Coef0  *float64 `json:"coef0,omitempty"`  // 0 by default
	Alpha  *float64 `json:"alpha,omitempty"`  // 1 by default
	Delta  *float64 `json:"delta,omitempty"`  // of mahalanobis; 1 by default
}

// Options makes options of the request. The error of a field is a [*learn.ParamError] with its key, like that of a
// parameter of the method.
func (r *Request) Options() (o Options, err error) {
	method, err := Lookup(r.Method)
	if err != nil {
		return o, err
	}
	if o.Trainer, err = method.New(r.Params); err != nil {
		return o, err
	}
	widths, err := word("widths", r.Widths, "given", "learned")
	if err != nil {
		return o, err
	}
	if o.LearnWidths = widths == 1; method.OwnKernel {
		if keys := append(r.keys(), "widths"); o.LearnWidths || len(keys) > 1 {
			return o, refused(keys[0], "given", "none: "+r.Method+" has a kernel of its own")
		}
	} else if err = r.Apply(&o); err != nil {
		return o, err
	}
	if o.LearnWidths && o.KernelOf == nil && o.Kernel.ValidateSlopes() != nil {
		return o, refused("widths", r.Widths, fmt.Sprintf("none: %v", o.Kernel.ValidateSlopes()))
	}
	if r.Scale != "" {
		if o.Scale, err = dataset.ParseScaleKind(r.Scale); err != nil {
			return o, err
		}
	}
	if r.Multiclass != "" {
		if o.Scheme, err = model.ParseScheme(r.Multiclass); err != nil {
			return o, err
		}
	}
	if o.CategoryValues, err = word("categories", r.Categories, "onehot", "learned", "learned-2"); err != nil {
		return o, err
	}
	o.Kernel = o.spec().Kernel
	o.RoundScaled, o.ScaleTarget, o.ClassWeight, o.Refit = r.RoundScaled, r.TargetScale, r.ClassWeight, r.Refit
	o.Calibrate = r.Calibrate
	o.Conformal = Conformal{Coverage: r.Coverage, ByClass: r.ByClass, Folds: r.CoverageFolds}
	o.Bound = Bound{Confidence: r.Bound, Settings: r.BoundSettings}
	return o, nil
}

// refused is the error of a field.
func refused(key string, found any, want string) error {
	return &learn.ParamError{Param: key, Value: found, Want: want}
}

// word is the index of a text among those of a field; no text is the first one.
func word(key, text string, words ...string) (int, error) {
	if i := slices.Index(words, text); i >= 0 || text == "" {
		return max(0, i), nil
	}
	return 0, refused(key, strconv.Quote(text), fmt.Sprintf("one of %v", words))
}

// mahalanobis is the name of the kernel that [learn.Mahalanobis] makes from the samples of each submodel.
const mahalanobis = "mahalanobis"

// keys are those of the fields that have values.
func (r *KernelRequest) keys() (keys []string) {
	for _, field := range []struct {
		key string
		set bool
	}{{"kernel", r.Kernel != ""}, {"gamma", r.Gamma != nil}, {"sigma", r.Sigma != nil}, {"degree", r.Degree != nil},
		{"coef0", r.Coef0 != nil}, {"alpha", r.Alpha != nil}, {"delta", r.Delta != nil}} {
		if field.set {
			keys = append(keys, field.key)
		}
	}
	return keys
}

// Apply sets the kernel of the options.
func (r *KernelRequest) Apply(o *Options) (err error) {
	k, learnt := &o.Kernel, r.Kernel == mahalanobis
	if r.Kernel != "" && !learnt {
		if k.Kind, err = gram.ParseKind(r.Kernel); err != nil {
			return err
		}
	}
	width := k.HasGamma() && !learnt
	has := map[string]bool{"kernel": true, "gamma": width, "sigma": width, "degree": k.HasDegree(), "coef0": k.HasCoef0(),
		"alpha": k.HasAlpha(), "delta": learnt}
	for _, key := range r.keys() {
		if !has[key] {
			return refused(key, "given", fmt.Sprintf("none: the %s kernel has no %s", cmp.Or(r.Kernel, k.Kind.String()), key))
		}
	}
	if has["degree"] {
		if k.Degree = or(r.Degree, 3); k.Degree < 1 {
			return refused("degree", k.Degree, "at least 1")
		}
	}
	if has["coef0"] {
		k.Coef0 = or(r.Coef0, 0)
	}
	if has["alpha"] {
		if k.Alpha = or(r.Alpha, 1); !(k.Alpha > 0 && k.Alpha <= gram.MaxAlpha) {
			return refused("alpha", k.Alpha, fmt.Sprintf("a number > 0, at most %g", float64(gram.MaxAlpha)))
		}
	}
	if learnt {
		delta := or(r.Delta, 1)
		if !(delta > 0) || math.IsInf(delta, 0) {
			return refused("delta", delta, learn.Positive.Text)
		}
		o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(p, delta) }
		return nil
	}
	return r.width(o)
}

// width sets γ, or the rule that chooses it.
func (r *KernelRequest) width(o *Options) (err error) {
	switch {
	case r.Gamma != nil && r.Sigma != nil:
		return refused("sigma", *r.Sigma, "gamma or sigma")
	case r.Sigma != nil:
		o.Kernel.Gamma = 1 / (2 * *r.Sigma * *r.Sigma)
		if !(*r.Sigma > 0) || math.IsInf(o.Kernel.Gamma, 0) || o.Kernel.Gamma == 0 {
			return refused("sigma", *r.Sigma, learn.Positive.Text)
		}
	case r.Gamma != nil:
		if o.Gamma, o.Kernel.Gamma, err = prepare.ParseGamma(fmt.Sprint(r.Gamma)); err != nil {
			return refused("gamma", strconv.Quote(fmt.Sprint(r.Gamma)), prepare.GammaTexts)
		}
	}
	return nil
}

// or returns the value, or the default for nil.
func or[T any](v *T, def T) T {
	if v == nil {
		return def
	}
	return *v
}
