package greedy

import "github.com/sparsekm/sparsekm/internal/dense"

// vectors holds growing numbers of vectors of n elements in blocks of so many, so that growing copies nothing.
type vectors struct {
	n, each int
	block   [][]float64 // each begins with its vectors as rows
}

// store is vectors with `short` rows of k+1 numbers for vector k, and room for one more row, for the final copy of R.
type store struct {
	vectors
	short int
}

func newStore(n, short int) *store {
	return &store{vectors: vectors{n: n, each: blockVectors}, short: short}
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

// row is short row i of vector k.
func (s *store) row(i, k int) []float64 {
	j, first := k%blockVectors, k-k%blockVectors
	offset := blockVectors*s.n + s.short*(j*first+j*(j+1)/2) + i*(k+1)
	return s.block[k/blockVectors][offset : offset+k+1]
}

// vector is vector k.
func (v *vectors) vector(k int) []float64 {
	j := k % v.each
	return v.block[k/v.each][j*v.n : (j+1)*v.n]
}

// eachBlock calls do with the elements of a block's vectors from `from` on as rows, [lo, hi) of the first k vectors,
// until it fails.
func (v *vectors) eachBlock(k, from int, do func(lo, hi int, q dense.Mat) error) error {
	for lo := 0; lo < k; lo += v.each {
		hi := min(lo+v.each, k)
		if err := do(lo, hi, dense.Of(v.block[lo/v.each], hi-lo, v.n, v.n).Sub(0, hi-lo, from, v.n)); err != nil {
			return err
		}
	}
	return nil
}

// dot writes d_s = q_s'x for the first len(d) vectors.
func (v *vectors) dot(d, x []float64) {
	for lo := 0; lo < len(d); lo += v.each {
		dense.MulVec(d[lo:min(lo+v.each, len(d))], v.block[lo/v.each], v.n, x)
	}
}

// axpy adds Σ_s d_s q_s to x.
func (v *vectors) axpy(x, d []float64) {
	for lo := 0; lo < len(d); lo += v.each {
		dense.AddRows(x, d[lo:min(lo+v.each, len(d))], v.block[lo/v.each], v.n)
	}
}
