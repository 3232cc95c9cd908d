package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/inputs"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("lp-sparse", "sparse programs: transport, assignment, staircase, multi-commodity, Netlib; CLP and HiGHS",
		func(ctx context.Context, e *env) error {
			netlib, err := e.netlibLPs()
			if err != nil {
				return err
			}
			return e.wholeLPs(ctx, append(netlib, drawnLPs()...))
		})
	compare("lp-duals", "duals of drawn programs, in which every equation is a free column; CLP and HiGHS",
		func(ctx context.Context, e *env) error {
			list := drawnLPs()
			for i := range list {
				list[i].lp = inputs.Dual(list[i].lp)
			}
			return e.wholeLPs(ctx, slices.DeleteFunc(list, func(p wholeLP) bool {
				rows, _ := p.lp.A.Dims()
				return rows > 20000
			}))
		})
	compare("lp-files", "first programs of SSVC-B as `train --dump-lp` writes them; CLP and HiGHS",
		func(ctx context.Context, e *env) error {
			list, err := e.dumpedLPs(ctx)
			if err != nil {
				return err
			}
			return e.wholeLPs(ctx, list)
		})
}

// wholeLP is a program by its name.
type wholeLP struct {
	name string
	lp   simplex.LP
}

// drawnLPs are the generated programs, up to 10000 rows.
func drawnLPs() []wholeLP {
	return []wholeLP{
		{"transport 100 × 200", inputs.Transport(100, 200, 10, 1)},
		{"transport 500 × 1000", inputs.Transport(500, 1000, 15, 1)},
		{"transport 3000 × 7000", inputs.Transport(3000, 7000, 8, 1)},
		{"assignment 200", inputs.Assignment(200, 10, 1)},
		{"assignment 1000", inputs.Assignment(1000, 10, 1)},
		{"assignment 5000", inputs.Assignment(5000, 8, 1)},
		{"staircase 10 × 30", inputs.Staircase(10, 30, 45, 1)},
		{"staircase 30 × 60", inputs.Staircase(30, 60, 90, 1)},
		{"staircase 500 × 20", inputs.Staircase(500, 20, 30, 1)},
		{"multi-commodity 20 × 15", inputs.Multicommodity(20, 80, 15, 1)},
		{"multi-commodity 50 × 40", inputs.Multicommodity(50, 200, 40, 1)},
		{"multi-commodity 100 × 96", inputs.Multicommodity(100, 400, 96, 1)},
	}
}

// netlibLPs are the files of the data's folder lp.
func (e *env) netlibLPs() (list []wholeLP, err error) {
	files, err := filepath.Glob(filepath.Join(e.Data, "lp", "*.mps.gz"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		m, err := lpfile.Read(z, lpfile.Limits{Linear: true})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, wholeLP{strings.TrimSuffix(filepath.Base(path), ".mps.gz"), m.LP})
	}
	return list, nil
}

var errFirst = errors.New("the first program is enough")

// dumpedLPs are first programs of trainings, read from MPS files, where nothing says that they are dense. The time of
// the training goes into the name.
func (e *env) dumpedLPs(ctx context.Context) (list []wholeLP, err error) {
	for _, c := range []struct {
		name  string
		gamma float64
		c     float64
	}{{"german", 0.05, 10}, {"waveform-1000", 0.048, 1}, {"waveform-1000", 0.222, 100}} {
		set, err := e.lpSet(c.name)
		if err != nil {
			return nil, err
		}
		var file bytes.Buffer
		dump := func(lp *simplex.LP) error {
			return errors.Join((&lpfile.Model{LP: *lp}).WriteMPS(&file), errFirst)
		}
		p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: set.RestSigns(1), Kernel: gram.RBF(c.gamma)}
		tr := ssvclp.B{C: c.c}
		training, _, err := e.train(ctx, tr, p)
		if err != nil {
			return nil, err
		}
		if _, err = tr.Train(simplex.WithTrace(ctx, dump), p); !errors.Is(err, errFirst) {
			return nil, fmt.Errorf("%s: no program: %w", c.name, err)
		}
		size := float64(file.Len()) / 1e6
		var m *lpfile.Model
		read, err := e.Processor(func() (failed error) {
			m, failed = lpfile.Read(bytes.NewReader(file.Bytes()), lpfile.Limits{})
			return failed
		})
		if err != nil {
			return nil, err
		}
		list = append(list, wholeLP{fmt.Sprintf("%s, γ = %v, C = %v (%.0f MB read in %.3f s, the training %.3f s)", c.name, c.gamma,
			c.c, size, read, training), m.LP})
	}
	return list, nil
}

// wholeLPs prints a row for each program that has an optimum: of CLP the best of its ways, with and without presolve.
func (e *env) wholeLPs(ctx context.Context, list []wholeLP) error {
	harness.Header("LP", "rows × columns", "ours, s (pivots)", "CLP's best, s (iterations)",
		"HiGHS's best, s (iterations)", "ours over CLP's", "the best peer's over ours", "objectives differ by")
	var ratios tally
	for _, p := range list {
		runtime.GC() // what programs before have left is not this one's
		took, _, r, err := e.solve(ctx, p.lp)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if r.Status == status.Infeasible {
			continue
		}
		var runs []peerRun
		for range max(1, e.Reps) {
			more, err := e.peersLP(p.lp, nil, "CLP_PRESOLVE=1")
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			runs = append(runs, more...)
		}
		clp := fastest(runs, "clp")
		apart := math.Abs(clp.objective-r.Objective+p.lp.Offset) / max(1, math.Abs(r.Objective))
		m, n := p.lp.A.Dims()
		harness.Row(p.name, fmt.Sprintf("%d × %d", m, n), fmt.Sprintf("%.4f (%d)", took, r.Iterations), clp.String(),
			fastest(runs, "highs").String(), fmt.Sprintf("%.2f", took/clp.seconds),
			fmt.Sprintf("%.1f", fastest(runs, "").seconds/took), fmt.Sprintf("%.1e", apart))
		ratios.add(took/clp.seconds, "ours over CLP's")
	}
	ratios.print()
	return nil
}
