package numpy

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// processFile is a Gaussian process in an .npz file of NumPy's, with these arrays. σ² is variance, k the kernel, Z the
// vectors. Whatever is wrong with the file becomes one error.
//
//	kernel        text   one of processKernels, as package gram has it
//	alpha         1      of rational-quadratic alone
//	lengthscales  1 or d ℓ: the kernel is one of (x−z)/ℓ; an infinite one leaves the feature out
//	variance      1      σ² > 0
//	vectors       n×d    Z: inducing points, or all training samples
//	coefficients  n      a: the mean at x is mean + Σ_i a_i σ² k(x, z_i)
//	mean          1      0 if absent
//	cholesky      n×n    lower triangle L with LLᵀ = σ² k(Z, Z) but for its diagonal; without it there are no variances
//	weights       n      w, of a classifier: LLᵀ = 1 + w_i w_j σ² k(z_i, z_j) instead; without it, as above
//	q_sqrt        n×n    lower triangle S, or n elements of a diagonal one: SSᵀ is the covariance of L⁻¹f(Z), 0 if absent
//	noise         1      variance of the noise, 0 if absent
//	center, scale d      the features of Z are (x − center)/scale, x if absent
//
// With the array term, σ²k is a sum of products, Σ_t variance_t Π k_f over the factors f with term_f = t. There is one
// variance for each term, and of each of the m factors:
//
//	term          m      its term, from 0
//	kernel        m      also linear, xᵀz/ℓ²; poly, (xᵀz/ℓ² + offset)^degree; constant, 1
//	lengthscales  m×1 or m×d
//	alpha         m      of the factors that are rational-quadratic, else any number above 0
//	offset        m      of those that are poly, else any number; 0 if absent
//	degree        m      likewise, from 1; 1 if absent
//
// With the array classes the process is the latent function of a classifier, see [processFile.classes].
//
// The variance at x is noise + σ²k(x, x) − ‖w‖² + ‖Sᵀw‖² with w = L⁻¹σ²k(Z, x): Hensman, Matthews and Ghahramani
// (2015), section 3.1, for q(L⁻¹f) = N(m, SSᵀ); Titsias (2009), eq. (6), with SSᵀ = (1 + σ⁻²L⁻¹K_ZX K_XZ L⁻ᵀ)⁻¹; and
// Rasmussen and Williams (2006), algorithm 2.1, without S.
type processFile struct {
	arrays   map[string]*fileformat.Array
	problems []string
	number   string // of a classifier's process, behind the names of its own arrays, as .2
	n, d     int    // of the vectors
	// common has the vectors and the scaling of the first of several processes, which are checked once; nil before it.
	common *model.Parts
	packed float64 // bytes of the vectors, packed for each process so far
}

// processArrays are the arrays of a file: first the processNeeds that every file has, then those that may be absent, of
// which the last processCommon are of the whole file, as the first one is.
var processArrays = [...]string{"vectors", "kernel", "lengthscales", "variance", "coefficients",
	"alpha", "mean", "noise", "cholesky", "weights", "q_sqrt", "term", "offset", "degree", "center", "scale", "classes", "scheme"}

const processNeeds, processCommon = 5, 4

// numberedArrays are the arrays that each process of a classifier has with its number.
var numberedArrays = processArrays[1 : len(processArrays)-processCommon]

// processKernels are the kernels of Gaussian processes. All are functions of Σ ((x−z)/ℓ)², with γ = ½ and the weights
// 1/ℓ².
const processKernels = "rbf, matern12, matern32, matern52, rational-quadratic"

// maxProcess bounds the vectors of a model with variances, whose triangle is inverted when the file is read.
const maxProcess = 1 << 13

// parseProcess reads an archive of arrays.
func parseProcess(z *zip.Reader, b *model.Budget) (*model.Parts, error) {
	f := &processFile{arrays: make(map[string]*fileformat.Array)}
	for _, entry := range z.File {
		if err := f.read(entry, b); err != nil {
			return nil, err
		}
	}
	whole := f.whole
	if f.arrays["classes"] != nil {
		whole = f.classes
	} else {
		f.unnumbered()
	}
	p, err := whole(b)
	if err != nil {
		return nil, err
	}
	if len(f.problems) > 0 {
		return nil, errors.New("Gaussian process: " + strings.Join(f.problems, "; "))
	}
	return p, nil
}

