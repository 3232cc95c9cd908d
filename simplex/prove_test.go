package simplex_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	simplex.ReadMPS = func(r io.Reader) (simplex.LP, error) {
		m, err := lpfile.Read(r, lpfile.Limits{Linear: true})
		if err != nil {
			return simplex.LP{}, err
		}
		return m.LP, nil
	}
	simplex.WriteMPS = func(w io.Writer, lp simplex.LP) error { return (&lpfile.Model{LP: lp}).WriteMPS(w) }
}

// proved is a program with its file, the status that the solver found, and a proof.
type proved struct {
	model  *lpfile.Model
	mps    []byte
	status status.Status
	proof  *prove.Proof
	text   string
}

// prove solves and proves a program as its MPS file has it.
func proveFile(t *testing.T, lp simplex.LP) *proved {
	t.Helper()
	var mps, text bytes.Buffer
	if err := (&lpfile.Model{LP: lp}).WriteMPS(&mps); err != nil {
		t.Fatal(err)
	}
	p := &proved{mps: mps.Bytes()}
	var err error
	if p.model, err = lpfile.Read(bytes.NewReader(p.mps), lpfile.Limits{}); err != nil {
		t.Fatal(err)
	}
	r, err := simplex.Solve(context.Background(), p.model.LP, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.status = r.Status
	if p.proof, err = simplex.Prove(context.Background(), p.model.LP, r, 0); err != nil {
		t.Fatalf("%s, but %v\n%s", r.Status, err, mps.String())
	}
	if err := p.proof.Write(&text, p.model.RowNames, p.model.ColNames); err != nil {
		t.Fatal(err)
	}
	p.text = text.String()
	return p
}

// plain returns the program as the checker reads it.
func (p *proved) plain() *check.LinearProgram {
	m := p.model
	q := &check.LinearProgram{C: m.C, Lo: m.Lo, Up: m.Up, RowLo: m.RowLo, RowUp: m.RowUp, Offset: m.Offset,
		RowNames: m.RowNames, ColNames: m.ColNames}
	for j := range m.C {
		column := make([]float64, len(m.RowLo))
		m.A.Column(column, j)
		q.A = append(q.A, column)
	}
	return q
}

// smallProgram draws a program of at most eight rows and columns that may have no optimum.
func smallProgram(rng *rand.Rand) simplex.LP {
	m, n := 1+rng.IntN(8), 1+rng.IntN(8)
	whole := rng.IntN(2) == 0
	draw := func() float64 {
		if whole {
			return float64(rng.IntN(9) - 4)
		}
		return rng.NormFloat64()
	}
	bounds := func(lo, up *float64) {
		*lo, *up = draw(), draw()
		*lo, *up = min(*lo, *up), max(*lo, *up)
		switch rng.IntN(6) {
		case 0:
			*lo = math.Inf(-1)
		case 1:
			*lo, *up = math.Inf(-1), math.Inf(1)
		case 2:
			*up = *lo
		case 3, 4:
			*up = math.Inf(1)
		}
	}
	lp := simplex.LP{A: &simplex.Sparse{Rows: m}, C: make([]float64, n), Lo: make([]float64, n), Up: make([]float64, n),
		RowLo: make([]float64, m), RowUp: make([]float64, m), Offset: draw()}
	for j := range n {
		var index []int32
		var value []float64
		for i := range m {
			if v := draw(); v != 0 && rng.IntN(3) > 0 {
				index = append(index, int32(i))
				value = append(value, v)
			}
		}
		lp.A.(*simplex.Sparse).Append(index, value)
		lp.C[j] = draw()
		bounds(&lp.Lo[j], &lp.Up[j])
	}
	for i := range m {
		bounds(&lp.RowLo[i], &lp.RowUp[i])
	}
	return lp
}

// sampleProofs proves small programs.
func sampleProofs(t *testing.T, count int) (all []*proved) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	for range count {
		all = append(all, proveFile(t, smallProgram(rng)))
	}
	return all
}

// sweepOr is the number of programs that -sweep sets.
func sweepOr(count int) int {
	if n, err := strconv.Atoi(flag.Lookup("sweep").Value.String()); err == nil && n > 0 {
		return n
	}
	return count
}

// TestProve: every status is proved, by a proof that literal arithmetic with fractions accepts, and it is the
// solver's. -sweep sets the number of programs.
func TestProve(t *testing.T) {
	count := sweepOr(1000)
	statuses, different := map[status.Status]int{}, 0
	for _, p := range sampleProofs(t, count) {
		read, err := check.ReadLPProof(p.plain(), p.text)
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", p.proof.Status, err, p.mps, p.text)
		}
		statuses[p.proof.Status]++
		if p.status != p.proof.Status {
			different++
		}
		if read.Objective != nil && read.Objective.Cmp(p.proof.Objective) != 0 {
			t.Errorf("objective %v, the file says %v", p.proof.Objective, read.Objective)
		}
	}
	t.Logf("%v, other statuses than the solver's: %d", statuses, different)
	for _, s := range []status.Status{status.Optimal, status.Infeasible, status.Unbounded} {
		if statuses[s] < count/20 {
			t.Errorf("only %d programs are %s", statuses[s], s)
		}
	}
	if different > count/500 {
		t.Errorf("%d of %d proofs prove another status than the solver's", different, count)
	}
}

