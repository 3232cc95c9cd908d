package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

type plotCmd struct {
	File string `arg:"" reads:"the file" help:"A model, for boundary, roc, reliability and spectrum; a ledger of tune or compare, for grid and front; what train --json printed, for rounds; samples, for learning."`

	Out    string   `short:"o" required:"" placeholder:"FILE" writes:"" help:"Write the picture here, as SVG."`
	Kind   string   `enum:"boundary,roc,reliability,spectrum,grid,front,rounds,learning" help:"boundary: classes with margins, values or a density in a plane, with vectors; roc: true against false positives; reliability: how often what is called probable is so; spectrum: sizes of the coefficients; grid: a search's error over two parameters; front: error against vectors; rounds: vectors against rounds; learning: error against training samples."`
	Data   string   `placeholder:"FILE" reads:"" help:"Samples to draw, or for roc and reliability to judge by."`
	Method []string `placeholder:"NAME,..." help:"learning: the methods, each with its defaults, on growing parts of four fifths of the samples, tested on the others; five folds."`

	Plane []int `placeholder:"I,J" help:"boundary: these two features, 0-based, at the mean of the others. Default: both of two, else the samples' first two principal axes."`
	Dark  bool  `help:"Light lines on a dark ground."`

	DataFlags   dataFlags   `embed:""`
	ColumnFlags columnFlags `embed:""`
	session.MemFlag
}

func (c *plotCmd) Run(s *session.Session) error {
	if err := c.validate(s.Set); err != nil {
		return err
	}
	var p *plots.Picture
	var err error
	switch c.Kind {
	case "grid", "front":
		p, err = c.ofRuns()
	case "rounds":
		var lines *plots.Lines
		if lines, err = roundsOf(c.File); err == nil {
			p, err = plots.New(c.Dark).Lines(lines)
		}
	case "learning":
		p, err = c.learning(s)
	default:
		p, err = c.ofModel(s)
	}
	if err != nil {
		return err
	}
	return s.WriteFile(c.Out, p.Write)
}

// notSVG is the error of a picture's name with another ending.
func notSVG(flag, name string) error {
	const want = "--%s: found %q, want a name that ends in .svg, a form that rsvg-convert, Inkscape or a browser converts"
	return usagef(want, flag, name)
}

func (c *plotCmd) validate(g session.SetFlags) error {
	columns := g.First("select", "columns", "categorical", "missing")
	ofModel := slices.Contains([]string{"boundary", "roc", "reliability", "spectrum"}, c.Kind)
	switch {
	case !strings.EqualFold(filepath.Ext(c.Out), ".svg"):
		return notSVG("out", c.Out)
	case c.Data != "" && (!ofModel || c.Kind == "spectrum"):
		return usagef("--data: a picture of kind %s has no samples", c.Kind)
	case c.Data == "" && c.Kind != "spectrum" && ofModel:
		return usagef("--data: a picture of kind %s wants samples", c.Kind)
	case len(c.Method) > 0 && c.Kind != "learning":
		return usagef("--method: a picture of kind %s trains none", c.Kind)
	case len(c.Method) == 0 && c.Kind == "learning":
		return usagef("--method: a picture of kind learning wants some")
	case columns != "" && c.Kind != "learning":
		return usagef("--%s: only a picture of kind learning finds columns; the model knows its own", columns)
	case len(c.Plane) > 0 && c.Kind != "boundary":
		return usagef("--plane: a picture of kind %s is of no plane", c.Kind)
	case len(c.Plane) != 0 && (len(c.Plane) != 2 || c.Plane[0] == c.Plane[1]):
		return usagef("--plane: found %v, want two", c.Plane)
	}
	return nil
}

// ofModel draws a model, with samples.
func (c *plotCmd) ofModel(s *session.Session) (*plots.Picture, error) {
	memory := s.Memory
	clf, _, err := loadClassifier(s, c.File, memory/2)
	if err != nil {
		return nil, err
	}
	if c.Kind == "spectrum" {
		return plots.New(c.Dark).Spectrum(clf)
	}
	var set *dataset.Set
	if set, clf, err = loadFor(s, clf, c.Data, c.DataFlags.reading(memory/2)); err != nil {
		return nil, err
	}
	switch c.Kind {
	case "roc":
		return plots.New(c.Dark).ROC(clf, set)
	case "reliability":
		return plots.New(c.Dark).Reliability(clf, set)
	}
	for _, f := range c.Plane {
		if f < 0 || f >= set.D {
			return nil, usagef("--plane: found %d, the samples have 0 to %d", f, set.D-1)
		}
	}
	return plots.New(c.Dark).Boundary(clf, set, c.Plane)
}

