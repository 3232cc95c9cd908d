// Package papers has the tables and figures of the papers that this module implements: what data each needs, its
// protocol, what the paper prints, and how to find our figures. A paper is a file, a table a value in it.
package papers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
	"github.com/sparsekm/sparsekm/modelselect"
)

// Table is a table or a figure of a paper.
type Table struct {
	Name       string // such as huang-table2
	Title      string // paper, number, and what it is of
	Protocol   string
	Deviations []string // from the paper, and why; a line each
	About      []about  // deviations that follow from some data
	Data       []string // files of the catalogue
	// Of, Paper and Ours are the columns: what a row is of, what the paper prints of it, what we find.
	Of, Paper, Ours []string
	Rows            []Row
	// By are the columns of Of, perhaps none, by which the page sums up a long table over the others, which Over names;
	// nil for all rows. Without Over the page has a link to the rows.
	By   []string
	Over string
	// SideBySide has a name and a column that the page has next to the printed one, of the rows that end with the name.
	SideBySide [2]string
	run        func(ctx context.Context, r *Result, e *Env) error
}

// about is a deviation of a table that holds where a file was there, or where samples were drawn in its place.
type about struct {
	file  string
	drawn bool
	text  string
}

// Row is a line of a table.
type Row struct {
	Of, Paper []string
	// Data is the file that the row needs. Rows of files that are not there are not made.
	Data string
	// Method is who makes our part of the row, by the name of the command; "" for a method that this module does not have.
	Method string
}

// Result is a table with our part of it.
type Result struct {
	*Table
	Ours   [][]string   // by row; nil where there is nothing
	Notes  []string     // what this run did otherwise: data that were not there, a stop
	Curves *plots.Lines // nil for none
	Panels []Panel

	absent, drawn []string // files
}

// tables are all there are, in the order of the papers.
func tables() []*Table {
	return slices.Concat(huangPriors(), huang(), huangNext(), kobayashi(), peleg(), pelegFigures(), suykens(), abe())
}

// Names lists the tables.
func Names() []string {
	var names []string
	for _, t := range tables() {
		names = append(names, t.Name)
	}
	return names
}

// All returns all tables.
func All() []*Table { return tables() }

// Lookup returns the table of the name.
func Lookup(name string) (*Table, error) {
	for _, t := range tables() {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("papers: no table %q (have %s)", name, strings.Join(Names(), ", "))
}

// Env is what tables are made with.
type Env struct {
	Folders []string // where data are looked for, the first first
	Quick   bool     // fewer repetitions
	Threads int      // 0 means GOMAXPROCS
	Memory  int64    // budget in bytes of a training; 0 means [learn.DefaultMemory]
	// Ledger has the runs of searches; nil keeps none.
	Ledger *modelselect.Ledger
	// Progress is called now and then; may be nil.
	Progress func(learn.Event)

	made map[string]*trials // what tables of a paper have in common, by paper, file, kernel and method
}

// Run makes our part of the table. When ctx ends, the error is its, and the result has what there is.
func (t *Table) Run(ctx context.Context, e *Env) (*Result, error) {
	r := &Result{Table: t, Ours: make([][]string, len(t.Rows))}
	if e.Quick {
		r.note("Fewer repetitions than the protocol has (quick).")
	}
	err := t.run(ctx, r, e)
	for _, a := range t.About {
		if slices.Contains(r.drawn, a.file) == a.drawn && !slices.Contains(r.absent, a.file) {
			r.note("%s", a.text)
		}
	}
	if len(r.absent) > 0 {
		r.note("%s: %s.", leftOut, strings.Join(r.absent, ", "))
	}
	if len(r.drawn) > 0 {
		r.note("%s: %s.", wereDrawn, strings.Join(r.drawn, ", "))
	}
	if ctx.Err() != nil {
		r.note("Stopped on the way.")
		return r, ctx.Err()
	}
	return r, err
}

// leftOut and wereDrawn begin the notes of files that were not there.
const leftOut, wereDrawn = "Left out", "Drawn"

// note adds a note once.
func (r *Result) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// missing takes note of data that are not there, and returns every other error.
func (r *Result) missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		r.absent = append(r.absent, file)
		return nil
	}
	return err
}

// files calls f for every file that rows need, in their order, with the numbers of its rows, and takes note of a file
// that is not there.
func (r *Result) files(f func(file string, rows []int) error) error {
	var order []string
	rows := make(map[string][]int)
	for i := range r.Rows {
		file := r.Rows[i].Data
		if rows[file] == nil {
			order = append(order, file)
		}
		rows[file] = append(rows[file], i)
	}
	for _, file := range order {
		if err := f(file, rows[file]); err != nil {
			if err = r.missing(file, err); err != nil {
				return fmt.Errorf("%s, %s: %w", r.Name, file, err)
			}
		}
	}
	return nil
}

// sets calls f for every file that rows need, with its samples, as [Result.files] does.
func (e *Env) sets(r *Result, f func(file string, set *dataset.Set, rows []int) error) error {
	return r.files(func(file string, rows []int) error {
		set, err := e.set(r, file)
		if err != nil {
			return err
		}
		return f(file, set, rows)
	})
}

// show tells how far a table is.
func (e *Env) show(r *Result, done, total int, what string) {
	if e.Progress != nil {
		e.Progress(learn.Event{Phase: r.Name, Done: float64(done) / float64(total), Step: done, Text: what})
	}
}

// times is a number of repetitions, or fewer where they should be quick.
func (e *Env) times(n, quick int) int {
	if e.Quick {
		return min(n, quick)
	}
	return n
}

// known reports whether this module has the row's method.
func (r *Row) known() bool {
	_, err := sparsekm.Lookup(r.Method)
	return err == nil
}
