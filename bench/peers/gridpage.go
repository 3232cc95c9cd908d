package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

const gridIntroduction = `# The grid: every method at every C and γ

Written by "go run ./bench/peers grid": five sets, z-scored, C from 0.01 to 1e5, γ of a tenth, one
and ten times "scale", one thread. A cell is one training, of three machines for "gen waveform"
(one class against the rest; the worst figures are shown). Gap (of the objective), violation,
residual and errors are recomputed from the machine by internal/testing/check, which knows the
methods' definitions and none of their solvers; the dual objective and the violation of a linear
program, and of SSVC-A, are the report's. A machine whose figures do not bear out its "optimal" is "not
as reported". SVC stops by LIBSVM's rule, a violation of 1e-3, which bounds no gap. For LSSVM, C
is gamma_reg. PFSALS takes points until the next one adds less than its eta. "Cancelled" is at
the processor time that a machine may take, 10 s. ms is that of the slowest machine of the cell.

`

// writeGrid writes the page, and its summary to standard output.
func writeGrid(name string, cells []cell) error {
	summarise(os.Stdout, cells)
	var b bytes.Buffer
	b.WriteString(gridIntroduction)
	fmt.Fprintf(&b, "%s, level %s, %s.\n\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version())
	summarise(&b, cells)
	for _, method := range gridMethods {
		fmt.Fprintf(&b, "\n## %s\n\n", method)
		writeRow(&b, strings.Split("set,γ / scale,C,status,ms,gap,violation,residual,SVs,errors", ",")...)
		writeRow(&b, slices.Repeat([]string{"---"}, 10)...)
		for i := range cells {
			if c := &cells[i]; c.Method == method {
				writeRow(&b, c.columns()...)
			}
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func writeRow(w io.Writer, columns ...string) {
	fmt.Fprintln(w, "| "+strings.Join(columns, " | ")+" |")
}

// columns are a cell's, the method left out.
func (c *cell) columns() []string {
	figure := func(f *float64) string {
		if f == nil {
			return ""
		}
		return strconv.FormatFloat(*f, 'e', 0, 64)
	}
	how := c.Status
	if c.Message != "" {
		how += ": " + c.Message
	}
	return []string{c.Set, fmt.Sprint(c.Factor), fmt.Sprint(c.C), strings.ReplaceAll(how, "|", "\\|"),
		fmt.Sprintf("%.0f", 1000*c.Seconds),
		figure(c.Gap), figure(c.Violation), figure(c.Residual), strconv.Itoa(c.Vectors),
		fmt.Sprintf("%.1f %%", 100*c.Error)}
}

// line is a cell in one row of a table.
func (c *cell) line() string {
	return "| " + strings.Join(append([]string{c.Method}, c.columns()...), " | ") + " |"
}

// summarise writes what each method's cells ended with, the slowest cells and those that failed.
func summarise(w io.Writer, cells []cell) {
	writeRow(w, "method", "cells", "optimal", "rounding limit", "other", "median ms", "slowest ms", "over 1 s")
	writeRow(w, slices.Repeat([]string{"---"}, 8)...)
	var total float64
	var failed []cell
	for _, method := range gridMethods {
		var ms []float64
		count := make(map[string]int)
		slow := 0
		for _, c := range cells {
			if c.Method != method {
				continue
			}
			ms = append(ms, 1000*c.Seconds)
			count[c.Status]++
			if total += c.Seconds; c.Seconds > 1 {
				slow++
			}
			if !c.good() {
				failed = append(failed, c)
			}
		}
		if len(ms) == 0 {
			continue
		}
		slices.Sort(ms)
		writeRow(w, method, strconv.Itoa(len(ms)), strconv.Itoa(count["optimal"]), strconv.Itoa(count[roundingLimit]),
			strconv.Itoa(len(ms)-count["optimal"]-count[roundingLimit]), fmt.Sprintf("%.1f", ms[len(ms)/2]),
			fmt.Sprintf("%.0f", ms[len(ms)-1]), strconv.Itoa(slow))
	}
	fmt.Fprintf(w, "\n%d cells, %.0f s of slowest machines together.\n", len(cells), total)
	slowest := slices.SortedFunc(slices.Values(cells), func(a, b cell) int { return cmp.Compare(b.Seconds, a.Seconds) })
	cellTable(w, "The slowest cells", slowest[:min(12, len(slowest))])
	cellTable(w, "Cells that are neither optimal nor at the stated rounding limit", failed)
}

// cellTable writes cells of several methods; nothing if there are none.
func cellTable(w io.Writer, about string, cells []cell) {
	if len(cells) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n\n", about)
	writeRow(w, strings.Split("method,set,γ / scale,C,status,ms,gap,violation,residual,SVs,errors", ",")...)
	writeRow(w, slices.Repeat([]string{"---"}, 11)...)
	for _, c := range cells {
		fmt.Fprintln(w, c.line())
	}
}
