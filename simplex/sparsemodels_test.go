package simplex

import (
	"bufio"
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// openSets are the sets that every clone has in testdata, by their names in shared/data/open.
var openSets = map[string]string{"ripley-tr": "ripley.train", "diabetis": "diabetis", "ionosphere": "ionosphere"}

// readPoints reads a LIBSVM file of testdata or shared/data/open and standardises
// the columns that are not constant.
func readPoints(tb testing.TB, name string) (x [][]float64, y []float64) {
	tb.Helper()
	path := testutil.Testdata(tb, openSets[name]+".libsvm")
	if openSets[name] == "" {
		path = testutil.Shared(tb, "open/"+name+".libsvm")
	}
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	d := 0
	var sparse []map[int]float64
	in := bufio.NewScanner(f)
	for in.Scan() {
		fields := strings.Fields(in.Text())
		label, _ := strconv.ParseFloat(fields[0], 64)
		p := map[int]float64{}
		for _, f := range fields[1:] {
			i, v, _ := strings.Cut(f, ":")
			k, _ := strconv.Atoi(i)
			p[k-1], _ = strconv.ParseFloat(v, 64)
			d = max(d, k)
		}
		sparse = append(sparse, p)
		y = append(y, label)
	}
	n := float64(len(y))
	for _, p := range sparse {
		row := make([]float64, d)
		for k, v := range p {
			row[k] = v
		}
		x = append(x, row)
	}
	for k := range d {
		var mean, variance float64
		for i := range x {
			mean += x[i][k] / n
		}
		for i := range x {
			variance += (x[i][k] - mean) * (x[i][k] - mean) / n
		}
		if variance == 0 {
			continue
		}
		for i := range x {
			x[i][k] = (x[i][k] - mean) / math.Sqrt(variance)
		}
	}
	return x, y
}

// rbf returns the n×n matrix exp(−‖x_i−x_j‖²/(2σ²)).
func rbf(x [][]float64, sigma float64) []float64 {
	n := len(x)
	k := make([]float64, n*n)
	for i := range x {
		for j := range x {
			var s float64
			for c, v := range x[i] {
				s += (v - x[j][c]) * (v - x[j][c])
			}
			k[i*n+j] = math.Exp(-s / (2 * sigma * sigma))
		}
	}
	return k
}

// linear returns the n×n matrix x_iᵀx_j.
func linear(x [][]float64) []float64 {
	n := len(x)
	k := make([]float64, n*n)
	for i := range x {
		for j := range x {
			k[i*n+j] = dense.Dot(x[i], x[j])
		}
	}
	return k
}

// ssvcbDual is the first linear program of SSVC-B in the form of Huang et al.
// (2010), eq. (15) with λ = 1: min −1ᵀβ, −1 ≤ K̄β ≤ 1, 0 ≤ β ≤ C, where row 0 of K̄
// is y and row i is k(x_i, x_j)·y_j.
func ssvcbDual(k, y []float64, c float64) LP {
	n := len(y)
	a := make([]float64, (n+1)*n)
	copy(a, y)
	for i := range n {
		for j := range n {
			a[(i+1)*n+j] = k[i*n+j] * y[j]
		}
	}
	minus := orFill(nil, n, -1)
	return LP{C: minus, Up: orFill(nil, n, c), RowLo: orFill(nil, n+1, -1), RowUp: ones(n + 1), A: NewDense(n+1, n, a)}
}

// skmDual is Peleg and Meir (2009), eq. (12), for the first linearisation at α* = 1/n:
// min λ − 2δ·1ᵀμ, YKYμ − λ1 ≤ C̃v, yᵀμ = 0, 0 ≤ μ ≤ 1, λ free.
func skmDual(k, y []float64, c, delta float64) LP {
	n := len(y)
	a := make([]float64, (n+1)*(n+1))
	for i := range n {
		for j := range n {
			a[i*(n+1)+j] = y[i] * k[i*n+j] * y[j]
		}
		a[i*(n+1)+n] = -1
		a[n*(n+1)+i] = y[i]
	}
	ln := math.Log(float64(n))
	power := 8 * ln / (delta * delta)
	v := power * math.Pow(1-1/float64(n), power-1)
	ct := c * (math.Log(4*float64(n)) + math.Log(8/(delta*delta)*ln))
	lp := LP{C: orFill(nil, n+1, -2*delta), Lo: make([]float64, n+1), Up: ones(n + 1),
		RowLo: orFill(nil, n+1, math.Inf(-1)), RowUp: orFill(nil, n+1, ct*v), A: NewDense(n+1, n+1, a)}
	lp.C[n], lp.Lo[n], lp.Up[n] = 1, math.Inf(-1), math.Inf(1)
	lp.RowLo[n], lp.RowUp[n] = 0, 0
	return lp
}

// sparseModels are the linear programs of sparse kernel models.
var sparseModels = []struct {
	name, data string
	lp         func(x [][]float64, y []float64) LP
}{
	{"ssvcb-german", "german", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 12), y, 10) }},
	{"ssvcb-ringnorm", "ringnorm-1000", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 4.5), y, 1) }},
	{"ssvcb-banana", "banana-1000", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 0.5), y, 1) }},
	{"ssvcb-diabetis", "diabetis", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 3), y, 10) }},
	{"ssvcb-ripley", "ripley-tr", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 0.5), y, 1) }},
	{"ssvcb-ionosphere", "ionosphere", func(x [][]float64, y []float64) LP { return ssvcbDual(rbf(x, 5), y, 1) }},
	{"ssvcb-german-linear", "german", func(x [][]float64, y []float64) LP { return ssvcbDual(linear(x), y, 1) }},
	{"skm-german", "german", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 12), y, 1e-3, 0.1) }},
	{"skm-ringnorm", "ringnorm-1000", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 4.5), y, 1e-3, 0.1) }},
	{"skm-banana", "banana-1000", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 0.5), y, 1e-3, 0.1) }},
	{"skm-diabetis", "diabetis", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 3), y, 1e-3, 0.1) }},
	{"skm-ripley", "ripley-tr", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 0.5), y, 1e-3, 0.1) }},
	{"skm-ionosphere", "ionosphere", func(x [][]float64, y []float64) LP { return skmDual(rbf(x, 5), y, 1e-3, 0.1) }},
	{"skm-ringnorm-linear", "ringnorm-1000", func(x [][]float64, y []float64) LP { return skmDual(linear(x), y, 1e-3, 0.3) }},
}

