package greedy

import "github.com/sparsekm/sparsekm/internal/dense"

// store holds the vectors of a growing selection in blocks, so that growing copies nothing. With vector k it holds
// `short` rows of k+1 numbers, and room for one more row, for the final copy of R.
type store struct {
	n, short int
	block    [][]float64 // each blockLen long when it was added
}

// blockVectors is the number of vectors in a block: whole tiles of a product, and a multiple of the four rows of one
// kernel call, so that blocks do not change the order of any sum.
const blockVectors = 48

// room is the number of vectors that the blocks hold.
func (s *store) room() int { return blockVectors * len(s.block) }

// grow adds a block with memory from take, which returns size values or nil. It reports whether it could.
func (s *store) grow(take func(size int) []float64) bool {
	block := take(storeBlockLen(s.n, s.short, s.room()))
	if block != nil {
		s.block = append(s.block, block)
	}
	return block != nil
}

// storeBlockLen is the length of the block after the first `before` vectors.
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

// axpy adds Σ_s d_s q_s[from:] to x.
func (s *store) axpy(x []float64, from int, d []float64) {
	for lo := 0; lo < len(d); lo += blockVectors {
		dense.AddRows(x, d[lo:min(lo+blockVectors, len(d))], s.block[lo/blockVectors][from:], s.n)
	}
}
