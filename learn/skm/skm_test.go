package skm

import (
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// standardised reads a set and scales every feature to mean 0 and variance 1.
func standardised(tb testing.TB, path string, k gram.Kernel) *learn.Problem {
	tb.Helper()
	set, err := dataset.ReadFile(path, dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	scale, err := dataset.FitZ(set)
	if err != nil {
		tb.Fatal(err)
	}
	return problem(tb, scale.Apply(set), k)
}

func problem(tb testing.TB, set *dataset.Set, k gram.Kernel) *learn.Problem {
	tb.Helper()
	y, err := set.Signs()
	if err != nil {
		tb.Fatal(err)
	}
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: k, Resources: learn.Resources{Threads: 1}}
}

func BenchmarkTrain(b *testing.B) {
	for _, s := range []struct {
		name     string
		c, sigma float64
	}{{"german", 0.001, 12}, {"ringnorm-1000", 0.001, 4.5}, {"banana-1000", 0.001, 0.7}} {
		p := standardised(b, testutil.Shared(b, "open/"+s.name+".libsvm"), gram.RBFSigma(s.sigma))
		for _, t := range []learn.Trainer{Trainer{C: s.c, Delta: 0.1}, Trainer{C: s.c}, L1SVM{C: 1}, L0SVM{C: 1}, LPSVC{C: 1}} {
			name := fmt.Sprintf("set=%s/method=%s", s.name, t.Name())
			if k, ok := t.(Trainer); ok {
				name += fmt.Sprintf("/delta=%v", k.Delta) // 0 is the search
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r, err := t.Train(b.Context(), p)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Report.InnerIterations), "pivots")
					b.ReportMetric(float64(len(r.Support)), "SV")
					b.ReportMetric(float64(len(r.Report.Rounds)), "rounds")
					solves, rows := programs(r)
					b.ReportMetric(float64(solves), "solves")
					b.ReportMetric(float64(rows), "rows")
					b.ReportMetric(r.Report.Duality.Gap, "gap")
				}
			})
		}
	}
}

// BenchmarkPath has one training by a path and twenty, from 1e-4 to 1.
func BenchmarkPath(b *testing.B) {
	for _, s := range []struct {
		name  string
		sigma float64
	}{{"german", 12}, {"ringnorm-1000", 4.5}, {"banana-1000", 0.7}} {
		p := standardised(b, testutil.Shared(b, "open/"+s.name+".libsvm"), gram.RBFSigma(s.sigma))
		cs := learn.GeometricPath(1e-4, 1, 20)
		for _, c := range [][]float64{cs[5:6], cs} {
			b.Run(fmt.Sprintf("set=%s/costs=%d", s.name, len(c)), func(b *testing.B) {
				for b.Loop() {
					if err := (Trainer{}).Path(b.Context(), p, c, func(float64, *learn.Result) bool { return true }); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// programs returns how many linear programs a training solved, and the rows of its last one.
func programs(r *learn.Result) (solves, rows int) {
	if f, ok := r.Report.Figures.(Figures); ok {
		return f.Solves, f.WorkingRows
	}
	f := r.Report.Figures.(LinearFigures)
	return f.Solves, f.WorkingRows
}
