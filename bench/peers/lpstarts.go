package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-starts", "first programs of SSVC-B from files: the start that is chosen, and the dual method alone, "+
		"processor time", lpStarts)
}

// lpStarts prints the programs in which the choice between the starts leaves the dual method. The choice was made on
// other sets: waveform, german, ringnorm and banana.
func lpStarts(ctx context.Context, e *env) error {
	harness.Header("program", "chosen, ms (pivots)", "the dual method alone, ms (pivots)", "ratio")
	programs, logs := 0, []float64(nil)
	for _, name := range []string{"diabetis", "heart", "ionosphere", "thyroid", "twonorm-1000", "ripley-tr"} {
		for _, gamma := range []float64{0.01, 0.05, 0.2, 1, 4} {
			p, err := generated(dataset.Twonorm(1000, 1))
			if name != "twonorm-1000" {
				p, err = e.problem(name+".libsvm", true, gram.RBF(gamma))
			}
			if err != nil {
				return err
			}
			p.Kernel, p.Threads = gram.RBF(gamma), 1
			for _, c := range []float64{1, 10, 100} {
				ratio, err := e.lpStart(ctx, p, fmt.Sprintf("%s, γ = %v, C = %v", name, gamma, c), ssvclp.B{C: c})
				if err != nil {
					return err
				}
				if programs++; ratio > 0 {
					logs = append(logs, math.Log(ratio))
				}
			}
		}
	}
	mean, longer := 0.0, 0
	for _, l := range logs {
		if mean += l / float64(len(logs)); l > 0 {
			longer++
		}
	}
	fmt.Printf("\n%d of %d programs leave the dual method: %.2f of its time in the geometric mean, %d take longer\n",
		len(logs), programs, math.Exp(mean), longer)
	return nil
}

// lpStart prints the row of a program; ratio is 0, without a row, where both ways are one.
func (e *env) lpStart(ctx context.Context, p *learn.Problem, name string, tr learn.Trainer) (ratio float64, err error) {
	file, err := firstProgram(ctx, p, tr)
	if err != nil {
		return 0, err
	}
	m, err := simplex.ReadMPS(&file)
	if err != nil {
		return 0, err
	}
	var pivots [2]int
	took := [2]float64{math.Inf(1), math.Inf(1)}
	for k, method := range []simplex.Method{simplex.Auto, simplex.Dual} {
		for range max(1, e.Reps) {
			start := processor.Seconds()
			s, err := simplex.New(m.LP, simplex.Options{Method: method})
			if err != nil {
				return 0, err
			}
			r := s.Solve(ctx)
			took[k], pivots[k] = min(took[k], processor.Seconds()-start), r.Iterations
			if err = simplex.Check(m.LP, r); err != nil || r.Status != status.Optimal {
				return 0, fmt.Errorf("%s: %v: %w", name, r.Status, err)
			}
		}
	}
	if pivots[0] == pivots[1] {
		return 0, nil
	}
	cell := func(k int) string { return fmt.Sprintf("%.1f (%d)", 1e3*took[k], pivots[k]) }
	harness.Row(name, cell(0), cell(1), fmt.Sprintf("%.2f", took[0]/took[1]))
	return took[0] / took[1], nil
}
