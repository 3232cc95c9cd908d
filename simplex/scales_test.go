package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// scale multiplies rows and columns by powers of two up to 2^±most, which leaves the optimum as it is. Bounds do not
// become as large as those that are infinite.
func (p *rowsOf) scale(rng *rand.Rand, most int) {
	factor := func(bounds ...float64) float64 {
		f := math.Exp2(float64(rng.IntN(2*most+1) - most))
		for _, b := range bounds {
			if !math.IsInf(b, 0) && math.Abs(b)*f >= endless {
				return 1 / f
			}
		}
		return f
	}
	for i, row := range p.a {
		f := factor(p.rowLo[i], p.rowUp[i])
		p.rowLo[i] *= f
		p.rowUp[i] *= f
		for j := range row {
			row[j] *= f
		}
	}
	for j := range p.c {
		f := 1 / factor(p.lo[j], p.up[j])
		p.c[j] *= f
		p.lo[j] /= f
		p.up[j] /= f
		for i := range p.a {
			p.a[i][j] *= f
		}
	}
}

// solvesPlanted solves a scaled planted program with a dense and a sparse matrix. It returns how many ended without an
// answer.
func solvesPlanted(t *testing.T, seed uint64, m, n, most int) (undecided int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	p, want := planted(rng, m, n, 0.15, false)
	p.scale(rng, most)
	for _, dense := range []bool{false, true} {
		lp := p.lp(dense)
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if r.Status == status.Numerical || r.Status.Limit() {
			undecided++
			continue
		}
		if r.Status != status.Optimal {
			t.Fatalf("seed %d, %d×%d, 2^±%d, dense %v: %v, want optimal", seed, m, n, most, dense, r.Status)
		}
		if err := Check(lp, r); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		testutil.Near(t, "objective", r.Objective, want, 1e-8*(1+math.Abs(want)))
	}
	return undecided
}

// TestScaledPrograms has no wrong answer however far the units of rows and columns are apart, and always an answer
// where they are up to 2^±60.
func TestScaledPrograms(t *testing.T) {
	count := 100
	if testing.Short() {
		count = 30
	}
	for _, most := range []int{10, 60, 300, 450} {
		undecided := 0
		for k := range count {
			undecided += solvesPlanted(t, uint64(k), 1+k%70, 1+(k*7)%90, most)
		}
		t.Logf("2^±%d: %d of %d without an answer", most, undecided, 2*count)
		if most <= 60 && undecided > 0 {
			t.Errorf("2^±%d: %d of %d without an answer", most, undecided, 2*count)
		}
	}
}

func FuzzScales(f *testing.F) {
	f.Add(uint64(1), uint8(60), uint8(90), uint16(450))
	f.Fuzz(func(t *testing.T, seed uint64, m, n uint8, most uint16) {
		solvesPlanted(t, seed, 1+int(m)%80, 1+int(n)%100, int(most)%451)
	})
}

// TestSmallEntries has entries down to 1e-60 in a sparse program: multipliers and new entries of the factors vanish.
func TestSmallEntries(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		p, _ := planted(rng, 60, 90, 0.1, false)
		for _, row := range p.a {
			for j := range row {
				if rng.IntN(3) == 0 {
					row[j] *= math.Pow(10, -60*rng.Float64())
				}
			}
		}
		lp := p.lp(false)
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(lp, s.Solve(context.Background())); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestRayOfParallelRows has a ray in the null space of two rows that differ by a millionth: its error must be that of
// one rounding, not that of the basis.
func TestRayOfParallelRows(t *testing.T) {
	p := &rowsOf{c: []float64{-1.331889213211595, -0.4088220086017388, -0.7686442032350052, 2.7329523893220586, -1.38977480058427},
		a: [][]float64{
			{-29.080243694967685, -290.79933269953676, -0.29080080742113107, -0.0029080132227867284, -2.9080079973506017},
			{-187.37461678965653, -1873.7462421650341, -1.8737477673687195, -0.018737476194417613, -18.73747070105848}},
		rowLo: []float64{-508.93595086289844, -3279.2619518366882}, rowUp: []float64{-508.93595086289844, -3279.2619518366882},
		lo: []float64{0, -inf, 0, -inf, 0}, up: []float64{inf, inf, inf, 11, inf}}
	for _, dense := range []bool{false, true} {
		lp := p.lp(dense)
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err := Check(lp, r); err != nil || r.Status != status.Unbounded {
			t.Errorf("dense %v: %v, want unbounded; %v", dense, r.Status, err)
		}
	}
}
