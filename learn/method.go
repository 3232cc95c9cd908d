package learn

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// Method describes a way to train, under the name that the command line uses.
type Method struct {
	Name       string // its trainers give it as theirs: see [Named]
	About      string // one line
	Paper      string // where it is from
	Tasks      []Task // that it takes; nil for Classify alone
	Validation bool   // it reads [Problem.Validation]
	Refit      bool   // its penalty shrinks coefficients, so that fitting them again may help: package refit
	KernelOnly bool   // it reads samples through the kernel alone, which may be over rows of a matrix ([gram.Kernel.On])
	Candidates Sides  // it reads [Problem.Candidates]
	OwnKernel  bool   // its models have a kernel of their own ([Result.Kernel]); Problem.Kernel is not read
	Programs   bool   // it solves linear programs, which [github.com/sparsekm/sparsekm/simplex.WithTrace] shows
	Values     bool   // it learns values of [Problem.Coded]
	Soft       bool   // it reads [Problem.Soft]
	Proves     bool   // it proves a bound of its gap, see [WithProof]

	Own []Param // of its parameters, those that no other package's methods have

	defaults Trainer // a trainer with the defaults of all parameters
}

// Values are parameters by name, for reports, files and the command line: each a
// float64, int, uint64, bool, string or []float64 as it is declared. JSON's numbers do as well.
type Values map[string]any

var register methods

type methods struct {
	sync.Mutex
	methods []Method
}

// Register adds the method whose trainers are of the type of defaults, which has the default of every parameter. A
// method's package calls it when the program starts, and a program has the methods whose packages it imports. It
// panics if the name is taken, or if the trainer gives another one. Parameters are read later, when somebody asks
// for them: see [Agree].
func Register(defaults Trainer, m Method) {
	m.defaults = defaults
	register.Lock()
	pos, taken := slices.BinarySearchFunc(register.methods, m.Name, func(m Method, name string) int {
		return strings.Compare(m.Name, name)
	})
	if !taken {
		register.methods = append(register.methods, Method{}) // slices.Insert would be 3 kB of code
		copy(register.methods[pos+1:], register.methods[pos:])
		register.methods[pos] = m
	}
	register.Unlock()
	if taken {
		panic(fmt.Sprintf("learn: method %q is registered twice", m.Name))
	}
	if name := defaults.Name(); name != m.Name {
		panic(fmt.Sprintf("learn: method %q is registered with a trainer that calls itself %q", m.Name, name))
	}
}

// Named gives a trainer the name of its method. It is embedded in the trainer's type T.
type Named[T any] struct{}

// Name returns the name under which T is registered.
func (Named[T]) Name() string {
	m, _ := methodOf(reflect.TypeFor[T]())
	return m.Name
}

// methodOf finds the method whose trainers have a type.
func methodOf(t reflect.Type) (Method, bool) {
	register.Lock()
	defer register.Unlock()
	for _, m := range register.methods {
		if reflect.TypeOf(m.defaults) == t {
			return m, true
		}
	}
	return Method{}, false
}

// Agree returns an error where two methods declare a parameter of one name with different types, ranges or
// descriptions: flags and files know parameters by their names alone. Else it returns the parameters of all by name,
// each once, with the first method's default. The command asks for them before it makes flags.
func Agree(methods []Method) ([]Param, error) {
	type declaration struct {
		method string
		Param
	}
	var all []*declaration
	for _, m := range methods {
		for _, q := range m.Params() {
			all = append(all, &declaration{m.Name, q})
		}
	}
	deal.Sort(all, func(a, b *declaration) int { return strings.Compare(a.Name, b.Name) })
	var list []Param
	for i, d := range all {
		if i == 0 || d.Name != all[i-1].Name {
			list = append(list, d.Param)
			continue
		}
		o := all[i-1]
		same := reflect.TypeOf(d.Default) == reflect.TypeOf(o.Default) && d.Range.Text == o.Range.Text && d.Doc == o.Doc
		if !same {
			return nil, fmt.Errorf("learn: parameter %s of %s is a %T, %s: %q; in %s it is a %T, %s: %q",
				d.Name, o.method, o.Default, o.Range.Text, o.Doc, d.method, d.Default, d.Range.Text, d.Doc)
		}
	}
	return list, nil
}

// Methods returns the registered methods by name: an order that does not depend on which
// package was started first.
func Methods() []Method {
	register.Lock()
	defer register.Unlock()
	return slices.Clone(register.methods)
}

