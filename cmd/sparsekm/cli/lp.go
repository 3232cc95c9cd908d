package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

type lpCmd struct {
	Model string `arg:"" reads:"the program" help:"Linear program in MPS or LP format, gzipped or not; - for standard input."`

	Method   string `enum:"auto,primal,dual" help:"Simplex method to start with."`
	Presolve bool   `help:"Make the program smaller first."`
	Ranging  bool   `help:"Of an optimum: how far each cost and bound of a row can move alone."`
	IIS      bool   `name:"iis" help:"Of an infeasible program: bounds that contradict one another, none of them needless."`
	Out      string `short:"o" placeholder:"FILE" writes:"" help:"Also write the program if FILE ends in .mps or .lp, its optimum if in .sol."`
	solveFlags
}

// solveFlags are the flags of commands that solve programs.
type solveFlags struct {
	Tolerance float64 `default:"1e-9" above:"0" help:"Largest residual and gap of what is called optimal, relative to the terms of the sums."`
	MaxIter   int     `min:"1" placeholder:"N" help:"Limit on the solver's iterations. Default: 100 (rows + columns) + 10000."`
	Values    bool    `help:"Print every variable and dual that is not zero."`
	Prove     string  `placeholder:"FILE" writes:"" help:"Prove the status in exact arithmetic, and write the proof, which simplex/provecheck.py checks."`
	session.MemFlag
	session.TimeFlag
}

// lpJSON is what `sparsekm lp --json` prints. Vectors are in the order of the
// file; everything is in the file's own sense of minimise or maximise.
type lpJSON struct {
	Name                string        `json:"name"`
	Rows                int           `json:"rows"`
	Columns             int           `json:"columns"`
	Status              status.Status `json:"status"`
	Objective           float64       `json:"objective"`
	Iterations          int           `json:"iterations"`
	PrimalInfeasibility float64       `json:"primal_infeasibility"`
	DualInfeasibility   float64       `json:"dual_infeasibility"`
	Gap                 float64       `json:"gap"`
	Certificate         string        `json:"certificate"`      // "verified", "none", or what is wrong with it
	Proved              string        `json:"proved,omitempty"` // the status that is proved, or why none is
	ColumnNames         []string      `json:"column_names"`
	X                   []float64     `json:"x"`
	ReducedCosts        []float64     `json:"reduced_costs"`
	RowNames            []string      `json:"row_names"`
	Duals               []float64     `json:"duals"`
	Farkas              []float64     `json:"farkas"`
	Ray                 []float64     `json:"ray"`
	Warnings            []string      `json:"warnings"`
	Ranging             *rangingJSON  `json:"ranging,omitempty"`
	IIS                 *iisJSON      `json:"iis,omitempty"`
	Seconds             struct {
		Load  float64 `json:"load"`
		Solve float64 `json:"solve"`
		Prove float64 `json:"prove,omitempty"`
	} `json:"seconds"`
}

