package export

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// ErrNoOperator is in the chain of [Write]'s error for a classifier that ONNX's operators for support vector machines
// cannot express. The plain operators can.
var ErrNoOperator = errors.New("export: beyond ONNX's operators for support vector machines")

// svmOperator is a model in the form of ai.onnx.ml's operators: each vector has a class, and a coefficient against each
// other class, positive for the first class of a pair.
type svmOperator struct {
	kernel  string
	params  []float64 // γ, the constant and the degree
	vectors []float64 // rows×d
	counts  []int     // vectors of each class
	coef    []float64 // (classes−1)×rows
	bias    []float64 // of each pair

	probA, probB []float64 // Platt's parameters of each pair
}

// writeSVM writes an ONNX model whose one operator is SVMClassifier, or SVMRegressor for regression, after a
// Scaler if features are scaled or weighted. The operators have single precision by definition.
func writeSVM(w io.Writer, f *flat, o Options) error {
	b := &builder{flat: f}
	op, scale, err := b.svm()
	if err != nil {
		return err
	}
	x := "x"
	if scale != nil {
		x = b.name()
		b.node(mlDomain, "Scaler", []string{"x"}, []string{x}, "offset", scale.Center, "scale", scale.Factor)
	}
	common := []any{"kernel_type", op.kernel, "kernel_params", op.params, "support_vectors", op.vectors,
		"coefficients", op.coef, "rho", op.bias, "post_transform", "NONE"}
	outputs := []message{described("values", elemFloat32, "n", 1)}
	if f.Task.Real() {
		b.node(mlDomain, "SVMRegressor", []string{x}, []string{"values"}, append(common, "n_supports", len(op.coef))...)
	} else {
		scores, columns := "scores", max(2, len(op.bias))
		if f.Probable {
			scores, columns = "probabilities", len(f.Labels)
			common = append(common, "prob_a", op.probA, "prob_b", op.probB)
		}
		b.node(mlDomain, "SVMClassifier", []string{x}, []string{"label", scores},
			append(common, "classlabels_strings", f.Labels, "vectors_per_class", op.counts)...)
		outputs = []message{described("label", elemString, "n"), described(scores, elemFloat32, "n", columns)}
	}
	if b.err != nil {
		return b.err
	}
	return b.write(w, o.Name, elemFloat32, outputs, mlDomain)
}

// svm makes the operator of the only kernel, and the scaling of features before it, nil for none.
func (b *builder) svm() (op *svmOperator, scale *group, err error) {
	no := func(format string, args ...any) (*svmOperator, *group, error) {
		return nil, nil, fmt.Errorf("%w: "+format, append([]any{ErrNoOperator}, args...)...)
	}
	switch {
	case b.Task == learn.OneClass:
		return no("a model for one class")
	case b.Scheme != model.Binary && b.Scheme != model.OneVsOne:
		return no("%d classes decided as %v; they have votes of pairs (ovo) only", len(b.Labels), b.Scheme)
	case !b.Simple():
		return no("a plane or steps")
	case len(b.Groups) == 0:
		return no("a model without vectors")
	case len(b.Groups) > 1:
		return no("a kernel for each model")
	}
	g := &b.Groups[0]
	kernel, known := map[value]string{asItIs: "LINEAR", decay: "RBF", power: "POLY", tanh: "SIGMOID"}[g.Value]
	if !known || g.Sum == differences || g.Sum == composed {
		return no("a %v kernel", b.Kernel.Kind)
	}
	op = &svmOperator{kernel: kernel, params: []float64{g.Gamma, g.Coef0, float64(g.Degree)}}
	vectors, scale := g.widened(b.D)
	if b.Task.Real() {
		op.vectors, op.coef, op.bias = vectors, g.table(1), []float64{b.Submodels[0].Bias}
		return op, scale, nil
	}
	op.pairs(b.flat, g, vectors)
	return op, scale, nil
}

