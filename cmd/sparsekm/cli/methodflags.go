package cli

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
)

// paramFlags are the parameters of methods: those that many have are flags, the others go by --param.
type paramFlags struct {
	C          *float64     `placeholder:"X" group:"method" help:"Weight of the errors against the complexity."`
	Epsilon    *float64     `placeholder:"X" group:"method" help:"Errors of a value up to this are none."`
	Nu         *float64     `placeholder:"X" group:"method" help:"Share of the samples that have errors at most, or are vectors at least."`
	Candidates *candidates  `reads:"" placeholder:"K|FILE" group:"method" help:"Samples drawn as possible vectors, or all; or a file of samples that alone may be vectors."`
	MaxSV      *int         `name:"max-sv" min:"1" placeholder:"K" group:"method" help:"Keep at most K support vectors."`
	MaxIter    *int         `min:"1" placeholder:"N" group:"method" help:"Limit on the solver's iterations."`
	Starts     *int         `min:"1" placeholder:"N" group:"method" help:"Initial models that are tried; the best result stays."`
	Tolerance  *float64     `placeholder:"X" group:"method" help:"Largest violation of the optimality conditions."`
	Tune       *bool        `group:"method" help:"direct: choose C, gamma and units by held-out samples. Default: yes without --c and --gamma."`
	Seed       *uint64      `placeholder:"N" group:"limit" help:"Seed of whatever is drawn at random. Default: 1."`
	Param      []assignment `sep:"none" placeholder:"NAME=VALUE" group:"method" help:"Another parameter of the method (see sparsekm methods NAME) or of the kernel (degree, coef0, alpha, delta); again for more."`
}

// assignment is a parameter and the text of its value; a name alone is one that is true.
type assignment struct{ name, text string }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (a *assignment) UnmarshalText(text []byte) error {
	name, value, found := strings.Cut(string(text), "=")
	if name == "" || found && value == "" {
		return fmt.Errorf("found %s, want NAME=VALUE", session.OrEmpty(string(text)))
	}
	if !found {
		value = "true"
	}
	*a = assignment{strings.ReplaceAll(name, "-", "_"), value}
	return nil
}

// withFlags are the parameters that have flags of their own, of methods, kernels and trainings.
var withFlags = []string{"c", "epsilon", "nu", "candidates", "max_sv", "max_iter", "starts", "tolerance", "tune", "seed",
	"kernel", "gamma", "sigma", "widths", "scale", "multiclass", "categories"}

// flagName is how the command line names a parameter, behind two hyphens.
func flagName(param string) string {
	name := strings.ReplaceAll(param, "_", "-")
	if slices.Contains(withFlags, param) {
		return name
	}
	return "param " + name
}

// param is the text of a parameter of --param.
func (f *paramFlags) param(name string) (text string, found bool) {
	for _, a := range f.Param {
		if a.name == name {
			text, found = a.text, true
		}
	}
	return text, found
}

// parameters lists those of all methods by name, each once: a name has one type, range and
// sentence wherever it is declared.
var parameters = sync.OnceValue(func() []learn.Param {
	all, err := learn.Agree(sparsekm.Methods())
	if err != nil {
		panic(err)
	}
	return all
})

// values are the parameters of the method that the command line has.
func (f *paramFlags) values(m sparsekm.Method) (learn.Values, error) {
	v := make(learn.Values)
	put(v, "c", f.C)
	put(v, "epsilon", f.Epsilon)
	put(v, "nu", f.Nu)
	put(v, "max_sv", f.MaxSV)
	put(v, "max_iter", f.MaxIter)
	put(v, "starts", f.Starts)
	put(v, "tolerance", f.Tolerance)
	put(v, "tune", f.Tune)
	if hasParameter(m, "seed") { // every training takes one, whether or not it draws anything
		put(v, "seed", f.Seed)
	}
	switch {
	case f.Candidates == nil:
	case f.Candidates.file == "":
		v["candidates"] = f.Candidates.n
	case !takesFile(m):
		return nil, usagef("--candidates: found %q, which is no number; of a file takes them %s", f.Candidates.file,
			learn.MethodsWith(takesFile))
	}
	for _, a := range f.Param {
		if slices.Contains(kernelParams, a.name) && !hasParameter(m, a.name) {
			continue
		}
		value, err := decoded(a)
		if err != nil {
			return nil, err
		}
		v[a.name] = value
	}
	return v, nil
}

// put puts a value of a flag that is there among others.
func put[T any](v learn.Values, name string, value *T) {
	if value != nil {
		v[name] = *value
	}
}

// decoded is the value of a parameter, of the type that it has in all methods.
func decoded(a assignment) (any, error) {
	for _, p := range parameters() {
		if p.Name == a.name {
			value := reflect.New(reflect.TypeOf(p.Default)).Elem()
			if err := session.Decode(value, a.text, false); err != nil {
				return nil, usagef("--param %s: %w", strings.ReplaceAll(a.name, "_", "-"), err)
			}
			return value.Interface(), nil
		}
	}
	return a.text, nil // which the method refuses
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

// seed returns the value of --seed, 1 without the flag.
func (f *paramFlags) seed() uint64 {
	if f.Seed == nil {
		return 1
	}
	return cmp.Or(*f.Seed, 1)
}

// candidates is the value of its flag: a number, or the file of the samples.
type candidates struct {
	n    int
	file string
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *candidates) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	switch {
	case string(text) == "all":
		n = -1
	case len(text) == 0 || session.FlagLike(string(text)):
		return fmt.Errorf("found %s, want a number or a file", session.OrEmpty(string(text)))
	case err != nil:
		c.file = string(text)
	}
	c.n = n
	return nil
}

// File is the name of the file, "" for a number.
func (c *candidates) File() string {
	if c == nil {
		return ""
	}
	return c.file
}

// takesFile reports whether candidates of the method may be samples of a file.
func takesFile(m sparsekm.Method) bool { return m.Candidates != learn.NoSides }

// loadCandidates reads the file of --candidates, if there is one, with samples like those of the training.
func (f *trainingFlags) loadCandidates(s *session.Session, o *request, train *dataset.Set, whose string) error {
	name := f.Candidates.File()
	if name == "" {
		return nil
	}
	r := f.reading(o, max(1, f.Mem.Bytes()-setBytes(train)))
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
