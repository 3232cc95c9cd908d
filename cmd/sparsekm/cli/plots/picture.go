// Package plots draws models, runs and curves.
//
// A [Picture] collects what it shows, with axes that grow with it, and writes it as SVG, which
// needs no fonts: other programs make other formats of it.
package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
)

// Picture is a plot in one of two sets of colours.
type Picture struct {
	Title string
	X, Y  Axis

	Wide, High  float64
	ink, ground color.NRGBA
	class       []color.NRGBA // of samples, by class
	tint        []color.NRGBA // of the plane, by class
	shown       []func(c *canvas, f *frame)
	legend      []entry // in the upper right corner
	err         error   // the first of what cannot be drawn
}

// entry is a line of the legend: a name, and what it names, drawn between two places.
type entry struct {
	name string
	draw func(c *canvas, from, to point)
}

// frame is where the axes are on a canvas.
type frame struct {
	p                        *Picture
	left, right, top, bottom float64
}

// at is the place of a point of the picture.
func (f *frame) at(x, y float64) point {
	return point{f.left + (f.right-f.left)*f.p.X.share(x), f.bottom + (f.top-f.bottom)*f.p.Y.share(y)}
}

// xy is a point of a picture.
type xy struct{ x, y float64 }

// classColours tell classes apart for people with any eyes (Okabe & Ito 2008).
var classColours = []color.NRGBA{{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255},
	{0xcc, 0x79, 0xa7, 255}, {0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0xf0, 0xe4, 0x42, 255}}

// New returns an empty picture, with light lines on a dark ground if dark.
func New(dark bool) *Picture {
	p := &Picture{X: newAxis(), Y: newAxis(), Wide: 16 * centimetre, High: 12 * centimetre,
		ink: color.NRGBA{A: 255}, ground: color.NRGBA{255, 255, 255, 255}}
	if dark {
		p.ink, p.ground = color.NRGBA{0xe0, 0xe0, 0xe0, 255}, color.NRGBA{0x12, 0x12, 0x12, 255}
	}
	for _, c := range classColours {
		p.class = append(p.class, c)
		c.A = 0x30
		p.tint = append(p.tint, c)
	}
	return p
}

// classColour is a class's; they repeat after seven.
func (p *Picture) classColour(class int) color.NRGBA { return p.class[class%len(p.class)] }

// fail keeps the first error.
func (p *Picture) fail(format string, args ...any) {
	p.err = cmp.Or(p.err, fmt.Errorf(format, args...))
}

// include makes room.
func (p *Picture) include(points []xy) {
	for _, q := range points {
		if !drawable(q.x) || !drawable(q.y) {
			p.fail("there is nothing to draw at %v, %v", q.x, q.y)
			return
		}
		p.X.include(q.x)
		p.Y.include(q.y)
	}
}

// line adds a line, and its name, if it has one, to the legend.
func (p *Picture) line(name string, points []xy, with pen) {
	p.include(points)
	p.shown = append(p.shown, func(c *canvas, f *frame) { c.draw(polyline(f.places(points)...), with) })
	if name != "" {
		p.legend = append(p.legend, entry{name, func(c *canvas, from, to point) { c.draw(polyline(from, to), with) }})
	}
}

// places are where the canvas has them.
func (f *frame) places(points []xy) []point {
	list := make([]point, len(points))
	for i, q := range points {
		list[i] = f.at(q.x, q.y)
	}
	return list
}

// dots adds circles, and their name, if they have one, to the legend.
func (p *Picture) dots(name string, points []xy, radius float64, with pen) {
	p.include(points)
	p.shown = append(p.shown, func(c *canvas, f *frame) { c.circles(f.places(points), radius, with) })
	if name != "" {
		p.legend = append(p.legend, entry{name, func(c *canvas, from, to point) {
			c.circles([]point{{(from.x + to.x) / 2, from.y}}, radius, with)
		}})
	}
}

// bars adds vertical bars, which end where the picture does.
func (p *Picture) bars(points []xy, low, high []float64, with pen) {
	for i, q := range points {
		p.include([]xy{{q.x, q.y - low[i]}, {q.x, q.y + high[i]}})
	}
	p.shown = append(p.shown, func(c *canvas, f *frame) {
		var bars path
		for i, q := range points {
			const cap = 2.5 // half its width
			for _, y := range []float64{q.y - low[i], q.y + high[i]} {
				if y < p.Y.Min || y > p.Y.Max {
					continue
				}
				at := f.at(q.x, y)
				bars = bars.move(at.plus(-cap, 0)).line(at.plus(cap, 0))
			}
			bars = bars.move(f.at(q.x, max(q.y-low[i], p.Y.Min))).line(f.at(q.x, min(q.y+high[i], p.Y.Max)))
		}
		c.draw(bars, with)
	})
}

