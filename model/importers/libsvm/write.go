package libsvm

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// parts has the contents of a model that is written.
type parts struct{ model.Parts }

// densityMarks is the number of marks of a one-class model.
const densityMarks = 10

// write writes the model as a model file of LIBSVM, which any version of svm-predict reads. Numbers are the
// shortest that read back to the same float64.
//
// It is an error if LIBSVM has no such model: labels that are not integers, a scaling (see
// [model.Classifier.WithoutScaling] and [dataset.Scaling.WriteRange]), several classes in another scheme than
// one-vs-one, weighted features, a density, or a kernel that LIBSVM does not have.
func write(c *model.Classifier, w io.Writer) error {
	p := parts{c.Parts()}
	if err := p.fitsLIBSVM(); err != nil {
		return err
	}
	rows := p.libsvmRows()
	b := bufio.NewWriter(w)
	p.writeHeader(b, rows)
	var text []byte
	for _, r := range rows {
		text = text[:0]
		for _, v := range r.coefs {
			text = append(strconv.AppendFloat(text, v, 'g', -1, 64), ' ')
		}
		b.Write(append(p.appendVector(text, r.vector), '\n'))
	}
	return b.Flush()
}

// appendVector writes a vector's non-zero features, or its serial number for a precomputed kernel.
func (p *parts) appendVector(text []byte, j int) []byte {
	first := 1
	if p.ZeroBased {
		first = 0
	}
	feature := func(k int, v float64) {
		text = append(strconv.AppendInt(text, int64(k), 10), ':')
		text = append(strconv.AppendFloat(text, v, 'g', -1, 64), ' ')
	}
	if p.Sparse != nil {
		index, value := p.Sparse.Row(j)
		for s, k := range index {
			feature(first+int(k), value[s])
		}
		return text
	}
	x := p.Vector(j)
	if p.Kernel.Indexed() {
		first, x = 0, x[:1]
	}
	for k, v := range x {
		if v != 0 {
			feature(first+k, v)
		}
	}
	return text
}

func (p *parts) fitsLIBSVM() error {
	no := func(format string, args ...any) error {
		return fmt.Errorf("model: a LIBSVM model file cannot have "+format, args...)
	}
	kernels := slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Kernel != nil })
	switch {
	case p.libsvmType() == "":
		return no("a model of the task %v", p.Task)
	case p.Scheme != model.Binary && p.Scheme != model.OneVsOne:
		return no("%d classes decided as %v; it has votes of pairs (ovo) only", len(p.Labels), p.Scheme)
	case p.Scaling != nil:
		return no("a scaling; write that to a range file for svm-scale and the model without it (convert --split-scaling)")
	case !p.Simple():
		return no("a plane or steps")
	case p.Latent != nil:
		return no("variances of Gaussian processes, which the probabilities and log odds need")
	case p.Kernel.Weights != nil || kernels:
		return no("weighted features or a kernel for each submodel")
	case p.Kernel.LIBSVM() == "":
		return no("a %v kernel", p.Kernel.Kind)
	}
	for _, l := range p.Labels {
		if v, err := strconv.ParseInt(l, 10, 32); err != nil || strconv.FormatInt(v, 10) != l {
			return no("the label %q; it has integers only", l)
		}
	}
	return nil
}

// libsvmOrder returns the classes in the order of the file. The positive class of a two-class model comes first: in
// LIBSVM a positive decision value means the first label.
func (p *parts) libsvmOrder() []int {
	order := deal.All(len(p.Labels))
	if p.Scheme == model.Binary && p.Submodels[0].Pos == 1 {
		slices.Reverse(order)
	}
	return order
}

// libsvmRow is a line of the file: a vector with the place of its class.
type libsvmRow struct {
	vector, place int
	coefs         []float64 // one for each other class, in the order of the file
}

// oneRows gives every vector of the only submodel a line.
func (p *parts) oneRows() (rows []*libsvmRow) {
	for s, j := range p.Submodels[0].Support {
		if a := p.Submodels[0].Coef[s]; a != 0 {
			rows = append(rows, &libsvmRow{vector: j, coefs: []float64{a}})
		}
	}
	return rows
}

