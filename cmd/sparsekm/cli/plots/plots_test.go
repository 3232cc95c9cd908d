package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sample is a picture with everything in it.
func sample(t *testing.T) *Picture {
	t.Helper()
	p := New(false)
	p.Title, p.X.Label, p.Y.Label = "a < b & c\x01\xff", "α", "β"
	l := &lattice{columns: 3, rows: 2, dx: 1, dy: 1, z: []float64{0, 0, 1, 1, math.NaN(), 1}}
	red, half := color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 200, 0x30}
	p.cells(l, func(z float64) color.NRGBA { return map[float64]color.NRGBA{0: red, 1: half}[z] })
	p.line("line", []xy{{0, 0}, {1, 1}, {2, 0}}, pen{colour: p.ink, width: 2, dashes: "4,3"})
	p.dots("dots", []xy{{0, 1}, {2, 1}}, 3, pen{colour: p.ink, width: 1})
	p.bars([]xy{{1, 0.5}}, []float64{0.2}, []float64{0.3}, pen{colour: p.ink, width: 1})
	p.contour(&lattice{columns: 2, rows: 2, dx: 1, dy: 1, z: []float64{0, 0, 1, 1}}, 0.5, pen{colour: p.ink, width: 1})
	p.names([]xy{{2, 0.5}}, []string{"name"})
	return p
}

// TestSVG reads a picture with other code.
func TestSVG(t *testing.T) {
	var texts []string
	var written bytes.Buffer
	if err := sample(t).Write(&written); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(&written); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
	for _, want := range []string{"a < b & c\uFFFD\uFFFD", "α", "β", "line", "dots", "name", "0.0", "1.0"} {
		if !strings.Contains("|"+strings.Join(texts, "|")+"|", "|"+want+"|") {
			t.Errorf("SVG: no %q in %q", want, texts)
		}
	}
}

func TestNotFinite(t *testing.T) {
	for _, bad := range []xy{{math.NaN(), 1}, {1, math.Inf(-1)}} {
		for what, draw := range map[string]func(p *Picture){
			"line": func(p *Picture) { p.line("", []xy{{1, 1}, bad}, pen{}) },
			"dots": func(p *Picture) { p.dots("", []xy{bad}, 1, pen{}) },
			"bars": func(p *Picture) { p.bars([]xy{bad}, []float64{0}, []float64{0}, pen{}) },
		} {
			p := New(false)
			if draw(p); p.err == nil || p.Write(io.Discard) == nil {
				t.Errorf("%s draws %v", what, bad)
			}
		}
	}
}

// TestExtremes draws what is far away, near together or not positive on a logarithmic scale: in no time, and with
// numbers only.
func TestExtremes(t *testing.T) {
	extremes := []float64{0, 1, -1, 5e-324, -1e-310, 1e-300, 1e16, 1e17, 1e17 + 16, 1e300, -1e300, 1 + 1e-16, 1 + 1e-12, 1 + 1e-8}
	for _, a := range extremes {
		for _, b := range extremes {
			for _, log := range []bool{false, true} {
				p := New(false)
				p.X.log = log
				p.line("", []xy{{a, b}, {b, a}}, pen{colour: p.ink, width: 1})
				p.settle()
				if n := len(p.X.marks()) + len(p.Y.marks()); n > 100 {
					t.Errorf("%v to %v: %d marks", a, b, n)
				}
				var text bytes.Buffer
				if err := p.Write(&text); err != nil {
					t.Fatal(err)
				}
				if bad := regexp.MustCompile(`NaN|Inf|\d{6}\.?\d*,`).Find(text.Bytes()); bad != nil {
					t.Fatalf("%v to %v, log %v: %s", a, b, log, bad)
				}
			}
		}
	}
	if err := New(true).Write(io.Discard); err != nil { // nothing
		t.Error(err)
	}
}

// TestTicks: marks ascend within the axis, and numbers are few, different and equal to what they stand at.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Min: math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "exponent")), log: rapid.Bool().Draw(t, "log")}
		if a.log {
			a.Max = a.Min * math.Pow(10, rapid.Float64Range(0.01, 20).Draw(t, "decades"))
		} else {
			long := a.Min
			a.Min = long * rapid.Float64Range(-100, 100).Draw(t, "from")
			a.Max = a.Min + long
		}
		a.settle()
		last, seen := math.Inf(-1), make(map[string]bool)
		for _, m := range a.marks() {
			if slack := 1e-6 * (a.Max - a.Min); !(m.value > last && m.value >= a.Min-slack && m.value <= a.Max+slack) {
				t.Fatalf("a mark at %v after %v, from %v to %v", m.value, last, a.Min, a.Max)
			}
			last = m.value
			if m.label == "" {
				continue
			}
			v, err := strconv.ParseFloat(m.label, 64)
			if err != nil || !(math.Abs(v-m.value) <= 1e-9*math.Max(math.Abs(v), a.Max-a.Min)) || seen[m.label] {
				t.Fatalf("%q stands at %v (%v), %v", m.label, m.value, err, seen)
			}
			seen[m.label] = true
		}
		if n := len(seen); n < 2 || n > 12 || !a.log && n > 7 {
			t.Fatalf("%d numbers from %v to %v, log %v", n, a.Min, a.Max, a.log)
		}
	})
}

// TestContour: the level of a cone is a circle, and of anything else lines between what is below and above.
func TestContour(t *testing.T) {
	cone := &lattice{columns: 41, rows: 31, x0: -2, y0: -1.5, dx: 0.1, dy: 0.1}
	for r := range cone.rows {
		for c := range cone.columns {
			cone.z = append(cone.z, math.Hypot(cone.x(float64(c)), cone.y(float64(r))))
		}
	}
	lines := cone.contour(1.03)
	if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines", len(lines))
	}
	for _, q := range lines[0] {
		if r := math.Hypot(q.x, q.y); !(math.Abs(r-1.03) < 0.002) {
			t.Errorf("%v is %v from the middle", q, r)
		}
	}
	if lines = cone.contour(2); len(lines) != 2 { // cut by the edges above and below
		t.Errorf("%d lines", len(lines))
	}
	rapid.Check(t, func(t *rapid.T) {
		l := &lattice{columns: 5, rows: 4, dx: 1, dy: 1}
		crossings := 0
		for range l.columns * l.rows {
			l.z = append(l.z, float64(rapid.IntRange(-3, 3).Draw(t, "z"))+0.5)
		}
		for k := range l.z {
			if k%l.columns+1 < l.columns && (l.z[k] > 0) != (l.z[k+1] > 0) {
				crossings++
			}
			if k+l.columns < len(l.z) && (l.z[k] > 0) != (l.z[k+l.columns] > 0) {
				crossings++
			}
		}
		inner := func(q xy) bool { return q.x > 0 && q.x < 4 && q.y > 0 && q.y < 3 }
		found := 0
		for _, line := range l.contour(0) {
			found += len(line)
			switch closed := line[0] == line[len(line)-1]; {
			case closed:
				found--
			case inner(line[0]) || inner(line[len(line)-1]):
				t.Fatalf("a line from %v to %v", line[0], line[len(line)-1])
			}
			for i := 1; i < len(line); i++ {
				if d := math.Hypot(line[i].x-line[i-1].x, line[i].y-line[i-1].y); !(d < math.Sqrt2+1e-9) {
					t.Fatalf("from %v to %v", line[i-1], line[i])
				}
			}
		}
		if found != crossings {
			t.Fatalf("%d of %d crossings", found, crossings)
		}
	})
}
