package papers

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
)

// pelegFigures are Fig. 1 and 3, which follow from a formula and from Tables 4 to 7.
func pelegFigures() []*Table {
	return []*Table{pelegFormula(), pelegPairs()}
}

const pelegTitle = "Peleg & Meir (2009), "

func pelegFormula() *Table {
	return &Table{
		Name: "peleg-fig1", Title: pelegTitle + "Fig. 1: the penalty h(α, δ)",
		Protocol: "h = 1 − (1 − α)^(8 ln n/δ²) for α from 0 to 1/n; e_n = n h(1/n), all coefficients equal.",
		Of:       []string{"n", "δ"}, Paper: []string{"e_n"},
		Ours: []string{"h at 0.25/n", "at 0.5/n", "at 0.75/n", "at 1/n", "h(0.5/n) : h(1/n)", "e_n"}, Rows: pelegPenaltyRows(),
		By:         []string{},
		Deviations: []string{"n and δ are ours. h is less concave for a larger δ, as the paper says."},
		run:        pelegFig1,
	}
}

func pelegPairs() *Table {
	return &Table{
		Name: "peleg-fig3", Title: pelegTitle + "Fig. 3: skm against the other methods",
		Protocol: "The figure shows the means of Tables 4 to 7.",
		Of:       []string{"kernel", "data", "other"}, Paper: []string{"error of skm", "of the other", "vectors of skm", "of the other one"},
		Ours: []string{"error of skm", "of the other", "vectors of skm", "of the other one"}, Rows: pelegPairRows(),
		By: []string{}, run: pelegFig3,
	}
}

var (
	pelegNumbers = []int{10, 100, 1000}
	pelegMargins = []float64{0.5, 1}
)

func pelegPenaltyRows() []Row {
	var rows []Row
	for _, n := range pelegNumbers {
		for _, delta := range pelegMargins {
			printed := nothing
			if n == 1000 && delta == 0.5 {
				printed = "198.41"
			}
			rows = append(rows, Row{[]string{strconv.Itoa(n), fmt.Sprint(delta)}, []string{printed}, Drawn, "skm"})
		}
	}
	return rows
}

// pelegPenalty is h of Theorem 2.1.
func pelegPenalty(alpha float64, n int, delta float64) float64 {
	return -math.Expm1(8 * math.Log(float64(n)) / (delta * delta) * math.Log1p(-alpha))
}

func pelegFig1(_ context.Context, r *Result, _ *Env) error {
	const steps = 40
	r.Curves = &plots.Lines{X: "α n", Y: "h(α, δ)"}
	for i := range r.Rows {
		n, delta := pelegNumbers[i/len(pelegMargins)], pelegMargins[i%len(pelegMargins)]
		line := plots.Line{Name: fmt.Sprintf("n = %d, δ = %g", n, delta)}
		for k := range steps + 1 {
			share := float64(k) / steps
			line.X = append(line.X, share)
			line.Y = append(line.Y, pelegPenalty(share/float64(n), n, delta))
		}
		r.Curves.Lines = append(r.Curves.Lines, line)
		for _, k := range []int{steps / 4, steps / 2, 3 * steps / 4, steps} {
			r.Ours[i] = append(r.Ours[i], fmt.Sprintf("%.4f", line.Y[k]))
		}
		largest := line.Y[steps]
		r.Ours[i] = append(r.Ours[i], fmt.Sprintf("%.3f", line.Y[steps/2]/largest), fmt.Sprintf("%.2f", float64(n)*largest))
	}
	return nil
}

func pelegPairRows() []Row {
	var rows []Row
	mean := func(cell string) string {
		number, _, _ := strings.Cut(cell, " ")
		return number
	}
	for k, kernel := range pelegKernels {
		for _, set := range pelegSets {
			for m, other := range pelegMethods[:3] {
				errors, vectors := set.cells[k][0], set.cells[k][1]
				rows = append(rows, Row{[]string{kernel, set.name, other},
					[]string{mean(errors[3]), mean(errors[m]), mean(vectors[3]), mean(vectors[m])}, set.file, other})
			}
		}
	}
	return rows
}

func pelegFig3(ctx context.Context, r *Result, e *Env) error {
	return r.files(func(file string, rows []int) error {
		set, splits, widest, err := e.pelegFile(r, file)
		if err != nil {
			return err
		}
		for _, i := range rows {
			row, sets := &r.Rows[i], []*dataset.Set{set}
			skm, _, err := e.pelegTrials(ctx, r, "skm", row.Of[0], file, sets, splits, widest)
			if err != nil {
				return err
			}
			other, _, err := e.pelegTrials(ctx, r, row.Method, row.Of[0], file, sets, splits, widest)
			if err != nil {
				return err
			}
			for _, v := range [][]float64{skm.error, other.error, skm.vectors, other.vectors} {
				r.Ours[i] = append(r.Ours[i], fmt.Sprintf("%.1f", stat.Mean(v, nil)))
			}
		}
		return nil
	})
}
