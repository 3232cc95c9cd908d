package rational

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

// TestBudget: what solutions take in words of their numbers is within what was counted, and a budget below it is
// refused.
func TestBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for name, value := range kinds(rng) {
		for range 20 {
			n := 1 + rng.IntN(12)
			a := random(rng, n, 0.5, value)
			var beyond *BudgetError
			a.Memory = 1
			if _, err := Factor(context.Background(), a); !errors.As(err, &beyond) || beyond.Need <= 1 || beyond.Digits < 0 {
				t.Fatalf("%s: a byte is enough: %v", name, err)
			}
			a.Memory = 0
			f, err := Factor(context.Background(), a)
			if err != nil { // singular
				continue
			}
			right := make([]Number, n)
			for i := range right {
				right[i] = OfFloat(value())
			}
			var used int64
			for _, solve := range []func(context.Context, []Number) ([]Number, error){f.Solve, f.SolveTransposed} {
				x, err := solve(context.Background(), right)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range x {
					if v.Num != nil {
						used += 8 * int64(len(v.Num.Bits()))
					}
				}
			}
			memory := &budget{have: 1 << 40}
			for _, b := range f.blocks {
				if err := memory.takeBlock(b.plain, 0); err != nil {
					t.Fatal(err)
				}
			}
			if used > memory.used && name != "extreme" { // right-hand sides far larger than the matrix
				t.Errorf("%s, %d × %d: numbers take %d bytes, counted are %d", name, n, n, used, memory.used)
			}
		}
	}
}
