package export

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/sparsekm/sparsekm/model"
)

// program is what programs of every language share.
type program struct {
	*flat
	scheme
	Name           string
	Float          bool
	What           string // one line
	Bytes, Stack   int
	Bias           []float64
	Pos, Neg       []int
	PlattA, PlattB []float64
	Values         *values // of categories; nil for none
	Lowered        *fixed  // in fixed point; nil for none
}

// scheme is the model's scheme: one submodel, one for each class, or one for each pair of classes, which may vote.
type scheme struct{ binary, rest, pairs, votes bool }

// ordered reports whether no table of the submodels' positive classes is needed.
func (p *program) ordered() bool {
	if p.pairs {
		return false
	}
	for i, k := range p.Pos {
		if p.rest && k != i {
			return false
		}
	}
	return true
}

func newProgram(f *flat, o Options) *program {
	votes := f.Scheme == model.OneVsOne
	p := &program{flat: f, Name: o.Name, Float: o.Float, scheme: scheme{binary: f.Scheme == model.Binary,
		rest: f.Scheme == model.OneVsRest, pairs: votes || f.Scheme == model.PairwiseFuzzy, votes: votes}}
	p.Values = newValues(f.Columns)
	method := ""
	if f.Method != "" {
		method = ", trained by " + inComment(f.Method)
	}
	what := fmt.Sprintf("a classifier of %d classes", len(f.Labels))
	if p.Task.Real() {
		what = "a regression"
	}
	p.What = fmt.Sprintf("%s over %d features%s: vectors %d, submodels %d, kernel %v",
		what, f.D, method, f.N, len(f.Submodels), f.Kernel.Kind)
	for i, m := range f.Submodels {
		p.Bias = append(p.Bias, m.Bias)
		p.Pos = append(p.Pos, m.Pos)
		p.Neg = append(p.Neg, max(m.Neg, 0))
		if f.Probable {
			p.PlattA = append(p.PlattA, f.Platt[i].A)
			p.PlattB = append(p.PlattB, f.Platt[i].B)
		}
	}
	p.count()
	return p
}

// kind is what a table has.
type kind uint8

const (
	reals kind = iota
	indices
	int16s
	uint16s
	int32s
)

// kinds are the types of the elements in C, their bytes, and the formats of expressions of C that read them.
var kinds = [...]struct {
	c     string
	bytes int
	read  string
}{
	reals:   {"double", 8, "SPARSEKM_REAL(&%s)"},
	indices: {"unsigned short", 2, "(int)SPARSEKM_INT(&%s)"},
	int16s:  {"int16_t", 2, "(int16_t)SPARSEKM_INT(&%s)"},
	uint16s: {"uint16_t", 2, "SPARSEKM_INT(&%s)"},
	int32s:  {"int32_t", 4, "(int32_t)SPARSEKM_LONG(&%s)"},
}

// bytes is the size of an element.
func (k kind) bytes(float bool) int {
	if k == reals && float {
		return 4
	}
	return kinds[k].bytes
}

// table is a table of a program: reals or whole numbers.
type table struct {
	name  string
	kind  kind
	reals []float64
	whole []int
}

// tableList is tables in the order in which a program has them.
type tableList []table

// real adds a table of reals, none for nil.
func (l *tableList) real(name string, v []float64) {
	if v != nil {
		*l = append(*l, table{name: name, reals: v})
	}
}

// whole adds a table of integers, none for nil.
func (l *tableList) whole(name string, k kind, v []int) {
	if v != nil {
		*l = append(*l, table{name: name, kind: k, whole: v})
	}
}

// tables lists the tables of a program.
func (p *program) tables() (all tableList) {
	if p.Lowered != nil {
		return p.Lowered.tables()
	}
	if len(p.Submodels) > 1 {
		all.real("bias", p.Bias)
	}
	all.classes(p, indices)
	for i := range p.Groups {
		all.group(&p.Groups[i])
	}
	if p.Probable {
		all.real("platta", p.PlattA)
		all.real("plattb", p.PlattB)
	}
	if p.Conformal != nil && len(p.Conformal.Thresholds) > 1 {
		all.real("least", p.Conformal.Thresholds)
	}
	all.values(p.Values, indices)
	if p.Variance != nil {
		all.real("covariance", p.Variance.Lower)
	}
	for i, q := range p.processes() {
		all.real(fmt.Sprint("lower", i), q.Triangle)
		all.real(fmt.Sprint("spread", i), q.Spread)
	}
	if p.Odds != nil {
		var scale, weight []float64
		for _, m := range model.Logistic.Terms {
			scale = append(scale, m[0])
			weight = append(weight, m[1])
		}
		all.real("mixscale", scale)
		all.real("mixweight", weight)
	}
	return all
}

