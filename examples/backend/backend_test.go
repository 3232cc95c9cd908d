package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
)

// ticks lets a case decide so often.
func ticks(t *testing.T, b backend, err error, users, count, threads int) []tally {
	t.Helper()
	all := make([]tally, users)
	for range count {
		if err == nil {
			err = b.tick(context.Background(), threads, all)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, tally := range all {
		if tally.missed > 0 || tally.verified != count {
			t.Errorf("user %d: %d of %d ticks without an optimum, %d verified", i, tally.missed, count, tally.verified)
		}
	}
	return all
}

// TestDispatch compares what outputs cost with the optimum in exact fractions.
func TestDispatch(t *testing.T) {
	d, err := newDispatch(context.Background(), 4)
	met := 0
	for tick := range 3 {
		ticks(t, d, err, 4, 1+6*tick, 1)
		for i := range d.grids {
			g := &d.grids[i]
			got, out, demand := 0.0, 0.0, g.lp.RowLo[0]+g.lp.RowLo[1]
			for k, v := range g.output {
				if v < g.lp.RowLo[outputRow(k)]-1e-9 || v > g.lp.RowUp[outputRow(k)]+1e-9 {
					t.Errorf("grid %d: output %d is %v, not within its ramp", i, k, v)
				}
				cheap := min(v, cheapShare(k)*capacity(k))
				got += cost(k)*cheap + 1.3*cost(k)*(v-cheap)
				out += v
			}
			a := make([][]float64, len(g.lp.RowLo))
			for r := range a {
				a[r] = g.lp.A.(*simplex.Dense).Row(r)
			}
			_, want, _ := ref.LPSolve(g.lp.C, a, g.lp.RowLo, g.lp.RowUp, g.lp.Lo, g.lp.Up)
			if testutil.Within(out, demand, 1e-9) { // else shed or spilled power has costs too
				met++
				testutil.Near(t, "costs", got, want, 1e-9)
			} else if want <= got {
				t.Errorf("grid %d: demand %v, output %v, at costs of %v, want %v", i, demand, out, got, want)
			}
		}
	}
	if met < 6 {
		t.Errorf("demand is met %d times", met)
	}
}

// hildreth is the method of Hildreth (1957) for a dense quadratic program with a definite Q: it corrects the multiplier
// of one constraint at a time. It shares nothing with package qp.
func hildreth(t *testing.T, p qp.QP) []float64 {
	t.Helper()
	n := len(p.C)
	inverse := inverted(p.Q.(*simplex.Dense), n)
	normals, lo, up := make([][]float64, 0, 2*n), slices.Clone(p.RowLo), slices.Clone(p.RowUp)
	for i := range lo {
		normals = append(normals, p.A.(*simplex.Dense).Row(i))
	}
	for j := range n {
		unit := make([]float64, n)
		unit[j] = 1
		normals = append(normals, unit)
		lower, upper := 0.0, math.Inf(1)
		if p.Lo != nil {
			lower = p.Lo[j]
		}
		if p.Up != nil {
			upper = p.Up[j]
		}
		lo = append(lo, lower)
		up = append(up, upper)
	}
	x := product(inverse, p.C)
	for j := range x {
		x[j] = -x[j]
	}
	y := make([]float64, len(normals))
	var steps [][]float64
	for _, g := range normals {
		steps = append(steps, product(inverse, g))
	}
	for range 200_000 {
		moved := 0.0
		for i, g := range normals {
			curve := dot(g, steps[i])
			without := dot(g, x) - y[i]*curve
			by := max(0, lo[i]-without)/curve + min(0, up[i]-without)/curve - y[i]
			for j, s := range steps[i] {
				x[j] += by * s
			}
			y[i] += by
			moved = max(moved, math.Abs(by)*math.Sqrt(curve))
		}
		if moved < 1e-13 {
			return x
		}
	}
	t.Fatal("Hildreth's method does not end")
	return nil
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func product(a [][]float64, x []float64) (y []float64) {
	for _, row := range a {
		y = append(y, dot(row, x))
	}
	return y
}

// inverted is the inverse by Gauss and Jordan; a definite matrix needs no other pivots.
func inverted(a *simplex.Dense, n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = append(slices.Clone(a.Row(i)), make([]float64, n)...)
		rows[i][n+i] = 1
	}
	for k, pivot := range rows {
		scale := pivot[k]
		for j := range pivot {
			pivot[j] /= scale
		}
		for i, row := range rows {
			if f := row[k]; i != k {
				for j := range row {
					row[j] -= f * pivot[j]
				}
			}
		}
	}
	for i := range rows {
		rows[i] = rows[i][n:]
	}
	return rows
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for j, v := range want {
		testutil.Near(t, fmt.Sprintf("%s: element %d", what, j), got[j], v, 1e-7)
	}
}

func TestPortfolio(t *testing.T) {
	p, err := newPortfolio(context.Background(), 3)
	for range 4 {
		ticks(t, p, err, 3, 5, 1)
		for i := range p.accounts {
			near(t, "shares", p.accounts[i].shares[:], hildreth(t, p.accounts[i].qp))
		}
	}
}

func TestFit(t *testing.T) {
	f, err := newFit(context.Background(), 3)
	for range 4 {
		ticks(t, f, err, 3, 2, 1)
		for i := range f.sensors {
			near(t, "amounts", f.sensors[i].amounts[:], hildreth(t, f.sensors[i].qp))
		}
	}
}

// TestControl compares what is done to carts, and wants them at their targets in the end.
func TestControl(t *testing.T) {
	c, err := newControl(context.Background(), 3)
	for range 6 {
		ticks(t, c, err, 3, 3, 1)
		for i := range c.carts {
			cart := &c.carts[i]
			before := limit - cart.qp.RowUp[0]
			near(t, "acceleration", []float64{(cart.speed - before) / seconds}, hildreth(t, cart.qp)[:1])
			if !(math.Abs(cart.speed) <= limit+1e-9) {
				t.Errorf("cart %d has a speed of %v", i, cart.speed)
			}
		}
	}
	for range 80 {
		for i := range c.carts { // which keep their targets
			c.carts[i].target = float64(i)
			c.next(&c.carts[i])
			c.carts[i].target = float64(i)
		}
		ticks(t, c, err, 3, 1, 1)
	}
	for i := range c.carts {
		if away := c.carts[i].position - float64(i); !(math.Abs(away) < 0.5) {
			t.Errorf("cart %d is %v from its target", i, away)
		}
	}
}

// TestThreads: decisions do not depend on the number of goroutines.
func TestThreads(t *testing.T) {
	for _, c := range cases {
		b, err := c.make(context.Background(), 40)
		ticks(t, b, err, 40, 4, 1)
		many, err := c.make(context.Background(), 40)
		ticks(t, many, err, 40, 4, 16)
		if one, other := decisions(b), decisions(many); !reflect.DeepEqual(one, other) {
			t.Errorf("%s: %v with one goroutine, %v with 16", c.name, one, other)
		}
	}
}

func decisions(b backend) (all []any) {
	switch b := b.(type) {
	case *dispatch:
		for _, g := range b.grids {
			all = append(all, g.output)
		}
	case *portfolio:
		for _, a := range b.accounts {
			all = append(all, a.shares)
		}
	case *control:
		for _, c := range b.carts {
			all = append(all, [2]float64{c.position, c.speed})
		}
	case *fit:
		for _, s := range b.sensors {
			all = append(all, s.amounts)
		}
	}
	return all
}

// TestRun wants a line of figures for each case, and every certificate verified.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), &out, time.Millisecond, 2, 20); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
	if len(lines) != len(cases) {
		t.Fatalf("printed\n%s", out.String())
	}
	for _, line := range lines {
		w := strings.Fields(line)
		if len(w) != 10 || w[3] != w[8] || w[9] != "0" || w[3] == "0" {
			t.Errorf("figures %q", line)
		}
	}
}

// BenchmarkTick has the time of a decision with its data and its certificate.
func BenchmarkTick(b *testing.B) {
	const users = 64
	for _, c := range cases {
		work, err := c.make(context.Background(), users)
		if err != nil {
			b.Fatal(err)
		}
		rows, columns := work.size()
		b.Run(fmt.Sprintf("of=%s/rows=%d/columns=%d/start=warm", c.name, rows, columns), func(b *testing.B) {
			t := make([]tally, users)
			b.ReportAllocs()
			for b.Loop() {
				if err := work.tick(context.Background(), 1, t); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/users, "ns/program")
		})
	}
}
