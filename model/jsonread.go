package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// UnmarshalJSON makes c the classifier of a JSON model. Nobody else may use c meanwhile.
func (c *Classifier) UnmarshalJSON(data []byte) error {
	var j jsonModel
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	n, err := j.classifier()
	if err == nil {
		*c = *n
	}
	return err
}

// readJSON reads a JSON model, and refuses fields that it does not know.
func readJSON(r io.Reader, file string, _ int64) (*Classifier, error) {
	c, err := decodeJSON(r)
	return c, inFile(file, err)
}

func decodeJSON(r io.Reader) (*Classifier, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var j jsonModel
	if err := d.Decode(&j); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errTruncated
		}
		if errors.As(err, new(*json.SyntaxError)) {
			return nil, corrupt("%v", err)
		}
		return nil, fmt.Errorf("model: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, corrupt("more text after the JSON model")
	}
	return j.classifier()
}

func (j *jsonModel) classifier() (*Classifier, error) {
	if j.Format != magic {
		return nil, fmt.Errorf("model: JSON of format %q, want %q", j.Format, magic)
	}
	if j.Version < 1 || j.Version > version {
		return nil, &VersionError{Found: j.Version, Want: version}
	}
	p := Parts{
		N: len(j.SupportVectors), D: j.NFeatures, Labels: j.Classes, PlattStale: j.PlattStale,
		Method: j.Method, Params: j.Params, Rows: j.Support, Trained: j.NSamples,
	}
	if j.FeaturesKnown {
		p.Features = p.D
	}
	var errs [6]error
	p.Kernel, errs[0] = j.jsonKernel.kernel()
	p.Scheme, errs[1] = ParseScheme(j.Scheme)
	p.Scaling, errs[2] = j.Scaling.scaling()
	p.Columns, errs[3] = j.columns()
	p.Task, errs[4] = j.task()
	p.Posterior, errs[5] = j.posterior()
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	if len(p.Labels) == 0 {
		p.Labels = nil
	}
	for i, jm := range j.Submodels {
		m, err := jm.submodel(i)
		if err != nil {
			return nil, err
		}
		p.Submodels = append(p.Submodels, m)
	}
	if len(j.ProbA) != len(j.ProbB) {
		return nil, fmt.Errorf("model: %d values of probA and %d of probB", len(j.ProbA), len(j.ProbB))
	}
	for i, a := range j.ProbA {
		p.Platt = append(p.Platt, Platt{a, j.ProbB[i]})
	}
	if m := j.Sparse; (m != nil) != (j.Version > 4) {
		return nil, fmt.Errorf("model: JSON of version %d with sparse vectors: %v, want them in version 5 and no other",
			j.Version, m != nil)
	} else if m != nil {
		p.N = max(0, len(m.Indptr)-1)
		p.Sparse = &csr.Matrix{N: p.N, D: p.D, Start: m.Indptr, Index: m.Indices, Value: m.Data}
	}
	for i, v := range j.SupportVectors {
		if len(v) != p.D {
			return nil, fmt.Errorf("model: support vector %d has %d features, want %d", i, len(v), p.D)
		}
		p.Vectors = append(p.Vectors, v...)
	}
	return newOwned(p)
}

// task returns the file's task. Versions 3 and 4 always have one; version 5 has it unless it is classification.
func (j *jsonModel) task() (learn.Task, error) {
	switch {
	case j.Task == "" && (j.Version < 3 || j.Version > 4):
		return learn.Classify, nil
	case j.Version < 3:
		return 0, fmt.Errorf("model: a task in JSON of version %d, want version 3", j.Version)
	}
	t, err := learn.ParseTask(j.Task)
	if err != nil || t == learn.Classify {
		return 0, fmt.Errorf("model: task %q in JSON of version %d, want regress, one-class or density", j.Task, j.Version)
	}
	return t, nil
}

// posterior returns the file's posterior. Version 4 always has one; version 5 may have one.
func (j *jsonModel) posterior() (*learn.Posterior, error) {
	q := j.Posterior
	switch {
	case q == nil && j.Version != 4:
		return nil, nil
	case q == nil || j.Version < 4:
		return nil, fmt.Errorf("model: JSON of version %d with posterior: %v, want one in version 4 and none before",
			j.Version, q != nil)
	case q.Noise == nil:
		return nil, errors.New(`model: posterior without "noise_variance", want a number`)
	}
	return &learn.Posterior{Noise: *q.Noise, Covariance: q.Covariance}, nil
}

// columns returns the file's columns, nil for version 1.
func (j *jsonModel) columns() (columns dataset.Columns, err error) {
	if j.Version == 1 && len(j.Columns) > 0 {
		return nil, errors.New("model: columns in JSON of version 1, want version 2")
	}
	for _, jc := range j.Columns {
		c := dataset.Column{Name: jc.Name, Categories: jc.Categories}
		if c.Role, err = dataset.ParseRole(jc.Role); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		if jc.Fill != nil {
			c.Fill, c.Filled = *jc.Fill, true
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// scaling returns nil for a nil j.
func (j *jsonScaling) scaling() (*dataset.Scaling, error) {
	if j == nil {
		return nil, nil
	}
	kind, err := dataset.ParseScaleKind(j.Kind)
	switch {
	case err != nil:
		return nil, fmt.Errorf("model: %w", err)
	case j.Lo == nil || j.Hi == nil:
		return nil, errors.New(`model: scaling without "lo" or "hi", want both numbers`)
	}
	return &dataset.Scaling{Kind: kind, Lo: *j.Lo, Hi: *j.Hi, Center: j.Center, Spread: j.Spread}, nil
}

// submodel makes submodel i of the model.
func (j *jsonSubmodel) submodel(i int) (learn.Submodel, error) {
	var missing string
	switch {
	case j.Positive == nil:
		missing = "positive"
	case j.Negative == nil:
		missing = "negative"
	case j.Intercept == nil:
		missing = "intercept"
	}
	if missing != "" {
		return learn.Submodel{}, fmt.Errorf("model: submodel %d without %q, want a number", i, missing)
	}
	m := learn.Submodel{Pos: *j.Positive, Neg: *j.Negative}
	m.Support, m.Coef, m.Bias = j.Vectors, j.DualCoef, *j.Intercept
	if j.Own != nil {
		k, err := j.Own.kernel()
		if err != nil {
			return learn.Submodel{}, err
		}
		m.Kernel = &k
	}
	return m, nil
}

func (j jsonKernel) kernel() (gram.Kernel, error) {
	if j.Kernel == gram.KindCustom.String() && j.Name != "" {
		k, err := gram.Registered(j.Name)
		if err != nil {
			return k, fmt.Errorf("model: %w", err)
		}
		return k, nil
	}
	kind, err := gram.ParseKind(j.Kernel)
	if err != nil {
		return gram.Kernel{}, fmt.Errorf("model: %w", err)
	}
	k := gram.Kernel{Kind: kind, Coef0: j.Coef0, Degree: j.Degree, Weights: j.Weights}
	switch {
	case j.Gamma != nil:
		k.Gamma = *j.Gamma
	case k.HasGamma():
		return gram.Kernel{}, fmt.Errorf("model: kernel %s without \"gamma\", want a number", kind)
	}
	return k, nil
}