// widened returns the vectors over all d features of a row, and the scaling of features before, nil for none.
func (g *group) widened(d int) (vectors []float64, scale *group) {
	used := g.Used
	if used == nil {
		used = deal.All(d)
	}
	vectors = make([]float64, g.N*d)
	for i := range g.N {
		for k, feature := range used {
			vectors[i*d+feature] = g.Vectors[i*g.D+k]
		}
	}
	if g.Center == nil && g.Factor == nil {
		return vectors, nil // unused features add nothing to a product
	}
	scale = &group{Center: make([]float64, d), Factor: make([]float64, d)} // unused features become 0
	for k, feature := range used {
		scale.Factor[feature] = 1
		if g.Factor != nil {
			scale.Factor[feature] = g.Factor[k]
		}
		if g.Center != nil {
			scale.Center[feature] = g.Center[k]
		}
	}
	return vectors, scale
}

// table returns the coefficients as N×submodels.
func (g *group) table(submodels int) []float64 {
	if g.Sum != weights {
		return g.spread(g.Coef, submodels)
	}
	c := make([]float64, g.N*submodels) // a vector each
	for j, i := range g.Submodels {
		c[j*submodels+i] = 1
	}
	if len(g.Submodels) != g.N {
		panic(fmt.Sprintf("export: %d vectors of weights for %d models", g.N, len(g.Submodels)))
	}
	return c
}

// pairs gives the vectors classes. All coefficients of a row are for pairs with its class, so that a vector whose
// submodels have no class in common has several rows; the class of most of them comes first.
func (op *svmOperator) pairs(f *flat, g *group, vectors []float64) {
	k, m, d := len(f.Labels), len(f.Submodels), f.D
	coef := g.table(m)
	type row struct {
		vector, class int
		coef          []float64 // against each other class
	}
	var rows []*row
	for i := range g.N {
		left := slices.Clone(coef[i*m : (i+1)*m])
		for {
			uses := make([]int, k)
			for j, v := range left {
				if v != 0 {
					uses[f.Submodels[j].Pos]++
					uses[f.Submodels[j].Neg]++
				}
			}
			largest := slices.Max(uses)
			if largest == 0 {
				break
			}
			r := &row{i, slices.Index(uses, largest), make([]float64, k-1)}
			for j, v := range left {
				a, b, sign := ordered(f.Submodels[j])
				switch {
				case v == 0:
				case a == r.class:
					r.coef[b-1], left[j] = sign*v, 0
				case b == r.class:
					r.coef[a], left[j] = sign*v, 0
				}
			}
			rows = append(rows, r)
		}
	}
	if rows == nil { // onnxruntime wants a vector
		rows = []*row{{0, 0, make([]float64, k-1)}}
	}
	deal.Sort(rows, func(a, b *row) int { return a.class - b.class })
	op.counts, op.coef = make([]int, k), make([]float64, (k-1)*len(rows))
	for i, r := range rows {
		op.counts[r.class]++
		op.vectors = append(op.vectors, vectors[r.vector*d:(r.vector+1)*d]...)
		for c, v := range r.coef {
			op.coef[c*len(rows)+i] = v
		}
	}
	op.bias, op.probA, op.probB = make([]float64, m), make([]float64, m), make([]float64, m)
	for j, submodel := range f.Submodels {
		a, b, sign := ordered(submodel)
		pair := a*(2*k-a-1)/2 + b - a - 1 // pairs (0, 1), (0, 2), ..., (1, 2), ...
		op.bias[pair] = sign * submodel.Bias
		if f.Probable {
			op.probA[pair], op.probB[pair] = f.Platt[j].A, sign*f.Platt[j].B
		}
	}
}

// ordered returns the submodel's classes in ascending order, and the factor that makes its decision value positive for
// the first.
func ordered(m learn.Submodel) (a, b int, sign float64) {
	if m.Pos < m.Neg {
		return m.Pos, m.Neg, 1
	}
	return m.Neg, m.Pos, -1
}

// singles returns numbers in single precision as bits; b.err is for the first one out of range.
func (b *graph) singles(v []float64) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		if s := float32(x); math.IsInf(float64(s), 0) && b.err == nil {
			b.err = fmt.Errorf("export: %v is beyond the range of float", x)
		}
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
	}
	return raw
}
