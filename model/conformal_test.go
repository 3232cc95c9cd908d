package model

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// coveringParts is a model of values with an interval, which it knows with its variances.
func coveringParts() Parts {
	p := uncertainParts()
	p.Conformal = &Conformal{Coverage: 0.9, Folds: 5, Thresholds: []float64{1.75}}
	return p
}

// A file of version 6 stays readable for ever, and means the same.
func TestGoldenConformal(t *testing.T) {
	golden(t, "v6", mustNew(t, coveringParts()))
}

// TestConformalFiles writes and reads models with prediction sets, sparse ones too. One threshold costs 25 to 31 bytes.
func TestConformalFiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, p := range []Parts{coveringParts(), sparseParts(OneVsRest, gram.RBF(0.5)),
		randomParts(rnd, PairwiseFuzzy, gram.RBF(1), 5, 3), taskParts(learn.OneClass)} {
		p.Conformal = &Conformal{Coverage: 0.9, Thresholds: []float64{0.25}}
		plain := p
		plain.Conformal = nil
		for _, format := range []Format{SKM, JSON} {
			var b, without strings.Builder
			c := mustNew(t, p)
			if err := errors.Join(c.Write(&b, format), mustNew(t, plain).Write(&without, format)); err != nil {
				t.Fatal(err)
			}
			got, _, err := Read(strings.NewReader(b.String()), "f")
			if err != nil {
				t.Fatal(err)
			}
			if d := sameParts(got, c); d != "" {
				t.Errorf("%v: %s", format, d)
			}
			want := map[int]int{1: 31, 3: 26, 4: 26, 5: 25}[plain.version()]
			if more := b.Len() - without.Len(); format == SKM && more != want {
				t.Errorf("version %d: %d bytes more, want %d", plain.version(), more, want)
			}
		}
	}
	text := earlier(mustNew(t, coveringParts()))
	for _, swap := range [][2]string{{`"version":6`, `"version":4`}, {`"coverage":0.9`, `"coverage":1`},
		{`"folds":5`, `"folds":1`}, {`"thresholds":[1.75]`, `"thresholds":[1,2]`},
		{`"thresholds":[1.75]`, `"thresholds":[-1]`}} {
		other := strings.Replace(string(text), swap[0], swap[1], 1)
		if other == string(text) || new(Classifier).UnmarshalJSON([]byte(other)) == nil {
			t.Errorf("a model with %s is read", swap[1])
		}
	}
}

// TestConformalRank: ⌈coverage·(n+1)⌉ without rounding errors, and too few samples are an error that says how many.
func TestConformalRank(t *testing.T) {
	for _, tt := range []struct {
		coverage float64
		n, want  int
	}{{0.9, 9, 9}, {0.9, 8, 9}, {0.9, 10, 10}, {0.9, 99, 90}, {0.95, 19, 19}, {0.5, 1, 1}, {0.99, 99, 99}, {0.8, 4, 4}} {
		if got := ConformalRank(tt.coverage, tt.n); got != tt.want {
			t.Errorf("rank of %v among %d: %d, want %d", tt.coverage, tt.n, got, tt.want)
		}
	}
	c := mustNew(t, taskParts(learn.Regress))
	_, err := c.ConformValues(make([]float64, 8), make([]float64, 8), nil, 0.9, 0)
	if err == nil || !strings.Contains(err.Error(), "8 calibration samples, a coverage of 0.9 needs at least 9") {
		t.Error(err)
	}
	for _, coverage := range []float64{0, 1, 90, math.NaN()} {
		if _, err = c.ConformValues(make([]float64, 99), make([]float64, 99), nil, coverage, 0); err == nil {
			t.Errorf("a coverage of %v", coverage)
		}
	}
}

// slowScore is the least decision value of class c against another class, by the definition.
func slowScore(p *Parts, f []float64, c int) float64 {
	score := math.Inf(1)
	for other := range p.Labels {
		if other == c {
			continue
		}
		for i, m := range p.Submodels {
			switch {
			case m.Pos == c && m.Neg == other:
				score = min(score, f[i])
			case m.Pos == other && m.Neg == c:
				score = min(score, -f[i])
			case m.Pos == c && m.Neg == learn.Rest:
				for j, o := range p.Submodels {
					if o.Pos == other {
						score = min(score, f[i]-f[j])
					}
				}
			}
		}
	}
	return score
}

