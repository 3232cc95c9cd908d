package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

func TestNewRefuses(t *testing.T) {
	good := func() LP { return LP{C: []float64{1, 2}, A: NewDense(1, 2, []float64{1, 1}), RowUp: []float64{3}} }
	nan := math.NaN()
	for name, c := range map[string]struct {
		change func(*LP)
		want   string
	}{
		"no matrix":       {func(p *LP) { p.A = nil }, "the matrix is missing"},
		"costs":           {func(p *LP) { p.C = []float64{1} }, "1 costs for 2 columns"},
		"NaN cost":        {func(p *LP) { p.C[1] = nan }, "cost of column 1 is NaN"},
		"infinite cost":   {func(p *LP) { p.C[0] = inf }, "cost of column 0 is +Inf"},
		"row bounds":      {func(p *LP) { p.RowUp = []float64{1, 2} }, "1 lower and 2 upper bounds for 1 rows"},
		"column bounds":   {func(p *LP) { p.Lo = []float64{} }, "0 lower and 2 upper bounds for 2 columns"},
		"NaN bound":       {func(p *LP) { p.RowUp[0] = nan }, "bounds of row 0 are [-Inf, NaN]"},
		"lower at +Inf":   {func(p *LP) { p.Lo = []float64{inf, 0} }, "bounds of column 0 are [+Inf, +Inf]"},
		"offset":          {func(p *LP) { p.Offset = inf }, "objective constant is +Inf"},
		"NaN entry":       {func(p *LP) { p.A.(*Dense).Data[1] = nan }, "entry of row 0, column 1 is NaN"},
		"short data":      {func(p *LP) { p.RowUp, p.A = nil, &Dense{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 2, 3}} }, "3 values with stride 2"},
		"stride":          {func(p *LP) { p.A = &Dense{Rows: 1, Cols: 2, Stride: 1, Data: []float64{1, 2, 3}} }, "3 values with stride 1"},
		"sparse infinite": {func(p *LP) { p.A = &Sparse{Rows: 1, Start: []int{0, 1, 1}, Index: []int32{0}, Value: []float64{inf}} }, "entry of row 0, column 0 is +Inf"},
		"sparse row":      {func(p *LP) { p.A = &Sparse{Rows: 1, Start: []int{0, 1, 1}, Index: []int32{1}, Value: []float64{1}} }, "column 0 has an entry in row 1 of 1"},
		"sparse twice": {func(p *LP) {
			p.A = &Sparse{Rows: 1, Start: []int{0, 2, 2}, Index: []int32{0, 0}, Value: []float64{1, 1}}
		}, "column 0 has two entries in row 0"},
		"sparse lengths":      {func(p *LP) { p.A = &Sparse{Rows: 1, Start: []int{0, 1, 1}, Index: []int32{0}} }, "1 row numbers and 0 values"},
		"sparse ends":         {func(p *LP) { p.A = &Sparse{Rows: 1, Start: []int{0, 2, 1}, Index: []int32{0}, Value: []float64{1}} }, "column 1 ends before it starts"},
		"sparse out of range": {func(p *LP) { p.A = &Sparse{Rows: 1, Start: []int{0, 9, 1}, Index: []int32{0}, Value: []float64{1}} }, "column 1 ends before it starts"},
		"blocks":              {func(p *LP) { p.RowUp, p.A = nil, Blocks{NewDense(1, 1, []float64{1}), NewDense(2, 1, []float64{1, 1})} }, "matrix block 1 has 2 rows, block 0 has 1"},
		"NaN in a block":      {func(p *LP) { p.A = Blocks{NewDense(1, 1, []float64{1}), NewDense(1, 1, []float64{nan})} }, "block 1: simplex: entry of row 0, column 0 is NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			lp := good()
			c.change(&lp)
			if _, err := New(lp, Options{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want an ErrInvalid with %q", err, c.want)
			}
		})
	}
	s, err := New(good(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"costs":         s.SetCost([]float64{1}),
		"row bounds":    s.SetRowBounds([]float64{2}, []float64{-1e20}),
		"column bounds": s.SetColBounds([]float64{0, nan}, []float64{1, 1}),
		"basis":         s.SetBasis(Basis{}),
		"position":      s.SetBasis(Basis{Cols: []Position{9, 0}, Rows: []Position{0}}),
		"rows":          s.AddColumns([]float64{1}, nil, nil, NewDense(2, 1, []float64{1, 1})),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want an ErrInvalid", name, err)
		}
	}
}

// lazy is a matrix that has nothing but the methods of Columns.
type lazy struct{ a *Dense }

func (l lazy) Dims() (int, int)                               { return l.a.Dims() }
func (l lazy) Column(dst []float64, j int)                    { l.a.Column(dst, j) }
func (l lazy) Price(dst []float64, rows []int32, y []float64) { l.a.Price(dst, rows, y) }

