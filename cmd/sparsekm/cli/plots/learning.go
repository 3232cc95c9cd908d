package plots

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

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
	classes, machines := clf.NumClasses(), clf.NumSubmodels()
	decisions, probable := make([]float64, set.N*machines), make([]float64, set.N*classes)
	clf.DecideBatch(decisions, set.X, set.N, 0)
	clf.ProbabilitiesOf(probable, decisions, set.N, 0)
	var said, right, count [reliabilityBins]float64
	total, gap := 0.0, 0.0
	for i, class := range set.ClassOf(clf.Labels()) {
		if class < 0 {
			continue // of a label that the model does not know
		}
		of := probable[i*classes : (i+1)*classes]
		called := 1 // the positive class is the last
		if classes > 2 {
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
