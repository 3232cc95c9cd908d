package cli

import (
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/metrics"
)

// twoClass returns the decisions for class 1 of two, nil of several.
func (p *predictions) twoClass() []float64 {
	if p.clf.NumClasses() != 2 || p.clf.NumMachines() != 1 || p.clf.PositiveLabel(0) != p.clf.Label(1) {
		return nil
	}
	return p.decisions
}

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
