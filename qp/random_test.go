package qp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// planted is a program whose answer is known.
type planted struct {
	qp        QP
	want      status.Status
	objective float64
}

// planter draws small programs, often degenerate: rows that are multiples of others, rows of zeros, multipliers of 0 at
// active bounds, equalities, a Q of any rank.
type planter struct {
	*rand.Rand
	whole bool
}

func (d *planter) number() float64 {
	if d.whole {
		return float64(d.IntN(7) - 3)
	}
	return d.NormFloat64()
}

// row draws a row of zeros, a multiple of the one before, or one of its own.
func (d *planter) row(row, before []float64) {
	switch kind := d.IntN(10); {
	case kind == 0:
	case kind <= 2 && before != nil:
		scale := d.number()
		for j := range row {
			row[j] = scale * before[j]
		}
	default:
		for j := range row {
			if d.IntN(3) > 0 {
				row[j] = d.number()
			}
		}
	}
}

// constraint draws bounds around v and the multiplier that fits them.
func (d *planter) constraint(v float64) (lo, up, dual float64) {
	lo, up = v-2*d.Float64()-0.1, v+2*d.Float64()+0.1
	if d.IntN(3) > 0 {
		dual = float64(d.IntN(4))
	}
	switch d.IntN(8) {
	case 0, 1:
		lo = v
	case 2, 3:
		up, dual = v, -dual
	case 4:
		lo, up, dual = v, v, d.number()
	case 5:
		lo, up, dual = -inf, inf, 0
	default:
		dual = 0
	}
	if d.IntN(3) == 0 && lo < v {
		lo = -inf
	}
	if d.IntN(3) == 0 && up > v {
		up = inf
	}
	return lo, up, dual
}

// plant draws a program.
func plant(rng *rand.Rand) planted {
	d := planter{rng, rng.IntN(2) == 0}
	n, m := 1+d.IntN(8), d.IntN(13)
	q := d.semidefinite(n)
	a, x, gradient := make([]float64, m*n), make([]float64, n), make([]float64, n) // Aᵀy + z
	for j := range x {
		x[j] = d.number()
	}
	p := planted{want: status.Optimal}
	p.qp.A, p.qp.Q = simplex.NewDense(m, n, a), simplex.NewDense(n, n, q)
	p.qp.RowLo, p.qp.RowUp = make([]float64, m), make([]float64, m)
	var before []float64
	for i := range m {
		row := a[i*n:][:n]
		d.row(row, before)
		before = row
		var dual float64
		p.qp.RowLo[i], p.qp.RowUp[i], dual = d.constraint(plainDot(row, x))
		for j, v := range row {
			gradient[j] += dual * v
		}
	}
	p.qp.Lo, p.qp.Up, p.qp.C = make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		var dual float64
		p.qp.Lo[j], p.qp.Up[j], dual = d.constraint(x[j])
		p.qp.C[j] = gradient[j] + dual - plainDot(q[j*n:][:n], x)
	}
	p.qp.Offset = d.number()
	p.objective = objective(&p.qp, q, x)
	if m > 0 && d.IntN(6) == 0 {
		d.contradict(&p)
	}
	return p
}

// semidefinite draws BBᵀ of any rank.
func (d *planter) semidefinite(n int) []float64 {
	q := make([]float64, n*n)
	rank := n + 2
	if d.IntN(3) == 0 {
		rank = d.IntN(n + 1)
	}
	for range rank {
		b := make([]float64, n)
		for j := range b {
			b[j] = d.number()
		}
		for i := range n {
			for j := range n {
				q[i*n+j] += b[i] * b[j]
			}
		}
	}
	return q
}

// contradict adds a row that is a sum of two others, with bounds that those exclude.
func (d *planter) contradict(p *planted) {
	a := p.qp.A.(*simplex.Dense)
	m, n := a.Dims()
	i, k := d.IntN(m), d.IntN(m)
	row := make([]float64, n)
	for j := range row {
		row[j] = a.Row(i)[j] + a.Row(k)[j]
	}
	top := p.qp.RowUp[i] + p.qp.RowUp[k]
	if math.IsInf(top, 1) {
		return
	}
	p.want = status.Infeasible
	p.qp.RowLo = append(p.qp.RowLo, top+1)
	p.qp.RowUp = append(p.qp.RowUp, inf)
	p.qp.A = simplex.NewDense(m+1, n, append(a.Data[:m*n:m*n], row...))
}

func plainDot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func objective(p *QP, q, x []float64) float64 {
	sum := p.Offset
	for j, v := range x {
		sum += p.C[j]*v + v*plainDot(q[j*len(x):][:len(x)], x)/2
	}
	return sum
}

// size is that of the objective's terms.
func size(p *QP, q, x []float64) float64 {
	sum := math.Abs(p.Offset)
	for j, v := range x {
		sum += math.Abs(p.C[j]*v) + math.Abs(v*plainDot(q[j*len(x):][:len(x)], x)/2)
	}
	return sum
}

// TestPlanted solves degenerate programs with known answers, and again, warm, after other costs.
func TestPlanted(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(34, 1))
		programs := 10000
		if testing.Short() {
			programs = 2000
		}
		for k := range programs {
			p := plant(rng)
			s, err := New(p.qp, Options{})
			if err != nil {
				t.Fatalf("program %d: %v", k, err)
			}
			var r Result
			s.SolveInto(context.Background(), &r)
			answers(t, k, "cold", p, &r)
			changed := p.qp
			changed.C = make([]float64, len(p.qp.C))
			for j := range changed.C {
				changed.C[j] = p.qp.C[j] + rng.NormFloat64()
			}
			if err := s.SetCost(changed.C); err != nil {
				t.Fatal(err)
			}
			s.SolveInto(context.Background(), &r)
			if err := Check(changed, &r); err != nil || r.Status == status.Numerical {
				t.Errorf("program %d, other costs: %v, %v", k, r.Status, err)
			}
			if err := s.SetCost(p.qp.C); err != nil {
				t.Fatal(err)
			}
			s.SolveInto(context.Background(), &r)
			answers(t, k, "warm", p, &r)
		}
	})
}

func answers(t *testing.T, k int, start string, p planted, r *Result) {
	t.Helper()
	if err := Check(p.qp, r); err != nil || r.Status != p.want {
		t.Errorf("program %d, %s: %v, want %v; %v; %+v", k, start, r.Status, p.want, err, r.Certificate)
		return
	}
	if r.Status != status.Optimal {
		return
	}
	q := p.qp.Q.(*simplex.Dense).Data
	if e := math.Abs(r.Objective - p.objective); !(e <= 1e-9*size(&p.qp, q, r.X)+1e-20) {
		t.Errorf("program %d, %s: objective %v, want %v", k, start, r.Objective, p.objective)
	}
}
