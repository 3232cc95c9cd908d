package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/mnist"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

func init() {
	compare("reduce-papers", "Kobayashi and Otsu's Table 1: τ = 0.025, λ = 0.001, 20 splits", reducePapers)
	compare("reduce-mnist", "Kobayashi and Otsu's Table 2: digits against the rest, 60000 training images (some minutes)",
		reduceMNIST)
}

// paperRows are the vectors and recognition rates that the paper prints, before and after.
var paperRows = []struct {
	set   string
	print [4]string
}{
	{"banana", [4]string{"143", "89.19", "40", "89.11"}},
	{"diabetis", [4]string{"267", "76.33", "40", "76.43"}},
	{"german", [4]string{"423", "77.07", "235", "77.07"}},
	{"heart", [4]string{"95", "83.60", "33", "83.90"}},
	{"thyroid", [4]string{"27", "95.07", "19", "94.27"}},
}

func reducePapers(ctx context.Context, e *env) error {
	var rows [][]string
	for _, paper := range paperRows {
		name := paper.set
		set, err := e.Set(name + ".libsvm")
		if err != nil {
			return err
		}
		splits, err := e.Splits(name+".splits", set.N)
		if err != nil {
			return err
		}
		c, gamma, err := chooseSVC(ctx, set, splits[:10])
		if err != nil {
			return err
		}
		var before, after, merged, downs, rateBefore, rateAfter float64
		for _, sp := range splits {
			train, test := scaled(set, sp)
			full, err := trainSVC(ctx, train, c, gamma)
			if err != nil {
				return err
			}
			r, err := reduce.Prune(ctx, full, train, reduce.Options{Validation: test})
			if err != nil {
				return err
			}
			d, err := reduce.Simplify(ctx, full, test, reduce.SimplifyOptions{})
			if err != nil {
				return err
			}
			k := float64(len(splits))
			before += float64(r.SVBefore) / k
			after += float64(r.SVAfter) / k
			merged += float64(r.Merged) / k
			downs += float64(d.SVAfter) / k
			rateBefore += 100 * (1 - r.Compared.ErrorBefore) / k
			rateAfter += 100 * (1 - r.Compared.ErrorAfter) / k
		}
		rows = append(rows, []string{name, fmt.Sprintf("%g, %.3g", c, gamma), fmt.Sprintf("%.1f", before),
			fmt.Sprintf("%.1f", after), fmt.Sprintf("%.2f", after/before),
			fmt.Sprintf("%.1f", downs), fmt.Sprintf("%.2f", rateBefore), fmt.Sprintf("%.2f", rateAfter),
			fmt.Sprintf("%+.2f", rateAfter-rateBefore), strings.Join(paper.print[:], ", ")})
	}
	harness.Table([]string{"set", "C, γ", "vectors", "after", "share", "Downs, 1e-10", "rate %", "after", "change",
		"paper: vectors, rate, after, rate after"}, rows)
	return nil
}

// scaled returns both parts of a split in units of the training part's deviations.
func scaled(s *dataset.Set, sp dataset.Split) (train, test *dataset.Set) {
	train, test = s.Subset(sp.Train), s.Subset(sp.Test)
	sc, err := dataset.FitZ(train)
	if err != nil {
		panic(err) // finite data has finite deviations
	}
	return sc.Apply(train), sc.Apply(test)
}

func trainSVC(ctx context.Context, s *dataset.Set, c, gamma float64) (*model.Classifier, error) {
	p := &learn.Problem{X: s.X, N: s.N, D: s.D, Y: s.RestSigns(1), Kernel: gram.RBF(gamma)}
	p.Memory = 2 << 30
	r, err := svc.Trainer{C: c}.Train(ctx, p)
	if err != nil {
		return nil, err
	}
	parts := model.BinaryParts(p.Kernel, s.X, s.D, r.Expansion)
	parts.Labels = s.Labels
	return model.New(parts)
}

// chooseSVC takes C and γ by 5-fold cross-validation on the training parts of the
// splits: of all pairs within half a standard error of the least error, that of
// least C, then least γ.
func chooseSVC(ctx context.Context, s *dataset.Set, splits []dataset.Split) (c, gamma float64, err error) {
	type try struct{ c, gamma, err float64 }
	var tries []try
	least := math.Inf(1)
	for _, c := range []float64{0.3, 1, 3, 10, 30, 100, 300} {
		for _, g := range []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5} {
			t := try{c: c, gamma: g / float64(s.D)}
			for i, sp := range splits {
				e, err := crossError(ctx, s.Subset(sp.Train), t.c, t.gamma, uint64(i))
				if err != nil {
					return 0, 0, err
				}
				t.err += e / float64(len(splits))
			}
			tries, least = append(tries, t), min(least, t.err)
		}
	}
	bound := least + 0.5*math.Sqrt(least*(1-least)/float64(len(splits[0].Train)))
	for _, t := range tries {
		if t.err <= bound {
			return t.c, t.gamma, nil
		}
	}
	panic("unreachable: the least error is within its bound")
}

