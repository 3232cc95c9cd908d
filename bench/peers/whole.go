package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("whole", "whole commands on one thread, from start to the written model: `sparsekm train -m svc` against "+
		"svm-train, liblinear-train and scikit-learn-intelex", runWhole)
}

// wholeTraining is a file that both commands train on.
type wholeTraining struct {
	group, name   string
	file          string
	flags         []string // of ours
	peer          string
	theirs        []string
	intelex, once bool // the extension is timed too; LIBSVM takes minutes
}

// runWhole prints a row a training.
func runWhole(ctx context.Context, e *env) error {
	ours, err := e.build(ctx)
	if err != nil {
		return err
	}
	harness.Header("group", "training", "ours, ms", "peer", "its ms", "ratio", "scikit-learn-intelex, the fit alone, ms")
	t := tally{bars: []float64{6, 3}}
	model := filepath.Join(e.Tmp, "whole.model")
	err = e.wholeTrainings(func(w wholeTraining) error {
		args := append([]string{ours, "train", "-m", "svc", "--scale", "none", "--threads", "1", "--force", "-o", model}, w.flags...)
		own, failed := e.command(ctx, append(args, w.file)...)
		if failed != nil {
			return failed
		}
		peer := *e.Env
		if w.once {
			peer.Reps = 1
		}
		theirs, failed := (&env{&peer}).command(ctx, append(append([]string{w.peer, "-q"}, w.theirs...), w.file, model+".theirs")...)
		if failed != nil {
			return failed
		}
		row := []string{w.group, w.name, ms(own), w.peer, ms(theirs), times(theirs / own), "-"}
		if py := pythons()[0]; w.intelex && py != debianPython {
			fit := struct{ Seconds []float64 }{[]float64{0}}
			if failed = e.askOf(py, "svc", nil, &fit, w.file, "csr", "1e-3", "1", "600", "1 0.05"); failed != nil {
				absent(failed)
			}
			row[6] = ms(fit.Seconds[0])
		}
		t.add(theirs/own, strings.TrimPrefix(w.group+", "+w.peer, ", "))
		harness.Row(row...)
		return nil
	})
	t.print()
	return err
}

// wholeTrainings are a grid of C and γ on both groups of sets, two sets of categories, and texts.
func (e *env) wholeTrainings(each func(wholeTraining) error) error {
	err := grid(0, false, "banana-5300", "ringnorm-7400", "twonorm-7400", "twonorm-2000", "waveform-5000",
		"sequences-3175")(e,
		func(p svmProblem) error {
			c, gamma := fmt.Sprint(p.c), fmt.Sprint(p.gamma)
			return each(wholeTraining{group: p.group, name: fmt.Sprintf("%s, γ = %.3g, C = %s", p.name, p.gamma, c), file: p.file,
				flags: []string{"--c", c, "--gamma", gamma}, peer: "svm-train", theirs: []string{"-c", c, "-g", gamma}})
		})
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name   string
		n      int
		groups []int // categories of which a row has one each
	}{
		{"like a9a, 32000 × 123, 11 %", 32000, []int{5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41}},
		{"like w8a, 50000 × 300, 4 %", 50000, slices.Repeat([]int{25}, 12)},
	} {
		file, failed := e.file("categories", func(w io.Writer) error { return writeCategories(w, c.n, c.groups) })
		if failed != nil {
			return failed
		}
		for _, w := range []wholeTraining{
			{name: c.name + ", linear", flags: []string{"--kernel", "linear"}, peer: "liblinear-train",
				theirs: []string{"-s", "3", "-B", "1", "-e", "0.01", "-c", "1"}},
			{name: c.name + ", rbf", flags: []string{"--gamma", "0.05", "--mem", "1100MiB"}, peer: "svm-train", once: true,
				theirs: []string{"-g", "0.05", "-m", "1000", "-c", "1"}, intelex: true},
		} {
			w.file = file
			if err = each(w); err != nil {
				return err
			}
		}
	}
	file, err := e.file("text", func(w io.Writer) error { return writeText(w, 2000, 600_000, 60) })
	if err != nil {
		return err
	}
	for kernel, w := range map[string]wholeTraining{
		"linear": {flags: []string{"--kernel", "linear"}, theirs: []string{"-t", "0"}},
		"rbf":    {flags: []string{"--gamma", "1"}, theirs: []string{"-g", "1"}},
	} {
		w.name, w.file, w.peer = "like text, 2000 × 600000, 60 a row, "+kernel, file, "svm-train"
		if err := each(w); err != nil {
			return err
		}
	}
	return nil
}

// sequences are rows of letters, coded by 1 to 4 as in the set splice: in the class, the ten letters around the middle
// are those of a motif three times in four, and in a third of the rest too, with one letter in two.
func sequences(n, d int) *dataset.Set {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	set := &dataset.Set{X: make([]float64, n*d), N: n, D: d, Y: make([]int, n), Labels: []string{"-1", "1"}}
	for i := range n {
		set.Y[i] = i % 2
		share := 0.25
		if set.Y[i] == 1 {
			share = 0.75
		} else if rng.IntN(3) == 0 {
			share = 0.5
		}
		for j := range d {
			letter := rng.IntN(4)
			if k := j - d/2 + 5; k >= 0 && k < 10 && rng.Float64() < share {
				letter = k * k % 4
			}
			set.X[i*d+j] = float64(1 + letter)
		}
	}
	return set
}

// writeCategories draws rows of one-hot categories whose weights decide the class, up to noise.
func writeCategories(w io.Writer, n int, groups []int) error {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var effects, shares [][]float64
	for _, g := range groups {
		effect, share := make([]float64, g), make([]float64, g)
		for k := range g {
			effect[k], share[k] = 1.2*rng.NormFloat64(), rng.ExpFloat64()*rng.ExpFloat64()
		}
		effects = append(effects, effect)
		shares = append(shares, share)
	}
	for range n {
		line, score, first := "", -2.0, 1
		for g, effect := range effects {
			k := draw(rng, shares[g])
			score += effect[k]
			line += fmt.Sprintf(" %d:1", first+k)
			first += len(effect)
		}
		label := "-1"
		if score+rng.NormFloat64() > 0 {
			label = "+1"
		}
		if _, err := fmt.Fprintln(w, label+line); err != nil {
			return err
		}
	}
	return nil
}

// draw is a number with the probability of its share.
func draw(rng *rand.Rand, shares []float64) int {
	var total float64
	for _, s := range shares {
		total += s
	}
	left := rng.Float64() * total
	for k, s := range shares {
		if left -= s; left < 0 {
			return k
		}
	}
	return len(shares) - 1
}

// writeText draws rows of so many words, the k-th about 1/k as often as the first, with weights of length 1: a sixth of
// them are of the class.
func writeText(w io.Writer, n, d, words int) error {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	for i := range n {
		row := make(map[int]float64)
		for len(row) < words {
			k := int(math.Pow(float64(d), rng.Float64()))
			if rng.IntN(6) == 0 {
				k = 1000 + 2*rng.IntN(2000) + i%2
			}
			row[k] += math.Log(float64(d)) - math.Log1p(float64(d)/float64(k))/2
		}
		var square float64
		for _, v := range row {
			square += v * v
		}
		line := fmt.Sprint(i % 2)
		for _, k := range slices.Sorted(maps.Keys(row)) {
			line += fmt.Sprintf(" %d:%.6g", k, row[k]/math.Sqrt(square))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
