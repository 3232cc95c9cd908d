package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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

func runGram(_ context.Context, e *env) error {
	gramExp(e)
	gramLevels(e)
	gramLargeDim(e)
	gramLIBSVM(e)
	return nil
}

func gramExp(e *env) {
	const n = 1000
	src, dst := make([]float64, n), make([]float64, n)
	src32, dst32 := make([]float32, n), make([]float32, n)
	for i := range src {
		src[i] = -20 * float64(i) / n
		src32[i] = float32(src[i])
	}
	std := gramRepeat(e, n, func() {
		for i, x := range src {
			dst[i] = math.Exp(x)
		}
	})
	ours := gramRepeat(e, n, func() { gram.ExpNeg(dst, src) })
	ours32 := gramRepeat(e, n, func() { gram.ExpNeg(dst32, src32) })
	harness.Table([]string{"exp, ns a value", "float64", "float32", "math.Exp", "times math.Exp's speed"}, [][]string{
		{cpu.Active().String(), gramNS(ours), gramNS(ours32), gramNS(std), gramTimes(std / ours)},
	})
}

// gramRepeat returns the best time of f, in ns for each of its n values.
func gramRepeat(e *env, n int, f func()) float64 {
	f()
	calls := max(1, 300_000/n)
	return e.Best(func() {
		for range calls {
			f()
		}
	}) * 1e9 / float64(calls*n)
}

func gramLevels(e *env) {
	var rows [][]string
	for _, d := range gramDims {
		x := gramPoints(gramN, d)
		p64, p32 := gram.Pack[float64](gramKernel(d), x, gramN, d), gram.Pack[float32](gramKernel(d), x, gramN, d)
		d64, d32 := make([]float64, gramN), make([]float32, gramN)
		var base64, base32 float64
		for _, l := range cpu.Available() {
			restore := cpu.Use(l)
			t64 := gramRepeat(e, gramN, func() { p64.Row(d64, 7) })
			t32 := gramRepeat(e, gramN, func() { p32.Row(d32, 7) })
			restore()
			if l == cpu.Generic {
				base64, base32 = t64, t32
			}
			rows = append(rows, []string{strconv.Itoa(d), l.String(), gramNS(t64), gramTimes(base64 / t64), gramNS(t32),
				gramTimes(base32 / t32)})
		}
	}
	fmt.Println()
	harness.Table([]string{"d", "row of 5000, level", "float64 ns/entry", "times generic", "float32 ns/entry",
		"times generic"}, rows)
}

func gramLargeDim(e *env) {
	const d, n, m = 784, 480, 64
	x := gramPoints(n, d)
	p64, p32 := gram.Pack[float64](gramKernel(d), x, n, d), gram.Pack[float32](gramKernel(d), x, n, d)
	idx := make([]int, m)
	for i := range idx {
		idx[i] = i
	}
	d64, d32 := make([]float64, m*n), make([]float32, m*n)
	t64 := gramRepeat(e, m*n, func() { p64.Tile(d64, n, idx, 0, n) })
	t32 := gramRepeat(e, m*n, func() { p32.Tile(d32, n, idx, 0, n) })
	peak64, peak32 := math.NaN(), math.NaN()
	if bin, err := e.compileC("fma_peak.c"); err != nil {
		fmt.Println("no FMA peak:", err)
	} else if out, err := gramOutput(bin); err != nil {
		fmt.Println("no FMA peak:", err)
	} else {
		fmt.Sscan(out, &peak64, &peak32)
	}
	row := func(name string, t, peak float64) []string {
		g := 2 * d / t
		return []string{name, fmt.Sprintf("%.1f", g), fmt.Sprintf("%.1f", peak), fmt.Sprintf("%.2f", g/peak)}
	}
	fmt.Println()
	harness.Table([]string{"64×480 tile, d = 784", "GFLOP/s, exp included", "register-only FMA loop", "share"},
		[][]string{row("float64", t64, peak64), row("float32", t32, peak32)})
}

func gramLIBSVM(e *env) {
	fmt.Println()
	bin, err := e.compileC("gram_libsvm.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("no LIBSVM:", err)
		return
	}
	args := []string{strconv.Itoa(gramN), strconv.Itoa(e.Reps)}
	for _, d := range gramDims {
		args = append(args, strconv.Itoa(d))
	}
	out, err := gramOutput(bin, args...)
	if err != nil {
		fmt.Println("no LIBSVM:", err)
		return
	}
	var rows [][]string
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var d int
		var predict, row float64
		fmt.Sscan(line, &d, &predict, &row)
		rows = append(rows, gramAgainstLIBSVM(e, gramDims[i], row, predict))
	}
	harness.Table([]string{"d", "LIBSVM row", "Row float64", "times", "Row float32", "times", "LIBSVM predict",
		"Eval batch", "times", "Eval one", "times"}, rows)
	fmt.Println("\nns for one kernel value, 5000 samples or support vectors; batch of 64 samples")
}

