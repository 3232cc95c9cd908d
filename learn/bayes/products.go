package bayes

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// products are the products Φ diag(weight) Φᵀ of the active basis functions. Under normal noise they depend neither on
// the coefficients nor on the noise: H is β times them, plus A. Only new functions are multiplied by the others.
type products struct {
	of    []int     // basis functions, in the order of the rows
	g, to []float64 // m×m; to is scratch for the next g
	place []int     // basis function → its row, −1 for none
}

// newProducts is for basis functions numbered from 0 to cols − 1.
func newProducts(cols int) *products {
	p := &products{place: make([]int, cols)}
	for j := range p.place {
		p.place[j] = -1
	}
	return p
}

// productsBytes is the memory for m functions.
func productsBytes(m int) int64 { return 16 * int64(m) * int64(m) }

// update computes the products of q's basis functions. After an error, the context's, they are unchanged.
func (p *products) update(ctx context.Context, q *posterior) error {
	m := q.size()
	if slices.Equal(p.of, q.at) {
		return nil
	}
	fresh := 0
	for _, j := range q.at {
		if p.place[j] < 0 {
			fresh++
		}
	}
	p.to = slices.Grow(p.to[:0], m*m)[:m*m]
	var err error
	if few := m/8 + 1; fresh > few {
		clear(p.to)
		err = dense.MulWeighted(ctx, q.threads, p.to, q.phi, m, q.n, q.noise.weight, q.scratch)
		mirror(p.to, m)
	} else {
		p.gather(q)
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for _, j := range p.of {
		p.place[j] = -1
	}
	for s, j := range q.at {
		p.place[j] = s
	}
	p.of, p.g, p.to = append(p.of[:0], q.at...), p.to, p.g
	return nil
}

// gather copies the known products and computes the others.
func (p *products) gather(q *posterior) {
	m, old := q.size(), len(p.of)
	for s, j := range q.at {
		row := p.to[s*m : (s+1)*m]
		if at := p.place[j]; at >= 0 {
			for k, l := range q.at {
				if other := p.place[l]; other >= 0 {
					row[k] = p.g[at*old+other]
				}
			}
		}
	}
	weighted := make([]float64, q.n)
	for s, j := range q.at {
		if p.place[j] >= 0 {
			continue
		}
		weigh(weighted, q.phi[s*q.n:(s+1)*q.n], q.noise.weight)
		row := p.to[s*m : (s+1)*m]
		dense.MulVec(row, q.phi, q.n, weighted)
		for k, v := range row {
			p.to[k*m+s] = v
		}
	}
}

// hessian writes H.
func (p *products) hessian(h []float64, q *posterior) {
	m := q.size()
	for s, a := range q.alpha {
		row, from := h[s*m:(s+1)*m], p.g[s*m:(s+1)*m]
		for k := range s + 1 {
			row[k] = q.noise.beta * from[k]
		}
		row[s] += a
	}
}
