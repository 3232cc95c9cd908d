// Package model holds trained models: it evaluates them, reads them from files and writes them.
//
// A [Classifier] never changes after [New], and any number of goroutines may use it at once. It takes raw features:
// the scaling of the training data is part of it. A decision allocates nothing. A single row and a batch give the same
// bits, on any number of threads.
//
// Three file formats hold a model: the binary format .skm, which has everything; JSON with the same contents; and
// LIBSVM's model file, for exchange. The package also reads LIBLINEAR's model files and skops files of scikit-learn's
// support vector machines with their scaler. [Load] tells the formats apart.
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

// Classifier is a trained model. By its [Classifier.Task] it predicts classes, or its decision values are the
// predictions: a regression target or a density.
type Classifier struct {
	parts   Parts
	groups  []group
	small   bool         // every group has a loop for one row, and there is nothing in addition to the groups
	extra   *extra       // planes and steps; nil for none
	latent  *processes   // of a classifier of Gaussian processes, which has no groups; nil for none
	spread  *laterSpread // of variances
	scratch *sync.Pool   // of *scratch
	budget  *Budget      // of the file; nil for a model that is not of a file
}

// New checks the parts and makes a classifier from a copy of them.
func New(p Parts) (*Classifier, error) { return newOwned(p.clone()) }

// newOwned is New without the copy: the caller gives the parts away.
func newOwned(p Parts) (*Classifier, error) { return newWithin(p, nil) }

// Parts returns a copy of the classifier's contents.
func (c *Classifier) Parts() Parts { return c.parts.clone() }

// Task returns what the model was trained for: classification, regression, novelty detection or density estimation.
func (c *Classifier) Task() learn.Task { return c.parts.Task }

// NumFeatures returns the number of features of the rows that the model takes.
func (c *Classifier) NumFeatures() int { return c.parts.D }

// NumVectors returns the number of support vectors; the submodels share them.
func (c *Classifier) NumVectors() int { return c.parts.N }

// NumSubmodels returns the number of decision values of a row: 1, k or k(k−1)/2 for k classes.
func (c *Classifier) NumSubmodels() int { return len(c.parts.Submodels) }

// NumClasses returns the number of classes, 0 for regression and density.
func (c *Classifier) NumClasses() int { return len(c.parts.Labels) }

// Label returns the label of a class.
func (c *Classifier) Label(class int) string { return c.parts.Labels[class] }

// Labels returns the labels of all classes.
func (c *Classifier) Labels() []string { return slices.Clone(c.parts.Labels) }

// Kernel returns the kernel that the submodels share.
func (c *Classifier) Kernel() gram.Kernel { return c.parts.Kernel }

// Scheme returns how the decision values of the submodels become a class.
func (c *Classifier) Scheme() Scheme { return c.parts.Scheme }

// Method returns the name of the method that trained the model.
func (c *Classifier) Method() string { return c.parts.Method }

// TrainedFeatures returns the number of features in training, 0 when unknown; see [Parts].
func (c *Classifier) TrainedFeatures() int { return c.parts.Features }

// WithFeatures returns a classifier of samples of d features, at least as many as before; all vectors are 0 in the
// new ones. It is for models from LIBSVM files (Parts.Features is 0), which do not say how many features the training
// samples had: features after the last one of any vector were 0 in all vectors.
func (c *Classifier) WithFeatures(d int) (*Classifier, error) {
	p := c.Parts()
	if (p.Features != 0 || len(p.Columns) > 0) && d != p.D || d < p.D {
		return nil, fmt.Errorf("model: made for %d features, not %d", p.D, d)
	}
	if p.Scaling != nil || p.Kernel.Weights != nil {
		return nil, fmt.Errorf("model: scales or weighs its %d features, cannot take %d", p.D, d)
	}
	if p.Sparse == nil && p.Kernel.Sparse() && csr.IsSparse(p.N*p.D, p.N, d) {
		p.Vectors, p.Sparse = nil, csr.FromDense(p.Vectors, p.N, p.D)
	}
	if p.Sparse != nil {
		p.D, p.Sparse.D = d, d
		return newWithin(p, c.budget.Whole())
	}
	b := c.budget.Whole()
	if err := b.Take(int64(p.N), 8*int64(d)); err != nil {
		return nil, err
	}
	x := make([]float64, p.N*d)
	for i := range p.N {
		copy(x[i*d:], p.Vectors[i*p.D:(i+1)*p.D])
	}
	p.Vectors, p.D = x, d
	return newWithin(p, b)
}

// FromZero returns the classifier of samples whose LIBSVM text has index 0 too, of a model file that had no such
// feature: it is 0 in all vectors, and the first. The classifier must not know the number of features in training.
func (c *Classifier) FromZero() (*Classifier, error) {
	p := &c.parts
	if p.ZeroBased || p.Kernel.Indexed() {
		return c, nil
	}
	if p.Features != 0 {
		return nil, errors.New("found index 0, want indices from 1, as the model was trained with")
	}
	wide, err := c.WithFeatures(p.D + 1)
	if err != nil {
		return nil, err
	}
	q := wide.Parts()
	q.ZeroBased = true
	if q.Sparse != nil {
		for i := range q.Sparse.Index {
			q.Sparse.Index[i]++
		}
	}
	for i := q.N - 1; q.Sparse == nil && i >= 0; i-- {
		x := q.Vectors[i*q.D : (i+1)*q.D]
		copy(x[1:], x)
		x[0] = 0
	}
	return newWithin(q, wide.budget.Whole())
}

// ZeroBased reports whether the features of LIBSVM text for the classifier have indices from 0. Those of a precomputed
// kernel have.
func (c *Classifier) ZeroBased() bool { return c.parts.ZeroBased || c.parts.Kernel.Indexed() }

// WithoutScaling returns the classifier of scaled samples, and the scaling that they need; nil for none.
func (c *Classifier) WithoutScaling() (*Classifier, *dataset.Scaling) {
	p := c.Parts()
	sc := p.Scaling
	p.Scaling = nil
	plain := &Classifier{parts: p, budget: c.budget}
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
		return "", errNoLabels
	}
	return c.parts.Labels[c.Predict(x)], nil
}

// Predicted turns decision values into predictions, in place: it takes the natural logarithm of densities, with a
// density that underflows replaced by the smallest positive float64. Other values are predictions already.
func (c *Classifier) Predicted(decisions []float64) {
	if c.parts.Task != learn.Density {
		return
	}
	for i, f := range decisions {
		if f >= 0 { // a broken model may have a negative density
			f = max(f, math.SmallestNonzeroFloat64)
		}
		decisions[i] = math.Log(f)
	}
}

// errNoLabels is for a caller that asks a regression model or a density for labels.
var errNoLabels = errors.New("model: it has values and no labels; Decide and DecideBatch return them")

// ClassifyBatch returns the labels of n rows of raw features (x is n×NumFeatures, row-major), on the given number of
// threads; 0 means GOMAXPROCS. Unlike [Classifier.PredictBatch] it checks lengths, features and decisions, and is
// meant for data of unknown origin; the error names the row.
func (c *Classifier) ClassifyBatch(x []float64, n, threads int) ([]string, error) {
	d, submodels := c.parts.D, len(c.parts.Submodels)
	if c.parts.Task.Real() {
		return nil, errNoLabels
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
