package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp", "first LP of SSVC-B and SKM, and SSVC-B's next one from its basis; "+
		"CLP, HiGHS, GLPK solve both statements", runLP)
}

// kernelLP is a linear program of a sparse kernel machine in both statements, and
// SSVC-B's next one: new row bounds of the dual statement, new costs of the primal.
type kernelLP struct {
	name         string
	dual, primal simplex.LP
	next         func(alpha []float64) (dual, primal simplex.LP) // nil for SKM
}

func runLP(ctx context.Context, e *env) error {
	var rows [][]string
	for _, c := range []struct {
		data     string
		sigma, c float64
	}{{"german", 12, 10}, {"ringnorm-1000", 4.5, 1}, {"banana-1000", 0.5, 1}, {"diabetis", 3, 10}, {"ripley-tr", 0.5, 1}} {
		k, y, err := e.kernel(c.data, c.sigma)
		if err != nil {
			return err
		}
		for _, p := range []kernelLP{ssvcbLP("SSVC-B "+c.data, k, y, c.c), skmLP("SKM "+c.data, k, y, 1e-3, 0.1)} {
			r, err := e.compareLP(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			rows = append(rows, r...)
		}
	}
	harness.Table(lpColumns, rows)
	return nil
}

var lpColumns = []string{"LP", "here s (pivots)", "best peer s (iterations)", "ratio", "objectives differ by", "all peers"}

// kernel returns the RBF matrix of a standardised data set, and its labels.
func (e *env) kernel(name string, sigma float64) (k, y []float64, err error) {
	p, err := e.problem(name+".libsvm", true, gram.RBFSigma(sigma))
	if err != nil {
		return nil, nil, err
	}
	return matrixOf(p), p.Y, nil
}

// matrixOf returns the kernel matrix of p.
func matrixOf(p *learn.Problem) []float64 {
	k := make([]float64, p.N*p.N)
	gram.Pack[float64](p.Kernel, p.X, p.N, p.D).Full(k, p.N)
	return k
}

func constant(n int, v float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// ssvcbLP is Huang et al. (2010), eq. (15) and (14), with λ = 1.
func ssvcbLP(name string, k, y []float64, c float64) kernelLP {
	n := len(y)
	a := make([]float64, (n+1)*n) // K̄: row 0 is y, row i is k(x_i, x_j)·y_j
	copy(a, y)
	for i := range n {
		for j := range n {
			a[(i+1)*n+j] = k[i*n+j] * y[j]
		}
	}
	dual := simplex.LP{C: constant(n, -1), Up: constant(n, c), RowLo: constant(n+1, -1), RowUp: constant(n+1, 1),
		A: simplex.NewDense(n+1, n, a)}
	plus, minus, xi := make([]float64, n*(n+1)), make([]float64, n*(n+1)), &simplex.Sparse{Rows: n}
	for j := range n {
		for i := range n + 1 {
			plus[j*(n+1)+i], minus[j*(n+1)+i] = a[i*n+j], -a[i*n+j]
		}
		xi.Append([]int32{int32(j)}, []float64{1})
	}
	primal := simplex.LP{
		C: append(constant(2*(n+1), 1), constant(n, c)...), RowLo: constant(n, 1),
		Lo: constant(3*n+2, 0), Up: constant(3*n+2, math.Inf(1)),
		A: simplex.Blocks{simplex.NewDense(n, n+1, plus), simplex.NewDense(n, n+1, minus), xi},
	}
	next := func(alpha []float64) (simplex.LP, simplex.LP) {
		d, p := dual, primal
		d.RowLo, d.RowUp = make([]float64, n+1), make([]float64, n+1)
		p.C = append([]float64(nil), p.C...)
		p.Up = append([]float64(nil), p.Up...)
		for i, v := range alpha {
			b := 1 / math.Abs(v)
			d.RowLo[i], d.RowUp[i] = -b, b
			p.C[i], p.C[n+1+i] = b, b
			if v == 0 {
				p.C[i], p.C[n+1+i], p.Up[i], p.Up[n+1+i] = 1, 1, 0, 0
			}
		}
		return d, p
	}
	return kernelLP{name, dual, primal, next}
}

// skmLP is Peleg and Meir (2009), eq. (12) and (4), linearised at α* = 1/n.
func skmLP(name string, k, y []float64, c, delta float64) kernelLP {
	n := len(y)
	inf := math.Inf(1)
	ln := math.Log(float64(n))
	power := 8 * ln / (delta * delta)
	cost := c * (math.Log(4*float64(n)) + math.Log(8/(delta*delta)*ln)) * power * math.Pow(1-1/float64(n), power-1)

	// max 2δ·1ᵀμ − λ, YKYμ − λ1 ≤ C̃v, yᵀμ = 0, 0 ≤ μ ≤ 1: λ is column n, y row n.
	a := make([]float64, (n+1)*(n+1))
	for i := range n {
		for j := range n {
			a[i*(n+1)+j] = y[i] * k[i*n+j] * y[j]
		}
		a[i*(n+1)+n], a[n*(n+1)+i] = -1, y[i]
	}
	dual := simplex.LP{C: append(constant(n, -2*delta), 1), Lo: append(constant(n, 0), -inf),
		Up:    append(constant(n, 1), inf),
		RowLo: append(constant(n, -inf), 0), RowUp: append(constant(n, cost), 0), A: simplex.NewDense(n+1, n+1, a)}

	// min 1ᵀξ + C̃vᵀα, YKYα + by + ξ ≥ 2δ, 1ᵀα = 1: b is column n, the sum row n.
	b := append([]float64(nil), a...)
	xi := &simplex.Sparse{Rows: n + 1}
	for i := range n {
		b[i*(n+1)+n], b[n*(n+1)+i] = y[i], 1
		xi.Append([]int32{int32(i)}, []float64{1})
	}
	primal := simplex.LP{C: append(append(constant(n, cost), 0), constant(n, 1)...),
		Lo: append(append(constant(n, 0), -inf), constant(n, 0)...),
		Up: constant(2*n+1, inf), RowLo: append(constant(n, 2*delta), 1), RowUp: append(constant(n, inf), 1),
		A: simplex.Blocks{simplex.NewDense(n+1, n+1, b), xi}}
	return kernelLP{name: name, dual: dual, primal: primal}
}

// solve times one program, New included, and returns its result.
func (e *env) solve(ctx context.Context, lp simplex.LP) (float64, *simplex.Solver, *simplex.Result) {
	var s *simplex.Solver
	var r *simplex.Result
	t := e.Best(func() {
		var err error
		if s, err = simplex.New(lp, simplex.Options{}); err != nil {
			panic(err)
		}
		r = s.Solve(ctx)
	})
	return t, s, r
}

// compareLP returns the table's rows of one program.
func (e *env) compareLP(ctx context.Context, p kernelLP) ([][]string, error) {
	t, s, r := e.solve(ctx, p.dual)
	if err := simplex.Check(p.dual, r); err != nil || r.Status != status.Optimal {
		return nil, fmt.Errorf("%v: %w", r.Status, err)
	}
	var changed [2]*simplex.LP
	var warm float64
	var again *simplex.Result
	if p.next != nil {
		d, q := p.next(r.Y)
		changed = [2]*simplex.LP{&d, &q}
		basis := s.Basis()
		warm = e.BestAfter(func() {
			if err := s.SetRowBounds(p.dual.RowLo, p.dual.RowUp); err != nil {
				panic(err)
			}
			if err := s.SetBasis(basis); err != nil {
				panic(err)
			}
			s.Solve(ctx)
		}, func() {
			if err := s.SetRowBounds(d.RowLo, d.RowUp); err != nil {
				panic(err)
			}
			again = s.Solve(ctx)
		})
		if err := simplex.Check(d, again); err != nil || again.Status != status.Optimal {
			return nil, fmt.Errorf("re-solve: %v: %w", again.Status, err)
		}
	}
	peers, err := e.peersLP(p, changed)
	if err != nil {
		return nil, err
	}
	rows := [][]string{lpRow(p.name, t, r, peers, false)}
	if again != nil {
		rows = append(rows, lpRow(p.name+", reweighted", warm, again, peers, true))
	}
	return rows, nil
}

// peerRun is one solve by another program.
type peerRun struct {
	name       string
	objective  float64
	seconds    float64
	iterations int
	warm       bool
}

func lpRow(name string, t float64, r *simplex.Result, peers []peerRun, warm bool) []string {
	best := peerRun{seconds: math.Inf(1)}
	var all []string
	apart := 0.0
	for _, p := range peers {
		if p.warm != warm {
			continue
		}
		all = append(all, fmt.Sprintf("%s %.4f (%d)", p.name, p.seconds, p.iterations))
		if p.seconds < best.seconds {
			best = p
		}
		if strings.HasPrefix(p.name, "clp") {
			apart = max(apart, math.Abs(math.Abs(p.objective)-math.Abs(r.Objective))/(1+math.Abs(r.Objective)))
		}
	}
	return []string{name, fmt.Sprintf("%.5f (%d)", t, r.Iterations),
		fmt.Sprintf("%s %.4f (%d)", best.name, best.seconds, best.iterations),
		fmt.Sprintf("%.1f", best.seconds/t), fmt.Sprintf("%.1e", apart), strings.Join(all, ", ")}
}

// peersLP runs every peer that is installed on both statements.
func (e *env) peersLP(p kernelLP, changed [2]*simplex.LP) (runs []peerRun, err error) {
	clp, err := e.compileC("clp_lp.c", "-lClp")
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers: without CLP:", err)
	}
	for i, lp := range []simplex.LP{p.dual, p.primal} {
		form := []string{"D", "P"}[i]
		files := []string{filepath.Join(e.Tmp, "lp.raw")}
		if err := writeRaw(files[0], lp); err != nil {
			return nil, err
		}
		if changed[i] != nil {
			files = append(files, filepath.Join(e.Tmp, "changed.raw"))
			if err := writeRaw(files[1], *changed[i]); err != nil {
				return nil, err
			}
		}
		if clp != "" {
			out, err := exec.Command(clp, files...).Output()
			if err != nil {
				return nil, err
			}
			runs = append(runs, parseRuns(form, string(out))...)
		}
		out, err := e.highs(files)
		if err != nil {
			fmt.Fprintln(os.Stderr, "peers: without HiGHS:", err)
		}
		runs = append(runs, parseRuns(form, out)...)
	}
	return append(runs, e.glpk(p.dual)...), nil
}

// highs asks the first Python that has highspy.
func (e *env) highs(files []string) (out string, err error) {
	for _, py := range pythons() {
		if out, err = e.python(py, "highs_lp.py", nil, files...); err == nil {
			break
		}
	}
	return out, err
}

// parseRuns reads lines of name, status, objective, seconds and iterations, keeping the optimal ones.
func parseRuns(form, out string) (runs []peerRun) {
	for line := range strings.Lines(out) {
		var r peerRun
		var st int
		if k, _ := fmt.Sscan(line, &r.name, &st, &r.objective, &r.seconds, &r.iterations); k == 5 && st == 0 {
			r.warm = strings.HasSuffix(r.name, "-warm")
			r.name = strings.TrimSuffix(strings.TrimSuffix(r.name, "-warm")+"/"+form, "/")
			runs = append(runs, r)
		}
	}
	return runs
}

var glpkTime = regexp.MustCompile(`Time used: +([0-9.]+) secs`)

// glpk times glpsol, which knows tenths of a second: 0.0 counts as 0.05.
func (e *env) glpk(lp simplex.LP) (runs []peerRun) {
	path := filepath.Join(e.Tmp, "lp.mps")
	f, err := os.Create(path)
	if err != nil {
		return nil
	}
	err = (&simplex.Model{LP: lp}).WriteMPS(f)
	f.Close()
	if err != nil {
		return nil
	}
	for _, how := range []string{"--primal", "--dual"} {
		out, err := exec.Command("glpsol", "--freemps", path, how, "--nopresol").CombinedOutput()
		if m := glpkTime.FindSubmatch(out); err == nil && m != nil {
			t, _ := strconv.ParseFloat(string(m[1]), 64)
			runs = append(runs, peerRun{name: "glpk" + how[1:] + "/D", seconds: max(t, 0.05)})
		}
	}
	return runs
}

// writeRaw writes lp for the peers' programs in the host's byte order: rows,
// columns and entries as 64-bit integers; costs, column bounds, row bounds as
// doubles; column starts and row numbers as 32-bit integers; values as doubles.
func writeRaw(path string, lp simplex.LP) error {
	m, n := lp.A.Dims()
	start, index, value := []int32{0}, []int32{}, []float64{}
	col := make([]float64, m)
	sparse, _ := lp.A.(*simplex.Sparse)
	for j := range n {
		if sparse != nil {
			rows, values := sparse.Entries(j)
			index = append(index, rows...)
			value = append(value, values...)
		} else {
			lp.A.Column(col, j)
			for i, v := range col {
				if v != 0 {
					index = append(index, int32(i))
					value = append(value, v)
				}
			}
		}
		start = append(start, int32(len(index)))
	}
	or := func(v []float64, k int, def float64) []float64 {
		if v == nil {
			return constant(k, def)
		}
		return v
	}
	inf := math.Inf(1)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, part := range []any{
		[]int64{int64(m), int64(n), int64(len(index))}, or(lp.C, n, 0), or(lp.Lo, n, 0), or(lp.Up, n, inf),
		or(lp.RowLo, m, -inf), or(lp.RowUp, m, inf), start, index, value,
	} {
		if err := binary.Write(w, binary.NativeEndian, part); err != nil {
			return err
		}
	}
	return w.Flush()
}
