package cli

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

type plotCmd struct {
	File string `arg:"" reads:"the file" help:"A model, for boundary, roc, reliability and spectrum; a ledger of tune or compare, for grid and front; what train --json printed, for rounds; samples, for learning."`

	Out     string   `short:"o" required:"" placeholder:"FILE" writes:"" help:"Write the picture here; its ending says the form: .svg, .png, .pdf or .jpg."`
	Kind    string   `enum:"boundary,roc,reliability,spectrum,grid,front,rounds,learning" default:"boundary" help:"boundary: classes in a plane with margins and vectors; roc: true against false positives; reliability: how often what is called probable is so; spectrum: sizes of the coefficients; grid: a search's error over two parameters; front: error against vectors; rounds: vectors against rounds; learning: error against training samples. Default: boundary."`
	Data    string   `placeholder:"FILE" reads:"" help:"Points to draw, or for roc and reliability to judge by."`
	Methods []string `placeholder:"NAME,..." help:"learning: the methods, each with its defaults, on growing parts of four fifths of the samples, tested on the others; five folds."`

	Plane []int `placeholder:"I,J" help:"boundary: these two features, 0-based, at the mean of the others. Default: both of two, else the samples' first two principal axes."`
	Dark  bool  `help:"Light lines on a dark ground."`

	DataFlags dataFlags `embed:""`
}

func (c *plotCmd) Run(s *session.Session) error {
	if err := c.validate(); err != nil {
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
	form := strings.TrimPrefix(filepath.Ext(c.Out), ".")
	return s.WriteFile(c.Out, func(w io.Writer) error { return p.Write(w, form) })
}

func (c *plotCmd) validate() error {
	ofModel := slices.Contains([]string{"boundary", "roc", "reliability", "spectrum"}, c.Kind)
	switch {
	case !slices.Contains(plots.Formats, filepath.Ext(c.Out)):
		return usagef("--out: found %q, want a name that ends in %s", c.Out, strings.Join(plots.Formats, ", "))
	case c.Data != "" && (!ofModel || c.Kind == "spectrum"):
		return usagef("--data: a picture of kind %s has no samples", c.Kind)
	case c.Data == "" && c.Kind != "spectrum" && ofModel:
		return usagef("--data: a picture of kind %s wants samples", c.Kind)
	case len(c.Methods) > 0 && c.Kind != "learning":
		return usagef("--methods: a picture of kind %s trains none", c.Kind)
	case len(c.Methods) == 0 && c.Kind == "learning":
		return usagef("--methods: a picture of kind learning wants some")
	case len(c.Plane) > 0 && c.Kind != "boundary":
		return usagef("--plane: a picture of kind %s is of no plane", c.Kind)
	case len(c.Plane) != 0 && (len(c.Plane) != 2 || c.Plane[0] == c.Plane[1]):
		return usagef("--plane: found %v, want two", c.Plane)
	}
	return c.DataFlags.validate()
}

// ofModel draws a model, with samples.
func (c *plotCmd) ofModel(s *session.Session) (*plots.Picture, error) {
	clf, err := loadClassifier(s, c.File)
	if err != nil {
		return nil, err
	}
	if c.Kind == "spectrum" {
		return plots.New(c.Dark).Spectrum(clf)
	}
	var set *dataset.Set
	if set, clf, err = loadFor(s, clf, c.Data, c.DataFlags.reading()); err != nil {
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
	return plots.New(c.Dark).Front(modelselect.Compare(runs, modelselect.Error, ""))
}
