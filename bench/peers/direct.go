package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

func init() {
	compare("direct", "a training of free vectors compared with NumPy with SciPy's L-BFGS, processor time of one thread",
		compareDirect)
	compare("direct-scale", "free vectors for a million samples, two threads, within 2 GiB: time, peak memory",
		directScale)
}

// directScale trains 50 vectors on 10⁶ × 20 samples.
func directScale(ctx context.Context, e *env) error {
	const n, d, k = 1_000_000, 20, 50
	p := shells(n, d)
	p.Threads, p.Memory, p.InUse = 2, 2<<30, 8*n*(d+1)
	from, start := processor.Seconds(), time.Now()
	r, err := direct.Trainer{MaxSV: k}.Train(ctx, p)
	if err != nil {
		return err
	}
	row := []string{fmt.Sprintf("%d × %d, K = %d", n, d, k), fmt.Sprintf("%.1f", time.Since(start).Seconds()),
		fmt.Sprintf("%.1f", processor.Seconds()-from), fmt.Sprintf("%.0f", ownPeakMiB()), r.Report.Status.String(),
		r.Report.Message}
	harness.Table([]string{"training", "s", "processor s", "peak MiB, samples included", "status", ""}, [][]string{row})
	return nil
}

const (
	directVectors = 10
	directSteps   = 200
)

func compareDirect(ctx context.Context, e *env) error {
	var rows [][]string
	for _, d := range []int{20, 60} {
		p := shells(1000, d)
		var r *learn.Result
		ours := math.Inf(1)
		for range max(3, e.Reps) {
			start := processor.Seconds()
			var err error
			r, err = direct.Trainer{MaxSV: directVectors, MaxIter: directSteps, Tolerance: 1e-12}.Train(ctx, p)
			if err != nil {
				return err
			}
			ours = min(ours, processor.Seconds()-start)
		}
		row := []string{fmt.Sprintf("1000 × %d, K = %d", d, directVectors), fmt.Sprintf("%.1f", 1e3*ours),
			fmt.Sprintf("%.6g after %d evaluations", r.Report.Objective, r.Report.Figures.(direct.Figures).Evaluations)}
		if t, err := e.numpyDirect(p); err != nil {
			fmt.Println("NumPy left out:", err)
			row = append(row, "-", "-", "-")
		} else {
			row = append(row, fmt.Sprintf("%.1f", 1e3*t.Seconds),
				fmt.Sprintf("%.6g after %d evaluations", t.Objective, t.Evaluations), fmt.Sprintf("%.1f", t.Seconds/ours))
		}
		rows = append(rows, row)
	}
	harness.Table([]string{"training", "ms", "objective", "NumPy, ms", "NumPy's objective", "ratio"}, rows)
	return nil
}

// shells is n normal samples of dimension d, the positive ones further from the middle, with noise.
func shells(n, d int) *learn.Problem {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: gram.RBF(1 / float64(d))}
	p.Threads = 1
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

// trained is what a peer says of its training.
type trained struct {
	Seconds, Objective float64
	Evaluations        int
}

// numpyDirect trains on the same samples with the first Python that can.
func (e *env) numpyDirect(p *learn.Problem) (t trained, err error) {
	var text bytes.Buffer
	for i, y := range p.Y {
		fmt.Fprintf(&text, "%g", y)
		for _, v := range p.X[i*p.D : (i+1)*p.D] {
			fmt.Fprintf(&text, ",%.17g", v)
		}
		text.WriteByte('\n')
	}
	name := filepath.Join(e.Tmp, "direct.csv")
	if err = os.WriteFile(name, text.Bytes(), 0o644); err != nil {
		return t, err
	}
	err = errors.New("no Python")
	for _, py := range pythons() {
		var out string
		out, err = e.python(py, "direct.py", nil, name, strconv.Itoa(directVectors),
			strconv.FormatFloat(p.Kernel.Gamma, 'g', -1, 64), "1", strconv.Itoa(directSteps), strconv.Itoa(max(3, e.Reps)))
		if err == nil {
			return t, json.Unmarshal([]byte(out), &t)
		}
	}
	return t, err
}
