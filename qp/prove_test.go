package qp

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

var proofs = flag.Int("proofs", 150, "random programs that are proved")

// filed is a program as its MPS file has it, the status that the solver found, and a proof.
type filed struct {
	model     *lpfile.Model
	mps, text string
	status    status.Status
	proof     *prove.Proof
}

func proveFile(t *testing.T, p QP) *filed {
	t.Helper()
	var mps, text bytes.Buffer
	if err := (&lpfile.Model{LP: p.LP, Q: p.Q}).WriteMPS(&mps); err != nil {
		t.Fatal(err)
	}
	f := &filed{mps: mps.String()}
	var err error
	if f.model, err = lpfile.Read(&mps, lpfile.Limits{Bytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	r, err := Solve(context.Background(), f.program(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.status = r.Status
	if f.proof, err = Prove(context.Background(), f.program(), r, 0); err != nil {
		t.Fatalf("%s, but %v\n%s", r.Status, err, f.mps)
	}
	if err := f.proof.Write(&text, f.model.RowNames, f.model.ColNames); err != nil {
		t.Fatal(err)
	}
	f.text = text.String()
	return f
}

// program is the model without its names.
func (f *filed) program() QP { return QP{LP: f.model.LP, Q: f.model.Q} }

// plain returns the program as the literal checker reads it.
func (f *filed) plain() *check.LinearProgram {
	m := f.model
	p := &check.LinearProgram{C: m.C, Lo: m.Lo, Up: m.Up, RowLo: m.RowLo, RowUp: m.RowUp, Offset: m.Offset,
		RowNames: m.RowNames, ColNames: m.ColNames}
	for j := range m.C {
		column := make([]float64, len(m.RowLo))
		m.A.Column(column, j)
		p.A = append(p.A, column)
		if m.Q != nil {
			column = make([]float64, len(m.C))
			m.Q.Column(column, j)
			p.Q = append(p.Q, column)
		}
	}
	return p
}

// drawProved draws a small program of whole numbers, or of doubles where Q has full rank: with or without an optimum.
func drawProved(rng *rand.Rand) QP {
	d := planter{rng, rng.IntN(3) > 0}
	n, m := 1+d.IntN(7), d.IntN(7)
	p := QP{LP: simplex.LP{C: make([]float64, n), Lo: make([]float64, n), Up: make([]float64, n),
		RowLo: make([]float64, m), RowUp: make([]float64, m), Offset: d.number()}}
	q, a := make([]float64, n*n), make([]float64, m*n)
	rank := n + 1
	if d.whole {
		rank = d.IntN(n + 1)
	}
	scale := math.Exp2(float64(max(0, d.IntN(40)-20))) // of Q: up to 5e11 where it is not 1
	for range rank {
		b := make([]float64, n)
		for j := range b {
			b[j] = scale * d.number()
		}
		for i, v := range b {
			for j, w := range b {
				q[i*n+j] += v * w
			}
		}
	}
	var before []float64
	for i := range m {
		d.row(a[i*n:][:n], before)
		before = a[i*n:][:n]
		p.RowLo[i], p.RowUp[i] = d.ends()
	}
	for j := range n {
		p.C[j] = d.number()
		p.Lo[j], p.Up[j] = d.ends()
	}
	p.A, p.Q = simplex.NewDense(m, n, a), simplex.NewDense(n, n, q)
	return p
}

// ends draws bounds.
func (d *planter) ends() (lo, up float64) {
	lo, up = d.number(), d.number()
	if lo, up = min(lo, up), max(lo, up); d.IntN(6) > 0 {
		lo--
	}
	if d.IntN(3) == 0 {
		lo = math.Inf(-1)
	}
	if d.IntN(3) == 0 {
		up = inf
	}
	return lo, up
}

// TestProve: every status is proved, it is the solver's, and two checkers that share nothing with the prover agree.
// They refuse falsified proofs alike. -proofs sets the number of programs.
func TestProve(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	var files []check.Filed
	statuses, different := map[status.Status]int{}, 0
	for k := range *proofs {
		f := proveFile(t, drawProved(rng))
		if statuses[f.proof.Status]++; f.status != f.proof.Status {
			different++
		}
		text := f.text
		for try := range 4 {
			want := "refused"
			read, err := check.ReadLPProof(f.plain(), text)
			if err == nil {
				want = "proved " + read.Status
			}
			same := err == nil && read.Status == f.proof.Status.String() &&
				(read.Objective == nil || read.Objective.Cmp(f.proof.Objective) == 0)
			if try == 0 && !same || err == nil && !same {
				t.Fatalf("program %d: %v\n%s%s", k, err, f.mps, text)
			}
			files = append(files, check.Filed{MPS: f.mps, Proof: text, Want: want})
			if text = check.Falsified(rng, f.text); try > 0 {
				text = check.Sealed(text)
			}
		}
	}
	// Rows that are parallel but for rounding meet far away, where a solver finds none.
	if t.Logf("%v, other statuses than the solver's: %d", statuses, different); different > 1+*proofs/500 {
		t.Errorf("%d of %d proofs prove another status than the solver's", different, *proofs)
	}
	for _, s := range []status.Status{status.Optimal, status.Infeasible, status.Unbounded} {
		if statuses[s] < *proofs/20 {
			t.Errorf("only %d programs are %s", statuses[s], s)
		}
	}
	check.Python(t, "../simplex/provecheck.py", files)
}

// TestProveFromAnywhere: results that are far from an optimum, and that claim another status, lead to the same proofs.
func TestProveFromAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 2))
	for k := range *proofs / 3 {
		f := proveFile(t, drawProved(rng))
		m, n := f.model.A.Dims()
		r := &Result{Status: []status.Status{status.Optimal, status.Infeasible, status.Unbounded, status.Numerical}[k%4],
			X: make([]float64, n), Y: make([]float64, m), BoundDuals: make([]float64, n)}
		for _, v := range [][]float64{r.X, r.Y, r.BoundDuals} {
			for i := range v {
				v[i] = float64(rng.IntN(5) - 2)
			}
		}
		again, err := Prove(context.Background(), f.program(), r, 0)
		if err != nil {
			t.Fatalf("program %d: %v, want %s\n%s", k, err, f.proof.Status, f.mps)
		}
		if again.Status != f.proof.Status || again.Status == status.Optimal && again.Objective.Cmp(f.proof.Objective) != 0 {
			t.Errorf("program %d: %s %v, want %s %v", k, again.Status, again.Objective, f.proof.Status, f.proof.Objective)
		}
	}
}

// TestProveRoundedQ: LLᵀ of low rank in rounded numbers is not semidefinite. An optimum on bounds is proved all the
// same, with rows whose width follows from the bounds of variables; one that is not on bounds is refused.
func TestProveRoundedQ(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 3))
	var files []check.Filed
	const n = 4
	for range 40 {
		scale := math.Pow(10, float64(rng.IntN(7)))
		q, a := make([]float64, n*n), make([]float64, 3*n)
		for range 2 {
			l := make([]float64, n)
			for i := range l {
				l[i] = scale * rng.NormFloat64()
			}
			for i := range q {
				q[i] += l[i/n] * l[i%n]
			}
		}
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		p := QP{LP: simplex.LP{C: make([]float64, n), Lo: []float64{-5, -5, -5, -5}, Up: []float64{5, 5, 5, 5},
			RowUp: []float64{1, 0.5, 2}, A: simplex.NewDense(3, n, a)}, Q: simplex.NewDense(n, n, q)}
		for j := range p.C {
			p.C[j] = 10 * rng.NormFloat64()
		}
		f := proveFile(t, p)
		files = append(files, check.Filed{MPS: f.mps, Proof: f.text, Want: "proved optimal"})
	}
	check.Python(t, "../simplex/provecheck.py", files)
	third := []float64{1.0 / 3, 0.7, -1.1, 0.1}
	q := make([]float64, n*n)
	for i := range q {
		q[i] = third[i/n] * third[i%n]
	}
	p := QP{LP: simplex.LP{Lo: []float64{-5, -5, -5, -5}, Up: []float64{5, 5, 5, 5}}, Q: simplex.NewDense(n, n, q)}
	r, err := Solve(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prove(context.Background(), p, r, 0); !errors.Is(err, ErrCertificate) {
		t.Errorf("%v", err)
	}
	if _, err := Prove(context.Background(), p, r, 100); !errors.Is(err, prove.ErrMemory) {
		t.Errorf("with 100 bytes: %v", err)
	}
}

