package direct_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// coded has a number and six columns of five levels, of which the first two and the number matter; some samples have
// no level.
func coded(n int, task learn.Task) *learn.Problem {
	rng := rand.New(rand.NewPCG(3, 4))
	p := &learn.Problem{N: n, D: 7, Task: task, Kernel: gram.RBF(1.0 / 7)}
	for k := 1; k < 7; k++ {
		p.Coded = append(p.Coded, learn.Coded{Feature: k, Levels: 5})
	}
	effect := []float64{0, -1, 2, -2, 1, 0.5}
	for range n {
		x := rng.NormFloat64()
		sum := 0.7 * x
		p.X = append(p.X, x)
		for k := range 6 {
			level := rng.IntN(6)
			if k < 2 {
				sum += effect[(level*(k+1))%6]
			}
			p.X = append(p.X, float64(level))
		}
		if task == learn.Regress {
			p.Y = append(p.Y, sum+0.1*rng.NormFloat64())
		} else {
			p.Y = append(p.Y, math.Copysign(1, sum+rng.NormFloat64()))
		}
	}
	return p
}

// TestLevels holds reports of models with values to the definitions, and the values to what they are for: the columns
// that do not matter are left out.
func TestLevels(t *testing.T) {
	for _, task := range []learn.Task{learn.Classify, learn.Regress} {
		for _, tr := range []direct.Trainer{{MaxSV: 4}, {MaxIter: 30}, {MaxSV: 4, FeatureWidths: true},
			{MaxSV: 4, Units: "steps"}, {MaxSV: 5, Units: "mixed"}, {Tune: true, MaxSV: 4, MaxIter: 20}} {
			p := coded(400, task)
			what := fmt.Sprintf("%v, %+v", task, tr)
			r := train(t, tr, p)
			v := check.New(p).Machine(tr, r)
			if len(v.Faults) > 0 || len(r.Values) != 30 {
				t.Fatalf("%s: %v, %d values", what, v.Faults, len(r.Values))
			}
			testutil.NearRel(t, what+": objective", r.Report.Objective, v.Objective, 1e-9)
			testutil.AtMost(t, what+": violation", v.Violation, 1e-6)
			if !searched(r.Report.Status, *r) || !strings.Contains(r.Report.Message, "gradient norm") {
				t.Errorf("%s: %v, %q", what, r.Report.Status, r.Report.Message)
			}
			left := 0
			for k, c := range p.Coded {
				out := r.KernelOf(p).Weights != nil && r.KernelOf(p).Weights[c.Feature] == 0
				if zero := !slices.ContainsFunc(r.Values[5*k:5*k+5], func(v float64) bool { return v != 0 }); zero != out {
					t.Errorf("%s: column %d has values %v and the weight %v", what, k, r.Values[5*k:5*k+5], r.KernelOf(p).Weights)
				}
				if out {
					left++
				}
				if out && k < 2 {
					t.Errorf("%s: column %d, which matters, is left out", what, k)
				}
			}
			if task == learn.Regress && left < 2 {
				t.Errorf("%s: %d of 4 columns that do not matter are left out", what, left)
			}
			if limit := float64(p.N) * 0.25; task == learn.Classify && float64(v.Wrong) > limit {
				t.Errorf("%s: %d samples wrong", what, v.Wrong)
			}
		}
	}
}

// TestLevelsJoint: several classes share the values.
func TestLevelsJoint(t *testing.T) {
	p := coded(500, learn.Classify)
	for i := range p.Y {
		p.Y[i] = float64(int(p.X[7*i+1]) % 3)
	}
	r, err := direct.Trainer{MaxSV: 6}.TrainJoint(t.Context(), p, 3)
	if err != nil {
		t.Fatal(err)
	}
	for o := range r {
		if !slices.Equal(r[o].Values, r[0].Values) || !searched(r[o].Report.Status, r...) {
			t.Errorf("model %d: values %v, status %v", o, r[o].Values, r[o].Report.Status)
		}
	}
}

// TestRareLevels: a level of one sample has a value near 0, and one without samples 0 at the start and at the end.
func TestRareLevels(t *testing.T) {
	p := coded(400, learn.Classify)
	for k := range p.Coded {
		p.Coded[k].Levels = 7
	}
	p.X[1] = 6 // the only sample of level 6; there is none of level 7
	r := train(t, direct.Trainer{MaxSV: 4}, p)
	largest := 0.0
	for _, v := range r.Values[:5] {
		largest = max(largest, math.Abs(v))
	}
	if rare, none := math.Abs(r.Values[5]), math.Abs(r.Values[6]); !(rare < 0.7*largest) || !(none < 0.05*largest) {
		t.Errorf("values %v", r.Values[:7])
	}
}
