package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Params collects the declarations of one trainer's parameters: names, types,
// defaults, ranges and what they mean, each bound to a field. Flags, JSON, the
// list of methods and the checks before a training are all made from it.
type Params struct{ list []Param }

// Param is one declared parameter of a method.
type Param struct {
	Name    string   // as in JSON; the flag has - for _
	Doc     string   // a sentence for people
	Default any      // float64, int, uint64, bool, string or []float64: the type of the parameter
	Range   Range    // of the numbers; unset for a bool, and for a word a text alone
	Words   []string // that a string may be; nil for other types

	get    func() any
	set    func(any)
	isZero func() bool
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
	Any         = Range{"a whole number", func(float64) bool { return true }}
)

// Float declares a number at *at.
func (p *Params) Float(name string, at *float64, def float64, r Range, doc string) {
	declare(p, name, at, def, r, doc)
}

// Int declares a whole number at *at.
func (p *Params) Int(name string, at *int, def int, r Range, doc string) {
	declare(p, name, at, def, r, doc)
}

// Uint declares a seed or the like at *at.
func (p *Params) Uint(name string, at *uint64, def uint64, doc string) {
	declare(p, name, at, def, Any, doc)
}

// Bool declares a switch at *at, off by default.
func (p *Params) Bool(name string, at *bool, doc string) {
	p.list = append(p.list, Param{Name: name, Doc: doc, Default: false,
		get: func() any { return *at }, set: func(v any) { *at = v.(bool) }, isZero: func() bool { return !*at }})
}

// Floats declares a list of numbers, each within r, at *at; it is empty by default.
func (p *Params) Floats(name string, at *[]float64, r Range, doc string) {
	p.list = append(p.list, Param{Name: name, Doc: doc, Default: []float64(nil), Range: r,
		get: func() any { return *at }, set: func(v any) { *at = slices.Clone(v.([]float64)) },
		isZero: func() bool { return len(*at) == 0 }})
}

// Word declares one of some words at *at; the first is the default.
func (p *Params) Word(name string, at *string, words []string, doc string) {
	text := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	p.list = append(p.list, Param{Name: name, Doc: doc, Default: words[0], Range: Range{Text: text}, Words: words,
		get: func() any { return *at }, set: func(v any) { *at = v.(string) }, isZero: func() bool { return *at == "" }})
}

func declare[T float64 | int | uint64](p *Params, name string, at *T, def T, r Range, doc string) {
	p.list = append(p.list, Param{Name: name, Doc: doc, Default: def, Range: r,
		get: func() any { return *at }, set: func(v any) { *at = v.(T) }, isZero: func() bool { return *at == 0 }})
}

// Complete puts the defaults instead of zeros, and zeros instead of the
// negative numbers that stand for them (see the package's comment), and checks every
// value against its range. It is the first thing that a Train does, on its copy of the parameters.
func Complete(method string, declare func(*Params)) error {
	var p Params
	declare(&p)
	return p.complete(method)
}

func (p *Params) complete(method string) error {
	for i := range p.list {
		if err := p.list[i].complete(method); err != nil {
			return err
		}
	}
	return nil
}

func (q *Param) complete(method string) error {
	if q.isZero() {
		q.set(q.Default)
		return nil // a default needs no check: some lie outside, as "no limit" does
	}
	if err := q.checkWord(method, q.get()); err != nil || q.Range.Has == nil {
		return err
	}
	for _, v := range q.numbers() {
		switch {
		case v < 0 && q.zeroOfUse():
			q.set(zeroLike(q.Default))
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

// numbers lists the values that the range is about.
func (q *Param) numbers() []float64 { return numbers(q.get()) }

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
	switch v := v.(type) {
	case float64:
		return v == 0
	case int:
		return v == 0
	case uint64:
		return v == 0
	case bool:
		return !v
	case string:
		return v == ""
	case []float64:
		return len(v) == 0
	}
	return v == nil
}

func zeroLike(v any) any {
	if _, ok := v.(int); ok {
		return 0
	}
	return 0.0
}

// ParamError is a parameter's value out of its range.
type ParamError struct {
	Method string
	Param  string // its name as in JSON
	Value  any
	Want   string
}

func (e *ParamError) Error() string {
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
