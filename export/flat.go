package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// flat is a classifier as tables.
type flat struct {
	model.Parts
	Probable bool // it has probabilities
	Groups   []group
	tables   int       // groups and factors that have a number
	Variance *variance // by which the half-width of an interval is multiplied; nil for none
	Process  *process  // of the variance of a Gaussian process, for programs that have it; nil for none
	Odds     []process // of each submodel of a classifier of Gaussian processes; nil for none
}

// variance is Noise + φᵀCφ; φ has the kernel values of the only group, and a last 1.
type variance struct {
	Noise float64
	Full  []float64 // C, N×N
	Lower []float64 // its lower triangle in rows
	N     int       // elements of φ
}

// process is what the variance of a Gaussian process needs, in the order of the vectors, with the noise.
type process struct {
	learn.Process
	Noise float64
	N     int
	Self  bool // k(x, x) differs, and is element N of the kernel values; else Prior includes it
	At    int  // of the first of its kernel values in those of all groups
}

// keepProcess keeps the variance of a Gaussian process, whose vectors are in the order of the coefficients.
func (f *flat) keepProcess() {
	m := &f.Submodels[0]
	if q := f.Posterior; q != nil && q.Process != nil && f.N > 0 && m.Kernel == nil &&
		slices.Equal(m.Support, deal.All(f.N)) {
		f.Process = &process{Process: *q.Process, Noise: q.Noise, N: f.N}
		f.Process.keepSelf(&f.Groups[0])
		f.Groups[0].Self = f.Process.Self
	}
}

// keepSelf keeps what k(x, x) is for a composite kernel.
func (p *process) keepSelf(g *group) {
	if g.Sum != composed {
		return
	}
	p.Self = slices.ContainsFunc(g.factors(), func(f *group) bool { return f.Sum == products })
	if !p.Self {
		sum := 0.0
		for _, t := range g.Terms {
			sum += t.Scale
		}
		p.Prior *= sum
	}
}

// keepOdds keeps the variances of a classifier of Gaussian processes. Each group has the values of all vectors.
func (f *flat) keepOdds() {
	if f.Latent == nil {
		return
	}
	f.Odds = make([]process, len(f.Latent))
	first := 0
	for i := range f.Groups {
		var p process
		for _, m := range f.Groups[i].Submodels {
			q := f.Latent[m]
			p = process{Process: *q.Process, Noise: q.Noise, N: f.N, At: first}
			p.keepSelf(&f.Groups[i])
			f.Odds[m] = p
		}
		f.Groups[i].At, f.Groups[i].Self = first, p.Self
		first += p.values()
	}
}

// room is the number of kernel values that programs keep, 0 for none.
func (f *flat) room() int {
	switch {
	case f.Variance != nil:
		return f.Variance.N
	case f.Process != nil:
		return f.Process.values()
	}
	n := 0
	for i := range f.Odds {
		n = max(n, f.Odds[i].At+f.Odds[i].values())
	}
	return n
}

// values is the number of kernel values.
func (p *process) values() int {
	if p.Self {
		return p.N + 1
	}
	return p.N
}

// sum is the first step of a kernel value, over the features q of a query and v of a vector.
type sum string

const (
	squares     sum = "squares"     // Σ (q_k − v_k)²
	differences sum = "differences" // Σ |q_k − v_k|
	products    sum = "products"    // Σ q_k v_k
	weights     sum = "weights"     // as products; each submodel has one vector, and no coefficients
	single      sum = "single"      // q_k v, where k is the only feature of the vector: Feature
	composed    sum = "composed"    // of Terms, which are kernel values already
)

// value is the second step of a kernel value, from the sum s.
type value string

const (
	asItIs value = ""
	decay  value = "decay" // exp(−Gamma s)
	power  value = "power" // (s + Coef0)^Degree
	tanh   value = "tanh"  // tanh(s + Coef0)
	rise   value = "rise"  // 1/(1 + exp(−(s + Offset)))
	ratio  value = "ratio" // (1 + Gamma s)^(−Coef0)

	// With t = √(Gamma s), and 0 for t > 1000, where t² might overflow:
	bell1 value = "bell1" // exp(−t)
	bell3 value = "bell3" // (1 + t) exp(−t)
	bell5 value = "bell5" // (1 + t + t²/3) exp(−t)
)

