package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/numjson"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// limits are the options of every long call.
type limits struct {
	Threads   int     `json:"threads"`
	Memory    int64   `json:"memory"`
	TimeLimit float64 `json:"time_limit"`
}

func (l *limits) check() error {
	if l.Threads < 0 || l.Memory < 0 || !(l.TimeLimit >= 0) {
		return argument("threads %d, memory %d, time_limit %v: want none below 0", l.Threads, l.Memory, l.TimeLimit)
	}
	return nil
}

// training is the options of skm_train.
type training struct {
	Method string       `json:"method"`
	Params learn.Values `json:"params"`
	kernelOptions
	Scale       string `json:"scale"`
	Multiclass  string `json:"multiclass"`
	Widths      string `json:"widths"`
	Refit       bool   `json:"refit"`
	TargetScale bool   `json:"target_scale"`
	Calibrate   int    `json:"calibrate"`
	Brief       bool   `json:"brief"`

	Coverage      float64 `json:"coverage"`
	ByClass       bool    `json:"by_class"`
	CoverageFolds int     `json:"coverage_folds"`
	categories
	limits
}

// parse reads a JSON object of options into a struct; unknown options are an error.
func parse(text string, into any) error {
	d := json.NewDecoder(numjson.Once(strings.NewReader(text), false))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = fmt.Errorf("more than one JSON object")
	}
	if err != nil {
		return argument("options: %w", err)
	}
	return nil
}

// options makes the options of a training on the set.
func (t *training) options() (o sparsekm.Options, err error) {
	method, err := sparsekm.Lookup(t.Method)
	if err != nil {
		return o, err
	}
	if o.Trainer, err = method.New(t.Params); err != nil {
		return o, err
	}
	if err = t.check(); err != nil {
		return o, err
	}
	if o.LearnWidths = t.Widths == "learned"; !o.LearnWidths && t.Widths != "" {
		return o, argument("options: widths: found %q, want learned", t.Widths)
	}
	if method.OwnKernel {
		if t.Kernel != "" {
			return o, argument("options: kernel: %s has one of its own", method.Name)
		}
		t.Kernel = gram.KindLinear.String() // which has no parameters
	}
	if err = t.kernel(&o); err != nil {
		return o, err
	}
	if t.Scale != "" {
		o.Scale, err = dataset.ParseScaleKind(t.Scale)
	}
	if err == nil && t.Multiclass != "" {
		o.Scheme, err = model.ParseScheme(t.Multiclass)
	}
	o.Refit, o.ScaleTarget, o.Calibrate, o.Threads, o.Memory = t.Refit, t.TargetScale, t.Calibrate, t.Threads, t.Memory
	o.Conformal = sparsekm.Conformal{Coverage: t.Coverage, ByClass: t.ByClass, Folds: t.CoverageFolds}
	return o, err
}

// kernelOptions are the options of a kernel.
type kernelOptions struct {
	Kernel string          `json:"kernel"`
	Gamma  json.RawMessage `json:"gamma"`
	Sigma  *float64        `json:"sigma"`
	Degree *int            `json:"degree"`
	Coef0  *float64        `json:"coef0"`
	Alpha  *float64        `json:"alpha"`
	Delta  *float64        `json:"delta"`
}

// kernel sets the kernel of the options, and refuses parameters that it does not have.
func (t *kernelOptions) kernel(o *sparsekm.Options) (err error) {
	k := &o.Kernel
	mahalanobis := t.Kernel == "mahalanobis"
	if t.Kernel != "" && !mahalanobis {
		if k.Kind, err = gram.ParseKind(t.Kernel); err != nil {
			return err
		}
	}
	width := k.HasGamma() && !mahalanobis
	for _, option := range []struct {
		name      string
		set, have bool
	}{{"gamma", t.Gamma != nil, width}, {"sigma", t.Sigma != nil, width}, {"degree", t.Degree != nil, k.HasDegree()},
		{"coef0", t.Coef0 != nil, k.HasCoef0()}, {"delta", t.Delta != nil, mahalanobis}, {"alpha", t.Alpha != nil, k.HasAlpha()},
		{"widths", o.LearnWidths, mahalanobis || k.ValidateSlopes() == nil}} {
		if option.set && !option.have {
			return argument("options: %s: the %s kernel has none", option.name, t.Kernel)
		}
	}
	if k.HasDegree() {
		if k.Degree = or(t.Degree, 3); k.Degree < 1 {
			return argument("options: degree: found %d, want at least 1", k.Degree)
		}
	}
	if k.HasCoef0() {
		k.Coef0 = or(t.Coef0, 0)
	}
	if k.HasAlpha() {
		if k.Alpha = or(t.Alpha, 1); !(k.Alpha > 0 && k.Alpha <= gram.MaxAlpha) {
			return argument("options: alpha: found %v, want a number > 0, at most %g", k.Alpha, float64(gram.MaxAlpha))
		}
	}
	if mahalanobis {
		delta := or(t.Delta, 1)
		if !(delta > 0) || math.IsInf(delta, 0) {
			return argument("options: delta: found %v, want a finite number > 0", delta)
		}
		o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(p, delta) }
		return nil
	}
	return t.gamma(o)
}

// gamma sets the width of the kernel.
func (t *kernelOptions) gamma(o *sparsekm.Options) (err error) {
	switch {
	case t.Gamma != nil && t.Sigma != nil:
		return argument("options: gamma and sigma: want one of them")
	case t.Sigma != nil:
		o.Kernel.Gamma = 1 / (2 * *t.Sigma * *t.Sigma)
		if !(*t.Sigma > 0) || math.IsInf(o.Kernel.Gamma, 0) || o.Kernel.Gamma == 0 {
			return argument("options: sigma: found %v, want a finite number > 0", *t.Sigma)
		}
	case t.Gamma != nil:
		if o.Gamma, o.Kernel.Gamma, err = sparsekm.ParseGamma(string(bytes.Trim(t.Gamma, `"`))); err != nil {
			return argument("options: gamma: %w", err)
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
