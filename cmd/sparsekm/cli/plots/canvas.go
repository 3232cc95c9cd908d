package plots

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
)

// centimetre is in typographers' units, of which an inch has 72: a canvas measures in them.
const centimetre = 72 / 2.54

// point is a place on a canvas, measured from its left and upper edges.
type point struct{ x, y float64 }

func (p point) plus(x, y float64) point { return point{p.x + x, p.y + y} }

// pen is how a path is drawn: filled, or as a line of a width.
type pen struct {
	colour color.NRGBA
	width  float64 // 0 fills
	dashes string  // lengths that are drawn and left out by turns
}

// place is where a text stands: on a baseline through a point, which is at its beginning, middle or end.
type place struct {
	point
	anchor string
	up     bool // a quarter turn to the left
}

const (
	begin  = ""
	middle = ` text-anchor="middle"`
	end    = ` text-anchor="end"`
)

// path is lines, as SVG writes them.
type path []byte

func (p path) step(kind byte, to point) path {
	return fmt.Appendf(p, "%c%s,%s", kind, decimal(to.x), decimal(to.y))
}

func (p path) move(to point) path { return p.step('M', to) }
func (p path) line(to point) path { return p.step('L', to) }

// polyline is the path from place to place.
func polyline(points ...point) (p path) {
	for i, q := range points {
		p = p.step("ML"[min(i, 1)], q)
	}
	return p
}

// rectangle adds one.
func (p path) rectangle(a, b point) path {
	return fmt.Appendf(p.move(a), "H%sV%sH%sZ", decimal(b.x), decimal(b.y), decimal(a.x))
}

// canvas writes a picture as SVG, whose viewer has the fonts.
type canvas struct{ b bytes.Buffer }

func newCanvas(wide, high float64) *canvas {
	c := new(canvas)
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" ` +
		`font-family="Helvetica,Arial,Liberation Sans,sans-serif">` + "\n"
	fmt.Fprintf(&c.b, head, decimal(wide), decimal(high))
	return c
}

// decimal is a length, to hundredths.
func decimal(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// attributes say how a path is drawn.
func (with pen) attributes() string {
	s := fmt.Sprintf(`fill="%s"`, hex(with.colour))
	if with.width > 0 {
		s = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%s"`, hex(with.colour), decimal(with.width))
		if with.dashes != "" {
			s += ` stroke-dasharray="` + with.dashes + `"`
		}
	}
	if with.colour.A < 255 {
		s += fmt.Sprintf(` opacity="%s"`, decimal(float64(with.colour.A)/255))
	}
	return s
}

func (c *canvas) draw(p path, with pen) {
	fmt.Fprintf(&c.b, "<path d=\"%s\" %s/>\n", p, with.attributes())
}

func (c *canvas) circles(points []point, radius float64, with pen) {
	fmt.Fprintf(&c.b, "<g %s>\n", with.attributes())
	for _, q := range points {
		fmt.Fprintf(&c.b, `<circle cx="%s" cy="%s" r="%s"/>`+"\n", decimal(q.x), decimal(q.y), decimal(radius))
	}
	c.b.WriteString("</g>\n")
}

func (c *canvas) text(text string, at place, size float64, colour color.NRGBA) {
	where := fmt.Sprintf(`x="%s" y="%s"`, decimal(at.x), decimal(at.y))
	if at.up {
		where += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, decimal(at.x), decimal(at.y))
	}
	const element = `<text %s%s font-size="%s" fill="%s">%s</text>` + "\n"
	fmt.Fprintf(&c.b, element, where, at.anchor, decimal(size), hex(colour), html.EscapeString(strings.Map(visible, text)))
}

// visible puts a box in the place of what XML cannot have. Bytes that are no UTF-8 become one too.
func visible(r rune) rune {
	if r < ' ' || r == 0xFFFE || r == 0xFFFF {
		return 0xFFFD
	}
	return r
}

func (c *canvas) writeTo(w io.Writer) error {
	_, err := w.Write(append(c.b.Bytes(), "</svg>\n"...))
	return err
}

// capital is the height of capital letters as a share of the size of a text.
const capital = 0.73

// textLength is about how long a text is: the viewer's fonts, which are much like Helvetica, say how long exactly.
func textLength(s string, size float64) (length float64) {
	for _, r := range s {
		if strings.ContainsRune(" .,:;'|-()ijlI", r) {
			length += 0.3 * size
		} else {
			length += 0.56 * size
		}
	}
	return length
}

// drawable reports whether a number is finite, and so are differences of such numbers.
func drawable(v float64) bool { return math.Abs(v) <= 1e300 }
