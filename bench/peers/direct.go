package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

func init() {
	compare("direct", "a training of centres compared with NumPy with SciPy's L-BFGS, processor time of one thread",
		compareDirect)
}

func compareDirect(ctx context.Context, e *env) error {
	const centres, steps = 10, 200
	harness.Header("training", "ms", "objective (evaluations)", "NumPy, ms", "its objective (evaluations)", "ratio")
	for _, d := range []int{20, 60} {
		p := shells(1000, d)
		ours, r, err := e.train(ctx, direct.Trainer{MaxSV: centres, MaxIter: steps, Tolerance: 1e-12}, p)
		if err != nil {
			return err
		}
		file, err := e.file("direct.csv", func(w io.Writer) error {
			for i, y := range p.Y {
				fmt.Fprint(w, y)
				for _, v := range p.X[i*p.D : (i+1)*p.D] {
					fmt.Fprintf(w, ",%v", v)
				}
				fmt.Fprintln(w)
			}
			return nil
		})
		if err != nil {
			return err
		}
		var peer struct {
			Seconds, Objective float64
			Evaluations        int
		}
		err = e.ask("direct", nil, &peer, file, strconv.Itoa(centres), fmt.Sprint(p.Kernel.Gamma), "1",
			strconv.Itoa(steps), strconv.Itoa(max(3, e.Reps)))
		if err != nil {
			absent(err)
		}
		harness.Row(fmt.Sprintf("1000 × %d, %d centres", d, centres), ms(ours),
			fmt.Sprintf("%.6g (%d)", r.Report.Objective, r.Report.Figures.(direct.Figures).Evaluations), ms(peer.Seconds),
			fmt.Sprintf("%.6g (%d)", peer.Objective, peer.Evaluations), times(peer.Seconds/ours))
	}
	return nil
}

// shells is n normal samples of dimension d, the positive ones further from the middle, with noise.
func shells(n, d int) *learn.Problem {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: gram.RBF(1 / float64(d))}
	for i := range n {
		var square float64
		for k := range d {
			v := rng.NormFloat64()
			p.X[i*d+k] = v
			square += v * v / float64(d)
		}
		p.Y[i] = math.Copysign(1, square-1+0.1*rng.NormFloat64()+p.X[i*d]/4)
	}
	return p
}
