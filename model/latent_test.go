package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// laplace is Laplace's approximation of a classifier between two classes with targets 0 and 1, by Rasmussen and
// Williams (2006), algorithms 3.1 and 3.2, in plain loops.
type laplace struct {
	k        func(x, z []float64) float64
	noise    float64
	vectors  [][]float64
	gradient []float64   // y − π at the mode
	root     []float64   // √W
	l        [][]float64 // of 1 + W½ K W½
}

func newLaplace(k func(x, z []float64) float64, noise float64, x [][]float64, y []float64) *laplace {
	n := len(x)
	p := &laplace{k: k, noise: noise, vectors: x, gradient: make([]float64, n), root: make([]float64, n)}
	all := make([][]float64, n)
	for i := range all {
		for j := range x {
			all[i] = append(all[i], k(x[i], x[j]))
		}
		all[i][i] += noise
	}
	times := func(v []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			for j, u := range v {
				out[i] += all[i][j] * u
			}
		}
		return out
	}
	f := make([]float64, n)
	for range 60 {
		b, inner := make([]float64, n), make([][]float64, n)
		for i := range f {
			pi := 1 / (1 + math.Exp(-f[i]))
			p.gradient[i], p.root[i] = y[i]-pi, math.Sqrt(pi*(1-pi))
			b[i] = p.root[i]*p.root[i]*f[i] + p.gradient[i]
		}
		for i := range inner {
			inner[i] = make([]float64, n)
			for j := range inner {
				inner[i][j] = p.root[i] * all[i][j] * p.root[j]
			}
			inner[i][i]++
		}
		p.l = factor(inner)
		c := times(b)
		for i := range c {
			c[i] *= p.root[i]
		}
		c = p.down(c)
		for i := n - 1; i >= 0; i-- {
			for j := i + 1; j < n; j++ {
				c[i] -= p.l[j][i] * c[j]
			}
			c[i] /= p.l[i][i]
		}
		for i := range c {
			c[i] = b[i] - p.root[i]*c[i]
		}
		f = times(c)
	}
	return p
}

// down solves with L.
func (p *laplace) down(v []float64) []float64 {
	for i := range v {
		for j := range i {
			v[i] -= p.l[i][j] * v[j]
		}
		v[i] /= p.l[i][i]
	}
	return v
}

// latent is the mean and the variance of the latent function.
func (p *laplace) latent(x []float64) (mean, variance float64) {
	w := make([]float64, len(p.vectors))
	for i, z := range p.vectors {
		w[i] = p.k(x, z)
		mean += p.gradient[i] * w[i]
		w[i] *= p.root[i]
	}
	variance = p.noise + p.k(x, x)
	for _, v := range p.down(w) {
		variance -= v * v
	}
	return mean, variance
}

// probability is as in scikit-learn, line by line.
func (p *laplace) probability(x []float64) float64 {
	mean, variance := p.latent(x)
	lambdas := []float64{0.41, 0.4, 0.37, 0.44, 0.39}
	coefs := []float64{-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654}
	alpha, pi, sum := 1/(2*variance), 0.0, 0.0
	for i, lambda := range lambdas {
		gamma := lambda * mean
		integral := math.Sqrt(math.Pi/alpha) * math.Erf(gamma*math.Sqrt(alpha/(alpha+lambda*lambda))) /
			(2 * math.Sqrt(variance*2*math.Pi))
		pi += coefs[i] * integral
		sum += coefs[i]
	}
	return pi + 0.5*sum
}

// arrays adds those of the process, with names that end in this way.
func (p *laplace) arrays(to map[string][]byte, end string) {
	n := len(p.vectors)
	square := make([]float64, n*n)
	for i, row := range p.l {
		copy(square[i*n:], row)
	}
	list := fmt.Sprintf("%d,", n)
	to["coefficients"+end], to["weights"+end] = npy(list, p.gradient...), npy(list, p.root...)
	to["cholesky"+end], to["noise"+end] = npy(fmt.Sprintf("%d, %d", n, n), square...), npy("", p.noise)
}