func gramAgainstLIBSVM(e *env, d int, row, predict float64) []string {
	const batch = 64
	x := gramPoints(gramN, d)
	p64, p32 := gram.Pack[float64](gramKernel(d), x, gramN, d), gram.Pack[float32](gramKernel(d), x, gramN, d)
	d64, d32 := make([]float64, gramN), make([]float32, gramN)
	r64 := gramRepeat(e, gramN, func() { p64.Row(d64, 7) })
	r32 := gramRepeat(e, gramN, func() { p32.Row(d32, 7) })
	f := p64.Expand(gramPoints(gramN, 1))
	all := gramRepeat(e, batch*gramN, func() { f.Eval(d64, x, batch) })
	one := gramRepeat(e, gramN, func() { f.Eval(d64, x[:d], 1) })
	return []string{
		strconv.Itoa(d), gramNS(row), gramNS(r64), gramTimes(row / r64), gramNS(r32), gramTimes(row / r32),
		gramNS(predict), gramNS(all), gramTimes(predict / all), gramNS(one), gramTimes(predict / one),
	}
}

// runGramMatrix compares whole matrices with the best that any Python and any of
// OpenBLAS's core types reaches.
func runGramMatrix(_ context.Context, e *env) error {
	type key struct {
		d    int
		kind string
	}
	type peer struct{ sklearn, numpy float64 }
	peers := map[key]peer{}
	args := []string{strconv.Itoa(gramN), strconv.Itoa(min(e.Reps, 2))}
	for _, d := range gramDims {
		args = append(args, strconv.Itoa(d))
	}
	for _, py := range pythons() {
		for _, core := range []string{"SKYLAKEX", "ZEN", "HASWELL"} {
			out, err := e.python(py, "gram_numpy.py", []string{"OPENBLAS_CORETYPE=" + core}, args...)
			if err != nil {
				fmt.Fprintln(os.Stderr, "left out:", err)
				continue
			}
			for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
				k, t := key{}, peer{}
				fmt.Sscan(line, &k.d, &k.kind, &t.sklearn, &t.numpy)
				if old, ok := peers[k]; ok {
					t = peer{min(t.sklearn, old.sklearn), min(t.numpy, old.numpy)}
				}
				peers[k] = t
			}
		}
	}
	var rows [][]string
	for _, d := range gramDims {
		t64, t32 := gramFull[float64](e, d), gramFull[float32](e, d)
		for i, kind := range []string{"float64", "float32"} {
			t := []float64{t64, t32}[i]
			row := []string{strconv.Itoa(d), kind, gramMS(t), "", "", "", "", gramTimes(t64 / t)}
			if p, ok := peers[key{d, kind}]; ok {
				row[3], row[4], row[5], row[6] = gramMS(p.sklearn), gramTimes(p.sklearn/t), gramMS(p.numpy), gramTimes(p.numpy/t)
			}
			rows = append(rows, row)
		}
	}
	fmt.Println()
	harness.Table([]string{"5000×5000, d", "type", "Full ms", "rbf_kernel ms", "times", "NumPy blocked ms", "times",
		"times float64"}, rows)
	return nil
}

func gramFull[T gram.Float](e *env, d int) float64 {
	p := gram.Pack[T](gramKernel(d), gramPoints(gramN, d), gramN, d)
	ld := gram.Stride[T](gramN)
	dst := gram.Aligned[T](gramN * ld)
	p.Full(dst, ld) // the first one pays for mapping the pages
	return e.Best(func() { p.Full(dst, ld) })
}

func gramKernel(d int) gram.Kernel { return gram.RBF(0.5 / float64(d)) }

func gramPoints(n, d int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func gramOutput(bin string, args ...string) (string, error) {
	out, err := exec.Command(bin, args...).Output()
	return string(out), err
}

func gramNS(t float64) string    { return fmt.Sprintf("%.2f", t) }
func gramMS(t float64) string    { return fmt.Sprintf("%.1f", t*1e3) }
func gramTimes(r float64) string { return fmt.Sprintf("%.1f", r) }
