package qp

import (
	"context"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
)

// convex proves that Q is positive semidefinite, or that what an optimum needs of it is: for feasible points x + p the
// objective grows by ½pᵀQp + Σ |dual|·(distance to the bound), and where w is the width of all feasible values, a
// distance t is at least t²/w. So Q + 2 Σ |dual|/w·aaᵀ has to be semidefinite, with any multiple of aaᵀ for an
// equality. It is the rounding of a semidefinite Q that asks for it.
func (v *prover) convex(ctx context.Context) error {
	q, wide := make([]map[int]*big.Rat, v.n), make([]map[int]*big.Rat, v.n)
	for j := range q {
		q[j], wide[j] = map[int]*big.Rat{}, map[int]*big.Rat{}
		for t, k := range v.gradients[j].index {
			if int(k) < v.n {
				e := new(big.Rat).SetFloat64(v.gradients[j].value[t])
				q[j][int(k)], wide[j][int(k)] = e, e
			}
		}
	}
	lower, upper := v.implied()
	for u := range v.basic {
		if weight := v.weight(u, upper[u]-lower[u]); weight != nil {
			line := v.line(u)
			for s, j := range line.index {
				for t, k := range line.index {
					e := new(big.Rat).SetFloat64(line.value[s])
					e.Mul(e, new(big.Rat).SetFloat64(line.value[t]))
					add(wide[j], int(k), e.Mul(e, weight))
				}
			}
		}
	}
	left := uncertain(q)
	if len(left) == 0 || len(uncertain(wide)) == 0 || inFractions(ctx, q, left) == nil {
		return nil
	}
	return inFractions(ctx, wide, uncertain(wide))
}

// implied are bounds that hold for every feasible x, those given and others that follow from single rows.
func (v *prover) implied() (lower, upper []float64) {
	lower, upper = slices.Clone(v.lower), slices.Clone(v.upper)
	for range 2 {
		for i, row := range v.rows {
			for _, sign := range []float64{1, -1} {
				v.imply(row, sign, v.n+i, lower, upper)
			}
		}
	}
	return lower, upper
}

// imply tightens bounds by Σ sign·a·x ≤ top, where the least value of all terms but one leaves little for that one, and
// by the least value of the row. Margins are far above rounding errors.
func (v *prover) imply(row terms, sign float64, pos int, lower, upper []float64) {
	top, smallest, open, size := upper[pos], 0.0, -1, 0.0
	if sign < 0 {
		top = -lower[pos]
	}
	end := func(a float64, k int32) float64 {
		if a > 0 {
			return a * lower[k]
		}
		return a * upper[k]
	}
	for t, k := range row.index {
		switch e := end(sign*row.value[t], k); {
		case !math.IsInf(e, 0):
			smallest += e
			size += math.Abs(e)
		case open >= 0:
			return
		default:
			open = t
		}
	}
	if margin := 1e-9 * size; open < 0 && sign > 0 {
		lower[pos] = max(lower[pos], smallest-margin)
	} else if open < 0 {
		upper[pos] = min(upper[pos], margin-smallest)
	}
	for t, k := range row.index {
		if open >= 0 && open != t || math.IsInf(top, 0) {
			continue
		}
		a, rest := sign*row.value[t], smallest
		if open < 0 {
			rest -= end(a, k)
		}
		far := (top - rest) / a
		if margin := 1e-9 * (size + math.Abs(top)) / math.Abs(a); a > 0 {
			upper[k] = min(upper[k], far+margin)
		} else {
			lower[k] = max(lower[k], far-margin)
		}
	}
}

// weight returns the weight of a variable or row in convex, a float64 with few digits, or nil.
func (v *prover) weight(u int, width float64) *big.Rat {
	w := 0.0
	switch line := v.line(u); {
	case v.basic[u] && v.lower[u] < v.upper[u]:
		return nil
	case v.lower[u] == v.upper[u]:
		largest, size := 0.0, 0.0
		for t, j := range line.index {
			largest, size = max(largest, math.Abs(v.q[int(j)*(v.n+1)])), max(size, math.Abs(line.value[t]))
		}
		w = 16 * largest / (size * size)
	default:
		w = 1.9 * math.Abs(v.dual[u]) / width
	}
	f, exp := math.Frexp(w)
	if w = math.Ldexp(math.Floor(f*64)/64, exp); !(w > 0) || !finite(w) {
		return nil
	}
	return new(big.Rat).SetFloat64(w)
}

// add adds v to an element.
func add(row map[int]*big.Rat, k int, v *big.Rat) {
	if e := row[k]; e != nil {
		v.Add(v, e)
	}
	if row[k] = v; v.Sign() == 0 {
		delete(row, k)
	}
}

// uncertain returns the connected parts of a symmetric matrix that may not be positive semidefinite.
func uncertain(q []map[int]*big.Rat) (parts [][]int) {
	seen := make([]bool, len(q))
	for first := range q {
		part := []int{}
		for stack := []int{first}; len(stack) > 0; {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[j] {
				continue
			}
			seen[j] = true
			part = append(part, j)
			for k := range q[j] {
				stack = append(stack, k)
			}
		}
		if slices.Sort(part); len(q[first]) > 0 && len(part) > 0 && !certainlyDefinite(q, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// certainlyDefinite reports whether Cholesky's method ends for a part of q whose diagonal has lost more than the error
// bound of its float64 numbers (Rump, BIT Numerical Mathematics 46, 2006), which is that of sums in any order: here it
// is eight times as large, as quotients are products with rounded reciprocals. A power of two scales each row.
func certainlyDefinite(q []map[int]*big.Rat, part []int) bool {
	n := len(part)
	place, scale := map[int]int{}, make([]int, n)
	a := make([]float64, n*n)
	trace := 0.0
	for k, j := range part {
		d := q[j][j]
		if d == nil || d.Sign() <= 0 {
			return false
		}
		f, _ := d.Float64()
		_, exp := math.Frexp(f)
		place[j], scale[k] = k, exp/2
		trace += math.Ldexp(f, -2*scale[k])
	}
	for k, j := range part {
		for i, e := range q[j] {
			f, _ := e.Float64()
			a[k*n+place[i]] = math.Ldexp(f, -scale[k]-scale[place[i]])
		}
		a[k*n+k] -= 0x1p-50 * float64(n+4) * trace
	}
	return cholupdate.Cholesky(context.Background(), a, n, n, 1) == nil
}

// inFractions eliminates parts of q symmetrically, the rows with the least entries first. They are semidefinite if no
// diagonal element is ever below 0, and one of 0 stands in a row of zeros.
func inFractions(ctx context.Context, q []map[int]*big.Rat, parts [][]int) error {
	for _, left := range parts {
		rows := map[int]map[int]*big.Rat{}
		for _, j := range left {
			rows[j] = maps.Clone(q[j])
		}
		for len(left) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			slices.SortFunc(left, func(i, j int) int { return len(rows[j]) - len(rows[i]) })
			pivot := left[len(left)-1]
			left = left[:len(left)-1]
			row := rows[pivot]
			d := row[pivot]
			switch {
			case d == nil && len(row) == 0:
				continue
			case d == nil || d.Sign() < 0:
				return unproven("Q is not positive semidefinite, at variable %d: its numbers may have been rounded", pivot)
			}
			delete(row, pivot)
			for j, e := range row {
				factor := new(big.Rat).Quo(e, d)
				factor.Neg(factor)
				for k, f := range row {
					add(rows[j], k, new(big.Rat).Mul(factor, f))
				}
				delete(rows[j], pivot)
			}
		}
	}
	return nil
}
