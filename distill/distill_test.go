package distill

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
)

// rules is the teacher of three axis-aligned rules: log odds of the last class.
func rules(x []float64) float64 {
	side := func(yes bool) float64 {
		if yes {
			return 1
		}
		return -1
	}
	return 6 * (side(x[0] > 0.5) + side(x[1] > 0.3 && x[2] < 0.6) + 0.8*side(x[3] > 0.7))
}

// square is n samples of d features, drawn evenly from [0, 1].
func square(n, d int, seed uint64) *dataset.Set {
	rng := rand.New(rand.NewPCG(seed, 0))
	set := &dataset.Set{N: n, D: d, X: make([]float64, n*d)}
	for i := range set.X {
		set.X[i] = rng.Float64()
	}
	return set
}

// ask makes a teacher of a function of a sample, and counts its questions.
func ask(f func(x []float64) []float64, d int, asked *int) Teacher {
	return func(_ context.Context, x []float64, n int) (values []float64, err error) {
		*asked += n
		for i := range n {
			values = append(values, f(x[i*d:(i+1)*d])...)
		}
		return values, nil
	}
}

func logits(x []float64) []float64 { return []float64{rules(x)} }

// three are the probabilities of three classes, by distances.
func three(x []float64) (p []float64) {
	sum := 0.0
	for c, at := range [][2]float64{{0.2, 0.2}, {0.8, 0.3}, {0.5, 0.9}} {
		e := math.Exp(-20 * (math.Pow(x[0]-at[0], 2) + math.Pow(x[1]-at[1], 2)))
		p = append(p, e)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// The student follows three rules with few units, and better when the teacher is asked again.
func TestRules(t *testing.T) {
	var asked int
	set, test := square(500, 6, 1), square(4000, 6, 2)
	errs := make(map[int]float64)
	for _, rounds := range []int{-1, 2} {
		asked = 0
		r, err := Distill(context.Background(), set, Options{Kind: Logits, Ask: ask(logits, 6, &asked), MaxUnits: 16,
			Rounds: rounds})
		if err != nil {
			t.Fatal(err)
		}
		if r.Units > 16 || r.Failed != nil || r.Ended != "" || r.HeldOut == nil || r.Asked != asked-set.N {
			t.Errorf("rounds %d: the report is %+v", rounds, r.Report)
		}
		wrong := 0
		for i := range test.N {
			if (r.Classifier.Predict(test.Row(i)) == 1) != (rules(test.Row(i)) > 0) {
				wrong++
			}
		}
		errs[rounds] = float64(wrong) / float64(test.N)
		if a := r.HeldOut.Agreement; !(a.Value > 0.9) || !(a.Interval.Low < a.Value) {
			t.Errorf("rounds %d: the agreement is %v", rounds, a)
		}
	}
	t.Log(errs)
	if !(errs[2] < 0.02) || !(errs[2] <= errs[-1]) {
		t.Errorf("found the errors %v, want at most 0.02, and fewer with questions", errs)
	}
}

// Several classes share one pool of vectors, and the student's probabilities are near the teacher's.
func TestClasses(t *testing.T) {
	var asked int
	set, test := square(400, 2, 1), square(2000, 2, 2)
	r, err := Distill(context.Background(), set, Options{Ask: ask(three, 2, &asked), MaxUnits: 12, Rounds: 1,
		Labels: []string{"b", "a", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Classifier.NumSubmodels() != 3 || !slices.Equal(r.Classifier.Labels(), []string{"b", "a", "c"}) {
		t.Fatalf("found %d submodels, labels %q", r.Classifier.NumSubmodels(), r.Classifier.Labels())
	}
	p, off, same := make([]float64, 3), 0.0, 0
	for i := range test.N {
		x := test.Row(i)
		r.Classifier.Probabilities(p, x)
		want := three(x)
		for c := range p {
			off += math.Abs(p[c]-want[c]) / float64(3*test.N)
		}
		if slices.Index(want, slices.Max(want)) == r.Classifier.Predict(x) {
			same++
		}
	}
	if !(off < 0.05) || !(float64(same) > 0.95*float64(test.N)) {
		t.Errorf("probabilities are %.3f off, %d of %d classes are the teacher's", off, same, test.N)
	}
}

// A student of values.
func TestValues(t *testing.T) {
	f := func(x []float64) []float64 { return []float64{1000 + 50*math.Sin(5*x[0])*x[1]} }
	var asked int
	set, test := square(400, 3, 1), square(2000, 3, 2)
	r, err := Distill(context.Background(), set, Options{Kind: Values, Ask: ask(f, 3, &asked), MaxUnits: 10, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	var off, spread float64
	for i := range test.N {
		want := f(test.Row(i))[0]
		off += math.Pow(r.Classifier.Decide(test.Row(i))-want, 2)
		spread += math.Pow(want-1000, 2)
	}
	if !(off < 0.02*spread) || !(r.HeldOut.Agreement.Value > 0.95) {
		t.Errorf("%.3f of the variance is left; R² %v", off/spread, r.HeldOut.Agreement.Value)
	}
}

// Values are followed in whatever unit they are.
func TestUnits(t *testing.T) {
	set := square(150, 1, 1)
	for _, unit := range []float64{1e-6, 1e6} {
		values := make([]float64, set.N)
		for i := range values {
			values[i] = unit * (7 + math.Cos(6*set.X[i]))
		}
		r, err := Distill(context.Background(), set, Options{Kind: Values, Values: values, MaxUnits: 6})
		if err != nil {
			t.Fatal(err)
		}
		if !(r.HeldOut.Agreement.Value > 0.99) {
			t.Errorf("unit %v: R² is %v", unit, r.HeldOut.Agreement.Value)
		}
	}
}

// Folds give labels their weight where the teacher is wrong.
func TestLabels(t *testing.T) {
	set := square(600, 3, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	set.Labels = []string{"no", "yes"}
	wrong, right := make([]float64, set.N), make([]float64, set.N)
	for i := range set.N {
		y := 0
		if set.Row(i)[0]+set.Row(i)[1]+0.05*rng.NormFloat64() > 1 {
			y = 1
		}
		set.Y = append(set.Y, y)
		right[i], wrong[i] = 0.1+0.8*float64(y), rng.Float64()
	}
	for _, c := range []struct {
		values []float64
		min    float64
	}{{wrong, 0.5}, {right, 0}} {
		r, err := Distill(context.Background(), set, Options{Values: c.values, MaxUnits: 6})
		if err != nil {
			t.Fatal(err)
		}
		if !(r.LabelWeight >= c.min) || r.HeldOut.Student == nil || r.HeldOut.Labels == nil {
			t.Errorf("the weight of the labels is %v, want at least %v", r.LabelWeight, c.min)
		}
		if c.min > 0 && !(r.HeldOut.Student.Value < r.HeldOut.Given.Value) {
			t.Errorf("the student errs on %v, the wrong teacher on %v", r.HeldOut.Student.Value, r.HeldOut.Given.Value)
		}
	}
	half := 0.25
	r, err := Distill(context.Background(), set, Options{Values: right, MaxUnits: 4, LabelWeight: &half})
	if err != nil || r.LabelWeight != half {
		t.Errorf("the weight is %v (%v), want the given %v", r.LabelWeight, err, half)
	}
}

// Budgets hold.
func TestBudgets(t *testing.T) {
	set := square(300, 5, 1)
	for i := range set.N {
		set.Y = append(set.Y, i%2)
	}
	set.Labels = []string{"a", "b"}
	values := make([]float64, set.N)
	for i := range values {
		values[i] = rules(set.Row(i))
	}
	r, err := Distill(context.Background(), set, Options{Kind: Scores, Values: values, MaxBytes: 500})
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := tableBytes(r.Classifier)
	if err != nil || bytes > 500 || bytes != r.Bytes || r.Units < 10 {
		t.Errorf("found %d units of %d bytes (%v), want at most 500 bytes", r.Units, bytes, err)
	}
	_, err = Distill(context.Background(), set, Options{Kind: Scores, Values: values, MaxBytes: 10})
	if err == nil || !strings.Contains(err.Error(), "more than the budget") {
		t.Errorf("10 bytes: %v", err)
	}
	r, err = Distill(context.Background(), set, Options{Kind: Scores, Values: values, MaxNanos: 1e6, MaxUnits: 3})
	if err != nil || r.Units != 3 {
		t.Errorf("a millisecond and three units: %v, %v", r, err)
	}
}

// A teacher that fails later leaves the student of its answers.
func TestFails(t *testing.T) {
	set, wrong := square(200, 6, 1), errors.New("it rains")
	for name, answer := range map[string]func([]float64) ([]float64, error){
		"it rains":         func([]float64) ([]float64, error) { return nil, wrong },
		"want 1 for each":  func(v []float64) ([]float64, error) { return v[1:], nil },
		"a finite number":  func(v []float64) ([]float64, error) { v[3] = math.NaN(); return v, nil },
		"want a number fr": func(v []float64) ([]float64, error) { v[3] = 3; return v, nil },
	} {
		first := true
		teacher := func(_ context.Context, x []float64, n int) ([]float64, error) {
			v := make([]float64, n)
			for i := range v {
				v[i] = 1 / (1 + math.Exp(-rules(x[i*6:(i+1)*6])))
			}
			if first {
				first = false
				return v, nil
			}
			return answer(v)
		}
		r, err := Distill(context.Background(), set, Options{Ask: teacher, MaxUnits: 4})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Classifier == nil || r.Failed == nil || !strings.Contains(r.Failed.Error(), name) || r.Asked != 0 {
			t.Errorf("%s: failed with %v, asked %d", name, r.Failed, r.Asked)
		}
		if _, err = Distill(context.Background(), set, Options{Ask: func(context.Context, []float64, int) ([]float64, error) {
			return answer(make([]float64, set.N))
		}}); err == nil {
			t.Errorf("%s: no error for the first answers", name)
		}
	}
}

// An interrupt leaves the student so far.
func TestInterrupt(t *testing.T) {
	set := square(200, 6, 1)
	ctx, cancel := context.WithCancel(context.Background())
	first := true
	r, err := Distill(ctx, set, Options{Kind: Logits, MaxUnits: 4,
		Ask: func(ctx context.Context, x []float64, n int) ([]float64, error) {
			if !first {
				cancel()
				return nil, ctx.Err()
			}
			first = false
			var asked int
			return ask(logits, 6, &asked)(ctx, x, n)
		}})
	if err != nil || r.Classifier == nil || r.Ended != "cancelled" || r.Failed != nil {
		t.Fatalf("found %+v, %v", r, err)
	}
	if _, err = Distill(ctx, set, Options{Kind: Logits, Values: make([]float64, set.N)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

// The same options give the same student for any number of threads.
func TestThreads(t *testing.T) {
	set := square(150, 6, 1)
	var bits [][]byte
	for _, threads := range []int{1, 3} {
		var asked int
		o := Options{Kind: Logits, Ask: ask(logits, 6, &asked), MaxUnits: 5, Rounds: 1}
		o.Threads = threads
		r, err := Distill(context.Background(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Classifier.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		bits = append(bits, b)
	}
	if !slices.Equal(bits[0], bits[1]) {
		t.Error("the student depends on the number of threads")
	}
}

// New samples stay within the ranges; few numbers, whole numbers, categories and missing cells are the data's.
func TestDraw(t *testing.T) {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(1, 0))
	b.WriteString("real,whole,code,colour,ok,day,gap,y\n")
	for range 60 {
		gap := ""
		if rng.IntN(3) > 0 {
			gap = dataset.Columns{{Role: dataset.RoleNumber}}.Cells([]float64{rng.Float64()})[0]
		}
		b.WriteString(strings.Join([]string{cell(10 * rng.Float64()), cell(float64(rng.IntN(1000))),
			cell(float64(7 * rng.IntN(4))), []string{"red", "green", "blue"}[rng.IntN(3)], []string{"yes", "no"}[rng.IntN(2)],
			[]string{"2024-01-01", "2024-05-05", "2025-01-07"}[rng.IntN(3)], gap, []string{"a", "b"}[rng.IntN(2)]}, ",") + "\n")
	}
	set, err := dataset.Read(strings.NewReader(b.String()), "t.csv", dataset.Options{Guess: true,
		Missing: dataset.MissingMark})
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Columns {
		if c := &set.Columns[i]; c.Name == "gap" {
			c.Marked = true
		}
	}
	set, err = dataset.Read(strings.NewReader(b.String()), "t.csv", dataset.Options{Columns: set.Columns})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Seed: 1}, set: set, fields: fieldsOf(set)}
	d := r.newDrawer(make([]float64, set.N), 1)
	known := make(map[string]map[string]bool)
	lo, hi := slices.Clone(set.Row(0)), slices.Clone(set.Row(0))
	names := []string{"real", "whole", "code", "colour", "ok", "day", "gap"}
	for i := range set.N {
		for k, v := range set.Row(i) {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
		for k, text := range set.Columns.Cells(set.Row(i)) {
			if known[names[k]] == nil {
				known[names[k]] = make(map[string]bool)
			}
			known[names[k]][text] = true
		}
	}
	fresh := 0
	for range 3000 {
		x, of := d.one(nil)
		if of[0] < 0 || of[1] < 0 || of[0] >= set.N || of[1] >= set.N || len(x) != set.D {
			t.Fatalf("found the parents %v of %d features", of, len(x))
		}
		for k, v := range x {
			if !(v >= lo[k] && v <= hi[k]) {
				t.Fatalf("feature %d is %v, beyond %v to %v", k, v, lo[k], hi[k])
			}
		}
		cells := set.Columns.Cells(x)
		for _, k := range []int{2, 3, 4, 5} {
			if !known[names[k]][cells[k]] {
				t.Fatalf("%s is %q, which no sample has", names[k], cells[k])
			}
		}
		if strings.ContainsAny(cells[1], ".e") {
			t.Fatalf("a whole number is %s", cells[1])
		}
		if !known["real"][cells[0]] {
			fresh++
		}
	}
	if fresh < 2000 {
		t.Errorf("only %d of 3000 samples are new", fresh)
	}
}

func cell(v float64) string {
	return dataset.Columns{{Role: dataset.RoleNumber}}.Cells([]float64{v})[0]
}

// Every second sample is drawn where student and teacher differ.
func TestDrawsWhereTheyDiffer(t *testing.T) {
	set := square(100, 2, 1)
	r := &run{Options: Options{Seed: 1}, set: set, fields: fieldsOf(set)}
	differences := make([]float64, set.N)
	differences[7] = 0.3
	d, at := r.newDrawer(differences, 1), 0
	for range 4000 {
		if _, of := d.one(nil); of[0] == 7 {
			at++
		}
	}
	if at < 1850 || at > 2200 {
		t.Errorf("sample 7 is drawn %d times of 4000, want about half", at)
	}
}

// Bad input is an error, not a panic.
func TestBadOptions(t *testing.T) {
	set := square(20, 2, 1)
	labelled := *set
	labelled.Y, labelled.Labels = make([]int, set.N), []string{"a", "b"}
	labelled.Y[3] = 1
	valued := *set
	valued.Targets = make([]float64, set.N)
	two := -2.0
	for want, c := range map[string]struct {
		set *dataset.Set
		o   Options
	}{
		"neither a teacher's values": {set, Options{}},
		"as many for each":           {set, Options{Values: make([]float64, 7)}},
		"want one: a model predicts": {set, Options{Kind: Values, Values: make([]float64, 40)}},
		"one a class":                {&labelled, Options{Values: make([]float64, 60)}},
		"sum to 0":                   {&labelled, Options{Values: make([]float64, 40)}},
		"negative budget":            {set, Options{Values: make([]float64, 20), MaxBytes: -1}},
		"weight of the labels":       {set, Options{Values: make([]float64, 20), LabelWeight: &two}},
		"the set classes":            {&labelled, Options{Kind: Values, Values: make([]float64, 20)}},
		"the set values":             {&valued, Options{Values: make([]float64, 20)}},
		"from 0 to 1":                {set, Options{Values: slices.Repeat([]float64{2}, 20)}},
	} {
		if _, err := Distill(context.Background(), c.set, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