// ofRuns draws a ledger.
func (c *plotCmd) ofRuns() (*plots.Picture, error) {
	runs, err := (&reportCmd{Runs: []string{c.File}}).read()
	if err != nil {
		return nil, err
	}
	if c.Kind == "grid" {
		return plots.New(c.Dark).Grid(runs)
	}
	return plots.New(c.Dark).Front(runs)
}

// roundsJSON is what a report says of its rounds.
type roundsJSON struct {
	Rounds []learn.Round `json:"rounds"`
}

// add adds the line of the rounds, if there are some, which begin with all n samples.
func (r roundsJSON) add(c *plots.Lines, name string, n float64) {
	if len(r.Rounds) == 0 {
		return
	}
	line := plots.Line{Name: name, X: []float64{0}, Y: []float64{max(n, 1)}}
	for k, of := range r.Rounds {
		line.X = append(line.X, float64(k+1))
		line.Y = append(line.Y, max(float64(of.Nonzeros), 0.5))
	}
	c.Lines = append(c.Lines, line)
}

type submodelRounds struct {
	Positive string `json:"positive"`
	Negative string `json:"negative"`
	roundsJSON
}

// roundsOf reads what train --json printed, an object a training.
func roundsOf(name string) (*plots.Lines, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &plots.Lines{X: "rounds", Y: "vectors", LogY: true}
	for in := json.NewDecoder(f); ; {
		var report struct {
			Method string  `json:"method"`
			N      float64 `json:"n"`
			roundsJSON
			Submodels []submodelRounds `json:"submodels"`
			Earlier   []submodelRounds `json:"machines"` // their name before
		}
		if err = in.Decode(&report); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: want what train --json prints", name)
		}
		before := len(c.Lines)
		report.add(c, report.Method, report.N)
		for _, m := range append(report.Submodels, report.Earlier...) {
			m.add(c, strings.TrimSuffix(report.Method+" "+m.Positive+" : "+m.Negative, " : "), report.N)
		}
		if len(c.Lines) == before {
			return nil, fmt.Errorf("%s: %s has no rounds", name, methodOf(report.Method))
		}
	}
	if len(c.Lines) == 0 {
		return nil, fmt.Errorf("%s: found nothing, want what train --json prints", name)
	}
	return c, nil
}

const (
	learningFolds = 5
	minPart       = 8 // samples of the smallest training
)

// learning draws the error against the number of training samples: each method with its own parameters on stratified
// parts of the training folds, tested on the fold that is left out.
func (c *plotCmd) learning(s *session.Session) (*plots.Picture, error) {
	task := taskFlags{Task: "auto", TargetScale: "auto"}
	methods, targets, err := task.methods(c.Method)
	if err != nil {
		return nil, err
	}
	r := c.DataFlags.reading(c.Mem.Bytes() / 2)
	c.ColumnFlags.choose(&r)
	r.Targets = targets
	set, err := load(s, c.File, r)
	if err != nil {
		return nil, err
	}
	r.noteGuess(s, set, false)
	o := sparsekm.Options{Scale: dataset.ScaleAuto}
	switch {
	case !set.Targeted() && !methods[0].TasksOf()[0].Blind():
		return nil, usagef("%s: the samples have no labels", c.File)
	case set.Targets != nil:
		if o.ScaleTarget, err = task.scaleTarget(s, set); err != nil {
			return nil, err
		}
	}
	var settings []modelselect.Setting
	for _, m := range methods {
		if o.Trainer, err = m.New(nil); err != nil {
			return nil, err
		}
		settings = append(settings, modelselect.Setting{Name: m.Name, Options: o})
	}
	splits, err := learningSplits(set)
	if err != nil {
		return nil, err
	}
	t, err := (&search{set: set, splits: splits, choice: modelselect.Search{Settings: settings}}).table(s)
	if err != nil {
		return nil, stopped(err)
	}
	return plots.New(c.Dark).Learned(t)
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
		for share := 1.0; share*float64(part.N) >= minPart; share /= 2 {
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
