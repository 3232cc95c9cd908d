package plots

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model/predict"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/reduce"
)

// line adds a line in a class's colour.
func (p *Picture) line(name string, class int, points plotter.XYs) error {
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Color, l.Width = p.classColour(class), vg.Points(1.6)
	if class >= len(p.class) { // a colour for the second time
		l.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
	return nil
}

func logarithmic(a *plot.Axis) { a.Scale, a.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1} }

// Spectrum draws the coefficients of each model by size, on a logarithmic scale (Suykens et al. 2000, Fig. 2).
func (p *Picture) Spectrum(clf *sparsekm.Classifier) (*Picture, error) {
	p.Title.Text = fmt.Sprintf("%s: sizes of the coefficients", cmp.Or(clf.Method(), "an unknown method"))
	p.X.Label.Text, p.Y.Label.Text = "vector, by size", "|coefficient|"
	logarithmic(&p.Y)
	p.Legend.Top = true
	machines := clf.Parts().Submodels
	drawn := false
	for k := range machines {
		var sizes []float64
		for _, c := range machines[k].Coef {
			if c != 0 {
				sizes = append(sizes, math.Abs(c))
			}
		}
		slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
		points := make(plotter.XYs, len(sizes))
		for i, v := range sizes {
			points[i] = plotter.XY{X: float64(i + 1), Y: v}
		}
		if len(points) == 0 {
			continue
		}
		drawn = true
		name := ""
		if len(machines) > 1 {
			name = clf.PositiveLabel(k)
		}
		if err := p.line(name, k, points); err != nil {
			return nil, err
		}
	}
	if !drawn {
		return nil, fmt.Errorf("the model has no coefficients")
	}
	return p, nil
}

