package direct_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// softened is a problem with probabilities of k classes in place of labels; a number a sample of two classes.
func softened(n, k int) *learn.Problem {
	rng := rand.New(rand.NewPCG(3, uint64(k)))
	p := &learn.Problem{N: n, D: 2, X: make([]float64, 2*n), Y: make([]float64, n), Kernel: gram.RBF(1)}
	for i := range n {
		x := p.X[2*i : 2*i+2]
		x[0], x[1] = rng.NormFloat64(), rng.NormFloat64()
		if k == 2 {
			v := 1 / (1 + math.Exp(-3*math.Sin(2*x[0])-x[1]))
			p.Soft = append(p.Soft, v)
			p.Y[i] = math.Copysign(1, v-0.5)
			continue
		}
		sum, largest := 0.0, 0.0
		row := make([]float64, k)
		for c := range row {
			row[c] = math.Exp(2 * math.Cos(x[0]+float64(c)*x[1]))
			sum += row[c]
		}
		for c := range row {
			if row[c] /= sum; row[c] > largest {
				largest, p.Y[i] = row[c], float64(c)
			}
		}
		p.Soft = append(p.Soft, row...)
	}
	for c := range k { // each has a sample
		if p.Y[c] = float64(c); k == 2 {
			p.Y[c] = float64(2*c - 1)
		}
	}
	return p
}

// TestSoft: decision values are log odds of the probabilities, and the objective is the literal cross-entropy's.
func TestSoft(t *testing.T) {
	for _, k := range []int{2, 3} {
		p := softened(300, k)
		tr := direct.Trainer{C: 20, MaxSV: 12}
		var results []learn.Result
		if k == 2 {
			r, err := tr.Train(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			results = []learn.Result{*r}
		} else {
			var err error
			if results, err = tr.TrainJoint(context.Background(), p, k); err != nil {
				t.Fatal(err)
			}
		}
		for o, r := range results {
			if !searched(r.Report.Status, results...) || r.Report.Slope == nil || *r.Report.Slope != 1 {
				t.Errorf("%d classes: %v, slope %v; %s", k, r.Report.Status, r.Report.Slope, r.Report.Message)
			}
			m, loss, off := len(r.Coef), 0.0, 0.0
			value := func(x []float64) float64 {
				f := r.Bias
				for j, a := range r.Coef {
					f += a * p.Kernel.Eval(x, r.Vectors[2*j:2*j+2])
				}
				return f
			}
			for i := range p.N {
				f, want := value(p.X[2*i:2*i+2]), p.Soft[i*len(results)+o]
				loss += tr.C * ref.DirectCrossEntropy(want, f)
				off += math.Abs(1/(1+math.Exp(-f))-want) / float64(p.N)
			}
			for i := range m {
				for j := range m {
					loss += r.Coef[i] * r.Coef[j] * p.Kernel.Eval(r.Vectors[2*i:2*i+2], r.Vectors[2*j:2*j+2]) / 2
				}
			}
			if !(math.Abs(loss-r.Report.Objective) <= 1e-6*loss) || !(off < 0.1) {
				t.Errorf("%d classes: the objective is %v, literally %v; probabilities are %.3f off", k, r.Report.Objective, loss,
					off)
			}
		}
	}
}

// TestSoftRefused: what are no probabilities is an error.
func TestSoftRefused(t *testing.T) {
	for want, change := range map[string]func(p *learn.Problem){
		"want a number from 0 to 1":  func(p *learn.Problem) { p.Soft[5] = 1.2 },
		"2 probabilities a sample":   func(p *learn.Problem) { p.Soft = append(p.Soft, p.Soft...) },
		"7 probabilities for 300":    func(p *learn.Problem) { p.Soft = p.Soft[:7] },
		"without validation samples": func(p *learn.Problem) { p.Validation = &learn.Validation{X: p.X, Y: p.Y, N: p.N} },
	} {
		p := softened(300, 2)
		change(p)
		_, err := direct.Trainer{MaxSV: 3}.Train(context.Background(), p)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
