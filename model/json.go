package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/numjson"
	"github.com/sparsekm/sparsekm/learn"
)

// jsonModel is the JSON form, with scikit-learn's names if it has one. Numbers read back to the same float64.
type jsonModel struct {
	Format         string             `json:"format"` // "sparsekm"
	Version        int                `json:"version"`
	Method         string             `json:"method"`
	Params         map[string]float64 `json:"params"`
	NSamples       int                `json:"n_samples_fit,omitempty"`
	NFeatures      int                `json:"n_features_in"`
	FeaturesKnown  bool               `json:"n_features_known"`
	jsonKernel                        // kernel, gamma, ...
	Columns        []jsonColumn       `json:"columns,omitempty"` // of version 2
	Scaling        *jsonScaling       `json:"scaling,omitempty"`
	Task           string             `json:"task,omitempty"`      // of version 3: another one than classify
	Posterior      *jsonPosterior     `json:"posterior,omitempty"` // of version 4, and of all such files
	Classes        []string           `json:"classes"`
	Scheme         string             `json:"decision_function_shape"`
	Submodels      []jsonSubmodel     `json:"machines"`
	PlattStale     bool               `json:"probability_stale,omitempty"`
	Conformal      *jsonConformal     `json:"conformal,omitempty"`  // of version 6, and of all such files
	ZeroBased      bool               `json:"zero_based,omitempty"` // of version 12, or what follows, and no other
	Marks          []float64          `json:"marks,omitempty"`
	ProbA          []float64          `json:"probA,omitempty"`
	ProbB          []float64          `json:"probB,omitempty"`
	Support        []int              `json:"support,omitempty"`                // rows of the training file, from 0
	SupportVectors [][]float64        `json:"support_vectors"`                  // scaled
	Sparse         *jsonSparse        `json:"sparse_support_vectors,omitempty"` // of version 5, instead
}

type jsonKernel struct {
	Kernel  string     `json:"kernel"`
	Name    string     `json:"kernel_name,omitempty"` // of a custom one
	Gamma   *float64   `json:"gamma,omitempty"`       // of every kernel but the linear one
	Coef0   float64    `json:"coef0,omitempty"`
	Degree  int        `json:"degree,omitempty"`
	Alpha   float64    `json:"alpha,omitempty"`
	Weights []float64  `json:"feature_weights,omitempty"`
	Terms   *jsonTerms `json:"terms,omitempty"` // of a composite one
}

// jsonColumn is a column of the CSV file that the model was trained on.
type jsonColumn struct {
	Name       string    `json:"name,omitempty"`
	Role       string    `json:"role"`
	Categories []string  `json:"categories,omitempty"`
	Fill       *float64  `json:"fill,omitempty"`   // for missing cells: a number, or a category's index
	Marked     bool      `json:"marked,omitempty"` // of version 8, as what follows
	Date       string    `json:"date,omitempty"`   // how dates are written
	Parts      []string  `json:"parts,omitempty"`  // of dates
	Values     []float64 `json:"values,omitempty"` // of categories, of version 9
}

// jsonPosterior gives the variance of a regression model.
type jsonPosterior struct {
	Noise      *float64  `json:"noise_variance"`
	Covariance []float64 `json:"covariance,omitempty"`     // lower triangle, row by row; the last row is the intercept's
	Prior      *float64  `json:"prior_variance,omitempty"` // of version 10, a Gaussian process, and what follows
	Triangle   []float64 `json:"triangle,omitempty"`
	Spread     []float64 `json:"spread,omitempty"`
}

// jsonConformal has the thresholds of prediction sets.
type jsonConformal struct {
	Coverage   float64   `json:"coverage"`
	Folds      int       `json:"folds"`
	Thresholds []float64 `json:"thresholds"`
}

// jsonSparse is the non-zero elements of rows, with the names of SciPy's csr_array.
type jsonSparse struct {
	Indptr  []int     `json:"indptr"` // of each row in indices and data, and the end of the last one
	Indices []int32   `json:"indices"`
	Data    []float64 `json:"data"`
}

type jsonScaling struct {
	Kind   string    `json:"kind"`
	Lo     *float64  `json:"lo"`
	Hi     *float64  `json:"hi"`
	Center []float64 `json:"center"`
	Spread []float64 `json:"spread"`
}

// jsonSubmodel is one decision function. Positive and Negative are indices into classes, Negative is −1 for the rest;
// Vectors are indices into support_vectors. Numbers that may be 0 are pointers, so that a missing one is noticed.
type jsonSubmodel struct {
	Positive  *int        `json:"positive"`
	Negative  *int        `json:"negative"`
	Vectors   []int       `json:"vectors"`
	DualCoef  []float64   `json:"dual_coef"`
	Intercept *float64    `json:"intercept"`
	Own       *jsonKernel `json:"own_kernel,omitempty"`
	Plane     []float64   `json:"plane,omitempty"` // of version 7, and steps
	Steps     []jsonStep  `json:"steps,omitempty"`

	Latent *jsonPosterior `json:"latent,omitempty"` // of version 11, and of all submodels of such files
}

