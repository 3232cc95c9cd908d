package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// plain is a matrix of a caller's own type, which nobody checks.
type plain struct {
	columns
	row, col []float64
}

// columns hides the other methods of a matrix.
type columns interface{ Columns }

// Scales implements [Scaler].
func (p *plain) Scales() (row, col []float64) { return p.row, p.col }

// finiteProgram has an optimum that depends on all of its numbers but the infinite bounds: every column has two
// finite bounds, and rows are equations or have one or two bounds.
func finiteProgram(m, n int) (LP, []float64) {
	lp := LP{C: make([]float64, n), Lo: make([]float64, n), Up: make([]float64, n),
		RowLo: make([]float64, m), RowUp: make([]float64, m), Offset: 1}
	a := make([]float64, m*n)
	for j := range n {
		lp.C[j], lp.Lo[j], lp.Up[j] = math.Sin(float64(3*j+1)), -1-float64(j%3), 2+float64(j%2)
		for i := range m {
			if (i+j)%max(1, m/6) == 0 {
				a[i*n+j] = math.Cos(float64(5*i + 7*j))
			}
		}
	}
	for i := range m {
		var value float64 // of a point that is feasible
		for j := range n {
			value += a[i*n+j] * 0.5 * math.Sin(float64(j))
		}
		lp.RowLo[i], lp.RowUp[i] = value-0.5, value+0.5
		if i%3 == 0 {
			lp.RowLo[i], lp.RowUp[i] = value, value
		}
	}
	return lp, a
}

// matrixKinds makes the matrix in every form that a solver reads.
var matrixKinds = map[string]func(m, n int, a []float64) (Columns, []float64){
	"dense": func(m, n int, a []float64) (Columns, []float64) { return NewDense(m, n, a), a },
	"sparse": func(m, n int, a []float64) (Columns, []float64) {
		s := NewSparse(NewDense(m, n, a))
		return s, s.Value
	},
	"blocks": func(m, n int, a []float64) (Columns, []float64) {
		s := NewSparse(NewDense(m, n, a))
		return Blocks{s, NewDense(m, 1, make([]float64, m))}, s.Value
	},
	"own": func(m, n int, a []float64) (Columns, []float64) { return &plain{columns: NewDense(m, n, a)}, a },
	"own, scaled": func(m, n int, a []float64) (Columns, []float64) {
		return &plain{columns: NewDense(m, n, a), row: ones(m), col: ones(n)}, a
	},
}

// notOptimal fails if do says that there is an optimum, an unbounded program or an infeasible one, by its status.
// Errors and other statuses pass, panics do not.
func notOptimal(t *testing.T, what string, do func() (status.Status, error)) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic %v\n%s", what, r, debug.Stack())
		}
	}()
	st, err := do()
	if err == nil && claims(st) {
		t.Errorf("%s: %v", what, st)
	}
	if err != nil && !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrCertificate) {
		t.Errorf("%s: error %v is none of the package's", what, err)
	}
}

// allowed reports whether an infinite value means that there is no bound.
func allowed(field string, v float64) bool {
	switch field {
	case "Lo", "RowLo":
		return math.IsInf(v, -1)
	case "Up", "RowUp":
		return math.IsInf(v, 1)
	}
	return false
}

// fieldNumbers lists pointers to the numbers of a struct's fields: of a list the first, one in the middle and the last.
func fieldNumbers(structure any) (names []string, values []*float64) {
	v := reflect.ValueOf(structure).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *float64:
			names = append(names, v.Type().Field(i).Name)
			values = append(values, f)
		case *[]float64:
			if len(*f) == 0 {
				continue
			}
			for _, k := range []int{0, len(*f) / 2, len(*f) - 1} {
				names = append(names, v.Type().Field(i).Name)
				values = append(values, &(*f)[k])
			}
		}
	}
	return names, values
}

// eachNotFinite calls do for every number that is not finite, at every number of what make returns, but for infinite
// bounds.
func eachNotFinite(t *testing.T, change func() any, do func(t *testing.T, what string, changed any)) {
	t.Helper()
	names, _ := fieldNumbers(change())
	if len(names) == 0 {
		t.Fatal("no numbers")
	}
	for k, name := range names {
		for _, bad := range notFinite {
			if !allowed(name, bad) {
				changed := change()
				_, values := fieldNumbers(changed)
				*values[k] = bad
				do(t, fmt.Sprintf("%s, number %d: %v", name, k, bad), changed)
			}
		}
	}
}

