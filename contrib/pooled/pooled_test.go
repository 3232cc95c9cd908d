package pooled_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/contrib/pooled"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// problem is samples in shards, and candidates among them.
type problem struct {
	shards     []*pooled.Samples
	candidates *pooled.Model
	passes     int
}

func newProblem(set *dataset.Set, task learn.Task, outputs, candidates int, weighted bool) *problem {
	const shards = 7
	p := &problem{candidates: &pooled.Model{Kernel: gram.Kernel{Gamma: 0.05}, Task: task, K: candidates, D: set.D,
		Vectors: set.X[:candidates*set.D], Coef: make([]float64, candidates*outputs), Bias: make([]float64, outputs)}}
	for s := range shards {
		lo, hi := s*set.N/shards, (s+1)*set.N/shards
		q := &pooled.Samples{X: set.X[lo*set.D : hi*set.D], N: hi - lo, Y: make([]float64, hi-lo)}
		for i := range q.Y {
			if q.Y[i] = float64(set.Y[min(lo+i, len(set.Y)-1)]); task == learn.Regress {
				q.Y[i] = set.Targets[lo+i]
			}
			if weighted {
				q.Weight = append(q.Weight, float64((lo+i)%3)) // some are absent
			}
		}
		p.shards = append(p.shards, q)
	}
	return p
}

// sum makes each shard's sums by itself, and adds them.
func (p *problem) sum(ctx context.Context, m *pooled.Model) ([]float64, error) {
	p.passes++
	total := make([]float64, pooled.Length(m.K, len(m.Bias)))
	for _, s := range p.shards {
		part := make([]float64, len(total))
		if err := m.Sums(ctx, part, s); err != nil {
			return nil, err
		}
		for i, v := range part {
			total[i] += v
		}
	}
	return total, nil
}

// whole is the same program of all samples at once, for package centres.
func (p *problem) whole(m *pooled.Model, c float64) (*centres.Problem, *centres.Model) {
	q := &centres.Problem{D: m.D, Kernel: m.Kernel, Outputs: len(m.Bias), Norm: 1, Loss: centres.SquaredHinge}
	if m.Task == learn.Regress {
		q.Loss = centres.Squared
	}
	var y, v []float64
	for _, s := range p.shards {
		q.X = append(q.X, s.X...)
		q.N = q.N + s.N
		y = append(y, s.Y...)
		for i := range s.N {
			if v = append(v, c); s.Weight != nil {
				v[len(v)-1] = c * s.Weight[i]
			}
		}
	}
	for o := range m.Bias {
		for _, t := range y {
			sign := -1.0
			switch {
			case m.Task == learn.Regress:
				sign = t
			case len(m.Bias) == 1:
				sign = 2*t - 1
			case t == float64(o):
				sign = 1
			}
			q.Target = append(q.Target, sign)
		}
		q.Weight = append(q.Weight, v...)
	}
	return q, q.NewModel(slices.Clone(m.Vectors))
}

// TestTrain holds models of shards against a refit of the same vectors on all samples at once, which shares no code
// with them.
func TestTrain(t *testing.T) {
	values := dataset.Sinc(500, 0.1, 1)
	values.Y = []int{0}
	for _, c := range []struct {
		name     string
		p        *problem
		wrong    float64 // largest share
		weighted bool
	}{
		{"two classes", newProblem(dataset.Ringnorm(2000, 1), learn.Classify, 1, 60, false), 0.05, false},
		{"weights", newProblem(dataset.Ringnorm(900, 2), learn.Classify, 1, 60, true), 0.08, true},
		{"three classes", newProblem(dataset.Waveform(900, 1), learn.Classify, 3, 50, false), 0.17, false},
		{"values", newProblem(values, learn.Regress, 1, 40, false), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := pooled.Train(t.Context(), c.p.candidates, pooled.Options{C: 2, MaxSV: 12}, c.p.sum)
			if err != nil {
				t.Fatal(err)
			}
			if r.K < 3 || r.K > 12 || len(r.Chosen) != r.K || r.Passes != c.p.passes || r.Samples == 0 {
				t.Fatalf("%d vectors %v, %d passes (%d), %d samples", r.K, r.Chosen, r.Passes, c.p.passes, r.Samples)
			}
			for s, j := range r.Chosen {
				testutil.NearAll(t, "vector", r.Vectors[s*r.D:(s+1)*r.D], c.p.candidates.Vectors[j*r.D:(j+1)*r.D], 0)
			}
			q, m := c.p.whole(&r.Model, 2)
			certs, err := centres.Refit(t.Context(), q, m)
			if err != nil {
				t.Fatal(err)
			}
			for o, rep := range r.Reports {
				if rep.Status != status.Optimal {
					t.Errorf("output %d: %v, %s", o, rep.Status, rep.Message)
				}
				testutil.NearRel(t, "objective", rep.Objective, certs[o].Objective, 1e-8)
				testutil.NearRel(t, "dual", rep.Duality.Objective, certs[o].Dual, 1e-8)
			}
			testutil.NearAll(t, "coefficients", r.Coef, m.Coef, 1e-3)
			wrong := 0
			for o, f := range m.Decisions(q, 0) {
				if c.p.candidates.Task == learn.Classify && len(r.Bias) == 1 && f*q.Target[o] <= 0 {
					wrong++
				}
			}
			if len(r.Bias) == 1 && wrong != r.Wrong || !(float64(r.Wrong) <= c.wrong*float64(r.Samples)) {
				t.Errorf("%d of %d wrong, want %d and at most the share %v", r.Wrong, r.Samples, wrong, c.wrong)
			}
		})
	}
}

