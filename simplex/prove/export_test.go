package prove

import (
	"slices"
	"testing"
)

// ProvesAtOnce reports whether the basis of positions is proved to be optimal without a pivot.
func (p *Prover) ProvesAtOnce(t *testing.T, position []Position) bool {
	t.Helper()
	if p.noise != 0 || p.pivots != 0 {
		t.Fatal("an approach left its noise")
	}
	v, err := p.vertex(t.Context(), p.possible(slices.Clone(position)))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := v.proof()
	if err != nil {
		t.Fatal(err)
	}
	return proof != nil
}