// MethodsWith lists the names of the registered methods with a property.
func MethodsWith(has func(Method) bool) string {
	var names []string
	for _, m := range Methods() {
		if has(m) {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Lookup finds a method by name; its error is an [*UnknownMethodError].
func Lookup(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, &UnknownMethodError{Name: name, Have: names}
}

// UnknownMethodError is a name that no method of the program has.
type UnknownMethodError struct {
	Name string
	Have []string // the names of the methods whose packages the program imports, in ascending order
}

func (e *UnknownMethodError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("learn: no method %q (have %s; a Go program has the methods whose packages it imports, all with "+
		"github.com/sparsekm/sparsekm/learn/all)", e.Name, have)
}

// Params lists the method's parameters in the order of the trainer's fields.
func (m Method) Params() []Param { return m.params(m.empty()) }

// empty is a new trainer's struct, of zeros.
func (m Method) empty() reflect.Value { return reflect.New(reflect.TypeOf(m.defaults)).Elem() }

// New returns the method's trainer with the given parameters and the defaults for
// the rest. A name that it has not is an [*UnknownParamError]; a value of another type or
// out of its range is a [*ParamError].
func (m Method) New(v Values) (Trainer, error) {
	trainer := m.empty()
	params := m.params(trainer)
	for name, value := range v {
		i := slices.IndexFunc(params, func(q Param) bool { return q.Name == name })
		if i < 0 {
			return nil, &UnknownParamError{Method: m.Name, Param: name, Have: names(params)}
		}
		if err := params[i].assign(m.Name, value); err != nil {
			return nil, err
		}
	}
	return trainer.Interface().(Trainer), nil
}

func names(list []Param) []string {
	s := make([]string, len(list))
	for i, q := range list {
		s[i] = q.Name
	}
	return s
}

// assign sets the parameter to a value that somebody wrote: a written 0 means 0 and not the default.
func (q *Param) assign(method string, value any) error {
	v, ok := q.convert(value)
	if !ok {
		return &ParamError{Method: method, Param: q.Name, Value: value, Want: fmt.Sprintf("a %T", q.Default)}
	}
	if err := q.checkWord(method, v); err != nil {
		return err
	}
	for _, f := range numbers(v) {
		if q.Range.Has != nil && !q.Range.Has(f) {
			return &ParamError{Method: method, Param: q.Name, Value: value, Want: q.Range.Text}
		}
	}
	if isZero(v) && q.zeroOfUse() {
		switch q.Default.(type) {
		case float64:
			v = -1.0
		case int:
			v = -1
		}
	}
	q.set(v)
	return nil
}

// convert turns a value, a JSON number too, into the parameter's type.
func (q *Param) convert(value any) (any, bool) {
	if f, ok := value.(float64); ok {
		switch q.Default.(type) {
		case int:
			return int(f), float64(int(f)) == f
		case uint64:
			return uint64(f), f >= 0 && float64(uint64(f)) == f
		}
	}
	if list, ok := value.([]any); ok {
		var fs []float64
		for _, v := range list {
			f, ok := v.(float64)
			if !ok {
				return nil, false
			}
			fs = append(fs, f)
		}
		value = fs
	}
	return value, fmt.Sprintf("%T", value) == fmt.Sprintf("%T", q.Default)
}

// ValuesOf returns a trainer's parameters as it will use them, defaults included and
// without those that are off, such as a limit that there is not; nil for a trainer
// of a type that is not registered. [Method.New] makes the same trainer from them.
func ValuesOf(t Trainer) Values {
	m, ok := methodOf(reflect.TypeOf(t))
	if !ok {
		return nil
	}
	own := m.empty()
	own.Set(reflect.ValueOf(t))
	v := make(Values)
	for _, q := range m.params(own) {
		off := func(f float64) bool { return q.Range.Has != nil && !q.Range.Has(f) }
		if q.complete(m.Name) != nil || slices.ContainsFunc(numbers(q.get()), off) {
			continue
		}
		if list, ok := q.get().([]float64); ok && len(list) == 0 {
			continue
		}
		v[q.Name] = q.get()
	}
	return v
}

// Numbers returns the values that are single finite numbers and not 0, by name: what a
// model's file keeps for people to read.
func (v Values) Numbers() map[string]float64 {
	m := make(map[string]float64)
	for name, value := range v {
		if _, ok := value.([]float64); ok {
			continue
		}
		for _, f := range numbers(value) {
			if f != 0 && !math.IsInf(f, 0) {
				m[name] = f
			}
		}
	}
	return m
}
