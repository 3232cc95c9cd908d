package kernellp

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// Margins that are far from 1 leave the program: its basis is optimal without a pivot, and what comes after is the
// optimum of all margins.
func TestNarrow(t *testing.T) {
	const n = 1200
	ctx := context.Background()
	c, problem := few(t, n, 30, 5, 2)
	hinge := fill(n, 1)
	s := New(c, problem.Y, hinge, Shape{}, Options{SiftFrom: 1})
	p := Costs{Margin: 1, Coef: fill(n, 1e300)}
	for _, j := range c.Columns() {
		p.Coef[j] = 1
	}
	compare(t, "few margins", s, p)
	f := s.sift
	for grown, err := true, error(nil); grown; {
		var all []samples.Crossing
		for j := range n {
			all = append(all, samples.Crossing{Index: j})
		}
		if grown, err = f.addColumns(ctx, all, 0); err != nil {
			t.Fatal(err)
		}
	}
	if f.width != n {
		t.Fatalf("%d margins of %d", f.width, n)
	}
	solve := func() int {
		if err := f.load(ctx, p); err != nil {
			t.Fatal(err)
		}
		res := f.sifted.Solve(ctx)
		if err := f.takeSolution(ctx, p, res); err != nil || res.Status != status.Optimal {
			t.Fatal(err, res.Status)
		}
		return res.Iterations
	}
	before := f.narrowed
	f.narrowed = maxNarrowed
	solve()
	f.centre.towards(&f.last, 1)
	f.narrowed = before
	if pivots := solve(); pivots != 0 || f.narrowed != before+1 || f.width >= n {
		t.Errorf("%d pivots over %d margins", pivots, f.width)
	}
	inside := slices.DeleteFunc(slices.Clone(f.inside), func(in bool) bool { return !in })
	if len(inside) != f.width || len(f.parts[0].(*box).samples) != f.width {
		t.Errorf("%d samples are inside, %d are columns, of %d", len(inside), len(f.parts[0].(*box).samples), f.width)
	}
	for _, j := range c.Columns()[:10] {
		p.Coef[j] = 0.3
	}
	compare(t, "other costs", s, p)
}

// Rows whose coefficient is 0 for ever leave where they are many, and what comes after is the optimum of those left.
func TestDeadRows(t *testing.T) {
	const n, k = 900, 250
	c, problem := few(t, n, k, 5, 2)
	s := New(c, problem.Y, fill(n, 3), Shape{}, Options{SiftFrom: 1, Batch: k})
	p := Costs{Margin: 1, Coef: fill(n, math.Inf(1)), Bias: 1}
	for _, j := range c.Columns() {
		p.Coef[j] = 0.1
	}
	compare(t, "all candidates", s, p)
	before := len(s.working)
	for r, j := range c.Columns() {
		if r%50 > 0 && s.sift.last.a[j] == 0 {
			p.Coef[j] = math.Inf(1)
		}
	}
	compare(t, "few candidates", s, p)
	if now := len(s.working); before-now < manyDead {
		t.Errorf("%d working rows of %d", now, before)
	}
	for r, i := range s.working {
		if s.row[i] != r+1 {
			t.Fatalf("working row %d is row %d", r, s.row[i])
		}
	}
	for _, j := range c.Columns() {
		if !math.IsInf(p.Coef[j], 1) {
			p.Coef[j] = 0.05 + 0.001*float64(j%7)
		}
	}
	compare(t, "other costs", s, p)
}
