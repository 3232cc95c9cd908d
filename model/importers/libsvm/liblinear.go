package libsvm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// readLinear reads a model file of LIBLINEAR's train.
func readLinear(data []byte, file string, b *model.Budget) (*model.Parts, error) {
	p := linearReader{libsvmReader: libsvmReader{textReader: newTextReader(data, file, b)}}
	p.readKeys(linearKeys, "w")
	p.readHeader()
	if p.readWeights(); p.err != nil {
		return nil, p.err
	}
	return p.parts()
}

var linearKeys = []string{"solver_type", "nr_class", "label", "nr_feature", "bias", "rho"}

// linearSolvers has LIBLINEAR's solvers, by their names in files.
var linearSolvers = map[string]struct {
	task     learn.Task
	logistic bool
	all      bool // a column for each class, even for two classes
}{
	"L2R_LR": {logistic: true}, "L2R_L2LOSS_SVC_DUAL": {}, "L2R_L2LOSS_SVC": {}, "L2R_L1LOSS_SVC_DUAL": {}, "MCSVM_CS": {all: true},
	"L1R_L2LOSS_SVC": {}, "L1R_LR": {logistic: true}, "L2R_LR_DUAL": {logistic: true},
	"L2R_L2LOSS_SVR": {task: learn.Regress}, "L2R_L2LOSS_SVR_DUAL": {task: learn.Regress}, "L2R_L1LOSS_SVR_DUAL": {task: learn.Regress},
	"ONECLASS_SVM": {task: learn.OneClass},
}

// linearReader reads LIBLINEAR's model file, whose header is much like LIBSVM's.
type linearReader struct {
	libsvmReader
	logistic bool
	columns  int
	bias     float64
	weights  []float64 // one row a feature, and one for the bias if there is one; each has a weight for each column
}

// readHeader reads the values of the header.
func (p *linearReader) readHeader() {
	kind := p.word("solver_type")
	solver, ok := linearSolvers[kind]
	if !ok {
		p.bad(fmt.Sprintf("solver_type %.40q", kind), "one of LIBLINEAR's, like L2R_LR or MCSVM_CS")
	}
	p.task, p.logistic = solver.task, solver.logistic
	p.method = strings.ReplaceAll(strings.ToLower(kind), "_", "-")
	p.k = p.integer("nr_class", 2)
	if p.columns = p.k; p.k == 2 && !solver.all {
		p.columns = 1
	}
	p.d = p.integer("nr_feature", 1)
	p.bias = p.number("bias")
	if p.task == learn.OneClass {
		p.rho = p.floats("rho", 1)
	}
	if p.task == learn.Classify {
		p.readLabels()
	} else if _, has := p.header["label"]; has || p.k != 2 {
		p.bad("classes in a model of "+kind, "nr_class 2 and no label")
	}
}

// weightBytes is what a weight takes: in a slice that grows, and in its vector.
const weightBytes = 32

// readWeights reads the lines after "w".
func (p *linearReader) readWeights() {
	rows := p.d
	if p.bias >= 0 {
		rows++
	}
	read := func(text string) {
		words := strings.Fields(text)
		if len(words) != p.columns {
			p.bad(fmt.Sprintf("%d weights", len(words)), strconv.Itoa(p.columns))
			return
		}
		p.take(int64(len(words)), weightBytes)
		for _, w := range words {
			v, ok := parseFinite(w)
			if !ok {
				p.bad(fmt.Sprintf("%.40q", w), "a finite number")
			}
			p.weights = append(p.weights, v)
		}
	}
	p.body(rows, "rows of weights", fmt.Sprintf("%d rows of weights", rows), strconv.Itoa(rows), false, read)
}

// parts makes a submodel of each column.
func (p *linearReader) parts() (*model.Parts, error) {
	n := p.columns
	if p.k == 2 {
		n = 1 // the sign of the first of two columns decides
	}
	if !p.fits(n, p.d) {
		return nil, &dataset.Error{File: p.file, Found: fmt.Sprintf("%d submodels of %d features", n, p.d),
			Want: fmt.Sprintf("at most %d bytes", p.limit())}
	}
	parts := &model.Parts{N: n, D: p.d, Labels: p.labels, Method: p.method, Task: p.task, Vectors: make([]float64, n*p.d)}
	bias := make([]float64, n)
	for c := range n {
		for k := range p.d {
			parts.Vectors[c*p.d+k] = p.weights[k*p.columns+c]
		}
		if p.bias >= 0 {
			bias[c] = p.bias * p.weights[p.d*p.columns+c]
		}
		if p.logistic {
			parts.Platt = append(parts.Platt, model.Platt{A: -1})
		}
	}
	if AddPlanes(parts, bias); n > 1 {
		return parts, nil
	}
	parts.Scheme = model.Binary
	switch m := &parts.Submodels[0]; p.task {
	case learn.Classify:
		m.Neg = 1
	case learn.OneClass:
		m.Pos, m.Neg, parts.Labels = 1, 0, model.OneClassLabels()
		m.Bias -= p.rho[0]
	}
	return parts, nil
}
