package qp

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
)

// Sentinels that errors.Is finds in the errors of this package.
var (
	// ErrInvalid: a program or a change is refused; nothing has changed.
	ErrInvalid = errors.New("qp: invalid program")
	// ErrCertificate: [Check] found that a result does not prove what it claims.
	ErrCertificate = errors.New("qp: certificate does not hold")
)

// refusal is an error whose text says all and which is one of the sentinels.
type refusal struct {
	text string
	is   error
}

func (e *refusal) Error() string        { return "qp: " + e.text }
func (e *refusal) Is(target error) bool { return target == e.is }

func invalid(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrInvalid}
}

func unproven(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrCertificate}
}

// QP is a quadratic program: min ½xᵀQx + Cᵀx + Offset under the bounds of the LP, whose defaults it has.
type QP struct {
	simplex.LP
	Q simplex.Columns // n×n, symmetric and positive semidefinite; nil means 0
}

// symmetryTolerance is the largest |q_ij − q_ji| of what counts as symmetric, relative to the larger of them.
const symmetryTolerance = 1e-12

// Validate reports vectors that disagree in length, numbers that are not finite where they must be, lower bounds above
// upper ones, and a Q that is not symmetric to 1e-12 of its entries, each with its index.
func (p *QP) Validate() error {
	_, err := newProblem(p, nil)
	return err
}

// problem is a program as slices, in which nothing is left out.
type problem struct {
	n, m int
	q, a []float64 // n×n and m×n, by rows
	numbers
	offset  float64
	norms   []float64 // m: Euclidean norms of the rows
	weights []float64 // m+n: of violations, 1/norm, and more for equalities
	traits
	evaluation
}

// numbers are those that may change, or their rates: in all they stand one after the other.
type numbers struct {
	all          []float64
	c, lo, up    []float64 // n
	rowLo, rowUp []float64 // m
}

func newNumbers(all slab, n, m int) numbers {
	rest := all
	return numbers{all: all, c: rest.take(n), lo: rest.take(n), up: rest.take(n), rowLo: rest.take(m), rowUp: rest.take(m)}
}

func (v *numbers) each() [5][]float64 { return [...][]float64{v.c, v.lo, v.up, v.rowLo, v.rowUp} }

// traits are what follows from the program.
type traits struct {
	zeroQ     bool
	free      bool                                 // no variable has a bound
	crossed   int                                  // the first constraint whose lower bound is above its upper one, or −1
	extent    float64                              // the largest distance of a finite bound from 0
	tolerance float64                              // of the gap
	known     struct{ semidefinite, rounded bool } // whether it is known, and what
}

var inf = math.Inf(1)

func newProblem(p *QP, from *arena) (*problem, error) {
	s := new(problem)
	return s, s.read(p, &kept{from: from})
}

// kept is the memory of one program, which another one of its size can have.
type kept struct {
	from    *arena // of the first vectors
	vectors slab
	noRows  *simplex.Dense
	linear  simplex.Checker
}

// read makes s the program p.
func (s *problem) read(p *QP, k *kept) error {
	lp := p.LP
	if lp.A == nil {
		n := max(len(p.C), len(p.Lo), len(p.Up))
		if p.Q != nil {
			_, n = p.Q.Dims()
		}
		if k.noRows == nil || k.noRows.Cols != n {
			k.noRows = simplex.NewDense(0, n, nil)
		}
		lp.A = k.noRows
	}
	if err := k.linear.Validate(lp); err != nil {
		return invalid("%s", strings.TrimPrefix(err.Error(), "simplex: "))
	}
	m, n := lp.A.Dims()
	if size := n*n + m*n + 9*n + 5*m; len(k.vectors) != size {
		k.vectors = k.from.slab(size)
	}
	memory := k.vectors
	s.known.semidefinite = false
	s.n, s.m, s.offset, s.q, s.a = n, m, p.Offset, memory.take(n*n), memory.take(m*n)
	s.numbers = newNumbers(memory.take(3*n+2*m), n, m)
	defaults := [...]float64{0, 0, inf, -inf, inf}
	for k, given := range [...][]float64{p.C, p.Lo, p.Up, p.RowLo, p.RowUp} {
		to := s.each()[k]
		for i := range to {
			v := defaults[k]
			if given != nil {
				v = given[i]
			}
			if k > 0 { // a bound
				v = infinite(v)
			}
			to[i] = v
		}
	}
	s.norms, s.weights, s.qx, s.aty = memory.take(m), memory.take(m+n), memory.take(n), memory.take(n)
	if len(s.sums) != n {
		s.sums = make([]dense.Doubled, n)
	}
	s.roots, s.w, s.rest = memory.take(n), memory.take(n), memory.take(m)
	if err := s.matrices(p.Q, lp.A); err != nil {
		return err
	}
	for j := range s.roots {
		s.roots[j] = math.Sqrt(s.q[j*n+j])
	}
	for i := range s.norms {
		row := s.a[i*n:][:n]
		s.norms[i] = norm(row)
		if math.IsInf(s.norms[i], 0) {
			return invalid("row %d: the sum of the squares of its entries is not finite", i)
		}
	}
	s.weigh()
	return nil
}

