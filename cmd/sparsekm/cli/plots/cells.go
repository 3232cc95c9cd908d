package plots

import (
	"image/color"
	"math"
	"slices"
	"strconv"
)

// formatNumber is strconv's, for numbers near a multiple of a step: without a sign of 0, or digits that rounding made.
func formatNumber(v float64, format byte, precision int) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(v+0, format, precision, 64) // -0 + 0 is 0
}

// lattice is values at the centres of the cells of a rectangle, row by row.
type lattice struct {
	columns, rows  int
	x0, y0, dx, dy float64
	z              []float64
}

func (l *lattice) x(c float64) float64 { return l.x0 + c*l.dx }
func (l *lattice) y(r float64) float64 { return l.y0 + r*l.dy }

// cells adds the cells, each in the colour of its value; those of NaN are left out.
func (p *Picture) cells(l *lattice, colour func(z float64) color.NRGBA) {
	p.include([]xy{{l.x(-0.5), l.y(-0.5)}, {l.x(float64(l.columns) - 0.5), l.y(float64(l.rows) - 0.5)}})
	p.shown = append(p.shown, func(c *canvas, f *frame) {
		areas := make(map[color.NRGBA]path)
		var order []color.NRGBA
		for r := range l.rows {
			for from := 0; from < l.columns; {
				z, to := l.z[r*l.columns+from], from+1
				for to < l.columns && l.z[r*l.columns+to] == z {
					to++
				}
				if !math.IsNaN(z) {
					nrgba := colour(z)
					if areas[nrgba] == nil {
						order = append(order, nrgba)
					}
					areas[nrgba] = areas[nrgba].rectangle(f.at(l.x(float64(from)-0.5), l.y(float64(r)-0.5)),
						f.at(l.x(float64(to)-0.5), l.y(float64(r)+0.5)))
				}
				from = to
			}
		}
		for _, nrgba := range order {
			c.draw(areas[nrgba], pen{colour: nrgba})
		}
	})
}

// contour adds the lines on which the values, interpolated between centres, are of a level.
func (p *Picture) contour(l *lattice, level float64, with pen) {
	p.shown = append(p.shown, func(c *canvas, f *frame) {
		for _, line := range l.contour(level) {
			c.draw(polyline(f.places(line)...), with)
		}
	})
}

// crossing is where a line of a level crosses an edge of the lattice: the one from centre k to its right, or upwards.
type crossing struct {
	k  int
	up bool
}

// contour finds the lines of a level: pieces through squares of four centres, joined where they meet at an edge.
func (l *lattice) contour(level float64) (lines [][]xy) {
	next := make(map[crossing][]crossing)
	join := func(a, b crossing) {
		next[a] = append(next[a], b)
		next[b] = append(next[b], a)
	}
	var order []crossing
	for r := range l.rows - 1 {
		for c := range l.columns - 1 {
			k := r*l.columns + c
			corners := [4]int{k, k + 1, k + l.columns + 1, k + l.columns}
			edges := [4]crossing{{k, false}, {k + 1, true}, {k + l.columns, false}, {k, true}}
			var found []crossing
			for e := range edges {
				if (l.z[corners[e]] >= level) != (l.z[corners[(e+1)%4]] >= level) {
					found = append(found, edges[e])
				}
			}
			if len(found) == 4 { // a saddle: the middle says which corners belong together
				mean := (l.z[corners[0]] + l.z[corners[1]] + l.z[corners[2]] + l.z[corners[3]]) / 4
				if (mean >= level) != (l.z[corners[0]] >= level) {
					found[0], found[1], found[2], found[3] = found[3], found[0], found[1], found[2]
				}
				join(found[2], found[3])
			}
			if len(found) >= 2 {
				join(found[0], found[1])
				order = append(order, found...)
			}
		}
	}
	// Lines that end at the border begin there; the others are closed.
	for _, ends := range []bool{true, false} {
		for _, from := range order {
			if len(next[from]) == 0 || ends && len(next[from]) != 1 {
				continue
			}
			line := []xy{l.crossed(from, level)}
			for at := from; len(next[at]) > 0; {
				to := next[at][0]
				next[at] = next[at][1:]
				back := slices.Index(next[to], at)
				next[to] = slices.Delete(next[to], back, back+1)
				line = append(line, l.crossed(to, level))
				at = to
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// crossed is where a crossing is between its two centres, by their values.
func (l *lattice) crossed(e crossing, level float64) xy {
	x, y := float64(e.k%l.columns), float64(e.k/l.columns)
	other := e.k + 1
	if e.up {
		other = e.k + l.columns
	}
	share := (level - l.z[e.k]) / (l.z[other] - l.z[e.k])
	if e.up {
		return xy{l.x(x), l.y(y + share)}
	}
	return xy{l.x(x + share), l.y(y)}
}

// coolWarm are colours from blue over grey to red, lighter towards the middle (Moreland 2009, table of the supplement).
var coolWarm = []color.NRGBA{{59, 76, 192, 255}, {98, 130, 234, 255}, {141, 176, 254, 255}, {184, 208, 249, 255},
	{221, 221, 221, 255}, {245, 196, 173, 255}, {244, 154, 123, 255}, {222, 96, 77, 255}, {180, 4, 38, 255}}

// shade is the nearest of 64 shares from 0 to 1.
func shade(share float64) float64 { return math.Round(share*63) / 63 }

// diverging is the colour of a share from 0 to 1, one of 64.
func diverging(share float64) color.NRGBA {
	last := len(coolWarm) - 1
	value := float64(last) * shade(share)
	k := min(int(value), last-1)
	a, b, t := coolWarm[k], coolWarm[k+1], value-float64(k)
	between := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + t*(float64(b)-float64(a)))) }
	return color.NRGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 255}
}
