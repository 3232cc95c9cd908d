package leastsq

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/learntest"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Sums that cancel to 1e-20 of their terms are right to some ten digits, where float64 has none.
func TestDoubled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		exact := new(big.Float).SetPrec(2000)
		var d Doubled
		add := func(x, y float64) {
			d.AddProduct(x, Doubled{Hi: y})
			p := new(big.Float).SetPrec(2000).SetFloat64(x)
			exact.Add(exact, p.Mul(p, new(big.Float).SetFloat64(y)))
		}
		for range 20 {
			x, y := r.NormFloat64(), math.Ldexp(r.NormFloat64(), r.IntN(20))
			add(x, y)
			add(-x, math.Nextafter(y, 0))
		}
		for range 2 { // what is left, to its leading digits, but for a little
			left, _ := exact.Float64()
			add(1, -left*(1-1e-4))
		}
		want, _ := exact.Float64()
		testutil.NearRel(t, "sum", d.Value(), want, 1e-6)
		testutil.NearRel(t, "a third of it", d.Times(1.0/3).Value(), want/3, 1e-6)
	}
}

// Expand and Products are the sums written out, with the same bits for any number of threads.
func TestDoubledSums(t *testing.T) {
	p := learntest.Clouds(76, 300, 3)
	k := learntest.KernelMatrix(p)
	samples := []int{7, 299, 3, 0, 41, 40, 39, 100, 101, 150, 151, 152, 200, 201, 202, 203, 250, 128}
	coef := make([]float64, len(samples))
	x := make([]Doubled, p.N)
	for s := range coef {
		coef[s] = float64(s%5) - 1.7
	}
	for i := range x {
		x[i].Hi = p.X[i]
	}
	testutil.EachLevel(t, func(t *testing.T) {
		var before []Doubled
		for _, threads := range []int{1, 3} {
			p.Threads = threads
			task, err := New("test", p)
			if err != nil {
				t.Fatal(err)
			}
			f, err := task.Expand(context.Background(), samples, coef)
			if err != nil {
				t.Fatal(err)
			}
			sums, err := task.Products(context.Background(), samples, x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range f {
				var want float64
				for s, at := range samples {
					want += coef[s] * k[at][i]
				}
				testutil.Near(t, "expansion", f[i].Value(), want, 1e-12)
			}
			for s, at := range samples {
				var want float64
				for i := range x {
					want += k[at][i] * p.X[i]
				}
				testutil.Near(t, "product", sums[s].Value(), want, 1e-12)
			}
			if f = append(f, sums...); before != nil && !slices.Equal(f, before) {
				t.Error("other bits with three threads")
			}
			before = f
		}
	})
	ended, end := context.WithCancel(context.Background())
	end()
	task, _ := New("test", p)
	if _, err := task.Expand(ended, samples, coef); err == nil {
		t.Error("no error from a context that has ended")
	}
	if _, err := task.Products(ended, samples, x); err == nil {
		t.Error("no error from a context that has ended")
	}
}
