package prepare

import (
	"reflect"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// large is a default for more samples than a method's programs are made for, of a field that nobody has set.
type large struct {
	method, field string
	above, value  int
	unless        []string // fields that, if set, want all samples
}

// larges has a row for each method with such a default; docs/guide/scale.md says what it costs.
var larges = []large{
	{"lssvm-chol", "MaxSV", 4000, 1000, nil},
	{"skm", "Candidates", 4000, 2000, nil},
	{"ssvc-a", "Candidates", 20_000, 500, []string{"TwoNorm", "Norm", "ExactRounds"}},
	{"ssvc-b", "Candidates", 20_000, 500, nil},
	{"ssvr-a", "Candidates", 4000, 500, nil},
	{"ssvr-b", "Candidates", 4000, 500, nil},
}

// ForSize returns the trainer with its method's default for so many samples.
func ForSize(t learn.Trainer, samples int) learn.Trainer {
	given := reflect.ValueOf(t)
	at := slices.IndexFunc(larges, func(l large) bool { return l.method == t.Name() })
	if at < 0 || samples <= larges[at].above || given.Kind() != reflect.Struct {
		return t
	}
	l, own := &larges[at], reflect.New(given.Type()).Elem()
	own.Set(given)
	isSet := func(name string) bool { return !fieldOf(own, name).IsZero() }
	if !fieldOf(own, l.field).IsValid() || isSet(l.field) || slices.ContainsFunc(l.unless, isSet) {
		return t
	}
	fieldOf(own, l.field).SetInt(int64(l.value))
	return own.Interface().(learn.Trainer)
}

// fieldOf finds a field of a struct or of one that is embedded in it. The zero value is for none.
func fieldOf(v reflect.Value, name string) (found reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Name == name:
			return v.Field(i)
		case f.Anonymous && f.Type.Kind() == reflect.Struct && !found.IsValid():
			found = fieldOf(v.Field(i), name)
		}
	}
	return found
}