// libsvmRows gives every vector of a submodel a line. A line's coefficients are for pairs of its class with the other
// classes, so a vector whose submodels have no class in common needs several lines. A support vector of a classifier
// trained on pairs needs one line: with the sample's class, for which its coefficients are positive. The lines are in
// the order of their classes.
func (p *parts) libsvmRows() []*libsvmRow {
	if p.Task != learn.Classify {
		return p.oneRows()
	}
	place := make([]int, len(p.Labels)) // class → position in the file
	for i, c := range p.libsvmOrder() {
		place[c] = i
	}
	type use struct { // in the file a positive decision value means the pair's first class
		first, second int
		coef          float64
	}
	uses := make([][]use, p.N)
	for _, m := range p.Submodels {
		a, b, sign := place[m.Pos], place[m.Neg], 1.0
		if a > b {
			a, b, sign = b, a, -1
		}
		for s, j := range m.Support {
			if m.Coef[s] != 0 {
				uses[j] = append(uses[j], use{a, b, sign * m.Coef[s]})
			}
		}
	}
	var rows []*libsvmRow
	for j, left := range uses {
		for len(left) > 0 {
			// The class with the most uses; among equals the one that fits most signs; then the first.
			score := make([]int, len(p.Labels))
			for _, u := range left {
				score[u.first] += 2 * len(p.Labels)
				score[u.second] += 2 * len(p.Labels)
				if u.coef > 0 {
					score[u.first]++
				} else {
					score[u.second]++
				}
			}
			r := &libsvmRow{vector: j, place: slices.Index(score, slices.Max(score)), coefs: make([]float64, len(p.Labels)-1)}
			rest := left[:0]
			for _, u := range left {
				switch r.place {
				case u.first:
					r.coefs[u.second-1] = u.coef
				case u.second:
					r.coefs[u.first] = u.coef
				default:
					rest = append(rest, u)
				}
			}
			rows = append(rows, r)
			left = rest
		}
	}
	deal.Sort(rows, func(a, b *libsvmRow) int { return a.place - b.place })
	return rows
}

// writeHeader writes everything up to the vectors.
func (p *parts) writeHeader(b *bufio.Writer, rows []*libsvmRow) {
	k := p.Kernel
	fmt.Fprintf(b, "svm_type %s\nkernel_type %s\n", p.libsvmType(), k.LIBSVM())
	if k.HasDegree() {
		fmt.Fprintf(b, "degree %d\n", k.Degree)
	}
	if k.HasGamma() {
		fmt.Fprintf(b, "gamma %v\n", k.Gamma)
	}
	if k.HasCoef0() {
		fmt.Fprintf(b, "coef0 %v\n", k.Coef0)
	}
	if p.Task != learn.Classify {
		fmt.Fprintf(b, "nr_class 2\ntotal_sv %d\nrho %v\n", len(rows), 0-p.Submodels[0].Bias)
		switch len(p.Marks) {
		case 1:
			line(b, "probA", p.Marks)
		case densityMarks:
			line(b, "prob_density_marks", p.Marks)
		}
		b.WriteString("SV\n")
		return
	}
	order := p.libsvmOrder()
	rho, probA, probB := p.pairNumbers(order)
	fmt.Fprintf(b, "nr_class %d\ntotal_sv %d\n", len(order), len(rows))
	line(b, "rho", rho)
	counts := make([]int, len(order))
	for _, r := range rows {
		counts[r.place]++
	}
	line(b, "label", deal.Pick(p.Labels, order))
	if p.Platt != nil {
		line(b, "probA", probA)
		line(b, "probB", probB)
	}
	line(b, "nr_sv", counts)
	b.WriteString("SV\n")
}

type svmType struct {
	name   string
	task   learn.Task
	method string
}

// svmTypes has LIBSVM's kinds of models, each with its task and its method.
var svmTypes = []svmType{
	{"c_svc", learn.Classify, "svc"}, {"nu_svc", learn.Classify, "nu-svc"}, {"one_class", learn.OneClass, "one-class"},
	{"epsilon_svr", learn.Regress, "svr"}, {"nu_svr", learn.Regress, "nu-svr"},
}

// libsvmType returns the method's svm_type, else the first one of the task.
func (p *parts) libsvmType() (name string) {
	for _, t := range svmTypes {
		if t.task == p.Task && (name == "" || t.method == p.Method) {
			name = t.name
		}
	}
	return name
}

func line[T any](b *bufio.Writer, key string, values []T) {
	b.WriteString(key)
	for _, v := range values {
		fmt.Fprintf(b, " %v", v)
	}
	b.WriteByte('\n')
}

// pairNumbers returns the file's numbers for each pair of classes, first class against second. For a submodel with the
// classes in the other order the decision value changes its sign, and the probability is
// 1 − 1/(1 + exp(Af + B)) = 1/(1 + exp(A(−f) − B)).
func (p *parts) pairNumbers(order []int) (rho, probA, probB []float64) {
	for a, ca := range order {
		for _, cb := range order[a+1:] {
			i := slices.IndexFunc(p.Submodels,
				func(m learn.Submodel) bool { return m.Pos == ca && m.Neg == cb || m.Pos == cb && m.Neg == ca })
			sign := 1.0
			if p.Submodels[i].Pos != ca {
				sign = -1
			}
			rho = append(rho, 0-sign*p.Submodels[i].Bias)
			if p.Platt != nil {
				probA = append(probA, p.Platt[i].A)
				probB = append(probB, sign*p.Platt[i].B)
			}
		}
	}
	return rho, probA, probB
}
