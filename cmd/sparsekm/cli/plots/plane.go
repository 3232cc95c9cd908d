package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// plane is the samples of the features' space whose standardised values are u·axis[0] + v·axis[1]; the axes are
// orthonormal.
type plane struct {
	standard *dataset.Scaling // of all samples
	axis     [2][]float64
	zero     [2]float64 // what is written where u or v is 0,
	unit     [2]float64 // and between there and 1
	names    [2]string
}

// newPlane returns the plane of two features at the mean of the others. Without features it takes the only one or
// two, or else the samples' first two principal axes.
func newPlane(set *dataset.Set, features []int) (*plane, error) {
	s, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	p := &plane{standard: s, unit: [2]float64{1, 1}}
	for a := range p.axis {
		p.axis[a] = make([]float64, set.D)
	}
	if features == nil && set.D <= 2 {
		features = []int{0, 1}[:set.D] // a single feature has no second axis
	}
	if features == nil {
		p.principal(s.Apply(set))
		return p, nil
	}
	for a, f := range features {
		p.axis[a][f], p.zero[a], p.unit[a] = 1, s.Center[f], cmp.Or(s.Spread[f], 1)
		p.names[a] = fmt.Sprintf("feature %d", f)
		if f < len(set.Features) {
			p.names[a] = set.Features[f]
		}
	}
	return p, nil
}

// principal takes the eigenvectors of the correlations' two largest eigenvalues, by orthogonal iteration (Golub and
// Van Loan 2013, section 8.2.4). It is slow where eigenvalues are near to each other, but then any of their planes
// will do.
func (p *plane) principal(standard *dataset.Set) {
	const rounds, enough = 100, 1e-7 // the angle of the last turn
	d := standard.D
	rng := rand.New(rand.NewPCG(1, 2))
	for a := range p.axis {
		p.names[a] = fmt.Sprintf("principal axis %d", a+1)
		for k := range p.axis[a] {
			p.axis[a][k] = rng.NormFloat64()
		}
	}
	p.orthonormal()
	for range rounds {
		last := p.axis
		next := [2][]float64{make([]float64, d), make([]float64, d)}
		for i := range standard.N {
			x := standard.X[i*d : (i+1)*d]
			for a := range next {
				c := dot(x, p.axis[a])
				for k, v := range x {
					next[a][k] += c * v
				}
			}
		}
		p.axis = next
		p.orthonormal()
		turned := 0.0
		for a, axis := range p.axis {
			for k, v := range axis {
				turned += (v - last[a][k]) * (v - last[a][k])
			}
		}
		if turned < enough*enough {
			break
		}
	}
	for a := range p.axis { // of the two directions the one of its largest coordinate
		bySize := func(v, w float64) int { return cmp.Compare(v*v, w*w) }
		if slices.MaxFunc(p.axis[a], bySize) < 0 {
			for k := range p.axis[a] {
				p.axis[a][k] = -p.axis[a][k]
			}
		}
	}
}

