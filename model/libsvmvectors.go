package model

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// readVectors reads the lines after "SV". As in LIBSVM, a comment may follow the last vector.
func (p *libsvmReader) readVectors() error {
	p.starts = []int{0}
	for {
		text, whole, err := p.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		n := len(p.starts) - 1
		switch {
		case n == p.total && (strings.TrimSpace(text) == "" || text[0] == '#'):
			continue
		case n == p.total:
			return p.fail("another line", fmt.Sprintf("total_sv, %d, vectors", p.total))
		case !whole:
			return p.fail("the end of the file within a line", "a line end (the file is truncated)")
		}
		if err := p.vector(text); err != nil {
			return err
		}
	}
	if n := len(p.starts) - 1; n < p.total {
		p.line++
		return p.fail(fmt.Sprintf("the end of the file after %d vectors", n),
			fmt.Sprintf("total_sv, %d, of them (the file is truncated)", p.total))
	}
	return nil
}

// vector reads k−1 coefficients, then index:value with ascending indices from 1.
func (p *libsvmReader) vector(text string) error {
	words := strings.Fields(text)
	if len(words) < p.k-1 {
		return p.fail(fmt.Sprintf("%d coefficients", len(words)), strconv.Itoa(p.k-1))
	}
	for i, w := range words {
		index, value, pair := strings.Cut(w, ":")
		if !pair {
			index, value = "", w
		}
		v, ok := parseFinite(value)
		if !ok || pair != (i >= p.k-1) {
			want := "index:value"
			if i < p.k-1 {
				want = fmt.Sprintf("%d coefficients, then index:value", p.k-1)
			}
			return p.fail(fmt.Sprintf("%.40q", w), want+" with finite numbers")
		}
		if !pair {
			p.coefs = append(p.coefs, v)
			continue
		}
		at, err := strconv.ParseInt(index, 10, 32)
		last := 0
		if len(p.entries) > p.starts[len(p.starts)-1] {
			last = p.entries[len(p.entries)-1].index
		}
		if p.kernel.Indexed() && pair {
			if index != "0" || i != p.k-1 || i != len(words)-1 || !(v >= 1 && v < math.MaxInt32) {
				return p.fail(fmt.Sprintf("%.40q", w), "0: and the vector's serial number, alone")
			}
			p.entries = append(p.entries, entry{1, v}) // our first feature
			p.d = max(p.d, int(v)+1)
			continue
		}
		if err != nil || int(at) <= last {
			return p.fail(fmt.Sprintf("index %.40q", index),
				fmt.Sprintf("ascending indices from 1 (the last was %d)", last))
		}
		p.entries = append(p.entries, entry{int(at), v})
		p.d = max(p.d, int(at))
	}
	p.starts = append(p.starts, len(p.entries))
	return nil
}

// parts makes a submodel for each pair of classes a < b: class a's vectors have their coefficients for it in column
// b−1, class b's in column a.
func (p *libsvmReader) parts() (Parts, error) {
	p.d = max(p.d, 1) // if all vectors are 0; no features would mean any number of them
	// The vectors are stored as rows and packed. A file of a few bytes must not take gigabytes.
	limit := min(p.maxBytes, freeBytes+bytesPerByte*p.read)
	sparse := p.sparse(limit)
	if rows := max(int64(p.total), packedAtOnce); rows > limit/16/int64(p.d) && !sparse {
		return Parts{}, &dataset.Error{File: p.file, Found: fmt.Sprintf("%d vectors of %d features", p.total, p.d),
			Want: fmt.Sprintf("at most %d bytes when every zero is stored", limit)}
	}
	parts := Parts{Kernel: p.kernel, N: p.total, D: p.d, Labels: p.labels, Scheme: OneVsOne, Method: p.method}
	if p.k == 2 {
		parts.Scheme = Binary
	}
	if sparse {
		parts.Sparse = p.rows()
	} else {
		parts.Vectors = make([]float64, p.total*p.d)
		for i := range p.total {
			for _, e := range p.entries[p.starts[i]:p.starts[i+1]] {
				parts.Vectors[i*p.d+e.index-1] = e.value
			}
		}
	}
	if p.task != learn.Classify {
		p.single(&parts)
		return parts, nil
	}
	start := make([]int, p.k+1)
	for c, n := range p.nrSV {
		start[c+1] = start[c] + n
	}
	for a := range p.k {
		for b := a + 1; b < p.k; b++ {
			m := learn.Submodel{Pos: a, Neg: b}
			addColumn(&m, p.coefs, p.k-1, b-1, start[a], start[a+1])
			addColumn(&m, p.coefs, p.k-1, a, start[b], start[b+1])
			i := len(parts.Submodels)
			m.Bias = -p.rho[i]
			parts.Submodels = append(parts.Submodels, m)
			if p.prob[0] != nil {
				parts.Platt = append(parts.Platt, Platt{p.prob[0][i], p.prob[1][i]})
			}
		}
	}
	return parts, nil
}

// sparse reports whether the vectors stay sparse.
func (p *libsvmReader) sparse(limit int64) bool {
	return p.kernel.Sparse() && int64(p.d) <= min(limit, csr.MostFeatures) && mostlyZero(len(p.entries), p.total, p.d)
}

// mostlyZero reports whether n vectors of d features with so many non-zero elements are kept sparse: they have more than
// 4096 features, and less than 15 % of them are not 0, as for samples in [dataset.Options.KeepSparse].
func mostlyZero(elements, n, d int) bool {
	const features, share = 4096, 0.15
	return d > features && float64(elements) < share*float64(n)*float64(d)
}

// rows returns the vectors of the file as a sparse matrix, without zeros.
func (p *libsvmReader) rows() *csr.Matrix {
	m := &csr.Matrix{N: p.total, D: p.d, Start: make([]int, 1, p.total+1)}
	for i := range p.total {
		for _, e := range p.entries[p.starts[i]:p.starts[i+1]] {
			if e.value != 0 {
				m.Index = append(m.Index, int32(e.index-1))
				m.Value = append(m.Value, e.value)
			}
		}
		m.Start = append(m.Start, len(m.Value))
	}
	return m
}

// single makes the only submodel of a regression or one-class file.
func (p *libsvmReader) single(parts *Parts) {
	m := learn.Submodel{Pos: 0, Neg: learn.Rest}
	if parts.Task, parts.Scheme, parts.Labels = p.task, Binary, nil; p.task == learn.OneClass {
		m.Pos, m.Neg, parts.Labels = 1, 0, OneClassLabels()
	}
	addColumn(&m, p.coefs, 1, 0, 0, p.total)
	m.Bias = 0 - p.rho[0]
	parts.Submodels = []learn.Submodel{m}
}

// addColumn appends the vectors lo to hi−1 with their coefficients in one column, except zeros.
func addColumn(m *learn.Submodel, coefs []float64, columns, column, lo, hi int) {
	for i := lo; i < hi; i++ {
		if v := coefs[i*columns+column]; v != 0 {
			m.Support = append(m.Support, i)
			m.Coef = append(m.Coef, v)
		}
	}
}
