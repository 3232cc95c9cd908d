package lpfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestFormats: programs with entries at every scale, some at the ends of float64, are the same after both formats, and
// so are their optima.
func TestFormats(t *testing.T) {
	testutil.Scales(t, 50, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for seed := range uint64(60) {
			p, _ := planted(s.Rand, 1+s.IntN(9), 1+s.IntN(15), 0.5, seed%2 == 0)
			for j := range p.c {
				p.c[j] *= s.Factor()
				p.lo[j] *= s.Factor()
				p.up[j] = max(p.lo[j], p.up[j]*s.Factor())
			}
			for i, row := range p.a {
				row[s.IntN(len(row))] *= s.Factor()
				if seed%4 == 0 {
					row[0] = math.Pow(10, 300*(2*s.Float64()-1))
				}
				p.rowLo[i] *= s.Factor()
				p.rowUp[i] = max(p.rowLo[i], p.rowUp[i]*s.Factor())
			}
			m := &Model{LP: p.lp(seed%3 == 0), Maximize: seed%5 == 0}
			models := map[string]*Model{"MPS": roundTrip(t, m), "LP": rewrite(t, m)}
			var err error
			if models["QPS"], err = throughQPS(s, m); err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			answers := []testutil.Answer{optimum(t, "program", m)}
			for name, again := range models {
				if diff := cmp.Diff([]any{entries(m.A), p.c, p.lo, p.up, p.rowLo, m.Maximize},
					[]any{entries(again.A), again.C, again.Lo, again.Up, again.RowLo, again.Maximize}); diff != "" {
					t.Errorf("seed %d, %s: %s", seed, name, diff)
				}
				for i, up := range p.rowUp { // MPS has the range instead
					if got := again.RowUp[i]; got != up && !(math.Abs(got-up) <= 0x1p-52*max(math.Abs(up), math.Abs(p.rowLo[i]))) {
						t.Errorf("seed %d, %s: row %d to %v, want %v", seed, name, i, got, up)
					}
				}
				answers = append(answers, optimum(t, name, again))
			}
			d.Compare(t, seed, answers...)
		}
		d.AtMost(t, 10)
	})
}

// throughQPS writes and reads a program with a symmetric matrix.
func throughQPS(s *testutil.Scale, m *Model) (*Model, error) {
	_, n := m.A.Dims()
	q := simplex.NewDense(n, n, make([]float64, n*n))
	for i := range n {
		for j := range i + 1 {
			q.Data[i*n+j] = s.Factor() * float64((i+j+1)%2) * s.NormFloat64()
			q.Data[j*n+i] = q.Data[i*n+j]
		}
	}
	var text bytes.Buffer
	quadratic := *m
	quadratic.Q = q
	if err := quadratic.WriteMPS(&text); err != nil {
		return nil, err
	}
	again, err := Read(&text, Limits{Bytes: 1 << 20})
	if err == nil && !cmp.Equal(entries(q), entries(again.Q)) {
		err = fmt.Errorf("Q is %v, want %v", entries(again.Q), entries(q))
	}
	return again, err
}

func optimum(t *testing.T, door string, m *Model) testutil.Answer {
	t.Helper()
	s, err := simplex.New(m.LP, simplex.Options{})
	if err != nil {
		return testutil.Answer{Door: door, Status: fmt.Sprint(err), Decided: true}
	}
	r := s.Solve(context.Background())
	a := testutil.Answer{Door: door, Status: r.Status.String(), Decided: r.Status != status.Numerical}
	if r.Status == status.Optimal {
		a.Value, a.Tolerance = r.Objective, 1e-6*math.Abs(r.Objective)
	}
	return a
}

// TestFileReports has files that other programs were reported to misread, and the optima that they mean.
func TestFileReports(t *testing.T) {
	mps := func(sense, objective, column, bounds string) string {
		return "NAME r\n" + sense + "ROWS\n N obj\n L c\nCOLUMNS\n" + fmt.Sprintf(column, " x obj "+objective+" c 1\n") +
			"RHS\n RHS c 9\n" + bounds + "ENDATA\n"
	}
	marked := " M1 'MARKER' 'INTORG'\n%s M2 'MARKER' 'INTEND'\n"
	testutil.Reports(t, []testutil.Report[string]{
		{Thread: "QPSReader#28", Input: mps("", "-1", marked, ""), Value: -1},
		{Thread: "QPSReader#28, a bound", Input: mps("", "-1", marked, "BOUNDS\n LO B x 0\n"), Value: -9},
		{Thread: "OpenMS#1200", Input: mps("", "-1", marked, "BOUNDS\n LI B x 0\n"), Value: -9},
		{Thread: "cuPDLPx#102, negative UP", Input: mps("", "-1", "%s", "BOUNDS\n UP B x -3\n"), Value: 3},
		{Thread: "cuPDLPx#102, 1e20", Input: mps("", "-1", "%s", "BOUNDS\n UP B x 1e20\n"), Value: -9},
		{Thread: "pulp#655", Input: mps("OBJSENSE\n    MAX\n", "1", "%s", ""), Value: 9},
		{Thread: "HiGHS#874", Input: mps("", "1", "%s", "BOUNDS\n LO B x 3\n UP B x 2\n"), Error: "infeasible"},
		{Thread: "Osi#69", Input: "min\n obj: x0 + x1\nst\n c0: x0 + x1 >= -1\nend\n", Value: 0},
		{Thread: "Osi#69, free", Input: "min\n obj: x0 + x1\nst\n c0: x0 + x1 >= -1\nbounds\n x0 free\nend\n", Value: -1},
		{Thread: "SCIP#9", Input: "min\n obj: x\nst\n c0: x + 2 >= 5\nend\n", Value: 3},
	}, func(text string) (float64, error) {
		m, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20, Linear: true})
		if err != nil {
			return 0, err
		}
		a := optimum(t, "file", m)
		if a.Status != status.Optimal.String() {
			return 0, errors.New(a.Status)
		}
		if m.Maximize {
			return -a.Value, nil
		}
		return a.Value, nil
	})
}
