package dense

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestTiles holds the products of few rows to plain loops, around the sizes of their tiles, between guard words.
func TestTiles(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 6))
		for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 12, 31, 32, 33, 40, 72} {
			for _, m := range []int{0, 1, 2, 3, 4, 5, 8, 10} {
				for _, k := range []int{0, 1, 2, 4, 5, 9} {
					testMulRows(t, rng, m, k, n)
					testAddDots(t, rng, m, k, n)
				}
			}
			testScale(t, rng, n)
		}
		testMulRows(t, rng, 5, callWork/32+1, 17) // more than a call takes
		testMulRows(t, rng, 4, callWork/32-3, 40)
		testAddDots(t, rng, 2, 4, callWork/8+4)
		testScale(t, rng, callWork+11)
	})
}

func testMulRows(t *testing.T, rng *rand.Rand, m, k, n int) {
	t.Helper()
	what := fmt.Sprintf("MulRows, %d×%d×%d", m, k, n)
	a, lda, _, rows := matrix(rng, k, n)
	coef, ldq, _, factors := matrix(rng, m, k)
	c, ldc, _, _ := matrix(rng, m, n)
	start := lend(rng, m, 1)
	MulRows(c.s(), ldc, start.s(), coef.s(), ldq, a.s(), lda, k, n)
	want := append([]float64(nil), c.before()...)
	for j, s := range start.s() {
		for i := range n {
			sum := s
			for q, row := range rows {
				sum = math.FMA(factors[j][q], row[i], sum)
			}
			want[j*ldc+i] = sum
		}
	}
	checkBits(t, what, c.s(), want)
	c.checkGuards(t, what)
	for _, l := range []*lent{a, coef, start} {
		l.checkInput(t, what)
	}
}

func testAddDots(t *testing.T, rng *rand.Rand, m, p, n int) {
	t.Helper()
	what := fmt.Sprintf("AddDots, %d and %d rows of %d", m, p, n)
	a, lda, _, rows := matrix(rng, p, n)
	x, ldx, _, others := matrix(rng, m, n)
	dst, ldd, _, _ := matrix(rng, m, p)
	AddDots(dst.s(), ldd, a.s(), lda, p, x.s(), ldx, m, n)
	between := append([]float64(nil), dst.before()...)
	for j, other := range others {
		for i, row := range rows {
			checkSum(t, what, dst.s()[j*ldd+i], between[j*ldd+i], row, other)
			between[j*ldd+i] = dst.s()[j*ldd+i]
		}
	}
	checkBits(t, what, dst.s(), between) // nothing but sums
	dst.checkGuards(t, what)
	a.checkInput(t, what)
	x.checkInput(t, what)
}

func testScale(t *testing.T, rng *rand.Rand, n int) {
	t.Helper()
	what := fmt.Sprintf("Scale of %d", n)
	y, x := lend(rng, n, 1), lend(rng, n, 2)
	Scale(y.s(), x.s())
	want := append([]float64(nil), y.before()...)
	for i, v := range x.s() {
		want[i] *= v
	}
	checkBits(t, what, y.s(), want)
	y.checkGuards(t, what)
	x.checkInput(t, what)
}
