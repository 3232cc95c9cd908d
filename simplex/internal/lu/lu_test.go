package lu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// drawn is a square matrix of random sparse columns.
type drawn struct {
	m       int
	whole   bool // so that terms cancel
	columns []Entries
}

// draw returns one whose columns have the share of density entries in addition to a permuted diagonal; without
// density they are those of a triangle of a few entries, permuted.
func draw(rng *rand.Rand, m int, density float64, whole bool) *drawn {
	d := &drawn{m: m, whole: whole}
	for _, i := range rng.Perm(m) {
		d.columns = append(d.columns, d.column(rng, i, density))
	}
	return d
}

func (d *drawn) column(rng *rand.Rand, diagonal int, density float64) (c Entries) {
	for i := range d.m {
		switch {
		case i == diagonal:
			v := 2 + rng.Float64()
			if d.whole {
				v = 1
			}
			c.Index = append(c.Index, int32(i))
			c.Value = append(c.Value, v)
		case rng.Float64() < density:
			v := rng.NormFloat64()
			if d.whole {
				v = float64(1 - 2*rng.IntN(2))
			}
			c.Index = append(c.Index, int32(i))
			c.Value = append(c.Value, v)
		}
	}
	return c
}

func (d *drawn) of(j int) ([]int32, []float64) { return d.columns[j].Index, d.columns[j].Value }

// checked holds solves with f against the matrix, whose columns are in the given places.
func (d *drawn) checked(t *testing.T, f *Factors, places []int32, rng *rand.Rand, nonzeros int) {
	t.Helper()
	want, x, y := make([]float64, d.m), NewVector(d.m), NewVector(d.m)
	for _, i := range rng.Perm(d.m)[:nonzeros] {
		want[i] = rng.NormFloat64()
		x.Set(int32(i), want[i])
		y.Set(int32(i), want[i])
	}
	f.Ftran(x, nil)
	got := make([]float64, d.m)
	for j, p := range places {
		for k, i := range d.columns[j].Index {
			got[i] += d.columns[j].Value[k] * x.Value[p]
		}
	}
	testutil.NearAll(t, "B·z", got, want, 1e-8)
	f.Btran(y, nil)
	for j, p := range places {
		var sum float64
		for k, i := range d.columns[j].Index {
			sum += d.columns[j].Value[k] * y.Value[i]
		}
		testutil.Near(t, "Bᵀ·y", sum, want[p], 1e-8)
	}
	for _, v := range []*Vector{x, y} {
		checkListed(t, v)
		v.Clear()
		testutil.NearAll(t, "cleared", v.Value, make([]float64, d.m), 0)
	}
}

// TestFactors: solves with a matrix of every kind, before and after exchanges of its columns.
func TestFactors(t *testing.T) {
	for _, c := range []struct {
		m       int
		density float64
		whole   bool
	}{{1, 0, false}, {2, 0.5, false}, {7, 0.4, false}, {30, 0.05, false}, {30, 0.3, false}, {60, 1, false},
		{200, 0.003, false}, {200, 0.01, false}, {300, 0.02, false}, {200, 0.008, true}, {200, 0.004, true}} {
		t.Run(fmt.Sprint(c.m, c.density, c.whole), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.m), 31))
			d, f := draw(rng, c.m, c.density, c.whole), New(c.m)
			if c.whole { // half of these are singular
				for _, ok := f.Factor(context.Background(), d.of); !ok; _, ok = f.Factor(context.Background(), d.of) {
					d = draw(rng, c.m, c.density, c.whole)
				}
			}
			for range 3 {
				found, ok := f.Factor(context.Background(), d.of)
				if !ok {
					t.Fatal("no factors")
				}
				places := append([]int32(nil), found...)
				for k := range min(2*c.m, 100) {
					d.checked(t, f, places, rng, 1+rng.IntN(c.m))
					d.checked(t, f, places, rng, 1)
					if !d.exchange(f, places, rng, c.density, k) {
						continue
					}
					if f.Worn() {
						break
					}
				}
			}
		})
	}
}

