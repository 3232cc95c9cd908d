package simplex

// basis is the set of basic variables and the means to solve with it.
//
// Each row r is either covered by a basic variable whose column has its only
// entry there, or belongs to R. The other basic variables are S, |S| = |R|:
//
//	        unit vars   S
//	    ⎡  diag(coef)   A[C,S] ⎤  covered rows C
//	B = ⎣      0        A[R,S] ⎦  rows R
//
// so that solving with B needs only the inverse of A[R,S].
type basis struct {
	mx      *matrix
	cover   []int32   // row → basic unit variable, or −1
	coefInv []float64 // row → 1/coefficient of that variable, 0 in R
	place   []int32   // row → its index in rows, or −1
	slot    []int32   // variable → its index in vars, or −1
	rows    []int32   // R
	vars    []int32   // S
	cols    []column  // columns of S
	inv     inverse
	updates int // changes of inv since it was factored

	t []float64 // |S| scratch
}

func newBasis(mx *matrix) *basis {
	b := &basis{mx: mx, cover: make([]int32, mx.m), coefInv: make([]float64, mx.m), place: make([]int32, mx.m)}
	return b
}

// load makes the variables marked Basic the basis, repairing it where they are
// not one: it changes pos accordingly.
func (b *basis) load(pos []Position) {
	for _, c := range b.cols {
		b.mx.release(c)
	}
	b.rows, b.vars, b.cols = b.rows[:0], b.vars[:0], b.cols[:0]
	b.slot = make([]int32, len(pos))
	for r := range b.cover {
		b.cover[r], b.place[r] = -1, -1
	}
	for v := range pos {
		b.slot[v] = -1
		if pos[v] != Basic {
			continue
		}
		r, _, unit := b.mx.unit(int32(v))
		switch {
		case !unit:
			b.slot[v] = int32(len(b.vars))
			b.vars = append(b.vars, int32(v))
			b.cols = append(b.cols, b.mx.load(int32(v)))
		case b.cover[r] < 0:
			b.setCover(r, int32(v))
		default:
			pos[v] = AtLower
		}
	}
	for r := range b.cover {
		if b.cover[r] < 0 {
			b.coefInv[r] = 0
			b.place[r] = int32(len(b.rows))
			b.rows = append(b.rows, int32(r))
		}
	}
	b.square(pos)
	b.factor(pos)
}

func (b *basis) setCover(r, v int32) {
	_, coef, _ := b.mx.unit(v)
	b.cover[r], b.coefInv[r], b.place[r] = v, 1/coef, -1
}

// logical returns the logical variable of row r.
func (b *basis) logical(r int32) int32 { return r + int32(b.mx.n) }

// square drops columns or covers rows until |S| = |R|.
func (b *basis) square(pos []Position) {
	for len(b.vars) > len(b.rows) {
		b.dropVar(len(b.vars)-1, pos)
	}
	for len(b.rows) > len(b.vars) {
		b.coverRow(len(b.rows)-1, pos)
	}
}

func (b *basis) dropVar(i int, pos []Position) {
	v, last := b.vars[i], len(b.vars)-1
	pos[v] = AtLower
	b.slot[v] = -1
	b.mx.release(b.cols[i])
	b.moveVar(last, i)
	b.vars, b.cols = b.vars[:last], b.cols[:last]
}

// moveVar puts the variable of slot from into slot to.
func (b *basis) moveVar(from, to int) {
	if from != to {
		b.vars[to], b.cols[to] = b.vars[from], b.cols[from]
		b.slot[b.vars[to]] = int32(to)
	}
}

func (b *basis) coverRow(t int, pos []Position) {
	r := b.rows[t]
	b.dropRow(t)
	b.setCover(r, b.logical(r))
	pos[b.logical(r)] = Basic
}

// dropRow takes the t-th row out of R.
func (b *basis) dropRow(t int) {
	last := len(b.rows) - 1
	b.place[b.rows[t]] = -1
	if t != last {
		b.rows[t] = b.rows[last]
		b.place[b.rows[t]] = int32(t)
	}
	b.rows = b.rows[:last]
}

// factor inverts A[R,S] afresh. Columns of S that depend on others leave the
// basis, and the logicals of the rows left over enter it; repaired says so.
func (b *basis) factor(pos []Position) (repaired bool) {
	for {
		b.gather()
		pivotRow, ok := b.inv.factor()
		b.updates = 0
		if ok {
			return repaired
		}
		repaired = true
		used := make([]bool, len(b.rows))
		for _, t := range pivotRow {
			if t >= 0 {
				used[t] = true
			}
		}
		for i := len(pivotRow) - 1; i >= 0; i-- {
			if pivotRow[i] < 0 {
				b.dropVar(i, pos)
			}
		}
		for t := len(used) - 1; t >= 0; t-- {
			if !used[t] {
				b.coverRow(t, pos)
			}
		}
	}
}

