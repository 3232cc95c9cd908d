package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
)

// flags is a value for every parameter that some method declares: nil for a flag that is
// not on the command line.
type flags struct {
	names  []string      // of the parameters, one a field of values
	values reflect.Value // pointer to a struct
}

// newFlags makes flags of the methods' declarations: the command has those of the methods
// that are linked into it.
func newFlags() *flags {
	names, t := declared()
	return &flags{names: names, values: reflect.New(t)}
}

// declared is the struct of newFlags, the same for every command: methods register before there is one.
var declared = sync.OnceValues(func() (names []string, t reflect.Type) {
	var fields []reflect.StructField
	for i, p := range parameters() {
		names = append(names, p.Name)
		fields = append(fields, field(p, i))
	}
	return names, reflect.StructOf(fields)
})

// parameters lists those of all methods by name, each once: a name has one type, range and
// sentence wherever it is declared.
var parameters = sync.OnceValue(func() []learn.Param {
	all, err := learn.Agree(sparsekm.Methods())
	if err != nil {
		panic(err)
	}
	return all
})

// field is the flag of a parameter, for kong to read. helpOf has its text, which few command lines ask for.
func field(p learn.Param, i int) reflect.StructField {
	t := reflect.TypeOf(p.Default)
	tag := fmt.Sprintf("name:%q parameter:%q", flagName(p.Name), p.Name)
	switch t.Kind() {
	case reflect.Float64, reflect.Slice:
		tag += ` placeholder:"X"`
	case reflect.Int, reflect.Uint64:
		tag += ` placeholder:"N"`
	case reflect.String:
		tag += ` placeholder:"NAME"`
	}
	if p.Name == candidatesParam {
		t = reflect.TypeFor[candidates]()
		tag = fmt.Sprintf("name:%q reads:%q parameter:%q placeholder:%q", p.Name, "", p.Name, "K|FILE")
	}
	if p.Name == tuneParam {
		tag += ` negatable:""`
	}
	if p.Name == "seed" { // every training takes it, whether or not it draws anything
		tag += ` group:"limit"`
	}
	if t.Kind() != reflect.Slice {
		t = reflect.PointerTo(t)
	}
	return reflect.StructField{Name: "P" + strconv.Itoa(i), Type: t, Tag: reflect.StructTag(tag)}
}

// helpOf is the text of a flag or an argument. That of a parameter ends with its defaults, or with who takes a file.
func helpOf(v *kong.Value) string {
	name := v.Tag.Get("parameter")
	switch {
	case v.Tag.Has("defaults"):
		return v.Help + " Default: " + defaultMethodsText() + "."
	case name == "":
		return kong.DefaultHelpValueFormatter(v)
	}
	all := parameters()
	doc := all[slices.IndexFunc(all, func(p learn.Param) bool { return p.Name == name })].Doc
	if name == candidatesParam {
		return doc + " A file: its samples alone may be vectors, of " + learn.MethodsWith(takesFile) + "."
	}
	return doc + defaultsOf(name)
}

// defaultsOf lists a parameter's defaults, the most frequent first, and the methods of the others, none
// where it is off or chosen from the data. It names the methods that have the parameter if they are few.
func defaultsOf(param string) string {
	const few = 3
	having, by := []string(nil), make(map[string][]string)
	for _, m := range sparsekm.Methods() {
		if !slices.ContainsFunc(m.Params(), func(p learn.Param) bool { return p.Name == param }) {
			continue
		}
		having = append(having, m.Name)
		value := "none"
		if v, ok := defaults(m).Numbers()[param]; ok {
			value = fmt.Sprintf("%g", v)
		}
		by[value] = append(by[value], m.Name)
	}
	text := ""
	if len(by["none"]) < len(having) {
		order := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
			return cmp.Or(len(by[b])-len(by[a]), strings.Compare(a, b))
		})
		text = " Default: " + order[0]
		for _, value := range order[1:] {
			text += fmt.Sprintf("; %s for %s", value, strings.Join(by[value], ", "))
		}
		text += "."
	}
	if len(having) <= few {
		text += " For " + strings.Join(having, ", ") + "."
	}
	return text
}

// tuneParam is the parameter by which a method chooses its other parameters itself.
const tuneParam = "tune"

