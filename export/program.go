package export

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/sparsekm/sparsekm/model"
)

// program has the data of a template.
type program struct {
	*flat
	scheme
	Name, Guard, Number string
	Float               bool
	What                string   // one line
	Doc                 []string // lines of the first comment
	Bytes, Stack        int
	Bias                []float64
	Pos, Neg            []int
	PlattA, PlattB      []float64
	Sets                *sets   // prediction sets or intervals; nil for none
	Values              *values // of categories; nil for none
}

// sets is what templates show of prediction sets.
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

// Single reports whether there is one threshold for all classes.
func (s *sets) Single() bool { return len(s.At) == 1 }

// scheme is the model's scheme for templates: one submodel, one for each class, or one for each pair of classes, which
// may vote.
type scheme struct{ Binary, Rest, Pairs, Votes bool }

// Ordered reports whether no table of the submodels' positive classes is needed.
func (p *program) Ordered() bool {
	if p.Pairs {
		return false
	}
	for i, k := range p.Pos {
		if p.Rest && k != i {
			return false
		}
	}
	return true
}

func newProgram(f *flat, o Options) *program {
	votes := f.Scheme == model.OneVsOne
	p := &program{flat: f, Name: o.Name, Float: o.Float, scheme: scheme{Binary: f.Scheme == model.Binary,
		Rest: f.Scheme == model.OneVsRest, Pairs: votes || f.Scheme == model.PairwiseFuzzy, Votes: votes}}
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

// count computes the memory of the tables and of the arrays on the stack.
func (p *program) count() {
	size := 8
	if p.Float {
		size = 4
	}
	query := 0
	for i := range p.Groups {
		g := &p.Groups[i]
		if !g.Consecutive() {
			p.Bytes += 2 * len(g.Submodels)
		}
		p.Bytes += size*(len(g.Center)+len(g.Factor)+len(g.Vectors)+len(g.Offset)+len(g.Coef)+len(g.List)) +
			2*(len(g.Used)+len(g.First)+len(g.Target)+len(g.Feature))
		if g.transformed() {
			query = max(query, size*g.D)
		}
	}
	p.Bytes += p.Values.bytes(size)
	submodels, classes := len(p.Submodels), len(p.Labels)
	if submodels > 1 {
		p.Bytes += size * submodels
	}
	p.Stack = query + size*submodels
	if !p.Ordered() {
		p.Bytes += 2 * submodels
	}
	if p.Pairs {
		p.Bytes += 2 * submodels
		p.Stack += size * classes
	}
	if p.Probable {
		p.Bytes += 2 * size * submodels
		if p.Pairs {
			p.Stack += 2 * size * classes * classes
		}
	}
	if p.Sets != nil {
		p.Stack = max(p.Stack, query+size*(submodels+classes))
		if !p.Sets.Single() {
			p.Bytes += size * len(p.Sets.At)
		}
	}
	if q := p.Process; q != nil {
		p.Bytes += size * (len(q.Triangle) + len(q.Spread))
		p.Stack += size * q.N
	}
	if p.Variance != nil {
		p.Bytes += size * len(p.Variance.Lower)
		p.Stack += size * p.Variance.N
	}
}

// featureList lists the names of the features, if they have names.
func (p *program) featureList(prefix string) string {
	names := p.Columns.FeatureNames()
	if names == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(" They are, in this order:")
	texts := categoryTexts(p.Columns)
	for k, n := range names {
		fmt.Fprintf(&b, "\n%s  %d %s", prefix, k, inComment(n+texts[k]))
	}
	return b.String()
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

func (g *group) transformed() bool { return g.Used != nil || g.Center != nil || g.Factor != nil }

// transform returns the expression of a query's feature k.
func (e *emitter) transform(g group, name string) string {
	s := "x[k]"
	if g.Used != nil {
		s = "x[" + e.element(name, "used", "k", true) + "]"
	}
	if g.Center != nil {
		s += " - " + e.element(name, "center", "k", false)
	}
	if g.Factor != nil {
		if g.Center != nil {
			s = "(" + s + ")"
		}
		s += " * " + e.element(name, "factor", "k", false)
	}
	return s
}

// Consecutive reports whether the group's submodels have consecutive numbers, so that no table of them is needed.
func (g group) Consecutive() bool {
	return g.First != nil || g.Submodels[len(g.Submodels)-1]-g.Submodels[0] == len(g.Submodels)-1
}

// submodel returns the expression of the number of the submodel of a group's output.
func (e *emitter) submodel(g group, name, output string) string {
	switch first := g.Submodels[0]; {
	case !g.Consecutive():
		return e.element(name, "machine", output, true)
	case len(g.Submodels) == 1:
		return strconv.Itoa(first)
	case first == 0:
		return output
	default:
		return fmt.Sprintf("%d + %s", first, output)
	}
}

// emitter writes tables and numbers, and keeps the first number that the program cannot have.
type emitter struct {
	float     bool
	open, end string
	decl      func(name string, n int, integer bool) string
	element   func(name, table, index string, integer bool) string // the expression of a table's element
	err       error
}

// num writes a number that reads back to the same one.
func (e *emitter) num(v float64) string {
	bits, suffix := 64, ""
	if e.float {
		bits, suffix = 32, "f"
		if e.err == nil && math.IsInf(float64(float32(v)), 0) {
			e.err = fmt.Errorf("export: %v is beyond the range of float", v)
		}
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// list writes a table's elements, up to ten a line.
func (e *emitter) list(name string, n int, integer bool, at func(i int) string) string {
	var b strings.Builder
	b.WriteString(e.decl(name, max(1, n), integer) + e.open)
	if n == 0 {
		b.WriteString("0")
	}
	for i := range n {
		if i%10 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(at(i) + ",")
	}
	b.WriteString("\n" + e.end)
	return b.String()
}

func (e *emitter) reals(name string, v []float64) string {
	return e.list(name, len(v), false, func(i int) string { return e.num(v[i]) })
}

func (e *emitter) ints(name string, v []int) string {
	return e.list(name, len(v), true, func(i int) string {
		if e.err == nil && v[i] > math.MaxUint16 {
			e.err = fmt.Errorf("export: %d is beyond the range of a table of 16-bit integers", v[i])
		}
		return strconv.Itoa(v[i])
	})
}

// funcs returns the functions of the templates.
func (e *emitter) funcs() template.FuncMap {
	return template.FuncMap{
		"num": e.num, "reals": e.reals, "ints": e.ints, "transform": e.transform, "submodel": e.submodel,
		"text": quoteC,
		"fn": func(name string) string {
			if e.float {
				return name + "f"
			}
			return name
		},
		"neg": func(v float64) float64 { return -v },
		"query": func(g group) string {
			if g.transformed() {
				return "q"
			}
			return "x"
		},
	}
}

// run executes the template; it writes nothing if the program cannot have a number.
func (e *emitter) run(w io.Writer, text string, p any) error {
	t := template.Must(template.New("").Funcs(e.funcs()).Parse(text))
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if e.err != nil {
		return e.err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
