package simplex

import (
	"math"
	"slices"
)

// SetCostAt replaces the cost of column j; see [Solver.SetCost].
func (s *Solver) SetCostAt(j int, c float64) error {
	if err := checkIndex("column", j, s.matrix.n); err != nil {
		return err
	}
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return invalid("cost of column %d is %v", j, c)
	}
	s.program.lp.C[j] = c
	s.costsChange()
	return s.changed(nil)
}

// SetColBoundsAt replaces the bounds of column j; see [Solver.SetColBounds].
func (s *Solver) SetColBoundsAt(j int, lo, up float64) error {
	return s.changed(s.program.setBoundsAt("column", j, lo, up))
}

// SetRowBoundsAt replaces the bounds of row i; see [Solver.SetRowBounds].
func (s *Solver) SetRowBoundsAt(i int, lo, up float64) error {
	return s.changed(s.program.setBoundsAt("row", i, lo, up))
}

// setBoundsAt replaces the bounds of one column or of one row, as what says.
func (p *program) setBoundsAt(what string, pos int, lo, up float64) error {
	oldLo, oldUp, first := p.boundsOf(what)
	if err := checkIndex(what, pos, len(oldLo)); err != nil {
		return err
	}
	if err := checkBoundsOf(what, pos, lo, up); err != nil {
		return err
	}
	oldLo[pos], oldUp[pos] = infinite(lo), infinite(up)
	v := first + pos
	special := p.trueLower[v] >= p.trueUpper[v]
	lo, up = p.matrix.scaledBounds(&p.lp, v)
	p.trueLower[v], p.trueUpper[v], p.boundsUnsettled = lo, up, true
	if special {
		p.seeFixed()
	} else {
		p.anyFixed, p.anyCrossed = p.anyFixed || lo == up, p.anyCrossed || lo > up
	}
	return nil
}

// SetEntry replaces the coefficient of row i and column j. The matrix must be made of [Dense] and [Sparse] parts. The
// first change copies it, so that the caller's stays as it is; [Solver.AddRows] is no longer possible then.
func (s *Solver) SetEntry(i, j int, v float64) error {
	if err := checkIndex("row", i, s.matrix.m); err != nil {
		return err
	}
	if err := checkIndex("column", j, s.matrix.n); err != nil {
		return err
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return invalid("entry of row %d, column %d is %v", i, j, v)
	}
	if !s.program.ownsMatrix {
		own, err := ownParts(s.program.lp.A, true)
		if err != nil {
			return err
		}
		s.program.lp.A, s.program.ownsMatrix = own, true
	}
	setEntry(s.program.lp.A, i, j, v)
	s.program.matrixUnsettled, s.program.entriesChanged, s.loaded = true, true, false
	if s.small != nil {
		s.small.setEntry(i, j, v)
	}
	return s.changed(nil)
}

// checkIndex returns an error unless there is a row or column, as what says, of that number.
func checkIndex(what string, pos, count int) error {
	if pos < 0 || pos >= count {
		return invalid("%s %d of %d", what, pos, count)
	}
	return nil
}

// ownParts returns a matrix that shares nothing with a that its methods write, nor the entries where these are copied.
func ownParts(a Columns, copied bool) (Columns, error) {
	var all Blocks
	for _, p := range flatten(a) {
		switch p := p.(type) {
		case *Dense:
			d := *p
			if copied {
				d.Data = slices.Clone(d.Data)
			}
			all = append(all, &d)
		case *Sparse:
			s := &Sparse{Rows: p.Rows, Start: p.Start, Index: p.Index, Value: p.Value}
			if copied {
				s.Start, s.Index, s.Value = slices.Clone(s.Start), slices.Clone(s.Index), slices.Clone(s.Value)
			}
			all = append(all, s)
		default:
			return nil, invalid("entries of a %T can be neither set nor shared", p)
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// setEntry sets an entry of a matrix of Dense and Sparse parts.
func setEntry(a Columns, i, j int, v float64) {
	switch a := a.(type) {
	case *Dense:
		a.Data[i*a.Stride+j] = v
	case *Sparse:
		a.set(i, j, v)
	case Blocks:
		for _, p := range a {
			_, k := p.Dims()
			if j < k {
				setEntry(p, i, j, v)
				return
			}
			j -= k
		}
	}
}

// set replaces the entry of row i and column j, which may be a new one.
func (a *Sparse) set(i, j int, v float64) {
	a.byRow = nil
	rows, values := a.Entries(j)
	if t := slices.Index(rows, int32(i)); t >= 0 {
		values[t] = v
		return
	}
	end := a.Start[j+1]
	a.Index, a.Value = slices.Insert(a.Index, end, int32(i)), slices.Insert(a.Value, end, v)
	for k := j + 1; k < len(a.Start); k++ {
		a.Start[k]++
	}
}

// settleMatrix makes the scaled matrix that of changed entries, with the same scale factors.
func (s *Solver) settleMatrix() {
	if !s.program.matrixUnsettled {
		return
	}
	s.program.matrixUnsettled = false
	*s.matrix = *scaledMatrix(s.program.lp.A, s.matrix.rowScale, s.matrix.colScale)
	*s.basis = *newBasis(s.matrix)
	s.resize(s.values.position)
}

// setEntry follows a change of the matrix: B⁻¹ changes by one row and one column where column j is basic, and one
// column of the tableau where it is not.
func (k *small) setEntry(i, j int, v float64) {
	pos := i*k.stride + j
	scaled := v * k.program.matrix.scaleOfRow(i) * k.program.matrix.scaleOfCol(j)
	change := scaled - k.scaled[pos]
	k.raw.Data[pos], k.scaled[pos] = v, scaled
	k.priced = false
	if !k.current || change == 0 {
		return
	}
	k.loadUnit(i)
	if q := slices.Index(k.nonbasic, int32(j)); q >= 0 {
		for r, u := range k.column[:k.m] {
			k.t[r*k.stride+q] += change * u
		}
		return
	}
	r := slices.Index(k.basic, int32(j))
	p := 1 + change*k.column[r]
	if !(math.Abs(p) > minShare*max(1, math.Abs(change*k.column[r]))) {
		k.current = false // singular, or nearly so
		return
	}
	k.sweep(r, -change/p)
}

// minShare is the least size of a sum relative to its terms that a tableau goes on with.
const minShare = 1e-6

// loadUnit makes column B⁻¹e_i: that of row i's logical is B⁻¹(−e_i).
func (k *small) loadUnit(i int) {
	logical := int32(k.n + i)
	if q := slices.Index(k.nonbasic, logical); q >= 0 {
		k.load(q)
		for r := range k.column {
			k.column[r] = -k.column[r]
		}
		return
	}
	clear(k.column)
	k.column[slices.Index(k.basic, logical)] = -1
}