// classes adds the classes of submodels.
func (l *tableList) classes(p *program, k kind) {
	if !p.ordered() {
		l.whole("pos", k, p.Pos)
	}
	if p.pairs {
		l.whole("neg", k, p.Neg)
	}
}

// values adds the learnt values of categories, if there are some.
func (l *tableList) values(v *values, k kind) {
	if v != nil {
		l.whole("coded", k, append([]int{}, v.Feature...))
		l.whole("starts", k, v.First)
		l.real("levels", append([]float64{}, v.Table...))
	}
}

// processes are the Gaussian processes whose variances are asked.
func (f *flat) processes() []process {
	if f.Process != nil {
		return []process{*f.Process}
	}
	return f.Odds
}

// group adds the tables of a group. The vectors are one even without features: the loop over them names it.
func (l *tableList) group(g *group) {
	number := strconv.Itoa(g.Index)
	l.whole("used"+number, indices, g.Used)
	l.real("center"+number, g.Center)
	l.real("factor"+number, g.Factor)
	if g.Sum != composed {
		l.real("vectors"+number, append([]float64{}, g.Vectors...))
	}
	for _, t := range g.Terms {
		for _, factor := range t.Factors {
			l.group(factor)
		}
	}
	l.real("offset"+number, g.Offset)
	l.whole("feature"+number, indices, g.Feature)
	switch {
	case g.First != nil:
		l.whole("first"+number, indices, g.First)
		l.whole("target"+number, indices, append([]int{}, g.Target...))
		l.real("list"+number, append([]float64{}, g.List...))
		return
	case g.Submodels != nil && !g.consecutive():
		l.whole("submodel"+number, indices, g.Submodels)
	}
	l.real("coef"+number, g.Coef)
}

// count computes the memory of the tables and of the arrays on the stack.
func (p *program) count() {
	size := 8
	if p.Float {
		size = 4
	}
	for _, t := range p.tables() {
		p.Bytes += t.kind.bytes(p.Float) * (len(t.reals) + len(t.whole))
	}
	query := 0
	for i := range p.Groups {
		room := 0
		for _, g := range p.Groups[i].factors() {
			if g.transformed() {
				room += size * g.D
			}
		}
		query = max(query, room)
	}
	submodels, classes := len(p.Submodels), len(p.Labels)
	p.Stack = query + size*submodels
	if p.pairs {
		p.Stack += size * classes
		if p.Probable {
			p.Stack += 2 * size * classes * classes
		}
	}
	if p.Conformal != nil {
		p.Stack = max(p.Stack, query+size*(submodels+classes))
	}
	if p.processes() != nil {
		p.Stack += size * p.N
	}
	p.Stack += size * p.room()
}

// featureLines are the numbers and names of the features, if they have names.
func (p *program) featureLines() (lines []string) {
	texts := categoryTexts(p.Columns)
	for k, n := range p.Columns.FeatureNames() {
		lines = append(lines, fmt.Sprintf("%d %s", k, inComment(n+texts[k])))
	}
	return lines
}

// inComment replaces characters that could end a comment or hide the text after it.
func inComment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`*?\`, r) {
			return '_'
		}
		return r
	}, s)
}

// times returns the expression of γ times a sum.
func (g *group) times(sum string, num func(float64) string) string {
	if g.Gamma == 1 {
		return sum
	}
	return num(g.Gamma) + "*" + sum
}

// features is the name of the features that a group or factor takes.
func (g *group) features(ofFactor bool) string {
	switch {
	case !g.transformed():
		return "x"
	case ofFactor:
		return "q" + strconv.Itoa(g.Index)
	}
	return "q"
}

func (g *group) transformed() bool { return g.Used != nil || g.Center != nil || g.Factor != nil }

// query returns the expression of a query's feature k.
func (g *group) query() string {
	s := "x[k]"
	if g.Used != nil {
		s = "x[used$g[k]]"
	}
	if g.Center != nil {
		s += " - center$g[k]"
	}
	if g.Factor != nil {
		if g.Center != nil {
			s = "(" + s + ")"
		}
		s += " * factor$g[k]"
	}
	return s
}

// consecutive reports whether the group's submodels have consecutive numbers, so that no table of them is needed.
func (g *group) consecutive() bool {
	return g.Submodels[len(g.Submodels)-1]-g.Submodels[0] == len(g.Submodels)-1
}

// place returns the expression of the place of vector i's value in those of all groups.
func (g *group) place() string {
	if g.At == 0 {
		return "i"
	}
	return strconv.Itoa(g.At) + "+i"
}

// submodel returns the expression of the number of the submodel of a group's output.
func (g *group) submodel(output string) string {
	switch first := g.Submodels[0]; {
	case !g.consecutive():
		return "submodel$g[" + output + "]"
	case len(g.Submodels) == 1:
		return strconv.Itoa(first)
	case first == 0:
		return output
	default:
		return strconv.Itoa(first) + "+" + output
	}
}
