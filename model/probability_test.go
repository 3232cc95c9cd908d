package model

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var recordLIBSVM = flag.Bool("libsvm", false, "write testdata/*.probabilities anew; needs svm-train and svm-predict")

// TestLIBSVMProbabilities holds probabilities against those that `svm-predict -b 1` wrote for its own models, with six
// digits. LIBSVM's iteration for several classes ends at an accuracy of 0.005 divided by their number: we agree within
// that, and a twin of it that starts from our pairs agrees in every digit.
func TestLIBSVMProbabilities(t *testing.T) {
	for _, name := range []string{"ripley.train", "iris"} {
		data, model := testutil.Testdata(t, name+".libsvm"), filepath.Join("testdata", name+".model")
		out := filepath.Join("testdata", name+".probabilities")
		if *recordLIBSVM {
			run(t, testutil.Program(t, "svm-train"), "-q", "-b", "1", "-g", "0.5", data, model)
			run(t, testutil.Program(t, "svm-predict"), "-b", "1", data, model, out)
		}
		c, err := Load(model)
		if err != nil {
			t.Fatal(err)
		}
		set, err := dataset.ReadFile(data, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if lines[0] != "labels "+strings.Join(c.Labels(), " ") || len(lines) != set.N+1 {
			t.Fatalf("%s: %d lines for %d points, first %q", name, len(lines), set.N, lines[0])
		}
		k := c.NumClasses()
		f, got := make([]float64, set.N*c.NumSubmodels()), make([]float64, set.N*k)
		c.DecideBatch(f, set.X, set.N, 1)
		c.ProbabilitiesOf(got, f, set.N, 2)
		for i := range set.N {
			p, one, want := got[i*k:(i+1)*k], make([]float64, k), make([]float64, k)
			label := ""
			parse := []any{&label}
			for j := range want {
				parse = append(parse, &want[j])
			}
			if _, err = fmt.Sscan(lines[i+1], parse...); err != nil {
				t.Fatal(err)
			}
			testutil.NearAll(t, name, p, want, 0.005/float64(k))
			if c.Probabilities(one, set.Row(i)); !slices.Equal(one, p) {
				t.Errorf("%s, row %d: %v alone, %v in a batch", name, i, one, p)
			}
			if k == 2 {
				testutil.Near(t, "Probability", c.Probability(set.Row(i)), p[0], 0)
				continue
			}
			for j := range want {
				testutil.NearRel(t, "the twin", iterated(c, f[i*c.NumSubmodels():])[j], want[j], 2e-5)
			}
		}
	}
}

// iterated is LIBSVM's iteration (algorithm 2 of Wu, Lin and Weng), literally, for one row's decisions.
func iterated(c *Classifier, f []float64) []float64 {
	k := c.NumClasses()
	r, q, p, qp := make([][]float64, k), make([][]float64, k), make([]float64, k), make([]float64, k)
	for s := range k {
		r[s], q[s], p[s] = make([]float64, k), make([]float64, k), 1/float64(k)
	}
	for i, m := range c.parts.Submodels {
		v := min(max(c.parts.Platt[i].Probability(f[i]), 1e-7), 1-1e-7)
		r[m.Pos][m.Neg], r[m.Neg][m.Pos] = v, 1-v
	}
	for s := range k {
		for t := range k {
			if s != t {
				q[s][s] += r[t][s] * r[t][s]
				q[s][t] = -r[t][s] * r[s][t]
			}
		}
	}
	for range max(100, k) {
		pqp, worst := 0.0, 0.0
		for s := range k {
			qp[s] = 0
			for t := range k {
				qp[s] += q[s][t] * p[t]
			}
			pqp += p[s] * qp[s]
		}
		for s := range k {
			worst = max(worst, math.Abs(qp[s]-pqp))
		}
		if worst < 0.005/float64(k) {
			break
		}
		for s := range k {
			d := (pqp - qp[s]) / q[s][s]
			p[s] += d
			pqp = (pqp + d*(d*q[s][s]+2*qp[s])) / (1 + d) / (1 + d)
			for t := range k {
				qp[t] = (qp[t] + d*q[s][t]) / (1 + d)
				p[t] /= 1 + d
			}
		}
	}
	return p
}

// The coupled probabilities are the minimum: no step between two classes makes the sum of squares smaller. Where the
// pairs agree with one another they are what the pairs were made from.
func TestCoupling(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{2, 3, 10, 26} {
		for _, sure := range []float64{0.1, 1, 10, 100} {
			c, p, truth := newCoupling(k), make([]float64, k), make([]float64, k)
			for s := range k {
				for j := range s {
					c.set(s, j, Platt{A: sure}.Probability(rng.NormFloat64()))
				}
			}
			c.solve(p)
			sum := 0.0
			for s, v := range p {
				sum += v
				if !(v >= 0 && v <= 1) {
					t.Errorf("%d classes: probability %v", k, v)
				}
				slope := func(s int) (g float64) { // of the objective
					for j := range k {
						if j != s {
							g += c.r[j*k+s] * (c.r[j*k+s]*p[s] - c.r[s*k+j]*p[j])
						}
					}
					return g
				}
				testutil.Near(t, "slope", slope(s), slope(0), 1e-12)
			}
			testutil.Near(t, "sum", sum, 1, 1e-14)
			total := 0.0
			for s := range truth {
				truth[s] = math.Exp(min(sure, 10) * rng.NormFloat64() / 10)
				total += truth[s]
			}
			for s := range truth {
				truth[s] /= total
				for j := range s {
					c.set(s, j, truth[s]/(truth[s]+truth[j]))
				}
			}
			c.solve(p)
			testutil.NearAll(t, "of pairs that agree", p, truth, 1e-12)
		}
	}
}

// One machine a class: its sigmoid over the sum of all.
func TestProbabilitiesOfRest(t *testing.T) {
	parts := randomParts(rand.New(rand.NewPCG(7, 8)), OneVsRest, gram.RBF(0.3), 8, 2)
	parts.PlattStale = false
	for i := range parts.Platt {
		parts.Platt[i] = Platt{A: -1}
	}
	c, p := mustNew(t, parts), make([]float64, 8)
	c.ProbabilitiesOf(p, []float64{math.Log(3), 0, 0, 0, -1e4, -1e4, -1e4, -1e4}, 2, 1)
	testutil.NearAll(t, "probabilities", p, []float64{1. / 3, 2. / 9, 2. / 9, 2. / 9, 0.25, 0.25, 0.25, 0.25}, 1e-15)
}

func TestUncalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, scheme := range schemes {
		parts := randomParts(rng, scheme, gram.RBF(0.3), 8, 2)
		stale := mustNew(t, parts)
		parts.Platt = nil
		for _, c := range []*Classifier{stale, mustNew(t, parts)} {
			if err := c.Calibrated(); !errors.Is(err, ErrUncalibrated) {
				t.Errorf("%v: error %v", scheme, err)
			}
			func() {
				defer func() {
					if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "model: ") {
						t.Errorf("%v: panic %v", scheme, r)
					}
				}()
				c.Probabilities(make([]float64, 4), []float64{1, 2})
			}()
		}
		parts = randomParts(rng, scheme, gram.RBF(0.3), 8, 2)
		parts.PlattStale = false
		c, dst, x := mustNew(t, parts), make([]float64, 4), []float64{1, 2}
		if n := testing.AllocsPerRun(100, func() { c.Probabilities(dst, x) }); n != 0 && !raceEnabled {
			t.Errorf("%v: %v allocations for a row's probabilities", scheme, n)
		}
	}
}

func TestClassifyBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	c := mustNew(t, randomParts(rng, OneVsOne, gram.Poly(3, 0.5, 1), 8, 2))
	x := randomRows(rng, 100, 2)
	got, err := c.ClassifyBatch(x, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range got {
		if want := c.Label(c.Predict(x[2*i : 2*i+2])); label != want {
			t.Errorf("row %d: %q, want %q", i, label, want)
		}
	}
	for _, bad := range []struct {
		x    []float64
		n    int
		want string
	}{
		{x[:5], 2, "5 values for 2 rows"}, {x, -1, "-1 rows"}, {[]float64{1, 2, 3, math.NaN()}, 2, "feature 2 of row 1 is NaN"},
		{[]float64{1, 2, 1e200, 1e200}, 2, "row 1"},
	} {
		if _, err = c.ClassifyBatch(bad.x, bad.n, 1); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("error %v, want %q", err, bad.want)
		}
	}
}
