package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Method is a way to train under the name that the command line uses.
type Method struct {
	Name       string // as its trainers call themselves: Register fills it in
	About      string // one line
	Paper      string // where it is from
	Tasks      []Task // that it takes; nil for Classify alone
	Validation bool   // it reads Problem.Validation
	Refit      bool   // its price for few vectors shrinks their coefficients, which may be fitted again
	KernelOnly bool   // it reads samples through Problem.Kernel alone, which may be of rows of a matrix ([gram.Kernel.On])
	Candidates Sides  // it reads Problem.Candidates
	OwnKernel  bool   // its models have a kernel of their own ([Result.Kernel]); Problem.Kernel is not read
	Programs   bool   // it solves linear programs, which package lptrace shows

	// bind declares the parameters of a trainer: of a new one for nil, else of from, or
	// nothing if from is none of the method's. trainer returns it with what was set since.
	bind func(from Trainer) (params *Params, trainer func() Trainer)
}

// Values are parameters by name, for reports, files and the command line: each a
// float64, int, uint64, bool, string or []float64 as it is declared. JSON's numbers do as well.
type Values map[string]any

var register struct {
	sync.Mutex
	methods []Method
}

// Register adds the method whose trainers are of type T, under the name that T's Name returns. A method's package
// calls it when the program starts, and a program has the methods whose packages it imports. It panics if the name is
// taken, or if m has another one. Parameters are declared later, when somebody asks for them: see [Agree].
func Register[T Trainer](m Method, declare func(*T, *Params)) {
	m.bind = func(from Trainer) (*Params, func() Trainer) {
		t := new(T)
		if from != nil {
			own, ok := from.(T)
			if !ok {
				return nil, nil
			}
			*t = own
		}
		p := new(Params)
		declare(t, p)
		return p, func() Trainer { return *t }
	}
	enter(m, (*new(T)).Name())
}

// enter adds a method whose trainers have a name. It is apart from Register, of which there is one for each method.
func enter(m Method, name string) {
	if m.Name == "" {
		m.Name = name
	}
	if name != m.Name {
		panic(fmt.Sprintf("learn: method %q is registered with a trainer that calls itself %q", m.Name, name))
	}
	register.Lock()
	defer register.Unlock()
	for _, other := range register.methods {
		if other.Name == m.Name {
			panic(fmt.Sprintf("learn: method %q is registered twice", m.Name))
		}
	}
	at, _ := slices.BinarySearchFunc(register.methods, m.Name, func(m Method, name string) int {
		return strings.Compare(m.Name, name)
	})
	register.methods = slices.Insert(register.methods, at, m)
}

// Agree returns an error where two methods declare a parameter of one name with different types, ranges or
// descriptions: flags and files know parameters by their names alone. The command checks it before it makes flags.
func Agree(methods []Method) error {
	type declaration struct{ method, text string }
	seen := make(map[string]declaration)
	for _, m := range methods {
		for _, q := range m.Params() {
			d := declaration{m.Name, fmt.Sprintf("a %T, %s: %q", q.Default, q.Range.Text, q.Doc)}
			other, ok := seen[q.Name]
			if !ok {
				seen[q.Name] = d
			} else if d.text != other.text {
				return fmt.Errorf("learn: parameter %s of %s is %s; in %s it is %s",
					q.Name, d.method, d.text, other.method, other.text)
			}
		}
	}
	return nil
}

// Methods returns the registered methods by name: an order that does not depend on which
// package was started first.
func Methods() []Method {
	register.Lock()
	defer register.Unlock()
	return slices.Clone(register.methods)
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

// Params lists the method's parameters in the order of their declaration.
func (m Method) Params() []Param {
	p, _ := m.bind(nil)
	return p.list
}

// New returns the method's trainer with the given parameters and the defaults for
// the rest. A name that it has not is an [*UnknownParamError]; a value of another type or
// out of its range is a [*ParamError].
func (m Method) New(v Values) (Trainer, error) {
	p, trainer := m.bind(nil)
	for name, value := range v {
		i := slices.IndexFunc(p.list, func(q Param) bool { return q.Name == name })
		if i < 0 {
			return nil, &UnknownParamError{Method: m.Name, Param: name, Have: names(p.list)}
		}
		if err := p.list[i].assign(m.Name, value); err != nil {
			return nil, err
		}
	}
	return trainer(), nil
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
	m, err := Lookup(t.Name())
	if err != nil {
		return nil
	}
	p, _ := m.bind(t)
	if p == nil {
		return nil
	}
	v := make(Values, len(p.list))
	for i := range p.list {
		q := &p.list[i]
		off := func(f float64) bool { return q.Range.Has != nil && !q.Range.Has(f) }
		if q.complete(m.Name) != nil || slices.ContainsFunc(q.numbers(), off) {
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
