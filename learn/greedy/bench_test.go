package greedy_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
)

func BenchmarkSelect(b *testing.B) {
	for _, c := range []struct{ n, d, sv int }{{400, 2, 40}, {2000, 18, 200}, {4000, 20, 4000}, {20000, 20, 100}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d", c.n, c.d, c.sv), func(b *testing.B) {
			p := clouds(1, c.n, c.d)
			p.Threads, p.Memory = 1, 2<<30
			eta := 1e-12
			if c.sv == c.n {
				eta = 1e-4
			}
			for b.Loop() {
				s, err := greedy.LDA{Eta: eta, MaxSV: c.sv}.Select(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(s.Support)), "sv")
			}
		})
	}
}

// BenchmarkIncremental is the selection from the kernel on: ours, and the paper's factor with a row tried for each
// candidate.
func BenchmarkIncremental(b *testing.B) {
	for _, c := range []struct{ n, d, sv int }{{400, 2, 40}, {1000, 18, 100}} {
		p := clouds(1, c.n, c.d)
		p.Threads, p.Memory = 1, 2<<30
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d/by=ours", c.n, c.d, c.sv), func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				if _, err := (greedy.LDA{Eta: 1e-12, MaxSV: c.sv}).Select(b.Context(), p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/d=%d/sv=%d/by=paper", c.n, c.d, c.sv), func(b *testing.B) {
			defer testutil.ProcessorTime(b)()
			for b.Loop() {
				incremental(p, c.sv)
			}
		})
	}
}

// Both select the same samples.
func TestIncremental(t *testing.T) {
	p := clouds(2, 80, 3)
	s, err := greedy.LDA{Eta: 1e-12, MaxSV: 20}.Select(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := incremental(p, 20)
	if got := slices.Sorted(slices.Values(s.Support)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("%v, want %v", got, want)
	}
}

// incremental is the forward selection of Abe (2008) by (9) to (18): the factor of Q_W gets a row for each candidate,
// and the one of the largest separation keeps its row.
func incremental(p *learn.Problem, sv int) (chosen []int) {
	n := p.N
	k := make([]float64, n*n)
	gram.Pack[float64](p.Kernel, p.X, n, p.D).Full(k, n)
	centre := func(v []float64) {
		mean := 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for i := range v {
			v[i] -= mean
		}
	}
	y := slices.Clone(p.Y)
	centre(y)
	diag, match := make([]float64, n), make([]float64, n)
	for j := range n {
		column := k[j*n : (j+1)*n]
		centre(column)
		diag[j], match[j] = dense.Dot(column, column), dense.Dot(column, y)
	}
	var f cholupdate.Factor
	f.Reserve(sv + 1)
	q := make([][]float64, n) // elements of Q_W between a candidate and the chosen
	var z []float64           // L⁻¹ times the matches of the chosen
	for range sv {
		at, best, next := -1, 0.0, 0.0
		for j := range n {
			if slices.Contains(chosen, j) {
				continue
			}
			pivot, err := f.Append(q[j], diag[j], 1e-9*float64(n))
			if err != nil {
				continue
			}
			v := (match[j] - dense.Dot(f.Row(len(chosen))[:len(chosen)], z)) / math.Sqrt(pivot)
			if f.Delete(len(chosen)); v*v > best {
				at, best, next = j, v*v, v
			}
		}
		if at < 0 {
			break
		}
		if _, err := f.Append(q[at], diag[at], 0); err != nil {
			break
		}
		chosen = append(chosen, at)
		z = append(z, next)
		for j := range n {
			q[j] = append(q[j], dense.Dot(k[at*n:(at+1)*n], k[j*n:(j+1)*n]))
		}
	}
	return chosen
}

// Every sample is independent of those before it.
func BenchmarkCholesky(b *testing.B) {
	for _, gamma := range []float64{1. / 40, 0.5} {
		b.Run(fmt.Sprintf("gamma=%v", gamma), func(b *testing.B) {
			p := clouds(1, 2000, 20)
			p.Kernel = gram.RBF(gamma)
			p.Threads = 1
			for b.Loop() {
				r, err := greedy.Cholesky{}.Train(context.Background(), p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Support)), "sv")
				b.ReportMetric(*r.Report.Residual, "residual")
			}
		})
	}
}
