package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/limits"
)

func init() {
	compare("gram-bound", "whole RBF matrices and batch prediction against the limits of the host, in processor time",
		runGramBound)
}

// gramBatch is the number of samples of a prediction.
const gramBatch = 64

func runGramBound(_ context.Context, e *env) error {
	runtime.LockOSThread()
	var matrices, predictions [][]string
	for _, l := range simdLevels() {
		restore := cpu.Use(l)
		for _, d := range gramDims {
			matrices = append(matrices, gramMatrixBound[float64](e, d, 1.25), gramMatrixBound[float32](e, d, 1.35))
			predictions = append(predictions, gramPredictBound(e, d))
		}
		restore()
	}
	harness.Table([]string{"level", "5000×5000, d", "type", "Full ms", "stores ms", "FMA ms", "exp ms", "times the bound", "bar"},
		matrices)
	fmt.Println()
	harness.Table([]string{"level", "64 samples, 5000 vectors, d", "type", "Eval ms", "reads ms", "FMA ms", "exp ms",
		"times the bound", "bar"}, predictions)
	fmt.Println("\nThe bound is max(stores or reads, FMA + exp): loops that do nothing else, in the same rounds; one" +
		" FMA a feature and pair.\nLeast processor time of each over all rounds.")
	return nil
}

// gramMatrixBound is a row of the table of matrices, whose stores are past the caches.
func gramMatrixBound[T gram.Float](e *env, d int, bar float64) []string {
	p := gram.Pack[T](gramKernel(d), samples(gramN, d), gramN, d)
	ld := gram.Stride[T](gramN)
	dst := gram.Aligned[T](gramN * ld)
	size := 8
	if _, ok := any(dst).([]float32); ok {
		size = 4
	}
	to := gram.Aligned[float64](gramN * ld * size / 8 / limits.Step * limits.Step)
	const pairs = float64(gramN) * (gramN + 1) / 2
	return gramBound[T](e, d, pairs, bar, func() { p.Full(dst, ld) }, func() { inPieces(to, limits.Write) })
}

// gramPredictBound is a row of the table of predictions, which read the vectors once.
func gramPredictBound(e *env, d int) []string {
	x := samples(gramN, d)
	f := gram.Pack[float64](gramKernel(d), x, gramN, d).Expand(samples(gramN, 1))
	dst := make([]float64, gramBatch)
	from := gram.Aligned[float64](gramN * d / limits.Step * limits.Step)
	return gramBound[float64](e, d, gramBatch*gramN, 1.2, func() { f.Eval(dst, x, gramBatch) },
		func() { inPieces(from, func(part []float64) { limits.Read(part, 1) }) })
}

// gramBound times f next to its limits, which move does for memory.
func gramBound[T gram.Float](e *env, d int, pairs, bar float64, f, move func()) []string {
	const turns, values = 20_000, 1000
	src, dst := make([]T, values), make([]T, values)
	for i := range src {
		src[i] = -20 * T(i) / values
	}
	kind, lanes := "float64", 1.0
	if _, ok := any(src).([]float32); ok {
		kind, lanes = "float32", 2
	}
	var flops float64
	work := []func(){f, move, func() { flops = limits.FMA(turns) }, func() {
		for range 100 {
			gram.ExpNeg(dst, src)
		}
	}}
	smallest := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for range e.Reps + 1 { // the first round pays for mapping pages
		for i, w := range work {
			start := cpu.Seconds()
			for range gramCalls(i, pairs) {
				w()
			}
			smallest[i] = min(smallest[i], (cpu.Seconds()-start)/float64(gramCalls(i, pairs)))
		}
	}
	fma := smallest[2] * 2 * float64(d) * pairs / (flops * lanes)
	exp := smallest[3] * pairs / (100 * values)
	ratio := smallest[0] / max(smallest[1], fma+exp)
	return []string{cpu.Active().String(), strconv.Itoa(d), kind,
		ms(smallest[0]), ms(smallest[1]), ms(fma), ms(exp), fmt.Sprintf("%.2f", ratio),
		"≤ " + strconv.FormatFloat(bar, 'g', -1, 64)}
}

// gramCalls is how many calls of f (0) and of the loop for memory (1) are timed at once: those of a prediction are
// short next to what the clock of processor time shows.
func gramCalls(i int, pairs float64) int {
	if i > 1 || pairs > gramBatch*gramN {
		return 1
	}
	return 10
}

// inPieces hands x to f in parts after which a goroutine can be stopped.
func inPieces(x []float64, f func([]float64)) {
	const piece = 1 << 17
	for len(x) > piece {
		f(x[:piece])
		x = x[piece:]
	}
	f(x)
}