// TestProveSparse: larger sparse programs have proofs too.
func TestProveSparse(t *testing.T) {
	for name, lp := range map[string]simplex.LP{
		"transport":      inputs.Transport(20, 40, 4, 1),
		"assignment":     inputs.Assignment(30, 4, 2),
		"staircase":      inputs.Staircase(4, 8, 12, 3),
		"multicommodity": inputs.Multicommodity(8, 20, 3, 4),
	} {
		p := proveFile(t, lp)
		if _, err := check.ReadLPProof(p.plain(), p.text); err != nil || p.proof.Status != status.Optimal {
			t.Errorf("%s: %s, %v", name, p.proof.Status, err)
		}
	}
}

// TestProveBeyondTolerance: a program that is feasible within the tolerance only is proved infeasible, and a basis
// that is not optimal leads to the optimum.
func TestProveBeyondTolerance(t *testing.T) {
	third := &simplex.Sparse{Rows: 2}
	third.Append([]int32{0, 1}, []float64{3, 1})
	b := []float64{1, 1.0 / 3}
	p := proveFile(t, simplex.LP{A: third, RowLo: b, RowUp: b})
	if p.status != status.Optimal || p.proof.Status != status.Infeasible {
		t.Errorf("solved as %s, proved as %s", p.status, p.proof.Status)
	}
	if _, err := check.ReadLPProof(p.plain(), p.text); err != nil {
		t.Error(err)
	}
	p = proveFile(t, inputs.Staircase(3, 6, 9, 5))
	rows, cols := p.model.A.Dims()
	slack := &simplex.Result{Basis: simplex.Basis{Rows: make([]simplex.Position, rows), Cols: make([]simplex.Position, cols)}}
	for j := range slack.Basis.Cols {
		slack.Basis.Cols[j] = simplex.AtLower
	}
	again, err := simplex.Prove(context.Background(), p.model.LP, slack, 0)
	if err != nil || again.Status != status.Optimal || again.Objective.Cmp(p.proof.Objective) != 0 {
		t.Errorf("from the slack basis: %v, %v", again, err)
	}
}

// falseProofs returns falsified proofs, and the same with checksums that fit.
func falseProofs(t *testing.T, count int) (of []*proved, texts, forged []string) {
	rng := rand.New(rand.NewPCG(13, 14))
	all := sampleProofs(t, 100)
	for k := range count {
		p := all[k%len(all)]
		text := check.Falsified(rng, p.text)
		of = append(of, p)
		texts = append(texts, text)
		forged = append(forged, check.Sealed(text))
	}
	return of, texts, forged
}

// TestFalsifiedProofs: none is accepted, and none of those with a checksum that fits where what it claims is wrong.
func TestFalsifiedProofs(t *testing.T) {
	of, texts, forged := falseProofs(t, 1000)
	for k, p := range of {
		if _, err := check.ReadLPProof(p.plain(), texts[k]); err == nil {
			t.Errorf("accepted:\n%s\ninstead of\n%s", texts[k], p.text)
		}
		read, err := check.ReadLPProof(p.plain(), forged[k])
		if err == nil && (read.Status != p.proof.Status.String() ||
			read.Objective != nil && read.Objective.Cmp(p.proof.Objective) != 0) {
			t.Errorf("accepted with a checksum:\n%s\ninstead of\n%s", forged[k], p.text)
		}
	}
}

// TestPythonChecker: the checker in Python agrees with the one in Go on proofs and on falsified ones.
func TestPythonChecker(t *testing.T) {
	var all []check.Filed
	add := func(p *proved, text string) {
		want := "refused"
		if read, err := check.ReadLPProof(p.plain(), text); err == nil {
			want = "proved " + read.Status
		}
		all = append(all, check.Filed{MPS: string(p.mps), Proof: text, Want: want})
	}
	for _, p := range sampleProofs(t, 200) {
		add(p, p.text)
	}
	of, texts, forged := falseProofs(t, 1000)
	for k, p := range of {
		add(p, texts[k])
		add(p, forged[k])
	}
	check.Python(t, "provecheck.py", all)
}

// TestPythonProofs: the checker in Python accepts the proofs of random programs that no other test draws. -sweep sets
// their number.
func TestPythonProofs(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	var all []check.Filed
	for range sweepOr(100) {
		p := proveFile(t, smallProgram(rng))
		all = append(all, check.Filed{MPS: string(p.mps), Proof: p.text, Want: "proved " + p.proof.Status.String()})
	}
	check.Python(t, "provecheck.py", all)
}