// names writes a name next to every point, on the side where there is room.
func (p *Picture) names(points []xy, names []string) {
	p.shown = append(p.shown, func(c *canvas, f *frame) {
		for i, q := range points {
			at := place{point: f.at(q.x, q.y).plus(4, -3)}
			if at.x+textLength(names[i], small) > f.right {
				at.x, at.anchor = at.x-8, end
			}
			c.text(names[i], at, small, p.ink)
		}
	})
}

// Sizes of texts: of titles, labels and the legend, and of numbers and names.
const (
	large = 12
	small = 10
)

// Write writes the picture as SVG. Its error is that of what cannot be drawn too.
func (p *Picture) Write(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	c := newCanvas(p.Wide, p.High)
	p.draw(c)
	return c.writeTo(w)
}

// draw makes the layout: the title above, numbers and labels to the left and below, the axes a bit off what is shown.
func (p *Picture) draw(c *canvas) {
	const (
		margin = 6 // at the edges of the picture
		gap    = 5 // between texts, and between axes and what is shown
		tick   = 6
	)
	p.settle()
	xTicks, yTicks := p.X.marks(), p.Y.marks()
	numbers := 0.0
	for _, t := range yTicks {
		numbers = max(numbers, textLength(t.label, small))
	}
	f := &frame{p: p, top: margin + small/2, right: p.Wide - margin - gap}
	if p.Title != "" {
		f.top = margin + large + gap + small/2
	}
	for _, t := range xTicks { // the last number ends within the picture
		f.right = min(f.right, p.Wide-margin-textLength(t.label, small)/2)
	}
	lineX := margin + numbers + gap + tick
	if p.Y.Label != "" {
		lineX += large + gap
	}
	lineY := p.High - margin - small - gap - tick
	if p.X.Label != "" {
		lineY -= large + gap
	}
	f.left, f.bottom = lineX+gap, lineY-gap

	c.draw(path(nil).rectangle(point{0, 0}, point{p.Wide, p.High}), pen{colour: p.ground})
	for _, show := range p.shown {
		show(c, f)
	}
	p.drawAxes(c, f, point{lineX, lineY}, tick)
	centre := (f.left + f.right) / 2
	if p.Title != "" {
		c.text(p.Title, place{point{centre, margin + capital*large}, middle, false}, large, p.ink)
	}
	if p.X.Label != "" {
		c.text(p.X.Label, place{point{centre, p.High - margin - 2}, middle, false}, large, p.ink)
	}
	if p.Y.Label != "" {
		c.text(p.Y.Label, place{point{margin + capital*large, (f.top + f.bottom) / 2}, middle, true}, large, p.ink)
	}
	p.drawLegend(c, f)
}

func (p *Picture) settle() {
	p.X.settle()
	p.Y.settle()
}

// drawAxes draws the lines, which meet near corner, with their marks and numbers.
func (p *Picture) drawAxes(c *canvas, f *frame, corner point, long float64) {
	lines := polyline(point{f.left, corner.y}, point{f.right, corner.y})
	lines = append(lines, polyline(point{corner.x, f.bottom}, point{corner.x, f.top})...)
	length := func(t tick) float64 {
		if t.label == "" {
			return long / 2
		}
		return long
	}
	for _, t := range p.X.marks() {
		at := point{f.left + (f.right-f.left)*p.X.share(t.value), corner.y}
		lines = lines.move(at).line(at.plus(0, length(t)))
		c.text(t.label, place{at.plus(0, long+3+capital*small), middle, false}, small, p.ink)
	}
	for _, t := range p.Y.marks() {
		at := point{corner.x, f.bottom + (f.top-f.bottom)*p.Y.share(t.value)}
		lines = lines.move(at).line(at.plus(-length(t), 0))
		c.text(t.label, place{at.plus(-long-3, capital*small/2), end, false}, small, p.ink)
	}
	c.draw(lines, pen{colour: p.ink, width: 0.6})
}

