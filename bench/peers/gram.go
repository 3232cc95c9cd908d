package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

func init() {
	compare("gram", "RBF rows and sums against LIBSVM; exp; levels; large dimensions", runGram)
	compare("gram-matrix", "whole RBF matrices against scikit-learn and NumPy", runGramMatrix)
}

const gramN = 5000

var gramDims = []int{2, 20, 60, 784}

func runGram(ctx context.Context, e *env) error {
	gramExp(e)
	gramLevels(e)
	if err := gramLargeDim(ctx, e); err != nil {
		absent(err)
	}
	return gramLIBSVM(ctx, e)
}

// each returns the best time of f, in ns for each of its n values.
func (e *env) each(n int, f func()) float64 {
	f()
	calls := max(1, 300_000/n)
	return e.Best(func() {
		for range calls {
			f()
		}
	}) * 1e9 / float64(calls*n)
}

func gramExp(e *env) {
	const n = 1000
	src, dst := make([]float64, n), make([]float64, n)
	src32, dst32 := make([]float32, n), make([]float32, n)
	for i := range src {
		src[i] = -20 * float64(i) / n
		src32[i] = float32(src[i])
	}
	std := e.each(n, func() {
		for i, x := range src {
			dst[i] = math.Exp(x)
		}
	})
	ours := e.each(n, func() { gram.ExpNeg(dst, src) })
	harness.Table([]string{"exp, ns a value", "float64", "float32", "math.Exp", "times math.Exp's speed"}, [][]string{
		{cpu.Active().String(), ns(ours), ns(e.each(n, func() { gram.ExpNeg(dst32, src32) })), ns(std), times(std / ours)},
	})
}

// gramRow are the ns of a value of a row of 5000 samples in both precisions.
func gramRow(e *env, d int) [2]float64 {
	x := samples(gramN, d)
	p64, p32 := gram.Pack[float64](gramKernel(d), x, gramN, d), gram.Pack[float32](gramKernel(d), x, gramN, d)
	d64, d32 := make([]float64, gramN), make([]float32, gramN)
	return [2]float64{e.each(gramN, func() { p64.Row(d64, 7) }), e.each(gramN, func() { p32.Row(d32, 7) })}
}

func gramLevels(e *env) {
	fmt.Println()
	harness.Header("features", "row of 5000, level", "float64, ns a value", "times generic", "float32", "times generic")
	for _, d := range gramDims {
		var base [2]float64
		for _, l := range cpu.Available() {
			restore := cpu.Use(l)
			t := gramRow(e, d)
			restore()
			if l == cpu.Generic {
				base = t
			}
			harness.Row(strconv.Itoa(d), l.String(), ns(t[0]), times(base[0]/t[0]), ns(t[1]), times(base[1]/t[1]))
		}
	}
}

// gramLargeDim compares tiles of many features with a loop of multiply-adds in registers.
func gramLargeDim(ctx context.Context, e *env) error {
	bin, err := e.compileC("fma_peak.c")
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, bin).Output()
	if err != nil {
		return err
	}
	var peak [2]float64
	if _, err := fmt.Sscan(string(out), &peak[0], &peak[1]); err != nil {
		return err
	}
	fmt.Println()
	harness.Header("64×480 tile, 784 features", "GFLOP/s, exp included", "register-only FMA loop", "share")
	for i, t := range []float64{gramTile[float64](e), gramTile[float32](e)} {
		harness.Row([]string{"float64", "float32"}[i], times(2*784/t), times(peak[i]), fmt.Sprintf("%.2f", 2*784/t/peak[i]))
	}
	return nil
}

func gramTile[T gram.Float](e *env) float64 {
	const d, n, m = 784, 480, 64
	p, index, dst := gram.Pack[T](gramKernel(d), samples(n, d), n, d), make([]int, m), make([]T, m*n)
	for i := range index {
		index[i] = i
	}
	return e.each(m*n, func() { p.Tile(dst, n, index, 0, n) })
}

