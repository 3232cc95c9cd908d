package main

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/direct"
)

const (
	units  = 16   // vectors or steps of a model: a prediction takes tens of nanoseconds
	window = 1500 // newest answers that a model is trained on
)

// balancer sends each request to the server with the least predicted latency. Its methods may run at once.
type balancer struct {
	model atomic.Pointer[sparsekm.Classifier] // of ln(latency); nil until there are answers enough

	mu      sync.Mutex
	answers []answer // a ring of the newest
	next    int      // where the next one goes
}

// answer is what a server was like when it got a request, and the latency that the request had.
type answer struct {
	x       [features]float64
	latency float64
}

// pick returns the server for a request, by the features of each server: features numbers a server, one after another.
// Without a model it is the one with the least work before it. It allocates nothing.
func (b *balancer) pick(x []float64) int {
	m := b.model.Load()
	best, smallest := 0, math.Inf(1)
	for s := range len(x) / features {
		row := x[s*features : (s+1)*features]
		cost := row[backlog]
		if m != nil {
			cost = m.Decide(row)
		}
		if cost < smallest {
			best, smallest = s, cost
		}
	}
	return best
}

// observe notes an answer in the place of the oldest.
func (b *balancer) observe(a *answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.answers) < window {
		b.answers = append(b.answers, *a)
		return
	}
	b.answers[b.next] = *a
	b.next = (b.next + 1) % window
}

// samples are the newest answers as a set: features, and logarithms of latencies.
func (b *balancer) samples() (*dataset.Set, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.answers)
	x, y := make([]float64, 0, n*features), make([]float64, n)
	for i := range b.answers {
		x = append(x, b.answers[i].x[:]...)
		y[i] = math.Log(b.answers[i].latency)
	}
	return dataset.NewRegression(x, n, features, y)
}

// retrain returns a model of the answers in the set. Requests are decided meanwhile, by the model before.
func retrain(ctx context.Context, set *dataset.Set) (*sparsekm.Classifier, error) {
	m, _, err := sparsekm.Train(ctx, set, sparsekm.Options{
		Trainer: direct.Trainer{MaxSV: units, Units: "mixed", C: 10},
		Scale:   dataset.ScaleZ, ScaleTarget: true, Threads: 1,
	})
	return m, err
}
