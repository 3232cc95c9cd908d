package qp

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// maxExactPivots limits the pivots of Prove.
const maxExactPivots = 2000

// Prove proves what the status of a program is, in exact arithmetic: of an optimum by its exact solution and
// multipliers, and a Q that is positive semidefinite, otherwise by a linear program. The bounds on which a result rests
// give a first system of equations, and pivots lead on from there where its solution is not optimal. The status may
// then be another one than r says. maxBytes is a memory budget, 0 for none.
//
// The error is that of ctx, an [ErrInvalid], a prove.ErrMemory, or an [ErrCertificate] where nothing is proved: also of
// an optimum if the numbers of Q have been rounded so that it is not positive semidefinite.
func Prove(ctx context.Context, p QP, r *Result, maxBytes int64) (*prove.Proof, error) {
	s, err := newProblem(&p, nil)
	if err != nil {
		return nil, err
	}
	if len(r.X) != s.n || len(r.Y) != s.m || len(r.BoundDuals) != s.n {
		return nil, invalid("result for %d variables and %d rows, the program has %d and %d", len(r.X), len(r.Y), s.n, s.m)
	}
	v := newProver(s, r)
	if maxBytes > 0 {
		const entry = 2 * 12 // of the matrices, which are copied
		if v.memory = maxBytes - int64(entry*(len(s.q)+len(s.a))); v.memory <= 0 {
			return nil, &rational.BudgetError{Need: maxBytes - v.memory, Have: maxBytes}
		}
	}
	if r.Status == status.Infeasible || r.Status == status.Unbounded {
		if proof, err := v.linear(ctx, r.Status); proof != nil || err != nil {
			return proof, err
		}
	}
	return v.prove(ctx)
}

// prove makes exact pivots to a proof.
func (v *prover) prove(ctx context.Context) (*prove.Proof, error) {
	for v.pivots = 0; v.pivots < maxExactPivots; v.pivots++ {
		if err := v.solve(ctx); err != nil {
			return nil, err
		}
		u, by := v.violated()
		if u < 0 {
			return v.optimum(ctx)
		}
		claim, err := v.pivot(ctx, u, by)
		if err != nil {
			return nil, err
		}
		if claim == status.Optimal {
			continue
		}
		proof, err := v.linear(ctx, claim)
		if proof == nil && err == nil {
			err = unproven("variable %d can move nowhere, but the program is not %s", u, claim)
		}
		return proof, err
	}
	return nil, unproven("no proof after %d exact pivots", maxExactPivots)
}

// linear proves by a linear program that p is infeasible or unbounded. It returns nil if it is not.
func (v *prover) linear(ctx context.Context, claim status.Status) (*prove.Proof, error) {
	lp := simplex.LP{Lo: v.lo, Up: v.up, RowLo: v.rowLo, RowUp: v.rowUp}
	a := simplex.NewDense(v.m, v.n, v.a)
	if lp.A = a; claim == status.Unbounded {
		// Rows that keep Qx within bounds leave rays that Q does not curve.
		v.mulQ(v.qx, v.near)
		lp.C, lp.A = v.c, simplex.NewDense(v.m+v.n, v.n, slices.Concat(v.a, v.q))
		lp.RowLo, lp.RowUp = slices.Clone(v.rowLo), slices.Clone(v.rowUp)
		for _, e := range v.qx {
			if e = 1e3 * (1 + math.Abs(e)); !finite(e) {
				e = 1e3
			}
			lp.RowLo = append(lp.RowLo, -e)
			lp.RowUp = append(lp.RowUp, e)
		}
	}
	r, err := simplex.Solve(ctx, lp, simplex.Options{})
	if err != nil {
		return nil, err
	}
	proof, err := simplex.Prove(ctx, lp, r, v.memory)
	if err != nil || proof.Status != claim {
		return nil, err
	}
	proof.Rows = v.m
	return proof, nil
}

