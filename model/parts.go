package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// Scheme says how the decision values of the submodels become a class. Of equal classes the first one wins.
type Scheme uint8

const (
	Binary        Scheme = iota // one submodel: its sign, or its value for regression and density
	OneVsRest                   // a submodel for each class: the largest decision value
	OneVsOne                    // a submodel for each pair: most votes, as in LIBSVM
	PairwiseFuzzy               // a submodel for each pair: the largest min_j min(1, D_ij), Abe (2008), section 4
)

var schemeNames = [...]string{"binary", "ovr", "ovo", "pairwise-fuzzy"}

// String returns the scheme's name, as [ParseScheme] takes it.
func (s Scheme) String() string {
	if int(s) < len(schemeNames) {
		return schemeNames[s]
	}
	return fmt.Sprintf("Scheme(%d)", uint8(s))
}

// MarshalText writes the name, so that JSON shows words.
func (s Scheme) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseScheme is the inverse of String.
func ParseScheme(s string) (Scheme, error) {
	if i := slices.Index(schemeNames[:], s); i >= 0 {
		return Scheme(i), nil
	}
	return 0, fmt.Errorf("model: unknown scheme %q, want binary, ovr, ovo or pairwise-fuzzy", s)
}

// Platt maps a decision value f to the probability 1 / (1 + exp(A f + B)) of class Pos (Platt 2000).
type Platt struct{ A, B float64 }

// Parts is the contents of a classifier.
type Parts struct {
	Kernel  gram.Kernel
	Vectors []float64 // support vectors, N×D, row-major, in scaled units; the submodels share them. Nil with Sparse
	N, D    int
	// Sparse has the vectors instead of Vectors when most features are 0; there is no scaling then. Else nil.
	Sparse *csr.Matrix
	// Task is what the model was trained for. With learn.OneClass the labels are [OneClassLabels]. With learn.Regress
	// and learn.Density there are none, and the only submodel has Pos 0 and Neg learn.Rest; its values are in the
	// units of the targets.
	Task      learn.Task
	Labels    []string // class index → label; at least two
	Scheme    Scheme
	Submodels []learn.Submodel // their Support are indices of vectors, each at most once
	Columns   dataset.Columns  // of the training's CSV file, with values for missing cells; nil for none
	Scaling   *dataset.Scaling // from raw features to those of Vectors; nil for none

	// Posterior gives the variance of a regression model's predictions; nil for none. A caller that changes the
	// submodel must drop it.
	Posterior *learn.Posterior

	// Latent makes a classifier of Gaussian processes: it has the variance of each submodel's sum, whose Support is all
	// vectors in their order, and whose decision value becomes the log odds of its class under both. Nil for none.
	Latent []learn.Posterior

	Platt      []Platt // one a submodel, or none
	PlattStale bool    // the submodels changed after Platt was fitted

	// Conformal has the thresholds of prediction sets; nil for none. A caller that changes the submodels must drop it.
	Conformal *Conformal

	Method   string             // name of the training's method
	Params   map[string]float64 // the method's parameters, by name
	Rows     []int              // the vectors' rows in the training file, from 0; nil when unknown
	Trained  int                // number of training samples; 0 when unknown
	Features int                // number of features in training; 0 when unknown: D is then a lower bound

	// ZeroBased says that feature j has the index j in LIBSVM text, and not j + 1.
	ZeroBased bool
	// Marks are LIBSVM's -b 1 of models without classes: of regression σ of the Laplace distribution of a target around
	// its prediction, of one class its ten prob_density_marks. Nil for none. A caller that changes the submodels must
	// drop them.
	Marks []float64
}

// OneClassLabels returns the labels of a one-class model: of outliers, then of inliers. LIBSVM predicts the same.
func OneClassLabels() []string { return []string{"-1", "1"} }

// BinaryParts makes the parts of a two-class classifier from an expansion over the rows of x (n×d, row-major, scaled)
// or over vectors of its own. Class 1 is positive. The caller adds labels or another task, the scaling, and the facts
// of the training.
func BinaryParts(k gram.Kernel, x []float64, d int, e learn.Expansion) Parts {
	p := Parts{Kernel: k, N: len(e.Coef), D: d, Features: d, Vectors: slices.Clone(e.Vectors), Rows: slices.Clone(e.Support)}
	m := learn.Submodel{Pos: 1, Neg: 0,
		Expansion: e.CloneUnits()}
	m.Support, m.Vectors = deal.All(p.N), nil
	for _, i := range e.Support {
		p.Vectors = append(p.Vectors, x[i*d:(i+1)*d]...)
	}
	p.Submodels = []learn.Submodel{m}
	return p
}

