package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
)

func init() {
	compare("maros", "QPS files of Maros and Mészáros in the data's folder maros, up to 2200 variables: certificates in "+
		"long arithmetic, published optima, PIQP, Clarabel and HiGHS", runMaros)
}

// published is a line of the collection's list, 00README.QP: rows, variables, the optimum by BPMPD.
type published struct {
	rows, variables int
	optimum         float64
}

// runMaros solves what has dense size. The peers' times are of sparse solvers, ours is of a dense one.
func runMaros(ctx context.Context, e *env) error {
	const most = 2200
	folder := filepath.Join(e.Data, "maros")
	list, err := publishedOptima(filepath.Join(folder, "00README.QP"))
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.QPS"))
	if err != nil {
		return err
	}
	harness.Header("program", "rows × variables", "status", "optimum", "off by at most", "published is off by",
		"violation", "s (iterations)", "peers: off by, s")
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".QPS")
		known, ok := list[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
		if !ok || known.variables > most {
			continue
		}
		if err := e.marosRow(ctx, name, path, known); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func publishedOptima(path string) (map[string]published, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := map[string]published{}
	in := bufio.NewScanner(f)
	for in.Scan() {
		w := strings.Fields(in.Text())
		if len(w) != 7 {
			continue
		}
		rows, err := strconv.Atoi(w[1])
		if err != nil {
			continue // the heading
		}
		n, _ := strconv.Atoi(w[2])
		v, err := strconv.ParseFloat(w[6], 64)
		if err != nil {
			return nil, err
		}
		list[w[0]] = published{rows, n, v}
	}
	return list, in.Err()
}

// marosRow solves one program, again as long as that takes less than a second.
func (e *env) marosRow(ctx context.Context, name, path string, known published) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	model, err := qp.Read(f, 4<<30)
	if err != nil {
		return err
	}
	p := model.QP()
	rows, n := p.A.Dims()
	size := fmt.Sprintf("%d × %d", rows, n)
	var r *qp.Result
	best, began := math.Inf(1), time.Now()
	for range max(1, e.Reps) {
		before := processor.Seconds()
		if r, err = qp.Solve(ctx, p, qp.Options{}); err != nil {
			harness.Row(name, size, err.Error(), "", "", "", "", "", "")
			return nil
		}
		if best = min(best, processor.Seconds()-before); time.Since(began) > time.Second {
			break
		}
	}
	if err := qp.Check(p, r); err != nil {
		return err
	}
	proof := proveQP(p, r)
	harness.Row(name, size, r.Status.String(), fmt.Sprintf("%.10g", r.Objective), fmt.Sprintf("%.0e", proof.apart),
		fmt.Sprintf("%.0e", math.Abs(known.optimum-r.Objective)/proof.size), fmt.Sprintf("%.0e", proof.violation),
		fmt.Sprintf("%.2g (%d)", best, r.Iterations), e.marosPeers(p, r.Objective, proof.size))
	return nil
}

// marosPeers says by how much each peer's objective differs from ours, and its processor time.
func (e *env) marosPeers(p qp.QP, ours, size float64) (all string) {
	file := filepath.Join(e.Tmp, "qp.raw")
	if err := writeSparseQP(file, p); err != nil {
		return err.Error()
	}
	for _, solver := range []string{"piqp", "clarabel", "highs"} {
		out, err := e.python(pythons()[0], "maros.py", nil, file, solver)
		var objective, seconds float64
		if err == nil {
			lines := strings.Split(strings.TrimSpace(out), "\n")
			_, err = fmt.Sscan(lines[len(lines)-1], &objective, &seconds)
		}
		if err != nil {
			all += solver + " failed; "
			continue
		}
		all += fmt.Sprintf("%s %.0e, %.2g; ", solver, math.Abs(objective-ours)/size, seconds)
	}
	return strings.TrimSuffix(all, "; ")
}

