package reduce

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

// BenchmarkOrder is the reduction of ringnorm-like vectors to half, from the kernel matrix on.
func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{100, 1000, 3000} {
		b.Run(fmt.Sprintf("n=%d/steps=%d", n, n/2), func(b *testing.B) {
			set := dataset.Ringnorm(n, 1)
			k := make([]float64, n*n)
			gram.Pack[float64](gram.RBF(0.05), set.X, n, set.D).Full(k, n)
			for b.Loop() {
				if _, err := Order(ctx, k, n, defaultLambda, n/2, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
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