// infinite returns v, infinite from 1e20 on.
func infinite(v float64) float64 {
	if math.Abs(v) >= endlessLength {
		return math.Copysign(inf, v)
	}
	return v
}

// equalityWeight brings equalities before all other constraints.
const equalityWeight = 1e9

// weigh sets the weights of violations, and what else follows from the bounds.
func (s *problem) weigh() {
	s.free, s.extent, s.crossed = true, 0, -1
	for c := range s.weights {
		lo, up := s.bounds(c)
		s.free = s.free && (c < s.m || math.IsInf(lo, -1) && math.IsInf(up, 1))
		if lo > up && s.crossed < 0 {
			s.crossed = c
		}
		s.weights[c] = 1 / max(s.normOf(c), 1e-300)
		if lo == up {
			s.weights[c] *= equalityWeight
		}
		for _, b := range [2]float64{lo, up} {
			if by := math.Abs(b) / max(s.normOf(c), 1e-300); !math.IsInf(by, 0) {
				s.extent = max(s.extent, by)
			}
		}
	}
}

// norm is the Euclidean norm, without overflow in between.
func norm(x []float64) float64 {
	if s := dense.Dot(x, x); s > 1e-200 && s < 1e300 {
		return math.Sqrt(s)
	}
	largest := dense.Largest(x)
	if largest == 0 || math.IsInf(largest, 0) {
		return largest
	}
	sum := 0.0
	for _, v := range x {
		sum += v / largest * (v / largest)
	}
	return largest * math.Sqrt(sum)
}

// matrices copies A and Q, and refuses entries that are not finite and a Q that is not symmetric.
func (s *problem) matrices(q, a simplex.Columns) error {
	expand(a, s.a, s.n, s.weights[:s.m])
	switch a.(type) {
	case *simplex.Dense, *simplex.Sparse: // whose entries the LP has looked at
	default:
		for k, v := range s.a {
			if !finite(v) {
				return invalid("entry of row %d and column %d is %v", k/s.n, k%s.n, v)
			}
		}
	}
	if s.zeroQ = true; q == nil {
		clear(s.q)
		return nil
	}
	if r, c := q.Dims(); r != s.n || c != s.n {
		return invalid("Q is %d×%d for %d variables", r, c, s.n)
	}
	if d, ok := q.(*simplex.Dense); ok && (d.Stride < s.n || s.n > 0 && len(d.Data) < (s.n-1)*d.Stride+s.n) {
		return invalid("Q has %d values in rows %d apart, for %d variables", len(d.Data), d.Stride, s.n)
	}
	expand(q, s.q, s.n, s.qx)
	zero := true
	for i := range s.n {
		for j := range i + 1 {
			u, v := s.q[i*s.n+j], s.q[j*s.n+i]
			if u == v && finite(u) {
				zero = zero && u == 0
				continue
			}
			switch {
			case !finite(u):
				return invalid("entry (%d, %d) of Q is %v", i, j, u)
			case !finite(v):
				return invalid("entry (%d, %d) of Q is %v", j, i, v)
			case !(math.Abs(u-v) <= symmetryTolerance*max(math.Abs(u), math.Abs(v))):
				return invalid("Q is not symmetric: entry (%d, %d) is %v, entry (%d, %d) is %v", i, j, u, j, i, v)
			}
			mean := u/2 + v/2
			s.q[i*s.n+j], s.q[j*s.n+i] = mean, mean
			zero = zero && mean == 0
		}
		if v := s.q[i*s.n+i]; v < 0 {
			return invalid("Q is not positive semidefinite: entry (%d, %d) is %v", i, i, v)
		}
	}
	s.zeroQ = zero
	return nil
}

func finite(v float64) bool { return v-v == 0 }

// expand writes the matrix a of n columns by rows; column is scratch, as long as a column.
func expand(a simplex.Columns, dst []float64, n int, column []float64) {
	if d, ok := a.(*simplex.Dense); ok {
		for i := range column {
			copy(dst[i*n:(i+1)*n], d.Row(i))
		}
		return
	}
	for j := range n {
		a.Column(column, j)
		for i, v := range column {
			dst[i*n+j] = v
		}
	}
}

// bounds are those of a constraint: rows come first, then variables.
func (v *numbers) bounds(p int) (lo, up float64) {
	if m := len(v.rowLo); p >= m {
		return v.lo[p-m], v.up[p-m]
	}
	return v.rowLo[p], v.rowUp[p]
}

// normOf is the norm of a constraint's normal.
func (s *problem) normOf(p int) float64 {
	if p < s.m {
		return s.norms[p]
	}
	return 1
}

// mulQ writes Qx.
func (s *problem) mulQ(dst, x []float64) {
	if s.zeroQ {
		clear(dst)
		return
	}
	dense.MulVec(dst, s.q, s.n, x)
}
