package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/status"
)

const gridIntroduction = `# Every method on a grid of C and γ

Written by ` + "`go run ./bench/peers grid`" + `: five sets, z-scored, one thread.
C is from 0.01 to 1e5, γ is 0.1, 1 and 10 times ` + "`scale`" + `.
A cell is one training. For waveform it is the worst of three one-vs-rest submodels.
Gap, violation and residual are recomputed by ` + "`internal/testing/check`" + `.
The columns have the largest of the optimal cells. The report gives the dual objective, and the violation of linear
programs and SSVC-A. SVC stops at a violation and a relative gap of 1e-3. For LSSVM, C is gamma_reg.
A training is cancelled after 10 s of CPU time. "At the limit" means the stated rounding limit.

`

// writeGrid writes the page and the file of the cells that are not good, and the summary to standard output.
func writeGrid(docs string, cells []cell) error {
	summarise(os.Stdout, cells)
	var b bytes.Buffer
	b.WriteString(gridIntroduction)
	fmt.Fprintf(&b, "%s, level %s, %s.\n\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version())
	summarise(&b, cells)
	failed := failedRows(cells)
	if len(failed) > 0 {
		fmt.Fprint(&b, "[These cells](../results/grid.tsv)\n")
	}
	var file bytes.Buffer
	for _, line := range slices.Concat([][]string{gridColumns}, failed) {
		fmt.Fprintln(&file, strings.Join(line, "\t"))
	}
	if err := os.WriteFile(filepath.Join(docs, "results", "grid.tsv"), file.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "performance", "grid.md"), b.Bytes(), 0o644)
}

func writeRow(w io.Writer, columns ...string) {
	fmt.Fprintln(w, "| "+strings.Join(columns, " | ")+" |")
}

// figure writes a number with one digit; nothing if there is none.
func figure(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'e', 0, 64)
}

// gridColumns are those of the file of cells that are neither optimal nor at the limit.
var gridColumns = []string{"method", "set", "γ / scale", "C", "status", "ms", "gap", "violation", "residual",
	"support vectors", "errors"}

// line is a cell in one row of that file.
func (c *cell) line() []string {
	how := c.Status
	if c.Message != "" {
		how += ": " + c.Message
	}
	return []string{c.Method, c.Set, fmt.Sprint(c.Factor), fmt.Sprint(c.C), how, fmt.Sprintf("%.0f", 1000*c.Seconds),
		figure(c.Gap), figure(c.Violation), figure(c.Residual), strconv.Itoa(c.Vectors), fmt.Sprintf("%.1f %%", 100*c.Error)}
}

// failedRows are the cells that are neither optimal nor at the limit, method by method.
func failedRows(cells []cell) (rows [][]string) {
	for _, method := range gridMethods {
		for i := range cells {
			if c := &cells[i]; c.Method == method && !c.good() {
				rows = append(rows, c.line())
			}
		}
	}
	return rows
}

// summariseFailed writes how many cells of a method ended with a status, on which sets and for which C, and the largest
// of their figures.
func summariseFailed(w io.Writer, rows [][]string) {
	fmt.Fprint(w, "\nCells that are neither optimal nor at the limit, with the largest of their figures:\n\n")
	writeRow(w, "method", "status", "cells", "sets", "C", "violation", "residual")
	writeRow(w, slices.Repeat([]string{"---"}, 7)...)
	key := func(row []string) string {
		how, _, _ := strings.Cut(row[4], ":")
		return row[0] + " | " + how
	}
	var done []string
	for _, row := range rows {
		if slices.Contains(done, key(row)) {
			continue
		}
		done = append(done, key(row))
		same := slices.DeleteFunc(slices.Clone(rows), func(o []string) bool { return key(o) != key(row) })
		column := func(j int) (all []string, numbers []float64) {
			for _, o := range same {
				if v, err := strconv.ParseFloat(o[j], 64); err == nil {
					numbers = append(numbers, v)
				}
				if o[j] != "" && !slices.Contains(all, o[j]) {
					all = append(all, o[j])
				}
			}
			return all, numbers
		}
		largest := func(j int) string {
			_, numbers := column(j)
			if len(numbers) == 0 {
				return ""
			}
			highest := slices.Max(numbers)
			return figure(&highest)
		}
		sets, _ := column(1)
		_, costs := column(3)
		cost := fmt.Sprint(slices.Min(costs))
		if most := slices.Max(costs); most > slices.Min(costs) {
			cost += fmt.Sprint(" to ", most)
		}
		writeRow(w, key(row), strconv.Itoa(len(same)), strconv.Itoa(len(sets)), cost, largest(7), largest(8))
	}
	fmt.Fprintln(w)
}

// gridSummary is what one method's cells ended with.
type gridSummary struct {
	ms                       []float64
	optimal, limit, slow     int // cells that are optimal, at the rounding limit, above 1 s
	gap, violation, residual *float64
}

// add takes a cell into the summary.
func (s *gridSummary) add(c *cell) {
	s.ms = append(s.ms, 1000*c.Seconds)
	if c.Seconds > 1 {
		s.slow++
	}
	switch c.Status {
	case roundingLimit:
		s.limit++
	case status.Optimal.String():
		s.optimal++
		s.gap, s.violation = largerFigure(s.gap, c.Gap), largerFigure(s.violation, c.Violation)
		s.residual = largerFigure(s.residual, c.Residual)
	}
}

// largerFigure returns the larger of two figures, of which either may be absent.
func largerFigure(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// summarise writes what each method's cells ended with, and those that are neither optimal nor at the rounding limit.
func summarise(w io.Writer, cells []cell) {
	writeRow(w, "method", "cells", "optimal", "at the limit", "other", "median ms", "slowest ms", "over 1 s", "gap",
		"violation", "residual")
	writeRow(w, slices.Repeat([]string{"---"}, 11)...)
	var total float64
	for _, method := range gridMethods {
		var s gridSummary
		for i := range cells {
			c := &cells[i]
			if c.Method != method {
				continue
			}
			s.add(c)
			total += c.Seconds
		}
		if n := len(s.ms); n > 0 {
			slices.Sort(s.ms)
			writeRow(w, method, strconv.Itoa(n), strconv.Itoa(s.optimal), strconv.Itoa(s.limit),
				strconv.Itoa(n-s.optimal-s.limit), fmt.Sprintf("%.1f", s.ms[n/2]), fmt.Sprintf("%.0f", s.ms[n-1]),
				strconv.Itoa(s.slow), figure(s.gap), figure(s.violation), figure(s.residual))
		}
	}
	fmt.Fprintf(w, "\n%d cells, %.0f s of CPU time of the slowest submodels together.\n", len(cells), total)
	if failed := failedRows(cells); len(failed) > 0 {
		summariseFailed(w, failed)
	}
}