// exchange puts a new column in a place that it may have.
func (d *drawn) exchange(f *Factors, places []int32, rng *rand.Rand, density float64, k int) bool {
	j := rng.IntN(d.m)
	p, c := places[j], d.column(rng, rng.IntN(d.m), density*float64(k%3))
	var spike, row Entries
	x, y := NewVector(d.m), NewVector(d.m)
	for t, i := range c.Index {
		x.Set(i, c.Value[t])
	}
	y.Set(p, 1)
	f.Ftran(x, &spike)
	f.Btran(y, &row)
	var largest float64
	for _, v := range x.Value {
		largest = max(largest, math.Abs(v))
	}
	if math.Abs(x.Value[p]) < 0.3*max(largest, 1) {
		return false
	}
	f.Exchange(p, &spike, &row, x.Value[p])
	d.columns[j] = c
	return true
}

// TestWorn: factors are worn once exchanges cost more than the average with a factorisation, and not before.
func TestWorn(t *testing.T) {
	one := func(int) ([]int32, []float64) { return []int32{0}, []float64{1} }
	for _, c := range []struct {
		filled, first, later int // touches for each exchange, after 32 of them
		want                 int // exchanges
	}{{0, 10, 72, 64}, {0, 10, 73, 48}, {30, 10, 259, 64}, {30, 10, 261, 48}, {0, 1000, 10, 64}} {
		f := New(1)
		f.Factor(context.Background(), one)
		f.m, f.filled = 10, c.filled
		for f.followed < 64 && !f.Worn() {
			if f.followed < 32 {
				f.touched += c.first
			} else {
				f.upper.rows.touched += c.later
			}
			f.followed++
			f.watch()
		}
		if f.followed != c.want {
			t.Errorf("%v: worn after %d exchanges", c, f.followed)
		}
		f.m = 1
		if f.Factor(context.Background(), one); f.Worn() || f.work() != 0 || f.followed != 0 {
			t.Errorf("%v: a fresh one is not as new", c)
		}
	}
}

// TestDependent: columns that depend on others find no place, and as many rows stay without a column.
func TestDependent(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 32))
		d := draw(rng, 25, []float64{0, 0.1, 0.5}[seed%3], false)
		for t, k := 0, rng.IntN(4); t < k; t++ {
			d.columns[t] = Entries{Index: d.columns[10+t].Index}
			for _, v := range d.columns[10+t].Value {
				d.columns[t].Value = append(d.columns[t].Value, -3*v)
			}
		}
		d.columns[24] = Entries{}
		places, ok := New(25).Factor(context.Background(), d.of)
		used, without := map[int32]bool{}, 0
		for _, p := range places {
			if p < 0 {
				without++
			} else if used[p] {
				t.Fatal("two columns in one place")
			}
			used[p] = true
		}
		want := 1
		for t := range 4 {
			if len(d.columns[t].Value) > 0 && d.columns[t].Value[0] == -3*d.columns[10+t].Value[0] {
				want++
			}
		}
		if ok || without != want {
			t.Errorf("seed %d: %d columns without a place, want %d", seed, without, want)
		}
	}
}

// TestEndOfContext: there are no factors.
func TestEndOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rng := rand.New(rand.NewPCG(1, 33))
	if places, ok := New(100).Factor(ctx, draw(rng, 100, 0.5, false).of); ok || places != nil {
		t.Error("factored after the end")
	}
}

// TestUnstable: a pivot that contradicts the factors makes them worn.
func TestUnstable(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 34))
	d, f := draw(rng, 40, 0.1, false), New(40)
	places, _ := f.Factor(context.Background(), d.of)
	var spike, row Entries
	x, y := NewVector(40), NewVector(40)
	x.Set(3, 1)
	y.Set(places[7], 1)
	f.Ftran(x, &spike)
	f.Btran(y, &row)
	f.Exchange(places[7], &spike, &row, x.Value[places[7]]+1)
	if !f.Worn() {
		t.Error("not worn")
	}
}

// TestAdd: an element that has come to 0 is not listed again when it leaves it.
func TestAdd(t *testing.T) {
	v := NewVector(3)
	v.Add(1, 2)
	v.Add(1, -2)
	v.Add(1, 3)
	if len(v.Index) != 1 || v.Value[1] != 3 {
		t.Errorf("%v, listed %v", v.Value, v.Index)
	}
}