// jsonStep is coef/(1 + exp(−(turn·x + move))).
type jsonStep struct {
	Turn []float64 `json:"turn"`
	Move *float64  `json:"move"`
	Coef *float64  `json:"coef"`
}

// MarshalJSON returns the model as JSON, which [Classifier.UnmarshalJSON] reads.
func (c *Classifier) MarshalJSON() ([]byte, error) {
	p := &c.parts
	if err := p.storable(); err != nil {
		return nil, err
	}
	j := jsonModel{
		Format: magic, Version: p.version(), Method: p.Method, Params: maps.Clone(p.Params),
		NSamples: p.Trained, NFeatures: p.D, FeaturesKnown: p.Features != 0 || p.D == 0,
		jsonKernel: kernelToJSON(p.Kernel), Classes: p.Labels, Scheme: p.Scheme.String(),
		PlattStale: p.PlattStale, ZeroBased: p.ZeroBased, Marks: p.Marks, Support: p.Rows, SupportVectors: make([][]float64, p.N),
	}
	if p.Task.Real() {
		j.Classes = []string{}
	}
	if p.Task != learn.Classify {
		j.Task = p.Task.String()
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		jc := jsonColumn{Name: c.Name, Role: c.Role.String(), Categories: c.Categories}
		jc.Values = c.Values
		if c.Filled {
			jc.Fill = &c.Fill
		}
		jc.Marked, jc.Date, jc.Parts = c.Marked, c.Date, c.PartNames()
		j.Columns = append(j.Columns, jc)
	}
	j.Posterior = posteriorToJSON(p.Posterior)
	if q := p.Conformal; q != nil {
		j.Conformal = &jsonConformal{q.Coverage, q.Folds, q.Thresholds}
	}
	if s := p.Scaling; s != nil {
		j.Scaling = &jsonScaling{s.Kind.String(), &s.Lo, &s.Hi, s.Center, s.Spread}
	}
	for i, m := range p.Submodels {
		jm := jsonSubmodel{Positive: &m.Pos, Negative: &m.Neg, Vectors: m.Support, DualCoef: m.Coef, Intercept: &m.Bias}
		if m.Kernel != nil {
			k := kernelToJSON(*m.Kernel)
			jm.Own = &k
		}
		jm.Plane = m.Plane
		for k := range m.Steps {
			s := &m.Steps[k]
			jm.Steps = append(jm.Steps, jsonStep{s.Turn, &s.Move, &s.Coef})
		}
		if p.Latent != nil {
			jm.Latent = posteriorToJSON(&p.Latent[i])
		}
		j.Submodels = append(j.Submodels, jm)
	}
	for _, q := range p.Platt {
		j.ProbA = append(j.ProbA, q.A)
		j.ProbB = append(j.ProbB, q.B)
	}
	if m := p.Sparse; m != nil {
		j.SupportVectors, j.Sparse = [][]float64{}, &jsonSparse{m.Start, m.Index, m.Value}
	}
	for i := range j.SupportVectors {
		j.SupportVectors[i] = p.Vectors[i*p.D : (i+1)*p.D]
	}
	return json.Marshal(j)
}

// posteriorToJSON returns nil for nil.
func posteriorToJSON(q *learn.Posterior) *jsonPosterior {
	if q == nil {
		return nil
	}
	j := &jsonPosterior{Noise: &q.Noise, Covariance: q.Covariance}
	if f := q.Process; f != nil {
		j.Prior, j.Triangle, j.Spread = &f.Prior, f.Triangle, f.Spread
	}
	return j
}

func kernelToJSON(k gram.Kernel) jsonKernel {
	j := jsonKernel{Kernel: k.Kind.String(), Name: k.Name, Coef0: k.Coef0, Degree: k.Degree, Alpha: k.Alpha,
		Weights: k.Weights}
	if k.HasGamma() {
		j.Gamma = &k.Gamma
	}
	if k.Composed() {
		j.Terms = termsToJSON(k)
	}
	return j
}

// UnmarshalJSON makes c the classifier of a JSON model. Nobody else may use c meanwhile.
func (c *Classifier) UnmarshalJSON(data []byte) error {
	var j jsonModel
	if err := cmp.Or(numjson.Unique(data, true), json.Unmarshal(data, &j)); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	n, err := j.classifier(newBudget(DefaultMemory))
	if err == nil {
		*c = *n
	}
	return err
}