// drawnClassifier is a file of k classes over n samples of two features, and the processes of its classes; with a sum
// of kernels or one. Some processes have kernels of their own.
func drawnClassifier(rnd *rand.Rand, k, n int, sum bool) (map[string][]byte, []*laplace) {
	var flat, y []float64
	x := make([][]float64, n)
	for i := range x {
		y = append(y, float64(i%k))
		x[i] = []float64{rnd.NormFloat64() + y[i], rnd.NormFloat64() - y[i]*y[i]/2}
		flat = append(flat, x[i]...)
	}
	labels := []string{"ant", "bee", "cat", "dog"}[:k]
	a := map[string][]byte{"classes": npyTexts(labels...), "vectors": npy(fmt.Sprintf("%d, 2", n), flat...)}
	var all []*laplace
	for c := range k {
		if k == 2 && c == 0 {
			continue
		}
		end, length, variance := "", 1+0.5*float64(c/2), 2.5
		if k > 2 {
			end = fmt.Sprint(".", c)
		}
		dot := func(x, z []float64) float64 { return x[0]*z[0] + x[1]*z[1] }
		kernel := func(x, z []float64) float64 {
			return variance * math.Exp(-(dot(x, x)-2*dot(x, z)+dot(z, z))/2/length/length)
		}
		a["kernel"+end], a["lengthscales"+end], a["variance"+end] = npyText("rbf"), npy("", length), npy("", variance)
		if sum {
			one := kernel
			kernel = func(x, z []float64) float64 { return one(x, z) + 0.3*math.Pow(dot(x, z)+0.5, 2) }
			a["kernel"+end], a["lengthscales"+end] = npyTexts("rbf", "poly"), npy("2, 1", length, 1)
			a["term"+end], a["variance"+end] = npy("2,", 0, 1), npy("2,", variance, 0.3)
			a["offset"+end], a["degree"+end] = npy("2,", 0, 0.5), npy("2,", 1, 2)
		}
		target := make([]float64, n)
		for i := range target {
			if y[i] == float64(c) {
				target[i] = 1
			}
		}
		p := newLaplace(kernel, 0.125*float64(c), x, target)
		p.arrays(a, end)
		all = append(all, p)
	}
	return a, all
}

// Probabilities are those of the literal algorithms to 1e-9, the classes those of the largest, of one row and of many,
// and close to the mean of the logistic function by a sum over the normal distribution.
func TestProcessClassifierIsLiteral(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(4, 2))
		for round := range 12 {
			k, sum := 2+round%3, round%4 > 1
			arrays, all := drawnClassifier(rnd, k, 10+rnd.IntN(30), sum)
			c := readArrays(t, arrays)
			const rows = 70
			x, f := make([]float64, 2*rows), make([]float64, rows*c.NumSubmodels())
			for i := range x {
				x[i] = 2 * rnd.NormFloat64()
			}
			c.DecideBatch(f, x, rows, 2)
			p, one := make([]float64, rows*k), make([]float64, k)
			c.ProbabilitiesOf(p, f, rows, 2)
			for q := range rows {
				row, want, total := x[2*q:2*q+2], make([]float64, k), 0.0
				for i := range all {
					want[k-len(all)+i] = all[i].probability(row)
					total += want[k-len(all)+i]
				}
				if k == 2 {
					want[0], total = 1-want[1], 1
				}
				best := 0
				for i := range want {
					if want[i] /= total; want[i] > want[best] {
						best = i
					}
				}
				name := fmt.Sprintf("classifier %d, row %d", round, q)
				testutil.NearAll(t, name, p[q*k:(q+1)*k], want, 1e-9)
				if class := c.Predict(row); class != best {
					t.Errorf("%s: class %d, want %d", name, class, best)
				}
				c.Probabilities(one, row)
				testutil.NearAll(t, name+" alone", one, p[q*k:(q+1)*k], 0)
				mean, variance := all[0].latent(row)
				testutil.Near(t, name+", logistic", all[0].probability(row), logisticMean(mean, variance), 1e-4)
			}
		}
	})
}