// writeSparseQP is the file of maros.py.
func writeSparseQP(name string, p qp.QP) error {
	a, q := p.A.(*simplex.Sparse), p.Q.(*simplex.Sparse)
	m, n := a.Dims()
	parts := []any{[]int64{int64(m), int64(n), int64(len(a.Value)), int64(len(q.Value))}, []float64{p.Offset}, p.C, p.Lo,
		p.Up, p.RowLo, p.RowUp}
	for _, of := range []*simplex.Sparse{a, q} {
		start := make([]int32, n+1)
		for j := range start {
			start[j] = int32(of.Start[j])
		}
		parts = append(parts, start, of.Index, of.Value)
	}
	return writeBinary(name, parts)
}

// proof is what a result proves: the optimum differs from its objective by apart at most, relative to size, if no
// element of x is off by more than its own size. The violation is relative to the bound, or to 1.
type proof struct{ apart, size, violation float64 }

// proveQP computes the parts of the certificate in long arithmetic, from the program and x, y and the bounds' duals.
func proveQP(p qp.QP, r *qp.Result) proof {
	a, q := p.A.(*simplex.Sparse), p.Q.(*simplex.Sparse)
	activity, curve := timesSparse(a, r.X), timesSparse(q, r.X)
	apart, objective, terms := long(0), long(p.Offset), long(p.Offset)
	terms.Abs(terms)
	var violation float64
	bound := func(dual float64, at *big.Float, lo, up float64) {
		v, _ := at.Float64()
		if v < lo {
			violation = max(violation, (lo-v)/max(1, math.Abs(lo)))
		} else if v > up {
			violation = max(violation, (v-up)/max(1, math.Abs(up)))
		}
		if dual == 0 {
			return
		}
		of := lo
		if dual < 0 {
			of = up
		}
		add(apart, product(dual, sum(at, long(-of))), true)
	}
	for i, at := range activity {
		bound(r.Y[i], at, p.RowLo[i], p.RowUp[i])
	}
	for j, x := range r.X {
		bound(r.BoundDuals[j], long(x), p.Lo[j], p.Up[j])
		slope := sum(curve[j], sum(long(p.C[j]), long(-r.BoundDuals[j])))
		for k := a.Start[j]; k < a.Start[j+1]; k++ {
			add(slope, product(-a.Value[k], long(r.Y[a.Index[k]])), false)
		}
		add(apart, product(x, slope), true)
		add(objective, sum(product(x/2, curve[j]), product(p.C[j], long(x))), false)
		add(terms, product(p.C[j], long(x)), true)
		for k := q.Start[j]; k < q.Start[j+1]; k++ {
			add(terms, product(q.Value[k]*x/2, long(r.X[q.Index[k]])), true)
		}
	}
	f, _ := objective.Float64()
	e, _ := sum(objective, long(-r.Objective)).Float64()
	t, _ := terms.Float64()
	gap, _ := apart.Float64()
	size := max(math.Abs(f), 1e-6*t)
	if size == 0 {
		size = 1
	}
	return proof{(gap + math.Abs(e)) / size, size, violation}
}

func long(v float64) *big.Float {
	z := new(big.Float).SetPrec(400)
	if math.IsInf(v, 0) {
		return z.SetInf(v < 0)
	}
	return z.SetFloat64(v)
}

func sum(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(400).Add(a, b) }

func product(a float64, b *big.Float) *big.Float {
	if a == 0 {
		return long(0)
	}
	return new(big.Float).SetPrec(400).Mul(long(a), b)
}

// add adds v, or its size, to z.
func add(z, v *big.Float, size bool) {
	if size {
		v.Abs(v)
	}
	z.Add(z, v)
}

func timesSparse(a *simplex.Sparse, x []float64) []*big.Float {
	out := make([]*big.Float, a.Rows)
	for i := range out {
		out[i] = long(0)
	}
	for j, v := range x {
		for k := a.Start[j]; k < a.Start[j+1]; k++ {
			add(out[a.Index[k]], product(a.Value[k], long(v)), false)
		}
	}
	return out
}
