package dataset

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Real targets are read from both formats; a guess turns to them at the first fraction, and not before.
func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		text   string
		kind   TargetKind
		values []float64
		labels string
		want   string // of the error
	}{
		{"1 1:2\n2.5 1:3\n", TargetClasses, nil, "", `:2:1: found "2.5", want an integer label`},
		{"1 1:2\n2.5 1:3\n", TargetValues, []float64{1, 2.5}, "", ""},
		{"1 1:2\n2.5 1:3\n-1e-3 1:4\n", TargetGuess, []float64{1, 2.5, -1e-3}, "", ""},
		{"1 1:2\n2 1:3\n", TargetGuess, nil, "1,2", ""},
		{"1 1:2\n2 1:3\n", TargetValues, []float64{1, 2}, "", ""},
		{"1 1:2\nnan 1:3\n", TargetValues, nil, "", `:2:1: found "nan", want a finite number`},
		{"x,y\n1,0.5\n2,7\n", TargetGuess, []float64{0.5, 7}, "", ""},
		{"x,y\n1,a\n2,b\n", TargetGuess, nil, "a,b", ""},
		{"x,y\n1,a\n2,0.5\n", TargetGuess, nil, "", `found "0.5" in column "y", want a label`},
		{"x,y\n1,a\n", TargetValues, nil, "", `found "a" in column "y", want a finite number`},
		{"1,0.5\n2,1.5\n3,2.5\n", TargetValues, []float64{0.5, 1.5, 2.5}, "", ""},
	} {
		set, err := Read(strings.NewReader(tt.text), "f", Options{Targets: tt.kind})
		if tt.want != "" {
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if !slices.Equal(set.Targets, tt.values) || strings.Join(set.Labels, ",") != tt.labels ||
			(set.Y == nil) != (tt.labels == "") || !set.Targeted() {
			t.Errorf("%q: values %v, classes %v of %v", tt.text, set.Targets, set.Y, set.Labels)
		}
	}
	set, err := ReadCSV(strings.NewReader("a;b\n1,5;2,25\n"), "f", Options{Targets: TargetValues, Decimal: ','})
	if err != nil || set.Targets[0] != 2.25 {
		t.Errorf("decimal commas: %v, %v", set, err)
	}
}

// What is written reads back to the same bits, and rows keep their targets on the way.
func TestWriteTargets(t *testing.T) {
	set := Sinc(20, 0.1, 3)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"d.libsvm": func(b *bytes.Buffer) error { return set.WriteLIBSVM(b) },
		"d.csv":    func(b *bytes.Buffer) error { return set.WriteCSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&b, name, Options{Targets: TargetValues})
		if err != nil || !slices.Equal(back.Targets, set.Targets) || !slices.Equal(back.X, set.X) {
			t.Errorf("%s: %v (%v)", name, back, err)
		}
	}
	part := set.Subset([]int{7, 2})
	if want := []float64{set.Targets[7], set.Targets[2]}; !slices.Equal(part.Targets, want) {
		t.Errorf("rows 7 and 2 have %v, want %v", part.Targets, want)
	}
	for _, bad := range []*Set{
		{X: []float64{1}, N: 1, D: 1, Targets: []float64{1, 2}}, {X: []float64{1}, N: 1, D: 1, Targets: []float64{math.NaN()}},
		{X: []float64{1}, N: 1, D: 1, Targets: []float64{1}, Y: []int{0}, Labels: []string{"a"}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	if _, err := NewRegression([]float64{1}, 1, 1, nil); err == nil {
		t.Error("a set of values without any")
	}
}

// Without noise the generators are their formulas, and noise has its deviation.
func TestRegressionGenerators(t *testing.T) {
	for problem, f := range []func(x []float64) float64{
		func(x []float64) float64 { return math.Sin(x[0]) / x[0] },
		func(x []float64) float64 {
			return 10*math.Sin(math.Pi*x[0]*x[1]) + 20*math.Pow(x[2]-0.5, 2) + 10*x[3] + 5*x[4]
		},
		func(x []float64) float64 { return math.Sqrt(x[0]*x[0] + math.Pow(x[1]*x[2]-1/(x[1]*x[3]), 2)) },
		func(x []float64) float64 { return math.Atan((x[1]*x[2] - 1/(x[1]*x[3])) / x[0]) },
	} {
		draw := func(noise float64) *Set {
			if problem == 0 {
				return Sinc(2000, noise, 5)
			}
			return Friedman(problem, 2000, noise, 5)
		}
		plain, noisy := draw(0), draw(0.5)
		var square float64
		for i, y := range plain.Targets {
			testutil.Near(t, "value", y, f(plain.Row(i)), 1e-12*(1+math.Abs(y)))
			e := noisy.Targets[i] - f(noisy.Row(i))
			square += e * e
		}
		testutil.Near(t, "deviation", math.Sqrt(square/2000), 0.5, 0.03)
	}
}