// TestSelection wants at every size the candidate that lowers the least squares of all samples most, found here by
// trying each: Newton's first step from f = 0 is that fit.
func TestSelection(t *testing.T) {
	p := newProblem(dataset.Ringnorm(300, 3), learn.Classify, 1, 15, false)
	const c = 0.01 // so that the norm matters
	r, err := pooled.Train(t.Context(), p.candidates, pooled.Options{C: c, MaxSV: 4, Gain: 1e-9}, p.sum)
	if err != nil {
		t.Fatal(err)
	}
	var taken []int
	var costs []float64
	for _, got := range r.Chosen {
		best, smallest := -1, math.Inf(1)
		for j := range p.candidates.K {
			if slices.Contains(taken, j) {
				continue
			}
			m := *p.candidates
			m.K, m.Vectors = 0, nil
			for _, i := range append(slices.Clone(taken), j) {
				m.K, m.Vectors = m.K+1, append(m.Vectors, p.candidates.Vectors[i*m.D:(i+1)*m.D]...)
			}
			q, fit := p.whole(&m, c)
			q.Loss = centres.Squared
			certs, failed := centres.Refit(t.Context(), q, fit)
			if failed != nil {
				t.Fatal(failed)
			}
			if certs[0].Objective < smallest {
				best, smallest = j, certs[0].Objective
			}
		}
		if got != best {
			t.Errorf("after %v came %d, want %d", taken, got, best)
		}
		taken = append(taken, best)
		costs = append(costs, smallest)
	}
	gain := (costs[2] - costs[3]) / costs[2]
	for size, share := range map[int]float64{3: 1.001, 4: 0.999} {
		r, err = pooled.Train(t.Context(), p.candidates, pooled.Options{C: c, MaxSV: 4, Gain: share * gain}, p.sum)
		if err != nil || r.K != size {
			t.Errorf("%v: %d vectors, want %d", err, r.K, size)
		}
	}
}

// objective is (1) of two classes, with C = 1, pair by pair.
func (p *problem) objective(m *pooled.Model) (sum float64) {
	for i, a := range m.Coef {
		for j, b := range m.Coef {
			sum += a * b * m.Kernel.Eval(m.Vectors[i*m.D:(i+1)*m.D], m.Vectors[j*m.D:(j+1)*m.D]) / 2
		}
	}
	for _, s := range p.shards {
		for i, y := range s.Y {
			f := m.Bias[0]
			for j, a := range m.Coef {
				f += a * m.Kernel.Eval(s.X[i*m.D:(i+1)*m.D], m.Vectors[j*m.D:(j+1)*m.D])
			}
			sum += math.Pow(max(0, 1-(2*y-1)*f), 2)
		}
	}
	return sum
}

