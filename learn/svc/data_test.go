package svc

import (
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// read loads a two-class file of the shared data, standardised if asked.
func read(tb testing.TB, name string, k gram.Kernel) *learn.Problem {
	tb.Helper()
	return load(tb, testutil.Shared(tb, name), false, k)
}

func load(tb testing.TB, path string, standardise bool, k gram.Kernel) *learn.Problem {
	tb.Helper()
	return ref.File(tb, path, k, standardise)
}

// digits is MNIST's "3 against the rest", the first n training images.
func digits(tb testing.TB, n int) *learn.Problem {
	tb.Helper()
	d, err := inputs.ReadDigits(testutil.Shared(tb, "open/mnist/train-images-idx3-ubyte.gz"), testutil.Shared(tb,
		"open/mnist/train-labels-idx1-ubyte.gz"), n)
	if err != nil {
		tb.Fatal(err)
	}
	return &learn.Problem{X: d.X, N: n, D: inputs.Pixels, Y: d.Against(3), Kernel: gram.RBF(0.02)}
}

// head keeps the first n samples.
func head(p *learn.Problem, n int) *learn.Problem {
	p.N, p.X, p.Y = n, p.X[:n*p.D], p.Y[:n]
	return p
}
