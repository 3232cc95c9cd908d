package lpfile_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
)

// filed is a file with the proof of what it is.
func filed(t *testing.T, text string) check.Filed {
	t.Helper()
	ctx := context.Background()
	m, err := lpfile.Read(strings.NewReader(text), lpfile.Limits{Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := simplex.Solve(ctx, m.LP, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := simplex.Prove(ctx, m.LP, r, 0)
	if err != nil {
		t.Fatal(err)
	}
	var proof bytes.Buffer
	if err := p.Write(&proof, m.RowNames, m.ColNames); err != nil {
		t.Fatal(err)
	}
	return check.Filed{MPS: text, Proof: proof.String(), Want: "proved " + p.Status.String()}
}

// TestPythonReadsAlike: the checker in Python takes files as the package does.
func TestPythonReadsAlike(t *testing.T) {
	var all []check.Filed
	for _, text := range lpfile.AlikeFiles() {
		all = append(all, filed(t, text))
	}
	check.Python(t, "../provecheck.py", all)
}
