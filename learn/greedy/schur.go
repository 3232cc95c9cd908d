package greedy

import (
	"context"
	"errors"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

const (
	schurRows  = 120 // rows of S stored together: whole tiles of a product at every level
	schurSteps = 96  // steps whose updates of S are made together
	chunkRows  = 256 // samples summed at once: the depth of a product
)

// schur is the matrix S of the products z_i'z_j of the candidates' remainders: the Schur complement of the selection in
// the covariance M Q_W of eq. (10). With it a step needs no kernel column: for the direction q of the chosen j, c_i =
// z_i'q is S_ij/√n_j, and S is updated by −cc'. The updates of many steps are one matrix product, as in a blocked
// Cholesky factorisation with pivots, and so is the Gram-Schmidt of the chosen columns.
type schur struct {
	*forward
	s          []float64 // the lower triangle, in parts of schurRows rows, each row as long as the last of its part
	m          int       // order: the number of candidates, by their place in cand
	c          []float64 // c of the pending steps, rows of length m
	chosenNorm []float64 // n_j by which the pending steps were chosen
	start      []float64 // n_j when S was computed, by sample
	work       []float64 // kernel values of a chunk; columns of the pending steps
	inBasis    int       // steps since S was computed whose columns are in the basis
	budgeted   int64     // bytes taken from the budget
	scratch    int64     // those of them that schurScratch counts
}

// schurLen is the number of values of S.
func schurLen(m int) (size int) {
	for lo := 0; lo < m; lo += schurRows {
		hi := min(lo+schurRows, m)
		size += (hi - lo) * hi
	}
	return size
}

// schurScratch is the memory for computing S after k steps and for steps with it, without S.
func schurScratch(n, m, k, d int) int64 {
	return gram.Bytes[float64](m, d) + 8*(int64(m)*int64(k)+int64(m)*(schurSteps+chunkRows)+
		schurSteps*int64(3*n+2*schurSteps)+int64(n))
}

// part is a view of S's rows [lo, hi), which are stored together, from the first column to the diagonal.
func (s *schur) part(lo, hi int) dense.Mat {
	offset := 0
	if lo > 0 {
		offset = schurLen(lo)
	}
	return dense.Of(s.s[offset:], hi-lo, hi, hi)
}

// eachPart calls do for all rows of S, in parallel.
func (s *schur) eachPart(do func(lo, hi int, part dense.Mat) error) error {
	errs := make([]error, s.m)
	parallel.Chunks(s.Threads, s.m, schurRows, func(_, lo, hi int) { errs[lo] = do(lo, hi, s.part(lo, hi)) })
	return errors.Join(errs...)
}

// newSchur allocates S, in the memory of the panels if that is enough; nil if there is no memory.
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

// take takes bytes from the budget until release, and reports whether it could.
func (s *schur) take(bytes int64) bool {
	if s.Budget.Take(bytes) != nil {
		return false
	}
	s.budgeted += bytes
	return true
}

func (s *schur) release() {
	s.s, s.c, s.work = nil, nil, nil
	_ = s.Budget.Take(-s.budgeted) // returning memory cannot fail
}

// refresh computes S, n_j and p_j from the remainders z = (I − Q Q')k of the remaining candidates, accurate relative to
// the remainders. The error is the context's.
func (s *schur) refresh(ctx context.Context) error {
	s.cand = slices.DeleteFunc(s.cand, func(j int) bool { return s.norm[j]/s.Total <= s.singular })
	s.m = len(s.cand)
	k, m, n := s.basis.size(), s.m, s.N
	s.inBasis = 0
	s.c, s.chosenNorm = make([]float64, schurSteps*m), s.chosenNorm[:0]
	s.work = make([]float64, max(chunkRows*m, schurSteps*(3*n+2*schurSteps)))
	packed := s.Packed.Subset(s.cand)
	along := make([]float64, k*m) // Q'k of all candidates
	c := dense.Of(along, k, m, m)
	err := s.chunks(ctx, packed, func(lo, hi int, z dense.Mat) error {
		return s.basis.q.eachBlock(k, 0, func(a, b int, q dense.Mat) error {
			return dense.Mul(ctx, s.Threads, 1, q.Sub(0, b-a, lo, hi), z, c.Sub(a, b, 0, m))
		})
	})
	if err != nil {
		return err
	}
	clear(s.s[:schurLen(m)])
	match := make([]float64, m)
	err = s.chunks(ctx, packed, func(lo, hi int, z dense.Mat) error {
		e := s.basis.q.eachBlock(k, 0, func(a, b int, q dense.Mat) error {
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

// chunks calls do with the candidates' scaled and centred columns, for chunkRows samples at a time.
func (s *schur) chunks(
	ctx context.Context, packed *gram.Samples[float64], do func(lo, hi int, z dense.Mat) error,
) error {
	const rows = 8
	for lo := 0; lo < s.N; lo += chunkRows {
		hi := min(lo+chunkRows, s.N)
		z := s.work[:(hi-lo)*s.m]
		parallel.Chunks(s.Threads, hi-lo, rows, func(_, first, last int) {
			if first, last = lo+first, lo+last; ctx.Err() != nil {
				return
			}
			packed.Cross(z[(first-lo)*s.m:], s.m, s.X[first*s.D:last*s.D], last-first)
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

// column writes √n_j c for the candidate at place p: its column of S, with the pending updates.
func (s *schur) column(dst []float64, p int) {
	lo := p / schurRows * schurRows
	copy(dst, s.row(p)[:p+1])
	for ; lo < s.m; lo += schurRows {
		part := s.part(lo, min(lo+schurRows, s.m))
		for i := max(lo, p+1); i < lo+part.Rows; i++ {
			dst[i] = part.At(i-lo, p)
		}
	}
	pending := len(s.chosenNorm)
	var coef [schurSteps]float64
	for t := range pending {
		coef[t] = -s.c[t*s.m+p]
	}
	dense.AddRows(dst, coef[:pending], s.c, s.m)
}

// row is row p of S.
func (s *schur) row(p int) []float64 {
	lo := p / schurRows * schurRows
	part := s.part(lo, min(lo+schurRows, s.m))
	return part.Data[(p-lo)*part.RS:]
}

// subtract applies the pending updates to S. It drops dependent candidates if there are many. The error is the
// context's.
func (s *schur) subtract(ctx context.Context) error {
	c := dense.Of(s.c, len(s.chosenNorm), s.m, s.m)
	err := s.eachPart(func(lo, hi int, part dense.Mat) error {
		return dense.Mul(ctx, 1, -1, c.Sub(0, c.Rows, lo, hi).T(), c.Sub(0, c.Rows, 0, hi), part)
	})
	s.chosenNorm = s.chosenNorm[:0]
	if err == nil && 4*s.numIndependent() < 3*len(s.cand) {
		s.compact()
	}
	return err
}

// compact removes the rows and columns of dependent candidates; elements only move to the front.
func (s *schur) compact() {
	var left []int
	for p, j := range s.cand {
		if s.norm[j]/s.Total > s.singular {
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
	s.cand = deal.Pick(s.cand, left)
}