// whole makes the parts of one process; its error says that the memory budget is too small.
func (f *processFile) whole(b *model.Budget) (*model.Parts, error) {
	for _, name := range processArrays[:processNeeds] {
		if f.array(name) == nil && (name != "vectors" || f.common == nil) {
			f.fail(name, "the file has none")
		}
	}
	p := f.parts()
	switch {
	case f.wrong() || f.n < 0:
	case f.array("cholesky") == nil:
		p.Posterior = nil
	default:
		// The square of the triangle, the inverse, and what the model keeps. Packed vectors count for all processes so
		// far, so that the budget bounds the time of packing too.
		square := 8 * int64(f.n) * int64(f.n)
		if err := b.Take(3*square, 1); err != nil {
			return nil, err
		}
		if f.packed += packedBytes(p); f.packed > float64(b.Left()) {
			return nil, b.Over()
		}
		f.posterior(p)
		b.Release(square)
	}
	return p, nil
}

// packedBytes bounds the memory of packed vectors, which fill whole panels.
func packedBytes(p *model.Parts) float64 {
	const panelVectors = 16
	return 8 * float64(p.D) * float64(max(1, p.Kernel.Packs())) * float64(max(p.N, panelVectors))
}

// isProcessArray reports whether an entry of an archive has the name of an array of a Gaussian process.
func isProcessArray(entry *zip.File) bool {
	name, ok := strings.CutSuffix(entry.Name, ".npy")
	array, _, numbered := numberedArray(name)
	return ok && (numbered || slices.Contains(processArrays[:], array))
}

// full is the name of an array in the file.
func (f *processFile) full(name string) string {
	if slices.Contains(numberedArrays, name) {
		return name + f.number
	}
	return name
}

// array is an array of the process, nil if the file has none.
func (f *processFile) array(name string) *fileformat.Array { return f.arrays[f.full(name)] }

// fail keeps what is wrong with an array.
func (f *processFile) fail(array, format string, args ...any) {
	f.problems = append(f.problems, f.full(array)+": "+fmt.Sprintf(format, args...))
}

// failed reports whether something is wrong with an array.
func (f *processFile) failed(name string) bool {
	return slices.ContainsFunc(f.problems, func(s string) bool { return strings.HasPrefix(s, f.full(name)+": ") })
}

// wrong reports whether something is wrong with an array of the process.
func (f *processFile) wrong() bool { return slices.ContainsFunc(processArrays[:], f.failed) }

// read reads an array; its error says that the memory budget is too small.
func (f *processFile) read(entry *zip.File, b *model.Budget) error {
	name := strings.TrimSuffix(entry.Name, ".npy")
	switch {
	case !isProcessArray(entry):
		f.fail(fmt.Sprintf("%q", entry.Name), "found an unknown array, want some of %s", strings.Join(processArrays[:], ", "))
		return nil
	case f.arrays[name] != nil:
		f.fail(name, "found twice")
		return nil
	}
	f.arrays[name] = &fileformat.Array{Shape: []int{}} // it is there, whatever is wrong with it
	r, err := entry.Open()
	if err != nil {
		f.fail(name, "%v", err)
		return nil
	}
	defer r.Close()
	buffer := bufio.NewReader(r)
	a, err := fileformat.ReadArray(buffer, b.Left())
	if err == nil { // the archive's checksum is compared at the end
		if _, err = buffer.ReadByte(); err == nil {
			err = errors.New("found bytes after the array")
		} else if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		f.fail(name, "%v", err)
		return nil
	}
	f.arrays[name] = a
	return b.Take(a.Bytes(), 1)
}

