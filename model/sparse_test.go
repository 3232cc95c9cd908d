package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// fewOf is n rows of d features, a tenth of them not 0.
func fewOf(seed uint64, n, d int) *csr.Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n*d)
	for i := range x {
		if rng.IntN(10) == 0 {
			x[i] = float64(rng.IntN(9)-4) / 4
		}
	}
	return csr.FromDense(x, n, d)
}

// sparseParts are those of a classifier of 12 sparse vectors of 50 features.
func sparseParts(scheme Scheme, kernel gram.Kernel) Parts {
	p := randomParts(dataset.NewRand(3), scheme, kernel, 12, 50)
	p.Scaling, p.Vectors, p.Sparse = nil, nil, fewOf(4, 12, 50)
	return p
}

// TestSparse holds classifiers of sparse vectors against the same with every zero stored: decisions for rows and sets,
// sparse or not, what they say of themselves, and files.
func TestSparse(t *testing.T) {
	x := fewOf(5, 70, 50)
	thin, thick := &dataset.Set{Sparse: x, N: x.N, D: x.D}, &dataset.Set{X: x.Dense(), N: x.N, D: x.D}
	for name, kernel := range kernels(50) {
		if !kernel.Sparse() {
			continue
		}
		for _, scheme := range schemes {
			t.Run(fmt.Sprint(name, " ", scheme), func(t *testing.T) {
				own := gram.RBF(0.25)
				p := sparseParts(scheme, kernel)
				p.Submodels[0].Kernel = &own
				for _, p := range []Parts{sparseParts(scheme, kernel), p} {
					c := mustNew(t, p)
					d, err := c.Dense(1 << 20)
					if err != nil || d.Sparse() || !c.Sparse() {
						t.Fatal(err)
					}
					sameDecisions(t, c, d, thin, thick)
					testFiles(t, c, thin)
				}
			})
		}
	}
}

func sameDecisions(t *testing.T, c, d *Classifier, thin, thick *dataset.Set) {
	t.Helper()
	m := c.NumSubmodels()
	want := make([]float64, thick.N*m)
	d.DecideBatch(want, thick.X, thick.N, 1)
	const lo = 3
	for what, of := range map[string]struct {
		c   *Classifier
		set *dataset.Set
	}{"sparse vectors and samples": {c, thin}, "sparse vectors": {c, thick}, "sparse samples": {d, thin}} {
		for _, threads := range []int{1, 3} {
			f := make([]float64, (thin.N-lo)*m)
			of.c.DecideSet(f, of.set, lo, thin.N-lo, threads)
			testutil.NearAll(t, what, f, want[lo*m:], 1e-12)
		}
	}
	one := make([]float64, m)
	c.DecideTo(one, thick.Row(7))
	testutil.NearAll(t, "one row", one, want[7*m:8*m], 1e-12)
	for i, e := range c.Explain(thick.Row(9)) {
		testutil.Near(t, "explained", e.Decision, want[9*m+i], 1e-12)
	}
	needs, all := c.Needs()
	if dense, every := d.Needs(); !every && (all || len(needs) > len(dense)) || !all && len(needs) == 0 {
		t.Errorf("needs %v, with every zero stored %v", needs, dense)
	}
}

// testFiles writes the classifier in every format that can have it and reads it again.
func testFiles(t *testing.T, c *Classifier, set *dataset.Set) {
	t.Helper()
	for _, f := range []Format{SKM, JSON, LIBSVM} {
		var b bytes.Buffer
		err := c.Write(&b, f)
		if f == LIBSVM && err != nil {
			continue // its own limits are another test's
		}
		if err != nil {
			t.Fatal(f, err)
		}
		back, _, err := Read(bytes.NewReader(b.Bytes()), "f")
		if err != nil {
			t.Fatal(f, err)
		}
		if f == LIBSVM {
			if back, err = back.WithFeatures(c.NumFeatures()); err != nil {
				t.Fatal(err)
			}
		} else if diff := sameParts(back, c); diff != "" {
			t.Errorf("%v: %s", f, diff)
		}
		m := c.NumSubmodels()
		g, h := make([]float64, set.N*m), make([]float64, set.N*m)
		c.DecideSet(g, set, 0, set.N, 1)
		back.DecideSet(h, set, 0, set.N, 1)
		if f != LIBSVM || c.Scheme() == Binary { // which has models in an order of its own
			testutil.NearAll(t, string(f), h, g, 1e-12)
		}
	}
}

