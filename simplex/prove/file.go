package prove

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// Write writes the proof as text with the names of the program that was proved; missing ones are R1, R2, … and C1,
// C2, …. docs/reference/proof.md has the grammar; simplex/provecheck.py checks the file against the program's MPS file.
func (p *Proof) Write(w io.Writer, rowNames, colNames []string) error {
	rows, cols := Names(rowNames, p.Rows, "R"), Names(colNames, p.Cols, "C")
	var b strings.Builder
	fmt.Fprintf(&b, "sparsekm-proof 1\nstatus %s\nprogram %d rows %d columns\n", p.Status, len(rows), len(cols))
	t := &proofLines{number: map[*big.Int]int{}}
	if p.Objective != nil {
		t.line("objective", rational.Number{Num: p.Objective.Num(), Den: p.Objective.Denom()}, "")
	}
	for _, v := range []struct {
		kind    string
		numbers []rational.Number
		names   []string
	}{{"x", p.X, cols}, {"y", p.Y, rows}, {"ray", p.Ray, cols}} {
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

// proofLines is the lines of a proof by the denominators of their numbers.
type proofLines struct {
	number map[*big.Int]int // of a denominator
	dens   []*big.Int
	lines  []*strings.Builder
}

// line adds a line for a number.
func (t *proofLines) line(kind string, v rational.Number, name string) {
	den := v.Den
	if v.Num == nil {
		v.Num, den = new(big.Int), rational.One
	}
	k, known := t.number[den]
	if !known {
		k = len(t.dens)
		t.number[den] = k
		t.dens = append(t.dens, den)
		t.lines = append(t.lines, &strings.Builder{})
	}
	exp := ""
	if v.Exp != 0 {
		exp = fmt.Sprintf("p%d", v.Exp)
	}
	fmt.Fprintf(t.lines[k], "%s %x%s%s\n", kind, v.Num, exp, name)
}

// Names returns n names as files of programs have them: without blanks, and a prefix with a number where there is none.
func Names(names []string, n int, prefix string) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = prefix + strconv.Itoa(i+1)
		if i < len(names) && names[i] != "" {
			words[i] = Word(names[i])
		}
	}
	return words
}

// Word returns s with underscores for its blanks.
func Word(s string) string { return strings.Join(strings.Fields(s), "_") }
