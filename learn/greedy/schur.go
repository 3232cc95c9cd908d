package greedy

import (
	"context"
	"errors"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

const (
	schurRows  = 120 // of S that lie together: whole tiles of a product at every level
	schurSteps = 96  // whose changes wait to be made together
	chunkRows  = 256 // points that are added up at once: the depth of a product
)

// schur is the matrix S of the products z_i'z_j of all candidates' remainders: the Schur complement
// of the selection in the covariance M Q_W of eq. (10). A step then asks for no kernel column:
// c_i = z_i'q of the chosen j's direction q is S_ij/√n_j, and S loses cc'. The changes of many steps
// are one matrix product, as in a blocked Cholesky factorisation with pivots, and so is the
// Gram-Schmidt of the columns that they chose.
type schur struct {
	*forward
	s              []float64 // the lower triangle, schurRows rows after schurRows rows, each as long as its last
	m              int       // order: the number of candidates, by their place in cand
	c              []float64 // c of the steps that wait, rows m apart
	noted          []float64 // n_j that these steps chose by
	start          []float64 // n_j when S was made, by point
	work           []float64 // kernel values of a chunk; columns of the steps that wait
	settled        int       // steps since S was computed that are in the basis
	taken, scratch int64     // of the budget; the part of it that schurScratch counts
}

// schurLen is the number of values of S.
func schurLen(m int) (size int) {
	for lo := 0; lo < m; lo += schurRows {
		hi := min(lo+schurRows, m)
		size += (hi - lo) * hi
	}
	return size
}

// schurScratch is the bytes that making S, and steps with it, need beside it after k steps.
func schurScratch(n, m, k, d int) int64 {
	return gram.Bytes[float64](m, d) + 8*(int64(m)*int64(k)+int64(m)*(schurSteps+chunkRows)+
		schurSteps*int64(3*n+2*schurSteps)+int64(n))
}

// part is the view of S's rows [lo, hi), which lie together, from their first column to the diagonal.
func (s *schur) part(lo, hi int) dense.Mat {
	at := 0
	if lo > 0 {
		at = schurLen(lo)
	}
	return dense.Of(s.s[at:], hi-lo, hi, hi)
}

// eachPart calls do for all rows of S, in parallel.
func (s *schur) eachPart(do func(lo, hi int, part dense.Mat) error) error {
	parts := (s.m + schurRows - 1) / schurRows
	errs := make([]error, parts)
	parallel.For(s.Threads, parts, func(_, b int) {
		lo, hi := b*schurRows, min((b+1)*schurRows, s.m)
		errs[b] = do(lo, hi, s.part(lo, hi))
	})
	return errors.Join(errs...)
}

// newSchur has the memory for S, that of the panels if it is enough; nil if there is none.
func newSchur(f *forward) *schur {
	s := &schur{forward: f, start: make([]float64, f.N)}
	s.s = f.panels.arena
	if need := schurLen(len(f.cand)); need > len(s.s) {
		if !s.take(8 * int64(need)) {
			return nil
		}
		s.s = make([]float64, need)
	}
	return s
}

// take is the budget's, for bytes that release gives back; it reports whether there are so many.
func (s *schur) take(bytes int64) bool {
	if s.Budget.Take(bytes) != nil {
		return false
	}
	s.taken += bytes
	return true
}

func (s *schur) release() {
	s.s, s.c, s.work = nil, nil, nil
	_ = s.Budget.Take(-s.taken) // there is always room for less
}

// refresh computes S, n_j and p_j from the remainders z = (I − Q Q')k of the candidates that are left,
// so that they are right to rounding of what is left of them. The error is the context's.
func (s *schur) refresh(ctx context.Context) error {
	s.cand = slices.DeleteFunc(s.cand, func(j int) bool { return s.norm[j]/s.Total <= singular })
	s.m = len(s.cand)
	k, m, n := s.basis.size(), s.m, s.N
	s.settled = 0
	s.c, s.noted = make([]float64, schurSteps*m), s.noted[:0]
	s.work = make([]float64, max(chunkRows*m, schurSteps*(3*n+2*schurSteps)))
	points := s.Points.Subset(s.cand)
	along := make([]float64, k*m) // Q'k of all candidates
	c := dense.Of(along, k, m, m)
	err := s.chunks(ctx, points, func(lo, hi int, z dense.Mat) error {
		return s.basis.q.eachBlock(k, func(a, b int, q dense.Mat) error {
			return dense.Mul(ctx, s.Threads, 1, q.Sub(0, b-a, lo, hi), z, c.Sub(a, b, 0, m))
		})
	})
	if err != nil {
		return err
	}
	clear(s.s[:schurLen(m)])
	match := make([]float64, m)
	err = s.chunks(ctx, points, func(lo, hi int, z dense.Mat) error {
		e := s.basis.q.eachBlock(k, func(a, b int, q dense.Mat) error {
			return dense.Mul(ctx, s.Threads, -1, q.Sub(0, b-a, lo, hi).T(), c.Sub(a, b, 0, m), z)
		})
		if e != nil {
			return e
		}
		dense.AddRows(match, s.basis.y[lo:hi], z.Data, m)
		return s.eachPart(func(lo, hi int, part dense.Mat) error {
			return dense.Mul(ctx, 1, 1, z.Sub(0, z.Rows, lo, hi).T(), z.Sub(0, z.Rows, 0, hi), part)
		})
	})
	if err != nil {
		return err
	}
	for p, j := range s.cand {
		lo := p / schurRows * schurRows
		s.norm[j], s.match[j] = s.part(lo, min(lo+schurRows, m)).At(p-lo, p), match[p]
		s.start[j] = s.norm[j]
	}
	return nil
}

// chunks calls do with the candidates' scaled and centred columns at chunkRows points after another.
func (s *schur) chunks(
	ctx context.Context, points *gram.Samples[float64], do func(lo, hi int, z dense.Mat) error,
) error {
	const rows = 8
	for lo := 0; lo < s.N; lo += chunkRows {
		hi := min(lo+chunkRows, s.N)
		z := s.work[:(hi-lo)*s.m]
		parallel.For(s.Threads, (hi-lo+rows-1)/rows, func(_, b int) {
			first, last := lo+b*rows, min(lo+(b+1)*rows, hi)
			if ctx.Err() != nil {
				return
			}
			points.Cross(z[(first-lo)*s.m:], s.m, s.X[first*s.D:last*s.D], last-first)
			for i := first; i < last; i++ {
				row := z[(i-lo)*s.m : (i-lo+1)*s.m]
				for p, j := range s.cand {
					row[p] = s.Root[i] * (row[p] - s.mean[j])
				}
			}
		})
		s.evals += int64(hi-lo) * int64(s.m)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(lo, hi, dense.Of(z, hi-lo, s.m, s.m)); err != nil {
			return err
		}
	}
	return nil
}

// column writes c of the candidate at place p, of length √n_j along its own direction.
func (s *schur) column(dst []float64, p int) {
	lo := p / schurRows * schurRows
	copy(dst, s.row(p)[:p+1])
	for ; lo < s.m; lo += schurRows {
		part := s.part(lo, min(lo+schurRows, s.m))
		for i := max(lo, p+1); i < lo+part.Rows; i++ {
			dst[i] = part.At(i-lo, p)
		}
	}
	waiting := len(s.noted)
	var coef [schurSteps]float64
	for t := range waiting {
		coef[t] = -s.c[t*s.m+p]
	}
	dense.AddRows(dst, coef[:waiting], s.c, s.m)
}

// row is row p of S.
func (s *schur) row(p int) []float64 {
	lo := p / schurRows * schurRows
	part := s.part(lo, min(lo+schurRows, s.m))
	return part.Data[(p-lo)*part.RS:]
}

// subtract takes the steps that wait from S, and drops candidates that depend on the selection
// when they are many. The error is the context's.
func (s *schur) subtract(ctx context.Context) error {
	c := dense.Of(s.c, len(s.noted), s.m, s.m)
	err := s.eachPart(func(lo, hi int, part dense.Mat) error {
		return dense.Mul(ctx, 1, -1, c.Sub(0, c.Rows, lo, hi).T(), c.Sub(0, c.Rows, 0, hi), part)
	})
	s.noted = s.noted[:0]
	if err == nil && 4*s.alive() < 3*len(s.cand) {
		s.compact()
	}
	return err
}

// compact closes the gaps of candidates that depend on the selection: every element moves to the
// front or stays.
func (s *schur) compact() {
	var left []int
	for p, j := range s.cand {
		if s.norm[j]/s.Total > singular {
			left = append(left, p)
		}
	}
	old := *s
	s.m = len(left)
	for i, p := range left {
		from, to := old.row(p), s.row(i)
		for j, q := range left[:i+1] {
			to[j] = from[q]
		}
	}
	for i, p := range left {
		s.cand[i] = s.cand[p]
	}
	s.cand = s.cand[:s.m]
}
