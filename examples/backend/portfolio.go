package main

import (
	"context"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Sizes of a portfolio.
const (
	assets  = 20
	factors = 3
	most    = 0.2 // share of one asset
	fear    = 8.0 // weight of the variance
)

// portfolio chooses shares of assets that sum to 1: the largest expected return less a multiple of the variance. The
// covariances stay; expectations change with every tick, for every account, and are the costs of the program.
type portfolio struct {
	pool     *qp.Pool
	accounts []account
}

// account is a user.
type account struct {
	qp      qp.QP
	shares  [assets]float64
	rng     *rand.Rand
	checker qp.Checker
}

func newPortfolio(ctx context.Context, users int) (*portfolio, error) {
	rng := rand.New(rand.NewPCG(2, 0))
	var exposure [assets][factors]float64
	for i := range exposure {
		for f := range factors {
			exposure[i][f] = 0.1 * rng.NormFloat64()
		}
	}
	q := simplex.NewDense(assets, assets, make([]float64, assets*assets))
	for i := range assets {
		for j := range assets {
			for f := range factors {
				q.Row(i)[j] += fear * exposure[i][f] * exposure[j][f]
			}
		}
		q.Row(i)[i] += fear * (0.02 + 0.03*rng.Float64())
	}
	p := qp.QP{Q: q}
	p.C, p.Up = make([]float64, assets), make([]float64, assets)
	budget := simplex.NewDense(1, assets, make([]float64, assets))
	for j := range assets {
		p.Up[j], budget.Data[j] = most, 1
	}
	p.A, p.RowLo, p.RowUp = budget, []float64{1}, []float64{1}
	pool, err := qp.NewPool(ctx, p, qp.Options{})
	if err != nil {
		return nil, err
	}
	all := &portfolio{pool: pool, accounts: make([]account, users)}
	for i := range all.accounts {
		a := &all.accounts[i]
		a.rng, a.qp = rand.New(rand.NewPCG(2, 1+uint64(i))), p
		a.qp.C = make([]float64, assets)
	}
	return all, nil
}

// next is the data of the next tick: expected returns that drift.
func (a *account) next() {
	for j, c := range a.qp.C {
		a.qp.C[j] = 0.98*c - 0.02*a.rng.NormFloat64()
	}
}

func (p *portfolio) size() (rows, columns int) { return 1, assets }

func (p *portfolio) tick(ctx context.Context, threads int, t []tally) error {
	return p.pool.Each(ctx, threads, len(p.accounts), func(i int, s *qp.Solver) error {
		p.accounts[i].next()
		t[i].begin()
		return s.SetCost(p.accounts[i].qp.C)
	}, func(i int, r *qp.Result) error {
		t[i].end()
		if r.Status != status.Optimal {
			t[i].missed++
			return nil
		}
		copy(p.accounts[i].shares[:], r.X)
		t[i].verified++
		return p.accounts[i].checker.Check(p.accounts[i].qp, r)
	})
}
