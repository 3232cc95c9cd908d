package bayes

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// From the time at which the kernel values are known, an end in the first fit leaves the model of some basis functions.
// Its gradient, computed here from the model and its precisions, is 0.
func TestEndsInTheFirstFit(t *testing.T) {
	for _, task := range []learn.Task{learn.Classify, learn.Regress} {
		p := ref.Clouds(3, 300, 3)
		p.Task, p.Threads = task, 1
		models := 0
		for looks := 0; ; looks += 1 + looks/4 {
			ctx := testutil.EndAfter(t.Context(), looks)
			r, err := RVM{}.Train(ctx, p)
			if err != nil && models == 0 && errors.Is(err, context.Canceled) {
				continue
			}
			if err != nil {
				t.Fatalf("%v: an end at look %d: %v after %d models", task, looks, err, models)
			}
			if !strings.Contains(r.Report.Message, "basis functions of 301") {
				break
			}
			models++
			figures := r.Report.Figures.(Figures)
			if r.Report.Status != status.Cancelled || len(figures.Evidence) == 0 || len(r.Coef) == 0 {
				t.Fatalf("%v: %v, %d vectors, %d steps", task, r.Report.Status, len(r.Coef), len(figures.Evidence))
			}
			testutil.AtMost(t, "gradient", gradientOf(p, r, figures), 1e-6)
			if ctx.Looks() > looks+50 {
				t.Errorf("%v: %d looks after the end", task, ctx.Looks()-looks)
			}
		}
		if models < 3 {
			t.Errorf("%v: %d models", task, models)
		}
	}
}

// gradientOf is the largest component of the gradient of the log posterior, relative to the sum of its terms.
func gradientOf(p *learn.Problem, r *learn.Result, figures Figures) (largest float64) {
	slope := ref.Decisions(p, r)
	for i, f := range slope {
		if p.Task == learn.Regress {
			slope[i] = (p.Y[i] - f) / (figures.Noise * figures.Noise)
		} else {
			slope[i] = p.Y[i] / (1 + math.Exp(p.Y[i]*f))
		}
	}
	for s, j := range r.Support {
		sum, size := -figures.Alpha[s]*r.Coef[s], math.Abs(figures.Alpha[s]*r.Coef[s])
		for i, v := range slope {
			k := p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D])
			sum, size = sum+v*k, size+math.Abs(v*k)
		}
		largest = max(largest, math.Abs(sum)/size)
	}
	return largest
}

// TestMirror: the upper triangle is the lower one's, for sizes around those of the squares. A context that ends is
// noticed after 64 rows.
func TestMirror(t *testing.T) {
	for _, m := range []int{0, 1, 2, 63, 64, 65, 128, 200} {
		a := make([]float64, m*m)
		for i := range a {
			a[i] = float64(i)
		}
		if err := mirror(t.Context(), a, m); err != nil {
			t.Fatal(err)
		}
		for i := range m {
			for j := range m {
				if want := float64(max(i, j)*m + min(i, j)); a[i*m+j] != want {
					t.Fatalf("%d rows: element %d, %d is %v, want %v", m, i, j, a[i*m+j], want)
				}
			}
		}
		if ctx := testutil.EndAfter(t.Context(), 0); mirror(ctx, a, m) == nil {
			t.Errorf("%d rows: no error after the end", m)
		}
	}
	a := make([]float64, 200*200)
	for i := range a {
		a[i] = float64(i)
	}
	if err := mirror(testutil.EndAfter(t.Context(), 1), a, 200); err == nil || a[70] != 70 {
		t.Errorf("ended after 64 rows: %v, element 0, 70 is %v", err, a[70])
	}
}

// An end before there is memory for the first factor leaves a model too, or says that there is none.
func TestEndsBeforeTheFactor(t *testing.T) {
	p := ref.Clouds(3, 1500, 2) // more numbers than are cleared at once
	for looks := 0; ; looks++ {
		r, err := RVM{Starts: 1}.Train(testutil.EndAfter(t.Context(), looks), p)
		if err == nil && len(r.Coef) > 0 {
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("an end at look %d: %v", looks, err)
		}
	}
}
