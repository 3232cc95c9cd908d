package reduce

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// BenchmarkOrder is the reduction of ringnorm-like vectors to half, from the kernel matrix on: by one pivoted factor of
// the inverse, and by its rank-one downdates as printed.
func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{300, 1000, 3000} {
		set := dataset.Ringnorm(n, 1)
		k := make([]float64, n*n)
		gram.Pack[float64](gram.RBF(0.05), set.X, n, set.D).Full(k, n)
		for _, by := range []struct {
			name  string
			order func() ([]int, error)
		}{
			{"factor", func() ([]int, error) { return Order(ctx, k, n, defaultLambda, n/2, 1) }},
			{"downdates", func() ([]int, error) { return downdated(k, n, defaultLambda, n/2) }},
		} {
			b.Run(fmt.Sprintf("n=%d/steps=%d/by=%s", n, n/2, by.name), func(b *testing.B) {
				least := math.Inf(1)
				for b.Loop() {
					begun := cpu.Seconds()
					if _, err := by.order(); err != nil {
						b.Fatal(err)
					}
					least = min(least, cpu.Seconds()-begun)
				}
				b.ReportMetric(1e3*least, "least-cpu-ms")
			})
		}
	}
}

// downdated removes by (8) of Kobayashi and Otsu (2009), one downdate of the inverse a step: the vector of the largest
// diagonal element goes.
func downdated(k []float64, n int, lambda float64, steps int) (removed []int, err error) {
	v, err := cholupdate.NewInverse(ctx, k, n, n, lambda, 1)
	diag := make([]float64, n)
	for err == nil && len(removed) < steps {
		left := diag[:v.Len()]
		v.Diag(left)
		at := 0
		for i, h := range left {
			if h > left[at] {
				at = i
			}
		}
		removed = append(removed, v.Kept()[at])
		err = v.Remove(at)
	}
	return removed, err
}

// The factor removes what the downdates do.
func TestOrderByDowndates(t *testing.T) {
	const n = 80
	set := dataset.Ringnorm(n, 3)
	k := make([]float64, n*n)
	gram.Pack[float64](gram.RBF(0.05), set.X, n, set.D).Full(k, n)
	got, err := Order(t.Context(), k, n, defaultLambda, n-1, 1)
	want, failed := downdated(k, n, defaultLambda, n-1)
	if err != nil || failed != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v, %v", got, err, want, failed)
	}
}

// BenchmarkPrune is a whole reduction with the criterion on the data.
func BenchmarkPrune(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("sv=%d/n=%d", n, 5*n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			data := labelled(rng, 5*n, 20, 2)
			c := binary(b, rng, data, n, gram.RBF(0.05))
			for b.Loop() {
				if _, err := Prune(ctx, c, data, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
