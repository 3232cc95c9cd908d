package export

import (
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/model"
)

const (
	onnxIR    = 7  // version of the file format
	onnxOpset = 13 // of the operators

	mlDomain = "ai.onnx.ml" // of the operators for support vector machines, whose version is 1
)

// writeONNX writes an ONNX model of plain operators in double precision: input x (rows × features), outputs label
// (strings) for classes, decisions (rows × submodels), probabilities (rows × classes) of a calibrated classifier, and
// of a model with prediction sets set (rows × classes, booleans) or interval (rows × 2).
func writeONNX(w io.Writer, f *flat, o Options) error {
	if f.Odds != nil { // its Erf is of single precision in ONNX Runtime, and the weights of the sum are thousands
		return fmt.Errorf("export: a classifier of Gaussian processes in ONNX, whose runtimes have no erf of double "+
			"precision: %w", ErrNoCode)
	}
	if o.SVM {
		return writeSVM(w, f, o)
	}
	b := &builder{flat: f}
	b.decisions()
	outputs := []message{described("decisions", elemFloat64, "n", len(f.Submodels))}
	if !f.Task.Real() {
		b.opTo("label", "Gather", []string{b.strings(f.Labels), b.class()})
		outputs = append([]message{described("label", elemString, "n")}, outputs...)
	}
	if f.Probable {
		b.probabilities()
		outputs = append(outputs, described("probabilities", elemFloat64, "n", len(f.Labels)))
	}
	if f.Conformal != nil {
		outputs = append(outputs, b.sets())
	}
	return b.write(w, o.Name, elemFloat64, outputs, "")
}

// write writes the graph as a file with the operators of ONNX and, if given, of another domain.
func (b *builder) write(w io.Writer, name string, elem int, outputs []message, domain string) error {
	g := append(b.nodes.text(2, name), b.tensors...).bytes(11, described("x", elem, "n", b.D)) // GraphProto
	for _, out := range outputs {
		g = g.bytes(12, out)
	}
	m := message{}.int(1, onnxIR).text(2, "sparsekm").bytes(7, g) // ModelProto
	m = m.bytes(8, message{}.text(1, "").int(2, onnxOpset))       // OperatorSetIdProto
	if domain != "" {
		m = m.bytes(8, message{}.text(1, domain).int(2, 1))
	}
	_, err := w.Write(append(m, properties(b.Columns)...))
	return err
}

// builder makes the graph of a model.
type builder struct {
	*flat
	graph
	values string // kernel values of the only group, where there is a variance
}

func (b *builder) add(x, y string) string { return b.op("Add", []string{x, y}) }
func (b *builder) sub(x, y string) string { return b.op("Sub", []string{x, y}) }
func (b *builder) mul(x, y string) string { return b.op("Mul", []string{x, y}) }
func (b *builder) div(x, y string) string { return b.op("Div", []string{x, y}) }
func (b *builder) dot(x, y string) string { return b.op("MatMul", []string{x, y}) }

// sumOver sums over an axis and keeps it with one element.
func (b *builder) sumOver(axis int, x string) string {
	return b.op("ReduceSum", []string{x, b.ints(axis)})
}

// decisions adds the output decisions: the biases and the sums of each group.
func (b *builder) decisions() {
	m := len(b.Submodels)
	bias := make([]float64, m)
	for i := range bias {
		bias[i] = b.Submodels[i].Bias
	}
	f := b.reals(bias, m)
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.Sum == weights {
			f = b.add(b.dot(b.query(g, nil), b.reals(g.spread(g.transposed(), m), g.D, m)), f)
		} else {
			b.values = b.kernel(g)
			f = b.add(b.dot(b.values, b.reals(g.spread(g.Coef, m), g.N, m)), f)
		}
	}
	if len(b.Groups) == 0 { // as many rows as x has
		f = b.add(b.dot("x", b.reals(make([]float64, b.D*m), b.D, m)), f)
	}
	b.opTo("decisions", "Identity", []string{f})
}

// query returns the features of a group minus the given centre of its vectors.
func (b *builder) query(g *group, center []float64) string {
	x := "x"
	if g.Used != nil {
		x = b.op("Gather", []string{x, b.ints(g.Used...)}, "axis", 1)
	}
	if g.Center != nil {
		x = b.sub(x, b.reals(g.Center, g.D))
	}
	if g.Factor != nil {
		x = b.mul(x, b.reals(g.Factor, g.D))
	}
	if center != nil {
		x = b.sub(x, b.reals(center, g.D))
	}
	return x
}