// readJSON reads a JSON model, and refuses fields that it does not know.
func readJSON(r io.Reader, file string, b *budget) (*Classifier, error) {
	c, err := decodeJSON(r, b)
	return c, inFile(file, err)
}

// modelCost is what a decoder takes for a jsonModel: the text in a buffer that doubles, submodels and columns, numbers.
var modelCost = jsonCost{text: 3, element: [2]int64{256, 32}, open: 256, name: 64, quote: 16}

func decodeJSON(r io.Reader, b *budget) (*Classifier, error) {
	d := json.NewDecoder(numjson.Once(&countedJSON{from: r, budget: b, cost: modelCost}, true))
	d.DisallowUnknownFields()
	var j jsonModel
	if err := d.Decode(&j); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errTruncated
		}
		if errors.As(err, new(*json.SyntaxError)) {
			return nil, corrupt("%v", err)
		}
		if errors.Is(err, ErrMemory) {
			return nil, err
		}
		if field, unknown := strings.CutPrefix(err.Error(), "json: "); unknown && strings.HasPrefix(field, "unknown field") {
			return nil, fmt.Errorf("model: %s, which JSON models do not have; of LightGBM distill reads the text", field)
		}
		return nil, fmt.Errorf("model: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, corrupt("more text after the JSON model")
	}
	return j.classifier(b)
}

func (j *jsonModel) classifier(b *budget) (*Classifier, error) {
	if j.Format != magic {
		return nil, fmt.Errorf("model: JSON of format %q, want %q", j.Format, magic)
	}
	if j.Version < 1 || j.Version > version {
		return nil, &VersionError{Found: j.Version, Want: version}
	}
	p := Parts{
		N: len(j.SupportVectors), D: j.NFeatures, Labels: j.Classes, PlattStale: j.PlattStale,
		Method: j.Method, Params: j.Params, Rows: j.Support, Trained: j.NSamples, ZeroBased: j.ZeroBased, Marks: j.Marks,
	}
	if j.FeaturesKnown {
		p.Features = p.D
	}
	var errs [7]error
	p.Kernel, errs[0] = j.jsonKernel.kernel()
	p.Scheme, errs[1] = ParseScheme(j.Scheme)
	p.Scaling, errs[2] = j.Scaling.scaling()
	p.Columns, errs[3] = j.columns()
	p.Task, errs[4] = j.task()
	p.Posterior, errs[5] = j.posterior()
	p.Conformal, errs[6] = j.conformal()
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
	if err := j.latent(&p); err != nil {
		return nil, err
	}
	if len(j.ProbA) != len(j.ProbB) {
		return nil, fmt.Errorf("model: %d values of probA and %d of probB", len(j.ProbA), len(j.ProbB))
	}
	for i, a := range j.ProbA {
		p.Platt = append(p.Platt, Platt{a, j.ProbB[i]})
	}
	if m := j.Sparse; (m != nil) != (j.Version == 5) && j.Version < 6 {
		return nil, fmt.Errorf("model: JSON of version %d with sparse vectors: %v, want them in version 5 and none before",
			j.Version, m != nil)
	} else if m != nil {
		p.N = max(0, len(m.Indptr)-1)
		p.Sparse = &csr.Matrix{N: p.N, D: p.D, Start: m.Indptr, Index: m.Indices, Value: m.Data}
	}
	for i, v := range j.SupportVectors {
		if len(v) != p.D {
			return nil, fmt.Errorf("model: support vector %d has %d features, want %d", i, len(v), p.D)
		}
	}
	if err := j.later(&p); err != nil {
		return nil, err
	}
	if err := b.take(int64(len(j.SupportVectors)), 8*int64(p.D)); err != nil {
		return nil, err
	}
	p.Vectors = slices.Concat(j.SupportVectors...)
	return newWithin(p, b)
}

// later checks that the version is that of what the model has.
func (j *jsonModel) later(p *Parts) error {
	if simple := p.Simple(); simple == (j.Version > 6) && j.Version < 8 {
		return fmt.Errorf("model: JSON of version %d with planes or steps: %v, want them in version 7 and none before",
			j.Version, !simple)
	}
	if later := p.laterColumns(); later && j.Version < 8 || !later && j.Version == 8 {
		return fmt.Errorf("model: JSON of version %d with dates, yes and no, or marks: %v, want them in version 8 and "+
			"none before", j.Version, later)
	}
	if process := p.process() != nil; process != (j.Version == 10) && j.Version < 12 {
		return fmt.Errorf("model: JSON of version %d with prior_variance: %v, want it in version 10 and no other",
			j.Version, process)
	}
	if some := p.ZeroBased || p.Marks != nil; some != (j.Version == 12) {
		return fmt.Errorf("model: JSON of version %d with zero_based or marks: %v, want them in version 12 and no other",
			j.Version, some)
	}
	return nil
}

