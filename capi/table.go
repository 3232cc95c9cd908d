package main

// #include "types.h"
import "C"

import (
	"fmt"
	"math"
	"sync"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/model"
)

// tables are the caller's tables by their numbers, which are those of no model.
var tables sync.Map // uint64 → *dataset.Set

// tableOptions is the options of skm_table.
type tableOptions struct {
	Columns     string   `json:"columns"`
	Categorical []string `json:"categorical"`
	Drop        []string `json:"drop"`
	Label       string   `json:"label"`
}

// tableAbout is what skm_table tells of a table.
type tableAbout struct {
	Rows     int            `json:"rows"`
	Features int            `json:"features"`
	Notes    *dataset.Notes `json:"notes,omitempty"`
	Text     []string       `json:"text,omitempty"` // as the command prints it
}

//export skm_table
func skm_table(columns *C.skm_the_column, count C.int64_t, targets *C.skm_the_samples, options *C.skm_text,
	table *C.uint64_t, about, text **C.char) C.int {
	return call(text, func() error {
		if columns == nil || targets == nil || options == nil || table == nil {
			return argument("skm_table: columns, targets, options or table is NULL")
		}
		var t tableOptions
		if err := parse(C.GoString(options), &t); err != nil {
			return err
		}
		o := dataset.Options{Guess: t.Columns != "numbers", Missing: dataset.MissingMark, Categorical: t.Categorical,
			Drop: t.Drop}
		if o.Guess && t.Columns != "auto" && t.Columns != "" {
			return argument("options: columns: found %q, want auto or numbers", t.Columns)
		}
		only := C.skm_samples{n: targets.n, y: targets.y, labels: targets.labels, classes: targets.classes,
			values: targets.values}
		given, err := setOf(&only)
		if err != nil {
			return err
		}
		set, err := readTable(columns, count, given, o)
		if err != nil {
			return err
		}
		if t.Label != "" && set.Columns.Named() {
			set.Columns = append(set.Columns, dataset.Column{Name: t.Label, Role: dataset.RoleLabel})
		}
		told := tableAbout{Rows: set.N, Features: set.D, Notes: set.Notes}
		if set.Notes != nil {
			found, written := set.Notes.Found()
			told.Text = append([]string{found}, written...)
		}
		if about != nil {
			b, err := fileformat.Marshal(told)
			if err != nil {
				return err
			}
			*about = C.CString(string(b))
		}
		n := last.Add(1)
		tables.Store(n, set)
		*table = C.uint64_t(n)
		return nil
	})
}

//export skm_table_rows
func skm_table_rows(table C.uint64_t, x *C.double, text **C.char) C.int {
	return call(text, func() error {
		set, err := findTable(uint64(table))
		if err == nil && (x == nil || set.X == nil) {
			err = argument("skm_table_rows: x is NULL, or the rows were written before")
		}
		if err == nil {
			copy(array[float64](x, set.N*set.D), set.X)
			columns := *set
			columns.X = nil
			tables.CompareAndSwap(uint64(table), set, &columns)
		}
		return err
	})
}

// cellsAbout is a column of skm_table_cells.
type cellsAbout struct {
	Column int      `json:"column"`
	Cells  []string `json:"cells"`
}

//export skm_table_cells
func skm_table_cells(table C.uint64_t, x *C.skm_numbers, n C.int64_t, cells, text **C.char) C.int {
	return call(text, func() error {
		set, err := findTable(uint64(table))
		if err != nil {
			return err
		}
		rows, err := matrix(x, int64(n), int64(set.D))
		if err == nil && cells == nil {
			err = argument("skm_table_cells: cells is NULL")
		}
		if err == nil {
			err = room(int(n), set.D, 64*int64(len(set.Columns)))
		}
		if err != nil {
			return err
		}
		var all []cellsAbout
		set.Columns.EachFeatures(func(column *dataset.Column, _, _ int) {
			k := 0
			for &set.Columns[k] != column {
				k++
			}
			all = append(all, cellsAbout{Column: k, Cells: make([]string, 0, n)})
		})
		for i := range int(n) {
			for j, cell := range set.Columns.Cells(rows[i*set.D : (i+1)*set.D]) {
				all[j].Cells = append(all[j].Cells, cell)
			}
		}
		b, err := fileformat.Marshal(all)
		if err == nil {
			*cells = C.CString(string(b))
		}
		return err
	})
}

