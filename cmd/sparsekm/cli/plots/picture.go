// Package plots draws models, runs and curves.
package plots

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Formats are the file endings that a picture can have: EPS has neither images nor colours that shine through.
var Formats = []string{".svg", ".png", ".pdf", ".jpg"}

// Picture is a plot in one of two sets of colours.
type Picture struct {
	*plot.Plot
	ink, ground color.Color
	class       []color.Color // of samples, by class
	tint        []color.Color // of the plane, by class
}

// classColours tell classes apart for people with any eyes (Okabe & Ito 2008).
var classColours = []color.NRGBA{{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255},
	{0xcc, 0x79, 0xa7, 255}, {0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0xf0, 0xe4, 0x42, 255}}

// New returns an empty picture, with light lines on a dark ground if dark.
func New(dark bool) *Picture {
	p := &Picture{Plot: plot.New(), ink: color.Black, ground: color.White}
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
func (p *Picture) classColour(class int) color.Color { return p.class[class%len(p.class)] }

// dots adds a mark of a shape and a radius at each place.
func (p *Picture) dots(at plotter.XYs, c color.Color, radius vg.Length, shape draw.GlyphDrawer) (*plotter.Scatter,
	error) {
	marks, err := plotter.NewScatter(at)
	if err != nil {
		return nil, err
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}
	p.Add(marks)
	return marks, nil
}

// Write writes the picture in a form, which is one of [Formats] without its dot.
func (p *Picture) Write(w io.Writer, form string) error {
	out, err := p.WriterTo(16*vg.Centimeter, 12*vg.Centimeter, form)
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}
