package greedy_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
)

// Each criterion chooses the samples that brute force chooses, its coefficients
// are the fit's and its objective the fit's minimum.
func TestComparatorsAreBruteForce(t *testing.T) {
	const steps = 8
	for seed := range uint64(4) {
		p := clouds(seed+30, 45, 3)
		p.Kernel = gram.RBF(0.6)
		k := kernelMatrix(p)
		for _, c := range []struct {
			tr  learn.Trainer
			ref ref.LSSVMGreedy
		}{
			{greedy.KMP{Eta: 1e-9, MaxSV: steps}, ref.LSSVMGreedy{Bias: true, Matching: true}},
			{greedy.SGGP{Noise: 0.3, Eta: 1e-9, MaxSV: steps, Candidates: -1}, ref.LSSVMGreedy{Ridge: 0.3}},
			{greedy.SGGP{Noise: 0.3, Eta: 1e-9, MaxSV: steps, Candidates: 1000}, ref.LSSVMGreedy{Ridge: 0.3}},
			{greedy.PFSALS{C: 4, Eta: 1e-9, MaxSV: steps, Candidates: -1}, ref.LSSVMGreedy{Bias: true, Ridge: 0.25}},
			{greedy.PFSALS{C: 4, Eta: 1e-9, MaxSV: steps, Candidates: 1000}, ref.LSSVMGreedy{Bias: true, Ridge: 0.25}},
		} {
			r, err := c.tr.Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			want := c.ref.Select(k, p.Y, steps)
			if !reflect.DeepEqual(r.Support, want) {
				t.Fatalf("%+v: %v, want %v", c.tr, r.Support, want)
			}
			v, b, objective := c.ref.Fit(k, p.Y, want)
			allClose(t, c.tr.Name(), append(r.Coef, r.Bias), append(v, b), 1e-6)
			if !close(r.Report.Objective, objective, 1e-9) {
				t.Errorf("%+v: objective %v, want %v", c.tr, r.Report.Objective, objective)
			}
		}
	}
}

// By default SGGP and PFSALS look at 59 random samples a step: another seed, other samples.
func TestComparatorsDraw(t *testing.T) {
	p := clouds(40, 300, 3)
	for _, f := range []func(seed uint64) learn.Trainer{
		func(s uint64) learn.Trainer { return greedy.SGGP{MaxSV: 10, Seed: s} },
		func(s uint64) learn.Trainer { return greedy.PFSALS{C: 1, MaxSV: 10, Seed: s} },
	} {
		var support [3][]int
		for i, seed := range []uint64{1, 1, 2} {
			r, err := f(seed).Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			support[i] = r.Support
		}
		if !reflect.DeepEqual(support[0], support[1]) || reflect.DeepEqual(support[0], support[2]) {
			t.Errorf("%s: seeds 1, 1, 2 give %v", f(0).Name(), support)
		}
	}
}

func TestComparatorsBadInput(t *testing.T) {
	for _, tr := range []learn.Trainer{
		greedy.KMP{Eta: -1}, greedy.SGGP{Noise: -1}, greedy.PFSALS{C: -1}, greedy.PFSALS{MaxSV: -1},
	} {
		var bad *learn.ParamError
		if _, err := tr.Train(background, clouds(1, 20, 2)); !errors.As(err, &bad) || bad.Method != tr.Name() {
			t.Errorf("%+v: error %v, want a ParamError", tr, err)
		}
	}
}