// kernel returns the group's kernel values, rows × vectors.
func (b *builder) kernel(g *group) string {
	if g.Sum == composed {
		return b.terms(g)
	}
	var s string
	switch g.Sum {
	case squares:
		if g.Value != bell1 {
			s = b.squares(g)
			break
		}
		t := b.differences(g) // since √s needs the digits of a small s
		s = b.op("Squeeze", []string{b.sumOver(2, b.mul(t, t)), b.ints(2)})
	case differences:
		s = b.op("Squeeze", []string{b.sumOver(2, b.op("Abs", []string{b.differences(g)})), b.ints(2)})
	default:
		s = b.dot(b.query(g, nil), b.reals(g.transposed(), g.D, g.N))
	}
	switch g.Value {
	case decay:
		return b.op("Exp", []string{b.mul(s, b.real(-g.Gamma))})
	case power:
		return b.op("Pow", []string{b.add(s, b.real(g.Coef0)), b.real(float64(g.Degree))})
	case ratio:
		rise := b.op("Log", []string{b.add(b.mul(s, b.real(g.Gamma)), b.real(1))})
		return b.op("Exp", []string{b.mul(rise, b.real(-g.Coef0))})
	case bell1, bell3, bell5:
		return b.bell(g, s)
	case tanh:
		return b.op("Tanh", []string{b.add(s, b.real(g.Coef0))})
	case rise:
		return b.op("Sigmoid", []string{b.add(s, b.reals(g.Offset, g.N))})
	}
	return s
}

// terms returns the values of a composite kernel.
func (b *builder) terms(g *group) string {
	shape := b.dot("x", b.reals(make([]float64, b.D*g.N), b.D, g.N)) // 0, in as many rows as x has
	for _, t := range g.Terms {
		product := b.real(t.Scale)
		for _, factor := range t.Factors {
			product = b.mul(product, b.kernel(factor))
		}
		shape = b.add(shape, product)
	}
	return shape
}

// differences returns rows × 1 × features less vectors × features.
func (b *builder) differences(g *group) string {
	q := b.op("Unsqueeze", []string{b.query(g, nil), b.ints(1)})
	return b.sub(q, b.reals(g.Vectors, g.N, g.D))
}

// bell returns the values of a Matérn kernel. Rounding may have made s negative.
func (b *builder) bell(g *group, s string) string {
	s = b.op("Max", []string{s, b.real(0)})
	t := b.op("Min", []string{b.op("Sqrt", []string{b.mul(s, b.real(g.Gamma))}), b.real(1000)})
	e := b.op("Exp", []string{b.mul(t, b.real(-1))})
	if g.Value == bell1 {
		return e
	}
	p := b.add(t, b.real(1))
	if g.Value == bell5 {
		p = b.add(p, b.mul(b.mul(t, t), b.real(1.0/3)))
	}
	return b.mul(p, e)
}

// squares returns ‖q − v‖² = ‖q‖² + ‖v‖² − 2 qᵀv. A common offset of all samples costs no digits, since q and v are
// relative to the mean of the vectors.
func (b *builder) squares(g *group) string {
	mean := make([]float64, g.D)
	for i, v := range g.Vectors {
		mean[i%g.D] += v / float64(g.N)
	}
	moved, norms := make([]float64, len(g.Vectors)), make([]float64, g.N)
	for i, v := range g.Vectors {
		d := v - mean[i%g.D]
		moved[i%g.D*g.N+i/g.D] = d
		norms[i/g.D] += d * d
	}
	q := b.query(g, mean)
	s := b.add(b.sumOver(1, b.mul(q, q)), b.reals(norms, g.N))
	return b.sub(s, b.mul(b.real(2), b.dot(q, b.reals(moved, g.D, g.N))))
}

// transposed returns the group's vectors as D×N.
func (g *group) transposed() []float64 {
	t := make([]float64, len(g.Vectors))
	for i, v := range g.Vectors {
		t[i%g.D*g.N+i/g.D] = v
	}
	return t
}

// spread makes a table with a column for each submodel of a table with a column for each of the group's.
func (g *group) spread(table []float64, submodels int) []float64 {
	m := len(g.Submodels)
	out := make([]float64, len(table)/m*submodels)
	for i, v := range table {
		out[i/m*submodels+g.Submodels[i%m]] = v
	}
	return out
}

// class returns the class of the decision values.
func (b *builder) class() string {
	m, k := len(b.Submodels), len(b.Labels)
	positive := b.op("Greater", []string{"decisions", b.real(0)})
	switch b.Scheme {
	case model.Binary:
		pos := b.op("Squeeze", []string{b.op("Cast", []string{positive}, "to", elemInt64), b.ints(1)})
		if b.Submodels[0].Pos == 1 {
			return pos
		}
		return b.sub(b.ints(1), pos)
	case model.OneVsRest:
		return b.argmax(b.op("Gather", []string{"decisions", b.ints(b.byClass()...)}, "axis", 1))
	case model.OneVsOne:
		pos, neg := make([]float64, m*k), make([]float64, m*k)
		for i := range b.Submodels {
			pos[i*k+b.Submodels[i].Pos], neg[i*k+b.Submodels[i].Neg] = 1, 1
		}
		won := b.op("Cast", []string{positive}, "to", elemFloat64)
		return b.argmax(b.add(b.dot(won, b.reals(pos, m, k)), b.dot(b.sub(b.real(1), won), b.reals(neg, m, k))))
	}
	return b.argmax(b.min(b.op("Min", []string{b.pairsOfClasses(), b.real(1)}))) // min_j min(1, D_ij)
}