// logisticMean is E[1/(1+exp(−f))] for a normal f, by a sum.
func logisticMean(mean, variance float64) float64 {
	total, all := 0.0, 0.0
	for u := -8.0; u <= 8; u += 1.0 / 64 {
		w := math.Exp(-u * u / 2)
		total += w / (1 + math.Exp(-mean-u*math.Sqrt(variance)))
		all += w
	}
	return total / all
}

func readArrays(t testing.TB, arrays map[string][]byte) *Classifier {
	t.Helper()
	c, _, err := Read(bytes.NewReader(npz(t, arrays)), "gp.npz")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// latentParts are small parts of three classes, two of which share the kernel.
func latentParts() Parts {
	p := processParts(3, 4, 2, false)
	first, f := p.Submodels[0], *p.Posterior
	own := gram.Matern32(0.75)
	p.Task, p.Posterior, p.Submodels = learn.Classify, nil, nil
	p.Labels, p.Scheme = []string{"a", "b", "c"}, OneVsRest
	for i := range p.Labels {
		m, q := learn.Submodel{Pos: i, Neg: learn.Rest, Expansion: first.CloneUnits()}, *f.Clone()
		m.Support, m.Coef, m.Bias = deal.All(4), []float64{1, -0.5, float64(i), 0.25}, 0.5-float64(i)/4
		q.Process.Triangle = []float64{0.5, 0.25, 0.5, 0, 0.25, 0.5, 0.125, 0.25, 0, 0.5}
		if i == 1 {
			q.Process.Spread = []float64{1, 0.5, 0.25, 0, 1, 0.125, 0.5, 0, 0.25, 0.5}
		} else if i == 2 {
			m.Kernel = &own
		}
		p.Submodels = append(p.Submodels, m)
		p.Latent = append(p.Latent, q)
		p.Platt = append(p.Platt, Platt{A: -1})
	}
	for i := range p.Vectors {
		p.Vectors[i] = float64(i%5) / 2
	}
	p.Kernel = gram.RBF(0.5)
	return p
}

// A file of version 11 stays readable for ever, and means the same.
func TestGoldenLatent(t *testing.T) {
	golden(t, "v11", mustNew(t, latentParts()))
}

// The odds are finite, have the sign of the mean where signs decide, and do not fall with the mean by more than
// roundings.
func TestLatentOdds(t *testing.T) {
	for _, variance := range []float64{0, 1e-300, 1e-3, 1, 30, 1e6, 1e300} {
		last := -1.0
		for mean := -100.0; mean <= 100; mean += 1.0 / 64 {
			odds, free := latentOdds(mean, variance, true), latentOdds(mean, variance, false)
			if !(math.Abs(odds) < 50) || (odds > 0) != (mean > 0) || !(math.Abs(odds-free) < 1e-7) {
				t.Fatalf("%v and %v for mean %v, variance %v", odds, free, mean, variance)
			}
			p := 1 / (1 + math.Exp(-odds))
			if p < last-1e-11 {
				t.Fatalf("probability %v after %v for mean %v, variance %v", p, last, mean, variance)
			}
			last = p
		}
	}
	if odds := latentOdds(math.SmallestNonzeroFloat64, 1, true); !(odds > 0) {
		t.Errorf("%v for the least mean", odds)
	}
	if !math.IsNaN(latentOdds(math.NaN(), 1, true)) || !math.IsNaN(latentOdds(math.NaN(), 1, false)) {
		t.Error("a number for NaN")
	}
}

// Far from all vectors no class is more probable than another, and the first one is predicted, as by scikit-learn.
func TestLatentTies(t *testing.T) {
	p := latentParts()
	for i := range p.Submodels {
		m := &p.Submodels[i]
		m.Kernel, m.Bias, p.Latent[i].Process.Spread = nil, 0, nil
	}
	p.Submodels[0].Coef = []float64{-1, -0.5, 0, -0.25}
	if c := mustNew(t, p); c.Predict([]float64{30, 0}) != 0 {
		t.Errorf("class %d", c.Predict([]float64{30, 0}))
	}
}

// A decision allocates nothing.
func TestLatentAllocations(t *testing.T) {
	c := mustNew(t, latentParts())
	x, f := []float64{0.5, 1}, make([]float64, 3)
	if allocs := testing.AllocsPerRun(50, func() { c.DecideTo(f, x); c.Predict(x) }); allocs != 0 && !raceEnabled {
		t.Errorf("%v allocations", allocs)
	}
}

// Parts that make no classifier are refused, as are files of other versions.
func TestBadLatent(t *testing.T) {
	for name, change := range map[string]func(*Parts){
		"too few processes":   func(p *Parts) { p.Latent = p.Latent[1:] },
		"no process":          func(p *Parts) { p.Latent[1].Process = nil },
		"a negative noise":    func(p *Parts) { p.Latent[1].Noise = -1 },
		"no number":           func(p *Parts) { p.Latent[2].Process.Triangle[3] = math.NaN() },
		"a short triangle":    func(p *Parts) { p.Latent[0].Process.Triangle = p.Latent[0].Process.Triangle[1:] },
		"covariances":         func(p *Parts) { p.Latent[0].Covariance = []float64{1} },
		"another kernel":      func(p *Parts) { p.Kernel = gram.Linear() },
		"vectors out of turn": func(p *Parts) { m := &p.Submodels[1]; m.Support[0], m.Support[1] = 1, 0 },
		"fewer vectors":       func(p *Parts) { m := &p.Submodels[1]; m.Support, m.Coef = m.Support[1:], m.Coef[1:] },
		"a plane":             func(p *Parts) { p.Submodels[0].Plane = []float64{1, 2} },
	} {
		p := latentParts()
		if change(&p); mustFail(p) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	text := earlier(mustNew(t, latentParts()))
	for _, c := range [][3]string{
		{`"version":11`, `"version":10`, "JSON of version 10 with what version 11 has"},
		{`"latent":{`, `"latent":null,"x":{`, "found 'n' in the JSON"},
		{`"noise_variance":0.125,`, ``, `posterior without "noise_variance"`},
	} {
		if !strings.Contains(string(text), c[0]) {
			t.Fatalf("no %s in %s", c[0], text)
		}
		err := unmarshal([]byte(strings.Replace(string(text), c[0], c[1], 1)))
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s for %s: %v", c[1], c[0], err)
		}
	}
}

// plainClasses is the file of a classifier of two or three classes.
func plainClasses(k int) map[string][]byte {
	a, _ := drawnClassifier(rand.New(rand.NewPCG(1, 1)), k, 4, false)
	return a
}

// plainPairs is one of three pairs.
func plainPairs() map[string][]byte {
	a := plainClasses(3)
	a["scheme"] = npyText("ovo")
	for i := range 3 {
		delete(a, fmt.Sprint("cholesky.", i))
		delete(a, fmt.Sprint("weights.", i))
		a[fmt.Sprint("coefficients.", i)] = npy("4,", 1, 0, -2, float64(i))
	}
	return a
}

// Votes of pairs decide, and samples of other classes are left out.
func TestPairsOfProcesses(t *testing.T) {
	c := readArrays(t, plainPairs())
	p := c.Parts()
	if p.Scheme != OneVsOne || c.Calibrated() == nil || p.Latent != nil {
		t.Errorf("%v, %v, %d processes", p.Scheme, c.Calibrated(), len(p.Latent))
	}
	for i, want := range []struct{ pos, neg, n int }{{1, 0, 2}, {2, 0, 3}, {2, 1, 3}} {
		if m := p.Submodels[i]; m.Pos != want.pos || m.Neg != want.neg || len(m.Coef) != want.n {
			t.Errorf("submodel %d: %d against %d, %d vectors, want %v", i, m.Pos, m.Neg, len(m.Coef), want)
		}
	}
}

// Every fault of the arrays of classes is in the error.
func TestClassesRefused(t *testing.T) {
	whole, each := plainClasses(2), plainClasses(3)
	for _, c := range []struct {
		of    map[string][]byte
		array string
		with  []byte // nil deletes it
		want  string
	}{
		{whole, "classes", npyTexts("a"), "classes: found 1 texts and 0 numbers of the shape (1), want at least two"},
		{whole, "classes", npy("2,", 1, 2), "classes: found 0 texts and 2 numbers"},
		{whole, "classes", npyTexts("a", "a"), `label "a" of class 1`},
		{whole, "classes", npyTexts("a", ""), "label"},
		{whole, "classes", nil, "weights: the file has one, and no array classes"},
		{whole, "scheme", npyText("ovo"), `scheme: found ["ovo"] of 2 classes`},
		{whole, "kernel.0", npyText("rbf"), "kernel.0: found an array of process 0, want none with a number"},
		{whole, "weights", npy("3,", 1, 1, 1), "weights: found numbers of the shape (3), want numbers of (4)"},
		{whole, "weights", npy("4,", 1, 1, -1, 1), "weights: element 2 is -1, want at least 0"},
		{whole, "weights", npy("4,", 0.5, 0.5, 0.5, 0.9), "cholesky: LLᵀ has "},
		{whole, "cholesky", nil, "cholesky: the file has none, want one with weights"},
		{each, "classes", npyTexts("a", "b", "c", "d"), "kernel.3: the file has no array of process 3, want 4 processes"},
		{each, "kernel.1", nil, "kernel.1: the file has none"},
		{each, "vectors", nil, "vectors: the file has none"},
		{each, "center", npy("3,", 1, 1, 1), "center: found numbers of the shape (3), want numbers of (2)"},
		{each, "coefficients.1", npy("4,", 1, 1, math.NaN(), 1), "coefficients.1: element 2 is NaN, want a finite number"},
		{each, "classes", nil, "kernel.0: the file has one, and no array classes, want both or none"},
		{each, "scheme", npyText("ovr "), "scheme: found"},
		{each, "scheme", npy("", 1), "scheme: found"},
		{each, "scheme", npyText("ovo"), "cholesky.0: the file has one, want none with scheme ovo"},
		{each, "cholesky.1", nil, "cholesky.1: the file has none, want one for each class"},
		{each, "kernel", npyText("rbf"), "kernel: found one for all processes, want kernel.0 to kernel.2"},
		{each, "kernel.3", npyText("rbf"), "kernel.3: found an array of process 3, want 3 with numbers, from 0"},
		{each, "kernel.01", npyText("rbf"), `"kernel.01.npy": found an unknown array`},
		{each, "vectors.0", npy("", 1), `"vectors.0.npy": found an unknown array`},
		{each, "variance.2", npy("", -1), "variance.2: found -1, want more than 0"},
		{each, "vectors", npy("2,", 1, 1), "vectors: found numbers of the shape (2)"},
	} {
		a := make(map[string][]byte)
		for name, b := range c.of {
			a[name] = b
		}
		if delete(a, c.array); c.with != nil {
			a[c.array] = c.with
		}
		_, _, err := Read(bytes.NewReader(npz(t, a)), "gp.npz")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.array, err, c.want)
		} else if strings.Count(err.Error(), c.want) > 1 {
			t.Errorf("%v says it more than once", err)
		}
	}
}