// TestSparseLIBSVM: a model file of LIBSVM of many features keeps its vectors as they are.
func TestSparseLIBSVM(t *testing.T) {
	text := "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n" +
		"1 2:0.5 700000:1 \n-1 3:0 5:2 \n"
	c, err := readLIBSVM(strings.NewReader(text), "f", MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Parts(); p.Sparse == nil || p.D != 700000 || len(p.Sparse.Value) != 3 || p.Features != 0 {
		t.Fatalf("%v of %d features", p.Sparse, p.D)
	}
	wide, err := c.WithFeatures(800000)
	if err != nil {
		t.Fatal(err)
	}
	rows := &csr.Matrix{N: 1, D: 800000, Start: []int{0, 2}, Index: []int32{4, 799999}, Value: []float64{2, 1}}
	f := make([]float64, 1)
	wide.DecideSet(f, &dataset.Set{Sparse: rows, N: 1, D: rows.D}, 0, 1, 1)
	want := math.Exp(-0.5*(0.25+1+4+1)) - math.Exp(-0.5) - 0.25 // class 1 is the first label
	testutil.Near(t, "decision", math.Abs(f[0]), math.Abs(want), 1e-15)
	small, err := readLIBSVM(strings.NewReader(strings.Replace(text, " 700000:1", "", 1)), "f", MaxBytes)
	if err != nil || small.Sparse() {
		t.Fatal("five features stay sparse", err)
	}
	if wide, err = small.WithFeatures(800000); err != nil || !wide.Sparse() || wide.NumFeatures() != 800000 {
		t.Fatal("stored for samples of 800000 features", err)
	}
	wide.DecideSet(f, &dataset.Set{Sparse: rows, N: 1, D: rows.D}, 0, 1, 1)
	want = math.Exp(-0.5*(0.25+4+1)) - math.Exp(-0.5) - 0.25
	testutil.Near(t, "decision of a wider one", math.Abs(f[0]), math.Abs(want), 1e-15)
	few := strings.Replace(strings.Replace(text, " 700000:1", "", 1), "2:0.5", "4096:0.5", 1)
	if c, err = readLIBSVM(strings.NewReader(few), "f", MaxBytes); err != nil || c.Sparse() {
		t.Error("4096 features stay sparse", err)
	}
	for _, huge := range []string{"2000000000", "200000000"} { // of which a few bytes say nothing
		far := strings.NewReader(strings.Replace(text, "700000", huge, 1))
		if _, err = readLIBSVM(far, "f", MaxBytes); err == nil {
			t.Error(huge, "features in a file of a hundred bytes")
		}
	}
}

// TestSparsePlanes: a model of a linear kernel over sparse vectors is a vector of weights, if these are not too many.
func TestSparsePlanes(t *testing.T) {
	p := sparseParts(Binary, gram.Linear())
	if c := mustNew(t, p); c.groups[0].planes == nil {
		t.Error("no plane")
	}
	p.D, p.Features, p.Sparse.D = 1<<20, 1<<20, 1<<20 // as a file of few bytes may claim
	if c := mustNew(t, p); c.groups[0].planes != nil || c.Decide(make([]float64, 1<<20)) != c.parts.Submodels[0].Bias {
		t.Error("a plane of 2²⁰ features from a few dozen")
	}
}

// TestSparseRefused lists what is no classifier of sparse vectors.
func TestSparseRefused(t *testing.T) {
	for what, bend := range map[string]func(p *Parts){
		"1 values and 12 sparse vectors": func(p *Parts) { p.Vectors = []float64{1} },
		"of 50 features for 13 of 50":    func(p *Parts) { p.N++ },
		"of 50 features for 12 of 51":    func(p *Parts) { p.D++ },
		"a scaling of sparse vectors": func(p *Parts) {
			p.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, 50), Spread: make([]float64, 50)}
		},
		"feature 50 after":                func(p *Parts) { p.Sparse.Index[len(p.Sparse.Index)-1] = 50 },
		"laplacian kernel needs":          func(p *Parts) { p.Kernel = gram.Laplacian(1) },
		"rbf kernel needs every feature":  func(p *Parts) { p.Kernel = gram.WeightedRBF(1, make([]float64, 50)) },
		"submodel 0: gram: the laplacian": func(p *Parts) { k := gram.Laplacian(1); p.Submodels[0].Kernel = &k },
		"γ‖x‖² = ":                        func(p *Parts) { p.Kernel.Gamma = 1e12 },
	} {
		p := sparseParts(Binary, gram.RBF(1))
		bend(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	c := mustNew(t, sparseParts(Binary, gram.RBF(1)))
	if _, err := c.Dense(8*12*50 - 1); err == nil {
		t.Error("more than the limit")
	}
	c = mustNew(t, randomParts(dataset.NewRand(1), Binary, gram.RBF(1), 2, 2))
	if d, err := c.Dense(0); err != nil || d.Sparse() {
		t.Error("what is stored already", err)
	}
}

// TestSparseDamaged: every byte of a file counts, and no count in it is believed.
func TestSparseDamaged(t *testing.T) {
	c := mustNew(t, sparseParts(OneVsRest, gram.RBF(1)))
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, err := Parse(b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes make a model", n, len(b))
		}
	}
	for at := headerSize; at+4 < len(b)-4; at++ {
		bad := bytes.Clone(b)
		copy(bad[at:], "\xfe\xff\xff\x7f")
		if p, err := Parse(reseal(bad)); err == nil && p.NumVectors() != 12 {
			t.Fatalf("a model of %d vectors from byte %d", p.NumVectors(), at)
		}
	}
}

// TestSparseVersions: sparse vectors are of version 5 and no other.
func TestSparseVersions(t *testing.T) {
	for _, p := range []Parts{sparseParts(Binary, gram.RBF(1)), randomParts(dataset.NewRand(1), Binary, gram.RBF(1), 2, 2)} {
		text := earlier(mustNew(t, p))
		from, to := `"version":1`, `"version":5`
		if p.Sparse != nil {
			from, to = to, from
		}
		other := strings.Replace(string(text), from, to, 1)
		if err := new(Classifier).UnmarshalJSON([]byte(other)); err == nil ||
			!strings.Contains(err.Error(), "with what version") {
			t.Error(err)
		}
	}
}

// A file of version 5 stays readable for ever, and means the same.
func TestGoldenSparse(t *testing.T) {
	p := sparseParts(Binary, gram.RBF(0.5))
	p.Task, p.Labels, p.Platt, p.PlattStale = learn.Regress, nil, nil, false
	p.Submodels[0].Pos, p.Submodels[0].Neg = 0, learn.Rest
	golden(t, "v5", mustNew(t, p))
}
