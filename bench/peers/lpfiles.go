package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-files", "first programs of SSVC-B as `train --dump-lp` writes them, and the trainings they are from",
		lpFiles)
}

// lpFiles reads dense programs from MPS files, where nothing says that they are dense. Times are of the processor.
func lpFiles(ctx context.Context, e *env) error {
	harness.Header("program", "solved here, s (pivots)", "read and solved, s", "the training, s (programs)",
		"best peer, s (iterations)", "ratio", "optima differ by")
	for _, c := range []struct {
		name  string
		gamma float64
		c     float64
	}{{"german", 0.05, 10}, {"waveform-1000", 0.048, 1}, {"waveform-1000", 0.222, 100}} {
		p, err := waveform3(1000, gram.RBF(c.gamma))
		if c.name == "german" {
			p, err = e.problem("german.libsvm", true, gram.RBF(c.gamma))
		}
		if err != nil {
			return err
		}
		p.Threads = 1
		row, err := e.lpFile(ctx, p, ssvclp.B{C: c.c})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		harness.Row(append([]string{fmt.Sprintf("%s, γ = %v, C = %v", c.name, c.gamma, c.c)}, row...)...)
	}
	return nil
}

var errFirst = errors.New("the first program is enough")

// firstProgram is the file of the first program of a training.
func firstProgram(ctx context.Context, p *learn.Problem, tr learn.Trainer) (file bytes.Buffer, err error) {
	dump := func(lp *simplex.LP) error {
		return errors.Join((&simplex.Model{LP: *lp}).WriteMPS(&file), errFirst)
	}
	if _, err = tr.Train(simplex.WithTrace(ctx, dump), p); !errors.Is(err, errFirst) {
		return file, fmt.Errorf("no program: %w", err)
	}
	return file, nil
}

// lpFile compares the first program of a training.
func (e *env) lpFile(ctx context.Context, p *learn.Problem, tr learn.Trainer) ([]string, error) {
	file, err := firstProgram(ctx, p, tr)
	if err != nil {
		return nil, err
	}
	training, trained, err := e.minProcessor(ctx, tr, p)
	if err != nil {
		return nil, err
	}
	var r *simplex.Result
	var m *simplex.Model
	took, whole := math.Inf(1), math.Inf(1)
	for range max(1, e.Reps) {
		start := processor.Seconds()
		if m, err = simplex.ReadMPS(bytes.NewReader(file.Bytes())); err != nil {
			return nil, err
		}
		read := processor.Seconds()
		var s *simplex.Solver
		if s, err = simplex.New(m.LP, simplex.Options{}); err != nil {
			return nil, err
		}
		r = s.Solve(ctx)
		end := processor.Seconds()
		took, whole = min(took, end-read), min(whole, end-start)
	}
	if err = simplex.Check(m.LP, r); err != nil || r.Status != status.Optimal {
		return nil, fmt.Errorf("%v: %w", r.Status, err)
	}
	peers, err := e.filePeers(m.LP)
	if err != nil {
		return nil, err
	}
	best, apart := peerRun{seconds: math.Inf(1)}, math.Inf(1)
	for _, run := range peers {
		apart = min(apart, math.Abs(run.objective-r.Objective)/(1+math.Abs(r.Objective)))
		if run.seconds < best.seconds {
			best = run
		}
	}
	return []string{fmt.Sprintf("%.3f (%d)", took, r.Iterations), fmt.Sprintf("%.3f", whole),
		fmt.Sprintf("%.3f (%d)", training, trained.Report.Iterations), fmt.Sprintf("%s %.2f (%d)", best.name, best.seconds, best.iterations),
		fmt.Sprintf("%.1f", best.seconds/took), fmt.Sprintf("%.0e", apart)}, nil
}

// filePeers runs CLP, with and without presolve, and HiGHS, whatever is installed.
func (e *env) filePeers(lp simplex.LP) (runs []peerRun, err error) {
	raw := filepath.Join(e.Tmp, "lp.raw")
	if err = writeRaw(raw, lp); err != nil {
		return nil, err
	}
	clp, err := e.compileC("clp_lp.c", "-lClp")
	if err == nil {
		cmd := exec.Command(clp, raw)
		cmd.Env = append(os.Environ(), "CLP_PRESOLVE=1")
		var out []byte
		if out, err = cmd.Output(); err == nil {
			runs = parseRuns("", string(out))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers: without CLP:", err)
	}
	out, err := e.highs([]string{raw})
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers: without HiGHS:", err)
	}
	return append(runs, parseRuns("", out)...), nil
}