func crossError(ctx context.Context, s *dataset.Set, c, gamma float64, seed uint64) (float64, error) {
	folds, err := s.Folds(5, seed)
	if err != nil {
		return 0, err
	}
	wrong := 0
	for _, f := range folds {
		train, test := scaled(s, f)
		m, err := trainSVC(ctx, train, c, gamma)
		if err != nil {
			return 0, err
		}
		got := make([]int, test.N)
		m.PredictBatch(got, test.X, test.N, 0)
		for q, class := range got {
			if class != test.Y[q] {
				wrong++
			}
		}
	}
	return float64(wrong) / float64(s.N), nil
}

// paperDigits is Table 2: rate and vectors before, rate and vectors after.
var paperDigits = [10][4]string{
	{"99.75", "1481", "99.06", "559"}, {"99.78", "1251", "99.75", "708"}, {"99.43", "2844", "99.22", "1227"},
	{"99.47", "3300", "99.15", "1479"}, {"99.47", "2726", "99.26", "1042"}, {"99.44", "3224", "99.05", "1293"},
	{"99.64", "1896", "99.26", "820"}, {"99.24", "2442", "99.08", "933"}, {"99.31", "3877", "99.22", "1968"},
	{"99.00", "4100", "98.76", "1733"},
}

func reduceMNIST(ctx context.Context, e *env) error {
	const c, gamma = 10, 0.02
	digits := "0123456789"
	if v := os.Getenv("DIGITS"); v != "" {
		digits = v // some of them: DIGITS=38
	}
	dir := filepath.Join(e.Data, "open", "mnist")
	train, err := mnist.Read(filepath.Join(dir, "train-images-idx3-ubyte.gz"),
		filepath.Join(dir, "train-labels-idx1-ubyte.gz"), 0)
	if err != nil {
		return err
	}
	test, err := mnist.Read(filepath.Join(dir, "t10k-images-idx3-ubyte.gz"),
		filepath.Join(dir, "t10k-labels-idx1-ubyte.gz"), 0)
	if err != nil {
		return err
	}
	header := []string{"digit", "training s", "vectors", "rate %", "reduction s", "processor s", "vectors after",
		"rate % after", "µs", "µs after", "paper: rate, vectors, after"}
	var rows [][]string
	for _, char := range digits {
		digit := int(char - '0')
		if digit < 0 || digit > 9 {
			return fmt.Errorf("DIGITS=%s: want digits", digits)
		}
		a, b := digitSet(train, byte(digit)), digitSet(test, byte(digit))
		start := time.Now()
		full, err := trainSVC(ctx, a, c, gamma)
		if err != nil {
			return err
		}
		trained := time.Since(start)
		start = time.Now()
		busy := processorSeconds()
		r, err := reduce.Prune(ctx, full, a, reduce.Options{Validation: b, Latency: true})
		if err != nil {
			return err
		}
		spent := time.Since(start)
		busy = processorSeconds() - busy
		p := paperDigits[digit]
		row := []string{strconv.Itoa(digit), fmt.Sprintf("%.1f", trained.Seconds()), strconv.Itoa(r.SVBefore),
			fmt.Sprintf("%.2f", 100*(1-r.Compared.ErrorBefore)),
			fmt.Sprintf("%.1f", spent.Seconds()), fmt.Sprintf("%.1f", busy), strconv.Itoa(r.SVAfter),
			fmt.Sprintf("%.2f", 100*(1-r.Compared.ErrorAfter)),
			fmt.Sprintf("%.0f", r.MicrosBefore), fmt.Sprintf("%.0f", r.MicrosAfter),
			fmt.Sprintf("%s, %s, %s, %s", p[0], p[1], p[2], p[3])}
		fmt.Fprintln(os.Stderr, row)
		rows = append(rows, row)
	}
	harness.Table(header, rows)
	return nil
}

func digitSet(d *mnist.Digits, digit byte) *dataset.Set {
	n := len(d.Label)
	s := &dataset.Set{X: d.X, N: n, D: mnist.Pixels, Y: make([]int, n), Labels: []string{"-1", "1"}}
	for i, y := range d.Against(digit) {
		if y > 0 {
			s.Y[i] = 1
		}
	}
	return s
}