// TestPlantedProofs: stationary values of programs that are not convex prove nothing, but where the bounds leave no
// better value they do.
func TestPlantedProofs(t *testing.T) {
	program := func(lower string) string {
		return "NAME P\nROWS\n N F\nCOLUMNS\n X F 0\nRHS\nBOUNDS\n LO B X " + lower +
			"\n UP B X 1\nQUADOBJ\n X X -1\nENDATA\n"
	}
	proof := func(objective, x string) string {
		return check.Sealed("sparsekm-proof 1\nstatus optimal\nprogram 0 rows 1 columns\ndenominator 1\nobjective " +
			objective + "\n" + x + "end \n")
	}
	check.Python(t, "../simplex/provecheck.py", []check.Filed{
		{MPS: program("0"), Proof: proof("0", ""), Want: "refused: Q is not"},
		{MPS: program("0"), Proof: proof("-1p-1", "x 1 X\n"), Want: "proved optimal"},
		{MPS: program("-0.9"), Proof: proof("-1p-1", "x 1 X\n"), Want: "proved optimal"},
		{MPS: program("-2"), Proof: proof("-1p-1", "x 1 X\n"), Want: "refused: Q is not"},
		{MPS: program("0"), Proof: proof("-2p-1", "x 1 X\n"), Want: "refused: the objective"},
	})
}
