package main

import (
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/sparsekm/sparsekm/internal/processor"
)

func init() {
	compare("chol", "products, Cholesky factors and inverses compared with OpenBLAS, one thread, by level", compareChol)
}

// debianPython has the NumPy and SciPy that are linked with Debian's OpenBLAS.
const debianPython = "/usr/bin/python3"

// cholOrders are the orders of factors and inverses, gemmOrder that of products.
var cholOrders = []int{1000, 4000}

const gemmOrder = 2000

// least keeps the least seconds of processor time by name.
type least map[string]float64

func (l least) add(name string, s float64) {
	if old, ok := l[name]; !ok || s < old {
		l[name] = s
	}
}

// compareChol times both sides in turns and as often, so that what else runs disturbs both alike: each core type of the
// peer next to the level whose instructions it has.
func compareChol(ctx context.Context, e *env) error {
	ours, theirs := map[cpu.Level]least{}, map[string]least{}
	for range e.Reps {
		for _, core := range append(slices.Clone(coreTypes), "SAPPHIRERAPIDS") {
			if theirs[core] == nil {
				theirs[core] = least{}
			}
			l := cholLevel(core)
			if ours[l] == nil {
				ours[l] = least{}
			}
			if err := ours[l].measure(ctx, l); err != nil {
				return err
			}
			if err := theirs[core].peer(e, core); err != nil {
				return err
			}
		}
	}
	for _, l := range slices.Sorted(maps.Keys(ours)) {
		cholTable(l, ours[l], theirs)
	}
	return nil
}

// avx2Cores are the core types of the peer without AVX-512.
var avx2Cores = []string{"HASWELL", "ZEN"}

// cholLevel is the level that is timed compared with a core type: the least with vectors, or the best.
func cholLevel(core string) cpu.Level {
	levels := cpu.Available()
	if len(levels) > 1 && slices.Contains(avx2Cores, core) {
		return levels[1]
	}
	return levels[len(levels)-1]
}

// measure times everything once at a level; of the peak it keeps the seconds of an operation.
func (l least) measure(ctx context.Context, level cpu.Level) error {
	defer cpu.Use(level)()
	for range 5 { // tenths of a second each: processor time comes in coarse steps
		start, flops := processor.Seconds(), 0.0
		for range 100 {
			flops += limits.FMA(100_000)
		}
		l.add("peak", (processor.Seconds()-start)/flops)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	view := func(x []float64) dense.Mat { return dense.Of(x, gemmOrder, gemmOrder, gemmOrder) }
	a, b, c := view(filled(rng, gemmOrder)), view(filled(rng, gemmOrder)), view(filled(rng, gemmOrder))
	if err := l.time(cholName("product", gemmOrder), func() error { return dense.Mul(ctx, 1, 1, a, b, c) }); err != nil {
		return err
	}
	for _, n := range cholOrders {
		a, work := filled(rng, n), make([]float64, n*n)
		for i := range n {
			a[i*n+i] = 2 * float64(n)
		}
		copy(work, a)
		err := l.time(cholName("factor", n), func() error { return cholupdate.Cholesky(ctx, work, n, n, 1) })
		if err != nil {
			return err
		}
		copy(work, a)
		err = l.time(cholName("inverse", n), func() error { return cholupdate.Invert(ctx, work, n, n, 1) })
		if err != nil {
			return err
		}
	}
	return nil
}

// time adds the processor time of f.
func (l least) time(name string, f func() error) error {
	start := processor.Seconds()
	err := f()
	l.add(name, processor.Seconds()-start)
	return err
}

// peer times everything once by OpenBLAS with the kernels of a core type.
func (l least) peer(e *env, core string) error {
	args := []string{strconv.Itoa(gemmOrder)}
	for _, n := range cholOrders {
		args = append(args, strconv.Itoa(n))
	}
	var failed error
	for _, py := range pythons() {
		out, err := e.python(py, "chol.py", []string{"OPENBLAS_CORETYPE=" + core}, args...)
		if err != nil {
			failed = err
			continue
		}
		var seconds map[string]float64
		if err := json.Unmarshal([]byte(out), &seconds); err != nil {
			return err
		}
		for name, s := range seconds {
			l.add(name, s)
		}
		return nil
	}
	return failed
}

// cholTable prints a level next to its peers: all core types for the host's best level, those of AVX2 for others.
func cholTable(level cpu.Level, ours least, theirs map[string]least) {
	cores := slices.Sorted(maps.Keys(theirs))
	if levels := cpu.Available(); level != levels[len(levels)-1] {
		cores = avx2Cores
	}
	fmt.Printf("\nLevel %v, peak %.1f GFLOP/s:\n\n", level, 1e-9/ours["peak"])
	var rows [][]string
	for _, w := range cholWork() {
		best := slices.MinFunc(cores, func(a, b string) int { return cmp.Compare(theirs[a][w.name], theirs[b][w.name]) })
		s, t := ours[w.name], theirs[best][w.name]
		rows = append(rows, []string{w.name, fmt.Sprintf("%.4f s", s), fmt.Sprintf("%.4f s (%s)", t, best),
			fmt.Sprintf("%.2f", t/s), "≥ 0.95", fmt.Sprintf("%.2f", w.flops*ours["peak"]/s)})
	}
	harness.Table([]string{"what", "sparsekm", "OpenBLAS (best core type)", "speed by its", "bar", "share of the peak"},
		rows)
}

// cholTimed is what is timed, with its operations: 2n³ of a product, n³/3 of a factor, n³ of factor and inverse.
type cholTimed struct {
	name  string
	flops float64
}

func cholWork() []cholTimed {
	cube := func(n int) float64 { return float64(n) * float64(n) * float64(n) }
	all := []cholTimed{{cholName("product", gemmOrder), 2 * cube(gemmOrder)}}
	for _, n := range cholOrders {
		all = append(all, cholTimed{cholName("factor", n), cube(n) / 3}, cholTimed{cholName("inverse", n), cube(n)})
	}
	return all
}

// cholName is the name of a thing that is timed, as the peer has it too.
func cholName(what string, n int) string { return what + " " + strconv.Itoa(n) }

// filled is a square matrix of numbers between 0 and 1.
func filled(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n*n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

func seconds(s float64) string { return fmt.Sprintf("%.3f s", s) }
