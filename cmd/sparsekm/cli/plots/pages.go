package plots

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
)

// page writes a picture as PDF or as EPS, whose operators for paths are the same but for their names. Texts are
// outlines, so that no font has to come along.
type page struct {
	eps        bool
	wide, high float64
	b          bytes.Buffer
	opacity    map[uint8]bool // that a PDF has to declare
}

// epsBegin gives the operators of PostScript the names that PDF has for them.
const epsBegin = `%%!PS-Adobe-3.0 EPSF-3.0
%%%%BoundingBox: 0 0 %.0f %.0f
%%%%Creator: sparsekm
%%%%EndComments
/m {moveto} def /l {lineto} def /c {curveto} def /h {closepath} def /f {fill} def /S {stroke} def
/w {setlinewidth} def /d {setdash} def /rg {setrgbcolor} def /RG {setrgbcolor} def
0 %s translate 1 -1 scale
1 setlinejoin
`

func newPage(eps bool, wide, high float64) *page {
	p := &page{eps: eps, wide: wide, high: high, opacity: make(map[uint8]bool)}
	if eps {
		fmt.Fprintf(&p.b, epsBegin, math.Ceil(wide), math.Ceil(high), decimal(high))
	} else {
		fmt.Fprintf(&p.b, "1 0 0 -1 0 %s cm\n1 j\n", decimal(high))
	}
	return p
}

func (p *page) draw(lines path, with pen) {
	fill, colour := "f", "rg"
	if with.width > 0 {
		fill, colour = "S", "RG"
		p.b.WriteByte('[')
		for _, d := range with.dashes {
			p.b.WriteString(decimal(d) + " ")
		}
		fmt.Fprintf(&p.b, "] 0 d %s w\n", decimal(with.width))
	}
	c := with.colour
	if !p.eps {
		p.opacity[c.A] = true
		fmt.Fprintf(&p.b, "/A%d gs\n", c.A)
	}
	fmt.Fprintf(&p.b, "%.3f %.3f %.3f %s\n", float64(c.R)/255, float64(c.G)/255, float64(c.B)/255, colour)
	for _, s := range lines.cubic() {
		for _, q := range s.places() {
			p.b.WriteString(decimal(q.x) + " " + decimal(q.y) + " ")
		}
		p.b.WriteString(map[byte]string{'M': "m\n", 'L': "l\n", 'C': "c\n", 'Z': "h\n"}[s.kind])
	}
	p.b.WriteString(fill + "\n")
}

func (p *page) circles(at []point, radius float64, with pen) { p.draw(circlePath(at, radius), with) }

func (p *page) text(s string, at place, size float64, colour color.NRGBA) {
	p.draw(textPath(s, at, size), pen{colour: colour})
}

func (p *page) writeTo(w io.Writer) error {
	if p.eps {
		_, err := w.Write(append(p.b.Bytes(), "showpage\n%%EOF\n"...))
		return err
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(p.b.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	states := ""
	for _, a := range slices.Sorted(maps.Keys(p.opacity)) {
		states += fmt.Sprintf("/A%d <</CA %[2]s /ca %[2]s>> ", a, decimal(float64(a)/255))
	}
	const pageObject = "<</Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 %s %s]" +
		" /Resources <</ExtGState <<%s>>>>>>"
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, object := range []string{
		"<</Type /Catalog /Pages 2 0 R>>",
		"<</Type /Pages /Kids [3 0 R] /Count 1>>",
		fmt.Sprintf(pageObject, decimal(p.wide), decimal(p.high), states),
		fmt.Sprintf("<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
	} {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, table)
	_, err := w.Write(out.Bytes())
	return err
}
