package model

import (
	"encoding/json"
	"maps"

	"github.com/sparsekm/sparsekm/gram"
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
	ProbA          []float64          `json:"probA,omitempty"`
	ProbB          []float64          `json:"probB,omitempty"`
	Support        []int              `json:"support,omitempty"`                // rows of the training file, from 0
	SupportVectors [][]float64        `json:"support_vectors"`                  // scaled
	Sparse         *jsonSparse        `json:"sparse_support_vectors,omitempty"` // of version 5, instead
}

type jsonKernel struct {
	Kernel  string    `json:"kernel"`
	Name    string    `json:"kernel_name,omitempty"` // of a custom one
	Gamma   *float64  `json:"gamma,omitempty"`       // of every kernel but the linear one
	Coef0   float64   `json:"coef0,omitempty"`
	Degree  int       `json:"degree,omitempty"`
	Weights []float64 `json:"feature_weights,omitempty"`
}

// jsonColumn is a column of the CSV file that the model was trained on.
type jsonColumn struct {
	Name       string   `json:"name,omitempty"`
	Role       string   `json:"role"`
	Categories []string `json:"categories,omitempty"`
	Fill       *float64 `json:"fill,omitempty"` // for missing cells: a number, or a category's index
}

// jsonPosterior gives the variance of a regression model.
type jsonPosterior struct {
	Noise      *float64  `json:"noise_variance"`
	Covariance []float64 `json:"covariance"` // lower triangle, row by row; the last row is the intercept's
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
		PlattStale: p.PlattStale, Support: p.Rows, SupportVectors: make([][]float64, p.N),
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
		if c.Filled {
			jc.Fill = &c.Fill
		}
		j.Columns = append(j.Columns, jc)
	}
	if q := p.Posterior; q != nil {
		j.Posterior = &jsonPosterior{&q.Noise, q.Covariance}
	}
	if s := p.Scaling; s != nil {
		j.Scaling = &jsonScaling{s.Kind.String(), &s.Lo, &s.Hi, s.Center, s.Spread}
	}
	for _, m := range p.Submodels {
		jm := jsonSubmodel{Positive: &m.Pos, Negative: &m.Neg, Vectors: m.Support, DualCoef: m.Coef, Intercept: &m.Bias}
		if m.Kernel != nil {
			k := kernelToJSON(*m.Kernel)
			jm.Own = &k
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

func kernelToJSON(k gram.Kernel) jsonKernel {
	j := jsonKernel{Kernel: k.Kind.String(), Name: k.Name, Coef0: k.Coef0, Degree: k.Degree, Weights: k.Weights}
	if k.HasGamma() {
		j.Gamma = &k.Gamma
	}
	return j
}
