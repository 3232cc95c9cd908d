package simplex

import (
	"io"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// Write writes the proof as text with the names of m, the program that was proved. docs/reference/proof.md has the
// grammar; simplex/provecheck.py checks the file against the MPS file of the program.
func (p *Proof) Write(w io.Writer, m *Model) error {
	rows, cols := m.A.Dims()
	t := rational.ProofText{Status: p.Status.String(), Objective: p.Objective, X: p.x, Y: p.y, Ray: p.ray,
		Rows: rational.Named(m.RowNames, rows, "R"), Cols: rational.Named(m.ColNames, cols, "C")}
	return t.Write(w)
}
