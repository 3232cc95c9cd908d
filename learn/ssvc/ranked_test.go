package ssvc

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// Of 400 samples, where reweighting drops every fifth feature that says something, ranks keep all and few others.
func TestRankedKept(t *testing.T) {
	if testing.Short() {
		t.Skip("large samples")
	}
	for _, tt := range []struct {
		name    string
		draw    func(int, uint64) *dataset.Set
		squares bool
		max     float64
	}{{"twonorm", dataset.Twonorm, false, 0.04}, {"ringnorm", dataset.Ringnorm, true, 0.04}} {
		p, test := noisy(t, tt.draw(400, 3), 80), noisy(t, tt.draw(5000, 4), 80)
		r, err := Features{Squares: tt.squares, Ranked: true}.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Report.Figures.(FeatureFigures)
		if f := got.Features; len(f) < 20 || len(f) > 24 || !slices.Equal(f[:20], first(20)) || got.Certificate != nil ||
			r.Report.Status != status.Optimal {
			t.Errorf("%s: %v, features %v, want the first 20 and few others", tt.name, r.Report.Status, f)
		}
		wrong := 0
		for i := range test.N {
			if !(test.Y[i]*valueOf(r, test.X[i*test.D:(i+1)*test.D]) > 0) {
				wrong++
			}
		}
		testutil.AtMost(t, tt.name+": error", float64(wrong)/float64(test.N), tt.max)
	}
}

// The model is the round with λ = 1, by the literal transcription of (9), of the features that were kept, in units of
// four standard deviations from their means.
func TestRankedRound(t *testing.T) {
	const c = 2
	p := fewFeatures(t, 60)
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = 0.5 + float64(i%3)
	}
	for _, squares := range []bool{false, true} {
		r, err := Features{C: c, Squares: squares, Ranked: true, Tolerance: 1e-10}.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Optimal {
			t.Fatal(r.Report.Status)
		}
		kbar, lambda, cost := [][]float64{slices.Clone(p.Y)}, []float64{1}, make([]float64, p.N)
		for i := range cost {
			cost[i] = c * p.Weight[i]
		}
		for _, f := range r.Report.Figures.(FeatureFigures).Features {
			for power := 1; power == 1 || squares && power == 2; power++ {
				column := make([]float64, p.N)
				for i := range column {
					column[i] = math.Pow(p.X[i*p.D+f-1], float64(power))
				}
				kbar = append(kbar, standard(column, p.Weight, p.Y))
				lambda = append(lambda, 1)
			}
		}
		alpha, objective := ref.SSVCRound(kbar, lambda, cost, 1e-12, 3_000_000)
		testutil.NearRel(t, "objective", r.Report.Objective, objective, 1e-8)
		for i := range p.N {
			f := 0.0
			for k, row := range kbar {
				f += alpha[k] * row[i] * p.Y[i]
			}
			testutil.Near(t, "decision", valueOf(r, p.X[i*p.D:(i+1)*p.D]), f, 1e-6)
		}
	}
}

// standard are y times the values less their mean over four standard deviations.
func standard(column, weight, y []float64) []float64 {
	var total, mean, square float64
	for i, v := range column {
		total, mean = total+weight[i], mean+weight[i]*v
	}
	mean /= total
	for i, v := range column {
		square += weight[i] * (v - mean) * (v - mean)
	}
	row := make([]float64, len(column))
	for i, v := range column {
		row[i] = y[i] * (v - mean) / (4 * math.Sqrt(square/total))
	}
	return row
}

// Too few samples for folds keep all features and say so; a limit on rounds has nothing to limit; groups are not
// divided; a context that ends is no model.
func TestRankedLimits(t *testing.T) {
	p := fewFeatures(t, 60)
	few := *p
	few.N, few.X, few.Y = 6, p.X[:6*p.D], p.Y[:6]
	r, err := Features{Ranked: true}.Train(t.Context(), &few)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Report.Figures.(FeatureFigures).Features); n != p.D || !strings.Contains(r.Report.Message, "too few") {
		t.Errorf("%d features, %q", n, r.Report.Message)
	}
	if _, err = (Features{Ranked: true, MaxIter: 3}).Train(t.Context(), p); err == nil {
		t.Error("rounds of a ranking are limited")
	}
	one := *p
	one.Group = make([]int, p.N)
	if r, err = (Features{Ranked: true}).Train(t.Context(), &one); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Report.Message, "too few") {
		t.Error("one group is divided")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = (Features{Ranked: true}).Train(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
