package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("grid", "every method at every C and γ that a grid would try, z-scored; writes docs/performance/grid.md",
		runGrid)
}

var (
	gridSets    = []string{"banana-1000", "german", "ringnorm-1000", "diabetis"} // of two classes
	gridFactors = []float64{0.1, 1, 10}                                          // γ in units of scale
	gridCosts   = []float64{0.01, 0.1, 1, 10, 100, 1000, 1e5}
	gridMethods = []string{"svc", "ssvc-a", "ssvc-b", "ssvc-w", "skm", "l1svm", "l0svm", "lpsvc", "lssvm",
		"lssvm-chol", "lssvm-lda", "lssvm-primal", "pfsals", "sc-svc", "direct"}

	gridFile = flag.String("cells", "", "grid: JSON lines of cells that need not run again; new ones are added")
	gridOnly = flag.String("only", "",
		"grid, cancel, scaling, timelimit: methods to run, comma-separated; no page is then written")
	gridLimit = flag.Duration("limit", 10*time.Second, "grid: CPU time that a submodel may take")
)

const waveform = "gen waveform -n 1000"

// cell is one place of the grid: one training, of three submodels if there are three classes.
type cell struct {
	Set     string  `json:"set"`
	Factor  float64 `json:"factor"` // γ / scale
	C       float64 `json:"c"`
	Method  string  `json:"method"`
	Status  string  `json:"status"` // the worst submodel's
	Message string  `json:"message,omitempty"`
	// Seconds is the CPU time of the slowest submodel. The figures below are the worst
	// submodel's, recomputed from its coefficients; nil if the method has none.
	Seconds   float64  `json:"seconds"`
	Gap       *float64 `json:"gap,omitempty"`
	Violation *float64 `json:"violation,omitempty"`
	Residual  *float64 `json:"residual,omitempty"`
	Vectors   int      `json:"vectors"`
	Error     float64  `json:"error"` // share of the training samples
}

func (c *cell) at(o *cell) bool {
	return c.Set == o.Set && c.Factor == o.Factor && c.C == o.C && c.Method == o.Method
}

// good says that a cell is optimal, or ends at the stated rounding limit.
func (c *cell) good() bool { return c.Status == status.Optimal.String() || c.Status == roundingLimit }

const roundingLimit = "rounding limit"

// runGrid fills the cells that are not in the file yet.
func runGrid(ctx context.Context, e *env) error {
	cells, err := readCells(*gridFile)
	if err != nil {
		return err
	}
	for _, name := range append(slices.Clone(gridSets), waveform) {
		set, err := e.gridSet(name)
		if err != nil {
			return err
		}
		for _, factor := range gridFactors {
			g := &gridPlace{name: name, factor: factor, set: set}
			if cells, err = g.fill(ctx, cells); err != nil {
				return err
			}
		}
	}
	inOrder(cells)
	if *gridOnly != "" {
		summarise(os.Stdout, cells)
		return nil
	}
	return writeGrid("docs", cells)
}

// inOrder sorts cells as they would have been run without a file.
func inOrder(cells []cell) {
	place := func(c *cell) int {
		if i := slices.Index(gridSets, c.Set); i >= 0 {
			return i
		}
		return len(gridSets)
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(place(&a), place(&b)), cmp.Compare(a.Factor, b.Factor), cmp.Compare(a.C, b.C))
	})
}

// gridSet reads or draws a set and scales it.
func (e *env) gridSet(name string) (set *dataset.Set, err error) {
	if set = dataset.Waveform(1000, 1); name != waveform {
		if set, err = e.Set(name + ".libsvm"); err != nil {
			return nil, err
		}
	}
	scaling, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	return scaling.Apply(set), nil
}

// gridPlace is a set and a kernel.
type gridPlace struct {
	name     string
	factor   float64
	set      *dataset.Set
	problems []*learn.Problem // one per submodel
	judge    *check.Judge     // of all of them: they differ in their labels only
}

// prepare makes the problems of the submodels and evaluates the kernel for the checks.
func (g *gridPlace) prepare() {
	last := len(g.set.Labels) - 1
	first := 0
	if last == 1 { // of two classes the last is the positive one
		first = 1
	}
	kernel := gram.RBF(g.factor * sparsekm.GammaScale(g.set))
	for class := first; class <= last; class++ {
		g.problems = append(g.problems, &learn.Problem{X: g.set.X, N: g.set.N, D: g.set.D, Y: g.set.RestSigns(class),
			Kernel: kernel, Resources: learn.Resources{Threads: 1}})
	}
	g.judge = check.New(g.problems[0])
}

