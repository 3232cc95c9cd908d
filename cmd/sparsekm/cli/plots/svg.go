package plots

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"
)

// svg writes a picture as SVG. Its viewer has the fonts.
type svg struct{ b bytes.Buffer }

func newSVG(wide, high float64) *svg {
	s := new(svg)
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" ` +
		`font-family="Helvetica,Arial,Liberation Sans,sans-serif">` + "\n"
	fmt.Fprintf(&s.b, head, decimal(wide), decimal(high))
	return s
}

// decimal is a length, to hundredths.
func decimal(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// style is how a path is drawn, as attributes.
func (s *svg) style(with pen) string {
	opacity := ""
	if with.colour.A < 255 {
		opacity = fmt.Sprintf(` opacity="%s"`, decimal(float64(with.colour.A)/255))
	}
	if with.width == 0 {
		return fmt.Sprintf(`fill="%s"%s`, hex(with.colour), opacity)
	}
	dashes := ""
	if len(with.dashes) > 0 {
		dashes = ` stroke-dasharray="`
		for i, d := range with.dashes {
			if i > 0 {
				dashes += ","
			}
			dashes += decimal(d)
		}
		dashes += `"`
	}
	const line = `fill="none" stroke="%s" stroke-width="%s"%s%s`
	return fmt.Sprintf(line, hex(with.colour), decimal(with.width), dashes, opacity)
}

func (s *svg) draw(p path, with pen) {
	s.b.WriteString(`<path d="`)
	for i := range p {
		s.b.WriteByte(p[i].kind)
		for k, q := range p[i].places() {
			if k > 0 {
				s.b.WriteByte(' ')
			}
			s.b.WriteString(decimal(q.x) + "," + decimal(q.y))
		}
	}
	fmt.Fprintf(&s.b, `" %s/>`+"\n", s.style(with))
}

func (s *svg) circles(at []point, radius float64, with pen) {
	fmt.Fprintf(&s.b, "<g %s>\n", s.style(with))
	for _, c := range at {
		fmt.Fprintf(&s.b, `<circle cx="%s" cy="%s" r="%s"/>`+"\n", decimal(c.x), decimal(c.y), decimal(radius))
	}
	s.b.WriteString("</g>\n")
}

func (s *svg) text(text string, at place, size float64, colour color.NRGBA) {
	where := fmt.Sprintf(`x="%s" y="%s"`, decimal(at.x), decimal(at.y))
	if at.up {
		where += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, decimal(at.x), decimal(at.y))
	}
	if at.anchor != begin {
		where += ` text-anchor="` + map[anchor]string{middle: "middle", end: "end"}[at.anchor] + `"`
	}
	const element = `<text %s font-size="%s" fill="%s">%s</text>` + "\n"
	fmt.Fprintf(&s.b, element, where, decimal(size), hex(colour), html.EscapeString(text))
}

func (s *svg) writeTo(w io.Writer) error {
	_, err := w.Write(append(s.b.Bytes(), "</svg>\n"...))
	return err
}
