// Package model holds trained classifiers and other models: they decide, predict, and are read
// from and written to files.
//
// A [Classifier] never changes after [New], may be used by any number of
// goroutines at once, takes raw features (the scaling of the training data is part of
// it), and allocates nothing for a decision. A single row and a batch give the same bits, on any
// number of threads.
//
// Three file formats hold one: our own binary format (.skm), which has
// everything; JSON, the same in words; and LIBSVM's model file, for exchange.
// LIBLINEAR's model files are read, and files of skops: support vector machines of scikit-learn, with their scaler.
// [Load] tells them apart.
package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// Classifier is a trained model: for classes, or by its [Classifier.Task] for real values, which are its decisions.
type Classifier struct {
	parts   Parts
	groups  []group
	small   bool       // every group has its loop for one row
	scratch *sync.Pool // of *scratch
}

// New checks the parts and makes a classifier from a copy of them.
func New(p Parts) (*Classifier, error) { return newOwned(p.clone()) }

// newOwned is New for parts that nobody else has.
func newOwned(p Parts) (*Classifier, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	c := &Classifier{parts: p}
	c.compile()
	return c, nil
}

// Parts returns a copy of what the classifier is made of.
func (c *Classifier) Parts() Parts { return c.parts.clone() }

// Task returns what it was trained for: classes, real values, or to tell samples like those of the training.
func (c *Classifier) Task() learn.Task { return c.parts.Task }

// NumFeatures returns the number of features of the rows that it classifies.
func (c *Classifier) NumFeatures() int { return c.parts.D }

// NumVectors returns the number of vectors that its models share.
func (c *Classifier) NumVectors() int { return c.parts.N }

// NumSubmodels returns the number of decisions that a row gets: 1, k or k(k−1)/2 for k classes.
func (c *Classifier) NumSubmodels() int { return len(c.parts.Submodels) }

// NumClasses returns the number of classes, 0 for a model of values.
func (c *Classifier) NumClasses() int { return len(c.parts.Labels) }

// Label returns the label of a class.
func (c *Classifier) Label(class int) string { return c.parts.Labels[class] }

// Labels returns the labels of all classes.
func (c *Classifier) Labels() []string { return slices.Clone(c.parts.Labels) }

// Kernel returns the kernel that the models share.
func (c *Classifier) Kernel() gram.Kernel { return c.parts.Kernel }

// Scheme returns how the models' decisions become a class.
func (c *Classifier) Scheme() Scheme { return c.parts.Scheme }

// Method returns the name of the method that trained it.
func (c *Classifier) Method() string { return c.parts.Method }

// WithFeatures returns a classifier of samples of d features, at least as many as
// before; the vectors are 0 in the new ones. It is for models from
// LIBSVM files (Parts.Features is 0), which do not tell how many features there
// were: features beyond the last one of any vector were 0 in all of them.
func (c *Classifier) WithFeatures(d int) (*Classifier, error) {
	p := c.Parts()
	if (p.Features != 0 || len(p.Columns) > 0) && d != p.D || d < p.D {
		return nil, fmt.Errorf("model: made for %d features, not %d", p.D, d)
	}
	if p.Scaling != nil || p.Kernel.Weights != nil {
		return nil, fmt.Errorf("model: scales or weighs its %d features, cannot take %d", p.D, d)
	}
	if p.Sparse == nil && p.Kernel.Sparse() && mostlyZero(p.N*p.D, p.N, d) {
		p.Vectors, p.Sparse = nil, csr.FromDense(p.Vectors, p.N, p.D)
	}
	if p.Sparse != nil {
		p.D, p.Sparse.D = d, d
		return newOwned(p)
	}
	x := make([]float64, p.N*d)
	for i := range p.N {
		copy(x[i*d:], p.Vectors[i*p.D:(i+1)*p.D])
	}
	p.Vectors, p.D = x, d
	return New(p)
}

// WithoutScaling returns the classifier of samples that are scaled already, and the
// scaling (nil if there is none) that they need.
func (c *Classifier) WithoutScaling() (*Classifier, *dataset.Scaling) {
	p := c.Parts()
	sc := p.Scaling
	p.Scaling = nil
	plain := &Classifier{parts: p}
	plain.compile()
	return plain, sc
}

// Classify returns the label for a row of raw features. Unlike [Classifier.Predict]
// it checks the row, and is meant for data of unknown origin.
func (c *Classifier) Classify(x []float64) (string, error) {
	if len(x) != c.parts.D {
		return "", fmt.Errorf("model: %d features, want %d", len(x), c.parts.D)
	}
	for k, v := range x {
		if !finite(v) {
			return "", fmt.Errorf("model: feature %d is %s", k+1, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	if c.parts.Task.Real() {
		return "", errValues
	}
	return c.parts.Labels[c.Predict(x)], nil
}

// Predicted makes what the classifier predicts of decisions, in place: where these are a density its natural logarithm,
// and where float64 has 0 for it that of the least number that it has; else what they are.
func (c *Classifier) Predicted(decisions []float64) {
	if c.parts.Task != learn.Density {
		return
	}
	for i, f := range decisions {
		if f >= 0 { // which a broken model need not be
			f = max(f, math.SmallestNonzeroFloat64)
		}
		decisions[i] = math.Log(f)
	}
}

// errValues is what a model of values says when it is asked for labels.
var errValues = errors.New("model: it has values and no labels; Decide and DecideBatch return them")

// ClassifyBatch returns the labels of n rows of raw features (x is n×NumFeatures, row-major), on the given number of
// threads; 0 means GOMAXPROCS. Unlike [Classifier.PredictBatch] it checks lengths, features and decisions, and is
// meant for data of unknown origin; the error names the row.
func (c *Classifier) ClassifyBatch(x []float64, n, threads int) ([]string, error) {
	d, submodels := c.parts.D, len(c.parts.Submodels)
	if c.parts.Task.Real() {
		return nil, errValues
	}
	if n < 0 || len(x) != n*d {
		return nil, fmt.Errorf("model: %d values for %d rows, want %d features a row", len(x), n, d)
	}
	for k, v := range x {
		if !finite(v) {
			return nil, fmt.Errorf("model: feature %d of row %d is %v", k%d+1, k/d, v)
		}
	}
	f, class, labels := make([]float64, n*submodels), make([]int, n), make([]string, n)
	c.DecideBatch(f, x, n, threads)
	for k, v := range f {
		if !finite(v) {
			return nil, fmt.Errorf("model: the decision for row %d is %v: its features are too large for the %v kernel",
				k/submodels, v, c.parts.Kernel.Kind)
		}
	}
	c.Classes(class, f, n)
	for q, k := range class {
		labels[q] = c.parts.Labels[k]
	}
	return labels, nil
}
