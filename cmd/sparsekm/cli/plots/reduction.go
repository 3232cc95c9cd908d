package plots

import (
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sparsekm/sparsekm/reduce"
)

// ReductionFormats are the file endings that a plot can have.
var ReductionFormats = []string{".png", ".svg", ".pdf", ".eps", ".jpg"}

// Reduction draws error and disagreement with the full model against the number of
// vectors, in one of the ReductionFormats, without its dot.
func Reduction(w io.Writer, format string, r *reduce.Report) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "support vectors", "% of the samples"
	p.Y.Min = 0
	p.Legend.Top = true
	errors, changed := make(plotter.XYs, len(r.Curve)), make(plotter.XYs, len(r.Curve))
	for i, q := range r.Curve {
		errors[i] = plotter.XY{X: float64(q.SV), Y: 100 * q.Error}
		changed[i] = plotter.XY{X: float64(q.SV), Y: 100 * (1 - q.Agreement)}
	}
	for _, curve := range []struct {
		name   string
		points plotter.XYs
		dashes []vg.Length
	}{
		{"error", errors, nil},
		{"class changed", changed, []vg.Length{vg.Points(4), vg.Points(3)}},
	} {
		line, err := plotter.NewLine(curve.points)
		if err != nil {
			return err
		}
		line.Dashes = curve.dashes
		p.Add(line)
		p.Legend.Add(curve.name, line)
	}
	for i, q := range r.Curve {
		if q.SV == r.SVAfter {
			mark, err := plotter.NewScatter(errors[i : i+1])
			if err != nil {
				return err
			}
			p.Add(mark)
			p.Legend.Add(fmt.Sprintf("%d of %d vectors", r.SVAfter, r.SVBefore), mark)
		}
	}
	picture, err := p.WriterTo(16*vg.Centimeter, 10*vg.Centimeter, format)
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(w)
	return err
}
