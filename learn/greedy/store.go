package greedy

import "github.com/sparsekm/sparsekm/internal/dense"

// store keeps the vectors of a growing selection in blocks, so that growth copies
// nothing and the memory in use is the memory asked for. With vector k go `short`
// rows of k+1 numbers, and room for one more: the selection's copy of R in the end.
type store struct {
	n, short int
	block    [][]float64 // each blockLen long when it was added
}

// blockVectors is the number of vectors in a block: whole tiles of a product, and a multiple of four, the rows
// of one kernel call, so that blocks do not change the order of any sum.
const blockVectors = 48

// room is the number of vectors that the blocks hold.
func (s *store) room() int { return blockVectors * len(s.block) }

// grow makes the next block of memory from take, which is asked for a number of
// values and may return nil, and reports whether it could.
func (s *store) grow(take func(size int) []float64) bool {
	block := take(storeBlockLen(s.n, s.short, s.room()))
	if block != nil {
		s.block = append(s.block, block)
	}
	return block != nil
}

// storeBlockLen is the length of the block behind the first `before` vectors.
func storeBlockLen(n, short, before int) int {
	return blockVectors*n + (short+1)*(blockVectors*before+blockVectors*(blockVectors+1)/2)
}

// vector is vector k.
func (s *store) vector(k int) []float64 {
	j := k % blockVectors
	return s.block[k/blockVectors][j*s.n : (j+1)*s.n]
}

// row is short row i of vector k.
func (s *store) row(i, k int) []float64 {
	j, first := k%blockVectors, k-k%blockVectors
	at := blockVectors*s.n + s.short*(j*first+j*(j+1)/2) + i*(k+1)
	return s.block[k/blockVectors][at : at+k+1]
}

// eachBlock calls do with the vectors of a block as rows, [lo, hi) of the first k, until it fails.
func (s *store) eachBlock(k int, do func(lo, hi int, q dense.Mat) error) error {
	for lo := 0; lo < k; lo += blockVectors {
		hi := min(lo+blockVectors, k)
		if err := do(lo, hi, dense.Of(s.block[lo/blockVectors], hi-lo, s.n, s.n)); err != nil {
			return err
		}
	}
	return nil
}

// dot writes d_s = q_s'x for the first len(d) vectors.
func (s *store) dot(d, x []float64) {
	for lo := 0; lo < len(d); lo += blockVectors {
		dense.MulVec(d[lo:min(lo+blockVectors, len(d))], s.block[lo/blockVectors], s.n, x)
	}
}

// axpy does x += Σ_s d_s q_s[from:].
func (s *store) axpy(x []float64, from int, d []float64) {
	for lo := 0; lo < len(d); lo += blockVectors {
		dense.AddRows(x, d[lo:min(lo+blockVectors, len(d))], s.block[lo/blockVectors][from:], s.n)
	}
}