// bell reports whether it is the value of a Matérn kernel.
func (v value) bell() bool { return v == bell1 || v == bell3 || v == bell5 }

// ofBell is the expression of such a value, with t in s, in a language whose exponential function has this name.
func (v value) ofBell(exp string) string {
	switch v {
	case bell3:
		return "(1 + s) * " + exp + "(-s)"
	case bell5:
		return "(1 + s + s*s/3) * " + exp + "(-s)"
	}
	return exp + "(-s)"
}

// group is the submodels that share a kernel. The features of a query are q_k = (x[Used[k]] − Center[k])·Factor[k]; a
// nil table changes nothing.
type group struct {
	Index          int // of the group or factor, in the names of its tables
	Terms          []product
	Sum            sum
	Value          value
	Gamma          float64 // 1 if Factor and Vectors include it
	Coef0          float64
	Degree         int
	Used           []int
	Center, Factor []float64
	Vectors        []float64 // N×D
	Offset         []float64 // of each vector, for steps
	Feature        []int     // of each vector
	N, D           int
	Width          float64 // of products: γ, which Vectors include
	Submodels      []int
	At             int       // of its values in those of all groups that a program keeps
	Self           bool      // k(x, x) is kept after them
	Coef           []float64 // N×len(Submodels); nil if Sum is weights

	// Lists in the place of Coef: those of vector i are First[i] to First[i+1].
	First, Target []int
	List          []float64
}

// product is a term of a composite kernel: a number times the values of kernels over the same vectors.
type product struct {
	Scale   float64
	Factors []*group
}

// factors are the kernels of which the group's values are made: itself, or those of its terms.
func (g *group) factors() (all []*group) {
	if g.Sum != composed {
		return []*group{g}
	}
	for _, t := range g.Terms {
		all = append(all, t.Factors...)
	}
	return all
}

// index is the next number of a group or factor.
func (f *flat) index() int {
	f.tables++
	return f.tables - 1
}

// flatten folds scaling, widths and weights into tables.
func flatten(c *model.Classifier) (*flat, error) {
	const maxBytes = 64 << 20 // bytes of vectors, several times as many of text
	c, err := c.Dense(maxBytes)
	if err != nil {
		return nil, err
	}
	f := &flat{Parts: c.Parts(), Probable: c.Calibrated() == nil}
	if f.Conformal != nil && f.Posterior != nil {
		if err = f.keepVariance(); err != nil {
			return nil, err
		}
	}
	var shared []int
	for i := range f.Submodels {
		m := &f.Submodels[i]
		if m.Kernel == nil {
			shared = append(shared, i)
		} else if err := f.add(*m.Kernel, []int{i}, m.Support); err != nil {
			return nil, err
		}
	}
	if len(shared) > 0 {
		if err := f.add(f.Kernel, shared, deal.All(f.N)); err != nil {
			return nil, err
		}
	}
	f.addSteps()
	f.addPlanes()
	f.keepOdds()
	return f, nil
}

// keepVariance puts the posterior into the order of the vectors, and keeps the kernel values that it needs: a linear
// kernel is a polynomial one of degree 1, since the sum of its vectors has none.
func (f *flat) keepVariance() error {
	m := &f.Parts.Submodels[0]
	switch {
	case f.Posterior.Process != nil:
		return fmt.Errorf("export: intervals by variances of a Gaussian process: %w", ErrNoCode)
	case f.Kernel.Kind == gram.KindPrecomputed || m.Kernel != nil:
		return fmt.Errorf("export: intervals by variances of a kernel that is not the model's: %w", ErrNoCode)
	case f.Kernel.Kind == gram.KindLinear:
		f.Kernel = gram.Poly(1, 1, 0)
	}
	n := f.N + 1
	full := make([]float64, n*n)
	place := append(slices.Clone(m.Support), f.N)
	row := f.Posterior.Covariance
	for i, a := range place {
		for j, v := range row[:i+1] {
			full[a*n+place[j]], full[place[j]*n+a] = v, v
		}
		row = row[i+1:]
	}
	f.Variance = &variance{Noise: f.Posterior.Noise, Full: full, N: n}
	for i := range n {
		f.Variance.Lower = append(f.Variance.Lower, full[i*n:i*n+i+1]...)
	}
	return nil
}