// TestConform: of the calibration samples as many as the rank says are in their own sets, by class where classes have
// thresholds of their own, and a class is in a set by the definition of scores.
func TestConform(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, scheme := range schemes {
		for _, byClass := range []bool{false, true} {
			c := mustNew(t, randomParts(rnd, scheme, gram.RBF(1), 8, 3))
			n, m, k := 97, c.NumSubmodels(), c.NumClasses()
			f, class := make([]float64, n*m), make([]int, n)
			for i := range f {
				f[i] = rnd.NormFloat64()
			}
			for i := range class {
				class[i] = i % k
			}
			with, err := c.Conform(class, f, 0.8, byClass, 0)
			if err != nil {
				t.Fatal(err)
			}
			sets := make([]bool, n*k)
			with.Sets(sets, f, n)
			in, of := make([]int, k), make([]int, k)
			parts, thresholds := with.Parts(), with.Conformal().Thresholds
			for i, y := range class {
				at := 0
				if byClass {
					at = y
				}
				of[at]++
				if sets[i*k+y] {
					in[at]++
				}
				for j := range k {
					limit := thresholds[0]
					if byClass {
						limit = thresholds[j]
					}
					if want := slowScore(&parts, f[i*m:(i+1)*m], j) >= limit; sets[i*k+j] != want {
						t.Fatalf("%v: class %d is in the set: %v", scheme, j, !want)
					}
				}
			}
			for at := range thresholds {
				if want := ConformalRank(0.8, of[at]); in[at] != want {
					t.Errorf("%v, by class %v: %d of %d samples in their sets, want %d", scheme, byClass, in[at], of[at], want)
				}
			}
		}
	}
}

// TestConformOneClass: an outlier has the empty set.
func TestConformOneClass(t *testing.T) {
	c := mustNew(t, taskParts(learn.OneClass))
	f := []float64{5, 4, 3, 2, 1, -1, -2, -3, -4}
	with, err := c.Conform(nil, slices.Clone(f), 0.7, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	sets := make([]bool, 2*len(f))
	with.Sets(sets, f, len(f))
	for i := range f {
		if want := i < 7; sets[2*i] || sets[2*i+1] != want {
			t.Errorf("decision %v: set %v", f[i], sets[2*i:2*i+2])
		}
	}
}

// TestConformValues: intervals are the value ± the threshold, times the standard deviation where there is one.
func TestConformValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	n := 99
	y, f, v := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], f[i], v[i] = rnd.NormFloat64(), rnd.NormFloat64(), rnd.Float64()
	}
	for _, p := range []Parts{taskParts(learn.Regress), uncertainParts()} {
		variances := v
		if p.Posterior == nil {
			variances = nil
		}
		c, err := mustNew(t, p).ConformValues(y, f, variances, 0.9, 0)
		if err != nil {
			t.Fatal(err)
		}
		ends, in := make([]float64, 2*n), 0
		c.Intervals(ends, f, variances, n)
		for i := range y {
			half := c.Conformal().Thresholds[0]
			if variances != nil {
				half *= math.Sqrt(v[i])
			}
			testutil.Near(t, "middle", (ends[2*i]+ends[2*i+1])/2, f[i], 1e-12)
			testutil.Near(t, "width", ends[2*i+1]-ends[2*i], 2*half, 1e-12)
			if ends[2*i] <= y[i] && y[i] <= ends[2*i+1] {
				in++
			}
		}
		if in != 90 {
			t.Errorf("%d of 99 values in their intervals, want 90", in)
		}
	}
}

