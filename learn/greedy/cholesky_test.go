package greedy_test

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/status"
)

// The samples of the row-by-row factorisation (5)-(7), and the fit (3), (4).
func TestCholeskyIsLiteral(t *testing.T) {
	for seed := range uint64(10) {
		p := clouds(seed, 60+int(seed), 1+int(seed)%4)
		k := kernelMatrix(p)
		for _, eta := range []float64{1e-2, 1e-4, 1e-7} {
			r, err := greedy.Cholesky{C: 100, Eta: eta}.Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("seed=%d eta=%v", seed, eta)
			want := ref.LSSVMIndependent(k, eta)
			if !reflect.DeepEqual(r.Support, want) {
				t.Fatalf("%s: %v, want %v", name, r.Support, want)
			}
			v, b := ref.LSSVMPrimal(k, p.Y, ones(p.N), want, 100)
			e := learn.Expansion{Support: want, Coef: v, Bias: b}
			allClose(t, name, decide(p, &r.Expansion, p.X, p.N), decide(p, &e, p.X, p.N), 1e-7)
			if !close(r.Report.Objective, objective(p, &e, 100), 1e-9) {
				t.Errorf("%s: objective %v, want %v", name, r.Report.Objective, objective(p, &e, 100))
			}
		}
	}
}

// Several blocks of columns: samples in an order that lets whole batches go, samples of
// full rank, and those so dependent that the normal equations do not serve. The samples
// are those of eq. (5)-(7), the fit meets its equations, with the same bits for any
// number of threads.
func TestCholeskyBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		gamma float64
		eta   float64
		sort  bool
		min   int // support vectors, for the case to be what it says
	}{
		{"full rank", 2, 1e-4, false, 300},
		{"most", 0.1, 1e-2, false, 100},
		{"sorted", 0.1, 1e-2, true, 100},
		{"dependent", 0.02, 1e-9, false, 200},
	} {
		p := clouds(23, 300, 6)
		p.Kernel = gram.RBF(c.gamma)
		if c.sort {
			sortRows(p)
		}
		want := ref.LSSVMIndependent(kernelMatrix(p), c.eta)
		if len(want) < c.min {
			t.Fatalf("%s: %d support vectors, too easy", c.name, len(want))
		}
		testutil.EachLevel(t, func(t *testing.T) {
			var first *learn.Result
			for _, p.Threads = range []int{1, 2, 5} {
				r, err := greedy.Cholesky{C: 100, Eta: c.eta}.Train(background, p)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(r.Support, want) {
					t.Fatalf("%s: %d support vectors, not those of the literal factorisation, %d", c.name, len(r.Support), len(want))
				}
				testutil.AtMost(t, c.name+" residual", *r.Report.Residual, 1e-11)
				if first == nil {
					first = r
				}
				if !reflect.DeepEqual(r.Expansion, first.Expansion) {
					t.Errorf("%s: other bits with %d threads", c.name, p.Threads)
				}
			}
		})
	}
}

// sortRows sorts the samples by their first feature.
func sortRows(p *learn.Problem) {
	order := make([]int, p.N)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p.X[i*p.D], p.X[j*p.D]) })
	x, y := slices.Clone(p.X), slices.Clone(p.Y)
	for k, i := range order {
		copy(p.X[k*p.D:(k+1)*p.D], x[i*p.D:(i+1)*p.D])
		p.Y[k] = y[i]
	}
}

func TestPrimalIsCholesky(t *testing.T) {
	p := clouds(20, 100, 5)
	for eta, min := range map[float64]int{0: p.N, 0.3: 5} {
		a, err := greedy.Primal{C: 10, Eta: eta}.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := greedy.Cholesky{C: 10, Eta: max(eta, 1e-9)}.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Expansion, b.Expansion) || len(a.Support) < min || eta > 0 && len(a.Support) == p.N {
			t.Errorf("η %v: %d and %d support vectors of %d samples", eta, len(a.Support), len(b.Support), p.N)
		}
	}
}

func TestCholeskyLimits(t *testing.T) {
	p := clouds(21, 100, 5)
	r, err := greedy.Cholesky{C: 1, Eta: 1e-9, MaxSV: 7}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Support) != 7 || r.Report.Status != status.SizeReached {
		t.Errorf("%d support vectors, %v", len(r.Support), r.Report.Status)
	}
	for _, tr := range []learn.Trainer{
		greedy.Cholesky{C: -1}, greedy.Cholesky{Eta: -1}, greedy.Cholesky{MaxSV: -1}, greedy.Primal{C: -1},
	} {
		var bad *learn.ParamError
		if _, err := tr.Train(background, clouds(1, 20, 2)); !errors.As(err, &bad) || bad.Method != tr.Name() {
			t.Errorf("%+v: error %v, want a ParamError", tr, err)
		}
	}
}
