package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp", "first LP of SSVC-B and SKM, narrow kernels at C = 100 too, and SSVC-B's next one from its basis; "+
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
	harness.Header("LP", "ours, s (pivots)", "best peer, s (iterations)", "ratio", "objectives differ by", "all peers")
	for _, c := range []struct {
		data     string
		sigma, c float64
	}{{"german", 12, 10}, {"ringnorm-1000", 4.5, 1}, {"banana-1000", 0.5, 1}, {"diabetis", 3, 10}, {"ripley-tr", 0.5, 1},
		{"german", 3, 100}, {"waveform-1000", 1.5, 100}} {
		set, err := e.lpSet(c.data)
		if err != nil {
			return err
		}
		k, y := make([]float64, set.N*set.N), set.RestSigns(1)
		gram.Pack[float64](gram.RBFSigma(c.sigma), set.X, set.N, set.D).Full(k, set.N)
		name := fmt.Sprintf("%s, σ = %g", c.data, c.sigma)
		programs := []kernelLP{ssvcbLP("SSVC-B "+name, k, y, c.c)}
		if c.c == 100 {
			programs[0].next = nil
		} else {
			programs = append(programs, skmLP("SKM "+name, k, y, 1e-3, 0.1))
		}
		for _, p := range programs {
			if err := e.compareLP(ctx, p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// lpSet is a set of the data, or drawn: of waveform the last of three classes is against the others.
func (e *env) lpSet(name string) (*dataset.Set, error) {
	if name != "waveform-1000" {
		return scaled(e.Set(name + ".libsvm"))
	}
	set := dataset.Waveform(1000, 1)
	for i, class := range set.Y {
		set.Y[i] = (2 - class) // the first is against the rest
	}
	return scaled(firstAgainstRest(set), nil)
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

// compareLP prints the rows of one program: the first solve, New included, and the next one from its basis.
func (e *env) compareLP(ctx context.Context, p kernelLP) error {
	took, s, r, err := e.solve(ctx, p.dual)
	if err != nil {
		return err
	}
	var changed [2]*simplex.LP
	var warm float64
	var again *simplex.Result
	if p.next != nil {
		d, q := p.next(r.Y)
		changed = [2]*simplex.LP{&d, &q}
		basis := s.Basis(simplex.Basis{})
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
			return fmt.Errorf("re-solve: %v: %w", again.Status, err)
		}
	}
	var peers []peerRun
	for i, lp := range []simplex.LP{p.dual, p.primal} {
		runs, err := e.peersLP(lp, changed[i], "")
		if err != nil {
			return err
		}
		for _, run := range runs {
			run.name += []string{"/D", "/P"}[i]
			peers = append(peers, run)
		}
	}
	lpRow(p.name, took, r, append(peers, e.glpk(p.dual)...), false)
	if again != nil {
		lpRow(p.name+", reweighted", warm, again, peers, true)
	}
	return nil
}

// solve times one program, New included, and returns its result.
func (e *env) solve(ctx context.Context, lp simplex.LP) (took float64, s *simplex.Solver, r *simplex.Result,
	err error) {
	took, err = e.Processor(func() (failed error) {
		if s, failed = simplex.New(lp, simplex.Options{}); failed == nil {
			r = s.Solve(ctx)
		}
		return failed
	})
	if err == nil {
		err = simplex.Check(lp, r)
	}
	if err == nil && r.Status != status.Optimal && r.Status != status.Infeasible {
		err = fmt.Errorf("status %v", r.Status)
	}
	return took, s, r, err
}

// peerRun is one solve by another program.
type peerRun struct {
	name       string
	objective  float64
	seconds    float64
	iterations int
	warm       bool
}

func (r peerRun) String() string { return fmt.Sprintf("%s %.4f (%d)", r.name, r.seconds, r.iterations) }

// fastest is the fastest run of the programs whose names begin so.
func fastest(runs []peerRun, begins string) peerRun {
	best := peerRun{seconds: math.Inf(1)}
	for _, r := range runs {
		if r.seconds < best.seconds && strings.HasPrefix(r.name, begins) {
			best = r
		}
	}
	return best
}

func lpRow(name string, took float64, r *simplex.Result, peers []peerRun, warm bool) {
	peers = slices.DeleteFunc(slices.Clone(peers), func(p peerRun) bool { return p.warm != warm })
	best, apart := fastest(peers, ""), 0.0
	for _, p := range peers {
		if strings.HasPrefix(p.name, "clp") {
			apart = max(apart, math.Abs(math.Abs(p.objective)-math.Abs(r.Objective))/(1+math.Abs(r.Objective)))
		}
	}
	harness.Row(name, fmt.Sprintf("%.5f (%d)", took, r.Iterations), best.String(), times(best.seconds/took),
		fmt.Sprintf("%.1e", apart), fmt.Sprint(peers))
}

// peersLP runs CLP and HiGHS, whatever is installed; extra is added to CLP's environment.
func (e *env) peersLP(lp simplex.LP, changed *simplex.LP, extra string) (runs []peerRun, err error) {
	file, err := e.raw("lp.raw", lp)
	if err != nil {
		return nil, err
	}
	files := []string{file}
	if changed != nil {
		if file, err = e.raw("changed.raw", *changed); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if clp, failed := e.compileC("clp_lp.c", "-lClp"); failed != nil {
		absent(failed)
	} else {
		cmd := exec.Command(clp, files...)
		cmd.Env = append(os.Environ(), extra)
		out, failed := cmd.Output()
		if failed != nil {
			return nil, failed
		}
		runs = parseRuns(string(out))
	}
	return append(runs, e.highs(files...)...), nil
}

// highs asks the first Python that has highspy.
func (e *env) highs(args ...string) []peerRun {
	for _, py := range pythons() {
		out, err := e.python(py, "highs", nil, args...)
		if err == nil {
			return parseRuns(out)
		}
		absent(err)
	}
	return nil
}

// parseRuns reads lines of name, status, objective, seconds and iterations, keeping the optimal ones.
func parseRuns(out string) (runs []peerRun) {
	for line := range strings.Lines(out) {
		var r peerRun
		var st int
		if k, _ := fmt.Sscan(line, &r.name, &st, &r.objective, &r.seconds, &r.iterations); k == 5 && st == 0 {
			r.name, r.warm = strings.CutSuffix(r.name, "-warm")
			runs = append(runs, r)
		}
	}
	return runs
}

var glpkTime = regexp.MustCompile(`Time used: +([0-9.]+) secs`)

// glpk times glpsol, which knows tenths of a second: 0.0 counts as 0.05.
func (e *env) glpk(lp simplex.LP) (runs []peerRun) {
	path, err := e.file("lp.mps", (&lpfile.Model{LP: lp}).WriteMPS)
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

// raw writes lp for the peers' programs in the host's byte order: rows,
// columns and entries as 64-bit integers; costs, column bounds, row bounds as
// doubles; column starts and row numbers as 32-bit integers; values as doubles.
func (e *env) raw(name string, lp simplex.LP) (string, error) {
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
	return e.binary(name, []int64{int64(m), int64(n), int64(len(index))}, or(lp.C, n, 0), or(lp.Lo, n, 0), or(lp.Up, n, inf),
		or(lp.RowLo, m, -inf), or(lp.RowUp, m, inf), start, index, value)
}