// addSteps adds the steps of all submodels as a group: the scaling is in their directions and offsets.
func (f *flat) addSteps() {
	steps, coef := f.Parts.Steps()
	if len(steps) == 0 {
		return
	}
	g := group{Index: f.index(), Gamma: 1, N: len(steps), D: f.D, Submodels: deal.All(len(f.Submodels)), Value: rise, Sum: products}
	center, factor, base := affine(f.Scaling, f.D)
	for i := range steps {
		offset := steps[i].Move
		for k, u := range steps[i].Turn {
			offset += u * (base[k] - center[k]*factor[k])
			g.Vectors = append(g.Vectors, u*factor[k])
		}
		g.Offset = append(g.Offset, offset)
	}
	g.Coef = coef
	f.Groups = append(f.Groups, g)
}

// addPlanes adds the planes of the submodels that have one as a group.
func (f *flat) addPlanes() {
	g := group{Gamma: 1, D: f.D, Sum: weights}
	for i := range f.Submodels {
		if w := f.Submodels[i].Plane; w != nil {
			g.Submodels = append(g.Submodels, i)
			g.Vectors = append(g.Vectors, w...)
		}
	}
	if len(g.Submodels) == 0 {
		return
	}
	g.Index = f.index()
	center, factor, base := affine(f.Scaling, f.D)
	for i := range g.Vectors {
		k, w := i%g.D, &g.Vectors[i]
		f.Submodels[g.Submodels[i/g.D]].Bias += *w * base[k]
		*w *= factor[k]
	}
	if f.Scaling != nil {
		g.Center = center
	}
	g.N = len(g.Submodels)
	f.Groups = append(f.Groups, g)
}

// add adds the group of some submodels over some vectors; no group without vectors.
func (f *flat) add(k gram.Kernel, submodels, vectors []int) error {
	g := group{Gamma: 1, N: len(vectors), D: f.D, Submodels: submodels}
	if g.N == 0 {
		return nil
	}
	g.Index = f.index()
	place := make(map[int]int, g.N) // of a vector in the group
	for i, v := range vectors {
		place[v] = i
		g.Vectors = append(g.Vectors, f.Vectors[v*f.D:(v+1)*f.D]...)
	}
	coef := make([]float64, g.N*len(submodels))
	for j, i := range submodels {
		m := &f.Parts.Submodels[i]
		for s, v := range m.Support {
			coef[place[v]*len(submodels)+j] = m.Coef[s]
		}
	}
	switch {
	case k.Kind == gram.KindLinear:
		g.foldLinear(f.Parts.Submodels, f.Scaling, coef)
	case k.Kind == gram.KindPrecomputed:
		g.foldValues(coef)
	case k.Composed():
		f.foldTerms(&g, k)
	case !g.fold(k, f.Scaling):
		return fmt.Errorf("export: the kernel %s: %w", strings.TrimSpace(fmt.Sprint(k.Kind, " ", k.Name)), ErrNoCode)
	}
	if g.Sum != weights {
		g.Coef = coef
	}
	f.Groups = append(f.Groups, g)
	return nil
}

// fold folds a kernel of which each value is one of a vector. It reports whether it can.
func (g *group) fold(k gram.Kernel, s *dataset.Scaling) bool {
	switch k.Kind {
	case gram.KindRBF, gram.KindLaplacian:
		g.foldDistance(k, s)
	case gram.KindMatern12, gram.KindMatern32, gram.KindMatern52, gram.KindRationalQuadratic:
		g.foldCurve(k, s)
	case gram.KindPoly, gram.KindSigmoid:
		g.foldProduct(k, s)
	default:
		return false
	}
	return true
}