// latent reads the processes of a classifier, one a submodel of files of version 11.
func (j *jsonModel) latent(p *Parts) error {
	for i := range j.Submodels {
		q := j.Submodels[i].Latent
		if (q != nil) != (j.Version > 10) && (j.Version < 12 || i > 0 && (q != nil) != (p.Latent != nil)) {
			return fmt.Errorf("model: submodel %d in JSON of version %d with latent: %v, want it in version 11 and none before",
				i, j.Version, q != nil)
		}
		if q == nil {
			continue
		}
		f, err := q.posterior()
		if err != nil {
			return fmt.Errorf("model: submodel %d: %s", i, strings.TrimPrefix(err.Error(), "model: "))
		}
		p.Latent = append(p.Latent, *f)
	}
	return nil
}

// task returns the file's task. Versions 3 and 4 always have one; later ones have it unless it is classification.
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

// conformal returns the file's thresholds. Version 6 always has them; later ones may have them.
func (j *jsonModel) conformal() (*Conformal, error) {
	q := j.Conformal
	if (q != nil) != (j.Version == 6) && j.Version < 7 {
		return nil, fmt.Errorf("model: JSON of version %d with conformal: %v, want it in version 6 and none before",
			j.Version, q != nil)
	}
	if q == nil {
		return nil, nil
	}
	return &Conformal{Coverage: q.Coverage, Folds: q.Folds, Thresholds: q.Thresholds}, nil
}

// posterior returns the file's posterior. Version 4 always has one; later ones may have one.
func (j *jsonModel) posterior() (*learn.Posterior, error) {
	q := j.Posterior
	switch {
	case q == nil && j.Version != 4:
		return nil, nil
	case q == nil || j.Version < 4:
		return nil, fmt.Errorf("model: JSON of version %d with posterior: %v, want one in version 4 and none before",
			j.Version, q != nil)
	}
	return q.posterior()
}

func (q *jsonPosterior) posterior() (*learn.Posterior, error) {
	if q.Noise == nil {
		return nil, errors.New(`model: posterior without "noise_variance", want a number`)
	}
	p := &learn.Posterior{Noise: *q.Noise, Covariance: q.Covariance}
	if q.Prior != nil || q.Triangle != nil || q.Spread != nil {
		p.Process = &learn.Process{Triangle: q.Triangle, Spread: q.Spread}
		if q.Prior != nil {
			p.Process.Prior = *q.Prior
		}
	}
	return p, nil
}

// columns returns the file's columns, nil for version 1.
func (j *jsonModel) columns() (columns dataset.Columns, err error) {
	if j.Version == 1 && len(j.Columns) > 0 {
		return nil, errors.New("model: columns in JSON of version 1, want version 2")
	}
	for _, jc := range j.Columns {
		c := dataset.Column{Name: jc.Name, Categories: jc.Categories, Values: jc.Values}
		if c.Role, err = dataset.ParseRole(jc.Role); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		if jc.Fill != nil {
			c.Fill, c.Filled = *jc.Fill, true
		}
		c.Marked, c.Date = jc.Marked, jc.Date
		if c.Parts, err = dataset.ParseParts(jc.Parts); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		columns = append(columns, c)
	}
	if valued := columns.Valued(); valued && j.Version < 9 || !valued && j.Version == 9 {
		return nil, fmt.Errorf("model: JSON of version %d with values of categories: %v, want them in version 9 and none "+
			"before", j.Version, valued)
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
	m.Support, m.Coef, m.Bias, m.Plane = j.Vectors, j.DualCoef, *j.Intercept, j.Plane
	for k, s := range j.Steps {
		if s.Move == nil || s.Coef == nil {
			return learn.Submodel{}, fmt.Errorf("model: step %d of submodel %d without \"move\" or \"coef\", want both numbers", k, i)
		}
		m.Steps = append(m.Steps, learn.Step{Turn: s.Turn, Move: *s.Move, Coef: *s.Coef})
	}
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
	if composed := j.Kernel == gram.KindComposite.String(); composed != (j.Terms != nil) {
		return gram.Kernel{}, fmt.Errorf("model: kernel %s with terms: %v, want them in a composite one", j.Kernel, !composed)
	} else if composed {
		return j.Terms.kernel()
	}
	kind, err := gram.ParseKind(j.Kernel)
	if err != nil {
		return gram.Kernel{}, fmt.Errorf("model: %w", err)
	}
	k := gram.Kernel{Kind: kind, Coef0: j.Coef0, Degree: j.Degree, Alpha: j.Alpha, Weights: j.Weights}
	switch {
	case j.Gamma != nil:
		k.Gamma = *j.Gamma
	case k.HasGamma():
		return gram.Kernel{}, fmt.Errorf("model: kernel %s without \"gamma\", want a number", kind)
	}
	return k, nil
}