//export skm_read
func skm_read(m C.skm_model, columns *C.skm_the_column, count, n C.int64_t, x *C.double, about, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		layout := c.Columns()
		switch {
		case columns == nil || x == nil:
			return argument("skm_read: columns or x is NULL")
		case layout == nil:
			return argument("the model was not trained on a table, and has no columns")
		}
		if err := fits(c, int(n), c.NumFeatures()); err != nil {
			return err
		}
		set, err := readTable(columns, count, &dataset.Set{N: int(n)}, dataset.Options{Columns: layout})
		if err != nil {
			return err
		}
		copy(array[float64](x, set.N*set.D), set.X)
		if about != nil {
			b, err := fileformat.Marshal(changedBy(set.Notes))
			if err != nil {
				return err
			}
			*about = C.CString(string(b))
		}
		return nil
	})
}

// changed is what reading rows for a model did: cells of words that the training did not have, and missing ones.
type changed struct {
	Unknown int            `json:"unknown"`
	Filled  map[string]int `json:"filled"`
}

func changedBy(n *dataset.Notes) (c changed) {
	c.Filled = make(map[string]int)
	if n == nil {
		return c
	}
	c.Unknown = n.Unknown
	for _, column := range n.Filled {
		c.Filled[column.Column] = column.Cells
	}
	return c
}

// findTable finds one of the caller's tables.
func findTable(number uint64) (*dataset.Set, error) {
	set, ok := tables.Load(number)
	if !ok {
		return nil, argument("there is no table %d, or it was freed", number)
	}
	return set.(*dataset.Set), nil
}

// ofTable is a model whose features are those of a table, with its columns; 0 leaves it as it is.
func ofTable(c *model.Classifier, number uint64) (*model.Classifier, error) {
	if number == 0 {
		return c, nil
	}
	t, err := findTable(number)
	if err != nil {
		return nil, err
	}
	p := c.Parts()
	p.Columns = t.Columns
	return model.New(p)
}

// withTable gives a set of numbers the columns of the table that they are features of.
func withTable(set *dataset.Set, number uint64) error {
	if number == 0 {
		return nil
	}
	t, err := findTable(number)
	if err == nil && t.D != set.D {
		err = argument("%d features, want %d, as many as the table has", set.D, t.D)
	}
	if err == nil {
		set.Columns, set.Features, set.Notes = t.Columns, t.Features, t.Notes
	}
	return err
}

// readTable reads the caller's columns.
func readTable(columns *C.skm_the_column, count C.int64_t, targets *dataset.Set,
	o dataset.Options) (*dataset.Set, error) {
	const largest = 1 << 20
	if count < 1 || count > largest {
		return nil, argument("%d columns of a table, want 1 to %d", int64(count), largest)
	}
	cells := make([]dataset.Cells, count)
	for j, c := range array[C.skm_column](columns, int(count)) {
		if err := cellsOf(&cells[j], &c, targets.N); err != nil {
			return nil, fmt.Errorf("column %d: %w", j, err)
		}
	}
	set, err := dataset.ReadTable(cells, targets.N, targets, o)
	if err != nil {
		return nil, argument("%w", err)
	}
	return set, nil
}

// roles are what the numbers of a column are, by its kind.
var roles = [...]dataset.Role{C.SKM_NUMBERS: dataset.RoleNumber, C.SKM_TRUTH: dataset.RoleYesNo,
	C.SKM_TIMES: dataset.RoleDate}

// cellsOf is a column of n rows.
func cellsOf(to *dataset.Cells, c *C.skm_column, n int) error {
	if c.name != nil {
		to.Name = C.GoString(c.name)
	}
	if c.kind < 0 || c.kind > C.SKM_WORDS {
		return argument("found the kind %d, want that of numbers, truth values, times or words", int(c.kind))
	}
	if c.kind != C.SKM_WORDS {
		numbers, err := matrix(c.numbers, int64(n), 1)
		to.Numbers, to.Role = numbers, roles[c.kind]
		return err
	}
	start := array[int64](c.start, n+1)
	if start == nil || c.text == nil {
		return argument("text or start is NULL")
	}
	for i := range n {
		if start[i] < 0 || start[i+1] < start[i] || start[i+1] > math.MaxInt64/2 {
			return argument("the cell of row %d is from byte %d to %d", i, start[i], start[i+1])
		}
	}
	text := array[byte](c.text, int(start[n]))
	to.Text = func(row int) []byte { return text[start[row]:start[row+1]:start[row+1]] }
	return nil
}