// numbers returns the array if it is one of finite numbers of one of the shapes, in which −1 is a side of any length
// from 1 and none is a single number. It returns nil if the array is absent, or something is wrong with it.
func (f *processFile) numbers(name string, shapes ...[]int) *fileformat.Array {
	a := f.array(name)
	if a == nil {
		return nil
	}
	fits := false
	for _, want := range shapes {
		fits = fits || fitsShape(a, want)
	}
	if a.Texts != nil || len(a.Numbers) == 0 || !fits {
		f.wrongShape(name, a, shapes)
		return nil
	}
	for i, v := range a.Numbers {
		if !finite(v) && !(name == "lengthscales" && math.IsInf(v, 1)) {
			place := fmt.Sprint(i)
			if len(a.Shape) == 2 {
				place = fmt.Sprintf("(%d, %d)", i/a.Shape[1], i%a.Shape[1])
			}
			f.fail(name, "element %s is %v, want a finite number", place, v)
			return nil
		}
	}
	return a
}

// fitsShape reports whether an array has a shape, as [processFile.numbers] takes it.
func fitsShape(a *fileformat.Array, want []int) bool {
	if len(want) == 0 {
		return len(a.Numbers) == 1
	}
	return slices.EqualFunc(a.Shape, want, func(have, want int) bool { return want < 0 || have == want })
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// shapeText is a shape as NumPy writes it.
func shapeText(shape []int) string {
	sides := make([]string, len(shape))
	for i, n := range shape {
		if sides[i] = strconv.Itoa(n); n < 0 {
			sides[i] = "any"
		}
	}
	return "(" + strings.Join(sides, ", ") + ")"
}

// wrongShape says what was found, unless that is known.
func (f *processFile) wrongShape(name string, a *fileformat.Array, shapes [][]int) {
	if f.failed(name) {
		return
	}
	want, kind := shapeText(shapes[0]), "numbers"
	for _, s := range shapes[1:] {
		want += " or " + shapeText(s)
	}
	if a.Texts != nil {
		kind = "texts"
	}
	f.fail(name, "found %s of the shape %s, want numbers of %s", kind, shapeText(a.Shape), want)
}

// bounded is an array of numbers of which each is good, as want says, or nil.
func (f *processFile) bounded(name, want string, good func(float64) bool, shapes ...[]int) []float64 {
	a := f.numbers(name, shapes...)
	if a == nil {
		return nil
	}
	i := slices.IndexFunc(a.Numbers, func(v float64) bool { return !good(v) })
	switch {
	case i < 0:
		return a.Numbers
	case len(shapes) == 1 && len(shapes[0]) == 0:
		f.fail(name, "found %v, want %s", a.Numbers[i], want)
	default:
		f.fail(name, "element %d is %v, want %s", i, a.Numbers[i], want)
	}
	return nil
}

// positive is an array of numbers above 0, or nil.
func (f *processFile) positive(name string, shapes ...[]int) []float64 {
	return f.bounded(name, "more than 0", func(v float64) bool { return v > 0 }, shapes...)
}

// fromZero is an array of numbers of at least 0, or nil.
func (f *processFile) fromZero(name string, shapes ...[]int) []float64 {
	return f.bounded(name, "at least 0", func(v float64) bool { return v >= 0 }, shapes...)
}

// single is the only element of an array, or the default of nil.
func single(array []float64, otherwise float64) float64 {
	if array == nil {
		return otherwise
	}
	return array[0]
}

// parts makes all parts but the posterior.
func (f *processFile) parts() *model.Parts {
	p := &model.Parts{Method: "gp", Task: learn.Regress}
	f.n, f.d = -1, -1 // without vectors the other arrays' shapes cannot be compared
	if f.common != nil {
		f.n, f.d, p.Vectors = f.common.N, f.common.D, f.common.Vectors
	} else if a := f.numbers("vectors", []int{-1, -1}); a != nil {
		f.n, f.d, p.Vectors = a.Shape[0], a.Shape[1], a.Numbers
	}
	p.N, p.D, p.Features = f.n, f.d, f.d
	prior := 1.0
	if f.array("term") != nil {
		p.Kernel = f.composite()
	} else {
		p.Kernel = f.kernel()
		prior = single(f.positive("variance", []int{}), 1)
	}
	m := learn.Submodel{Neg: learn.Rest}
	if a := f.numbers("mean", []int{}); a != nil {
		m.Bias = a.Numbers[0]
	}
	if a := f.numbers("coefficients", []int{f.n}); a != nil && f.n > 0 {
		m.Coef = a.Numbers
		for i := range m.Coef {
			m.Support = append(m.Support, i)
			if m.Coef[i] *= prior; !finite(m.Coef[i]) {
				f.fail("coefficients", "element %d times the variance is %v, want a finite number", i, m.Coef[i])
				break
			}
		}
	}
	p.Submodels = []learn.Submodel{m}
	if f.common != nil {
		p.Scaling = f.common.Scaling
	} else {
		p.Scaling = f.scaling()
	}
	p.Posterior = &learn.Posterior{Noise: single(f.fromZero("noise", []int{}), 0), Process: &learn.Process{Prior: prior}}
	f.checkTriangles()
	return p
}

// kernel makes the kernel of name and lengthscales.
func (f *processFile) kernel() (k gram.Kernel) {
	scales := f.positive("lengthscales", []int{}, []int{f.d})
	for _, other := range [...]string{"offset", "degree"} {
		if f.array(other) != nil {
			f.fail(other, "the file has one, and no array term, want both or none")
		}
	}
	name := f.array("kernel")
	if name == nil {
		return k
	}
	if len(name.Texts) != 1 {
		f.wrongKernel(processKernels, fmt.Sprintf("an array of %d texts and %d numbers", len(name.Texts), len(name.Numbers)))
		return k
	}
	kind, err := gram.ParseKind(name.Texts[0])
	if err != nil || !slices.Contains(strings.Split(processKernels, ", "), name.Texts[0]) {
		f.wrongKernel(processKernels, fmt.Sprintf("%q", name.Texts[0]))
		return k
	}
	k = gram.Kernel{Kind: kind, Gamma: 0.5}
	k.Alpha = single(f.positive("alpha", []int{}), 0)
	if there := f.array("alpha") != nil; there != k.HasAlpha() {
		f.fail("alpha", "the kernel is %s and the file has one: %v, want it with rational-quadratic alone",
			name.Texts[0], there)
		return k
	}
	if scales == nil {
		return k
	}
	if len(scales) == 1 {
		k.Gamma = 0.5 / scales[0] / scales[0]
	} else {
		k.Weights = make([]float64, len(scales))
		for i, v := range scales {
			k.Weights[i] = 1 / v / v
		}
	}
	if err = k.Validate(f.d); f.d > 0 && err != nil {
		f.fail("kernel", "%s", strings.TrimPrefix(err.Error(), "gram: "))
	}
	return k
}

// wrongKernel says what was found, unless that is known.
func (f *processFile) wrongKernel(want, found string) {
	if !f.failed("kernel") {
		f.fail("kernel", "found %s, want one of %s", found, want)
	}
}

// scaling makes the scaling of center and scale, nil if both are absent.
func (f *processFile) scaling() *dataset.Scaling {
	center, scale := f.numbers("center", []int{f.d}), f.positive("scale", []int{f.d})
	if center == nil && scale == nil || f.d < 0 {
		return nil
	}
	s := &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, f.d), Spread: scale}
	if center != nil {
		s.Center = center.Numbers
	}
	if scale == nil {
		s.Spread = slices.Repeat([]float64{1}, f.d)
	}
	return s
}

