package learn

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Param is a parameter of a method, of which flags, JSON, the list of methods and the checks before a training are
// made. A method's parameters are the exported fields of its trainer that are numbers, switches, words or lists of
// numbers, those of embedded structs among them. [Method.Own] and the list of shared parameters say what they are.
type Param struct {
	Name    string   // as in JSON; the flag has - for _
	Field   string   // of the trainer; "" for the name in camel case, as MaxIter for max_iter
	Doc     string   // a sentence for people
	Default any      // float64, int, uint64, bool, string or []float64: the field's type; Register fills it in
	Range   Range    // of the numbers; unset for a bool
	Words   []string // that a string may be; nil for other types

	at reflect.Value // the field of one trainer
}

// Range is the numbers that a parameter may take. Its text ends the sentence "want ...".
type Range struct {
	Text string
	Has  func(float64) bool
}

// The ranges in use. No parameter takes a NaN.
var (
	Positive    = Range{"a finite number > 0", func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }}
	NonNegative = Range{"a finite number >= 0", func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }}
	Fraction    = Range{"a number > 0 and < 1", func(v float64) bool { return v > 0 && v < 1 }}
	UpToOne     = Range{"a number > 0 and <= 1", func(v float64) bool { return v > 0 && v <= 1 }}
	Share       = Range{"a number >= 0 and < 1", func(v float64) bool { return v >= 0 && v < 1 }}
	Count       = Range{"a whole number >= 1", func(v float64) bool { return v >= 1 }}
	draws       = Range{"a whole number >= 1, or -1 for all", func(v float64) bool { return v >= 1 || v == -1 }}
	anyInteger  = Range{"a whole number", func(float64) bool { return true }}
)

// params lists the parameters of a trainer in the order of its fields. v is the trainer's struct, which can be set.
func (m Method) params(v reflect.Value) []Param {
	return m.appendParams(nil, slices.Concat(m.Own, sharedParams()), v, reflect.ValueOf(m.defaults))
}

func (m Method) appendParams(list, known []Param, v, defaults reflect.Value) []Param {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			list = m.appendParams(list, known, v.Field(i), defaults.Field(i))
			continue
		}
		if !f.IsExported() || f.Type.Kind() == reflect.Func {
			continue
		}
		q := m.param(known, f.Name)
		q.at, q.Default = v.Field(i), defaults.Field(i).Interface()
		if q.Words != nil {
			last := len(q.Words) - 1
			q.Range.Text = strings.Join(q.Words[:last], ", ") + " or " + q.Words[last]
		}
		list = append(list, q)
	}
	return list
}

// param describes the parameter of a field.
func (m Method) param(known []Param, field string) Param {
	for i := range known {
		q := &known[i]
		if field == q.Field || q.Field == "" && camelCase(q.Name, field) {
			return *q
		}
	}
	panic(fmt.Sprintf("learn: method %q does not say what its parameter %s is", m.Name, field))
}

// camelCase reports whether the field is the name without _, but for the case of its letters. The start of every
// command asks thousands of times.
func camelCase(name, field string) bool {
	if len(name)-strings.Count(name, "_") != len(field) {
		return false
	}
	return strings.EqualFold(strings.ReplaceAll(name, "_", ""), field)
}

func (q *Param) get() any { return q.at.Interface() }

func (q *Param) set(v any) {
	if list, ok := v.([]float64); ok {
		v = slices.Clone(list)
	}
	q.at.Set(reflect.ValueOf(v))
}

// Complete puts the defaults instead of zeros, and zeros instead of the
// negative numbers that stand for them (see the package's comment), and checks every
// value against its range. It is the first thing that a Train does, on its copy of the parameters. It panics if no
// method is registered for T.
func Complete[T Trainer](t *T) error { return complete(reflect.ValueOf(t).Elem()) }

func complete(v reflect.Value) error {
	m, ok := methodOf(v.Type())
	if !ok {
		panic(fmt.Sprintf("learn: %v is not registered", v.Type()))
	}
	for _, q := range m.params(v) {
		if err := q.complete(m.Name); err != nil {
			return err
		}
	}
	return nil
}

