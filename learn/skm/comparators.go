package skm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// L1SVM is the method "l1svm": min 1ᵀα + C 1ᵀξ with 0 ≤ α ≤ C and a free bias,
// Peleg & Meir (2009), eq. (6). The upper bound on α is meant: the dual (7) has its multiplier η.
type L1SVM struct {
	C         float64 // price of a unit of slack, and the bound of α; 0 means 1
	Threshold float64 // as in [SKM]
	Dump      Dump
}

// L0SVM is the method "l0svm": min Σ log(α_i + δ) + C 1ᵀξ with α ≥ 0 and δ = 0.1, by
// successive linearisation from α* = 1, eq. (10) and (11).
type L0SVM struct {
	C         float64 // price of a unit of slack; 0 means 1
	Threshold float64 // as in [SKM]
	MaxIter   int     // limit of linearisations; 0 means 50
	Dump      Dump
}

// LPSVC is the method "lpsvc" of Kecman & Hadzic (2000): min Σ|α_i| + C Σξ_i with α
// of either sign and a bias that costs nothing.
type LPSVC struct {
	C         float64 // price of a unit of slack; 0 means 1
	Threshold float64 // as in [SKM]
	Dump      Dump
}

var (
	_ learn.PathTrainer = L1SVM{}
	_ learn.Trainer     = L0SVM{}
	_ learn.PathTrainer = LPSVC{}
)

// Name implements [learn.Trainer].
func (L1SVM) Name() string { return "l1svm" }

// Name implements [learn.Trainer].
func (L0SVM) Name() string { return "l0svm" }

// Name implements [learn.Trainer].
func (LPSVC) Name() string { return "lpsvc" }

// EstimateMemory implements [learn.Trainer].
func (L1SVM) EstimateMemory(n, d int) int64 { return estimateMemory(n, d) }

// EstimateMemory implements [learn.Trainer].
func (L0SVM) EstimateMemory(n, d int) int64 { return estimateMemory(n, d) }

// EstimateMemory implements [learn.Trainer].
func (LPSVC) EstimateMemory(n, d int) int64 { return estimateMemory(n, d) }

// Train implements [learn.Trainer].
func (t L1SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return t.linear().train(ctx, p)
}

// Path implements [learn.PathTrainer].
func (t L1SVM) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return t.linear().path(ctx, p, c, visit)
}

func (t L1SVM) linear() linear {
	shape := kernellp.Shape{OneSided: true, Ceiling: orOne(t.C)}
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, shape: shape, dump: t.Dump, linearisations: 1}
}

// Train implements [learn.Trainer]. The training ends when no α moves by more than
// 1e-6 of the largest; the paper prints no rule.
func (t L0SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if t.MaxIter < 0 {
		return nil, fmt.Errorf("l0svm: iteration limit is %d, want at least 1", t.MaxIter)
	}
	k := t.MaxIter
	if k == 0 {
		k = 50
	}
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, shape: kernellp.Shape{OneSided: true}, dump: t.Dump,
		price: func(alpha float64) float64 { return 1 / (alpha + l0Delta) }, linearisations: k}.train(ctx, p)
}

// l0Delta is δ of eq. (10) in all the paper's experiments (section 3, footnote 1).
const l0Delta = 0.1

// Train implements [learn.Trainer].
func (t LPSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return t.linear().train(ctx, p)
}

// Path implements [learn.PathTrainer].
func (t LPSVC) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return t.linear().path(ctx, p, c, visit)
}

func (t LPSVC) linear() linear {
	return linear{name: t.Name(), c: t.C, threshold: t.Threshold, dump: t.Dump, linearisations: 1}
}

func orOne(c float64) float64 {
	if c == 0 {
		return 1
	}
	return c
}

// linear is what the comparators share: programs with margin 1 whose prices follow from the last α.
type linear struct {
	name           string
	c, threshold   float64
	shape          kernellp.Shape
	price          func(alpha float64) float64 // price of the next α; nil means always 1
	linearisations int
	dump           Dump
}

func (l linear) train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	m, err := l.prepare(p)
	if err != nil {
		return nil, err
	}
	return l.run(ctx, m)
}

func (l linear) validate() error {
	if !(l.c >= 0) || math.IsInf(l.c, 0) {
		return fmt.Errorf("%s: C is %v, want a finite number > 0", l.name, l.c)
	}
	return validThreshold(l.name, l.threshold)
}

func (l linear) prepare(p *learn.Problem) (*machine, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	return newMachine(l.name, p, orOne(l.c), l.shape, kernellp.Options{Dump: l.dump})
}

// run solves, linearises and reports.
func (l linear) run(ctx context.Context, m *machine) (*learn.Result, error) {
	start := time.Now()
	alpha := make([]float64, len(m.y))
	for i := range alpha {
		alpha[i] = 1
	}
	var sol *kernellp.Solution
	var rounds []learn.Round
	var solves, pivots int
	for converged := false; !converged && len(rounds) < l.linearisations; {
		var err error
		if sol, err = m.lp.Solve(ctx, l.prices(alpha)); err != nil {
			return nil, err
		}
		solves += sol.Solves
		pivots += sol.Iterations
		rounds = append(rounds, learn.Round{Objective: sol.Objective, Hinge: sol.Hinge, Nonzeros: nonzeros(sol.A),
			KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: sol.Iterations})
		converged = sol.Status != status.Optimal || !moved(alpha, sol.A)
	}
	r := &learn.Result{Expansion: m.expansion(sol.A, sol.Bias, threshold(l.threshold)), Report: m.report(sol)}
	r.Report.Iterations, r.Report.InnerIterations, r.Report.Rounds = len(rounds), pivots, rounds
	r.Report.Seconds.Solve = time.Since(start).Seconds()
	r.Report.Extra = map[string]any{"solves": solves, "working_rows": sol.Rows}
	return r, nil
}

// path is run at every C, warm.
func (l linear) path(ctx context.Context, p *learn.Problem, cs []float64, visit func(float64, *learn.Result) bool) error {
	m, err := l.prepare(p)
	if err != nil {
		return err
	}
	for _, c := range cs {
		if l.c = c; c == 0 {
			return fmt.Errorf("%s: C is 0 on a path, want a finite number > 0", l.name)
		} else if err := l.validate(); err != nil {
			return err
		}
		price := make([]float64, len(m.rows))
		for r, i := range m.rows {
			price[r] = c * p.WeightOf(i)
		}
		if err := m.lp.SetCap(price); err != nil {
			return err
		}
		if l.shape.Ceiling > 0 {
			m.lp.SetCeiling(c)
		}
		r, err := l.run(ctx, m)
		if err != nil {
			return err
		}
		if !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
	}
	return nil
}

// prices returns the program after coefficients alpha ≥ 0.
func (l linear) prices(alpha []float64) kernellp.Prices {
	p := kernellp.Prices{Margin: 1, Coef: make([]float64, len(alpha))}
	for i, a := range alpha {
		p.Coef[i] = 1
		if l.price != nil {
			p.Coef[i] = l.price(a)
		}
	}
	return p
}

// moved stores |a| in alpha and reports whether that changed alpha.
func moved(alpha, a []float64) bool {
	var change, largest float64
	for i, v := range a {
		v = math.Abs(v)
		change = math.Max(change, math.Abs(v-alpha[i]))
		largest = math.Max(largest, v)
		alpha[i] = v
	}
	return change > 1e-6*largest
}