// TestConformRefuses: what does not fit is an error, never a panic or a threshold of it.
func TestConformRefuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	nan, inf := math.NaN(), math.Inf(1)
	classes, one := mustNew(t, randomParts(rnd, OneVsRest, gram.RBF(1), 4, 2)), mustNew(t, taskParts(learn.OneClass))
	values, uncertain := mustNew(t, taskParts(learn.Regress)), mustNew(t, uncertainParts())
	k := classes.NumClasses()
	row := func(v float64) []float64 { return slices.Repeat([]float64{v}, k) }
	for _, tt := range []struct {
		want string
		err  func() (*Classifier, error)
	}{
		{"want 0 to", func() (*Classifier, error) { return classes.Conform([]int{k}, row(1), 0.5, false, 0) }},
		{"want 0 to", func() (*Classifier, error) { return classes.Conform([]int{-1}, row(1), 0.5, true, 0) }},
		{"decision values for 2", func() (*Classifier, error) { return classes.Conform([]int{0, 1}, row(1), 0.5, false, 0) }},
		{"decision values for 1", func() (*Classifier, error) { return classes.Conform([]int{0}, row(1)[1:], 0.5, false, 0) }},
		{"is NaN", func() (*Classifier, error) { return classes.Conform([]int{0}, row(nan), 0.5, false, 0) }},
		{"is +Inf", func() (*Classifier, error) { return one.Conform(nil, []float64{1, inf}, 0.5, false, 0) }},
		{"needs at least 1", func() (*Classifier, error) { return one.Conform(nil, nil, 0.5, false, 0) }},
		{"want 0 to", func() (*Classifier, error) { return classes.CalibrateOn(t.Context(), []int{k}, row(1)) }},
		{"decision values for 0", func() (*Classifier, error) { return classes.CalibrateOn(t.Context(), nil, row(1)) }},
		{"is NaN", func() (*Classifier, error) { return classes.CalibrateOn(t.Context(), []int{0}, row(nan)) }},
		{"1 values", func() (*Classifier, error) { return values.ConformValues([]float64{1, 2}, row(1)[:1], nil, 0.5, 0) }},
		{"1 variances", func() (*Classifier, error) { return values.ConformValues(row(1)[:1], row(1)[:1], row(1)[:1], 0.5, 0) }},
		{"0 variances", func() (*Classifier, error) { return uncertain.ConformValues(row(1)[:1], row(1)[:1], nil, 0.5, 0) }},
		{"not finite", func() (*Classifier, error) { return values.ConformValues(row(nan), row(1), nil, 0.5, 0) }},
		{"not finite", func() (*Classifier, error) { return values.ConformValues(row(1), row(inf), nil, 0.5, 0) }},
		{"not finite", func() (*Classifier, error) { return uncertain.ConformValues(row(1), row(2), row(-1), 0.5, 0) }},
	} {
		if _, err := tt.err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// FuzzConform: whatever the decisions are, prediction sets are refused, or the model is written and read again.
func FuzzConform(f *testing.F) {
	c, err := New(randomParts(rand.New(rand.NewPCG(7, 8)), OneVsRest, gram.RBF(1), 4, 2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0, 1, 2, 0, 1, 2, 0, 1}, 1.5, 0.5, true, 2)
	f.Add([]byte{0, 9, 200}, math.Inf(1), 0.9, false, 1<<40)
	f.Fuzz(func(t *testing.T, class []byte, scale, coverage float64, byClass bool, folds int) {
		of, decisions := make([]int, len(class)), []float64(nil)
		for i, k := range class {
			of[i] = int(int8(k)) % 4
			for j := range c.NumSubmodels() {
				decisions = append(decisions, scale*float64(int(k)*(j+1)%7))
			}
		}
		with, err := c.Conform(of, decisions, coverage, byClass, folds)
		if err != nil {
			return
		}
		out, err := with.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(out); err != nil {
			t.Fatal(err)
		}
	})
}

// Models without sets say so.
func TestCovers(t *testing.T) {
	c := mustNew(t, taskParts(learn.Regress))
	if err := c.Covers(); !errors.Is(err, errNoSets) || c.Conformal() != nil {
		t.Error(err)
	}
	refuses(t, "no prediction sets", func() { c.Intervals(nil, nil, nil, 0) })
	c = mustNew(t, coveringParts())
	refuses(t, "classes have sets and values have intervals", func() { c.Sets(nil, nil, 0) })
}

// refuses checks that f panics with a text.
func refuses(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, text) {
			t.Errorf("panic %q, want %q", got, text)
		}
	}()
	f()
}
