// Command latency balances the load of a cluster by predicted latency: a model of 16 vectors and steps is asked for
// every server at every request, and a new one is trained on the newest answers while the old one decides. The cluster
// is simulated, with servers of unknown speed that keep data of a few tenants and stop to collect garbage. Half way,
// every third server becomes three times slower.
//
//	go run ./examples/latency
package main

import (
	"container/heap"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
)

// run is how a policy did.
type run struct {
	latencies []float64
	deciding  time.Duration // of all requests
	trainings int
}

// settings are what a simulation is of.
type settings struct {
	servers, requests int
	every, max        int // requests between trainings, and how many trainings at most
	seed              uint64
}

func main() {
	s := settings{max: math.MaxInt}
	flag.IntVar(&s.servers, "servers", 12, "servers of the cluster")
	flag.IntVar(&s.requests, "requests", 60_000, "requests")
	flag.IntVar(&s.every, "every", 2000, "requests between trainings")
	flag.Uint64Var(&s.seed, "seed", 1, "of the simulation")
	flag.Parse()
	if s.servers < 1 || s.requests < 2 || s.every < 200 || flag.NArg() > 0 {
		log.Fatal("latency: want at least 1 server, 2 requests, 200 requests between trainings, and no other argument")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	none, once := s, s
	none.max, once.max = 0, 1
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "policy\tmean\tp99\tmean after the change\tp99\tµs a request\ttrainings\t")
	for _, p := range []struct {
		name   string
		policy policy
		of     settings
	}{
		{"at random", atRandom, none}, {"least work", byModel, none}, {"predicted, one model", byModel, once},
		{"predicted, retrained", byModel, s},
	} {
		r, err := simulate(ctx, p.of, p.policy)
		if err != nil {
			log.Fatal(err)
		}
		mean, p99 := meanAndTail(r.latencies[:s.requests/2])
		later, latest := meanAndTail(r.latencies[s.requests/2:])
		fmt.Fprintf(w, "%s\t%.2f\t%.1f\t%.2f\t%.1f\t%.2f\t%d\t\n", p.name, mean, p99, later, latest,
			float64(r.deciding.Nanoseconds())/1e3/float64(s.requests), r.trainings)
	}
	w.Flush()
}

// policy chooses the server of a request, by the features of every server for it.
type policy func(b *balancer, c *cluster, x []float64) int

func atRandom(_ *balancer, c *cluster, _ []float64) int { return rand.IntN(len(c.servers)) }

// byModel is the balancer's choice; without a model it goes by the least work.
func byModel(b *balancer, _ *cluster, x []float64) int { return b.pick(x) }

// simulate sends all requests. Answers are observed when they come. Half a period of requests passes
// during a training, though it would end much sooner: so the outcome does not depend on the host.
func simulate(ctx context.Context, s settings, choose policy) (*run, error) {
	c, b, r := newCluster(s.servers, s.seed), new(balancer), new(run)
	x := make([]float64, s.servers*features)
	var coming arrivals
	training := make(chan trained, 1)
	for i := range s.requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == s.requests/2 {
			c.slow()
		}
		q := c.arrive()
		for len(coming) > 0 && coming[0].at <= q.at {
			b.observe(&heap.Pop(&coming).(*arrival).answer)
		}
		switch {
		case r.trainings == s.max || i < s.every:
		case i%s.every == 0:
			set, err := b.samples()
			if err != nil {
				return nil, err
			}
			go func() {
				m, failed := retrain(ctx, set)
				training <- trained{m, failed}
			}()
		case i%s.every == s.every/2:
			t := <-training
			if t.err != nil {
				return nil, t.err
			}
			b.model.Store(t.model)
			r.trainings++
		}
		start := time.Now()
		c.describe(x, q)
		to := choose(b, c, x)
		r.deciding += time.Since(start)
		a := new(arrival)
		copy(a.x[:], x[to*features:])
		a.latency = c.send(q, to)
		a.at = q.at + a.latency
		r.latencies = append(r.latencies, a.latency)
		heap.Push(&coming, a)
	}
	return r, nil
}

// trained is the outcome of a training.
type trained struct {
	model *sparsekm.Classifier
	err   error
}

// arrival is an answer on its way.
type arrival struct {
	answer
	at float64
}

// arrivals is a heap: the next answer is the first.
type arrivals []*arrival

func (a arrivals) Len() int           { return len(a) }
func (a arrivals) Less(i, j int) bool { return a[i].at < a[j].at }
func (a arrivals) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)        { *a = append(*a, x.(*arrival)) }
func (a *arrivals) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// meanAndTail are the mean and the 99th percentile.
func meanAndTail(latencies []float64) (mean, p99 float64) {
	sorted := slices.Sorted(slices.Values(latencies))
	return stat.Mean(sorted, nil), stat.Quantile(0.99, stat.Empirical, sorted, nil)
}