func (q *Param) complete(method string) error {
	if isZero(q.get()) {
		q.set(q.Default)
		return nil // a default needs no check: some lie outside, as "no limit" does
	}
	if err := q.checkWord(method, q.get()); err != nil || q.Range.Has == nil {
		return err
	}
	for _, v := range numbers(q.get()) {
		switch {
		case v < 0 && !math.IsInf(v, -1) && q.zeroOfUse():
			q.at.SetZero()
		case !q.Range.Has(v): // NaN too: no range has it
			return &ParamError{Method: method, Param: q.Name, Value: v, Want: q.Range.Text}
		}
	}
	return nil
}

// checkWord refuses a string that is none of the words.
func (q *Param) checkWord(method string, v any) error {
	if s, ok := v.(string); ok && !slices.Contains(q.Words, s) {
		return &ParamError{Method: method, Param: q.Name, Value: s, Want: q.Range.Text}
	}
	return nil
}

// zeroOfUse reports whether 0 is a value in range that differs from the default.
func (q *Param) zeroOfUse() bool { return q.Range.Has != nil && q.Range.Has(0) && !isZero(q.Default) }

// numbers lists the values that a range is about.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case int:
		return []float64{float64(v)}
	case uint64:
		return []float64{float64(v)}
	case []float64:
		return v
	}
	return nil
}

func isZero(v any) bool {
	if list, ok := v.([]float64); ok {
		return len(list) == 0
	}
	return v == nil || reflect.ValueOf(v).IsZero()
}

// ParamError is a parameter's value out of its range.
type ParamError struct {
	Method string // "" for what all methods have, such as a kernel's parameter
	Param  string // its name as in JSON
	Value  any
	Want   string
}

func (e *ParamError) Error() string {
	if e.Method == "" {
		return fmt.Sprintf("%s: found %v, want %s", e.Param, e.Value, e.Want)
	}
	return fmt.Sprintf("%s: %s is %v, want %s", e.Method, e.Param, e.Value, e.Want)
}

// UnknownParamError is a parameter that the method does not have.
type UnknownParamError struct {
	Method string
	Param  string
	Have   []string
}

func (e *UnknownParamError) Error() string {
	return fmt.Sprintf("%s: no parameter %s, only %s", e.Method, e.Param, strings.Join(e.Have, ", "))
}

// sharedParams are the parameters of several packages' methods, so that a name has one range and one sentence
// everywhere. Defaults are the method's own. They are no variable: a program that trains nothing does not link them.
func sharedParams() []Param {
	return []Param{
		{Name: "c", Range: Positive, Doc: "Weight of the errors against the complexity."},
		{Name: "epsilon", Range: NonNegative, Doc: "Errors of a value up to this are none."},
		{Name: "nu", Range: UpToOne,
			Doc: "Share of the samples: most that have errors, least that are vectors (but of sparse-one-class)."},
		{Name: "tolerance", Range: Positive, Doc: "Largest violation of the optimality conditions at which the solver stops."},
		{Name: "max_iter", Range: Count, Doc: "Limit on the solver's iterations."},
		{Name: "starts", Range: Count, Doc: "Initial models that are tried; the best result stays. 1 is the paper's alone."},
		{Name: "sv_threshold", Field: "Threshold", Range: Share,
			Doc: "Drop coefficients below this part of the largest and fit the rest again. Default: keep all that are not zero."},
		{Name: "eta", Range: Positive, Doc: "A selection of support vectors stops when the next one adds less than this."},
		{Name: "max_sv", Range: Count, Doc: "Most support vectors that a selection takes."},
		{Name: "candidates", Range: draws,
			Doc: "Samples drawn as possible vectors, by some methods if there are many; by a selection in each step. -1 for all."},
		{Name: "choose", Words: []string{ChooseSpread, ChoosePivots},
			Doc: "How candidates are chosen from a random sample of the samples."},
		{Name: "seed", Range: anyInteger, Doc: "Seed of whatever is drawn at random."},
	}
}

// AllSamples is the default of a [Subset]: every sample may be a support vector.
var AllSamples = Subset{Candidates: -1, Choose: ChooseSpread, Seed: 1}