// foldTerms makes a group of each factor, with vectors of its own.
func (f *flat) foldTerms(g *group, k gram.Kernel) {
	for _, t := range k.Terms {
		p := product{Scale: t.Scale}
		for _, k := range t.Factors {
			factor := &group{Index: f.index(), Gamma: 1, Vectors: slices.Clone(g.Vectors), N: g.N, D: g.D}
			if k.Kind == gram.KindLinear {
				factor.foldProduct(gram.Poly(1, 1, 0), f.Scaling)
				factor.Value = asItIs
			} else {
				factor.fold(k, f.Scaling) // a valid kernel has no other factors
			}
			p.Factors = append(p.Factors, factor)
		}
		g.Terms = append(g.Terms, p)
	}
	g.Sum, g.Vectors, g.D = composed, nil, 0
}

// affine returns the scaling as x' = (x − center)·factor + base, for every feature; a constant one has the factor 0.
func affine(s *dataset.Scaling, d int) (center, factor, base []float64) {
	center, factor, base = make([]float64, d), make([]float64, d), make([]float64, d)
	for k := range d {
		switch {
		case s == nil:
			factor[k] = 1
		case s.Spread[k] == 0: // 0 whatever x is
		case s.Kind == dataset.ScaleMinMax:
			center[k], factor[k], base[k] = s.Center[k], (s.Hi-s.Lo)/s.Spread[k], s.Lo
		default:
			center[k], factor[k] = s.Center[k], 1/s.Spread[k]
		}
	}
	return center, factor, base
}

// foldDistance moves the width, the weights and the base of the scaling to the tables:
// γ w (x' − v)² = (√(γw) (x − center) factor − √(γw) (v − base))², and γ |x' − v| likewise.
func (g *group) foldDistance(k gram.Kernel, s *dataset.Scaling) {
	g.Sum, g.Value = squares, decay
	if k.Kind == gram.KindLaplacian {
		g.Sum = differences
	}
	if s == nil && k.Weights == nil || g.D == 0 {
		g.Gamma = k.Gamma
		return
	}
	center, factor := g.moveWidths(k, s)
	g.Factor = factor
	if s != nil {
		g.Center = center
	}
}

// moveWidths moves the widths to the vectors, and returns what queries need.
func (g *group) moveWidths(k gram.Kernel, s *dataset.Scaling) (center, factor []float64) {
	center, factor, base := affine(s, g.D)
	for j := range g.D {
		r := k.Gamma
		if g.Sum == squares {
			if k.Weights != nil {
				r *= k.Weights[j]
			}
			r = math.Sqrt(r)
		}
		factor[j] *= r
		for i := range g.N {
			v := &g.Vectors[i*g.D+j]
			*v = (*v - base[j]) * r
		}
	}
	return center, factor
}

// foldCurve is foldDistance for the functions of squared distances other than RBF.
func (g *group) foldCurve(k gram.Kernel, s *dataset.Scaling) {
	var factor float64
	curve := ratio
	switch k.Kind {
	case gram.KindMatern12:
		curve, factor = bell1, 2
	case gram.KindMatern32:
		curve, factor = bell3, 6
	case gram.KindMatern52:
		curve, factor = bell5, 10
	default:
		factor, g.Coef0 = 1/k.Alpha, k.Alpha
	}
	k.Gamma *= factor
	g.foldDistance(k, s)
	g.Value = curve
}

// foldProduct moves γ to the vectors: γ xᵀv = Σ x (γ v), and the base of the scaling to its center:
// (x − center) factor + base = (x − (center − base/factor)) factor.
func (g *group) foldProduct(k gram.Kernel, s *dataset.Scaling) {
	g.Sum, g.Coef0, g.Degree, g.Width = products, k.Coef0, k.Degree, k.Gamma
	if g.Value = power; k.Kind == gram.KindSigmoid {
		g.Value = tanh
	}
	for i := range g.Vectors {
		g.Vectors[i] *= k.Gamma
	}
	if s == nil || g.D == 0 {
		return
	}
	center, factor, base := affine(s, g.D)
	for j := range center {
		if factor[j] != 0 {
			center[j] -= base[j] / factor[j]
		}
	}
	g.Center, g.Factor = center, factor
}

