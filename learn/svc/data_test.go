package svc

import (
	"bufio"
	"compress/gzip"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/mnist"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// read loads a two-class file in LIBSVM's format from the shared data.
func read(tb testing.TB, name string, d int, k gram.Kernel) *learn.Problem {
	tb.Helper()
	return parse(tb, testutil.Shared(tb, name), d, k)
}

func parse(tb testing.TB, name string, d int, k gram.Kernel) *learn.Problem {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			tb.Fatal(err)
		}
	}
	p := &learn.Problem{D: d, Kernel: k}
	for sc := bufio.NewScanner(r); sc.Scan(); p.N++ {
		fields := strings.Fields(sc.Text())
		y, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			tb.Fatal(err)
		}
		p.Y = append(p.Y, y)
		x := make([]float64, d)
		for _, f := range fields[1:] {
			i, v, _ := strings.Cut(f, ":")
			at, err := strconv.Atoi(i)
			if err != nil {
				tb.Fatal(err)
			}
			if x[at-1], err = strconv.ParseFloat(v, 64); err != nil {
				tb.Fatal(err)
			}
		}
		p.X = append(p.X, x...)
	}
	return p
}

// digits is MNIST's "3 against the rest", the first n training images.
func digits(tb testing.TB, n int) *learn.Problem {
	tb.Helper()
	d, err := mnist.Read(testutil.Shared(tb, "open/mnist/train-images-idx3-ubyte.gz"), testutil.Shared(tb, "open/mnist/train-labels-idx1-ubyte.gz"), n)
	if err != nil {
		tb.Fatal(err)
	}
	return &learn.Problem{X: d.X, N: n, D: mnist.Pixels, Y: d.Against(3), Kernel: gram.RBF(0.02)}
}

// standardise scales every feature to mean 0 and variance 1.
func standardise(p *learn.Problem) *learn.Problem {
	for k := range p.D {
		var sum, sq float64
		for i := range p.N {
			sum += p.X[i*p.D+k]
		}
		mean := sum / float64(p.N)
		for i := range p.N {
			v := p.X[i*p.D+k] - mean
			sq += v * v
		}
		sd := math.Sqrt(sq / float64(p.N))
		if sd == 0 {
			sd = 1
		}
		for i := range p.N {
			p.X[i*p.D+k] = (p.X[i*p.D+k] - mean) / sd
		}
	}
	return p
}

// head keeps the first n points.
func head(p *learn.Problem, n int) *learn.Problem {
	p.N, p.X, p.Y = n, p.X[:n*p.D], p.Y[:n]
	return p
}