// ROC draws the share of each class that the positive one is said of, over all thresholds.
func (p *Picture) ROC(clf *sparsekm.Classifier, set *dataset.Set) (*Picture, error) {
	if m := clf.NumSubmodels(); m != 1 {
		return nil, fmt.Errorf("a picture of kind roc wants a model of two classes, this one has %d models", m)
	}
	class := set.ClassOf(clf.Labels())
	f := make([]float64, set.N)
	clf.DecideBatch(f, set.X, set.N, 0)
	positive := slices.Index(clf.Labels(), clf.PositiveLabel(0))
	order := make([]int, 0, set.N)
	var pos, neg float64
	for i, c := range class {
		switch {
		case c == positive:
			pos++
		case c >= 0:
			neg++
		default:
			continue
		}
		order = append(order, i)
	}
	if pos == 0 || neg == 0 {
		return nil, fmt.Errorf("a picture of kind roc wants labelled samples of both classes")
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
	points := plotter.XYs{{X: 0, Y: 0}}
	var hit, miss, area float64
	for k, i := range order {
		if class[i] == positive {
			hit++
		} else {
			miss++
		}
		if k+1 == len(order) || f[order[k+1]] != f[i] { // samples of one decision come together
			last, next := points[len(points)-1], plotter.XY{X: miss / neg, Y: hit / pos}
			area += (next.X - last.X) * (next.Y + last.Y) / 2
			points = append(points, next)
		}
	}
	p.Title.Text = fmt.Sprintf("area under the curve %.4f", area)
	p.X.Label.Text, p.Y.Label.Text = "false positives", "true positives"
	if err := p.diagonal(); err != nil {
		return nil, err
	}
	return p, p.line("", 0, points)
}

// diagonal makes the picture a unit square with a dashed diagonal.
func (p *Picture) diagonal() error {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	line.Color, line.Dashes = p.ink, []vg.Length{vg.Points(2), vg.Points(3)}
	p.Add(line)
	return nil
}

// Lines is a picture of lines.
type Lines struct {
	X, Y       string // the axes
	LogX, LogY bool
	Lines      []Line
}

// Line is one of [Lines].
type Line struct {
	Name string
	X, Y []float64
}

// Lines draws lines.
func (p *Picture) Lines(c *Lines) (*Picture, error) {
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	if c.LogX {
		logarithmic(&p.X)
	}
	if c.LogY {
		logarithmic(&p.Y)
	}
	p.Legend.Top = true
	for k, l := range c.Lines {
		points := make(plotter.XYs, len(l.X))
		for i := range points {
			points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
		}
		if err := p.line(l.Name, k, points); err != nil {
			return nil, err
		}
	}
	if len(c.Lines) > 3 && !c.LogX {
		p.X.Max += 0.25 * (p.X.Max - p.X.Min) // for the names, next to the lines
	}
	return p, nil
}

// Front draws the mean error of every setting against its vectors, a colour a set, and what no other beats in both.
func (p *Picture) Front(c *modelselect.Comparison) (*Picture, error) {
	p.X.Label.Text, p.Y.Label.Text = "vectors", "error (%)"
	logarithmic(&p.X)
	p.Legend.Top = true
	for k, row := range c.Cells {
		var points plotter.XYs
		var names []string
		for _, x := range row {
			if x != nil && x.Failed == "" {
				points = append(points, plotter.XY{X: max(x.Vectors, 0.5), Y: 100 * x.Mean})
				names = append(names, x.Setting)
			}
		}
		if len(points) == 0 {
			continue
		}
		marks, err := p.dots(points, p.classColour(k), vg.Points(2.5), draw.CircleGlyph{})
		if err != nil {
			return nil, err
		}
		p.Legend.Add(c.Sets[k], marks)
		if err = p.line("", k, stairs(points)); err != nil {
			return nil, err
		}
		const few = 12
		if len(points) > few {
			continue
		}
		labels, err := plotter.NewLabels(plotter.XYLabels{XYs: points, Labels: names})
		if err != nil {
			return nil, err
		}
		labels.Offset = vg.Point{X: vg.Points(4), Y: vg.Points(3)}
		for i := range labels.TextStyle {
			labels.TextStyle[i].Color = p.ink
		}
		p.Add(labels)
	}
	return p, nil
}

// stairs are the samples that no other beats in both coordinates, by ascending x.
func stairs(points plotter.XYs) plotter.XYs {
	by := slices.Clone(points)
	slices.SortFunc(by, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	var s plotter.XYs
	for _, q := range by {
		if len(s) == 0 || q.Y < s[len(s)-1].Y {
			s = append(s, q)
		}
	}
	return s
}

// Grid draws the mean error over the first two parameters that a search varied, the best of all others.
func (p *Picture) Grid(runs []*modelselect.Run) (*Picture, error) {
	sum, count := make(map[string]float64), make(map[string]float64)
	varied := make(map[string]map[string]float64)
	values := make(map[string]map[float64]bool)
	for _, r := range runs {
		loss, ok := r.Losses[modelselect.Error.String()]
		if !ok || r.Failed != "" {
			continue
		}
		sum[r.Setting] += loss
		count[r.Setting]++
		varied[r.Setting] = r.Varied
		for name, v := range r.Varied {
			if values[name] == nil {
				values[name] = make(map[float64]bool)
			}
			values[name][v] = true
		}
	}
	maps.DeleteFunc(values, func(_ string, of map[float64]bool) bool { return len(of) < 2 })
	names := slices.Sorted(maps.Keys(values))
	if len(names) < 2 {
		return nil, fmt.Errorf("a picture of kind grid wants runs that vary two parameters, these vary %d", len(names))
	}
	m := &matrix{}
	for a := range m.value {
		m.value[a] = slices.Sorted(maps.Keys(values[names[a]]))
	}
	m.z = slices.Repeat([]float64{math.NaN()}, len(m.value[0])*len(m.value[1]))
	least, most := math.Inf(1), math.Inf(-1)
	for setting, v := range varied {
		mean := 100 * sum[setting] / count[setting]
		m.lower(v[names[0]], v[names[1]], mean)
		least, most = min(least, mean), max(most, mean)
	}
	colours := moreland.SmoothBlueRed()
	colours.SetMin(least)
	colours.SetMax(max(most, least+1e-9))
	heat := plotter.NewHeatMap(m, colours.Palette(64))
	heat.NaN = p.ground
	p.Add(heat)
	p.Title.Text = fmt.Sprintf("error, %.3g (blue) to %.3g %% (red)", least, most)
	p.X.Label.Text, p.Y.Label.Text = names[0], names[1]
	p.X.Tick.Marker, p.Y.Tick.Marker = m.ticks(0), m.ticks(1)
	return p, nil
}

// matrix is a plotter.GridXYZ of cells of one size, whatever the parameters' values are.
type matrix struct {
	value [2][]float64
	z     []float64
}

func (m *matrix) Dims() (c, r int)   { return len(m.value[0]), len(m.value[1]) }
func (m *matrix) X(c int) float64    { return float64(c) }
func (m *matrix) Y(r int) float64    { return float64(r) }
func (m *matrix) Z(c, r int) float64 { return m.z[r*len(m.value[0])+c] }

// lower takes in a mean where it is the least so far.
func (m *matrix) lower(x, y, mean float64) {
	at := slices.Index(m.value[1], y)*len(m.value[0]) + slices.Index(m.value[0], x)
	if !(m.z[at] <= mean) {
		m.z[at] = mean
	}
}

// ticks writes the values.
func (m *matrix) ticks(axis int) plot.ConstantTicks {
	var t plot.ConstantTicks
	for k, v := range m.value[axis] {
		t = append(t, plot.Tick{Value: float64(k), Label: strconv.FormatFloat(v, 'g', 3, 64)})
	}
	return t
}

// Learned draws a table of runs whose training parts have several sizes, with the standard deviation over the splits.
func (p *Picture) Learned(t *modelselect.Table) (*Picture, error) {
	p.X.Label.Text, p.Y.Label.Text = "training samples", "error (%), ± standard deviation"
	logarithmic(&p.X)
	p.Legend.Top = true
	for k, runs := range t.Runs {
		losses := make(map[int][]float64) // by size
		for _, r := range runs {
			if r.Failed != "" {
				return nil, fmt.Errorf("%s on %d samples: %s", r.Setting, r.Trained, r.Failed)
			}
			size := nearestSize(losses, r.Trained)
			losses[size] = append(losses[size], 100*r.Losses[modelselect.Error.String()])
		}
		points := marks{}
		for _, size := range slices.Sorted(maps.Keys(losses)) {
			mean, sd := stat.MeanStdDev(losses[size], nil)
			if len(losses[size]) < 2 {
				sd = 0
			}
			points.XYs = append(points.XYs, plotter.XY{X: float64(size), Y: mean})
			points.low = append(points.low, min(sd, mean))
			points.high = append(points.high, sd)
		}
		if err := p.line(t.Settings[k].Name, k, points.XYs); err != nil {
			return nil, err
		}
		if err := p.marks(points, p.classColour(k)); err != nil {
			return nil, err
		}
	}
	const room = 1.15 // for marks at the edges, and the names
	p.X.Min, p.X.Max, p.Y.Max = p.X.Min/room, p.X.Max*room, p.Y.Max*room
	return p, nil
}

// nearestSize is the least size that is there and differs by a sample or two, as folds do, or the size itself.
func nearestSize(sizes map[int][]float64, size int) int {
	for near := size - 2; near <= size+2; near++ {
		if _, there := sizes[near]; there {
			return near
		}
	}
	return size
}

// marks are samples with how far each may be below and above; a plotter.XYer and plotter.YErrorer.
type marks struct {
	plotter.XYs
	low, high []float64
}

func (m marks) YError(i int) (low, high float64) { return m.low[i], m.high[i] }

// marks adds samples with bars.
func (p *Picture) marks(m marks, c color.Color) error {
	bars, err := plotter.NewYErrorBars(m)
	if err != nil {
		return err
	}
	bars.Color, bars.Width = c, vg.Points(0.8)
	p.Add(bars)
	_, err = p.dots(m.XYs, c, vg.Points(2.5), draw.CircleGlyph{})
	return err
}

// reliabilityBins of equal width divide the probabilities.
const reliabilityBins = 10

// Reliability draws how often what a model calls probable is so: of two classes the positive one, of more the most
// probable. Bars are a standard error of the share.
func (p *Picture) Reliability(clf *sparsekm.Classifier, set *dataset.Set) (*Picture, error) {
	if err := clf.Calibrated(); err != nil {
		return nil, fmt.Errorf("a picture of kind reliability: %w (train --calibrate)", err)
	}
	predicted, err := predict.Set(context.Background(), clf, set, 0, true)
	if err != nil {
		return nil, err
	}
	probabilities := predicted.ProbabilityRows()
	var said, right, count [reliabilityBins]float64
	total, gap := 0.0, 0.0
	for i, class := range set.ClassOf(clf.Labels()) {
		if class < 0 {
			continue // of a label that the model does not know
		}
		of, called := probabilities[i], 1 // the positive class of two is the last
		if len(of) > 2 {
			called = slices.Index(of, slices.Max(of))
		}
		bin := min(int(of[called]*reliabilityBins), reliabilityBins-1)
		said[bin] += of[called]
		count[bin]++
		total++
		if class == called {
			right[bin]++
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("a picture of kind reliability wants labelled samples of the model's classes")
	}
	points := marks{}
	for b, n := range count {
		if n > 0 {
			share := right[b] / n
			se := math.Sqrt(share * (1 - share) / n)
			points.XYs = append(points.XYs, plotter.XY{X: said[b] / n, Y: share})
			points.low = append(points.low, se)
			points.high = append(points.high, se)
			gap += math.Abs(said[b]-right[b]) / total
		}
	}
	p.Title.Text = fmt.Sprintf("mean gap %.2g over %.0f samples", gap, total)
	p.X.Label.Text, p.Y.Label.Text = "probability", "share that is so"
	if err := p.diagonal(); err != nil {
		return nil, err
	}
	if err := p.line("", 0, points.XYs); err != nil {
		return nil, err
	}
	return p, p.marks(points, p.classColour(0))
}

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