// foldLinear makes one vector of weights for each submodel, wᵀ(x − center), and moves the base of the scaling to the
// bias.
func (g *group) foldLinear(all []learn.Submodel, s *dataset.Scaling, coef []float64) {
	center, factor, base := affine(s, g.D)
	if s != nil && g.D > 0 {
		g.Center = center
	}
	m := len(g.Submodels)
	w := make([]float64, m*g.D)
	for j := range m {
		for k := range g.D {
			sum := 0.0
			for i := range g.N {
				sum += coef[i*m+j] * g.Vectors[i*g.D+k]
			}
			w[j*g.D+k] = sum * factor[k]
			all[g.Submodels[j]].Bias += sum * base[k]
		}
	}
	g.Sum, g.Vectors, g.N = weights, w, m
}

// foldValues is for samples that are rows of kernel values: f(x) = Σ coef x[index of the vector].
func (g *group) foldValues(coef []float64) {
	m := len(g.Submodels)
	w := make([]float64, m*g.N)
	for i := range g.N {
		g.Used = append(g.Used, int(g.Vectors[i*g.D]))
		for j := range m {
			w[j*g.N+i] = coef[i*m+j]
		}
	}
	g.Sum, g.Vectors, g.N, g.D = weights, w, m, g.N
}

// compress makes tables that programs have smaller: without what no decision needs.
func (f *flat) compress(singles bool) {
	for i := range f.Groups {
		g := &f.Groups[i]
		if g.Coef != nil && f.Variance == nil {
			g.list()
		}
		for _, factor := range g.factors() {
			every := factor != g && factor.Sum == products && (f.Posterior != nil || f.Latent != nil) // change k(x, x)
			if !every && factor.Used == nil && !(singles && factor.only()) {
				factor.leaveOut()
			}
		}
	}
}

// list makes lists of the coefficients if these take less memory than their table.
func (g *group) list() {
	m, some := len(g.Submodels), 0
	for _, v := range g.Coef {
		if v != 0 {
			some++
		}
	}
	if 2*some+g.N > len(g.Coef) {
		return
	}
	for i := range g.N {
		g.First = append(g.First, len(g.Target))
		for j, v := range g.Coef[i*m : (i+1)*m] {
			if v != 0 {
				g.Target = append(g.Target, g.Submodels[j])
				g.List = append(g.List, v)
			}
		}
	}
	g.First = append(g.First, len(g.Target))
}

// only makes the vectors of steps that have one feature each single, or reports that it cannot.
func (g *group) only() bool {
	if g.Value != rise {
		return false
	}
	var features []int
	var slopes []float64
	for i, v := range g.Vectors {
		if v != 0 {
			features = append(features, i%g.D)
			slopes = append(slopes, v)
		}
		if (i+1)%g.D == 0 && len(features) != (i+1)/g.D {
			return false
		}
	}
	g.Sum, g.Feature, g.Vectors, g.D = single, features, slopes, 1
	return true
}

// leaveOut drops the features that change no decision value, if they are at least a quarter of all: for distances,
// features that are 0 in every vector and every query; for products, features that are 0 in every vector.
func (g *group) leaveOut() {
	var used []int
	for k := range g.D {
		dead := true
		for i := range g.N {
			dead = dead && g.Vectors[i*g.D+k] == 0
		}
		if distance := g.Sum == squares || g.Sum == differences; distance {
			dead = dead && g.Factor != nil && g.Factor[k] == 0
		}
		if !dead {
			used = append(used, k)
		}
	}
	if 4*len(used) > 3*g.D || len(used) == 0 {
		return
	}
	vectors := make([]float64, 0, g.N*len(used))
	for i := range g.N {
		for _, k := range used {
			vectors = append(vectors, g.Vectors[i*g.D+k])
		}
	}
	g.Used, g.Vectors, g.D = used, vectors, len(used)
	g.Center, g.Factor = deal.Pick(g.Center, used), deal.Pick(g.Factor, used)
}
