package cli

import (
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/metrics"
)

// printMetrics shows what one rate of errors hides: a line a class, of up to 26.
func printMetrics(w io.Writer, r *metrics.Report) {
	share := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.3f", *v)
	}
	fmt.Fprintf(w, "balanced accuracy %s", share(r.BalancedAccuracy))
	if r.AUC != nil {
		fmt.Fprintf(w, ", AUC %.4f", *r.AUC)
	}
	if r.LogLoss != nil {
		fmt.Fprintf(w, ", log loss %.4f", *r.LogLoss)
	}
	fmt.Fprintln(w)
	const most = 26
	if len(r.Classes) > most {
		return
	}
	for _, c := range r.Classes {
		fmt.Fprintf(w, "  %-12s %8d points, precision %s, recall %s, F1 %s\n", c.Label, c.Points, share(c.Precision),
			share(c.Recall), share(c.F1))
	}
}