// optimum returns the proof that the present solution is one.
func (v *prover) optimum(ctx context.Context) (*prove.Proof, error) {
	if err := v.convex(ctx); err != nil {
		return nil, err
	}
	// Twice the objective is cᵀx + xᵀ(Qx + c) + 2·offset, and Qx + c = Aᵀy + d, where d and y are 0 off the bounds.
	f := &v.scratch
	f.Reset()
	f.Add(2*v.offset, rational.OfFloat(1))
	for j, c := range v.c {
		f.Add(c, v.z.Exact[j])
		if !v.basic[j] && v.dual[j] != 0 {
			f.Add(v.resting[j], v.exactDual(j))
		}
	}
	for i, y := range v.z.Exact[v.n:] {
		f.Add(v.resting[v.n+i], y)
	}
	twice := f.Number()
	twice.Exp--
	return &prove.Proof{Status: status.Optimal, Objective: twice.Rat(), Rows: v.m, Cols: v.n, X: v.z.Exact[:v.n],
		Y: v.z.Exact[v.n:]}, nil
}

// exactDual returns element j of Qx + c − Aᵀy.
func (v *prover) exactDual(j int) rational.Number {
	var s rational.Sum
	s.Add(v.c[j], rational.OfFloat(1))
	for t, k := range v.gradients[j].index {
		s.Add(v.gradients[j].value[t], v.z.Exact[k])
	}
	return s.Number()
}

// solve finds x and y for the present bounds: of
//
//	Q_FF x_F − A_TFᵀ y_T = −c_F − Q_FN x_N,   A_TF x_F = b_T − A_TN x_N
//
// with the basic variables F, those on bounds N, and the rows on bounds T. What makes the system singular leaves it.
func (v *prover) solve(ctx context.Context) error {
	for {
		v.list()
		core := v.core()
		core.Memory = v.memory
		factors, err := rational.Factor(ctx, core)
		var singular *rational.SingularError
		switch {
		case err == nil:
			v.factors = factors
			return v.values(ctx)
		case !errors.As(err, &singular):
			return err
		}
		// Rows that are independent and as many as can be have a principal block that is regular, by symmetry.
		for _, k := range singular.Rows {
			if u := int(v.unknowns[k]); u < v.n {
				v.rest(u)
			} else {
				v.basic[u] = true
			}
		}
	}
}

// values solves with the factors, and measures the duals of what is on a bound.
func (v *prover) values(ctx context.Context) error {
	right := make([]rational.Number, len(v.unknowns))
	for k, u := range v.unknowns {
		s := &v.scratch
		s.Reset()
		b, terms := v.resting[u], v.line(int(u))
		if int(u) < v.n {
			b, terms = -v.c[u], v.gradients[u]
		}
		s.Add(b, rational.OfFloat(1))
		for t, w := range terms.index {
			if int(w) < v.n && !v.basic[w] {
				s.Add(-terms.value[t], rational.OfFloat(v.resting[w]))
			}
		}
		right[k] = s.Number()
	}
	z, err := v.solution(ctx, right)
	if err != nil {
		return err
	}
	for j := range v.n {
		if !v.basic[j] {
			z[j] = rational.OfFloat(v.resting[j])
		}
	}
	v.z = rational.NewVector(z)
	for u := range v.dual {
		switch {
		case v.basic[u]:
			v.dual[u] = 0
		case u < v.n:
			v.dual[u] = v.product(v.gradients[u], v.z, -v.c[u])
		default:
			v.dual[u] = z[u].Float64()
		}
	}
	return nil
}

// solution solves the system for one right-hand side, and returns x and y, which are 0 off it.
func (v *prover) solution(ctx context.Context, right []rational.Number) ([]rational.Number, error) {
	found, err := v.factors.Solve(ctx, right)
	if err != nil {
		return nil, err
	}
	z := make([]rational.Number, v.n+v.m)
	for k, u := range v.unknowns {
		if z[u] = found[k]; int(u) >= v.n {
			z[u] = z[u].Neg() // the system is symmetric in −y
		}
	}
	return z, nil
}
