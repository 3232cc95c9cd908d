package gram

// Full writes the whole symmetric matrix, dst[i*ld+j] = k(x_i, x_j), computing each pair once.
func (p *Points[T]) Full(dst []T, ld int) {
	for b := range p.FullBlocks() {
		p.FullBlock(dst, ld, b)
	}
}

// blockRows is the side of the square blocks that Full works in.
const blockRows = 64

// FullBlocks is the number of parts that [Points.FullBlock] splits the matrix into.
func (p *Points[T]) FullBlocks() int { return (p.n + blockRows - 1) / blockRows }

// FullBlock writes part b of what [Points.Full] writes: the rows from 64·b on, from the
// diagonal to the right, and their mirror image. Parts write disjoint elements, so
// workers may share them; they get shorter as b grows. The bits do not depend on the order.
func (p *Points[T]) FullBlock(dst []T, ld int, b int) {
	i0 := b * blockRows
	i1 := min(i0+blockRows, p.n)
	idx := make([]int, i1-i0)
	for i := range idx {
		idx[i] = i0 + i
	}
	p.Tile(dst[i0*ld+i0:], ld, idx, i0, p.n)
	for i := i0; i < i1; i++ {
		for j := i1; j < p.n; j++ {
			dst[j*ld+i] = dst[i*ld+j]
		}
	}
}
