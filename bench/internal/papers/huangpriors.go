package papers

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// huangPriors is Fig. 1.
func huangPriors() []*Table {
	row := func(norm, prior, density, claim, method string) Row {
		return Row{[]string{norm, prior}, []string{density, claim}, "ripley.train.libsvm", method}
	}
	return []*Table{{
		Name: "huang-fig1", Title: "Huang et al. (2010), Fig. 1: priors of a coefficient",
		Protocol: "Coefficients that are not 0, of Ripley's 250 samples and the bias; σ = 0.5, C = 1.",
		Of:       []string{"norm", "prior"}, Paper: []string{"p(α)", "coefficients"},
		Ours: []string{"p(0)", "p(0.5)", "p(1)", "p(2)", "p(3)", "coefficients"}, By: []string{},
		Rows: []Row{
			row("L2", "Gaussian", "exp(−α²/2)/√(2π)", "near 0", "ssvc-a"),
			row("L1", "Laplacian", "exp(−abs α)/2", "many 0", "ssvc-b"),
			row("L0", "pulse", "exp(−[α ≠ 0]), not normed", "nearly all 0", "ssvc-a"),
		},
		Deviations: []string{"We have no picture, only the formulas. L2 is the first round of ssvc-a, L1 that of ssvc-b, L0 the " +
			"last one of ssvc-a."},
		run: huangFig1,
	}}
}

// huangDensities are the priors' densities; that of the pulse is not normed.
var huangDensities = []func(alpha float64) float64{
	func(a float64) float64 { return math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) },
	func(a float64) float64 { return math.Exp(-math.Abs(a)) / 2 },
	func(a float64) float64 {
		if a == 0 {
			return 1
		}
		return math.Exp(-1)
	},
}

func huangFig1(ctx context.Context, r *Result, e *Env) error {
	r.Curves = &plots.Lines{X: "α", Y: "p(α)"}
	return e.sets(r, func(file string, set *dataset.Set, rows []int) error {
		for _, i := range rows {
			values := learn.Values{"c": 1.0}
			if i == 0 {
				values["max_iter"] = 1 // the last round allowed drops no coefficient
			}
			report, err := e.huangRounds(ctx, set, r.Rows[i].Method, values)
			if err != nil {
				return err
			}
			rounds := report.Submodels[0].Report.Rounds
			last := rounds[0]
			if i == len(rows)-1 {
				last = rounds[len(rounds)-1]
			}
			line := plots.Line{Name: r.Rows[i].Of[1]}
			for k := -60; k <= 60; k++ {
				line.X = append(line.X, float64(k)/20)
				line.Y = append(line.Y, huangDensities[i](float64(k)/20))
			}
			r.Curves.Lines = append(r.Curves.Lines, line)
			for _, a := range []float64{0, 0.5, 1, 2, 3} {
				r.Ours[i] = append(r.Ours[i], fmt.Sprintf("%.4f", huangDensities[i](a)))
			}
			r.Ours[i] = append(r.Ours[i], fmt.Sprintf("%d of %d", last.Nonzeros, set.N+1))
		}
		return nil
	})
}