// tune asks for it, unless the command line says otherwise.
func (f *flags) tune() {
	for i, name := range f.names {
		if set := f.values.Elem().Field(i); name == tuneParam && set.IsNil() {
			set.Set(reflect.ValueOf(new(true)))
		}
	}
}

func (f *flags) plugins() kong.Plugins { return kong.Plugins{f.values.Interface()} }

// trainer makes the method's trainer with what the command line has.
func (f *flags) trainer(m sparsekm.Method) (learn.Trainer, error) {
	have := make(map[string]bool)
	for _, p := range m.Params() {
		have[p.Name] = true
	}
	v := make(learn.Values)
	for i, name := range f.names {
		set := f.values.Elem().Field(i)
		if set.IsNil() || name == "seed" && !have[name] {
			continue
		}
		if set.Kind() == reflect.Pointer {
			set = set.Elem()
		}
		if c, ok := set.Interface().(candidates); ok {
			if c.file == "" {
				v[name] = c.n
			} else if !takesFile(m) {
				return nil, usagef("--candidates: found %q, which is no number; of a file takes them %s", c.file,
					learn.MethodsWith(takesFile))
			}
			continue
		}
		v[name] = set.Interface()
	}
	t, err := m.New(v)
	return t, asUsage(err)
}

// asUsage turns what is wrong with a parameter into what is wrong with its flag.
func asUsage(err error) error {
	var bad *learn.ParamError
	var unknown *learn.UnknownParamError
	switch {
	case errors.As(err, &bad):
		return usagef("--%s: found %v, want %s", flagName(bad.Param), bad.Value, bad.Want)
	case errors.As(err, &unknown):
		only := make([]string, len(unknown.Have))
		for i, name := range unknown.Have {
			only[i] = "--" + flagName(name)
		}
		return usagef("--%s: %s has no such parameter, only %s", flagName(unknown.Param), unknown.Method,
			strings.Join(only, ", "))
	}
	return err
}

func flagName(param string) string { return strings.ReplaceAll(param, "_", "-") }

// candidatesParam is the parameter whose flag takes the name of a file as well.
const candidatesParam = "candidates"

// candidates is the value of its flag: a number, or the file of the samples.
type candidates struct {
	n    int
	file string
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *candidates) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	switch {
	case len(text) == 0 || session.FlagLike(string(text)):
		return fmt.Errorf("found %s, want a number or a file", session.OrEmpty(string(text)))
	case err != nil:
		c.file = string(text)
	}
	c.n = n
	return nil
}

// File is the name of the file, "" for a number.
func (c *candidates) File() string { return c.file }

// candidates is the file that the flag names, "" for none.
func (f *flags) candidates() string {
	for i := range f.names {
		if c, ok := f.values.Elem().Field(i).Interface().(*candidates); ok && c != nil {
			return c.file
		}
	}
	return ""
}

// takesFile reports whether candidates of the method may be samples of a file.
func takesFile(m sparsekm.Method) bool { return m.Candidates != learn.NoSides }

// loadCandidates reads the file of --candidates, if there is one, with samples like those of the training.
func (f *trainingFlags) loadCandidates(s *session.Session, o *request, train *dataset.Set, whose string) error {
	name := f.flags.candidates()
	if name == "" {
		return nil
	}
	r := f.reading(o, max(1, f.LimitFlags.Mem.Bytes()-setBytes(train)))
	r.like(train)
	r.Width = train.D
	m := o.method
	task, err := sparsekm.TaskOf(m, train)
	switch {
	case err != nil:
		return err
	case m.Candidates == learn.AnySide:
		r.Targets = dataset.TargetGuess // they are not looked at
	case task == learn.Regress:
		r.Targets = dataset.TargetValues
	}
	set, err := load(s, name, r)
	if err != nil {
		return err
	}
	if set, err = widened(set, train.D, name, whose); err != nil {
		return err
	}
	if m.Candidates == learn.OwnSide {
		if !set.Targeted() {
			return fmt.Errorf("%s: found no labels, but coefficients of %s have the signs of their samples' classes",
				name, m.Name)
		}
		for i, c := range set.ClassOf(train.Labels) {
			if c < 0 {
				return fmt.Errorf("%s: sample %d: found class %q, want one of those of %s", name, i+1,
					set.Labels[set.Y[i]], whose)
			}
		}
	}
	o.Candidates = set
	return nil
}
