package model

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// stream is a text that is written or read, by methods that take pointers to what they write, or to what they fill.
type stream struct {
	b       []byte // what was written, or is left to read
	reading bool
	budget  *Budget // of reading
	err     error
}

// keep keeps the first error. Copies of it would be 4 kB of a program that decides.
//
//go:noinline
func (s *stream) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fail keeps the error of a corrupt file.
func (s *stream) fail(format string, args ...any) { s.keep(corrupt(format, args...)) }

// wrap keeps the error of another package.
func (s *stream) wrap(err error) {
	if err != nil {
		s.keep(fmt.Errorf("model: %w", err))
	}
}

// made is what a pointer has to write, or what was made to be filled.
func made[T any](s *stream, to **T) *T {
	if s.reading {
		*to = new(T)
	}
	return *to
}

// coder writes a payload, or reads it. Writing changes nothing but b. After the first error of reading everything
// reads as zero. Every count is compared with the bytes that are left before anything is allocated for it.
type coder struct {
	stream
	version int
}

// take returns the next n bytes to read, or nil.
func (c *coder) take(n int) []byte {
	if n > len(c.b) {
		c.keep(errTruncated)
	}
	if c.err != nil {
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// bits writes the low bytes of v, or reads as many. Inlined into its callers it makes programs 2 kB larger.
//
//go:noinline
func (c *coder) bits(v uint64, bytes int) uint64 {
	var b [8]byte
	if c.reading {
		copy(b[:], c.take(bytes))
		return binary.LittleEndian.Uint64(b[:])
	}
	binary.LittleEndian.PutUint64(b[:], v)
	c.b = append(c.b, b[:bytes]...)
	return v
}

// kind is a number of one byte.
func kind[T ~uint8](c *coder, v *T) {
	if u := c.bits(uint64(*v), 1); c.reading {
		*v = T(u)
	}
}

// size is a number from 0 of 4 bytes, which must fit an int32, or of 8 bytes, which must fit an int.
func (c *coder) size(v *int, bytes int) {
	u := c.bits(uint64(*v), bytes)
	if !c.reading {
		return
	}
	if u > math.MaxInt || bytes == 4 && u > math.MaxInt32 {
		c.fail("a size of %d in the file", u)
	}
	*v = int(u)
}

func (c *coder) flag(v *bool) {
	var b uint8
	if *v {
		b = 1
	}
	if kind(c, &b); b > 1 {
		c.fail("a flag of value %d in the file", b)
	}
	if c.reading {
		*v = b == 1
	}
}

func (c *coder) float(v *float64) {
	if u := c.bits(math.Float64bits(*v), 8); c.reading {
		*v = math.Float64frombits(u)
	}
}

// count is the number of elements, in so many bytes; smallest is the size of the smallest element.
func (c *coder) count(n, bytes, smallest int) int { return c.left(c.bits(uint64(n), bytes), smallest) }

// left returns n, or 0 if no n elements are left to read.
func (c *coder) left(n uint64, smallest int) int {
	if c.reading && n > uint64(len(c.b)/smallest) {
		c.keep(errTruncated)
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

// room counts n elements of so many bytes of memory. It returns n, or 0 if they do not fit.
func (c *coder) room(n, size int) int {
	if c.reading && c.err == nil {
		c.err = c.budget.Take(int64(n), int64(size))
	}
	if c.err != nil {
		return 0
	}
	return n
}

func (c *coder) text(s *string) {
	if n := c.room(c.count(len(*s), 4, 1), 1); c.reading {
		*s = string(c.take(n))
	} else {
		c.b = append(c.b, *s...)
	}
}

// list is a list with its count in 4 bytes; an empty one reads as nil. See [coder.count] for smallest.
func list[S ~[]T, T any](c *coder, v *S, smallest int, element func(*T)) {
	n := c.room(c.count(len(*v), 4, smallest), int(reflect.TypeFor[T]().Size()))
	if c.reading && n > 0 {
		*v = make(S, n)
	}
	for i := range *v {
		element(&(*v)[i])
	}
}

// floats is a list with its count in 8 bytes; an empty one reads as nil.
func (c *coder) floats(v *[]float64) {
	n := c.room(c.count(len(*v), 8, 8), 8)
	if !c.reading {
		for _, x := range *v {
			c.b = binary.LittleEndian.AppendUint64(c.b, math.Float64bits(x))
		}
		return
	}
	if n > 0 {
		*v = make([]float64, n)
	}
	for i, b := 0, c.take(8*n); i < n; i++ {
		(*v)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// kernel is a kernel, and the terms of a composite one, whose number older programs refuse: the version stays.
func (c *coder) kernel(k *gram.Kernel) {
	c.formula(k)
	if !k.Composed() {
		return
	}
	list(c, &k.Terms, 12, func(t *gram.Term) {
		c.float(&t.Scale)
		list(c, &t.Factors, 29, c.formula) // one that is composite has no terms, and is no kernel
	})
}

// formula is a kernel without terms.
func (c *coder) formula(k *gram.Kernel) {
	kind(c, &k.Kind)
	c.float(&k.Gamma)
	c.float(&k.Coef0)
	c.size(&k.Degree, 4)
	c.floats(&k.Weights)
	if k.HasAlpha() { // older programs refuse the number of such a kernel, so the version stays
		c.float(&k.Alpha)
	}
	if !k.HasCode() {
		return
	}
	name := k.Name
	if c.text(&name); !c.reading {
		return
	}
	var err error
	*k, err = gram.Registered(name)
	c.wrap(err)
}

func (c *coder) scaling(s **dataset.Scaling) {
	way := dataset.ScaleNone
	if *s != nil {
		way = (*s).Kind
	}
	if kind(c, &way); way == dataset.ScaleNone {
		return
	}
	if c.reading {
		*s = &dataset.Scaling{Kind: way}
	}
	c.float(&(*s).Lo)
	c.float(&(*s).Hi)
	c.floats(&(*s).Center)
	c.floats(&(*s).Spread)
}

func (c *coder) submodel(m *learn.Submodel) {
	c.size(&m.Pos, 4)
	if u := c.bits(uint64(m.Neg), 4); c.reading {
		m.Neg = int(int32(u))
	}
	c.float(&m.Bias)
	if c.floats(&m.Coef); c.reading {
		m.Support = make([]int, c.room(c.left(uint64(len(m.Coef)), 4), 8))
	}
	for s := range m.Support {
		c.size(&m.Support[s], 4)
	}
	separate := m.Kernel != nil
	if c.flag(&separate); separate {
		c.kernel(made(&c.stream, &m.Kernel))
	}
}

// params writes the parameters in the order of their names.
func (c *coder) params(p *map[string]float64) {
	names := slices.Sorted(maps.Keys(*p))
	n := c.room(c.count(len(names), 4, 12), 128)
	if c.reading && n > 0 {
		*p, names = make(map[string]float64, n), make([]string, n)
	}
	for _, name := range names {
		v := (*p)[name]
		c.text(&name)
		if c.float(&v); c.reading {
			(*p)[name] = v
		}
	}
}

// sparse is each vector's number of non-zero features, then all indices and all values; validate checks them later.
func (c *coder) sparse(p *Parts) {
	if c.reading {
		n := c.room(c.left(uint64(p.N), 4), 8)
		p.Sparse = &csr.Matrix{N: n, D: p.D, Start: make([]int, n+1)}
	}
	m := p.Sparse
	for i := range m.N {
		if u := c.bits(uint64(m.Start[i+1]-m.Start[i]), 4); c.reading {
			m.Start[i+1] = m.Start[i] + int(u)
		}
	}
	if c.reading {
		total := c.room(c.left(uint64(m.Start[m.N]), 12), 12)
		m.Index, m.Value = make([]int32, total), make([]float64, total)
	}
	for k, j := range m.Index {
		if u := c.bits(uint64(j), 4); c.reading {
			m.Index[k] = int32(u)
		}
	}
	for k := range m.Value {
		c.float(&m.Value[k])
	}
}

func (c *coder) column(v *dataset.Column) {
	c.text(&v.Name)
	kind(c, &v.Role)
	list(c, &v.Categories, 4, c.text)
	c.flag(&v.Filled)
	c.float(&v.Fill)
	if c.version > 7 {
		c.flag(&v.Marked)
		c.text(&v.Form)
		kind(c, &v.Parts)
	}
	if c.version > 8 {
		c.floats(&v.Values)
	}
	if c.version > 12 {
		list(c, &v.Absent, 4, c.text)
	}
}

// payload is the contents of a file of the given version.
func (c *coder) payload(p *Parts, version int) {
	total := len(c.b)
	c.version = version
	c.text(&p.Method)
	c.params(&p.Params)
	c.size(&p.Trained, 8)
	c.size(&p.Features, 4)
	c.kernel(&p.Kernel)
	c.scaling(&p.Scaling)
	if list(c, &p.Labels, 4, c.text); c.reading && p.Labels == nil {
		p.Labels = []string{}
	}
	kind(c, &p.Scheme)
	list(c, &p.Submodels, 25, c.submodel)
	c.flag(&p.PlattStale)
	list(c, &p.Platt, 16, func(q *Platt) {
		c.float(&q.A)
		c.float(&q.B)
	})
	list(c, &p.Rows, 8, func(row *int) { c.size(row, 8) })
	c.size(&p.N, 8)
	c.size(&p.D, 4)
	if c.floats(&p.Vectors); c.reading && p.D == 0 && p.N > total {
		c.fail("%d vectors without features in the file", p.N)
	}
	if version > 1 {
		if list(c, &p.Columns, 18, c.column); version == 2 && len(p.Columns) == 0 {
			c.fail("a file of version 2 without columns")
		}
	}
	if version > 2 {
		if kind(c, &p.Task); p.Task == learn.Classify && version < 5 {
			c.fail("a file of version %d with the task classify", version)
		}
	}
	c.later(p, version)
}

// later is what files of version 4 and later have.
func (c *coder) later(p *Parts, version int) {
	posterior := version == 4
	if version > 4 {
		sparse := version == 5 || p.Sparse != nil
		if version > 5 {
			c.flag(&sparse)
		}
		if sparse {
			c.sparse(p)
		}
		posterior = p.Posterior != nil
		c.flag(&posterior)
	}
	if posterior {
		c.posterior(made(&c.stream, &p.Posterior))
	}
	conformal := version == 6 || p.Conformal != nil
	if version > 6 {
		c.flag(&conformal)
	}
	if version > 5 && conformal {
		c.conformal(made(&c.stream, &p.Conformal))
	}
	if version > 6 {
		for i := range p.Submodels {
			c.extra(&p.Submodels[i])
		}
	}
	latent := version == 11 || p.Latent != nil
	if version > 11 {
		c.flag(&latent)
		c.flag(&p.ZeroBased)
		if list(c, &p.Marks, 8, c.float); version == 12 && !p.ZeroBased && p.Marks == nil {
			c.fail("a file of version %d without what it is for", version)
		}
	}
	if version > 10 && latent {
		c.latent(p)
	}
}

// posterior has a Gaussian process from files of version 10 on.
func (c *coder) posterior(q *learn.Posterior) {
	c.float(&q.Noise)
	c.floats(&q.Covariance)
	there := q.Process != nil
	if c.version < 10 {
		return
	}
	if c.flag(&there); !there {
		return
	}
	f := made(&c.stream, &q.Process)
	c.float(&f.Prior)
	c.floats(&f.Triangle)
	c.floats(&f.Spread)
}

func (c *coder) extra(m *learn.Submodel) {
	c.floats(&m.Plane)
	list(c, &m.Steps, 24, func(s *learn.Step) {
		c.floats(&s.Turn)
		c.float(&s.Move)
		c.float(&s.Coef)
	})
}

func (c *coder) conformal(q *Conformal) {
	c.float(&q.Coverage)
	c.size(&q.Folds, 4)
	list(c, &q.Thresholds, 8, c.float)
}
