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

// program is what a template sees.
type program struct {
	*flat
	Name, Guard, Number string
	Float               bool
	What                string   // one line
	Doc                 []string // lines of the first comment
	Bytes, Stack        int
	Bias                []float64
	Pos, Neg            []int
	PlattA, PlattB      []float64
}

// Real reports whether the model has values instead of classes.
func (p *program) Real() bool   { return p.Task.Real() }
func (p *program) Binary() bool { return p.Scheme == model.Binary }
func (p *program) Rest() bool   { return p.Scheme == model.OneVsRest }
func (p *program) Votes() bool  { return p.Scheme == model.OneVsOne }
func (p *program) Pairs() bool  { return p.Scheme == model.OneVsOne || p.Scheme == model.PairwiseFuzzy }

// Ordered reports whether no table of the models' positive classes is needed.
func (p *program) Ordered() bool {
	if p.Pairs() {
		return false
	}
	for i, k := range p.Pos {
		if p.Rest() && k != i {
			return false
		}
	}
	return true
}

func newProgram(f *flat, o Options) *program {
	p := &program{flat: f, Name: o.Name, Float: o.Float}
	method := ""
	if f.Method != "" {
		method = ", trained by " + inComment(f.Method)
	}
	what := fmt.Sprintf("a classifier of %d classes", len(f.Labels))
	if p.Real() {
		what = "a regression"
	}
	p.What = fmt.Sprintf("%s over %d features%s: vectors %d, models %d, kernel %v",
		what, f.D, method, f.N, len(f.Submodels), f.Kernel.Kind)
	for i, m := range f.Submodels {
		p.Bias = append(p.Bias, m.Bias)
		p.Pos, p.Neg = append(p.Pos, m.Pos), append(p.Neg, max(m.Neg, 0))
		if f.Probable {
			p.PlattA, p.PlattB = append(p.PlattA, f.Platt[i].A), append(p.PlattB, f.Platt[i].B)
		}
	}
	p.count()
	return p
}

// count states the memory of the tables and of the arrays on the stack.
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
		p.Bytes += size*(len(g.Center)+len(g.Factor)+len(g.Vectors)+len(g.Coef)+len(g.List)) +
			2*(len(g.Used)+len(g.First)+len(g.Target))
		if g.transformed() {
			query = max(query, size*g.D)
		}
	}
	submodels, classes := len(p.Submodels), len(p.Labels)
	if submodels > 1 {
		p.Bytes += size * submodels
	}
	p.Stack = query + size*submodels
	if !p.Ordered() {
		p.Bytes += 2 * submodels
	}
	if p.Pairs() {
		p.Bytes += 2 * submodels
		p.Stack += size * classes
	}
	if p.Probable {
		p.Bytes += 2 * size * submodels
		if p.Pairs() {
			p.Stack += 2 * size * classes * classes
		}
	}
}

// featureList names the features where they have names.
func (p *program) featureList(prefix string) string {
	names := p.Columns.FeatureNames()
	if names == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(" They are, in this order:")
	for k, n := range names {
		fmt.Fprintf(&b, "\n%s  %d %s", prefix, k, inComment(n))
	}
	return b.String()
}

// inComment is text that neither ends a comment nor hides what follows it.
func inComment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`*?\`, r) {
			return '_'
		}
		return r
	}, s)
}

func (g *group) transformed() bool { return g.Used != nil || g.Center != nil || g.Factor != nil }

// transform is the expression of a query's feature k.
func transform(g group, real func(table, k string) string, used string) string {
	s := "x[k]"
	if g.Used != nil {
		s = "x[" + used + "]"
	}
	if g.Center != nil {
		s += " - " + real("center", "k")
	}
	if g.Factor != nil {
		if g.Center != nil {
			s = "(" + s + ")"
		}
		s += " * " + real("factor", "k")
	}
	return s
}

// Consecutive reports whether the group's models follow one another, so that no table of them is needed.
func (g group) Consecutive() bool {
	return g.First != nil || g.Submodels[len(g.Submodels)-1]-g.Submodels[0] == len(g.Submodels)-1
}

// model is the expression of the model of a group's output.
func machine(g group, output, table string) string {
	switch first := g.Submodels[0]; {
	case !g.Consecutive():
		return table
	case len(g.Submodels) == 1:
		return strconv.Itoa(first)
	case first == 0:
		return output
	default:
		return fmt.Sprintf("%d + %s", first, output)
	}
}

// emitter writes tables and numbers, and remembers the first number that is none in the program.
type emitter struct {
	float     bool
	open, end string
	decl      func(name string, n int, integer bool) string
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

// funcs are the words that the templates share.
func (e *emitter) funcs() template.FuncMap {
	return template.FuncMap{
		"num": e.num, "reals": e.reals, "ints": e.ints,
		"neg":      func(v float64) float64 { return -v },
		"squares":  func(g group) bool { return g.Sum == squares },
		"distance": func(g group) bool { return g.Sum == squares || g.Sum == differences },
		"linear":   func(g group) bool { return g.Sum == weights },
		"decay":    func(g group) bool { return g.Value == decay },
		"power":    func(g group) bool { return g.Value == power },
		"tanh":     func(g group) bool { return g.Value == tanh },
		"query": func(g group) string {
			if g.transformed() {
				return "q"
			}
			return "x"
		},
		"at": func(g group) string { return fmt.Sprintf("i * %d + k", g.D) },
	}
}

// run executes the template; nothing is written if a number is none in the program.
func (e *emitter) run(w io.Writer, t *template.Template, p *program) error {
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
