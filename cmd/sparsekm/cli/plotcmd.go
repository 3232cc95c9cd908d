package cli

import (
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/papers"
	"github.com/sparsekm/sparsekm/modelselect"
)

type plotCmd struct {
	File string `arg:"" help:"A model, for boundary, roc, reliability and spectrum; a ledger of tune or compare, for grid and front; what train --json printed, for rounds; samples, for learning."`

	Out     string   `short:"o" required:"" placeholder:"FILE" help:"Write the picture here; its ending says the form: .svg, .png, .pdf or .jpg."`
	Kind    string   `enum:"boundary,roc,reliability,spectrum,grid,front,rounds,learning" default:"boundary" help:"boundary: classes in a plane with margins and vectors; roc: true against false positives; reliability: how often what is called probable is so; spectrum: sizes of the coefficients; grid: a search's error over two parameters; front: error against vectors; rounds: vectors against rounds; learning: error against training samples. Default: boundary."`
	Data    string   `placeholder:"FILE" help:"Points to draw, or for roc and reliability to judge by."`
	Methods []string `placeholder:"NAME,..." help:"learning: the methods, each with its defaults, on growing parts of four fifths of the samples, tested on the others; five folds."`

	Plane []int `placeholder:"I,J" help:"boundary: these two features, 0-based, at the mean of the others. Default: both of two, else the samples' first two principal axes."`
	Dark  bool  `help:"Light lines on a dark ground."`

	DataFlags dataFlags `embed:""`
}

func (c *plotCmd) Files() (in, out []session.File) {
	return session.Files("the file", c.File, "--data", c.Data), session.Files("--out", c.Out)
}

func (c *plotCmd) Run(s *session.Session) error {
	if err := c.validate(); err != nil {
		return err
	}
	var p *picture
	var err error
	switch c.Kind {
	case "grid", "front":
		p, err = c.ofRuns()
	case "rounds":
		var lines *papers.Curves
		if lines, err = roundsOf(c.File); err == nil {
			p, err = newPicture(c.Dark).curves(lines)
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
	return s.WriteFile(c.Out, func(w io.Writer) error { return p.write(w, form) })
}

// pictureFormats are the file endings that a picture can have: EPS has neither images nor colours that shine through.
var pictureFormats = []string{".svg", ".png", ".pdf", ".jpg"}

func (c *plotCmd) validate() error {
	ofModel := slices.Contains([]string{"boundary", "roc", "reliability", "spectrum"}, c.Kind)
	switch {
	case !slices.Contains(pictureFormats, filepath.Ext(c.Out)):
		return usagef("--out: found %q, want a name that ends in %s", c.Out, strings.Join(pictureFormats, ", "))
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
func (c *plotCmd) ofModel(s *session.Session) (*picture, error) {
	clf, err := loadClassifier(s, c.File)
	if err != nil {
		return nil, err
	}
	if c.Kind == "spectrum" {
		return newPicture(c.Dark).spectrum(clf)
	}
	var set *dataset.Set
	if set, clf, err = loadFor(s, clf, c.Data, &c.DataFlags); err != nil {
		return nil, err
	}
	switch c.Kind {
	case "roc":
		return newPicture(c.Dark).roc(clf, set)
	case "reliability":
		return newPicture(c.Dark).reliability(clf, set)
	}
	for _, f := range c.Plane {
		if f < 0 || f >= set.D {
			return nil, usagef("--plane: found %d, the samples have 0 to %d", f, set.D-1)
		}
	}
	return newPicture(c.Dark).boundary(clf, set, c.Plane)
}

// ofRuns draws a ledger.
func (c *plotCmd) ofRuns() (*picture, error) {
	runs, err := (&reportCmd{Runs: []string{c.File}}).read()
	if err != nil {
		return nil, err
	}
	if c.Kind == "grid" {
		return newPicture(c.Dark).grid(runs)
	}
	return newPicture(c.Dark).front(modelselect.Compare(runs, modelselect.Error, ""))
}

// picture is a plot in one of two sets of colours.
type picture struct {
	*plot.Plot
	ink, ground color.Color
	class       []color.Color // of samples, by class
	tint        []color.Color // of the plane, by class
}

// classColours tell classes apart for people with any eyes (Okabe & Ito 2008).
var classColours = []color.NRGBA{{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255},
	{0xcc, 0x79, 0xa7, 255}, {0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0xf0, 0xe4, 0x42, 255}}

func newPicture(dark bool) *picture {
	p := &picture{Plot: plot.New(), ink: color.Black, ground: color.White}
	if dark {
		p.ink, p.ground = color.Gray{0xe0}, color.Gray{0x12}
	}
	p.BackgroundColor = p.ground
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = p.ink, p.ink, p.ink, p.ink
	}
	p.Title.TextStyle.Color, p.Legend.TextStyle.Color = p.ink, p.ink
	for _, c := range classColours {
		p.class = append(p.class, c)
		c.A = 0x30
		p.tint = append(p.tint, c)
	}
	return p
}

// classColour is a class's; they repeat after seven.
func (p *picture) classColour(class int) color.Color { return p.class[class%len(p.class)] }

func (p *picture) write(w io.Writer, form string) error {
	out, err := p.WriterTo(16*vg.Centimeter, 12*vg.Centimeter, form)
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}
