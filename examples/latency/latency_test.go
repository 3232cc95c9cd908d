package main

import (
	"context"
	"math"
	"sync"
	"testing"
)

var small = settings{servers: 12, requests: 24_000, every: 2000, max: math.MaxInt, seed: 3}

// simulated fails the test where a simulation does.
func simulated(t testing.TB, s settings, p policy) *run {
	t.Helper()
	r, err := simulate(context.Background(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBalances wants predictions to beat the least work, in the tail and in the mean, and models that are trained again
// to beat the first one after the servers have changed.
func TestBalances(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	none, once := small, small
	none.max, once.max = 0, 1
	type figures struct{ mean, p99, later, latest float64 }
	run := func(s settings, p policy) (f figures) {
		r := simulated(t, s, p)
		// The first model comes after 3000 requests, and that of the changed servers as long after the change.
		f.mean, f.p99 = meanAndTail(r.latencies[3000 : s.requests/2])
		f.later, f.latest = meanAndTail(r.latencies[s.requests/2+3000:])
		return f
	}
	random, smallest, first, models := run(none, atRandom), run(none, byModel), run(once, byModel), run(small, byModel)
	t.Logf("at random %.3g\nleast work %.3g\none model %.3g\nretrained %.3g", random, smallest, first, models)
	if !(models.mean < smallest.mean && models.p99 < 0.9*smallest.p99 && models.later < smallest.later) {
		t.Errorf("predicted latencies do not beat the least work")
	}
	if !(smallest.mean < random.mean) {
		t.Errorf("the least work does not beat chance: the simulation is off")
	}
	if !(models.latest < first.latest) {
		t.Errorf("new models do not beat the first one")
	}
}

// trainedBalancer has a model of a simulation, and the features of its servers.
func trainedBalancer(t testing.TB) (b *balancer, x []float64) {
	t.Helper()
	c, r := newCluster(12, 5), request{}
	b, x = new(balancer), make([]float64, 12*features)
	for range 600 {
		r = c.arrive()
		c.describe(x, r)
		to := c.rng.IntN(12)
		a := answer{}
		copy(a.x[:], x[to*features:])
		a.latency = c.send(r, to)
		b.observe(&a)
	}
	set, err := b.samples()
	if err != nil {
		t.Fatal(err)
	}
	m, err := retrain(context.Background(), set)
	if err != nil {
		t.Fatal(err)
	}
	b.model.Store(m)
	return b, x
}

// TestPick compares with the decisions of the model, one by one, while others observe and train.
func TestPick(t *testing.T) {
	b, x := trainedBalancer(t)
	best := 0
	for s := range 12 {
		if b.model.Load().Decide(x[s*features:(s+1)*features]) < b.model.Load().Decide(x[best*features:(best+1)*features]) {
			best = s
		}
	}
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 2000 {
				b.observe(&answer{latency: 1})
				if got := b.pick(x); got != best {
					t.Errorf("picked %d, want %d", got, best)
					return
				}
			}
		})
	}
	if _, err := b.samples(); err != nil {
		t.Error(err)
	}
	others.Wait()
	if n := len(b.answers); n != window {
		t.Errorf("%d answers are kept, want %d", n, window)
	}
}

// TestCancel wants a training that is stopped to say so.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := simulate(ctx, small, byModel); err == nil {
		t.Error("no error")
	}
}

func BenchmarkPick(b *testing.B) {
	of, x := trainedBalancer(b)
	b.ReportAllocs()
	for b.Loop() {
		of.pick(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(12*b.N), "ns/server")
}
