package cli

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/learn"
)

type methodsCmd struct {
	Method string `arg:"" optional:"" values:"methods" help:"Show one method with its parameters."`
}

// methodJSON is an element of what `sparsekm methods --json` prints under "methods".
type methodJSON struct {
	Name       string             `json:"name"`
	About      string             `json:"about"`
	Paper      string             `json:"paper"`
	Tasks      []learn.Task       `json:"tasks"`      // what it learns
	Parameters []string           `json:"parameters"` // names as in reports; flags have - for _
	Defaults   map[string]float64 `json:"defaults"`   // the others are chosen from the data or off
	Range      map[string]string  `json:"range"`      // what each number must be
	Doc        map[string]string  `json:"doc"`        // what each parameter means
	Validation bool               `json:"validation"` // it decides on held-out samples, --val
	Refit      bool               `json:"refit"`      // its coefficients may be fitted again, --refit
	DumpsLP    bool               `json:"dumps_lp"`   // it solves linear programs, --dump-lp
	Proves     bool               `json:"proves"`     // it proves a bound of its gap, --prove
}

func newMethodJSON(m sparsekm.Method) methodJSON {
	j := methodJSON{Name: m.Name, About: m.About, Paper: m.Paper, Tasks: m.TasksOf(), Defaults: defaults(m).Numbers(),
		Range: make(map[string]string), Doc: make(map[string]string), Validation: m.Validation, Refit: m.Refit,
		DumpsLP: m.Programs, Proves: m.Proves}
	for _, p := range m.Params() {
		j.Parameters = append(j.Parameters, p.Name)
		j.Doc[p.Name] = p.Doc
		if p.Range.Text != "" {
			j.Range[p.Name] = p.Range.Text
		}
	}
	return j
}

// bare is the method's trainer with its defaults.
func bare(m sparsekm.Method) learn.Trainer {
	t, err := m.New(nil)
	if err != nil {
		panic(err) // defaults are never refused
	}
	return t
}

func defaults(m sparsekm.Method) learn.Values { return learn.ValuesOf(bare(m)) }

// abilities are what only some methods have, each with its flag, and what is said of a method with and without it.
var abilities = []struct {
	flag, says, lacks string
	has               func(sparsekm.Method) bool
}{
	{"val", "It reads validation samples, --val.", "does not read validation samples",
		func(m sparsekm.Method) bool { return m.Validation }},
	{"refit", "Its coefficients may be fitted again, --refit.", "does not shrink coefficients to choose vectors",
		func(m sparsekm.Method) bool { return m.Refit }},
	{"dump-lp", "It solves linear programs, which --dump-lp writes.", "solves no linear programs",
		func(m sparsekm.Method) bool { return m.Programs }},
	{"prove", "It proves a bound of its gap, --prove.", "proves no bound",
		func(m sparsekm.Method) bool { return m.Proves }},
	{"path", "It follows a path along C, --path.", "cannot follow a path along C", followsPath},
}

// able fails for a flag about what a method does not have.
func able(g session.SetFlags, m sparsekm.Method) error {
	for _, a := range abilities {
		if g.First(a.flag) != "" && !a.has(m) {
			return usagef("--%s: %s %s, only %s", a.flag, m.Name, a.lacks, learn.MethodsWith(a.has))
		}
	}
	return nil
}

func followsPath(m sparsekm.Method) bool {
	_, ok := bare(m).(learn.PathTrainer)
	return ok
}

func followsExactly(m sparsekm.Method) bool {
	_, ok := bare(m).(learn.ExactPath)
	return ok
}

func (c *methodsCmd) Run(s *session.Session) error {
	methods := sparsekm.Methods()
	if c.Method != "" {
		m, err := sparsekm.Lookup(c.Method)
		if err != nil {
			return session.AsUsage(err)
		}
		methods = []sparsekm.Method{m}
	}
	switch {
	case s.JSON:
		var list []methodJSON
		for _, m := range methods {
			list = append(list, newMethodJSON(m))
		}
		return s.WriteJSON(map[string]any{"methods": list})
	case c.Method != "":
		describe(s.Stdout, methods[0])
		return nil
	}
	t := newTable("method", "what it is", "parameters and defaults")
	t.widths = []int{0, 30, 24} // of 80 for the whole
	for _, m := range methods {
		t.add(m.Name, m.About+". "+m.Paper, usage(m))
	}
	fmt.Fprintln(s.Stdout, t)
	meanings(s.Stdout)
	return nil
}

// describe prints one method: what it is, and each parameter with its default, range and meaning.
func describe(w io.Writer, m sparsekm.Method) {
	fmt.Fprintln(w, strings.Join(session.Wrapped(m.Name+": "+m.About+". "+m.Paper+".", 80), "\n"))
	if m.Takes(learn.Regress) && m.Takes(learn.Classify) {
		fmt.Fprintln(w, "It learns real numbers as well as classes, --task.")
	}
	for _, a := range abilities {
		if a.has(m) {
			fmt.Fprintln(w, a.says)
		}
	}
	t := newTable("parameter", "default", "value", "what it means")
	t.widths = []int{0, 10, 16, 28} // of 80 for the whole
	values := defaults(m).Numbers()
	for _, p := range m.Params() {
		value := ""
		if v, ok := values[p.Name]; ok {
			value = fmt.Sprintf("%g", v)
		}
		value += ofLarge(m, p.Name)
		t.add(shownName(p.Name), value, p.Range.Text, p.Doc)
	}
	fmt.Fprintln(w, t)
	fmt.Fprintln(w, byParam)
}

const byParam = "Parameters without hyphens before them go by --param NAME=VALUE."

// shownName is the flag of a parameter, or its name for --param.
func shownName(param string) string {
	if slices.Contains(withFlags, param) {
		return "--" + flagName(param)
	}
	return strings.ReplaceAll(param, "_", "-")
}

// usage lists a method's flags with their defaults.
func usage(m sparsekm.Method) string {
	var list []string
	values := defaults(m).Numbers()
	for _, p := range m.Params() {
		flag := shownName(p.Name)
		if v, ok := values[p.Name]; ok {
			flag += fmt.Sprintf("=%g", v)
		}
		flag += ofLarge(m, p.Name)
		list = append(list, flag)
	}
	for _, a := range abilities {
		if a.has(m) {
			list = append(list, "--"+a.flag)
		}
	}
	return strings.Join(list, " ")
}

// ofLarge says which defaults a parameter has for many samples, and from which numbers on; empty for that of few.
func ofLarge(m sparsekm.Method, param string) (text string) {
	of := func(samples int) string {
		return fmt.Sprint(learn.ValuesOf(learn.ForSize(bare(m), samples))[param])
	}
	const many = 1 << 30
	for n, now := 1, of(1); now != of(many); now = of(n) {
		n += sort.Search(many-n, func(more int) bool { return of(n+more) != now })
		text += fmt.Sprintf(", %s above %d", of(n), n-1)
	}
	if text == "" {
		return ""
	}
	return " (" + text[2:] + " samples)"
}

// meanings prints what every parameter means, once for all methods that have it.
func meanings(w io.Writer) {
	t := newTable("parameter", "value", "what it means")
	t.widths = []int{0, 19, 34} // of 80 for the whole
	for _, p := range parameters() {
		t.add(shownName(p.Name), p.Range.Text, p.Doc)
	}
	fmt.Fprintln(w, t)
	fmt.Fprintln(w, byParam)
}

// linesTo returns what writes a line that begins with a name, in a column of its own.
func linesTo(w io.Writer, width int) func(name, format string, args ...any) {
	return func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-*s"+format+"\n", append([]any{width, name}, args...)...)
	}
}