// All faults of a file are in one error, of a file of many classes and nothing else one.
func TestClassesAllFaults(t *testing.T) {
	a := plainClasses(3)
	a["center"], a["kernel.0"], a["weights.1"] = npy("1,", 0), npyText("cosine"), npy("4,", 1, 1, 1, math.Inf(1))
	a["scheme"], a["kernel.7"] = npyText("votes"), npyText("rbf")
	delete(a, "variance.2")
	_, _, err := Read(bytes.NewReader(npz(t, a)), "gp.npz")
	if err == nil {
		t.Fatal("the file is read")
	}
	for _, name := range []string{"center: ", "kernel.0: ", "weights.1: ", "scheme: ", "kernel.7: ", "variance.2: "} {
		if strings.Count(err.Error(), name) != 1 {
			t.Errorf("%d times %s in %v", strings.Count(err.Error(), name), name, err)
		}
	}
	labels := make([]string, 40_000)
	for i := range labels {
		labels[i] = fmt.Sprint("c", i)
	}
	for _, scheme := range []string{"ovr", "ovo"} {
		_, _, err = Read(bytes.NewReader(npz(t, map[string][]byte{"classes": npyTexts(labels...), "scheme": npyText(scheme),
			"vectors": npy("1, 1", 0)})), "gp.npz")
		const want = "kernel.0: the file has no array of process 0"
		if err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}
