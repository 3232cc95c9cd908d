package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	compare("scaling", "2 to 16 cores compared with one: measured, and by the work on the critical path", runScaling)
	compare("growth", "one core's time of up to 32,000 samples that are no Gaussian clouds alone", runGrowth)
}

var methods = flag.String("methods", "svc", "growth: methods, comma-separated; svc, ssvc-a and ssvc-b are known")

// pathThreads are the numbers of goroutines whose critical paths are counted, and coreThreads those that are timed,
// where the host has the cores.
var pathThreads, coreThreads = []int{2, 8, 16}, []int{2, 4, 8, 16}

// work takes a number of goroutines.
type work struct {
	name string
	run  func(ctx context.Context, threads int) error
}

// runScaling counts every work's critical path, and times it with one and with more goroutines in turns.
func runScaling(ctx context.Context, e *env) error {
	list, err := e.scalingWork()
	if err != nil {
		return err
	}
	header := []string{"work", "processor s"}
	for _, threads := range pathThreads {
		header = append(header, fmt.Sprintf("path for %d", threads))
	}
	timed := slices.DeleteFunc(slices.Clone(coreThreads), func(threads int) bool {
		return threads > runtime.GOMAXPROCS(0)
	})
	for _, threads := range timed {
		header = append(header, fmt.Sprintf("%d cores, measured", threads))
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	harness.Header(header...)
	for _, w := range list {
		name, _, _ := strings.Cut(w.name, ",")
		if !wanted(name) {
			continue
		}
		row, err := e.scaling(ctx, w, timed)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		harness.Row(row...)
	}
	fmt.Println("\nA path for k is the processor time of one goroutine over that of the longest chain of work that waits",
		"for other work with k goroutines: memory and cores are taken to be as fast for k as for one.")
	return nil
}

func (e *env) scaling(ctx context.Context, w work, timed []int) (row []string, err error) {
	path := func(threads int) float64 {
		best := math.Inf(1)
		for range max(1, e.Reps/2) {
			runtime.GC()
			_, seconds := parallel.Simulate(cpu.Seconds, func() { err = errors.Join(err, w.run(ctx, threads)) })
			best = min(best, seconds)
		}
		return best
	}
	path(1) // memory's first touch, and the processor's speed
	one := path(1)
	row = []string{w.name, fmt.Sprintf("%.3g", one)}
	for _, threads := range pathThreads {
		row = append(row, fmt.Sprintf("%.2f", one/path(threads)))
	}
	best := slices.Repeat([]float64{math.Inf(1)}, 1+len(timed))
	for range e.Reps {
		for i, threads := range append([]int{1}, timed...) {
			runtime.GC()
			best[i] = min(best[i], harness.Seconds(func() { err = errors.Join(err, w.run(ctx, threads)) }))
		}
	}
	for _, seconds := range best[1:] {
		row = append(row, fmt.Sprintf("%.2f", best[0]/seconds))
	}
	return row, err
}

// scalingWork is what is measured.
func (e *env) scalingWork() ([]work, error) {
	const n, vectors = 20000, 3000
	ring := dataset.Ringnorm(n, 1)
	k := gram.RBF(sparsekm.GammaScale(ring))
	training := func(t learn.Trainer) work {
		return work{t.Name() + ", 20,000 × 20", func(ctx context.Context, threads int) error {
			_, failed := t.Train(ctx, &learn.Problem{X: ring.X, N: ring.N, D: ring.D, Y: ring.RestSigns(1), Kernel: k,
				Resources: learn.Resources{Threads: threads, Memory: 8 << 30}})
			return failed
		}}
	}
	set, err := dataset.ReadFile(filepath.Join(e.Data, "open", "banana-1000.libsvm"), dataset.Options{})
	if err != nil {
		return nil, err
	}
	folds, err := modelselect.Folds(set, 5, 1, 1)
	if err != nil {
		return nil, err
	}
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}}, modelselect.Param("c", tuneCosts...),
		modelselect.Gamma(0.05, 0.2, 0.5, 2, 5))
	if err != nil {
		return nil, err
	}
	vectorSet := dataset.Ringnorm(vectors, 1)
	matrix := make([]float64, vectors*vectors)
	gram.Pack[float64](gram.RBF(0.05), vectorSet.X, vectors, vectorSet.D).Full(matrix, vectors)
	p, values := gram.Pack[float64](k, ring.X, 5000, ring.D), make([]float64, 5000*5000)
	return []work{
		{"gram, 5000 × 20", func(_ context.Context, threads int) error {
			parallel.For(threads, p.FullBlocks(), func(_, b int) { p.FullBlock(values, 5000, b) })
			return nil
		}},
		training(svc.Trainer{}), training(ssvclp.B{}), training(direct.Trainer{}), training(ssvc.A{}),
		{"reduce, 3000 vectors to 1500", func(ctx context.Context, threads int) error {
			_, _, err := reduceOnce(ctx, matrix, vectors, 1e-3, vectorSet.RestSigns(1), vectors/2, threads)
			return err
		}},
		{"tune, 25 settings of svc, banana-1000", func(ctx context.Context, threads int) error {
			_, err := modelselect.Evaluate(ctx, set, settings, folds, modelselect.Options{Threads: threads})
			return err
		}},
	}, nil
}

// runGrowth trains with γ of 1 over the number of features and C = 10. The exponents are those of doubled samples.
func runGrowth(ctx context.Context, e *env) error {
	const most = 32000
	harness.Header("set", "method", "samples", "s", "exponent", "exponent from 4000 on", "support vectors", "status")
	return e.eachSet([]group{{"", []source{
		{"waveform", func(*env) (*dataset.Set, error) { return firstAgainstRest(dataset.Waveform(most, 1)), nil }},
		{"codes", func(*env) (*dataset.Set, error) { s, _ := codes(dataset.NewRand(1), most); return s, nil }},
		{"twonorm", func(*env) (*dataset.Set, error) { return dataset.Twonorm(most, 1), nil }},
	}}}, func(_, name string, set *dataset.Set) error {
		for _, t := range []learn.Trainer{svc.Trainer{C: 10}, ssvclp.B{C: 10}, ssvc.A{C: 10}} {
			var first, last float64
			for n := 4000; n <= most && slices.Contains(strings.Split(*methods, ","), t.Name()); n *= 2 {
				took, r, err := e.train(ctx, t, &learn.Problem{X: set.X[:n*set.D], N: n, D: set.D, Y: set.RestSigns(1)[:n],
					Kernel: gram.RBF(1 / float64(set.D)), Resources: learn.Resources{Memory: 8 << 30}})
				if err != nil {
					return err
				}
				first, last = cmp.Or(first, took), cmp.Or(last, took)
				harness.Row(name, t.Name(), strconv.Itoa(n), fmt.Sprintf("%.3g", took), shown("%.2f", math.Log2(took/last)),
					shown("%.2f", math.Log2(took/first)/math.Log2(float64(n)/4000)), strconv.Itoa(len(r.Support)),
					r.Report.Status.String())
				last = took
			}
		}
		return nil
	})
}
