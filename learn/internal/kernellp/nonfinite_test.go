package kernellp

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// stored is a kernel matrix in memory.
type stored struct {
	n int
	k []float64
}

func (s *stored) Len() int { return s.n }

func (s *stored) Diag(dst []float64) {
	for i := range dst {
		dst[i] = s.k[i*s.n+i]
	}
}

func (s *stored) Rows(idx []int) (rows [][]float64) {
	for _, i := range idx {
		rows = append(rows, s.k[i*s.n:(i+1)*s.n])
	}
	return rows
}

func (s *stored) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	for r, row := range s.Rows(idx) {
		for j, v := range row {
			g[j] += coef[r] * v
		}
	}
	return ctx.Err()
}

// sees reports whether a solution's outputs or rows have a value that is not finite.
func (s *stored) sees(sol *Solution) bool {
	for i := range s.n {
		sum := sol.Bias
		for j, k := range s.k[i*s.n : (i+1)*s.n] {
			if sol.A[j] != 0 {
				sum += k * sol.A[j]
			}
			if sol.M[j] != 0 {
				sum += 0 * k * sol.M[j]
			}
		}
		if sum-sum != 0 {
			return true
		}
	}
	return false
}

// TestNotFinite puts NaN and ±Inf into the kernel matrix and the numbers of a program, once solved and afresh: there is
// no optimum but one that does not depend on the number.
func TestNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for name, shape := range shapes {
			for field, what := range []string{"kernel", "label", "cap", "cost", "margin", "cost of the bias"} {
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					if bad > 0 && (what == "cost" || what == "cost of the bias" || what == "cap") {
						continue // a coefficient, the bias or an error is out of the question
					}
					for _, at := range []int{0, 17, 39} {
						// A solver keeps rows of the kernel.
						for _, warm := range []bool{false, what != "kernel"} {
							sub := fmt.Sprintf("%s, %s %d: %v, warm %v", name, what, at, bad, warm)
							t.Run(sub, func(t *testing.T) { notFinite(t, shape, field, at, bad, warm) })
						}
					}
				}
			}
		}
	})
}

func notFinite(t *testing.T, shape Shape, field, at int, bad float64, warm bool) {
	const n = 40
	defer func() {
		if r := recover(); r != nil && !strings.HasPrefix(fmt.Sprint(r), "kernellp:") {
			t.Errorf("panic %v\n%s", r, debug.Stack())
		}
	}()
	k, y := small(n, 1)
	m := &stored{n, make([]float64, n*n)}
	for i := range n {
		copy(m.k[i*n:], k.Rows([]int{i})[0])
	}
	hinge := fill(n, 2)
	p := Costs{Margin: 1, Coef: fill(n, 1), Bias: 0.5}
	s := New(m, y, hinge, shape, Options{})
	if warm {
		if sol, err := s.Solve(context.Background(), p); err != nil || sol.Status != status.Optimal {
			t.Fatal(sol, err)
		}
	}
	switch field {
	case 0:
		m.k[at*n+(at+3)%n], m.k[(at+3)%n*n+at] = bad, bad
	case 1:
		y[at] = bad
		s = New(m, y, hinge, shape, Options{})
	case 2:
		hinge[at] = bad
		if s.SetCap(hinge) != nil {
			return
		}
	case 3:
		p.Coef[at] = bad
	case 4:
		p.Margin = bad
	default:
		p.Bias = bad
	}
	sol, err := s.Solve(context.Background(), p)
	if err == nil && sol.Status == status.Optimal && (field > 0 || m.sees(sol)) {
		t.Errorf("optimal: objective %v, dual %v, violation %v", sol.Objective, sol.Dual, sol.Violation)
	}
}
