package libsvm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// read reads a model file of LIBSVM's svm-train.
func read(data []byte, file string, b *model.Budget) (*model.Parts, error) {
	p := libsvmReader{textReader: newTextReader(data, file, b)}
	p.readKeys(headerKeys, "SV")
	p.readHeader()
	if p.readVectors(); p.err != nil {
		return nil, p.err
	}
	return p.parts()
}

// libsvmReader reads LIBSVM's model file.
type libsvmReader struct {
	textReader
	kernel  gram.Kernel
	method  string
	task    learn.Task
	k       int // classes
	labels  []string
	rho     []float64    // one a pair
	prob    [2][]float64 // probA and probB: one a pair, or none; without classes the first has [model.Parts.Marks]
	first   []int        // of each class, its first vector, and total
	total   int          // vectors
	coefs   []float64    // total×(k−1)
	vectors csr.Matrix   // without zeros
	listed  int          // elements in the file, zeros too
	d       int
	zero    bool // some vector has the index 0
}

// headerKeys are all keys that LIBSVM knows. It refuses any other, and so does this reader.
var headerKeys = []string{"svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv",
	"rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"}

// readHeader reads the values of the header.
func (p *libsvmReader) readHeader() {
	kind := p.word("svm_type")
	i := slices.IndexFunc(svmTypes, func(t svmType) bool { return t.name == kind })
	if i < 0 {
		p.bad(fmt.Sprintf("svm_type %.40q", kind), "c_svc, nu_svc, one_class, epsilon_svr or nu_svr")
		return
	}
	p.method, p.task = svmTypes[i].method, svmTypes[i].task
	p.readKernel()
	if p.k = p.integer("nr_class", 1); p.k < 2 {
		p.bad("a model of one class", "at least two classes")
	} else if p.k > 2 && p.task != learn.Classify {
		p.bad(fmt.Sprintf("nr_class %d", p.k), "2, as every "+kind+" has")
	}
	p.total = p.integer("total_sv", 0)
	pairs := p.k * (p.k - 1) / 2
	p.rho = p.floats("rho", pairs)
	if p.task != learn.Classify { // a single submodel, without probabilities
		for _, key := range []string{"label", "nr_sv"} {
			if _, has := p.header[key]; has {
				p.bad(key, "none in a model of "+kind)
			}
		}
		key, n := "probA", 1
		if p.task == learn.OneClass {
			key, n = "prob_density_marks", densityMarks
		}
		if _, has := p.header[key]; has {
			p.prob[0] = p.floats(key, n)
		}
		return
	}
	_, hasA := p.header["probA"]
	_, hasB := p.header["probB"]
	if hasA != hasB {
		p.bad("only one of probA and probB", "both or none")
	}
	if hasA {
		p.prob = [2][]float64{p.floats("probA", pairs), p.floats("probB", pairs)}
	}
	p.readLabels()
	p.readCounts()
}

func (p *libsvmReader) readKernel() {
	name := p.word("kernel_type")
	kind, ok := gram.ParseLIBSVM(name)
	if !ok {
		p.bad(fmt.Sprintf("kernel_type %.40q", name), "linear, polynomial, rbf, sigmoid or precomputed")
	}
	p.kernel.Kind = kind
	if p.kernel.HasGamma() {
		p.kernel.Gamma = p.number("gamma")
	}
	if p.kernel.HasCoef0() {
		p.kernel.Coef0 = p.number("coef0")
	}
	if p.kernel.HasDegree() {
		p.kernel.Degree = p.integer("degree", 1)
	}
}

func (p *libsvmReader) readLabels() {
	words := p.header["label"]
	if len(words) != p.k {
		p.bad(fmt.Sprintf("%d labels", len(words)), strconv.Itoa(p.k))
	}
	for _, w := range words {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			p.bad(fmt.Sprintf("label %.40q", w), "an integer")
		}
		p.labels = append(p.labels, strconv.FormatInt(v, 10))
	}
}

func (p *libsvmReader) readCounts() {
	p.first = []int{0}
	for c, w := range p.words("nr_sv", p.k) {
		v, err := strconv.ParseInt(w, 10, 32)
		if err != nil || v < 0 {
			p.bad(fmt.Sprintf("nr_sv %.40q", w), "integers from 0")
		}
		if p.first = append(p.first, p.first[c]+int(v)); p.first[c+1] > p.total {
			break
		}
	}
	if p.first[len(p.first)-1] != p.total {
		p.bad(fmt.Sprintf("nr_sv of %s", strings.Join(p.header["nr_sv"], " ")), fmt.Sprintf("a sum of total_sv, %d", p.total))
	}
}

// readVectors reads the lines after "SV". As in LIBSVM, a comment may follow the last vector.
func (p *libsvmReader) readVectors() {
	p.vectors.Start = []int{0}
	p.body(p.total, "vectors", fmt.Sprintf("total_sv, %d, vectors", p.total),
		fmt.Sprintf("total_sv, %d, of them", p.total), true, p.vector)
}

