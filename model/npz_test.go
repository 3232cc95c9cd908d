package model

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// npy is an .npy file of float64 with this shape.
func npy(shape string, values ...float64) []byte {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(b, head...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// npyText is an .npy file of one text.
func npyText(s string) []byte {
	head := fmt.Sprintf("{'descr': '|S%d', 'fortran_order': False, 'shape': (), }", len(s))
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(b, head...)
	return append(b, s...)
}

// npz is an archive of arrays.
func npz(t testing.TB, arrays map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy"}) // stored, as by numpy.savez
		if err == nil {
			_, err = w.Write(arrays[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dense is a Gaussian process as plain arrays.
type denseProcess struct {
	n, d                                int
	lengths, vectors, coef, center, div []float64
	variance, mean, noise               float64
	kernel                              string
	l, s                                [][]float64 // lower triangles; s is nil for 0
	diagonal                            bool        // the file has s as its diagonal
}

// randomProcess draws one; some features and lengthscales may be absent from the file.
func randomProcess(rnd *rand.Rand, n, d int) *denseProcess {
	p := &denseProcess{n: n, d: d, variance: 0.1 + 3*rnd.Float64(), mean: rnd.NormFloat64(), noise: rnd.Float64()}
	many := func(n int, smallest float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			if v[i] = rnd.NormFloat64(); smallest > 0 {
				v[i] = smallest + math.Abs(v[i])
			}
		}
		return v
	}
	p.kernel = []string{"rbf", "matern12", "matern32", "matern52", "rational-quadratic"}[rnd.IntN(5)]
	p.lengths, p.vectors, p.coef = many(d, 0.5), many(n*d, 0), many(n, 0)
	if rnd.IntN(2) == 0 {
		p.lengths = p.lengths[:1]
	}
	if rnd.IntN(2) == 0 {
		p.center, p.div = many(d, 0), many(d, 0.3)
	}
	k := make([][]float64, n)
	for i := range k {
		k[i] = make([]float64, n)
		for j := range k {
			k[i][j] = p.covariance(p.vectors[i*d:(i+1)*d], p.vectors[j*d:(j+1)*d])
		}
		k[i][i] += 1e-3
	}
	p.l = factor(k)
	switch rnd.IntN(3) {
	case 0:
		return p
	case 1:
		p.diagonal = true
	}
	for i := range n {
		row := many(i+1, 0)
		if p.diagonal {
			clear(row[:i])
		}
		p.s = append(p.s, row)
	}
	return p
}

// covariance is σ² k(r) with r² = Σ ((x−z)/ℓ)², by the formulas of Rasmussen and Williams (2006), section 4.2.1, and
// α = 1.5.
func (p *denseProcess) covariance(x, z []float64) float64 {
	sum := 0.0
	for k := range x {
		u := (x[k] - z[k]) / p.lengths[k%len(p.lengths)]
		sum += u * u
	}
	r := math.Sqrt(sum)
	switch p.kernel {
	case "matern12":
		return p.variance * math.Exp(-r)
	case "matern32":
		return p.variance * (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	case "matern52":
		return p.variance * (1 + math.Sqrt(5)*r + 5*sum/3) * math.Exp(-math.Sqrt(5)*r)
	case "rational-quadratic":
		return p.variance * math.Pow(1+sum/3, -1.5)
	}
	return p.variance * math.Exp(-sum/2)
}

// predict is the mean, and the variance by substitution with L.
func (p *denseProcess) predict(x []float64) (mean, variance float64) {
	z := slices.Clone(x)
	for k := range p.center {
		z[k] = (z[k] - p.center[k]) / p.div[k]
	}
	w := make([]float64, p.n)
	mean, variance = p.mean, p.variance
	for i := range p.n {
		k := p.covariance(z, p.vectors[i*p.d:(i+1)*p.d])
		mean += p.coef[i] * k
		w[i] = k
		for j := range i {
			w[i] -= p.l[i][j] * w[j]
		}
		w[i] /= p.l[i][i]
		variance -= w[i] * w[i]
	}
	for j := range p.s {
		sum := 0.0
		for i := j; i < p.n; i++ {
			sum += p.s[i][j] * w[i]
		}
		variance += sum * sum
	}
	return mean, p.noise + math.Max(0, variance)
}

// arrays are those of the file.
func (p *denseProcess) arrays() map[string][]byte {
	square := func(rows [][]float64) []byte {
		all := make([]float64, p.n*p.n)
		for i, row := range rows {
			copy(all[i*p.n:], row)
		}
		return npy(fmt.Sprintf("%d, %d", p.n, p.n), all...)
	}
	list := func(v []float64) []byte { return npy(fmt.Sprintf("%d,", len(v)), v...) }
	a := map[string][]byte{
		"kernel": npyText(p.kernel), "lengthscales": list(p.lengths), "variance": npy("", p.variance), "mean": npy("1,", p.mean),
		"noise": npy("", p.noise), "vectors": npy(fmt.Sprintf("%d, %d", p.n, p.d), p.vectors...), "coefficients": list(p.coef),
		"cholesky": square(p.l),
	}
	if p.kernel == "rational-quadratic" {
		a["alpha"] = npy("", 1.5)
	}
	if p.center != nil {
		a["center"], a["scale"] = list(p.center), list(p.div)
	}
	if p.diagonal {
		diagonal := make([]float64, p.n)
		for i := range diagonal {
			diagonal[i] = p.s[i][i]
		}
		a["q_sqrt"] = list(diagonal)
	} else if p.s != nil {
		a["q_sqrt"] = square(p.s)
	}
	return a
}

// Means and variances of any process are those of plain loops that substitute with L.
func TestProcessIsLiteral(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for round := range 60 {
		p := randomProcess(rnd, 1+rnd.IntN(70), 1+rnd.IntN(5))
		c, _, err := Read(bytes.NewReader(npz(t, p.arrays())), "gp.npz")
		if err != nil {
			t.Fatal(err)
		}
		size := 0.0
		for _, v := range p.coef {
			size += p.variance * math.Abs(v)
		}
		x := make([]float64, p.d)
		for q := range 5 {
			for k := range x {
				x[k] = 2 * rnd.NormFloat64()
			}
			mean, variance := c.MeanVariance(x)
			wantMean, wantVariance := p.predict(x)
			name := fmt.Sprintf("process %d (%d×%d), row %d", round, p.n, p.d, q)
			testutil.Near(t, name, mean, wantMean, 1e-13*(1+size))
			testutil.Near(t, name, variance, wantVariance, 1e-10*wantVariance)
		}
	}
}

// Without a factor there are means and no variances.
func TestProcessWithoutFactor(t *testing.T) {
	p := randomProcess(rand.New(rand.NewPCG(1, 1)), 4, 2)
	a := p.arrays()
	delete(a, "cholesky")
	delete(a, "q_sqrt")
	delete(a, "noise")
	c, _, err := Read(bytes.NewReader(npz(t, a)), "gp.npz")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := p.predict([]float64{1, 2})
	testutil.NearRel(t, "mean", c.Decide([]float64{1, 2}), want, 1e-12)
	if c.Uncertain() == nil {
		t.Error("variances without a factor")
	}
}

// plainProcess is the file of three vectors on a line, with every array.
func plainProcess() map[string][]byte {
	p := &denseProcess{kernel: "rbf", n: 3, d: 1, variance: 2, mean: 1, noise: 0.5, lengths: []float64{1}, vectors: []float64{0, 1, 3},
		coef: []float64{1, -1, 2}, center: []float64{0}, div: []float64{1},
		s: [][]float64{{0.1}, {0.2, 0.3}, {0.4, 0.5, 0.6}}}
	k := make([][]float64, 3)
	for i := range k {
		for j := range k {
			k[i] = append(k[i], p.covariance(p.vectors[i:i+1], p.vectors[j:j+1]))
		}
	}
	p.l = factor(k)
	return p.arrays()
}

// Every fault of an array is in the error, and all of them are, whatever else is wrong.
func TestProcessRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		array string
		with  []byte // nil deletes it
		want  string
	}{
		{"kernel", nil, "kernel: the file has none"},
		{"kernel", npyText("cosine"), `kernel: found "cosine", want one of `},
		{"kernel", npy("", 1), "kernel: found an array of 0 texts and 1 numbers"},
		{"kernel", npyText("laplacian"), `kernel: found "laplacian", want one of rbf, matern12,`},
		{"kernel", npyText("rational-quadratic"), "alpha: the kernel is rational-quadratic and the file has one: false"},
		{"alpha", npy("", 1), "alpha: the kernel is rbf and the file has one: true"},
		{"alpha", npy("", -1), "alpha: found -1, want more than 0"},
		{"vectors", nil, "vectors: the file has none"},
		{"vectors", npy("3,", 0, 1, 3), "vectors: found numbers of the shape (3), want numbers of (any, any)"},
		{"vectors", npy("3, 1", 0, nan, 3), "vectors: element (1, 0) is NaN"},
		{"vectors", npy("0, 1"), "vectors: found numbers of the shape (0, 1)"},
		{"vectors", npyText("abc"), "vectors: found texts of the shape (), want numbers"},
		{"vectors", []byte("junk"), "vectors: NumPy array: found no NumPy array"},
		{"vectors", npy("3, 1", 0, 1), "vectors: NumPy array: the file ends within its 3 elements"},
		{"vectors", npy("3, 1", 0, 1, 3, 4), "vectors: found bytes after the array"},
		{"lengthscales", npy("2,", 1, 1), "lengthscales: found numbers of the shape (2), want numbers of () or (1)"},
		{"lengthscales", npy("", 0), "lengthscales: element 0 is 0, want more than 0"},
		{"lengthscales", npy("", -1), "lengthscales: element 0 is -1"},
		{"lengthscales", npy("", 1e-200), "kernel: rbf kernel needs gamma > 0 and finite"},
		{"variance", npy("", -2), "variance: found -2, want more than 0"},
		{"variance", npy("", inf), "variance: element 0 is +Inf"},
		{"variance", npy("2,", 1, 1), "variance: found numbers of the shape (2), want numbers of ()"},
		{"noise", npy("", -0.5), "noise: found -0.5, want at least 0"},
		{"mean", npy("", nan), "mean: element 0 is NaN"},
		{"coefficients", npy("2,", 1, 1), "coefficients: found numbers of the shape (2), want numbers of (3)"},
		{"coefficients", npy("3,", 1, 1, 1.5e308), "coefficients: element 2 times the variance is +Inf"},
		{"cholesky", npy("3, 3", 1, 0, 0, 0, -1, 0, 0, 0, 1), "cholesky: element (1, 1) is -1, want more than 0: the matrix is not"},
		{"cholesky", npy("3, 3", 1, 2, 0, 0, 1, 0, 0, 0, 1), "cholesky: element (0, 1) is 2, want a lower triangle"},
		{"cholesky", npy("3, 3", 1, 0, 0, 0, 1, 0, 0, 0, 1), "cholesky: LLᵀ has "},
		{"cholesky", npy("3, 3", 1, 0, 0, 0, nan, 0, 0, 0, 1), "cholesky: element (1, 1) is NaN"},
		{"cholesky", npy("3, 2", 1, 0, 0, 1, 0, 0), "cholesky: found numbers of the shape (3, 2), want numbers of (3, 3)"},
		{"cholesky", nil, "cholesky: the file has none, want one with q_sqrt"},
		{"q_sqrt", npy("3, 3", 1, 0, 1, 0, 1, 0, 0, 0, 1), "q_sqrt: element (0, 2) is 1, want a lower triangle"},
		{"q_sqrt", npy("2,", 1, 1), "q_sqrt: found numbers of the shape (2), want numbers of (3) or (3, 3)"},
		{"center", npy("2,", 1, 1), "center: found numbers of the shape (2), want numbers of (1)"},
		{"scale", npy("1,", 0), "scale: element 0 is 0, want more than 0"},
		{"scala", npy("1,", 1), `"scala.npy": found an unknown array, want some of vectors, kernel, length`},
	} {
		a := plainProcess()
		if c.with == nil {
			delete(a, c.array)
		} else {
			a[c.array] = c.with
		}
		_, _, err := Read(bytes.NewReader(npz(t, a)), "gp.npz")
		const begin = "gp.npz: Gaussian process: "
		if err == nil || !strings.HasPrefix(err.Error(), begin) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
			continue
		}
		if n := strings.Count(err.Error(), "; "); n > 0 && c.array != "vectors" && c.array != "alpha" {
			t.Errorf("%v names more than one problem", err)
		}
		dependent := strings.Contains(c.want, "LLᵀ") || strings.Contains(c.want, "times the")
		if c.array != "mean" && c.array != "coefficients" && !dependent {
			a["mean"] = npy("", inf)
			delete(a, "coefficients")
			_, _, err = Read(bytes.NewReader(npz(t, a)), "gp.npz")
			for _, want := range []string{"mean: element 0 is +Inf", "coefficients: the file has none", c.want} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s too", err, want)
				}
			}
		}
	}
	if _, _, err := Read(bytes.NewReader(npz(t, plainProcess())), "gp.npz"); err != nil {
		t.Errorf("the file without faults: %v", err)
	}
}

// A truncated or changed archive is an error, and so is one beyond the memory budget.
func TestProcessDamaged(t *testing.T) {
	data, err := os.ReadFile(processFolder + "/gpflow-svgp.npz")
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		if _, err = readAs("skops", bytes.NewReader(data[:n]), "m", MaxBytes); err == nil {
			t.Fatalf("%d of %d bytes are read", n, len(data))
		}
	}
	for _, memory := range []int64{100, 2000, 6000, 12000} {
		if _, err = readAs("skops", bytes.NewReader(data), "m", memory); err == nil {
			t.Fatalf("read within %d bytes", memory)
		}
	}
	if _, _, err = ReadWithin(bytes.NewReader(data), "gp.npz", 12000); !errors.Is(err, ErrMemory) {
		t.Errorf("%v, want %v", err, ErrMemory)
	}
}

// FuzzReadProcess puts any bytes in the place of an array.
func FuzzReadProcess(f *testing.F) {
	all := []map[string][]byte{plainProcess(), termsProcess(), plainClasses(2), plainClasses(3), plainPairs()}
	for _, whole := range all {
		for name, b := range whole {
			f.Add(name, b)
		}
	}
	f.Add("lengthscales", npy("", 1e-170))
	f.Add("cholesky", npy("3, 3", 1e-320, 0, 0, 0, 1e-320, 0, 0, 0, 1e-320))
	f.Add("variance", npy("", 1e308))
	f.Add("other", npyText("x"))
	f.Fuzz(func(t *testing.T, name string, array []byte) {
		for _, whole := range all {
			a := maps.Clone(whole)
			a[name] = array
			c, err := readAs("skops", bytes.NewReader(npz(t, a)), "gp.npz", 1<<20)
			if err == nil {
				checkRead(t, c)
			}
		}
	})
}
