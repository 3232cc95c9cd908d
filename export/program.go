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
	Sets           *sets   // prediction sets or intervals; nil for none
	Values         *values // of categories; nil for none
}

// sets is what programs show of prediction sets.
type sets struct {
	Percent string
	At      []float64 // thresholds: one for all, or one a class
	Noun    string    // what is proven, for a comment
}

func newSets(q *model.Conformal) *sets {
	if q == nil {
		return nil
	}
	s := &sets{Percent: strconv.FormatFloat(100*q.Coverage, 'g', 6, 64), At: q.Thresholds,
		Noun: "samples that the training did not see"}
	if q.Folds > 0 {
		s.Noun = fmt.Sprintf("a cross-validation of %d folds", q.Folds)
	}
	return s
}

// single reports whether there is one threshold for all classes.
func (s *sets) single() bool { return len(s.At) == 1 }

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
	p.Sets, p.Values = newSets(f.Conformal), newValues(f.Columns)
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

// eachTable shows all tables but that of the covariance, by their names in C, after the program's, and in Go.
func (p *program) eachTable(reals func(c, golang string, v []float64), ints func(c, golang string, v []int)) {
	if len(p.Submodels) > 1 {
		reals("bias", "bias", p.Bias)
	}
	if !p.ordered() {
		ints("pos", "pos", p.Pos)
	}
	if p.pairs {
		ints("neg", "neg", p.Neg)
	}
	for i := range p.Groups {
		p.Groups[i].eachTable(reals, ints)
	}
	if p.Probable {
		reals("platt_a", "plattA", p.PlattA)
		reals("platt_b", "plattB", p.PlattB)
	}
	if p.Sets != nil && !p.Sets.single() {
		reals("least", "least", p.Sets.At)
	}
	if v := p.Values; v != nil {
		ints("level_feature", "levelFeature", v.Feature)
		ints("level_first", "levelFirst", v.First)
		reals("level", "level", v.Table)
	}
}

// eachTable shows the tables of a group. The vectors are one even without features: the loop over them names it.
func (g *group) eachTable(reals func(c, golang string, v []float64), ints func(c, golang string, v []int)) {
	number := strconv.Itoa(g.Index)
	someInts := func(name string, v []int) {
		if v != nil {
			ints(number+"_"+name, name+number, v)
		}
	}
	someReals := func(name string, v []float64) {
		if v != nil {
			reals(number+"_"+name, name+number, v)
		}
	}
	someInts("used", g.Used)
	someReals("center", g.Center)
	someReals("factor", g.Factor)
	if g.Sum != composed {
		reals(number+"_vectors", "vectors"+number, g.Vectors)
	}
	for _, t := range g.Terms {
		for _, factor := range t.Factors {
			factor.eachTable(reals, ints)
		}
	}
	someReals("offset", g.Offset)
	someInts("feature", g.Feature)
	someReals("coef", g.Coef)
	if g.Submodels != nil && !g.consecutive() {
		someInts("machine", g.Submodels)
	}
	if g.First != nil {
		someInts("first", g.First)
		ints(number+"_target", "target"+number, g.Target)
		reals(number+"_value", "list"+number, g.List)
	}
}

// count computes the memory of the tables and of the arrays on the stack.
func (p *program) count() {
	size := 8
	if p.Float {
		size = 4
	}
	p.eachTable(func(_, _ string, v []float64) { p.Bytes += size * len(v) },
		func(_, _ string, v []int) { p.Bytes += 2 * len(v) })
	query := 0
	for i := range p.Groups {
		own := 0
		for _, g := range p.Groups[i].factors() {
			if g.transformed() {
				own += size * g.D
			}
		}
		query = max(query, own)
	}
	submodels, classes := len(p.Submodels), len(p.Labels)
	p.Stack = query + size*submodels
	if p.pairs {
		p.Stack += size * classes
		if p.Probable {
			p.Stack += 2 * size * classes * classes
		}
	}
	if p.Sets != nil {
		p.Stack = max(p.Stack, query+size*(submodels+classes))
	}
	if q := p.Process; q != nil {
		p.Bytes += size * (len(q.Triangle) + len(q.Spread))
	}
	for i := range p.Odds {
		p.Bytes += size * (len(p.Odds[i].Triangle) + len(p.Odds[i].Spread))
	}
	if p.Odds != nil {
		p.Stack += size * p.N
	}
	if p.Variance != nil {
		p.Bytes += size * len(p.Variance.Lower)
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
	return num(g.Gamma) + " * " + sum
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

// query returns the expression of a query's feature k, given those of elements k of the group's tables.
func (g *group) query(used, center, factor string) string {
	s := "x[k]"
	if g.Used != nil {
		s = "x[" + used + "]"
	}
	if g.Center != nil {
		s += " - " + center
	}
	if g.Factor != nil {
		if g.Center != nil {
			s = "(" + s + ")"
		}
		s += " * " + factor
	}
	return s
}

// consecutive reports whether the group's submodels have consecutive numbers, so that no table of them is needed.
func (g *group) consecutive() bool {
	return g.First != nil || g.Submodels[len(g.Submodels)-1]-g.Submodels[0] == len(g.Submodels)-1
}

// place returns the expression of the place of a vector's value in those of all groups.
func (g *group) place(vector string) string {
	if g.At == 0 {
		return vector
	}
	return strconv.Itoa(g.At) + " + " + vector
}

// submodel returns the expression of the number of the submodel of a group's output, given that of the table's element.
func (g *group) submodel(element, plus, output string) string {
	switch first := g.Submodels[0]; {
	case !g.consecutive():
		return element
	case len(g.Submodels) == 1:
		return strconv.Itoa(first)
	case first == 0:
		return output
	default:
		return strconv.Itoa(first) + plus + output
	}
}