// checkTriangles checks what can be said of both triangles without the kernel.
func (f *processFile) checkTriangles() {
	l := f.numbers("cholesky", []int{f.n, f.n})
	if l != nil && f.triangle("cholesky", l) {
		for i := range l.Shape[0] {
			if v := l.Numbers[i*l.Shape[0]+i]; !(v > 0) {
				f.fail("cholesky", "element (%d, %d) is %v, want more than 0: the matrix is not positive definite", i, i, v)
				break
			}
		}
		if l.Shape[0] > maxProcess {
			f.fail("cholesky", "found %d rows, want at most %d: use fewer inducing points, or leave it out", l.Shape[0],
				maxProcess)
		}
	}
	f.fromZero("weights", []int{f.n})
	if s := f.numbers("q_sqrt", []int{f.n}, []int{f.n, f.n}); s != nil && len(s.Shape) == 2 {
		f.triangle("q_sqrt", s)
	}
	for _, with := range [...]string{"q_sqrt", "weights"} {
		if f.array(with) != nil && f.array("cholesky") == nil {
			f.fail("cholesky", "the file has none, want one with %s", with)
		}
	}
}

// triangle reports whether all is 0 above the diagonal.
func (f *processFile) triangle(name string, a *fileformat.Array) bool {
	n := a.Shape[0]
	if a.Shape[1] != n { // with vectors that could not be read
		f.fail(name, "found the shape (%d, %d), want a square", n, a.Shape[1])
		return false
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if v := a.Numbers[i*n+j]; v != 0 {
				f.fail(name, "element (%d, %d) is %v, want a lower triangle", i, j, v)
				return false
			}
		}
	}
	return true
}

