package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/limits"
)

func init() {
	compare("chol", "products, Cholesky factors and inverses compared with OpenBLAS, one thread, by level", compareChol)
}

// cholWork is what is timed, by name: its order, and its operations as a multiple of the cube.
var cholWork = map[string]struct {
	n     int
	flops float64
}{"product 2000": {2000, 2}, "factor 1000": {1000, 1. / 3}, "inverse 1000": {1000, 1}, "factor 4000": {4000, 1. / 3},
	"inverse 4000": {4000, 1}}

// lowest keeps the lowest seconds of processor time by name.
type lowest map[string]float64

func (l lowest) add(name string, s float64) {
	if old, ok := l[name]; !ok || s < old {
		l[name] = s
	}
}

// time adds the processor time of f.
func (l lowest) time(name string, f func() error) error {
	start := cpu.Seconds()
	err := f()
	l.add(name, cpu.Seconds()-start)
	return err
}

// avx2Cores are the core types of the peer without AVX-512.
var avx2Cores = []string{"HASWELL", "ZEN"}

// compareChol times both sides in turns and as often, so that what else runs disturbs both alike: each core type of the
// peer next to the level whose instructions it has.
func compareChol(ctx context.Context, e *env) error {
	ours, theirs := map[cpu.Level]lowest{}, map[string]lowest{}
	levels := cpu.Available()
	best := levels[len(levels)-1]
	for range e.Reps {
		for _, core := range append(slices.Clone(coreTypes), "SAPPHIRERAPIDS") {
			l := best
			if len(levels) > 1 && slices.Contains(avx2Cores, core) {
				l = levels[1]
			}
			if ours[l] == nil {
				ours[l] = lowest{}
			}
			if theirs[core] == nil {
				theirs[core] = lowest{}
			}
			if err := ours[l].measure(ctx, l); err != nil {
				return err
			}
			var seconds map[string]float64
			err := e.ask("chol", []string{"OPENBLAS_CORETYPE=" + core}, &seconds, "2000", "1000", "4000")
			if err != nil {
				return err
			}
			for name, s := range seconds {
				theirs[core].add(name, s)
			}
		}
	}
	harness.Header("level", "what", "ours", "OpenBLAS (best core type)", "speed ratio, bar 0.95", "share of the peak")
	for _, l := range slices.Sorted(maps.Keys(ours)) {
		cores := slices.Sorted(maps.Keys(theirs))
		if l != best {
			cores = avx2Cores
		}
		for _, name := range slices.Sorted(maps.Keys(cholWork)) {
			core := slices.MinFunc(cores, func(a, b string) int { return cmp.Compare(theirs[a][name], theirs[b][name]) })
			w, s, t := cholWork[name], ours[l][name], theirs[core][name]
			n := float64(w.n)
			harness.Row(l.String(), name, seconds(s), seconds(t)+" "+core, fmt.Sprintf("%.2f", t/s),
				fmt.Sprintf("%.2f", w.flops*n*n*n*ours[l]["peak"]/s))
		}
	}
	return nil
}

// measure times everything once at a level; of the peak it keeps the seconds of an operation.
func (l lowest) measure(ctx context.Context, level cpu.Level) error {
	defer cpu.Use(level)()
	for range 5 { // tenths of a second each: processor time comes in coarse steps
		start, flops := cpu.Seconds(), 0.0
		for range 100 {
			flops += limits.FMA(100_000)
		}
		l.add("peak", (cpu.Seconds()-start)/flops)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	filled := func(n int) []float64 {
		x := make([]float64, n*n)
		for i := range x {
			x[i] = rng.Float64()
		}
		return x
	}
	square := func() dense.Mat { return dense.Of(filled(2000), 2000, 2000, 2000) }
	a, b, c := square(), square(), square()
	if err := l.time("product 2000", func() error { return dense.Mul(ctx, 1, 1, a, b, c) }); err != nil {
		return err
	}
	for _, n := range []int{1000, 4000} {
		a := filled(n)
		for i := range n {
			a[i*n+i] = 2 * float64(n)
		}
		for name, f := range map[string]func(context.Context, []float64, int, int, int) error{"factor ": cholupdate.Cholesky,
			"inverse ": cholupdate.Invert} {
			work := slices.Clone(a)
			if err := l.time(name+strconv.Itoa(n), func() error { return f(ctx, work, n, n, 1) }); err != nil {
				return err
			}
		}
	}
	return nil
}
