package main

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

func init() {
	compare("lp-large", "first LP of SSVC-B with hundreds of basic columns: narrow kernels at C = 100", runLargeLP)
}

// runLargeLP is runLP's first program of SSVC-B where most samples are support vectors.
func runLargeLP(ctx context.Context, e *env) error {
	german, err := e.problem("german.libsvm", true, gram.RBFSigma(3))
	if err != nil {
		return err
	}
	waveform, err := waveform3(1000, gram.RBFSigma(1.5))
	if err != nil {
		return err
	}
	var rows [][]string
	for _, c := range []struct {
		name string
		p    *learn.Problem
	}{{"german, σ = 3", german}, {"waveform-1000, class 3 against the rest, σ = 1.5", waveform}} {
		program := ssvcbLP("SSVC-B "+c.name+", C = 100", matrixOf(c.p), c.p.Y, 100)
		program.next = nil
		r, err := e.compareLP(ctx, program)
		if err != nil {
			return fmt.Errorf("%s: %w", program.name, err)
		}
		rows = append(rows, r...)
	}
	harness.Table(lpColumns, rows)
	return nil
}

// waveform3 draws n samples of waveform, standardised, the last of the three classes against the others.
func waveform3(n int, k gram.Kernel) (*learn.Problem, error) {
	set := dataset.Waveform(n, 1)
	s, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	p := &learn.Problem{X: s.Apply(set).X, N: n, D: set.D, Y: make([]float64, n), Kernel: k}
	for i, class := range set.Y {
		p.Y[i] = -1
		if class == 2 {
			p.Y[i] = 1
		}
	}
	return p, nil
}
