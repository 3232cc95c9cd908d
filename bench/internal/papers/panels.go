package papers

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// Panel is a model in the plane of its training samples.
type Panel struct {
	Title   string
	Samples *dataset.Set
	Clf     *sparsekm.Classifier
}

// A picture has panels of one square each, in pixels.
const (
	side   = 380
	margin = 10
	title  = 26
	cells  = 76 // of the grid on which a boundary is followed, a side
)

// ink is the colours of a picture; the page's own background shows through.
type ink struct{ text, negative, positive, kept, line string }

var light, dark = ink{"#1f2328", "#8c6bb1", "#3b8686", "#d1242f", "#57606a"},
	ink{"#e6edf3", "#b79adb", "#63c5c5", "#ff7b72", "#9198a1"}

// frame takes a rectangle of features to one panel.
type frame struct{ left, x0, y0, width, height float64 }

func (f *frame) place(x, y float64) (float64, float64) {
	return f.left + (x-f.x0)/f.width*side, title + side - (y-f.y0)/f.height*side
}

// around is the rectangle of samples with a little room.
func around(s *dataset.Set, left float64) frame {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range s.N {
		for k, v := range s.Row(i)[:2] {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	const room = 0.06
	w, h := hi[0]-lo[0], hi[1]-lo[1]
	return frame{left: left, x0: lo[0] - room*w, y0: lo[1] - room*h, width: (1 + 2*room) * w, height: (1 + 2*room) * h}
}

// Picture is an SVG of one panel a model of two features: the samples, circles about the kept ones, the boundary, and
// the margins where the decision is ±1.
func Picture(panels []Panel, onDark bool) []byte {
	c := light
	if onDark {
		c = dark
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" `+
		`font-family="sans-serif">`+"\n", len(panels)*(side+2*margin), title+side+margin)
	for i, p := range panels {
		f := around(p.Samples, float64(margin+i*(side+2*margin)))
		fmt.Fprintf(&b, `<text x="%.0f" y="18" font-size="15" fill="%s">%s</text>`+"\n", f.left, c.text,
			html.EscapeString(p.Title))
		fmt.Fprintf(&b, `<path d="%s" stroke="%s" stroke-width="1.5" fill="none"/>`+"\n", contour(p.Clf, &f, 0), c.line)
		fmt.Fprintf(&b, `<path d="%s" stroke="%s" stroke-width="0.8" stroke-dasharray="4 4" fill="none"/>`+"\n",
			contour(p.Clf, &f, 1)+contour(p.Clf, &f, -1), c.line)
		for j := range p.Samples.N {
			colour := c.negative
			if p.Samples.Y[j] == 1 {
				colour = c.positive
			}
			x, y := f.place(p.Samples.Row(j)[0], p.Samples.Row(j)[1])
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", x, y, colour)
		}
		parts := p.Clf.Parts()
		for j := range parts.N {
			vector := make([]float64, parts.D)
			parts.Scaling.InvertTo(vector, parts.Vectors[j*parts.D:(j+1)*parts.D])
			x, y := f.place(vector[0], vector[1])
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="6" fill="none" stroke="%s" stroke-width="1.8"/>`+"\n", x, y, c.kept)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// contour is where the decision has a level: in every cell of a grid the line between the two of its edges on which it
// is crossed, placed by linear interpolation.
func contour(clf *sparsekm.Classifier, f *frame, level float64) string {
	corner := func(i, j int) (x, y float64) {
		return f.x0 + f.width*float64(i)/cells, f.y0 + f.height*float64(j)/cells
	}
	var d [cells + 1][cells + 1]float64
	for i := range d {
		for j := range d[i] {
			x, y := corner(i, j)
			d[i][j] = clf.Decide([]float64{x, y}) - level
		}
	}
	var path strings.Builder
	for i := range cells {
		for j := range cells {
			command := "M"
			corners := [5][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}}
			for k := range 4 {
				a, z := corners[k], corners[k+1]
				d0, d1 := d[a[0]][a[1]], d[z[0]][z[1]]
				if (d0 > 0) == (d1 > 0) {
					continue
				}
				x0, y0 := corner(a[0], a[1])
				x1, y1 := corner(z[0], z[1])
				t := d0 / (d0 - d1)
				x, y := f.place(x0+t*(x1-x0), y0+t*(y1-y0))
				fmt.Fprintf(&path, "%s%.1f %.1f", command, x, y)
				command = "L"
			}
		}
	}
	return path.String()
}