// posterior makes the posterior of a file with a triangle and without other problems.
func (f *processFile) posterior(p *model.Parts) {
	l, process, n := f.array("cholesky"), p.Posterior.Process, f.n
	var weights []float64
	if a := f.array("weights"); a != nil {
		weights = a.Numbers
	}
	if f.compare(p, l.Numbers, weights); f.wrong() {
		return
	}
	process.Triangle = inverse(l.Numbers, n)
	row := process.Triangle
	for i := range n {
		for j := range row[:i+1] {
			if weights != nil {
				row[j] *= weights[j]
			}
			if row[j] *= process.Prior; !finite(row[j]) {
				f.fail("cholesky", "its inverse has an element %v, want finite numbers", row[j])
				return
			}
		}
		row = row[i+1:]
	}
	if s := f.array("q_sqrt"); s != nil {
		process.Spread = make([]float64, 0, n*(n+1)/2)
		for i := range n {
			if len(s.Shape) == 1 {
				process.Spread = append(process.Spread, make([]float64, i+1)...)
				process.Spread[len(process.Spread)-1] = s.Numbers[i]
			} else {
				process.Spread = append(process.Spread, s.Numbers[i*n:i*n+i+1]...)
			}
		}
	}
}

// compare wants LLᵀ to be the kernel matrix of the vectors but for its diagonal, which is no smaller: a kernel of
// another form, or lengthscales of another meaning, are noticed. Of many rows it takes some. With weights w the matrix
// is 1 + w_i w_j k.
func (f *processFile) compare(p *model.Parts, l, weights []float64) {
	const maxRows, digits = 512, 1e-5
	n, prior := f.n, p.Posterior.Process.Prior
	vectors := gram.Pack[float64](p.Kernel, p.Vectors, p.N, p.D)
	values := make([]float64, n)
	worst, place, found, want, top := 0.0, [2]int{}, 0.0, 0.0, 0.0
	for i := 0; i < n; i += 1 + n/maxRows {
		vectors.Cross(values, n, p.Vectors[i*f.d:(i+1)*f.d], 1)
		if weights != nil {
			for j := range values {
				values[j] *= weights[i] * weights[j]
			}
			values[i] += 1 / prior
		}
		top = max(top, prior*values[i])
		for j := range i + 1 {
			v, k := dense.Dot(l[j*n:j*n+j+1], l[i*n:]), prior*values[j]
			off := math.Abs(v - k)
			if j == i {
				off = k - v
			}
			if !(off <= worst) {
				worst, place, found, want = off, [2]int{i, j}, v, k
			}
		}
	}
	if !(worst <= digits*top) {
		f.fail("cholesky", "LLᵀ has %.6g at (%d, %d), the %v kernel of these vectors %.6g: want the factor of the kernel's "+
			"matrix", found, place[0], place[1], p.Kernel.Kind, want)
	}
}

// inverse returns the rows of L⁻¹ for the lower triangle L of order n, n apart: row i is (e_i − Σ_k L_ik row_k)/L_ii.
func inverse(l []float64, n int) []float64 {
	square := make([]float64, n*n)
	rows := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		row := square[i*n : i*n+i+1]
		if i > 0 {
			dense.AddRows(row[:i], l[i*n:i*n+i], square, n)
		}
		by := 1 / l[i*n+i]
		for k := range row[:i] {
			row[k] *= -by
		}
		row[i] = by
		rows = append(rows, row...)
	}
	return rows
}