// TestMatricesAgree solves the same program dense, sparse, implicit and in blocks.
func TestMatricesAgree(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, opt := planted(rng, 2+rng.IntN(20), 2+rng.IntN(20), 0.6, false)
		m, n := len(p.a), len(p.c)
		whole := p.lp(true)
		left, right := &rowsOf{c: p.c[:n/2]}, &rowsOf{c: p.c[n/2:]}
		wide := make([]float64, 0, m*(n+3))
		for _, row := range p.a {
			left.a = append(left.a, row[:n/2])
			right.a = append(right.a, row[n/2:])
			wide = append(append(wide, row...), inf, inf, inf) // columns beyond Cols are not read
		}
		for name, a := range map[string]Columns{
			"dense": whole.A, "sparse": p.lp(false).A, "implicit": lazy{whole.A.(*Dense)},
			"strided":       &Dense{Rows: m, Cols: n, Stride: n + 3, Data: wide},
			"blocks":        Blocks{left.lp(true).A, Blocks{right.lp(false).A}},
			"half implicit": Blocks{lazy{left.lp(true).A.(*Dense)}, right.lp(false).A},
		} {
			lp := whole
			lp.A = a
			s, err := New(lp, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := s.Solve(context.Background())
			if err := Check(lp, r); err != nil || !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
				t.Errorf("seed %d, %s: %v, objective %v, want %v", seed, name, err, r.Objective, opt)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	p := transport(20)
	lp := p.lp(false)
	full, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := full.Solve(context.Background())

	s, err := New(lp, Options{MaxIter: 10})
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for r := s.Solve(context.Background()); r.Status != status.Optimal; r = s.Solve(context.Background()) {
		if r.Status != status.IterationLimit || r.Iterations > 10 || len(r.X) != 400 {
			t.Fatalf("%v after %d iterations", r.Status, r.Iterations)
		}
		if rounds++; rounds > 1000 {
			t.Fatal("solving on after a limit gets nowhere")
		}
	}
	if r := s.Solve(context.Background()); !testutil.Within(r.Objective, want.Objective, 1e-9) || rounds == 0 {
		t.Errorf("%d rounds, objective %v, want %v", rounds, r.Objective, want.Objective)
	}

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	for st, ctx := range map[status.Status]context.Context{status.Cancelled: cancelled, status.TimeLimit: late} {
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Solve(ctx); r.Status != st {
			t.Errorf("status %v, want %v", r.Status, st)
		}
	}
}

// TestSameBits: equal options give equal pivots, and a solver can be used again.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p, _ := planted(rng, 30, 40, 0.5, true)
	var first *Result
	for range 3 {
		s, err := New(p.lp(true), Options{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if first == nil {
			first = r
		} else if d := cmp.Diff(first, r); d != "" {
			t.Error(d)
		}
		if again := s.Solve(context.Background()); again.Iterations != 0 || again.Status != status.Optimal {
			t.Errorf("an optimum takes %d iterations more", again.Iterations)
		}
	}
}

// TestStoredBasis starts a new solver from an old one's basis.
func TestStoredBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	p, opt := planted(rng, 25, 35, 0.5, false)
	s, _ := New(p.lp(true), Options{})
	s.Solve(context.Background())
	other, _ := New(p.lp(false), Options{})
	if err := other.SetBasis(s.Basis(Basis{})); err != nil {
		t.Fatal(err)
	}
	if r := other.Solve(context.Background()); r.Iterations != 0 ||
		!testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
		t.Errorf("%d iterations to %v, want none to %v", r.Iterations, r.Objective, opt)
	}
}

// TestCheckRefuses spoils certificates: Check must see it.
func TestCheckRefuses(t *testing.T) {
	solve := func(p *rowsOf) (LP, *Result) {
		lp := p.lp(true)
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err := Check(lp, r); err != nil {
			t.Fatal(err)
		}
		return lp, r
	}
	optimal := atMost([]float64{-3, -2, -4}, [][]float64{{1, 1, 2}, {2, 0, 3}, {2, 1, 3}}, []float64{4, 5, 7})
	infeasible := &rowsOf{c: []float64{1, 1}, a: [][]float64{{1, 1}, {1, 1}}, rowLo: []float64{3, -inf}, rowUp: []float64{inf, 2}}
	unbounded := &rowsOf{c: []float64{-1, -1}, a: [][]float64{{1, -1}}, rowLo: []float64{-1}, rowUp: []float64{1}}
	for name, c := range map[string]struct {
		p     *rowsOf
		spoil func(*Result)
		want  string
	}{
		"x":           {optimal, func(r *Result) { r.X[0] += 1e-3 }, "primal residual"},
		"y":           {optimal, func(r *Result) { r.Y[0] *= -1 }, "dual residual"},
		"small y":     {optimal, func(r *Result) { r.Y[0] *= 1.001 }, "gap"},
		"x inside":    {optimal, func(r *Result) { r.X[0] *= 0.99 }, "gap"},
		"objective":   {optimal, func(r *Result) { r.Objective -= 1e-3 }, "objective"},
		"NaN":         {optimal, func(r *Result) { r.X[1] = math.NaN() }, "primal residual NaN"},
		"short":       {optimal, func(r *Result) { r.X = r.X[1:] }, "result for 2 columns"},
		"status":      {optimal, func(r *Result) { r.Status, r.Farkas = status.Infeasible, []float64{1, 1, 1} }, "proves nothing"},
		"Farkas":      {infeasible, func(r *Result) { r.Farkas[0] *= 1.1 }, "proves nothing"},
		"Farkas zero": {infeasible, func(r *Result) { clear(r.Farkas) }, "proves nothing"},
		"Farkas none": {infeasible, func(r *Result) { r.Farkas = nil }, "0 elements"},
		"ray":         {unbounded, func(r *Result) { r.Ray[0] *= 1.1 }, "leaves the bounds of row 0"},
		"ray back":    {unbounded, func(r *Result) { r.Ray[0], r.Ray[1] = -r.Ray[0], -r.Ray[1] }, "leaves the bounds of column 0"},
		"ray zero":    {unbounded, func(r *Result) { clear(r.Ray) }, "cost changes by 0"},
		"ray from":    {unbounded, func(r *Result) { r.X[0] += 5 }, "primal residual"},
	} {
		t.Run(name, func(t *testing.T) {
			lp, r := solve(c.p)
			c.spoil(r)
			err := Check(lp, r)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if errors.Is(err, ErrCertificate) == errors.Is(err, ErrInvalid) {
				t.Errorf("error %v is not one of the two sentinels", err)
			}
		})
	}
}
