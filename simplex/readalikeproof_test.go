package simplex_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/simplex"
)

// filed is a file with the proof of what it is.
func filed(t *testing.T, text string) check.Filed {
	t.Helper()
	ctx := context.Background()
	m, err := simplex.ReadMPS(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Solve(ctx, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := simplex.Prove(ctx, m.LP, s.Result)
	if err != nil {
		t.Fatal(err)
	}
	var proof bytes.Buffer
	if err := p.Write(&proof, m); err != nil {
		t.Fatal(err)
	}
	return check.Filed{MPS: text, Proof: proof.String(), Want: "proved " + p.Status.String()}
}

// TestPythonReadsAlike: the checker in Python takes files as the package does.
func TestPythonReadsAlike(t *testing.T) {
	var all []check.Filed
	for _, text := range simplex.AlikeFiles() {
		all = append(all, filed(t, text))
	}
	check.Python(t, "provecheck.py", all)
}
