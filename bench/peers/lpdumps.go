package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-dumps", "every linear program of whole trainings, solved by CLP at tolerance 1e-9 too", runDumps)
}

// runDumps holds the optimum of every program that trainings solve against CLP's.
func runDumps(ctx context.Context, e *env) error {
	clp, err := e.compileC("clp_lp.c", "-lClp")
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range []struct {
		name     string
		c, sigma float64
	}{{"ripley-tr", 1, 0.5}, {"banana-1000", 1, 0.7}, {"german", 10, 12}, {"ringnorm-1000", 1, 4.5}, {"diabetis", 1, 5}} {
		for _, k := range []gram.Kernel{gram.RBFSigma(s.sigma), gram.Linear()} {
			p, err := e.problem(s.name+".libsvm", true, k)
			if err != nil {
				return err
			}
			d := &dumps{clp: clp, file: filepath.Join(e.Tmp, "dump.raw")}
			for _, tr := range []learn.Trainer{
				ssvclp.B{C: s.c}, skm.Trainer{C: 0.001, Delta: 0.1}, skm.L1SVM{C: s.c}, skm.L0SVM{C: s.c}, skm.LPSVC{C: s.c},
			} {
				check := func(lp *simplex.LP) error { return d.check(ctx, lp) }
				if _, err := tr.Train(simplex.WithTrace(ctx, check), p); err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, tr.Name(), err)
				}
			}
			rows = append(rows, []string{s.name, k.Kind.String(), strconv.Itoa(d.programs), strconv.Itoa(d.unsolved),
				fmt.Sprintf("%.1e", d.apart), fmt.Sprintf("%.1e", d.residual)})
		}
	}
	harness.Table([]string{"set", "kernel", "programs", "without an answer of CLP",
		"largest relative difference of the optimum", "largest residual or gap of ours"}, rows)
	return nil
}

// dumps counts what was compared.
type dumps struct {
	clp, file          string
	programs, unsolved int
	apart, residual    float64
}

// check solves lp here, from cold, and by CLP.
func (d *dumps) check(ctx context.Context, lp *simplex.LP) error {
	s, err := simplex.New(*lp, simplex.Options{})
	if err != nil {
		return err
	}
	r := s.Solve(ctx)
	if r.Status != status.Optimal {
		return fmt.Errorf("program %d: %v", d.programs+1, r.Status)
	}
	if err = simplex.Check(*lp, r); err != nil {
		return err
	}
	d.programs++
	d.residual = max(d.residual, r.PrimalResidual, r.DualResidual, r.Gap)
	if err = writeRaw(d.file, *lp); err != nil {
		return err
	}
	cmd := exec.Command(d.clp, d.file)
	cmd.Env = append(os.Environ(), "CLP_TOLERANCE=1e-9")
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	runs := parseRuns("D", string(out))
	if len(runs) == 0 {
		d.unsolved++
		return nil
	}
	apart := math.Inf(1) // from the nearer of CLP's two methods
	for _, run := range runs {
		apart = min(apart, math.Abs(run.objective-r.Objective)/max(1, math.Abs(r.Objective)))
	}
	d.apart = max(d.apart, apart)
	return nil
}
