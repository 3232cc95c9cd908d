package sparsekm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
)

// Params holds the parameters of every method by the names that the command
// line and the JSON reports use. A method reads those that [Method.Uses] lists;
// zero means the method's default.
type Params struct {
	C          float64   `json:"c,omitempty"`              // weight of the errors against the complexity
	C1         float64   `json:"c1,omitempty"`             // weight of the zero norm in the combined objective of ssvc-a; 0 leaves the two-norm out
	Norm       float64   `json:"norm,omitempty"`           // p of the p-norm that is penalised
	GammaReg   float64   `json:"gamma_reg,omitempty"`      // weight of the squared errors of the dual LS-SVM
	GammaGrid  []float64 `json:"gamma_grid,omitempty"`     // values that GammaReg is chosen from by the leave-one-out error
	Noise      float64   `json:"noise,omitempty"`          // variance of the noise on the labels
	Eta        float64   `json:"eta,omitempty"`            // a selection stops when the next point adds less than this
	MaxSV      int       `json:"max_sv,omitempty"`         // most support vectors that a selection takes; 0 for no limit
	MinSV      int       `json:"min_sv,omitempty"`         // fewest support vectors that pruning leaves
	Fraction   float64   `json:"prune_fraction,omitempty"` // part of the set that a step of pruning leaves out
	OfCurrent  bool      `json:"of_current,omitempty"`     // Fraction is of what is left, not of the first set
	Slack      float64   `json:"slack,omitempty"`          // loss of training accuracy that pruning may cost
	Candidates int       `json:"candidates,omitempty"`     // random points that a selection scores in each step; 0 for the method's default, negative for all
	Margin     float64   `json:"margin,omitempty"`         // δ of skm in (0, 1]; 0 searches for it
	Threshold  float64   `json:"sv_threshold,omitempty"`   // smallest |α|/max|α| of a support vector; negative keeps every nonzero one
	Seed       uint64    `json:"seed,omitempty"`           // of what is drawn at random
	Tolerance  float64   `json:"tolerance,omitempty"`      // largest violation of the optimality conditions at which a solver stops
	MaxIter    int       `json:"max_iter,omitempty"`       // limit on the iterations of a solver
	// Dump receives every linear program that is solved. Trainings of more than two classes call it from several goroutines.
	Dump func(*simplex.LP) error `json:"dump_lp"`
}

// Map returns the numbers that are not zero, by name.
func (p Params) Map() map[string]float64 {
	m := make(map[string]float64)
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() && f.CanConvert(reflect.TypeFor[float64]()) {
			m[paramName(i)] = f.Convert(reflect.TypeFor[float64]()).Float()
		}
	}
	return m
}

// A Method is a way to train, registered under the name that the command line uses.
type Method struct {
	Name     string
	About    string   // one line
	Paper    string   // where it is from
	Uses     []string // JSON names of the fields of Params that it reads
	Defaults Params   // what a zero field stands for

	build func(Params) learn.Trainer
}

// New returns the method's trainer. The trainer checks the values when it trains.
func (m Method) New(p Params) learn.Trainer { return m.build(m.Fill(p)) }

// Fill returns p as the method reads it: with its defaults in the place of
// zeros, and zeros in the place of what it does not use.
func (m Method) Fill(p Params) Params {
	to, from := reflect.ValueOf(&p).Elem(), reflect.ValueOf(m.Defaults)
	for i := range to.NumField() {
		if !slices.Contains(m.Uses, paramName(i)) {
			to.Field(i).SetZero()
		} else if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return p
}

// paramName is the name of field i of Params.
func paramName(i int) string {
	name, _, _ := strings.Cut(reflect.TypeFor[Params]().Field(i).Tag.Get("json"), ",")
	return name
}

// Methods returns every method, in the order of the documentation.
func Methods() []Method { return slices.Clone(methods) }

// Lookup finds a method by name.
func Lookup(name string) (Method, error) {
	names := make([]string, len(methods))
	for i, m := range methods {
		if m.Name == name {
			return m, nil
		}
		names[i] = m.Name
	}
	return Method{}, fmt.Errorf("sparsekm: no method %q (have %s)", name, strings.Join(names, ", "))
}
