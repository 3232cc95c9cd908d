// Package inputs has inputs of tests and comparisons. It draws sparse linear programs of the kinds that are met in
// practice, and reads the idx files of the MNIST digits. Every program has an optimum: a feasible point is drawn with
// it, and costs that it bounds.
package inputs

import (
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/simplex"
)

var inf = math.Inf(1)

// builder collects a program column by column.
type builder struct {
	a        *simplex.Sparse
	c, up    []float64
	lo       []float64
	rlo, rup []float64
}

func newBuilder(m int) *builder {
	return &builder{a: &simplex.Sparse{Rows: m, Start: []int{0}}, rlo: make([]float64, m), rup: make([]float64, m)}
}

func (b *builder) column(c, lo, up float64, rows []int32, values []float64) {
	b.a.Append(rows, values)
	b.c = append(b.c, c)
	b.lo = append(b.lo, lo)
	b.up = append(b.up, up)
}

func (b *builder) lp() simplex.LP {
	return simplex.LP{C: b.c, Lo: b.lo, Up: b.up, RowLo: b.rlo, RowUp: b.rup, A: b.a}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 71)) }

// Transport ships whole units from sources to sinks at least cost; each sink knows only some sources.
func Transport(sources, sinks, each int, seed uint64) simplex.LP {
	rng := random(seed)
	b := newBuilder(sources + sinks)
	for j := range sinks {
		row := sources + j
		for k, i := range some(rng, sources, each) {
			if k < 2 {
				f := float64(1 + rng.IntN(20))
				b.rup[i] += f
				b.rlo[row] += f
			}
			b.column(float64(1+rng.IntN(100)), 0, inf, []int32{int32(i), int32(row)}, []float64{1, 1})
		}
		b.rup[row] = inf
	}
	for i := range sources {
		b.rlo[i] = -inf
		b.rup[i] += float64(rng.IntN(10))
	}
	return b.lp()
}

// some draws k different numbers below n.
func some(rng *rand.Rand, n, k int) []int {
	var list []int
	seen := map[int]bool{}
	for len(list) < min(k, n) {
		if i := rng.IntN(n); !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	return list
}

// Assignment matches n people with n jobs, of which each person can do some.
func Assignment(n, each int, seed uint64) simplex.LP {
	rng := random(seed)
	b := newBuilder(2 * n)
	for i := range b.rlo {
		b.rlo[i], b.rup[i] = 1, 1
	}
	match := rng.Perm(n)
	for i := range n {
		jobs := append(some(rng, n, each-1), match[i])
		for k, j := range jobs {
			if k < len(jobs)-1 && j == match[i] {
				continue
			}
			b.column(float64(1+rng.IntN(1000)), 0, inf, []int32{int32(i), int32(n + j)}, []float64{1, 1})
		}
	}
	return b.lp()
}

// Staircase plans over stages: each has rows with entries of its own columns and of the stage before, equations
// and inequalities in turns, and columns of which some are bounded.
func Staircase(stages, rows, cols int, seed uint64) simplex.LP {
	rng := random(seed)
	b := newBuilder(stages * rows)
	activity, y := make([]float64, stages*rows), make([]float64, stages*rows)
	for i := range y {
		y[i] = rng.NormFloat64()
		if i%3 != 0 {
			y[i] = max(y[i], 0)
		}
	}
	for t := range stages {
		for range cols {
			x := max(rng.NormFloat64(), 0)
			var indices []int32
			var values []float64
			price := 0.0
			put := func(stage, entries int, sign float64) {
				for _, i := range some(rng, rows, entries) {
					r, v := stage*rows+i, sign*(0.2+rng.Float64())
					indices = append(indices, int32(r))
					values = append(values, v)
					activity[r] += v * x
					price += y[r] * v
				}
			}
			put(t, 2+rng.IntN(3), 1)
			if t+1 < stages {
				put(t+1, 1+rng.IntN(2), -1)
			}
			up := inf
			if rng.IntN(4) == 0 {
				up = x + 1
			}
			if x == 0 {
				price += rng.Float64()
			}
			b.column(price, 0, up, indices, values)
		}
	}
	for i, s := range activity {
		b.rlo[i], b.rup[i] = s, s
		switch {
		case i%3 == 0:
		case y[i] > 0:
			b.rup[i] = inf
		default:
			b.rlo[i], b.rup[i] = s-rng.Float64(), inf
		}
	}
	return b.lp()
}

// Multicommodity sends commodities through a network whose arcs they share. Each commodity has an arc of its
// own from where it comes from to where it goes, without limit and costly.
func Multicommodity(nodes, arcs, commodities int, seed uint64) simplex.LP {
	rng := random(seed)
	balance := nodes * commodities
	b := newBuilder(balance + arcs)
	type arc struct {
		from, to int
		cost     float64
	}
	network := make([]arc, arcs)
	for a := range network {
		ends := some(rng, nodes, 2)
		if a < nodes {
			ends = []int{a, (a + 1) % nodes}
		}
		network[a] = arc{ends[0], ends[1], float64(1 + rng.IntN(20))}
		b.rlo[balance+a], b.rup[balance+a] = -inf, float64(5+rng.IntN(40))
	}
	for k := range commodities {
		ends, demand := some(rng, nodes, 2), float64(1+rng.IntN(20))
		from, to := int32(k*nodes+ends[0]), int32(k*nodes+ends[1])
		b.rlo[from], b.rup[from], b.rlo[to], b.rup[to] = demand, demand, -demand, -demand
		b.column(300, 0, inf, []int32{from, to}, []float64{1, -1})
		for a, e := range network {
			cost := e.cost + float64(rng.IntN(3))
			b.column(cost, 0, inf, []int32{int32(k*nodes + e.from), int32(k*nodes + e.to), int32(balance + a)}, []float64{1, -1, 1})
		}
	}
	return b.lp()
}
