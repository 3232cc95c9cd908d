package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	compare("scaling", "2 to 16 cores compared with one: measured, and by the work on the critical path", runScaling)
}

var (
	// pathThreads are the numbers of goroutines whose critical paths are counted.
	pathThreads = []int{2, 8, 16}
	// coreThreads are the numbers of goroutines that are timed, where the host has the cores.
	coreThreads = []int{2, 4, 8, 16}
)

// scaled is work that takes a number of goroutines.
type scaled struct {
	name, of string
	bar      float64 // how many times faster two cores are to be
	run      func(ctx context.Context, threads int) error
	clock    func() float64 // of critical paths, in seconds
}

// runScaling measures every work that was asked for.
func runScaling(ctx context.Context, e *env) error {
	list, err := e.scaledWork()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(w scaled) bool { return !asked(w.name) })
	return e.scalingTable(ctx, list)
}

// scalingTable counts every work's critical path, and times it with one and with more goroutines in turns.
func (e *env) scalingTable(ctx context.Context, list []scaled) error {
	header := []string{"work", "processor s"}
	for _, threads := range pathThreads {
		header = append(header, fmt.Sprintf("path for %d", threads))
	}
	for _, threads := range timedThreads() {
		header = append(header, fmt.Sprintf("%d cores, measured", threads))
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	harness.Header(append(header, "bar for 2")...)
	for _, w := range list {
		row, err := e.scaling(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		harness.Row(row...)
	}
	fmt.Println("\nA path for k is the processor time of one goroutine over that of the longest chain of work that waits",
		"for other work with k goroutines: memory and cores are taken to be as fast for k as for one.")
	return nil
}

func (e *env) scaling(ctx context.Context, w scaled) (row []string, err error) {
	path := func(threads int) float64 {
		best := math.Inf(1)
		for range max(1, e.Reps/2) {
			runtime.GC()
			_, seconds := parallel.Simulate(w.clock, func() {
				if err == nil {
					err = w.run(ctx, threads)
				}
			})
			best = min(best, seconds)
		}
		return best
	}
	path(1) // memory's first touch, and the processor's speed
	one := path(1)
	row = []string{w.name + ", " + w.of, fmt.Sprintf("%.3g", one)}
	for _, threads := range pathThreads {
		row = append(row, fmt.Sprintf("%.2f", one/path(threads)))
	}
	times := append([]int{1}, timedThreads()...)
	best := make([]float64, len(times))
	for rep := range e.Reps {
		for i, threads := range times {
			runtime.GC()
			seconds := harness.Seconds(func() { err = errors.Join(err, w.run(ctx, threads)) })
			if rep == 0 || seconds < best[i] {
				best[i] = seconds
			}
		}
	}
	for _, seconds := range best[1:] {
		row = append(row, fmt.Sprintf("%.2f", best[0]/seconds))
	}
	return append(row, fmt.Sprintf("≥ %.1f", w.bar)), err
}

// timedThreads are those of [coreThreads] that the host has cores for.
func timedThreads() (list []int) {
	for _, threads := range coreThreads {
		if threads <= runtime.GOMAXPROCS(0) {
			list = append(list, threads)
		}
	}
	return list
}

// scaledWork is what is measured.
func (e *env) scaledWork() ([]scaled, error) {
	const n = 20000
	ring := dataset.Ringnorm(n, 1)
	y, err := ring.Signs()
	if err != nil {
		return nil, err
	}
	k := gram.RBF(sparsekm.GammaScale(ring))
	training := func(t learn.Trainer) func(context.Context, int) error {
		return func(ctx context.Context, threads int) error {
			_, failed := t.Train(ctx, &learn.Problem{X: ring.X, N: ring.N, D: ring.D, Y: y, Kernel: k,
				Resources: learn.Resources{Threads: threads, Memory: 8 << 30}})
			return failed
		}
	}
	search, err := e.scaledSearch()
	if err != nil {
		return nil, err
	}
	p, values := gram.Pack[float64](k, ring.X, 5000, ring.D), make([]float64, 5000*5000)
	return []scaled{
		{"gram", "5000 × 20", 1.8, func(_ context.Context, threads int) error {
			parallel.For(threads, p.FullBlocks(), func(_, b int) { p.FullBlock(values, 5000, b) })
			return nil
		}, processor.Seconds},
		{"svc", "20,000 × 20", 1.7, training(svc.Trainer{}), processor.Seconds},
		{"ssvc-b", "20,000 × 20", 1.7, training(ssvclp.B{}), processor.Seconds},
		{"direct", "20,000 × 20", 1.8, training(direct.Trainer{}), processor.Seconds},
		{"reduce", "3000 vectors to 1500", 1.8, scaledReduction(), processor.Seconds},
		{"tune", "25 settings of svc, banana-1000", 1.8, search, processor.Seconds},
		{"ssvc-a", "20,000 × 20", 1.7, training(ssvc.A{}), processor.Seconds},
	}, nil
}

// scaledReduction is the reduction of [compareReduce].
func scaledReduction() func(context.Context, int) error {
	const n = 3000
	set := dataset.Ringnorm(n, 1)
	k := make([]float64, n*n)
	gram.Pack[float64](gram.RBF(0.05), set.X, n, set.D).Full(k, n)
	return func(ctx context.Context, threads int) error {
		_, _, err := reduceOnce(ctx, k, n, 1e-3, set.RestSigns(1), n/2, threads)
		return err
	}
}

// scaledSearch is the search of [runTune].
func (e *env) scaledSearch() (func(context.Context, int) error, error) {
	set, err := dataset.ReadFile(filepath.Join(e.Data, "open", "banana-1000.libsvm"), dataset.Options{})
	if err != nil {
		return nil, err
	}
	folds, err := modelselect.Folds(set, 5, 1, 1)
	if err != nil {
		return nil, err
	}
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}}, modelselect.Param("c", tuneCosts...),
		modelselect.Gamma(tuneGammas...))
	return func(ctx context.Context, threads int) error {
		_, failed := modelselect.Evaluate(ctx, set, settings, folds, modelselect.Options{Threads: threads})
		return failed
	}, err
}