func gramLIBSVM(ctx context.Context, e *env) error {
	const batch = 64
	bin, err := e.compileC("gram_libsvm.c", "-lsvm", "-lm")
	if err != nil {
		return err
	}
	args := []string{strconv.Itoa(gramN), strconv.Itoa(e.Reps)}
	for _, d := range gramDims {
		args = append(args, strconv.Itoa(d))
	}
	out, err := exec.CommandContext(ctx, bin, args...).Output()
	if err != nil {
		return err
	}
	fmt.Println("\nns for one kernel value, 5000 samples or support vectors; batches of 64 samples")
	harness.Header("features", "LIBSVM row", "Row float64", "times", "Row float32", "times", "LIBSVM predict",
		"Eval batch", "times", "Eval one", "times")
	for line := range strings.Lines(string(out)) {
		var d int
		var predict, row float64
		if _, err := fmt.Sscan(line, &d, &predict, &row); err != nil {
			return err
		}
		t, x, dst := gramRow(e, d), samples(gramN, d), make([]float64, batch)
		f := gram.Pack[float64](gramKernel(d), x, gramN, d).Expand(samples(gramN, 1))
		all := e.each(batch*gramN, func() { f.Eval(dst, x, batch) })
		one := e.each(gramN, func() { f.Eval(dst, x[:d], 1) })
		harness.Row(strconv.Itoa(d), ns(row), ns(t[0]), times(row/t[0]), ns(t[1]), times(row/t[1]), ns(predict), ns(all),
			times(predict/all), ns(one), times(predict/one))
	}
	return nil
}

// runGramMatrix compares whole matrices with the best that any Python and any of
// OpenBLAS's core types reaches.
func runGramMatrix(_ context.Context, e *env) error {
	peers := map[string][2]float64{} // scikit-learn and NumPy, by features and type
	args := []string{strconv.Itoa(gramN), strconv.Itoa(min(e.Reps, 2))}
	for _, d := range gramDims {
		args = append(args, strconv.Itoa(d))
	}
	for _, py := range pythons() {
		for _, core := range coreTypes {
			out, err := e.python(py, "gram", []string{"OPENBLAS_CORETYPE=" + core}, args...)
			if err != nil {
				absent(err)
				continue
			}
			for line := range strings.Lines(out) {
				var d, kind string
				var t [2]float64
				if _, err := fmt.Sscan(line, &d, &kind, &t[0], &t[1]); err != nil {
					return err
				}
				if old, ok := peers[d+kind]; ok {
					t = [2]float64{min(t[0], old[0]), min(t[1], old[1])}
				}
				peers[d+kind] = t
			}
		}
	}
	harness.Header("5000×5000, features", "type", "Full, ms", "rbf_kernel, ms", "times", "NumPy blocked, ms", "times")
	for _, d := range gramDims {
		for i, t := range []float64{gramFull[float64](e, d), gramFull[float32](e, d)} {
			kind := []string{"float64", "float32"}[i]
			p := peers[strconv.Itoa(d)+kind]
			harness.Row(strconv.Itoa(d), kind, ms(t), ms(p[0]), times(p[0]/t), ms(p[1]), times(p[1]/t))
		}
	}
	return nil
}

func gramFull[T gram.Float](e *env, d int) float64 {
	p := gram.Pack[T](gramKernel(d), samples(gramN, d), gramN, d)
	ld := gram.Stride[T](gramN)
	dst := gram.Aligned[T](gramN * ld)
	p.Full(dst, ld) // the first one pays for mapping the pages
	return e.Best(func() { p.Full(dst, ld) })
}

func gramKernel(d int) gram.Kernel { return gram.RBF(0.5 / float64(d)) }

// samples are n of d normal features.
func samples(n, d int) []float64 { return normal(rand.New(rand.NewPCG(uint64(n), uint64(d))), n*d) }

func ns(t float64) string { return fmt.Sprintf("%.2f", t) }
