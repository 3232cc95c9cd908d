package gram

import "fmt"

// Expansion is one or more weighted sums of kernels, f_o(x) = Σ_j coef_o[j]·k(x, x_j),
// over the same packed points. It is immutable and safe for concurrent use.
type Expansion[T Float] struct {
	points *Points[T]
	coefs  [][]T // one per output, zero padded to whole panels
}

// Expand builds the expansion with the given coefficients, one slice of Len
// numbers for each output. It keeps p and copies the coefficients.
func (p *Points[T]) Expand(coefs ...[]float64) *Expansion[T] {
	e := &Expansion[T]{points: p}
	for _, c := range coefs {
		if len(c) != p.n {
			panic(fmt.Sprintf("gram: %d coefficients for %d points", len(c), p.n))
		}
		padded := alignedSlice[T](p.panelCount() * lanes[T]())
		for j, v := range c {
			padded[j] = T(v)
		}
		e.coefs = append(e.coefs, padded)
	}
	return e
}

// Points returns the points that the kernels sit on.
func (e *Expansion[T]) Points() *Points[T] { return e.points }

// Outputs returns the number of functions.
func (e *Expansion[T]) Outputs() int { return len(e.coefs) }

// Eval writes dst[q*Outputs+o] = f_o(x_q) for m points of the caller's (x is m×d,
// row-major). Kernel values never leave the first-level cache and nothing is
// allocated. A point's result does not depend on m or on the SIMD level.
func (e *Expansion[T]) Eval(dst []float64, x []float64, m int) {
	p := e.points
	if len(dst) < m*len(e.coefs) || len(x) < m*p.d {
		panic(fmt.Sprintf("gram: %d values and %d results for %d points of dimension %d", len(x), len(dst), m, p.d))
	}
	s := getScratch[T]()
	defer putScratch(s)
	if p.form == pairs {
		for q := range m {
			e.evalPairs(dst[q*len(e.coefs):], s.own(x[q*p.d:(q+1)*p.d]))
		}
		return
	}
	if p.octets != nil {
		e.octetEval(dst, s, x, m)
		return
	}
	if p.lists != nil {
		for q := 0; q < m; q += listedBlock {
			e.evalListed(dst[q*len(e.coefs):], s, p.asked(x[q*p.d:]), min(listedBlock, m-q))
		}
		return
	}
	for q := 0; q < m; {
		q += e.evalBlocks(dst[q*len(e.coefs):], s, x[q*p.d:], m-q)
	}
}

// evalBlocks evaluates the next of m queries and returns how many: up to sharedBlocks blocks of them, of which
// first holds one, go over the points together.
func (e *Expansion[T]) evalBlocks(dst []float64, first *scratch[T], x []float64, m int) int {
	p, outs := e.points, len(e.coefs)
	blocks := [sharedBlocks]*scratch[T]{first}
	n, taken := 0, 0
	for ; n < len(blocks) && taken < m; n++ {
		if n > 0 {
			blocks[n] = getScratch[T]()
		}
		blocks[n].queries(p, x[taken*p.d:], m-taken)
		blocks[n].reserveSums(outs)
		taken += blocks[n].rows
	}
	step := p.panelCount()
	if n > 1 { // one block has nothing to share
		step = sharedPanels(p.d)
	}
	for a := 0; a < p.panelCount(); a += step {
		for _, s := range blocks[:n] {
			e.addPanels(s, a, min(a+step, p.panelCount()))
		}
	}
	for i, s := range blocks[:n] {
		for r := range s.rows * outs {
			dst[r] = total(s.sum(r))
		}
		dst = dst[s.rows*outs:]
		if i > 0 {
			putScratch(s)
		}
	}
	return taken
}

// addPanels adds the kernels on the panels from ≤ panel < to, weighed, to the sums of the query rows in s. From is a
// multiple of sumPanels, so that it does not show in the bits where a piece begins.
func (e *Expansion[T]) addPanels(s *scratch[T], from, to int) {
	p, l, outs := e.points, lanes[T](), len(e.coefs)
	chunk := chunkPanels[T](s.rows, p.d)
	for a := from; a < to; a += chunk {
		b := min(a+chunk, to)
		single := s.rows == 1 && p.decays()
		if single {
			p.values(s.acc, s, a, b)
		} else {
			p.accumulate(s, a, b)
		}
		for r := range s.rows {
			k := s.acc[r*(b-a)*l : (r+1)*(b-a)*l]
			if !single {
				p.finish(k, k, s.norms[r], p.normsOf(a*l, b*l))
			}
			for o, c := range e.coefs {
				weigh(s.sum(r*outs+o), k, c[a*l:b*l])
			}
		}
	}
}

// evalListed evaluates m queries against points as lists.
func (e *Expansion[T]) evalListed(dst []float64, s *scratch[T], of queries, m int) {
	p, outs := e.points, len(e.coefs)
	rows := p.listedQueries(s, of, m)
	s.rows = m
	s.reserveSums(outs)
	for r, k := range rows {
		for o, c := range e.coefs {
			weigh(s.sum(r*outs+o), k, c)
			dst[r*outs+o] = total(s.sum(r*outs + o))
		}
	}
}

func (e *Expansion[T]) evalPairs(dst, x []float64) {
	dst = dst[:len(e.coefs)]
	clear(dst)
	for j := range e.points.n {
		k := e.points.kernel.Eval(x, e.points.at(j))
		for o, c := range e.coefs {
			dst[o] += float64(float64(c[j]) * k)
		}
	}
}
