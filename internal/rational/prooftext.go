package rational

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// ProofText is a proof as its file has it. Vectors that a status does not have are nil.
type ProofText struct {
	Status     string
	Objective  *big.Rat
	X, Y, Ray  []Number
	Cols, Rows []string // names
}

// Write writes the file. docs/reference/proof.md has the grammar.
func (p *ProofText) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "sparsekm-proof 1\nstatus %s\nprogram %d rows %d columns\n", p.Status, len(p.Rows), len(p.Cols))
	t := &proofLines{of: map[*big.Int]int{}}
	if p.Objective != nil {
		t.line("objective", Number{Num: p.Objective.Num(), Den: p.Objective.Denom()}, "")
	}
	for _, v := range []struct {
		kind    string
		numbers []Number
		names   []string
	}{{"x", p.X, p.Cols}, {"y", p.Y, p.Rows}, {"ray", p.Ray, p.Cols}} {
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
	of    map[*big.Int]int
	dens  []*big.Int
	lines []*strings.Builder
}

// line adds a line for a number.
func (t *proofLines) line(kind string, v Number, name string) {
	den := v.Den
	if v.Num == nil {
		v.Num, den = new(big.Int), One
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

// Named returns n names as files of programs have them: without blanks, and a prefix with a number where there is none.
func Named(names []string, n int, prefix string) []string {
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