// orthonormal makes the axes so, keeping the first one's direction. An axis that vanishes is a unit vector.
func (p *plane) orthonormal() {
	for a, axis := range p.axis {
		if a > 0 && len(axis) > 1 {
			c := dot(axis, p.axis[0])
			for k := range axis {
				axis[k] -= c * p.axis[0][k]
			}
		}
		length := math.Sqrt(dot(axis, axis))
		if !(length > 1e-150) {
			axis[min(a, len(axis)-1)], length = 1, 1
		}
		for k := range axis {
			axis[k] /= length
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

// shown is where a sample is drawn.
func (p *plane) shown(x []float64) xy {
	z := make([]float64, len(x))
	p.standard.ApplyTo(z, x)
	var at [2]float64
	for a, axis := range p.axis {
		for k, c := range axis {
			at[a] += c * z[k]
		}
	}
	return xy{p.zero[0] + p.unit[0]*at[0], p.zero[1] + p.unit[1]*at[1]}
}

// at writes the sample of the plane that is drawn there.
func (p *plane) at(dst []float64, x, y float64) {
	u, v := (x-p.zero[0])/p.unit[0], (y-p.zero[1])/p.unit[1]
	for k := range dst {
		dst[k] = u*p.axis[0][k] + v*p.axis[1][k]
	}
	p.standard.InvertTo(dst, dst)
}

// planeCells of the plane a side.
const planeCells = 160

// Boundary draws what a model says in a plane, with the samples and circles around the vectors: of classes their
// regions, of two with the margins f = ±1; of values and densities colours, or over a single feature a curve.
func (p *Picture) Boundary(clf *sparsekm.Classifier, set *dataset.Set, features []int) (*Picture, error) {
	switch {
	case clf.Kernel().Indexed():
		return nil, fmt.Errorf("a picture of kind boundary wants features, and a precomputed kernel has none")
	case set.D == 0 || set.N == 0:
		return nil, fmt.Errorf("there are no samples or features to draw")
	}
	of, err := newPlane(set, features)
	if err != nil {
		return nil, err
	}
	xys := make([]xy, set.N)
	x, y := newAxis(), newAxis()
	for i := range xys {
		xys[i] = of.shown(set.Row(i))
		if !drawable(xys[i].x) || !drawable(xys[i].y) {
			return nil, fmt.Errorf("sample %d is at %v, %v: too far away to draw", i, xys[i].x, xys[i].y)
		}
		x.include(xys[i].x)
		y.include(xys[i].y)
	}
	if set.D == 1 {
		y.Min, y.Max = -1, 1
	}
	wide, high := max(x.Max-x.Min, 1e-9), max(y.Max-y.Min, 1e-9)
	cells := &lattice{columns: planeCells, rows: planeCells, x0: x.Min - 0.05*wide, y0: y.Min - 0.05*high,
		dx: 1.1 * wide / (planeCells - 1), dy: 1.1 * high / (planeCells - 1)}
	p.X.Label, p.Y.Label = of.names[0], of.names[1]
	p.Title = fmt.Sprintf("%s: %d vectors", cmp.Or(clf.Method(), "an unknown method"), clf.NumVectors())
	switch valued := clf.Task() == learn.Regress || clf.Task() == learn.Density; {
	case valued && set.D == 1:
		cells.rows, cells.y0 = 1, 0
		p.curve(clf, set, of, cells)
		return p, p.err
	case valued:
		p.values(clf, set, of, xys, cells)
	default:
		p.regions(clf, of, cells)
		p.samples(clf, set, xys)
	}
	var vectors []xy
	for _, x := range vectorsOf(clf, set.D) {
		vectors = append(vectors, of.shown(x))
	}
	p.circled(vectors)
	return p, p.err
}

// regions draws the classes' regions.
func (p *Picture) regions(clf *sparsekm.Classifier, of *plane, cells *lattice) {
	classes := *cells
	decide(clf, of, cells, &classes)
	p.cells(&classes, func(c float64) color.NRGBA { return p.tint[int(c)%len(p.tint)] })
	if clf.NumSubmodels() > 1 {
		return
	}
	p.contour(cells, 0, pen{colour: p.ink, width: 1.4})
	if clf.Task() == learn.Classify {
		margin := pen{colour: p.ink, width: 0.6, dashes: "3,3"}
		p.contour(cells, -1, margin)
		p.contour(cells, 1, margin)
	}
}

// decide fills in the first decision value and, of a model that has classes, the class at every cell.
func decide(clf *sparsekm.Classifier, of *plane, decisions, classes *lattice) {
	const room = 1 << 20 // features at a time
	d, m, all := len(of.axis[0]), clf.NumSubmodels(), decisions.columns*decisions.rows
	some := max(1, min(room/d, all))
	x, f, class := make([]float64, some*d), make([]float64, some*m), make([]int, some)
	for from := 0; from < all; from += some {
		n := min(some, all-from)
		for k := range n {
			r, c := (from+k)/decisions.columns, (from+k)%decisions.columns
			of.at(x[k*d:(k+1)*d], decisions.x(float64(c)), decisions.y(float64(r)))
		}
		clf.DecideBatch(f, x, n, 1)
		for k := range n {
			decisions.z = append(decisions.z, f[k*m])
		}
		if classes == nil {
			continue
		}
		clf.Classes(class, f, n)
		for k := range n {
			classes.z = append(classes.z, float64(class[k]))
		}
	}
}

// values draws what a model of values or of a density says, in colours from the least to the largest of it. Samples
// have the colours of their targets.
func (p *Picture) values(clf *sparsekm.Classifier, set *dataset.Set, of *plane, xys []xy, cells *lattice) {
	decide(clf, of, cells, nil)
	ends := newAxis()
	for _, v := range cells.z {
		if !drawable(v) {
			p.fail("the model says %v next to these samples: too much to draw", v)
			return
		}
		ends.include(v)
	}
	from := fmt.Sprintf("; %.3g (blue)", ends.Min)
	if clf.Task() == learn.Density { // grey, where there is nothing
		ends.Min, from = -ends.Max, "; 0 (grey)"
	}
	to := fmt.Sprintf(" to %.3g (red)", ends.Max)
	if ends.Min == ends.Max {
		from, to = fmt.Sprintf("; %.3g everywhere", ends.Max), ""
	}
	p.Title += from + to
	ends.settle() // an only value is in the middle, which is grey
	share := func(v float64) float64 { return shade(min(max(ends.share(v), 0), 1)) }
	for k, v := range cells.z {
		cells.z[k] = share(v)
	}
	p.cells(cells, func(v float64) color.NRGBA {
		c := diverging(v)
		c.A = 0x90 // the samples stand out
		return c
	})
	if set.Targets == nil {
		p.samples(clf, set, xys)
		return
	}
	own := make(map[float64][]xy)
	for i, v := range set.Targets {
		own[share(v)] = append(own[share(v)], xys[i])
	}
	for _, v := range slices.Sorted(maps.Keys(own)) {
		p.dots("", own[v], 2.2, pen{colour: diverging(v)})
	}
	p.dots("samples", xys, 2.2, pen{colour: p.ink, width: 0.4})
}

// curve draws what a model of values or of a density says over its only feature.
func (p *Picture) curve(clf *sparsekm.Classifier, set *dataset.Set, of *plane, cells *lattice) {
	decide(clf, of, cells, nil)
	line := make([]xy, len(cells.z))
	for c, v := range cells.z {
		line[c] = xy{cells.x(float64(c)), v}
	}
	p.Y.Label = "value"
	if clf.Task() == learn.Density {
		p.Y.Label = "density"
	}
	xys := make([]xy, set.N)
	for i := range xys {
		xys[i].x = set.Row(i)[0]
		if set.Targets != nil {
			xys[i].y = set.Targets[i]
		}
	}
	vectors := vectorsOf(clf, 1)
	f := make([]float64, len(vectors))
	clf.DecideBatch(f, slices.Concat(vectors...), len(vectors), 1)
	kept := make([]xy, len(vectors))
	for j, x := range vectors {
		kept[j] = xy{x[0], f[j]}
	}
	p.dots("samples", xys, 1.8, pen{colour: p.classColour(0)})
	p.line("", line, pen{colour: p.ink, width: 1.4})
	p.circled(kept)
}

// samples draws the samples, by class if they have some, in the colours of the model's.
func (p *Picture) samples(clf *sparsekm.Classifier, set *dataset.Set, xys []xy) {
	if set.Y == nil {
		p.dots("samples", xys, 1.8, pen{colour: p.ink})
		return
	}
	next := clf.NumClasses()
	for class, label := range set.Labels {
		var own []xy
		for i, c := range set.Y {
			if c == class {
				own = append(own, xys[i])
			}
		}
		if len(own) == 0 {
			continue
		}
		k := slices.Index(clf.Labels(), label)
		if k < 0 {
			k, next = next, next+1
		}
		p.dots(label, own, 1.8, pen{colour: p.classColour(k)})
	}
}

// vectorsOf are the vectors of a model of d features, in the samples' units.
func vectorsOf(clf *sparsekm.Classifier, d int) [][]float64 {
	parts := clf.Parts()
	vectors := make([][]float64, parts.N)
	for j := range vectors {
		vectors[j] = make([]float64, d)
		parts.Scaling.InvertTo(vectors[j], parts.Vector(j))
	}
	return vectors
}

// circled draws a circle around every vector.
func (p *Picture) circled(vectors []xy) {
	if len(vectors) > 0 {
		p.dots("vectors", vectors, 4, pen{colour: p.ink, width: 0.6})
	}
}