func (c *lpCmd) Run(s *session.Session) error {
	form := filepath.Ext(c.Out)
	if c.Out != "" && form != ".mps" && form != ".lp" && form != ".sol" {
		return usagef("--out: found %q, want a name that ends in .mps, .lp or .sol", c.Out)
	}
	model, err := readProgram(s, c.Model, lpfile.Limits{Bytes: s.Memory, Linear: true})
	if err != nil {
		return err
	}
	switch form {
	case ".mps":
		err = fileformat.Write(c.Out, model.WriteMPS)
	case ".lp":
		err = fileformat.Write(c.Out, model.WriteLP)
	}
	if err != nil {
		return err
	}
	methods := map[string]simplex.Method{"primal": simplex.Primal, "dual": simplex.Dual}
	solver, err := simplex.New(model.LP,
		simplex.Options{Method: methods[c.Method], MaxIter: c.MaxIter, Tolerance: c.Tolerance})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Model, err)
	}
	loaded := time.Now()
	if c.Presolve {
		solver.Presolve(s.Context)
	}
	r := solver.Solve(s.Context)
	j := newLPJSON(model, r, func() error { return (&simplex.Checker{Tolerance: c.Tolerance}).Check(model.LP, r) })
	j.Seconds.Load, j.Seconds.Solve = loaded.Sub(s.Start).Seconds(), time.Since(loaded).Seconds()
	if form == ".sol" && j.Status == status.Optimal {
		if err := fileformat.Write(c.Out, func(w io.Writer) error { return model.WriteSolution(w, r) }); err != nil {
			return err
		}
	}
	asked := c.explain(s.Context, j, model, solver, r)
	if asked != nil && s.Context.Err() != nil {
		s.Note("%s: the ranges are left out", status.FromContext(s.Context))
		asked = session.ErrLimit
	} else if asked != nil {
		asked = fmt.Errorf("%s: %w", c.Model, asked)
	}
	return c.end(s, j, c.Model, model, asked, func(maxBytes int64) (*prove.Proof, error) {
		return simplex.Prove(s.Context, model.LP, r, maxBytes)
	})
}

// end proves and prints what was found of a file's program, and returns the error that the command ends with: failed if
// that is not nil, none for a verified optimum.
func (c *solveFlags) end(s *session.Session, j *lpJSON, file string, m *lpfile.Model, failed error,
	run func(maxBytes int64) (*prove.Proof, error)) error {
	unproved := c.prove(s, j, file, m, run)
	if !s.JSON {
		j.print(s.Stdout, c.Values, m)
	} else if err := s.WriteJSON(j); err != nil && failed == nil {
		return err
	}
	switch {
	case failed != nil:
		return failed
	case unproved != nil && s.Context.Err() != nil:
		s.Note("%s: nothing is proved", status.FromContext(s.Context))
		return session.ErrLimit
	case unproved != nil:
		return unproved
	case j.Status == status.Optimal && j.Certificate != "verified":
		return fmt.Errorf("%s: %s, but %s", file, j.Status, j.Certificate)
	case j.Status == status.Optimal:
		return nil
	case j.Status.Limit():
		s.Note("%s: the values are the best so far", j.Status)
		return session.ErrLimit
	}
	return fmt.Errorf("%s: %s", file, j.Status)
}

// prove writes a proof of what j says of a file's program, if one is asked for. It is an error if there is none, or if
// it proves something else. A proof has the memory that the program and its solution leave.
func (c *solveFlags) prove(s *session.Session, j *lpJSON, file string, m *lpfile.Model,
	run func(maxBytes int64) (*prove.Proof, error)) error {
	if c.Prove == "" || j.Status.Limit() {
		return nil
	}
	runtime.GC()
	var used runtime.MemStats
	runtime.ReadMemStats(&used)
	begun := time.Now()
	proof, err := run(max(1, s.Memory-int64(used.HeapAlloc)))
	j.Seconds.Prove = time.Since(begun).Seconds()
	if err != nil {
		if errors.Is(err, prove.ErrMemory) {
			err = fmt.Errorf("%w (--mem sets the budget)", err)
		}
		j.Proved = "nothing: " + err.Error()
		return fmt.Errorf("%s: not proved: %w", file, err)
	}
	j.Proved = proof.Status.String()
	write := func(w io.Writer) error { return proof.Write(w, m.RowNames, m.ColNames) }
	if err := fileformat.Write(c.Prove, write); err != nil {
		return err
	}
	if proof.Status != j.Status && j.Status != status.Numerical {
		return fmt.Errorf("%s: %s within the tolerance, but exactly %s", file, j.Status, proof.Status)
	}
	return nil
}

