package ssvc

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// TestProved: the proved gap of the last round bounds the computed one, is near it, and is absent where nobody asked.
func TestProved(t *testing.T) {
	asked := learn.WithProof(t.Context())
	p := ref.Ripley(t)
	target := *p
	target.Task = learn.Regress
	for _, c := range []struct {
		of learn.Trainer
		p  *learn.Problem
	}{
		{A{C: 1}, p}, {A{C: 100}, p}, {A{C: 1, Norm: 0.5}, p}, {A{C: 1, TwoNorm: 0.2}, p},
		{A{C: 1, Subset: learn.Subset{Candidates: 60}}, p},
		{RegressA{C: 2}, &target}, {Features{C: 1}, p},
	} {
		r, err := c.of.Train(asked, c.p)
		if err != nil {
			t.Fatal(err)
		}
		d := r.Report.Duality
		if d.Proved == nil {
			t.Fatalf("%+v: not proved: %v, %s", c.of, r.Report.Status, r.Report.Message)
		}
		testutil.Near(t, c.of.Name()+", proved gap", d.Proved.Gap, max(0, d.Gap), 1e-3*math.Abs(d.Gap)+1e-9)
		testutil.Near(t, c.of.Name()+", shift", d.Proved.Shift, 0, 0)
		same, err := c.of.Train(t.Context(), c.p)
		if err != nil || same.Report.Duality.Proved != nil {
			t.Errorf("%s: proved unasked, %v", c.of.Name(), err)
		}
		testutil.NearAll(t, "coefficients", r.Coef, same.Coef, 0)
	}
}

// TestProofMemory: the bytes of a proof are counted before anything is computed. Where they are not there, the training
// is the same, and its message says so.
func TestProofMemory(t *testing.T) {
	asked := learn.WithProof(t.Context())
	p := *ref.Ripley(t)
	target := p
	target.Task = learn.Regress
	for _, c := range []struct {
		of    learn.Trainer
		p     *learn.Problem
		r     int   // dimensions of the program
		needs int64 // bytes of the training alone
	}{
		{A{C: 1}, &p, p.N + 1, A{}.EstimateMemory(p.N, p.D)},
		{A{C: 1, Subset: learn.Subset{Candidates: 60}}, &p, 61, A{Subset: learn.Subset{Candidates: 60}}.EstimateMemory(p.N, p.D)},
		{RegressA{C: 2}, &target, p.N + 1, RegressA{}.EstimateMemory(p.N, p.D)},
		{Features{C: 1}, &p, p.D + 1, Features{}.EstimateMemory(p.N, p.D)},
	} {
		rows := p.N
		if c.p.Task == learn.Regress {
			rows *= 2
		}
		c.p.Memory = c.needs + boxqp.BoundBytes(rows, c.r)
		r, err := c.of.Train(asked, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Duality.Proved == nil {
			t.Errorf("%s: not proved within %d bytes: %s", c.of.Name(), c.p.Memory, r.Report.Message)
		}
		c.p.Memory--
		less, err := c.of.Train(asked, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if less.Report.Duality.Proved != nil || !strings.Contains(less.Report.Message, "not proved: "+c.of.Name()+": ") ||
			!strings.Contains(less.Report.Message, "memory budget") {
			t.Errorf("%s: a byte less: %v, %q", c.of.Name(), less.Report.Duality.Proved, less.Report.Message)
		}
		testutil.NearAll(t, "coefficients", less.Coef, r.Coef, 0)
	}
}

// TestNotProved: rounds that are limited, kernel values that are not kept and linear programs prove nothing.
func TestNotProved(t *testing.T) {
	asked := learn.WithProof(t.Context())
	p := ref.Ripley(t)
	r, err := A{C: 1, MaxIter: 1}.Train(asked, p)
	if err != nil || r.Report.Duality.Proved != nil || !strings.Contains(r.Report.Message, "not proved") {
		t.Errorf("one round: %v, %v, %q", err, r.Report.Duality, r.Report.Message)
	}
	a := A{C: 1, Subset: learn.Subset{Candidates: 60}}
	if err = learn.Complete(&a); err != nil {
		t.Fatal(err)
	}
	siftAll(t, 1) // no kernel values are kept
	r, err = a.train(asked, p, samples.Classifier(a.Name(), p, a.C), 0)
	if err != nil || r.Report.Duality.Proved != nil || !strings.Contains(r.Report.Message, "not proved") {
		t.Errorf("streamed: %v, %v, %q", err, r.Report.Duality, r.Report.Message)
	}
}