// TestPasses wants a usable model from two passes, and the context's end after one with the vectors to be no error.
func TestPasses(t *testing.T) {
	p := newProblem(dataset.Ringnorm(2000, 1), learn.Classify, 1, 60, false)
	r, err := pooled.Train(t.Context(), p.candidates, pooled.Options{Passes: 2}, p.sum)
	if err != nil || p.passes != 2 || r.Reports[0].Status != status.IterationLimit || r.Wrong > 100 {
		t.Fatalf("%v, %d passes, %+v", err, p.passes, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.passes = 0
	stopping := func(ctx context.Context, m *pooled.Model) ([]float64, error) {
		if p.passes == 3 {
			cancel()
		}
		return p.sum(ctx, m)
	}
	r, err = pooled.Train(ctx, p.candidates, pooled.Options{}, stopping)
	if err != nil || r.Reports[0].Status != status.Cancelled {
		t.Fatalf("stopped: %v, %+v", err, r)
	}
	testutil.NearRel(t, "objective of the model returned", r.Reports[0].Objective, p.objective(&r.Model), 1e-7)
	if _, err = pooled.Train(ctx, p.candidates, pooled.Options{}, p.sum); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before there was a model: %v", err)
	}
}

// TestTinyCost wants the bias as well where C is next to nothing.
func TestTinyCost(t *testing.T) {
	p := newProblem(dataset.Ringnorm(300, 1), learn.Classify, 1, 10, false)
	r, err := pooled.Train(t.Context(), p.candidates, pooled.Options{C: 1e-14}, p.sum)
	if err != nil || r.Reports[0].Status != status.Optimal {
		t.Fatalf("%v, %+v", err, r)
	}
	positive := 0.0
	for _, s := range p.shards {
		for _, y := range s.Y {
			positive += y / 300
		}
	}
	testutil.Near(t, "bias", r.Bias[0], 2*positive-1, 1e-6)
}

func TestRefused(t *testing.T) {
	set := dataset.Ringnorm(300, 1)
	p := newProblem(set, learn.Classify, 1, 10, false)
	type summer = func(context.Context, *pooled.Model) ([]float64, error)
	train := func(o pooled.Options, c *pooled.Model, sum summer) error {
		_, err := pooled.Train(t.Context(), c, o, sum)
		return err
	}
	none := *p.candidates
	none.K, none.Vectors, none.Coef = 0, nil, nil
	one := newProblem(set, learn.Classify, 1, 10, false)
	for _, s := range one.shards {
		clear(s.Y)
	}
	far := newProblem(dataset.Ringnorm(300, 1), learn.Classify, 1, 10, false)
	far.candidates.Kernel = gram.Poly(3, 1, 0)
	value := far.shards[3].X[0]
	far.shards[3].X[0] = 1e120 // whose cube is none
	overflows := train(pooled.Options{}, far.candidates, far.sum)
	far.shards[3].X[0] = 1e151
	large := train(pooled.Options{}, far.candidates, far.sum)
	far.shards[3].X[0] = value
	mine := errors.New("a shard is lost")
	for name, err := range map[string]error{
		"kernel values overflow": overflows, "large feature": large,
		"C": train(pooled.Options{C: -1}, p.candidates, p.sum), "gain": train(pooled.Options{Gain: 2}, p.candidates, p.sum),
		"no candidates": train(pooled.Options{}, &none, p.sum), "one class": train(pooled.Options{}, one.candidates, one.sum),
		"length": train(pooled.Options{}, p.candidates,
			func(context.Context, *pooled.Model) ([]float64, error) { return nil, nil }),
		"NaN": train(pooled.Options{}, p.candidates, func(_ context.Context, m *pooled.Model) ([]float64, error) {
			return slices.Repeat([]float64{math.NaN()}, pooled.Length(m.K, 1)), nil
		}),
		"no samples": train(pooled.Options{}, p.candidates, func(_ context.Context, m *pooled.Model) ([]float64, error) {
			return make([]float64, pooled.Length(m.K, 1)), nil
		}),
		"class": p.candidates.Sums(t.Context(), make([]float64, pooled.Length(10, 1)),
			&pooled.Samples{X: make([]float64, 20), N: 1, Y: []float64{2}}),
		"weight": p.candidates.Sums(t.Context(), make([]float64, pooled.Length(10, 1)),
			&pooled.Samples{X: make([]float64, 20), N: 1, Y: []float64{1}, Weight: []float64{-1}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	err := train(pooled.Options{}, p.candidates,
		func(context.Context, *pooled.Model) ([]float64, error) { return nil, mine })
	if !errors.Is(err, mine) {
		t.Errorf("error %v", err)
	}
}