// TestNotFinite puts NaN and ±Inf into every number of a program and of the options, in every form of the matrix. Small
// programs have a dense inverse, those of 60 rows sparse factors.
func TestNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, size := range [][2]int{{7, 9}, {60, 70}} {
			for name, kind := range matrixKinds {
				t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) { notFiniteProgram(t, size[0], size[1], kind) })
			}
		}
	})
}

func notFiniteProgram(t *testing.T, m, n int, kind func(m, n int, a []float64) (Columns, []float64)) {
	fresh := func() (*LP, []float64) {
		lp, a := finiteProgram(m, n)
		matrix, values := kind(m, n, a)
		_, columns := matrix.Dims()
		for range columns - n {
			lp.C = append(lp.C, 1)
			lp.Lo = append(lp.Lo, 0)
			lp.Up = append(lp.Up, 1)
		}
		lp.A = matrix
		return &lp, values
	}
	solve := func(lp *LP, opt Options) func() (status.Status, error) {
		return func() (status.Status, error) {
			opt.MaxIter = 2000
			s, err := New(*lp, opt)
			if err != nil {
				return status.Unknown, err
			}
			r := s.Solve(context.Background())
			if r.Status == status.Optimal { // NaN in what a solver need not read
				err = Check(*lp, r)
			}
			return r.Status, err
		}
	}
	lp, values := fresh()
	if st, err := solve(lp, Options{})(); st != status.Optimal || err != nil {
		t.Fatalf("the finite program: %v, %v", st, err)
	}
	eachNotFinite(t, func() any { lp, _ := fresh(); return lp }, func(t *testing.T, what string, changed any) {
		notOptimal(t, what, solve(changed.(*LP), Options{}))
	})
	eachNotFinite(t, func() any { return new(Options) }, func(t *testing.T, what string, changed any) {
		lp, _ := fresh()
		notOptimal(t, what, solve(lp, *changed.(*Options)))
	})
	for k := range values {
		if values[k] == 0 || m > 50 && k%37 != 0 {
			continue
		}
		for _, bad := range notFinite {
			for _, method := range []Method{Method(0), Primal, Dual} {
				lp, values := fresh()
				values[k] = bad
				notOptimal(t, fmt.Sprintf("entry %d: %v", k, bad), solve(lp, Options{Method: method}))
			}
		}
	}
}

// TestScalesNotFinite refuses a matrix whose own scales are no positive numbers.
func TestScalesNotFinite(t *testing.T) {
	for _, bad := range append([]float64{0, -1}, notFinite...) {
		for k := range 2 {
			lp, a := finiteProgram(7, 9)
			scales := [2][]float64{ones(7), ones(9)}
			scales[k][4] = bad
			lp.A = &plain{NewDense(7, 9, a), scales[0], scales[1]}
			if _, err := New(lp, Options{}); !errors.Is(err, ErrInvalid) {
				t.Errorf("scale %v: error %v", bad, err)
			}
			if _, err := New(lp, Options{NoScaling: true}); err != nil {
				t.Errorf("scale %v that nobody asks for: error %v", bad, err)
			}
		}
	}
	lp, a := finiteProgram(7, 9)
	lp.A = &plain{NewDense(7, 9, a), ones(6), ones(9)}
	if _, err := New(lp, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("6 scales for 7 rows: error %v", err)
	}
}

// optimalSolver returns a solver of the finite program at its optimum.
func optimalSolver(t *testing.T, m, n int, kind string) (*Solver, *LP) {
	t.Helper()
	lp, a := finiteProgram(m, n)
	lp.A, _ = matrixKinds[kind](m, n, a)
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Solve(context.Background()); r.Status != status.Optimal {
		t.Fatalf("status %v", r.Status)
	}
	return s, &lp
}

// added are columns that are appended.
type added struct{ C, Lo, Up, Entries []float64 }

