package samples

import (
	"context"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Expand and Products are the sums written out, with the same bits for any number of threads.
func TestDoubledSums(t *testing.T) {
	p := ref.Clouds(76, 300, 3)
	k := ref.KernelMatrix(p)
	samples := []int{7, 299, 3, 0, 41, 40, 39, 100, 101, 150, 151, 152, 200, 201, 202, 203, 250, 128}
	coef := make([]float64, len(samples))
	x := make([]dense.Doubled, p.N)
	for s := range coef {
		coef[s] = float64(s%5) - 1.7
	}
	for i := range x {
		x[i].Hi = p.X[i]
	}
	testutil.EachLevel(t, func(t *testing.T) {
		var before []dense.Doubled
		for _, threads := range []int{1, 3} {
			p.Threads = threads
			task, err := NewLeastSquares("test", p)
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
	task, _ := NewLeastSquares("test", p)
	if _, err := task.Expand(ended, samples, coef); err == nil {
		t.Error("no error from a context that has ended")
	}
	if _, err := task.Products(ended, samples, x); err == nil {
		t.Error("no error from a context that has ended")
	}
}