// gather writes A[R,S] where the inverse is to be.
func (b *basis) gather() {
	k := len(b.vars)
	b.inv.k = 0
	b.inv.reserve(k)
	b.inv.k = k
	for t := range k {
		clear(b.inv.row(t))
	}
	for s, c := range b.cols {
		if c.index == nil {
			for t, r := range b.rows {
				b.inv.row(t)[s] = c.value[r]
			}
			continue
		}
		for e, r := range c.index {
			if t := b.place[r]; t >= 0 {
				b.inv.row(int(t))[s] = c.value[e]
			}
		}
	}
}

func (b *basis) scratch() []float64 {
	if len(b.t) < len(b.vars) {
		b.t = make([]float64, 2*len(b.vars))
	}
	return b.t[:len(b.vars)]
}

// ftran solves B·z = rhs. On entry row holds rhs, m elements; on return row[r]
// is z of the variable covering row r (0 in R) and s the z of S.
func (b *basis) ftran(row, s []float64) {
	t := b.scratch()
	for i, r := range b.rows {
		t[i] = row[r]
	}
	b.inv.solve(s, t)
	g := newGang()
	for i, c := range b.cols {
		if c.index == nil {
			g.add(-s[i], c.value)
		} else if s[i] != 0 {
			c.addTo(row, -s[i])
		}
	}
	g.addTo(row)
	for r, ci := range b.coefInv {
		row[r] *= ci
	}
}

// btranUnit solves Bᵀ·ρ = e_v for the basic variable v. It returns ρ as rows and
// values (views of buf's arrays), and w = Mᵀ·A[r,S] when v covers row r, else nil.
func (b *basis) btranUnit(v int32, buf *sparse, w []float64) []float64 {
	buf.index = append(buf.index[:0], b.rows...)
	if i := b.slot[v]; i >= 0 {
		buf.value = append(buf.value[:0], b.inv.row(int(i))...)
		return nil
	}
	r, coef, _ := b.mx.unit(v)
	g := b.scratch()
	for i, c := range b.cols {
		g[i] = c.at(r)
	}
	w = w[:len(g)]
	b.inv.solveT(w, g)
	buf.value = buf.value[:0]
	for _, x := range w {
		buf.value = append(buf.value, -x/coef)
	}
	buf.index = append(buf.index, r)
	buf.value = append(buf.value, 1/coef)
	return w
}

// sparse is a vector by its indices and values.
type sparse struct {
	index []int32
	value []float64
}

// btran solves Bᵀ·y = c for the costs c of the basic variables; y has m elements.
func (b *basis) btran(y []float64, cost func(v int32) float64) {
	for r, v := range b.cover {
		y[r] = 0
		if v >= 0 {
			y[r] = cost(v) * b.coefInv[r]
		}
	}
	t := b.scratch()
	for i, c := range b.cols {
		t[i] = cost(b.vars[i]) - c.dot(y)
	}
	w := make([]float64, len(t))
	b.inv.solveT(w, t)
	for i, r := range b.rows {
		y[r] = w[i]
	}
}

// replace puts variable q, whose column is c, in the place of basic variable p.
// s is the S part of ftran(c) and w what btranUnit returned for p.
func (b *basis) replace(q, p int32, c column, s, w []float64, pivot float64) {
	b.updates++
	qr, qcoef, qUnit := b.mx.unit(q)
	i := b.slot[p]
	switch {
	case !qUnit && i >= 0: // a column of S for another
		b.inv.replaceColumn(int(i), s)
		b.slot[p] = -1
		b.mx.release(b.cols[i])
		b.vars[i], b.cols[i], b.slot[q] = q, c, i
	case !qUnit: // S and R grow
		r, coef, _ := b.mx.unit(p)
		b.inv.border(s, w, pivot*coef)
		b.cover[r], b.coefInv[r] = -1, 0
		b.place[r] = int32(len(b.rows))
		b.rows = append(b.rows, r)
		b.slot[q] = int32(len(b.vars))
		b.vars, b.cols = append(b.vars, q), append(b.cols, c)
	case i >= 0: // S and R shrink
		t := int(b.place[qr])
		b.inv.remove(int(i), t)
		b.slot[p] = -1
		b.mx.release(b.cols[i])
		last := len(b.vars) - 1
		b.moveVar(last, int(i))
		b.vars, b.cols = b.vars[:last], b.cols[:last]
		b.dropRow(t)
		b.setCover(qr, q)
	default: // another row is covered, or the same row by another variable
		r, _, _ := b.mx.unit(p)
		if r == qr {
			b.setCover(r, q)
			return
		}
		t := b.place[qr]
		b.inv.replaceRow(int(t), w)
		b.rows[t], b.place[r], b.place[qr] = r, t, -1
		b.cover[r], b.coefInv[r] = -1, 0
		b.cover[qr], b.coefInv[qr] = q, 1/qcoef
	}
}