// solveTight solves lp to an optimum that is certified to 1e-9.
func solveTight(t *testing.T, lp LP, method Method) (objective float64) {
	t.Helper()
	s, err := New(lp, Options{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(context.Background())
	if err := Check(lp, r); err != nil || r.Status != status.Optimal {
		t.Fatal(r.Status, err)
	}
	testutil.AtMost(t, "primal residual", r.PrimalResidual, 1e-9)
	testutil.AtMost(t, "dual residual", r.DualResidual, 1e-9)
	testutil.AtMost(t, "gap", r.Gap, 1e-9)
	return r.Objective
}

func BenchmarkMachines(b *testing.B) {
	for _, c := range sparseModels {
		x, y := readPoints(b, c.data)
		lp := c.lp(x, y)
		for _, method := range []Method{Dual, Primal} {
			b.Run("lp="+c.name+"/method="+[]string{"auto", "primal", "dual"}[method], func(b *testing.B) {
				b.ReportAllocs()
				var r *Result
				for b.Loop() {
					s, err := New(lp, Options{Method: method})
					if err != nil {
						b.Fatal(err)
					}
					r = s.Solve(context.Background())
				}
				b.ReportMetric(float64(r.Iterations), "pivots")
				if err := Check(lp, r); err != nil || r.Status != status.Optimal {
					b.Error(r.Status, err)
				}
				b.Logf("%v %.12g residuals %.2g %.2g", r.Status, r.Objective, r.PrimalResidual, r.DualResidual)
			})
		}
	}
}