// TestChangesNotFinite changes a solved program: every setter refuses numbers that are not finite, and the
// program is still what it was.
func TestChangesNotFinite(t *testing.T) {
	const m, n = 7, 9
	for _, kind := range []string{"dense", "sparse", "own"} {
		fresh := func() any { lp, _ := finiteProgram(m, n); return &lp }
		bounds := func(s *Solver, lp *LP) error { return s.SetColBounds(lp.Lo, lp.Up) }
		rows := func(s *Solver, lp *LP) error { return s.SetRowBounds(lp.RowLo, lp.RowUp) }
		setters := map[string]func(*Solver, *LP) error{"Lo": bounds, "Up": bounds, "RowLo": rows, "RowUp": rows,
			"C": func(s *Solver, lp *LP) error { return s.SetCost(lp.C) }}
		s, lp := optimalSolver(t, m, n, kind)
		refused := func(t *testing.T, what string, err error) {
			t.Helper()
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %s: error %v", kind, what, err)
			}
			if r := s.Solve(context.Background()); r.Status != status.Optimal || Check(*lp, r) != nil {
				t.Errorf("%s: %s: %v afterwards, %v", kind, what, r.Status, Check(*lp, r))
			}
		}
		eachNotFinite(t, fresh, func(t *testing.T, what string, changed any) {
			for field, set := range setters {
				if len(what) > len(field) && what[:len(field)+1] == field+"," {
					refused(t, what, set(s, changed.(*LP)))
				}
			}
		})
		columns := func() any { return &added{[]float64{1, 2}, []float64{0, 0}, []float64{1, 1}, make([]float64, 2*m)} }
		eachNotFinite(t, columns, func(t *testing.T, what string, changed any) {
			c := changed.(*added)
			refused(t, what, s.AddColumns(c.C, c.Lo, c.Up, NewDense(m, 2, c.Entries)))
		})
	}
}

// TestRowsNotFinite appends rows with such entries, which are refused in a matrix that the package knows and end in
// no optimum in others, and rows with such bounds.
func TestRowsNotFinite(t *testing.T) {
	const m, n = 7, 9
	for _, bad := range notFinite {
		for _, kind := range []string{"dense", "sparse", "own"} {
			lp, a := finiteProgram(m, n)
			d := NewDense(m, n, a)
			sparse := NewSparse(d)
			switch kind {
			case "dense":
				lp.A = d
			case "sparse":
				lp.A = sparse
			default:
				lp.A = &plain{columns: d}
			}
			notOptimal(t, kind, func() (status.Status, error) {
				s, err := New(lp, Options{MaxIter: 2000})
				if err != nil {
					return status.Unknown, err
				}
				s.Solve(context.Background())
				row := make([]float64, n)
				row[3] = bad
				d.Data, d.Rows = append(slices.Clone(d.Data), row...), m+1
				*sparse = *NewSparse(d)
				if err := s.AddRows([]float64{-1}, []float64{1}); err != nil {
					if kind == "own" {
						t.Errorf("%v in an own matrix: error %v", bad, err)
					}
					return status.Unknown, err
				}
				return s.Solve(context.Background()).Status, nil
			})
		}
	}
	type bounds struct{ RowLo, RowUp []float64 }
	fresh := func() any { return &bounds{[]float64{-1}, []float64{1}} }
	eachNotFinite(t, fresh, func(t *testing.T, what string, changed any) {
		s, lp := optimalSolver(t, m, n, "dense")
		d := lp.A.(*Dense)
		d.Data, d.Rows = append(d.Data, ones(n)...), m+1
		b := changed.(*bounds)
		if err := s.AddRows(b.RowLo, b.RowUp); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v", what, err)
		}
	})
}

