package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/sparsekm/sparsekm/reduce"
)

// writeCurve writes every stage of a reduction as CSV.
func writeCurve(w io.Writer, curve []reduce.Point) error {
	out := csv.NewWriter(w)
	out.Write([]string{"sv", "hinge_increase", "error", "agreement", "us"}) // Flush reports errors
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, p := range curve {
		out.Write([]string{strconv.Itoa(p.SV), number(p.HingeIncrease), number(p.Error), number(p.Agreement),
			number(p.Micros)})
	}
	out.Flush()
	return out.Error()
}

// print writes the report for people: a table of a few stages, then the result.
func (j *reduceJSON) print(w io.Writer) {
	if len(j.Curve) > 0 {
		t := newTable("vectors", "hinge loss", "error", "agreement", "µs/prediction")
		if j.Values != nil { // in deviations, and the share of variance kept
			t = newTable("vectors", "RMSE", "RMSE", "variance", "µs/prediction")
		}
		for i, p := range stages(j.Curve, j.SVAfter) {
			mark := ""
			if p.SV == j.SVAfter && i > 0 {
				mark = " ◀"
			}
			t.AppendRow(table.Row{p.SV, fmt.Sprintf("%+.4g", p.HingeIncrease), percent(p.Error), percent(p.Agreement),
				fmt.Sprintf("%.3g%s", p.Micros, mark)})
		}
		fmt.Fprintln(w, t.Render())
	}
	fmt.Fprintf(w, "%d vectors before, %d after (%d were repetitions); stopped by %s; %s\n", j.SVBefore, j.SVAfter,
		j.Merged, j.Stopped, seconds(j.Seconds.Reduce))
	if j.MicrosAfter > 0 {
		fmt.Fprintf(w, "%.3g µs a prediction before, %.3g µs after\n", j.MicrosBefore, j.MicrosAfter)
	}
	if m := j.Compared; m != nil {
		fmt.Fprintf(w, "error %s before, %s after: change %+.2f samples, 95 %% interval %+.2f to %+.2f; McNemar p = %.3g\n",
			percent(m.ErrorBefore), percent(m.ErrorAfter), 100*(m.ErrorAfter-m.ErrorBefore), 100*m.Low, 100*m.High, m.PValue)
		fmt.Fprintf(w, "%s of the samples keep their class\n", percent(m.Agreement))
	}
	if v := j.Values; v != nil {
		fmt.Fprintf(w, "RMSE %.4g before, %.4g after, of values with a deviation of %.4g\n", v.RMSEBefore, v.RMSEAfter,
			v.Deviation)
		fmt.Fprintf(w, "%s of the variance of the given model's values is kept\n", percent(v.Kept))
	}
	if a := j.VectorAgreement; a != nil {
		fmt.Fprintf(w, "%s of the given model's vectors keep their class\n", percent(*a))
	}
	if a := j.TeacherAgreement; a != nil {
		text := "%s of the samples have the class that the teacher gives them\n"
		if j.Values != nil {
			text = "%s of the variance of the teacher's values is kept\n"
		}
		fmt.Fprintf(w, text, percent(*a))
	}
	for _, text := range []string{j.Message, j.Refit} {
		if text != "" {
			fmt.Fprintln(w, text)
		}
	}
	if j.PlattStale {
		fmt.Fprintln(w, "the model's probabilities were fitted to the old decisions; --calibrate fits them to the new ones")
	}
}

// stages picks the first sample of a curve, every halving of its vectors, and the result.
func stages(curve []reduce.Point, result int) []reduce.Point {
	var some []reduce.Point
	next := math.MaxInt
	for _, p := range curve {
		if p.SV <= next || p.SV == result {
			some = append(some, p)
		}
		if p.SV <= next {
			next = p.SV / 2
		}
	}
	slices.SortStableFunc(some, func(a, b reduce.Point) int { return b.SV - a.SV })
	return some
}
