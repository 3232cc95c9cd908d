package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
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

// newPlane is that of two features at the mean of the others, or for none of them that of both of two features, else
// of the samples' first two principal axes.
func newPlane(set *dataset.Set, features []int) (*plane, error) {
	s, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	p := &plane{standard: s, unit: [2]float64{1, 1}}
	for a := range p.axis {
		p.axis[a] = make([]float64, set.D)
	}
	if features == nil && set.D == 2 {
		features = []int{0, 1}
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

// Boundary draws the classes' regions in a plane, of two classes with the margins f = ±1, the samples and circles
// around the vectors.
func (p *Picture) Boundary(clf *sparsekm.Classifier, set *dataset.Set, features []int) (*Picture, error) {
	if set.D == 0 || set.N == 0 {
		return nil, fmt.Errorf("there are no samples or features to draw")
	}
	of, err := newPlane(set, features)
	if err != nil {
		return nil, err
	}
	at := make([]xy, set.N)
	x, y := newAxis(), newAxis()
	for i := range at {
		at[i] = of.shown(set.Row(i))
		x.include(at[i].x)
		y.include(at[i].y)
	}
	wide, high := max(x.Max-x.Min, 1e-9), max(y.Max-y.Min, 1e-9)
	regions := &lattice{columns: planeCells, rows: planeCells, x0: x.Min - 0.05*wide, y0: y.Min - 0.05*high,
		dx: 1.1 * wide / (planeCells - 1), dy: 1.1 * high / (planeCells - 1)}
	decisions := *regions
	p.decide(clf, of, regions, &decisions)
	if err = p.cells(regions, func(class float64) color.NRGBA { return p.tint[int(class)%len(p.tint)] }); err != nil {
		return nil, err
	}
	if clf.NumSubmodels() == 1 {
		margin := pen{colour: p.ink, width: 0.6, dashes: "3,3"}
		p.contour(&decisions, -1, margin)
		p.contour(&decisions, 0, pen{colour: p.ink, width: 1.4})
		p.contour(&decisions, 1, margin)
	}
	p.X.Label, p.Y.Label = of.names[0], of.names[1]
	p.Title = fmt.Sprintf("%s: %d vectors", cmp.Or(clf.Method(), "an unknown method"), clf.NumVectors())
	return p, p.samples(clf, set, of, at)
}

// decide fills in the class and, of one model, the decision at every cell.
func (p *Picture) decide(clf *sparsekm.Classifier, of *plane, regions, decisions *lattice) {
	d, m := len(of.axis[0]), clf.NumSubmodels()
	x, f, class := make([]float64, planeCells*d), make([]float64, planeCells*m), make([]int, planeCells)
	for r := range planeCells {
		for c := range planeCells {
			of.at(x[c*d:(c+1)*d], regions.x(float64(c)), regions.y(float64(r)))
		}
		clf.DecideBatch(f, x, planeCells, 1)
		clf.Classes(class, f, planeCells)
		for c := range planeCells {
			regions.z = append(regions.z, float64(class[c]))
			decisions.z = append(decisions.z, f[c*m])
		}
	}
}

// samples draws the samples by class, and a circle around every vector.
func (p *Picture) samples(clf *sparsekm.Classifier, set *dataset.Set, of *plane, at []xy) error {
	for class, label := range set.Labels {
		var own []xy
		for i, c := range set.Y {
			if c == class {
				own = append(own, at[i])
			}
		}
		if len(own) == 0 {
			continue
		}
		if err := p.dots(label, own, 1.8, pen{colour: p.classColour(class)}); err != nil {
			return err
		}
	}
	parts := clf.Parts()
	var kept []xy
	for j := range parts.N {
		x := make([]float64, set.D)
		parts.Scaling.InvertTo(x, parts.Vectors[j*parts.D:(j+1)*parts.D])
		kept = append(kept, of.shown(x))
	}
	if len(kept) == 0 {
		return nil
	}
	return p.dots("vectors", kept, 4, pen{colour: p.ink, width: 0.6})
}