// TestPathsNotFinite asks for paths with such directions and ends, and for ones that overflow on the way.
func TestPathsNotFinite(t *testing.T) {
	const m, n = 7, 9
	refused := func(t *testing.T, what string, run func(*Solver) error) {
		t.Helper()
		s, _ := optimalSolver(t, m, n, "dense")
		if err := run(s); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	type ray struct {
		Direction []float64
		Until     float64
	}
	costs := func(r *ray) func(*Solver) error {
		return func(s *Solver) error {
			_, err := s.Parametric(context.Background(), Rates{C: r.Direction}, r.Until, func(Segment) bool { return true })
			return err
		}
	}
	eachNotFinite(t, func() any { return &ray{ones(n), 1} }, func(t *testing.T, what string, changed any) {
		refused(t, what, costs(changed.(*ray)))
	})
	huge := &ray{ones(n), 1e300}
	huge.Direction[2] = -1e10
	refused(t, "costs that overflow", costs(huge))
	bounds := func(r *Rates, until float64) func(*Solver) error {
		return func(s *Solver) error {
			_, err := s.Parametric(context.Background(), *r, until, func(Segment) bool { return true })
			return err
		}
	}
	rates := func() any {
		columns, rows := make([]float64, 2*n), make([]float64, 2*m)
		return &Rates{Lo: columns[:n], Up: columns[n:], RowLo: rows[:m], RowUp: rows[m:]}
	}
	names, values := fieldNumbers(rates())
	for k := range values {
		for _, bad := range append([]float64{1e300}, notFinite...) {
			r := rates()
			_, list := fieldNumbers(r)
			if *list[k] = bad; bad == 1e300 && names[k][len(names[k])-2:] == "Lo" {
				*list[k] = -bad // away from the other bound
			}
			refused(t, fmt.Sprintf("rate %v of %s", bad, names[k]), bounds(r.(*Rates), 1e10))
		}
	}
	for _, until := range notFinite {
		refused(t, "end", bounds(new(Rates), until))
	}
}

// TestMatrixTurnsNotFinite spoils the matrix of a solved program behind its back: neither a path nor a solve that goes
// on says that it has found anything.
func TestMatrixTurnsNotFinite(t *testing.T) {
	const m, n = 7, 9
	for _, bad := range notFinite {
		for k := range m * n {
			lp, a := finiteProgram(m, n)
			lp.A = &plain{columns: NewDense(m, n, a)}
			if a[k] == 0 {
				continue
			}
			spoilt := func(do func(*Solver) status.Status) func() (status.Status, error) {
				return func() (status.Status, error) {
					s, err := New(lp, Options{MaxIter: 2000})
					if err != nil {
						return status.Unknown, err
					}
					before := a[k]
					a[k] = bad
					defer func() { a[k] = before }()
					return do(s), nil
				}
			}
			notOptimal(t, "path of costs", spoilt(func(s *Solver) status.Status {
				r, err := s.Parametric(context.Background(), Rates{C: ones(n)}, 1, func(Segment) bool { return true })
				if err != nil {
					t.Error(err)
				}
				return r.Status
			}))
			notOptimal(t, "path of bounds", spoilt(func(s *Solver) status.Status {
				rates := Rates{RowLo: ones(m), RowUp: ones(m)}
				r, err := s.Parametric(context.Background(), rates, 1, func(Segment) bool { return true })
				if err != nil {
					t.Error(err)
				}
				return r.Status
			}))
		}
	}
}

// TestProofsNotFinite gives results with such numbers to those who check them.
func TestProofsNotFinite(t *testing.T) {
	s, lp := optimalSolver(t, 7, 9, "dense")
	good := s.Solve(context.Background())
	fresh := func() any {
		r := *good
		for _, v := range []*[]float64{&r.X, &r.Y, &r.Activity, &r.ReducedCosts} {
			*v = slices.Clone(*v)
		}
		r.Farkas, r.Ray = ones(7), ones(9)
		return &r
	}
	for _, st := range []status.Status{status.Optimal, status.Infeasible, status.Unbounded} {
		names, _ := fieldNumbers(fresh())
		for k, name := range names {
			used := map[status.Status][]string{status.Optimal: {"X", "Y", "Objective"}, status.Infeasible: {"Farkas"},
				status.Unbounded: {"Ray", "X"}}
			if !slices.Contains(used[st], name) {
				continue // Check computes them afresh
			}
			for _, bad := range notFinite {
				r := fresh().(*Result)
				r.Status = st
				_, values := fieldNumbers(r)
				*values[k] = bad
				if err := Check(*lp, r); !errors.Is(err, ErrCertificate) {
					t.Errorf("%v with %v in %s: error %v", st, bad, name, err)
				}
			}
		}
	}
	program := func() any { lp, _ := finiteProgram(7, 9); return &lp }
	eachNotFinite(t, program, func(t *testing.T, what string, changed any) {
		bad := changed.(*LP)
		bad.A = lp.A
		_, proved := Prove(context.Background(), *bad, good, 0)
		_, _, conflict := IIS(context.Background(), *bad, good, Options{})
		for who, err := range map[string]error{"Check": Check(*bad, good), "Prove": proved, "IIS": conflict} {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %s: error %v", who, what, err)
			}
		}
	})
}
