package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/internal/testing/mnist"
	"github.com/sparsekm/sparsekm/learn/direct"
)

func init() {
	experiments["direct-digits"] = harness.Task{About: "images of the digits 0 to 9 over one pool of vectors", Run: digits}
}

// digitsFlags are those of the task direct-digits.
var digitsFlags struct {
	n, vectors, steps int
	c, gamma          float64
	held              bool
}

func declareDigits() {
	f := &digitsFlags
	flag.IntVar(&f.n, "digits", 0, "direct-digits: training images; 0 for all 60000")
	flag.IntVar(&f.vectors, "vectors", 500, "direct-digits: size of the pool")
	flag.IntVar(&f.steps, "steps", 200, "direct-digits: most steps on the part of the images that it begins with")
	flag.Float64Var(&f.c, "cost", 1, "direct-digits: C")
	flag.Float64Var(&f.gamma, "gamma", 0.02, "direct-digits: γ of pixels from 0 to 1")
	flag.BoolVar(&f.held, "held", false,
		"direct-digits: judge on the last sixth of the training images, and train without it")
}

// digitSet reads images of the folder open/mnist of the data.
func digitSet(e *harness.Env, name string, n int) (*dataset.Set, error) {
	dir := filepath.Join(e.Data, "open", "mnist")
	images := filepath.Join(dir, name+"-images-idx3-ubyte.gz")
	d, err := mnist.Read(images, filepath.Join(dir, name+"-labels-idx1-ubyte.gz"), n)
	if err != nil {
		return nil, err
	}
	y, labels := make([]int, len(d.Label)), make([]string, 10)
	for i, l := range d.Label {
		y[i] = int(l)
	}
	for k := range labels {
		labels[k] = fmt.Sprint(k)
	}
	return dataset.NewClasses(d.X, len(y), mnist.Pixels, y, labels)
}

// digits trains one model and judges it on the test images.
func digits(ctx context.Context, e *harness.Env) error {
	f := &digitsFlags
	train, err := digitSet(e, "train", f.n)
	if err != nil {
		return err
	}
	test, err := digitSet(e, "t10k", 0)
	if err != nil {
		return err
	}
	if f.held {
		rows := make([]int, train.N)
		for i := range rows {
			rows[i] = i
		}
		cut := train.N - train.N/6
		train, test = train.Subset(rows[:cut]), train.Subset(rows[cut:])
	}
	from := processor.Seconds()
	clf, r, err := sparsekm.Train(ctx, train, sparsekm.Options{
		Trainer: direct.Trainer{C: f.c, MaxSV: f.vectors, MaxIter: f.steps}, Kernel: gram.RBF(f.gamma)})
	if err != nil {
		return err
	}
	seconds := processor.Seconds() - from
	m, err := sparsekm.Evaluate(ctx, clf, test, 0)
	if err != nil {
		return err
	}
	harness.Header("images", "C, γ", "vectors", "test error", "processor s", "status")
	harness.Row(fmt.Sprint(train.N), fmt.Sprintf("%g, %g", f.c, f.gamma), fmt.Sprint(clf.NumVectors()),
		fmt.Sprintf("%.2f %%", 100*float64(m.Errors)/float64(m.Points)), fmt.Sprintf("%.0f", seconds), r.Status.String())
	return nil
}
