// Command backend decides as fast as it can, with programs solved by simplex and qp: what a service does between its
// requests, without the service. It runs four cases in turn and prints what each of them took.
//
//	go run ./examples/backend --duration 10s --threads 2 --cpuprofile cpu.pprof
//	go tool pprof -tags cpu.pprof
//
// Each case has a file of its own, and users who want a decision at every tick. A simplex.Pool or qp.Pool keeps solvers
// warm and runs the goroutines. Samples of the profile carry the label "case".
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"
)

// backend is a case: users with programs of one structure.
type backend interface {
	// size returns the bytes of a program.
	size() (rows, columns int)
	// tick takes in every user's new data and decides, on so many goroutines (0: all processors). Entry i of t is for
	// user i.
	tick(ctx context.Context, threads int, t []tally) error
}

// tally is what the decisions of a user took.
type tally struct {
	began    time.Time
	took     time.Duration // from the changes to the program until its solution, in the last tick
	verified int           // certificates
	missed   int           // ticks without an optimum, when the last decision stays
}

func (t *tally) begin() { t.began = time.Now() }
func (t *tally) end()   { t.took = time.Since(t.began) }

// named is a case and how it is made for a number of users.
type named struct {
	name string
	make func(ctx context.Context, users int) (backend, error)
}

var cases = []named{
	{"dispatch", func(ctx context.Context, users int) (backend, error) { return newDispatch(ctx, users) }},
	{"portfolio", func(ctx context.Context, users int) (backend, error) { return newPortfolio(ctx, users) }},
	{"control", func(ctx context.Context, users int) (backend, error) { return newControl(ctx, users) }},
	{"fit", func(ctx context.Context, users int) (backend, error) { return newFit(ctx, users) }},
}

func main() {
	duration := flag.Duration("duration", 4*time.Second, "how long all cases take together")
	threads := flag.Int("threads", 0, "goroutines; 0: one for each processor")
	users := flag.Int("users", 256, "users who want a decision at every tick")
	profile := flag.String("cpuprofile", "", "`file` for a CPU profile")
	flag.Parse()
	if *users < 1 || *threads < 0 || *duration <= 0 || flag.NArg() > 0 {
		log.Fatal("want a duration and users above 0, threads of at least 0, and no arguments")
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(context.Background(), os.Stdout, *duration/time.Duration(len(cases)), *threads, *users); err != nil {
		pprof.StopCPUProfile()
		log.Fatal(err)
	}
}

// run gives each case this long, and writes a line of figures for it.
func run(ctx context.Context, w io.Writer, each time.Duration, threads, users int) error {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	fmt.Fprintf(w, "%-10s %5s %7s %9s %12s %8s %8s %12s %9s %6s\n", "case", "rows", "columns", "programs",
		"/second/core", "p50, µs", "p99, µs", "allocations", "verified", "missed")
	for _, c := range cases {
		b, err := c.make(ctx, users)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		pprof.Do(ctx, pprof.Labels("case", c.name), func(ctx context.Context) {
			var f *figures
			if f, err = measure(ctx, b, each, threads, users); err == nil {
				rows, columns := b.size()
				fmt.Fprintf(w, "%-10s %5d %7d %9d %12.0f %8.1f %8.1f %12.4f %9d %6d\n", c.name, rows, columns, f.programs,
					float64(f.programs)/f.seconds/float64(threads), f.quantile(0.5), f.quantile(0.99),
					float64(f.allocations)/float64(f.programs), f.verified, f.missed)
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// figures are what a case took.
type figures struct {
	programs, verified, missed int
	seconds                    float64
	allocations                uint64
	latencies                  []time.Duration // the last ones
}

// quantile returns a quantile of the latencies, in microseconds.
func (f *figures) quantile(q float64) float64 {
	return float64(f.latencies[int(q*float64(len(f.latencies)-1))]) / 1e3
}

// measure runs a case for a while, after two ticks that warm it up.
func measure(ctx context.Context, b backend, long time.Duration, threads, users int) (*figures, error) {
	t := make([]tally, users)
	for range 2 {
		if err := b.tick(ctx, threads, t); err != nil {
			return nil, err
		}
	}
	clear(t)
	f := &figures{latencies: make([]time.Duration, 0, 1<<18)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for begun := time.Now(); f.seconds < long.Seconds(); f.seconds = time.Since(begun).Seconds() {
		if err := b.tick(ctx, threads, t); err != nil {
			return nil, err
		}
		if len(f.latencies)+users > cap(f.latencies) {
			f.latencies = f.latencies[:0]
		}
		for i := range t {
			f.latencies = append(f.latencies, t[i].took)
		}
		f.programs += users
	}
	runtime.ReadMemStats(&after)
	f.allocations = after.Mallocs - before.Mallocs
	for i := range t {
		f.verified += t[i].verified
		f.missed += t[i].missed
	}
	slices.Sort(f.latencies)
	return f, nil
}
