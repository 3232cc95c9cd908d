package learn_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/learn"
)

// toy has a parameter of every type.
type toy struct {
	learn.Named[toy]
	C     float64
	Keep  float64
	Draws int
	Steps int
	Seed  uint64
	Bare  bool
	Grid  []float64
}

func (toy) EstimateMemory(n, d int) int64 { return 0 }
func (t toy) Train(context.Context, *learn.Problem) (*learn.Result, error) {
	return &learn.Result{}, learn.Complete(&t)
}

var toyParams = []learn.Param{
	{Name: "toy_c", Field: "C", Range: learn.Positive, Doc: "Weight."},
	{Name: "toy_keep", Field: "Keep", Range: learn.NonNegative, Doc: "Threshold; 0 keeps all."},
	{Name: "toy_draws", Field: "Draws", Range: learn.Count, Doc: "Draws."},
	{Name: "toy_steps", Field: "Steps", Range: learn.Count, Doc: "Limit; none by default."},
	{Name: "toy_seed", Field: "Seed", Range: learn.NonNegative, Doc: "Seed."},
	{Name: "toy_bare", Field: "Bare", Doc: "Without a bias."},
	{Name: "toy_grid", Field: "Grid", Range: learn.Positive, Doc: "Grid."},
}

func init() {
	learn.Register(toy{C: 2, Keep: 0.5, Draws: 59, Seed: 1},
		learn.Method{Name: "toy", About: "a toy", Paper: "none", Own: toyParams})
}

// completed is the toy with its parameters as a training sees them.
func completed(t *testing.T, from toy) toy {
	t.Helper()
	if err := learn.Complete(&from); err != nil {
		t.Fatal(err)
	}
	return from
}

