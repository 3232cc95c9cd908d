package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Sizes of a dispatch: generators of two zones, which a line joins.
const (
	generators = 12
	zones      = 2
	lineLimit  = 60.0   // MW
	shedCost   = 3000.0 // a MWh of demand that is not served
	spillCost  = 5.0    // a MWh too much
)

// Columns after those of the generators, which have two each: for output at a lower and at a higher cost.
const (
	lineColumn  = 2 * generators
	shedColumn  = lineColumn + 1
	spillColumn = shedColumn + zones
	columns     = spillColumn + zones
)

// dispatch is economic dispatch: the cheapest output of generators that meets the demand of two zones, every few
// minutes. Costs and matrix stay; demand, and how far each generator can ramp from its last output, are bounds of rows.
type dispatch struct {
	pool  *simplex.Pool
	grids []grid
}

// grid is a user.
type grid struct {
	lp      simplex.LP // which the certificates are checked against
	output  [generators]float64
	base    [zones]float64 // demand in the mean
	rng     *rand.Rand
	hour    float64
	checker simplex.Checker
}

// Numbers of generator g.
func zone(g int) int           { return g % zones }
func capacity(g int) float64   { return 40 + 10*float64(g%4) }
func ramp(g int) float64       { return 4 + 3*float64(g%3) }
func cost(g int) float64       { return 18 + 2.5*float64(g*5%generators) }
func demandRow(z int) int      { return z }
func outputRow(g int) int      { return zones + g }
func cheapShare(g int) float64 { return 0.4 + 0.1*float64(g%3) }

// newDispatch makes the program that all grids have but for the bounds of its rows.
func newDispatch(ctx context.Context, users int) (*dispatch, error) {
	const rows = zones + generators
	a := simplex.NewDense(rows, columns, make([]float64, rows*columns))
	lp := simplex.LP{A: a, C: make([]float64, columns), Lo: make([]float64, columns), Up: make([]float64, columns),
		RowLo: make([]float64, rows), RowUp: make([]float64, rows)}
	for g := range generators {
		for k, share := range []float64{cheapShare(g), 1 - cheapShare(g)} {
			j := 2*g + k
			lp.C[j], lp.Up[j] = cost(g)*(1+0.3*float64(k)), share*capacity(g)
			a.Row(demandRow(zone(g)))[j], a.Row(outputRow(g))[j] = 1, 1
		}
	}
	lp.Lo[lineColumn], lp.Up[lineColumn] = -lineLimit, lineLimit // from zone 0 to zone 1
	a.Row(demandRow(0))[lineColumn], a.Row(demandRow(1))[lineColumn] = -1, 1
	for z := range zones {
		lp.C[shedColumn+z], lp.Up[shedColumn+z] = shedCost, math.Inf(1)
		lp.C[spillColumn+z], lp.Up[spillColumn+z] = spillCost, math.Inf(1)
		a.Row(demandRow(z))[shedColumn+z], a.Row(demandRow(z))[spillColumn+z] = 1, -1
	}
	d := &dispatch{grids: make([]grid, users)}
	for i := range d.grids {
		g := &d.grids[i]
		g.rng = rand.New(rand.NewPCG(1, uint64(i)))
		g.lp = lp
		g.lp.RowLo, g.lp.RowUp = make([]float64, rows), make([]float64, rows)
		for z := range zones {
			g.base[z] = 140 + 60*g.rng.Float64()
		}
		for k := range g.output {
			g.output[k] = capacity(k) / 2
		}
	}
	d.grids[0].next()
	copy(lp.RowLo, d.grids[0].lp.RowLo)
	copy(lp.RowUp, d.grids[0].lp.RowUp)
	var err error
	d.pool, err = simplex.NewPool(ctx, lp, simplex.Options{})
	return d, err
}

// next is the data of the next tick: demand, and what ramps allow.
func (g *grid) next() {
	g.hour += 1.0 / 12
	for z, base := range g.base {
		demand := base * (1 + 0.25*math.Sin(2*math.Pi*g.hour/24) + 0.02*g.rng.NormFloat64())
		g.lp.RowLo[demandRow(z)], g.lp.RowUp[demandRow(z)] = demand, demand
	}
	for k, value := range g.output {
		g.lp.RowLo[outputRow(k)], g.lp.RowUp[outputRow(k)] = max(0, value-ramp(k)), min(capacity(k), value+ramp(k))
	}
}

func (d *dispatch) size() (int, int) { return d.grids[0].lp.A.Dims() }

func (d *dispatch) tick(ctx context.Context, threads int, t []tally) error {
	return d.pool.Each(ctx, threads, len(d.grids), func(i int, s *simplex.Solver) error {
		g := &d.grids[i]
		g.next()
		t[i].begin()
		return s.SetRowBounds(g.lp.RowLo, g.lp.RowUp)
	}, func(i int, r *simplex.Result) error {
		t[i].end()
		if r.Status != status.Optimal {
			t[i].missed++
			return nil
		}
		g := &d.grids[i]
		for k := range g.output {
			g.output[k] = r.X[2*k] + r.X[2*k+1]
		}
		t[i].verified++
		return g.checker.Check(g.lp, r)
	})
}