// clone copies everything that p refers to.
func (p Parts) clone() Parts {
	p.Kernel = p.Kernel.Clone()
	p.Vectors, p.Sparse = slices.Clone(p.Vectors), p.Sparse.Clone()
	p.Labels = slices.Clone(p.Labels)
	p.Columns = p.Columns.Clone()
	p.Submodels = slices.Clone(p.Submodels)
	for i := range p.Submodels {
		m := &p.Submodels[i]
		m.Support, m.Expansion = slices.Clone(m.Support), m.CloneUnits()
		if m.Kernel != nil {
			k := m.Kernel.Clone()
			m.Kernel = &k
		}
	}
	if p.Scaling != nil {
		s := *p.Scaling
		s.Center, s.Spread = slices.Clone(s.Center), slices.Clone(s.Spread)
		p.Scaling = &s
	}
	p.Posterior, p.Conformal = p.Posterior.Clone(), p.Conformal.clone()
	p.Latent = slices.Clone(p.Latent)
	for i := range p.Latent {
		p.Latent[i] = *p.Latent[i].Clone()
	}
	p.Platt, p.Params, p.Rows = slices.Clone(p.Platt), maps.Clone(p.Params), slices.Clone(p.Rows)
	p.Marks = slices.Clone(p.Marks)
	return p
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// validate reports what is wrong with the parts.
func (p *Parts) validate() error {
	if p.Sparse != nil {
		if err := p.validateSparse(); err != nil {
			return err
		}
	} else if p.N < 0 || p.D < 0 || p.D > 0 && p.N > math.MaxInt/p.D || len(p.Vectors) != p.N*p.D {
		return fmt.Errorf("model: %d values for %d vectors of %d features", len(p.Vectors), p.N, p.D)
	}
	for i, v := range p.Vectors {
		if !finite(v) {
			return fmt.Errorf("model: feature %d of vector %d is %v", i%p.D+1, i/p.D, v)
		}
	}
	if err := cmp.Or(p.validateKernel(p.Kernel), p.Scaling.Validate(p.D), p.Columns.Validate(p.D)); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	checks := [...]func(*Parts) error{(*Parts).validateLabels, (*Parts).validateSubmodels, (*Parts).validateScheme,
		(*Parts).validatePosterior, (*Parts).validateLatent, (*Parts).validateConformal, (*Parts).validateFacts}
	for _, check := range checks {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

// validateKernel reports why k does not go with the vectors.
func (p *Parts) validateKernel(k gram.Kernel) error {
	if err := k.Validate(p.D); err != nil {
		return err
	}
	if k.Indexed() && p.Scaling != nil {
		return fmt.Errorf("a scaling, but the features of a %v kernel are its values", k.Kind)
	}
	if p.Sparse != nil {
		return k.ValidateRows(p.Sparse)
	}
	return k.ValidateSamples(p.Vectors, p.N, p.D)
}

func (p *Parts) validateLabels() error {
	switch {
	case !p.Task.Known():
		return fmt.Errorf("model: unknown task %v", p.Task)
	case p.Task.Real() && len(p.Labels) > 0:
		return fmt.Errorf("model: %d classes in a model of the task %v", len(p.Labels), p.Task)
	case p.Task.Real():
		return nil
	case p.Task == learn.OneClass && !slices.Equal(p.Labels, OneClassLabels()):
		return fmt.Errorf("model: classes %q of a model for one class, want %q", p.Labels, OneClassLabels())
	}
	if len(p.Labels) < 2 {
		return fmt.Errorf("model: %d classes, want at least two", len(p.Labels))
	}
	seen := make(map[string]bool, len(p.Labels))
	for i, l := range p.Labels {
		if l == "" || seen[l] {
			return fmt.Errorf("model: label %q of class %d is empty or not the first of its name", l, i)
		}
		seen[l] = true
	}
	return nil
}

func (p *Parts) validateSubmodels() error {
	last := make([]int, p.N) // 1 + the last submodel that used each vector
	for i, m := range p.Submodels {
		if len(m.Support) != len(m.Coef) {
			return fmt.Errorf("model: submodel %d has %d vectors and %d coefficients", i, len(m.Support), len(m.Coef))
		}
		for s, j := range m.Support {
			if j < 0 || j >= p.N || last[j] == i+1 {
				return fmt.Errorf("model: submodel %d refers to vector %d, want each of 0 to %d at most once",
					i, j, p.N-1)
			}
			last[j] = i + 1
			if !finite(m.Coef[s]) {
				return fmt.Errorf("model: coefficient %d of submodel %d is %v", s, i, m.Coef[s])
			}
		}
		if !finite(m.Bias) {
			return fmt.Errorf("model: bias of submodel %d is %v", i, m.Bias)
		}
		if err := p.validateExtra(&m); err != nil {
			return fmt.Errorf("model: submodel %d: %w", i, err)
		}
		if m.Kernel != nil {
			if err := p.validateKernel(*m.Kernel); err != nil {
				return fmt.Errorf("model: submodel %d: %w", i, err)
			}
		}
	}
	return nil
}

// validateScheme checks that there is exactly one submodel for each class or pair.
func (p *Parts) validateScheme() error {
	k := len(p.Labels)
	want := 1
	if p.Task != learn.Classify {
		return p.validateOne()
	}
	switch p.Scheme {
	case Binary:
		if k != 2 {
			return fmt.Errorf("model: %d classes in a two-class model", k)
		}
	case OneVsRest:
		want = k
	case OneVsOne, PairwiseFuzzy:
		want = k * (k - 1) / 2
	default:
		return fmt.Errorf("model: unknown scheme %v", p.Scheme)
	}
	if len(p.Submodels) != want {
		return fmt.Errorf("model: %d submodels, want %d for %d classes (%v)", len(p.Submodels), want, k, p.Scheme)
	}
	seen := make(map[[2]int]bool, want)
	for i, m := range p.Submodels {
		key := [2]int{min(m.Pos, m.Neg), max(m.Pos, m.Neg)}
		rest := p.Scheme == OneVsRest
		if m.Pos < 0 || m.Pos >= k || m.Neg >= k || m.Pos == m.Neg || rest != (m.Neg == learn.Rest) || m.Neg < learn.Rest ||
			seen[key] {
			return fmt.Errorf("model: submodel %d separates class %d from class %d, which does not fit %v of %d classes",
				i, m.Pos, m.Neg, p.Scheme, k)
		}
		seen[key] = true
	}
	return nil
}

// validateOne checks the submodel of a task that has one.
func (p *Parts) validateOne() error {
	want := learn.Submodel{Pos: 1, Neg: 0}
	if p.Task.Real() {
		want = learn.Submodel{Pos: 0, Neg: learn.Rest}
	}
	switch {
	case p.Scheme != Binary || len(p.Submodels) != 1:
		return fmt.Errorf("model: %d submodels (%v), want one for the task %v", len(p.Submodels), p.Scheme, p.Task)
	case p.Submodels[0].Pos != want.Pos || p.Submodels[0].Neg != want.Neg:
		return fmt.Errorf("model: classes %d and %d of the submodel, want %d and %d for the task %v", p.Submodels[0].Pos,
			p.Submodels[0].Neg, want.Pos, want.Neg, p.Task)
	case len(p.Platt) > 0:
		return fmt.Errorf("model: probabilities of classes in a model of the task %v", p.Task)
	}
	return nil
}

func (p *Parts) validateMarks() error {
	n := len(p.Marks)
	ok := n == 0 || n == 1 && p.Task == learn.Regress && p.Marks[0] >= 0 || n == densityMarks && p.Task == learn.OneClass
	for i, v := range p.Marks {
		ok = ok && finite(v) && p.Marks[max(i-1, 0)] <= v
	}
	if !ok {
		return fmt.Errorf("model: marks %v, want none, or ascending finite ones as the task has them", p.Marks)
	}
	return nil
}

// densityMarks is the number of marks of a one-class model.
const densityMarks = 10

func (p *Parts) validateFacts() error {
	if len(p.Platt) != 0 && len(p.Platt) != len(p.Submodels) {
		return fmt.Errorf("model: %d pairs of Platt's parameters for %d submodels", len(p.Platt), len(p.Submodels))
	}
	for i, q := range p.Platt {
		if !finite(q.A) || !finite(q.B) {
			return fmt.Errorf("model: Platt's parameters of submodel %d are %v and %v", i, q.A, q.B)
		}
	}
	if err := p.validateMarks(); err != nil {
		return err
	}
	for name, v := range p.Params {
		if !finite(v) {
			return fmt.Errorf("model: parameter %s is %v", name, v)
		}
	}
	if p.Rows != nil && len(p.Rows) != p.N {
		return fmt.Errorf("model: %d row numbers for %d vectors", len(p.Rows), p.N)
	}
	if len(p.Rows) > 0 && slices.Min(p.Rows) < 0 {
		return errors.New("model: a negative row number")
	}
	if p.Trained < 0 || p.Features != 0 && p.Features != p.D {
		return fmt.Errorf("model: trained on %d samples of %d features, vectors have %d", p.Trained, p.Features, p.D)
	}
	return nil
}
