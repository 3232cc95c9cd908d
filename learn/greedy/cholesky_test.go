package greedy_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/internal/ref/lssvm"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/status"
)

// The points of the row-by-row factorisation (5)-(7), and the fit (3), (4).
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
			want := lssvm.Independent(k, eta)
			if !reflect.DeepEqual(r.Support, want) {
				t.Fatalf("%s: %v, want %v", name, r.Support, want)
			}
			v, b := lssvm.Primal(k, p.Y, ones(p.N), want, 100)
			e := learn.Expansion{Support: want, Coef: v, Bias: b}
			allClose(t, name, decide(p, &r.Expansion, p.X, p.N), decide(p, &e, p.X, p.N), 1e-7)
			if !close(r.Report.Objective, objective(p, &e, 100), 1e-9) {
				t.Errorf("%s: objective %v, want %v", name, r.Report.Objective, objective(p, &e, 100))
			}
		}
	}
}

func TestPrimalIsCholesky(t *testing.T) {
	p := clouds(20, 100, 5)
	a, err := greedy.Primal{C: 10}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := greedy.Cholesky{C: 10, Eta: 1e-9}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Expansion, b.Expansion) || len(a.Support) != p.N {
		t.Errorf("%d and %d support vectors of %d points", len(a.Support), len(b.Support), p.N)
	}
}

func TestCholeskyLimits(t *testing.T) {
	p := clouds(21, 100, 5)
	r, err := greedy.Cholesky{C: 1, Eta: 1e-9, MaxSV: 7}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Support) != 7 || r.Report.Status != status.IterationLimit {
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