func TestZeroMeansDefault(t *testing.T) {
	if got, want := completed(t, toy{}), (toy{C: 2, Keep: 0.5, Draws: 59, Seed: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("the zero value is completed to %+v, want %+v", got, want)
	}
	set := toy{C: 3, Keep: 0.25, Draws: 5, Steps: 7, Seed: 9, Bare: true, Grid: []float64{1, 2}}
	if got := completed(t, set); !reflect.DeepEqual(got, set) {
		t.Errorf("completed to %+v, want %+v", got, set)
	}
	if got := completed(t, toy{Keep: -1}).Keep; got != 0 {
		t.Errorf("a negative threshold is completed to %v, want 0", got)
	}
}

func TestRanges(t *testing.T) {
	for name, bad := range map[string]toy{
		"negative": {C: -1}, "NaN": {C: math.NaN()}, "infinite": {C: math.Inf(1)}, "count": {Draws: -3},
		"limit": {Steps: -1}, "list": {Grid: []float64{1, 0}}, "threshold NaN": {Keep: math.NaN()},
	} {
		err := learn.Complete(&bad)
		var p *learn.ParamError
		if !errors.As(err, &p) || p.Method != "toy" || p.Param == "" {
			t.Errorf("%s: error %v, want a ParamError", name, err)
		}
	}
	err := learn.Complete(&toy{C: -1})
	if want := "toy: toy_c is -1, want a finite number > 0"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValues(t *testing.T) {
	m, err := learn.Lookup("toy")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := m.New(learn.Values{"toy_c": 4.0, "toy_keep": 0.0, "toy_steps": 3, "toy_bare": true,
		"toy_grid": []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	want := learn.Values{"toy_c": 4.0, "toy_keep": 0.0, "toy_draws": 59, "toy_steps": 3, "toy_seed": uint64(1),
		"toy_bare": true, "toy_grid": []float64{1}}
	got := learn.ValuesOf(tr)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("values %v, want %v: a written 0 is 0", got, want)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back learn.Values
	if err = json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if tr, err = m.New(back); err != nil || !reflect.DeepEqual(learn.ValuesOf(tr), want) {
		t.Errorf("through JSON: %v, %v, want %v", learn.ValuesOf(tr), err, want)
	}
	for name, bad := range map[string]learn.Values{
		"type": {"toy_c": "1"}, "fraction": {"toy_draws": 1.5}, "range": {"toy_c": 0.0}, "negative": {"toy_keep": -1.0},
	} {
		var p *learn.ParamError
		if _, err := m.New(bad); !errors.As(err, &p) {
			t.Errorf("%s: error %v, want a ParamError", name, err)
		}
	}
	var u *learn.UnknownParamError
	if _, err := m.New(learn.Values{"toy_d": 1.0}); !errors.As(err, &u) || u.Param != "toy_d" || len(u.Have) != 7 {
		t.Errorf("an unknown parameter: %v, want an UnknownParamError", err)
	}
	if n := got.Numbers(); !reflect.DeepEqual(n,
		map[string]float64{"toy_c": 4, "toy_draws": 59, "toy_steps": 3, "toy_seed": 1}) {
		t.Errorf("numbers %v", n)
	}
}

func TestRegister(t *testing.T) {
	var u *learn.UnknownMethodError
	if _, err := learn.Lookup("toys"); !errors.As(err, &u) || u.Name != "toys" || len(u.Have) == 0 {
		t.Errorf("error %v, want an UnknownMethodError", err)
	}
	if text := (&learn.UnknownMethodError{Name: "x"}).Error(); !strings.Contains(text, "github.com/sparsekm/sparsekm/learn/all") {
		t.Errorf("%q does not name the import of all methods", text)
	}
	for name, register := range map[string]func(){
		"twice":        func() { learn.Register(toy{}, learn.Method{Name: "toy"}) },
		"other name":   func() { learn.Register(stranger{}, learn.Method{Name: "toyish"}) },
		"unregistered": func() { _ = learn.Complete(&impostor{}) },
		"undescribed": func() {
			learn.Register(vague{}, learn.Method{Name: "vague"})
			m, _ := learn.Lookup("vague")
			m.Params()
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register()
		}()
	}
}

// stranger has another method's name.
type stranger struct{ toy }

// vague has a parameter that nobody describes.
type vague struct {
	toy
	Vague float64
}

func (vague) Name() string { return "vague" }

// other describes the toy's weight in another way.
type other struct{ toy }

func (other) Name() string { return "other" }

func TestAgree(t *testing.T) {
	own := slices.Clone(toyParams)
	own[0].Doc = "Another weight."
	learn.Register(other{toy{C: 2}}, learn.Method{Name: "other", Own: own})
	mine, err := learn.Lookup("toy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := learn.Agree([]learn.Method{mine, mine})
	if err != nil || len(all) != len(toyParams) ||
		!slices.IsSortedFunc(all, func(a, b learn.Param) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d parameters, error %v, want the %d of the toy by name", len(all), err, len(toyParams))
	}
	theirs, err := learn.Lookup("other")
	if err != nil {
		t.Fatal(err)
	}
	_, err = learn.Agree([]learn.Method{theirs, mine})
	if err == nil || !strings.Contains(err.Error(), "parameter toy_c of other is") ||
		!strings.Contains(err.Error(), "in toy it is") {
		t.Errorf("error %v, want one about toy_c", err)
	}
}

func TestDistinct(t *testing.T) {
	x := []float64{1, 0, 2, 3, 1, math.Copysign(0, -1), 2, 3, 1, 1}
	first, indices := learn.Distinct(x, 5, 2)
	if !reflect.DeepEqual(first, []int{0, 1, 4}) || !reflect.DeepEqual(indices, []int{0, 1, 0, 1, 2}) {
		t.Errorf("first %v, of %v", first, indices)
	}
	if first, indices = learn.Distinct(nil, 3, 0); !reflect.DeepEqual(first, []int{0}) ||
		!reflect.DeepEqual(indices, []int{0, 0, 0}) {
		t.Errorf("samples without features: first %v, of %v", first, indices)
	}
	wide := make([]float64, 5*200) // rows 1 and 3 end otherwise, −0 is 0
	wide[200+199], wide[3*200+130], wide[4*200+65] = 1, 1, math.Copysign(0, -1)
	first, indices = learn.Distinct(wide, 5, 200)
	if !reflect.DeepEqual(first, []int{0, 1, 3}) || !reflect.DeepEqual(indices, []int{0, 1, 0, 2, 0}) {
		t.Errorf("wide rows: %v and %v", first, indices)
	}
}

// TestMerge: weights of equal samples of one label add up at the first of them that is present.
func TestMerge(t *testing.T) {
	p := &learn.Problem{N: 7, D: 1, X: []float64{1, 1, 2, 1, 1, 2, 3}, Y: []float64{1, 1, -1, -1, 1, -1, 1},
		Weight: []float64{0, 2, 1, 3, 0.5, 1, 1}}
	q, indices := p.Merge()
	if !reflect.DeepEqual(q.Weight, []float64{0, 2.5, 2, 3, 0, 0, 1}) ||
		!reflect.DeepEqual(indices, []int{0, 1, 2, 3, 1, 2, 6}) {
		t.Errorf("weights %v, rows %v", q.Weight, indices)
	}
	p.Task, p.Y = learn.Regress, []float64{0.5, 0.5, 2, 0.7, 0.5, 2, 3}
	if q, _ = p.Merge(); !reflect.DeepEqual(q.Weight, []float64{0, 2.5, 2, 3, 0, 0, 1}) {
		t.Errorf("weights of values %v", q.Weight)
	}
	p.Task = learn.OneClass
	if q, indices = p.Merge(); q != p || indices != nil {
		t.Error("a copy of samples without targets")
	}
	p.Task = learn.Classify
	p.X[4], p.X[5] = 4, 5
	if q, indices = p.Merge(); q != p || indices != nil {
		t.Error("a copy of samples none of which repeats another's features and label")
	}
	e := learn.Expansion{Support: []int{6, 1, 3, 2}, Coef: []float64{1, 2, -2, 3}, Bias: 4}
	e.MergeDuplicates(p.X, 1)
	if !reflect.DeepEqual(e, learn.Expansion{Support: []int{6, 2}, Coef: []float64{1, 3}, Bias: 4}) {
		t.Errorf("joined %+v", e)
	}
	e = learn.Expansion{Support: []int{0, 1, 2}, Coef: []float64{1, 1e16, -1e16}}
	e.MergeDuplicates([]float64{7, 7, 7}, 1)
	if !reflect.DeepEqual(e, learn.Expansion{Support: []int{0}, Coef: []float64{1}}) {
		t.Errorf("joined %+v, whose sum is 1", e)
	}
}

// impostor has the name of another type's method.
type impostor struct{ toy }

func TestValuesOfOthers(t *testing.T) {
	if v := learn.ValuesOf(impostor{}); v != nil {
		t.Errorf("values %v of a trainer that is not registered", v)
	}
	if v := learn.ValuesOf(toy{}); v["toy_steps"] != nil || v["toy_grid"] != nil {
		t.Errorf("values %v, want none for a limit that is off", v)
	}
}

func TestPoints(t *testing.T) {
	p := &learn.Problem{X: []float64{1, 2, 3}, N: 3, D: 1}
	for _, c := range []struct {
		rows []int
		want []float64
	}{
		{[]int{0, 1, 2}, []float64{1, 2, 3}}, {[]int{0, 2}, []float64{1, 3}},
		{[]int{2, 0, 0}, []float64{3, 1, 1}}, {[]int{0, 2, 1}, []float64{1, 3, 2}},
	} {
		if got := p.Samples(c.rows); !reflect.DeepEqual(got, c.want) {
			t.Errorf("samples of rows %v: %v, want %v", c.rows, got, c.want)
		}
	}
}
