package qp

import (
	"context"
	"math"
	"math/big"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// Bound is what exact arithmetic proves of a result's X. No rounding error is left out.
type Bound struct {
	// Gap is the objective at X less that of the optimum, rounded up in size. It is negative only if X violates a bound.
	Gap float64
	// Violation is the largest violation of a bound by a variable or a row, rounded up: 0 if X is feasible.
	Violation float64
}

// Bound proves how far r's X is from the optimum, which [Prove] finds. Its errors are those of Prove, and an
// [ErrCertificate] if the program has no optimum.
func (p *QP) Bound(ctx context.Context, r *Result) (Bound, error) {
	proof, err := Prove(ctx, *p, r, 0)
	if err != nil {
		return Bound{}, err
	}
	if proof.Status != status.Optimal {
		return Bound{}, unproven("the program is %v", proof.Status)
	}
	s, err := newProblem(p, nil)
	if err != nil {
		return Bound{}, err
	}
	for j, v := range r.X {
		if !finite(v) {
			return Bound{}, unproven("element %d of X is %v", j, v)
		}
	}
	gap := new(big.Rat).Sub(s.exactObjective(r.X).Rat(), proof.Objective)
	return Bound{Gap: awayFromZero(gap), Violation: s.exactViolation(r.X)}, nil
}

// awayFromZero rounds v up in size.
func awayFromZero(v *big.Rat) float64 {
	f, _ := v.Float64()
	size := new(big.Rat).Abs(v)
	if e := math.Abs(f); !math.IsInf(e, 1) && new(big.Rat).SetFloat64(e).Cmp(size) < 0 {
		f = math.Copysign(math.Nextafter(e, inf), float64(v.Sign()))
	}
	return f
}

// exactObjective is ½xᵀQx + cᵀx + offset.
func (s *problem) exactObjective(x []float64) rational.Number {
	var twice rational.Sum
	twice.Add(2, rational.OfFloat(s.offset))
	for j, v := range x {
		var g rational.Sum // (Qx + 2c)_j
		g.Add(2, rational.OfFloat(s.c[j]))
		addDot(&g, s.q[j*s.n:][:s.n], x)
		twice.Add(v, g.Number())
	}
	value := twice.Number()
	value.Exp--
	return value
}

func addDot(to *rational.Sum, a, x []float64) {
	for i, v := range x {
		if v != 0 && a[i] != 0 {
			to.Add(a[i], rational.OfFloat(v))
		}
	}
}

// exactViolation is the largest violation of a bound, rounded up.
func (s *problem) exactViolation(x []float64) (largest float64) {
	for c := range s.m + s.n {
		lo, up := s.bounds(c)
		for _, side := range [2]float64{1, -1} {
			b := endOf(side, lo, up)
			if math.IsInf(b, 0) {
				continue
			}
			var by rational.Sum // side·(b − a·x)
			by.Add(side, rational.OfFloat(b))
			if c < s.m {
				for j, a := range s.a[c*s.n:][:s.n] {
					by.Add(-side*a, rational.OfFloat(x[j]))
				}
			} else {
				by.Add(-side, rational.OfFloat(x[c-s.m]))
			}
			if v := by.Number(); v.Sign() > 0 {
				largest = max(largest, v.AtLeast())
			}
		}
	}
	return largest
}