// readProgram reads a program in either format, gzipped or not, and shows what not all programs take alike in it.
func readProgram(s *session.Session, name string, limits lpfile.Limits) (*lpfile.Model, error) {
	m, err := session.InBackground(s, func() (*lpfile.Model, error) {
		in := s.Stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in = f
		}
		b, err := fileformat.Decompress(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		m, err := lpfile.Read(b, limits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return m, nil
	})
	if err != nil {
		return nil, err
	}
	for _, w := range m.Warnings {
		s.Note("%s: %s", name, w)
	}
	return m, nil
}

// newLPJSON shows a result, and what its check says.
func newLPJSON(m *lpfile.Model, r *simplex.Result, check func() error) *lpJSON {
	rows, columns := m.A.Dims()
	j := &lpJSON{
		Name: m.Name, Rows: rows, Columns: columns,
		Status: r.Status, Objective: unsigned(m.Objective(r)), Iterations: r.Iterations,
		PrimalInfeasibility: unsigned(r.PrimalResidual), DualInfeasibility: unsigned(r.DualResidual), Gap: unsigned(r.Gap),
		ColumnNames: append([]string{}, m.ColNames...), RowNames: append([]string{}, m.RowNames...),
		Warnings: append([]string{}, m.Warnings...),
		X:        numbers(r.X, 1), Farkas: numbers(r.Farkas, 1), Ray: numbers(r.Ray, 1),
	}
	sign := 1.0
	if m.Maximize {
		sign = -1
	}
	j.Duals, j.ReducedCosts = numbers(r.Y, sign), numbers(r.ReducedCosts, sign)
	switch r.Status {
	case status.Optimal, status.Infeasible, status.Unbounded:
		j.Certificate = "verified"
		if err := check(); err != nil {
			j.Certificate = err.Error()
		}
	default:
		j.Certificate = "none"
	}
	return j
}

// print writes the result for people.
func (j *lpJSON) print(w io.Writer, values bool, m *lpfile.Model) {
	line := linesTo(w, 12)
	line("program", "%s: %s, %s", j.Name, counted(j.Rows, "row"), counted(j.Columns, "column"))
	line("status", "%s after %s (%s)", j.Status, counted(j.Iterations, "iteration"), seconds(j.Seconds.Solve))
	line("objective", "%.15g", j.Objective)
	line("residuals", "primal %.2g, dual %.2g, gap %.2g; certificate %s", j.PrimalInfeasibility, j.DualInfeasibility,
		j.Gap, j.Certificate)
	if strings.HasPrefix(j.Proved, "nothing") {
		line("proved", "%s", j.Proved)
	} else if j.Proved != "" {
		line("proved", "%s, without any tolerance (%s)", j.Proved, seconds(j.Seconds.Prove))
	}
	if j.Ranging != nil {
		j.Ranging.print(w, j, m)
	}
	if j.IIS != nil {
		j.IIS.print(w)
	}
	list := func(what string, names []string, numbers []float64) {
		for i, v := range numbers {
			if values && v != 0 {
				line(what, "%s = %.15g", names[i], v)
			}
		}
	}
	list("x", j.ColumnNames, j.X)
	list("dual", j.RowNames, j.Duals)
}

// dumper writes linear programs into a folder as lp-0001.mps, lp-0002.mps, ...
func dumper(dir string) (func(*simplex.LP) error, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var count atomic.Int64
	return func(lp *simplex.LP) error {
		name := fmt.Sprintf("lp-%04d", count.Add(1))
		m := lpfile.Model{LP: *lp, Name: name}
		return fileformat.Write(filepath.Join(dir, name+".mps"), m.WriteMPS)
	}, nil
}

// rangingJSON has an interval for every column and row, in the order of the file and in its sense.
type rangingJSON struct {
	Cost     [][]float64 `json:"cost"`
	RowLower [][]float64 `json:"row_lower"`
	RowUpper [][]float64 `json:"row_upper"`
}

// iisJSON is a set of bounds that contradict one another.
type iisJSON struct {
	Irreducible bool        `json:"irreducible"`
	Bounds      []boundJSON `json:"bounds"`
}

type boundJSON struct {
	Of    string  `json:"of"` // row or column
	Name  string  `json:"name"`
	Bound string  `json:"bound"` // lower or upper
	Value float64 `json:"value"`
}

// explain adds to the result what else was asked for: ranges of an optimum, a conflict of what is infeasible.
func (c *lpCmd) explain(ctx context.Context, j *lpJSON, m *lpfile.Model, solver *simplex.Solver,
	r *simplex.Result) error {
	switch {
	case c.Ranging && r.Status == status.Optimal:
		ranging, err := solver.Ranging(ctx)
		if err != nil {
			return err
		}
		j.Ranging = &rangingJSON{RowLower: intervals(ranging.RowLo, 1), RowUpper: intervals(ranging.RowUp, 1)}
		sign := 1.0
		if m.Maximize {
			sign = -1
		}
		j.Ranging.Cost = intervals(ranging.Cost, sign)
	case c.IIS && r.Status == status.Infeasible && j.Certificate == "verified":
		bounds, irreducible, err := simplex.IIS(ctx, m.LP, r, simplex.Options{Tolerance: c.Tolerance})
		if err != nil {
			return err
		}
		j.IIS = newIISJSON(m, bounds, irreducible)
	}
	return nil
}

// intervals returns the ends of ranges whose sense may be turned.
func intervals(ranges []simplex.Range, sign float64) [][]float64 {
	out := make([][]float64, len(ranges))
	for i, r := range ranges {
		lo, up := r.Lo, r.Up
		if sign < 0 {
			lo, up = -up, -lo
		}
		out[i] = numbers([]float64{lo, up}, 1)
	}
	return out
}

// numbers multiplies by sign, and leaves no -0.
func numbers(v []float64, sign float64) []float64 {
	n := make([]float64, len(v))
	for i := range v {
		n[i] = unsigned(sign * v[i])
	}
	return n
}

// unsigned is v, and 0 of -0.
func unsigned(v float64) float64 { return v + 0 }

func newIISJSON(m *lpfile.Model, bounds []simplex.Bound, irreducible bool) *iisJSON {
	out := &iisJSON{Irreducible: irreducible, Bounds: []boundJSON{}}
	for _, b := range bounds {
		e := boundJSON{Of: "column", Bound: "lower"}
		names, lower, upper := m.ColNames, m.Lo, m.Up
		if b.Row {
			e.Of, names, lower, upper = "row", m.RowNames, m.RowLo, m.RowUp
		}
		e.Name, e.Value = names[b.Index], unsigned(lower[b.Index])
		if b.Upper {
			e.Bound, e.Value = "upper", unsigned(upper[b.Index])
		}
		out.Bounds = append(out.Bounds, e)
	}
	return out
}

// print writes the ranges of costs of all columns and of the bounds that rows have.
func (r *rangingJSON) print(w io.Writer, j *lpJSON, m *lpfile.Model) {
	line, in := linesTo(w, 12), "%s in [%.15g, %.15g]"
	for i, ends := range r.Cost {
		line("cost", in, j.ColumnNames[i], ends[0], ends[1])
	}
	for i := range r.RowLower {
		if !math.IsInf(m.RowLo[i], 0) {
			line("row lower", in, j.RowNames[i], r.RowLower[i][0], r.RowLower[i][1])
		}
		if !math.IsInf(m.RowUp[i], 0) {
			line("row upper", in, j.RowNames[i], r.RowUpper[i][0], r.RowUpper[i][1])
		}
	}
}

// print writes the bounds of a conflict.
func (c *iisJSON) print(w io.Writer) {
	what := "irreducible"
	if !c.Irreducible {
		what = "not known to be irreducible"
	}
	fmt.Fprintf(w, "%-12s%d bounds, %s\n", "conflict", len(c.Bounds), what)
	for _, b := range c.Bounds {
		sense := ">="
		if b.Bound == "upper" {
			sense = "<="
		}
		fmt.Fprintf(w, "%-12s%s %s %.15g\n", b.Of, b.Name, sense, b.Value)
	}
}
