package qp

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/status"
)

// peerFile is a program file, and what other programs read in it: the optimum of the relaxation, "none" or "refused".
// bench/peers/peer/programfiles.py has made them.
type peerFile struct {
	Kind, Text            string
	Highs, GLPK, CLP, CBC any
}

// answer reads and solves a file: the optimum, "none", or the error.
func answer(t *testing.T, text string) (value any, warnings []string, err error) {
	t.Helper()
	m, err := lpfile.Read(strings.NewReader(text), lpfile.Limits{Bytes: 1 << 24})
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	st, objective := status.Unknown, 0.0
	if m.Q == nil {
		r, err := simplex.Solve(ctx, m.LP, simplex.Options{})
		if err != nil {
			t.Fatal(err)
		}
		st, objective = r.Status, m.Objective(r)
	} else {
		r, err := Solve(ctx, QP{LP: m.LP, Q: m.Q}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		st, objective = r.Status, m.Objective(r.Linear())
	}
	if st != status.Optimal {
		return "none", m.Warnings, nil
	}
	return objective, m.Warnings, nil
}

// alike reports whether two answers are the same, to the five digits that CLP prints.
func alike(a, b any) bool {
	x, isNumber := a.(float64)
	y, isAlso := b.(float64)
	return isNumber == isAlso && (isNumber && math.Abs(x-y) <= 1e-5*(1+math.Abs(y)) || !isNumber && a == b)
}

// TestPeersFiles: no file that other programs read otherwise is read without a warning, and HiGHS reads nearly all of
// them alike.
func TestPeersFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/programfiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var files []peerFile
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	otherwise := map[string]int{}
	for _, f := range files {
		got, warnings, err := answer(t, f.Text)
		if err != nil {
			t.Errorf("%s: %v\n%s", f.Kind, err, f.Text)
			continue
		}
		for name, peer := range map[string]any{"HiGHS": f.Highs, "GLPK": f.GLPK, "CLP": f.CLP, "CBC": f.CBC} {
			if peer == "refused" || alike(got, peer) {
				continue
			}
			otherwise[name+", "+f.Kind]++
			// GLPK alone takes 1e30 literally, and the right-hand side of the objective for its constant.
			literal := name == "GLPK" && (f.Kind == "infinite" || f.Kind == "constant" || strings.Contains(f.Text, "1e30"))
			if len(warnings) == 0 && !literal {
				t.Errorf("%s: %v, %s has %v, and no warning\n%s", f.Kind, got, name, peer, f.Text)
			}
		}
	}
	t.Logf("%d files; otherwise: %v", len(files), otherwise)
	if len(files) < 200 {
		t.Errorf("%d files", len(files))
	}
}
