package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/papers"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// roundsOf reads what train --json printed, an object a training.
func roundsOf(name string) (*papers.Curves, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &papers.Curves{X: "rounds", Y: "vectors", LogY: true}
	for in := json.NewDecoder(f); ; {
		var report struct {
			Method string        `json:"method"`
			N      float64       `json:"n"`
			Rounds []learn.Round `json:"rounds"`
		}
		if err = in.Decode(&report); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: want what train --json prints: %w", name, err)
		}
		if len(report.Rounds) == 0 {
			return nil, fmt.Errorf("%s: %s has no rounds", name, methodOf(report.Method))
		}
		line := papers.Curve{Name: report.Method, X: []float64{0}, Y: []float64{max(report.N, 1)}}
		for k, r := range report.Rounds {
			line.X, line.Y = append(line.X, float64(k+1)), append(line.Y, max(float64(r.Nonzeros), 0.5))
		}
		c.Lines = append(c.Lines, line)
	}
	if len(c.Lines) == 0 {
		return nil, fmt.Errorf("%s: found nothing, want what train --json prints", name)
	}
	return c, nil
}

const (
	learningFolds = 5
	leastPart     = 8 // samples of the smallest training
)

// learning draws the error against the number of training samples: each method with its own parameters on stratified
// parts of the training folds, tested on the fold that is left out.
func (c *plotCmd) learning(s *session.Session) (*picture, error) {
	set, err := load(s, c.File, &c.DataFlags)
	if err != nil {
		return nil, err
	}
	if set.Y == nil {
		return nil, usagef("%s: the samples have no labels", c.File)
	}
	o := sparsekm.Options{}
	if o.Scale, _, err = dataset.AutoScale(s.Context, set); err != nil {
		return nil, stopped(err)
	}
	var settings []modelselect.Setting
	for _, name := range c.Methods {
		m, failed := sparsekm.Lookup(name)
		if failed != nil {
			return nil, usagef("--methods: %s", strings.TrimPrefix(failed.Error(), "learn: "))
		}
		if o.Trainer, err = m.New(nil); err != nil {
			return nil, err
		}
		settings = append(settings, modelselect.Setting{Name: name, Options: o})
	}
	splits, err := learningSplits(set)
	if err != nil {
		return nil, err
	}
	show, end := s.Watch(new(session.ProgressFlags))
	t, err := modelselect.Evaluate(s.Context, set, settings, splits, modelselect.Options{Progress: runsOn(show)})
	end()
	if err != nil {
		return nil, stopped(err)
	}
	return newPicture(c.Dark).learned(t)
}

// learningSplits are folds with ever larger parts of their training samples.
func learningSplits(set *dataset.Set) ([]dataset.Split, error) {
	folds, err := set.Folds(learningFolds, 1)
	if err != nil {
		return nil, err
	}
	var splits []dataset.Split
	for f, fold := range folds {
		part := set.Subset(fold.Train)
		for share := 1.0; share*float64(part.N) >= leastPart; share /= 2 {
			sp := dataset.Split{Train: fold.Train, Test: fold.Test}
			if share < 1 {
				of, failed := part.Split(share, uint64(f))
				if failed != nil || slices.Contains(part.Subset(of.Train).Counts(), 0) {
					break // a class would have no sample
				}
				sp.Train = nil
				for _, i := range of.Train {
					sp.Train = append(sp.Train, fold.Train[i])
				}
			}
			splits = append(splits, sp)
		}
	}
	return splits, nil
}

// learned draws a table of runs whose training parts have several sizes, with the standard deviation over the splits.
func (p *picture) learned(t *modelselect.Table) (*picture, error) {
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
		var sizes []int
		for size := range losses {
			sizes = append(sizes, size)
		}
		slices.Sort(sizes)
		points := marks{}
		for _, size := range sizes {
			mean, sd := stat.MeanStdDev(losses[size], nil)
			if len(losses[size]) < 2 {
				sd = 0
			}
			points.XYs = append(points.XYs, plotter.XY{X: float64(size), Y: mean})
			points.low, points.high = append(points.low, min(sd, mean)), append(points.high, sd)
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
func (p *picture) marks(m marks, c color.Color) error {
	bars, err := plotter.NewYErrorBars(m)
	if err != nil {
		return err
	}
	bars.Color, bars.Width = c, vg.Points(0.8)
	dots, err := plotter.NewScatter(m.XYs)
	if err != nil {
		return err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
	p.Add(bars, dots)
	return nil
}

// reliabilityBins of equal width divide the probabilities.
const reliabilityBins = 10

// reliability draws how often what a model calls probable is so: of two classes the positive one, of more the most
// probable. Bars are a standard error of the share.
func (p *picture) reliability(clf *sparsekm.Classifier, set *dataset.Set) (*picture, error) {
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
			points.low, points.high = append(points.low, se), append(points.high, se)
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
