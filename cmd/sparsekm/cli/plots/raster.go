package plots

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

// dotsPerPoint of pictures that are made of dots: 96 per inch.
const dotsPerPoint = 96.0 / 72

// raster draws dots.
type raster struct {
	jpeg  bool
	dots  *image.RGBA
	cover *vector.Rasterizer
}

func newRaster(jpeg bool, wide, high float64) *raster {
	w, h := int(wide*dotsPerPoint+0.5), int(high*dotsPerPoint+0.5)
	return &raster{jpeg: jpeg, dots: image.NewRGBA(image.Rect(0, 0, w, h)), cover: vector.NewRasterizer(w, h)}
}

func (r *raster) draw(p path, with pen) {
	r.cover.Reset(r.dots.Rect.Dx(), r.dots.Rect.Dy())
	if with.width == 0 {
		r.add(p)
	} else {
		for _, line := range p.flat() {
			for _, dash := range dashed(line, with.dashes) {
				r.stroke(dash, with.width/2)
			}
		}
	}
	r.cover.Draw(r.dots, r.dots.Rect, image.NewUniform(with.colour), image.Point{})
}

// inDots is a place in dots.
func inDots(p point) (x, y float32) { return float32(p.x * dotsPerPoint), float32(p.y * dotsPerPoint) }

// add adds what a path encloses.
func (r *raster) add(p path) {
	for i := range p {
		ax, ay := inDots(p[i].to[0])
		bx, by := inDots(p[i].to[1])
		cx, cy := inDots(p[i].to[2])
		switch p[i].kind {
		case 'M':
			r.cover.MoveTo(ax, ay)
		case 'L':
			r.cover.LineTo(ax, ay)
		case 'Q':
			r.cover.QuadTo(ax, ay, bx, by)
		case 'C':
			r.cover.CubeTo(ax, ay, bx, by, cx, cy)
		case 'Z':
			r.cover.ClosePath()
		}
	}
}

// stroke adds a line with what is nearer to it than half its width, but for its ends. All pieces turn the same way,
// so that they add up.
func (r *raster) stroke(line []point, half float64) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		long := math.Hypot(b.x-a.x, b.y-a.y)
		if long == 0 {
			continue
		}
		nx, ny := half*(b.y-a.y)/long, -half*(b.x-a.x)/long
		r.add(polyline(a.plus(nx, ny), b.plus(nx, ny), b.plus(-nx, -ny), a.plus(-nx, -ny)).close())
		if i+1 < len(line) && half*dotsPerPoint > 0.5 {
			r.add(path{}.circle(b, half)) // round corners
		}
	}
}

// flat is the lines of a path, its curves of third order as short ones.
func (p path) flat() (lines [][]point) {
	var line []point
	done := func() {
		if len(line) > 1 {
			lines = append(lines, line)
		}
	}
	for _, s := range p.cubic() {
		switch s.kind {
		case 'M':
			done()
			line = []point{s.to[0]}
		case 'L':
			line = append(line, s.to[0])
		case 'C':
			a := line[len(line)-1]
			const pieces = 8
			for k := 1; k <= pieces; k++ {
				t := float64(k) / pieces
				u := 1 - t
				bend := func(a, b, c, d float64) float64 { return u*u*u*a + 3*u*u*t*b + 3*u*t*t*c + t*t*t*d }
				line = append(line, point{bend(a.x, s.to[0].x, s.to[1].x, s.to[2].x),
					bend(a.y, s.to[0].y, s.to[1].y, s.to[2].y)})
			}
		case 'Z':
			line = append(line, line[0])
		}
	}
	done()
	return lines
}

// dashed cuts a line into its dashes.
func dashed(line []point, dashes []float64) (pieces [][]point) {
	if len(dashes) == 0 {
		return [][]point{line}
	}
	k, left := 0, dashes[0]
	piece := []point{line[0]}
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		long := math.Hypot(b.x-a.x, b.y-a.y)
		for from := 0.0; ; {
			if long-from <= left {
				left -= long - from
				piece = append(piece, b)
				break
			}
			from += left
			at := point{a.x + (b.x-a.x)*from/long, a.y + (b.y-a.y)*from/long}
			if piece = append(piece, at); k%2 == 0 {
				pieces = append(pieces, piece)
			}
			piece = []point{at}
			k++
			left = dashes[k%len(dashes)]
		}
	}
	if k%2 == 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

func (r *raster) circles(at []point, radius float64, with pen) { r.draw(circlePath(at, radius), with) }

func (r *raster) text(s string, at place, size float64, colour color.NRGBA) {
	r.draw(textPath(s, at, size), pen{colour: colour})
}

func (r *raster) writeTo(w io.Writer) error {
	if r.jpeg {
		return jpeg.Encode(w, r.dots, &jpeg.Options{Quality: 90})
	}
	return png.Encode(w, r.dots)
}
