package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/modelselect"
)

// The picture of errors against vectors, in pixels.
const (
	frontWidth, frontHeight       = 760, 360
	frontLeft, frontRight         = 60, 20
	frontTop, frontBottom         = 30, 44
	frontLeast, frontMost         = 0.01, 2.0 // shares of support vectors at the ends of the axis
	frontCharacter, frontLineHigh = 6.2, 13
)

// promiseInk is the colours of one picture; the page's own background shows through.
type promiseInk struct{ text, dot, front, line string }

var promiseInks = map[string]promiseInk{
	"promise.svg":      {"#1f2328", "#3b8686", "#d1242f", "#d0d7de"},
	"promise-dark.svg": {"#e6edf3", "#63c5c5", "#ff7b72", "#30363d"},
}

// dot is a setting of the page's first table.
type dot struct {
	name              string
	share, difference float64
}

// dotsOf are those of the page that have vectors.
func dotsOf(page string) (all []dot, err error) {
	rows, err := summaryRows(page)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		d := dot{name: name}
		if d.share, err = strconv.ParseFloat(rows[name]["mean share"], 64); err != nil || d.share == 0 {
			continue
		}
		difference, _, _ := strings.Cut(rows[name]["error"], " ")
		if d.difference, err = strconv.ParseFloat(difference, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// frontPicture is an SVG with a circle for each setting: share of the SVC's support vectors, difference in error,
// and the settings that no other beats in both.
func frontPicture(all []dot, c promiseInk) []byte {
	var scores []modelselect.Score
	low, high := 0.0, 0.0
	for i, s := range all {
		scores = append(scores, modelselect.Score{Setting: i, Mean: s.difference, Vectors: s.share})
		low, high = min(low, s.difference), max(high, s.difference)
	}
	low, high = math.Floor(2*low-0.2)/2, math.Ceil(2*high+0.2)/2
	x := func(share float64) float64 {
		part := math.Log(max(share, frontLeast)/frontLeast) / math.Log(frontMost/frontLeast)
		return frontLeft + (frontWidth-frontLeft-frontRight)*part
	}
	y := func(difference float64) float64 {
		return frontTop + (frontHeight-frontTop-frontBottom)*(high-difference)/(high-low)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" `+
		`font-size="11">`+"\n", frontWidth, frontHeight)
	for v := low; v <= high; v += 0.5 {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="%s"/>`+
			`<text x="%d" y="%.1f" fill="%s" text-anchor="end">%+.1f</text>`+"\n",
			frontLeft, y(v), frontWidth-frontRight, c.line, frontLeft-6, y(v)+4, c.text, v)
	}
	for _, v := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1} {
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="%s"/>`+
			`<text x="%.1f" y="%d" fill="%s" text-anchor="middle">%g</text>`+"\n",
			x(v), frontTop, frontHeight-frontBottom, c.line, x(v), frontHeight-frontBottom+16, c.text, v)
	}
	fmt.Fprintf(&b, `<text x="%d" y="16" fill="%s" font-size="13">`+
		"test error above a tuned SVM's in pp, mean over the sets</text>\n", frontLeft, c.text)
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" font-size="13" text-anchor="end">`+
		"share of its support vectors</text>\n", frontWidth-frontRight, frontHeight-6, c.text)
	front := modelselect.Front(scores)
	path, command := "", "M"
	for _, s := range front {
		path += fmt.Sprintf("%s%.1f %.1f", command, x(s.Vectors), y(s.Mean))
		command = "L"
	}
	fmt.Fprintf(&b, `<path d="%s" stroke="%s" stroke-width="1.5" fill="none"/>`+"\n", path, c.front)
	var taken labels
	for _, s := range scores {
		colour := c.dot
		if slices.ContainsFunc(front, func(f modelselect.Score) bool { return f.Setting == s.Setting }) {
			colour = c.front
		}
		px, py := x(s.Vectors), y(s.Mean)
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", px, py, colour)
		name := all[s.Setting].name
		lx, ly := taken.place(px, py, frontCharacter*float64(len(name)))
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n", lx, ly, c.text, name)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// labels are the boxes of text so far: left, baseline, width.
type labels [][3]float64

// place is the first free spot next to (x, y), up and down in turns.
func (l *labels) place(x, y, width float64) (left, base float64) {
	for k := range 30 {
		left, base = x+8, y+4
		if left+width > frontWidth-4 || k%4 >= 2 {
			left = x - 8 - width
		}
		base += frontLineHigh * float64((k/4+1)/2) * float64(1-2*(k%2)) * float64(min(1, k/2))
		if left > 0 && !slices.ContainsFunc(*l, func(o [3]float64) bool {
			return left < o[0]+o[2]+4 && o[0] < left+width+4 && math.Abs(base-o[1]) < frontLineHigh
		}) {
			break
		}
	}
	*l = append(*l, [3]float64{left, base, width})
	return left, base
}
