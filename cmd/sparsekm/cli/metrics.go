package cli

import (
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/metrics"
)

// ratioText is a share for people; - for 0/0.
func ratioText(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

// printSummary shows what one rate or mean of errors hides, in a line.
func printSummary(w io.Writer, r *metrics.Report) {
	if r.Density != nil {
		fmt.Fprintf(w, "mean log density %.6g\n", *r.LogDensity)
		return
	}
	if r.Regression != nil {
		fmt.Fprintf(w, "MAE %.6g", *r.MAE)
		if r.R2 != nil {
			fmt.Fprintf(w, ", R² %.4f", *r.R2)
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "balanced accuracy %s", ratioText(r.BalancedAccuracy))
	if r.AUC != nil {
		fmt.Fprintf(w, ", AUC %.4f", *r.AUC)
	}
	if r.LogLoss != nil {
		fmt.Fprintf(w, ", log loss %.4f", *r.LogLoss)
	}
	fmt.Fprintln(w)
}

// printMetrics adds a line a class, of up to 26.
func printMetrics(w io.Writer, r *metrics.Report) {
	printSummary(w, r)
	const most = 26
	if r.Classification == nil || len(r.Classes) > most {
		return
	}
	for _, c := range r.Classes {
		fmt.Fprintf(w, "  %-12s %8d samples, precision %s, recall %s, F1 %s\n", c.Label, c.Points, ratioText(c.Precision),
			ratioText(c.Recall), ratioText(c.F1))
	}
}
