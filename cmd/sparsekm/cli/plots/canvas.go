package plots

import (
	"image/color"
	"io"
	"math"
	"slices"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// centimetre is in typographers' units, of which an inch has 72: a canvas measures in them.
const centimetre = 72 / 2.54

// point is a place on a canvas, measured from its left and upper edges.
type point struct{ x, y float64 }

func (p point) plus(x, y float64) point { return point{p.x + x, p.y + y} }

// pen is how a path is drawn: filled, or as a line of a width.
type pen struct {
	colour color.NRGBA
	width  float64   // 0 fills
	dashes []float64 // lengths that are drawn and left out by turns
}

// canvas is a picture of a format.
type canvas interface {
	draw(p path, with pen)
	circles(at []point, radius float64, with pen)
	text(s string, at place, size float64, colour color.NRGBA)
	writeTo(w io.Writer) error
}

// place is where a text stands: on a baseline through a point, which is at its beginning, middle or end.
type place struct {
	point
	anchor anchor
	up     bool // a quarter turn to the left
}

type anchor float64

const (
	begin  anchor = 0
	middle anchor = 0.5
	end    anchor = 1
)

// path is lines and curves.
type path []step

// step is a move, a line, or a Bézier curve of second or third order, to the last place that it names.
type step struct {
	kind byte // M, L, Q, C, as SVG has them, and Z, which closes
	to   [3]point
}

// places are those that a step names.
func (s *step) places() []point {
	switch s.kind {
	case 'Q':
		return s.to[:2]
	case 'C':
		return s.to[:3]
	case 'Z':
		return nil
	}
	return s.to[:1]
}

func (p path) move(to point) path { return append(p, step{'M', [3]point{to}}) }
func (p path) line(to point) path { return append(p, step{'L', [3]point{to}}) }
func (p path) close() path        { return append(p, step{kind: 'Z'}) }

func (p path) curve(a, b, to point) path { return append(p, step{'C', [3]point{a, b, to}}) }

// polyline is the path from place to place.
func polyline(points ...point) path {
	var p path
	for i, q := range points {
		if i == 0 {
			p = p.move(q)
			continue
		}
		p = p.line(q)
	}
	return p
}

// rectangle adds one.
func (p path) rectangle(a, b point) path {
	return p.move(a).line(point{b.x, a.y}).line(b).line(point{a.x, b.y}).close()
}

// circle adds one, of four curves that are off by 0.03 % of the radius.
func (p path) circle(at point, r float64) path {
	const k = 0.5522847498
	p = p.move(at.plus(r, 0))
	p = p.curve(at.plus(r, k*r), at.plus(k*r, r), at.plus(0, r))
	p = p.curve(at.plus(-k*r, r), at.plus(-r, k*r), at.plus(-r, 0))
	p = p.curve(at.plus(-r, -k*r), at.plus(-k*r, -r), at.plus(0, -r))
	return p.curve(at.plus(k*r, -r), at.plus(r, -k*r), at.plus(r, 0)).close()
}

// circlePath is the path of many circles.
func circlePath(at []point, radius float64) path {
	var p path
	for _, c := range at {
		p = p.circle(c, radius)
	}
	return p
}

// cubic is the path with curves of third order only.
func (p path) cubic() path {
	out := slices.Clone(p)
	var at point
	for i := range out {
		s := &out[i]
		if s.kind == 'Q' {
			c, to := s.to[0], s.to[1]
			third := func(q point) point { return point{q.x + 2*(c.x-q.x)/3, q.y + 2*(c.y-q.y)/3} }
			s.kind, s.to = 'C', [3]point{third(at), third(to), to}
		}
		if points := s.places(); len(points) > 0 {
			at = points[len(points)-1]
		}
	}
	return out
}

// typeface has the letters of pictures whose format has none of its own: Latin, Greek and Cyrillic ones.
var typeface = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic("plots: " + err.Error()) // it is part of the program
	}
	return f
})

// capital is the height of capital letters as a share of the size of a text.
const capital = 0.73

// eachLetter calls f with the letters of a text and their distances from its beginning, and returns its length.
func eachLetter(s string, size float64, f func(letter sfnt.GlyphIndex, from float64)) (length float64) {
	face := typeface()
	var b sfnt.Buffer
	em := fixed.Int26_6(face.UnitsPerEm())
	for _, r := range s {
		letter, err := face.GlyphIndex(&b, r) // 0 is a box, for what it has not
		if err != nil {
			continue
		}
		wide, err := face.GlyphAdvance(&b, letter, em, font.HintingNone)
		if err != nil {
			continue
		}
		if f != nil {
			f(letter, length)
		}
		length += size * float64(wide) / float64(em)
	}
	return length
}

// textLength is how long a text is.
func textLength(s string, size float64) float64 { return eachLetter(s, size, nil) }

// textPath is the outline of a text.
func textPath(s string, at place, size float64) path {
	face := typeface()
	em := fixed.Int26_6(face.UnitsPerEm())
	back := float64(at.anchor) * textLength(s, size)
	var p path
	var b sfnt.Buffer
	eachLetter(s, size, func(letter sfnt.GlyphIndex, from float64) {
		outline, err := face.LoadGlyph(&b, letter, em, nil)
		if err != nil {
			return
		}
		place := func(q fixed.Point26_6) point {
			x, y := from-back+size*float64(q.X)/float64(em), size*float64(q.Y)/float64(em)
			if at.up {
				x, y = y, -x
			}
			return at.plus(x, y)
		}
		for i, s := range outline {
			if s.Op == sfnt.SegmentOpMoveTo && i > 0 {
				p = p.close()
			}
			to := step{kind: "MLQC"[s.Op]} // the order of sfnt.SegmentOp
			for k := range to.places() {
				to.to[k] = place(s.Args[k])
			}
			p = append(p, to)
		}
		if len(outline) > 0 {
			p = p.close()
		}
	})
	return p
}

// drawable reports whether a number is finite, and so are differences of such numbers.
func drawable(v float64) bool { return math.Abs(v) <= 1e300 }
