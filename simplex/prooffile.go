package simplex

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strings"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// Write writes the proof as text with the names of m, the program that was proved. docs/reference/proof.md has the
// grammar; simplex/provecheck.py checks the file against the MPS file of the program.
func (p *Proof) Write(w io.Writer, m *Model) error {
	rows, cols := m.A.Dims()
	var b strings.Builder
	fmt.Fprintf(&b, "sparsekm-proof 1\nstatus %s\nprogram %d rows %d columns\n", p.Status, rows, cols)
	t := &proofText{of: map[*big.Int]int{}}
	if p.Objective != nil {
		t.line("objective", rational.Number{Num: p.Objective.Num(), Den: p.Objective.Denom()}, "")
	}
	rowNames, colNames := named(m.RowNames, rows, "R"), named(m.ColNames, cols, "C")
	for _, v := range []struct {
		kind    string
		numbers []rational.Number
		names   []string
	}{{"x", p.x, colNames}, {"y", p.y, rowNames}, {"ray", p.ray, colNames}} {
		for i, e := range v.numbers {
			if e.Sign() != 0 {
				t.line(v.kind, e, " "+v.names[i])
			}
		}
	}
	for k, den := range t.dens {
		fmt.Fprintf(&b, "denominator %x\n%s", den, t.lines[k].String())
	}
	text := b.String()
	_, err := fmt.Fprintf(w, "%send %08x\n", text, crc32.ChecksumIEEE([]byte(text)))
	return err
}

// proofText is the lines of a proof by the denominators of their numbers.
type proofText struct {
	of    map[*big.Int]int
	dens  []*big.Int
	lines []*strings.Builder
}

// line adds a line for a number.
func (t *proofText) line(kind string, v rational.Number, name string) {
	den := v.Den
	if v.Num == nil {
		v.Num, den = new(big.Int), rational.One
	}
	k, known := t.of[den]
	if !known {
		k = len(t.dens)
		t.of[den] = k
		t.dens = append(t.dens, den)
		t.lines = append(t.lines, &strings.Builder{})
	}
	exp := ""
	if v.Exp != 0 {
		exp = fmt.Sprintf("p%d", v.Exp)
	}
	fmt.Fprintf(t.lines[k], "%s %x%s%s\n", kind, v.Num, exp, name)
}