// fill runs the cells of this place that are missing.
func (g *gridPlace) fill(ctx context.Context, cells []cell) ([]cell, error) {
	for _, method := range gridMethods {
		if !asked(method) {
			continue
		}
		for _, cost := range gridCosts {
			c := cell{Set: g.name, Factor: g.factor, C: cost, Method: method}
			if slices.ContainsFunc(cells, func(o cell) bool { return o.at(&c) }) {
				continue
			}
			if g.judge == nil {
				g.prepare()
			}
			if err := g.run(ctx, &c); err != nil {
				return nil, err
			}
			if cells = append(cells, c); !c.good() || c.Seconds > 1 {
				fmt.Println(c.line())
			}
			if err := appendCell(*gridFile, &c); err != nil {
				return nil, err
			}
		}
	}
	return cells, nil
}

// asked tells the methods that -only names, all without it.
func asked(method string) bool {
	return *gridOnly == "" || slices.Contains(strings.Split(*gridOnly, ","), method)
}

// run trains the submodels of a cell.
func (g *gridPlace) run(ctx context.Context, c *cell) error {
	method, err := learn.Lookup(c.Method)
	if err != nil {
		return err
	}
	parameter := "c"
	if c.Method == "lssvm" {
		parameter = "gamma_reg"
	}
	trainer, err := method.New(learn.Values{parameter: c.C})
	if err != nil {
		return err
	}
	c.Status = status.Optimal.String()
	var decisions [][]float64
	for _, p := range g.problems {
		limited, cancel := withProcessor(ctx, *gridLimit)
		begin := processor.Seconds()
		r, err := trainer.Train(limited, p)
		c.Seconds = max(c.Seconds, processor.Seconds()-begin)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.Status, c.Message = "error", err.Error()
			return nil
		}
		v := g.judge.With(p.Y).Machine(trainer, r)
		c.add(trainer, r, v)
		decisions = append(decisions, v.F)
	}
	c.Error = g.errors(decisions)
	return nil
}

// withProcessor is a context that ends when this process has run for so long: on a busy host no
// training is called slow that is not.
func withProcessor(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	begin := processor.Seconds()
	go func() {
		for tick := time.Tick(20 * time.Millisecond); !(processor.Seconds()-begin >= limit.Seconds()); {
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
		}
		cancel()
	}()
	return ctx, cancel
}

// add takes a submodel's figures into the cell.
func (c *cell) add(t learn.Trainer, r *learn.Result, v *check.Verdict) {
	rep := &r.Report
	worst := func(at **float64, v float64) {
		if v == v && (*at == nil || v > **at) {
			*at = &v
		}
	}
	if rep.Status == status.Optimal { // else there is no fixed point to judge the objective at
		worst(&c.Gap, v.Gap)
	}
	worst(&c.Violation, v.Violation)
	worst(&c.Residual, v.Residual)
	c.Vectors += len(r.Coef)
	how := rep.Status.String()
	doubts := slices.Concat(v.Faults, v.Doubts(t, rep))
	switch {
	case rep.Status == status.Optimal && len(doubts) > 0:
		how, c.Message = "not as reported", strings.Join(doubts, "; ")
	case rep.Status == status.Numerical && strings.HasPrefix(rep.Message, roundingLimit):
		how, c.Message = roundingLimit, rep.Message
	case rep.Status != status.Optimal:
		c.Message = rep.Message
	}
	if c.Status == status.Optimal.String() || c.Status == roundingLimit && how != status.Optimal.String() {
		c.Status = how
	}
}

// errors is the share of samples to which the largest decision value gives another class.
func (g *gridPlace) errors(decisions [][]float64) float64 {
	wrong := 0
	for i, class := range g.set.Y {
		best := 0
		for m := range decisions {
			if decisions[m][i] > decisions[best][i] {
				best = m
			}
		}
		if len(decisions) == 1 && decisions[0][i] > 0 {
			best = 1
		}
		if best != class {
			wrong++
		}
	}
	return float64(wrong) / float64(g.set.N)
}

// readCells reads the file of cells; a file that is not there has none.
func readCells(name string) (cells []cell, err error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var c cell
		if err = d.Decode(&c); errors.Is(err, io.EOF) {
			return cells, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cells = append(cells, c)
	}
}

// appendCell adds a cell to the file, if there is one.
func appendCell(name string, c *cell) error {
	if name == "" {
		return nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
