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
	"github.com/sparsekm/sparsekm/status"
)

var proofs = flag.Int("proofs", 150, "random programs that are proved")

// filed is a program as its MPS file has it, the status that the solver found, and a proof.
type filed struct {
	model     *Model
	mps, text string
	status    status.Status
	proof     *Proof
}

func prove(t *testing.T, p QP) *filed {
	t.Helper()
	var mps, text bytes.Buffer
	if err := (&Model{Model: simplex.Model{LP: p.LP}, Q: p.Q}).WriteMPS(&mps); err != nil {
		t.Fatal(err)
	}
	f := &filed{mps: mps.String()}
	var err error
	if f.model, err = Read(&mps, 1<<30); err != nil {
		t.Fatal(err)
	}
	r, err := Solve(context.Background(), f.model.QP(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.status = r.Status
	if f.proof, err = Prove(context.Background(), f.model.QP(), r, 0); err != nil {
		t.Fatalf("%s, but %v\n%s", r.Status, err, f.mps)
	}
	if err := f.proof.Write(&text, f.model); err != nil {
		t.Fatal(err)
	}
	f.text = text.String()
	return f
}

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
	for range rank {
		b := make([]float64, n)
		for j := range b {
			b[j] = d.number()
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
		f := prove(t, drawProved(rng))
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
		f := prove(t, drawProved(rng))
		m, n := f.model.A.Dims()
		r := &Result{Status: []status.Status{status.Optimal, status.Infeasible, status.Unbounded, status.Numerical}[k%4],
			X: make([]float64, n), Y: make([]float64, m), BoundDuals: make([]float64, n)}
		for _, v := range [][]float64{r.X, r.Y, r.BoundDuals} {
			for i := range v {
				v[i] = float64(rng.IntN(5) - 2)
			}
		}
		again, err := Prove(context.Background(), f.model.QP(), r, 0)
		if err != nil {
			t.Fatalf("program %d: %v, want %s\n%s", k, err, f.proof.Status, f.mps)
		}
		if again.Status != f.proof.Status || again.Status == status.Optimal && again.Objective.Cmp(f.proof.Objective) != 0 {
			t.Errorf("program %d: %s %v, want %s %v", k, again.Status, again.Objective, f.proof.Status, f.proof.Objective)
		}
	}
}

// TestProveRoundedQ: LLᵀ of rank 2 in rounded numbers is not semidefinite. An optimum on bounds is proved all the same,
// one that is not is refused.
func TestProveRoundedQ(t *testing.T) {
	third := []float64{1.0 / 3, 0.7, -1.1, 0.1}
	q := make([]float64, 16)
	for i := range 4 {
		for j := range 4 {
			q[i*4+j] = third[i] * third[j]
		}
	}
	p := QP{LP: simplex.LP{C: []float64{-1, 0.2, 0.3, -0.4}, Lo: []float64{-5, -5, -5, -5}, Up: []float64{5, 5, 5, 5}},
		Q: simplex.NewDense(4, 4, q)}
	p.A = simplex.NewDense(0, 4, nil)
	f := prove(t, p)
	check.Python(t, "../simplex/provecheck.py", []check.Filed{{MPS: f.mps, Proof: f.text, Want: "proved optimal"}})
	p.C = make([]float64, 4)
	r, err := Solve(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Prove(context.Background(), p, r, 0); !errors.Is(err, ErrCertificate) {
		t.Errorf("%v", err)
	}
	if _, err := Prove(context.Background(), p, r, 100); !errors.Is(err, simplex.ErrMemory) {
		t.Errorf("with 100 bytes: %v", err)
	}
}
