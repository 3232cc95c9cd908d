package main

import (
	"context"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Sizes of the controller.
const (
	horizon  = 15
	seconds  = 0.2 // of a step
	strength = 1.0 // largest acceleration
	limit    = 1.0 // of the speed
)

// control is model predictive control of carts: accelerations of the next steps that bring a cart to its target soon,
// within its strength and its speed limit. The first one is applied, and the next tick decides again. What
// accelerations do to positions is a matrix that stays; the present state is in costs and in bounds of rows.
type control struct {
	pool  *qp.Pool
	model model
	carts []cart
}

// cart is a user.
type cart struct {
	qp                      qp.QP
	position, speed, target float64
	rng                     *rand.Rand
	checker                 qp.Checker
}

// model has what accelerations add to positions and speeds after each step, and weights of the squared errors.
type model struct {
	position, speed [horizon][horizon]float64
}

const (
	speedWeight = 0.3
	inputWeight = 0.05
)

func newModel() (m model) {
	for k := range horizon {
		for j := range k + 1 {
			m.speed[k][j] = seconds
			m.position[k][j] = seconds * seconds * (float64(k-j) + 0.5)
		}
	}
	return m
}

// free is where a cart is after step k without acceleration, relative to its target.
func (c *cart) free(k int) float64 { return c.position + float64(k+1)*seconds*c.speed - c.target }

func newControl(ctx context.Context, users int) (*control, error) {
	all := &control{model: newModel(), carts: make([]cart, users)}
	m := &all.model
	q := simplex.NewDense(horizon, horizon, make([]float64, horizon*horizon))
	a := simplex.NewDense(horizon, horizon, make([]float64, horizon*horizon))
	for i := range horizon {
		copy(a.Row(i), m.speed[i][:])
		q.Row(i)[i] = inputWeight
		for j := range horizon {
			for k := range horizon {
				q.Row(i)[j] += m.position[k][i]*m.position[k][j] + speedWeight*m.speed[k][i]*m.speed[k][j]
			}
		}
	}
	p := qp.QP{Q: q}
	p.A, p.C, p.Lo, p.Up = a, make([]float64, horizon), make([]float64, horizon), make([]float64, horizon)
	for j := range horizon {
		p.Lo[j], p.Up[j] = -strength, strength
	}
	for i := range all.carts {
		c := &all.carts[i]
		c.rng, c.qp = rand.New(rand.NewPCG(3, uint64(i))), p
		c.target = 4 * c.rng.NormFloat64()
		c.qp.C, c.qp.RowLo, c.qp.RowUp = make([]float64, horizon), make([]float64, horizon), make([]float64, horizon)
	}
	all.next(&all.carts[0])
	var err error
	all.pool, err = qp.NewPool(ctx, all.carts[0].qp, qp.Options{})
	return all, err
}

// next is the program of a cart's present state. Now and then the target is another one.
func (b *control) next(c *cart) {
	if c.rng.Float64() < 0.02 {
		c.target = 4 * c.rng.NormFloat64()
	}
	for j := range horizon {
		c.qp.C[j] = 0
		for k := j; k < horizon; k++ {
			c.qp.C[j] += b.model.position[k][j]*c.free(k) + speedWeight*b.model.speed[k][j]*c.speed
		}
		c.qp.RowLo[j], c.qp.RowUp[j] = -limit-c.speed, limit-c.speed
	}
}

// move applies the first acceleration for one step.
func (c *cart) move(acceleration float64) {
	c.position += seconds*c.speed + seconds*seconds/2*acceleration
	c.speed += seconds * acceleration
}

func (b *control) size() (rows, columns int) { return horizon, horizon }

func (b *control) tick(ctx context.Context, threads int, t []tally) error {
	return b.pool.Each(ctx, threads, len(b.carts), func(i int, s *qp.Solver) error {
		c := &b.carts[i]
		b.next(c)
		t[i].begin()
		if err := s.SetCost(c.qp.C); err != nil {
			return err
		}
		return s.SetRowBounds(c.qp.RowLo, c.qp.RowUp)
	}, func(i int, r *qp.Result) error {
		t[i].end()
		c := &b.carts[i]
		if r.Status != status.Optimal {
			t[i].missed++
			c.move(max(-strength, min(strength, -c.speed/seconds))) // brake
			return nil
		}
		err := c.checker.Check(c.qp, r)
		t[i].verified++
		c.move(r.X[0])
		return err
	})
}