// vector reads k−1 coefficients, then index:value with ascending indices.
func (p *libsvmReader) vector(text string) {
	words := strings.Fields(text)
	if len(words) < p.k-1 {
		p.bad(fmt.Sprintf("%d coefficients", len(words)), strconv.Itoa(p.k-1))
		return
	}
	p.take(int64(p.k-1), coefBytes)
	if p.take(int64(len(words)-p.k+1), pairBytes); p.err != nil {
		return
	}
	m, last := &p.vectors, -1
	for i, w := range words {
		index, value, pair := strings.Cut(w, ":")
		if !pair {
			index, value = "", w
		}
		v, ok := parseFinite(value)
		if !ok || pair != (i >= p.k-1) {
			want := "index:value"
			if i < p.k-1 {
				want = fmt.Sprintf("%d coefficients, then index:value", p.k-1)
			}
			p.bad(fmt.Sprintf("%.40q", w), want+" with finite numbers")
			return
		}
		if !pair {
			p.coefs = append(p.coefs, v)
			continue
		}
		number, err := strconv.ParseInt(index, 10, 32)
		if p.kernel.Indexed() {
			if index != "0" || i != p.k-1 || i != len(words)-1 || !(v >= 1 && v < math.MaxInt32) {
				p.bad(fmt.Sprintf("%.40q", w), "0: and the vector's serial number, alone")
				return
			}
			number = 1 // our first feature
			p.d = max(p.d, int(v)+1)
		} else if err != nil || int(number) <= last {
			p.bad(fmt.Sprintf("index %.40q", index),
				fmt.Sprintf("ascending indices from 0 or 1 (the last was %d)", max(last, 0)))
			return
		}
		p.zero = p.zero || number == 0
		last = int(number)
		p.d = max(p.d, last)
		if p.listed++; v != 0 {
			m.Index = append(m.Index, int32(number-1))
			m.Value = append(m.Value, v)
		}
	}
	m.Start = append(m.Start, len(m.Value))
	m.N++
}

// A coefficient takes coefBytes in slices that grow: as it was read, in its submodel, and the vector's number there. A
// feature takes pairBytes.
const (
	coefBytes = 64
	pairBytes = 32
)

// parts makes the parts of the model from what was read.
func (p *libsvmReader) parts() (*model.Parts, error) {
	if p.zero {
		p.d++
		for i := range p.vectors.Index {
			p.vectors.Index[i]++
		}
	}
	p.d = max(p.d, 1) // if all vectors are 0; no features would mean any number of them
	sparse := p.kernel.Sparse() && int64(p.d) <= min(p.limit(), csr.MaxFeatures) && csr.IsSparse(p.listed, p.total, p.d)
	if !sparse && !p.fits(p.total, p.d) {
		return nil, &dataset.Error{File: p.file, Found: fmt.Sprintf("%d vectors of %d features", p.total, p.d),
			Want: fmt.Sprintf("at most %d bytes when every zero is stored", p.limit())}
	}
	parts := &model.Parts{Kernel: p.kernel, N: p.total, D: p.d, Labels: p.labels, Scheme: model.OneVsOne, Method: p.method,
		ZeroBased: p.zero}
	if p.k == 2 {
		parts.Scheme = model.Binary
	}
	if p.vectors.D = p.d; sparse {
		parts.Sparse = &p.vectors
	} else {
		if err := p.budget.Take(int64(p.total), 8*int64(p.d)); err != nil {
			return nil, err
		}
		parts.Vectors = p.vectors.Dense()
	}
	if p.task != learn.Classify {
		p.single(parts)
		return parts, nil
	}
	AddPairs(parts, p.first, p.coef)
	for i := range parts.Submodels {
		parts.Submodels[i].Bias = -p.rho[i]
		if p.prob[0] != nil {
			parts.Platt = append(parts.Platt, model.Platt{A: p.prob[0][i], B: p.prob[1][i]})
		}
	}
	return parts, nil
}

// coef returns a coefficient of a vector.
func (p *libsvmReader) coef(vector, column int) float64 { return p.coefs[vector*(p.k-1)+column] }

// single makes the only submodel of a regression or one-class file.
func (p *libsvmReader) single(parts *model.Parts) {
	m := learn.Submodel{Pos: 0, Neg: learn.Rest}
	if parts.Task, parts.Scheme, parts.Labels = p.task, model.Binary, nil; p.task == learn.OneClass {
		m.Pos, m.Neg, parts.Labels = 1, 0, model.OneClassLabels()
	}
	addColumn(&m, p.coef, 0, 0, p.total)
	m.Bias, parts.Marks = 0-p.rho[0], p.prob[0]
	parts.Submodels = []learn.Submodel{m}
}

// AddPairs adds a submodel for each pair of classes a < b of vectors in LIBSVM's order, class by class; first has each
// class's first vector, and the end. A vector's coefficients are for the other classes in their order, so class a's
// vectors have theirs for the pair in column b−1, class b's in column a.
func AddPairs(p *model.Parts, first []int, coef func(vector, column int) float64) {
	k := len(first) - 1
	for a := range k {
		for b := a + 1; b < k; b++ {
			m := learn.Submodel{Pos: a, Neg: b}
			addColumn(&m, coef, b-1, first[a], first[a+1])
			addColumn(&m, coef, a, first[b], first[b+1])
			p.Submodels = append(p.Submodels, m)
		}
	}
}

// addColumn appends the vectors lo to hi−1 with their coefficients in one column, except zeros.
func addColumn(m *learn.Submodel, coef func(vector, column int) float64, column, lo, hi int) {
	for i := lo; i < hi; i++ {
		if v := coef(i, column); v != 0 {
			m.Support = append(m.Support, i)
			m.Coef = append(m.Coef, v)
		}
	}
}

// AddPlanes adds a linear submodel of one class against the rest for each vector: its weights of the features.
func AddPlanes(p *model.Parts, bias []float64) {
	p.Kernel, p.Scheme = gram.Linear(), model.OneVsRest
	for c, b := range bias {
		p.Submodels = append(p.Submodels, learn.Submodel{Pos: c, Neg: learn.Rest,
			Expansion: learn.Expansion{Support: []int{c}, Coef: []float64{1}, Bias: b}})
	}
}