func (b *builder) argmax(x string) string {
	return b.op("ArgMax", []string{x}, "axis", 1, "keepdims", 0)
}

// byClass returns the submodel of each class, one-vs-rest.
func (b *builder) byClass() []int {
	idx := make([]int, len(b.Labels))
	for i := range b.Submodels {
		idx[b.Submodels[i].Pos] = i
	}
	return idx
}

// probabilities adds the output probabilities.
func (b *builder) probabilities() {
	m, k := len(b.Submodels), len(b.Labels)
	pa, pb := make([]float64, m), make([]float64, m)
	for i, p := range b.Platt {
		pa[i], pb[i] = -p.A, -p.B
	}
	// 1 / (1 + exp(A f + B))
	p := b.op("Sigmoid", []string{b.add(b.mul("decisions", b.reals(pa, m)), b.reals(pb, m))})
	switch b.Scheme {
	case model.Binary:
		columns := []string{b.sub(b.real(1), p), p}
		if b.Submodels[0].Pos == 0 {
			columns[0], columns[1] = columns[1], columns[0]
		}
		b.opTo("probabilities", "Concat", columns, "axis", 1)
	case model.OneVsRest:
		p = b.op("Gather", []string{p, b.ints(b.byClass()...)}, "axis", 1)
		sum := b.sumOver(1, p)
		some := b.op("Greater", []string{sum, b.real(0)})
		one := b.op("Where", []string{some, sum, b.real(1)}) // no division by 0
		b.opTo("probabilities", "Where", []string{some, b.div(p, one), b.real(1 / float64(k))})
	default:
		b.coupled(p)
	}
}

// coupled is the second method of Wu, Lin and Weng (2004) on the pairs' probabilities p (rows × submodels): the
// solution of (Q + e eᵀ) p = e by Gauss-Jordan elimination, divided by its sum. Q + e eᵀ is positive
// definite, so that no pivoting is needed.
func (b *builder) coupled(p string) {
	const tiny = 1e-7
	k := len(b.Labels)
	p = b.op("Max", []string{b.op("Min", []string{p, b.real(1 - tiny)}), b.real(tiny)})
	// r (rows × k × k): r_st is p or 1 − p of the pair of s and t, and 0 for s = t.
	m := len(b.Submodels)
	to, base := make([]float64, m*k*k), make([]float64, k*k)
	back, backBase := make([]float64, m*k*k), make([]float64, k*k)
	for i := range b.Submodels {
		s, t := b.Submodels[i].Pos, b.Submodels[i].Neg
		to[i*k*k+s*k+t], to[i*k*k+t*k+s], base[t*k+s] = 1, -1, 1
		back[i*k*k+t*k+s], back[i*k*k+s*k+t], backBase[s*k+t] = 1, -1, 1
	}
	square := b.ints(-1, k, k)
	r := b.op("Reshape", []string{b.add(b.dot(p, b.reals(to, m, k*k)), b.reals(base, k*k)), square})
	rt := b.op("Reshape", []string{b.add(b.dot(p, b.reals(back, m, k*k)), b.reals(backBase, k*k)), square})
	// Q_ss = Σ_t r_ts², Q_st = −r_ts r_st; then 1 is added to each.
	unit := make([]float64, k*k)
	for s := range k {
		unit[s*k+s] = 1
	}
	q := b.sub(b.mul(b.sumOver(1, b.mul(r, r)), b.reals(unit, k, k)), b.mul(r, rt))
	q = b.add(q, b.real(1))
	first := b.op("Slice", []string{q, b.ints(0), b.ints(1), b.ints(2)})
	t := b.op("Concat", []string{q, b.add(b.mul(first, b.real(0)), b.real(1))}, "axis", 2) // and a column of e
	for s := range k {
		row := b.op("Slice", []string{t, b.ints(s), b.ints(s + 1), b.ints(1)})
		column := b.op("Slice", []string{t, b.ints(s), b.ints(s + 1), b.ints(2)})
		pivot := b.op("Slice", []string{row, b.ints(s), b.ints(s + 1), b.ints(2)})
		t = b.sub(t, b.mul(b.sub(column, b.reals(unit[s*k:(s+1)*k], k, 1)), b.div(row, pivot)))
	}
	x := b.op("Squeeze", []string{b.op("Slice", []string{t, b.ints(k), b.ints(k + 1), b.ints(2)}), b.ints(2)})
	x = b.op("Max", []string{x, b.real(0)})
	b.opTo("probabilities", "Div", []string{x, b.sumOver(1, x)})
}