// drawLegend draws names with what they name.
func (p *Picture) drawLegend(c *canvas, f *frame) {
	const wide, gap = 20, 5
	for i, e := range p.legend {
		middle := f.top + 1.2*large*(float64(i)+0.5)
		e.draw(c, point{f.right - wide, middle}, point{f.right, middle})
		c.text(e.name, place{point{f.right - wide - gap, middle + capital*large/2}, end, false}, large, p.ink)
	}
}

// Axis is one of the two: it reaches from Min to Max.
type Axis struct {
	Label    string
	Min, Max float64

	log   bool
	given []tick // instead of what marks finds
}

// tick is a mark at an axis, with a number or without.
type tick struct {
	value float64
	label string
}

func newAxis() Axis { return Axis{Min: math.Inf(1), Max: math.Inf(-1)} }

func (a *Axis) include(v float64) { a.Min, a.Max = min(a.Min, v), max(a.Max, v) }

// settle makes an interval of an axis, whatever is shown: one that is wide enough for different marks.
func (a *Axis) settle() {
	const tiny, narrow = 1e-300, 1e-9
	if a.Min > a.Max { // nothing
		a.Min, a.Max = 0, 1
	}
	if a.log {
		a.Min, a.Max = max(a.Min, tiny), max(a.Max, tiny)
		if !(a.Max/a.Min > 1+narrow) {
			a.Min, a.Max = a.Min/2, a.Max*2
		}
		return
	}
	if a.Min == a.Max {
		a.Min, a.Max = a.Min-1, a.Max+1
	}
	if wide := max(tiny, narrow*max(math.Abs(a.Min), math.Abs(a.Max))); a.Max-a.Min < wide {
		a.Min, a.Max = a.Min-wide, a.Max+wide
	}
}

// share is where a value is between the ends, 0 to 1.
func (a *Axis) share(v float64) float64 {
	if a.log {
		return (math.Log(max(v, a.Min)) - math.Log(a.Min)) / (math.Log(a.Max) - math.Log(a.Min))
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// marks are where the axis has marks, most of them at multiples of 1, 2 or 5 times a power of ten.
func (a *Axis) marks() (t []tick) {
	if a.given != nil {
		return a.given
	}
	if a.log {
		if t = a.logMarks(); len(t) > 1 {
			return t
		}
		t = nil
	}
	step, pieces := niceStep(a.Max - a.Min)
	format, precision := byte('f'), max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if precision > 4 || max(math.Abs(a.Min), math.Abs(a.Max)) >= 1e6 {
		format, precision = 'g', -1
	}
	fine := step / float64(pieces)
	slack := 1e-9 * (a.Max - a.Min)
	for k := math.Ceil((a.Min - slack) / fine); k*fine <= a.Max+slack; k++ {
		m := tick{value: k * fine}
		if math.Mod(k, float64(pieces)) == 0 {
			m.label = formatNumber(m.value, format, precision)
		}
		t = append(t, m)
	}
	return t
}

// niceStep divides an interval for three to seven numbers. Between two of them are pieces without.
func niceStep(long float64) (step float64, pieces int) {
	power := math.Pow(10, math.Floor(math.Log10(long/3)))
	for _, s := range []struct {
		step   float64
		pieces int
	}{{1, 5}, {2, 4}, {5, 5}} {
		if step, pieces = s.step*power, s.pieces; long/step < 6 {
			break
		}
	}
	return step, pieces
}

// logMarks has marks at multiples of powers of ten. Numbers are at the powers, or where these are fewer than three at
// 2 and 5 times those too, or at all marks.
func (a *Axis) logMarks() (t []tick) {
	every := 1 + int((math.Log10(a.Max)-math.Log10(a.Min))/8)
	for _, labelled := range []func(m, k float64) bool{
		func(m, k float64) bool { return m == 1 && math.Mod(k, float64(every)) == 0 },
		func(m, _ float64) bool { return m == 1 || m == 2 || m == 5 },
		func(float64, float64) bool { return true },
	} {
		t = nil
		numbers := 0
		for k := math.Floor(math.Log10(a.Min)); k <= math.Ceil(math.Log10(a.Max)); k++ {
			for m := 1.0; m < 10; m++ {
				mark := tick{value: m * math.Pow(10, k)}
				if !(mark.value >= a.Min*(1-1e-9) && mark.value <= a.Max*(1+1e-9)) {
					continue
				}
				if labelled(m, k) {
					mark.label = formatNumber(mark.value, 'g', -1)
					numbers++
				} else if every > 1 {
					continue
				}
				t = append(t, mark)
			}
		}
		if numbers >= 3 {
			break
		}
	}
	return t
}
