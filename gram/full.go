package gram

import (
	"fmt"
	"math"
)

// Full writes the whole symmetric matrix, dst[i*ld+j] = k(x_i, x_j), and computes each pair once. It is fastest if
// dst starts on a cache line and ld is a multiple of the 8 or 16 elements of a line; see [Aligned] and [Stride]. It
// panics if ld < Len or if dst ends before the last element.
func (p *Samples[T]) Full(dst []T, ld int) {
	p.checkFull(dst, ld)
	s := p.tileScratch()
	defer putScratch(s)
	for b := range p.FullBlocks() {
		p.block(s, dst, ld, b)
	}
	endStream() // only once, because it waits for all pending stores
}

// Stride returns the least row length from n on with which every row starts on a cache line.
func Stride[T Float](n int) int {
	l := lanes[T]()
	return (n + l - 1) / l * l
}

const tileSide = 96 // side of Full's square tiles: a multiple of three panels

// streamMin is the number of bytes of a matrix from which stores bypass the caches. Tests set it.
var streamMin = 32 << 20

// FullBlocks is the number of blocks into which [Samples.FullBlock] splits the matrix.
func (p *Samples[T]) FullBlocks() int {
	side := (p.n + tileSide - 1) / tileSide
	return side * (side + 1) / 2
}

// FullBlock writes block b of the matrix of [Samples.Full]: a square of side 96 on or above the diagonal, and its
// mirror image. Blocks write disjoint elements, so several goroutines may share the work. Blocks are small enough to
// check a context between them, even if one kernel value takes microseconds. The bits do not depend on the order of
// the blocks. It panics as Full does, and unless 0 ≤ b < FullBlocks.
func (p *Samples[T]) FullBlock(dst []T, ld int, b int) {
	if b < 0 || b >= p.FullBlocks() {
		panic(fmt.Sprintf("gram: part %d of the %d of a matrix", b, p.FullBlocks()))
	}
	p.checkFull(dst, ld)
	s := p.tileScratch()
	defer putScratch(s)
	p.block(s, dst, ld, b)
	endStream()
}

func (p *Samples[T]) checkFull(dst []T, ld int) {
	if ld < p.n || len(dst) < (p.n-1)*ld+p.n {
		panic(fmt.Sprintf("gram: a matrix of %d samples in %d elements, %d a row", p.n, len(dst), ld))
	}
}

func (p *Samples[T]) tileScratch() *scratch[T] {
	s := getScratch[T]()
	if s.tile == nil {
		s.tile = Aligned[T](tileSide * tileSide)
	}
	return s
}

// block is FullBlock without checks, and without the final wait for streamed stores.
func (p *Samples[T]) block(s *scratch[T], dst []T, ld, b int) {
	i, j := at(b, (p.n+tileSide-1)/tileSide, p.groupSide())
	i0, j0 := i*tileSide, j*tileSide
	i1, j1 := min(i0+tileSide, p.n), min(j0+tileSide, p.n)
	to := out[T]{dst, ld, p.n}
	x, panels := p.layout.(*inPanels[T])
	if panels && j0 > i0 && j1-j0 == tileSide && x.fuseSquare(s, to, i0, j0) {
		return
	}
	step := tileSide
	if to.stream() && !(panels && x.wide()) { // stores of one strip wait for memory while the next one is computed
		step = lanes[T]()
	}
	for i := i0; i < i1; i += step {
		end := min(i+step, i1)
		p.layout.square(s.tile, i, end, j0, j1)
		to.copyTile(s.tile, i, end, j0, j1)
		if j0 > i0 {
			to.mirrorTile(s, i, end, j0, j1)
		}
	}
}

// at returns the row and column of block b among the blocks on and above the diagonal of a matrix of side×side
// blocks. Blocks come in groups of g×g, row by row, so that the samples of a group stay in the last-level cache.
// Inside a group they come row by row too: successive blocks read the same rows, which stay in the second-level
// cache.
func at(b, side, g int) (i, j int) {
	for first := 0; ; first += g {
		h := min(g, side-first) // blocks on a side of this row of groups
		if own := h * (h + 1) / 2; b < own {
			i, j = triangle(b, h)
			return first + i, first + j
		} else if b -= own; b < h*(side-first-h) {
			group := b / (h * g)
			b -= group * h * g
			left := first + h + group*g
			w := min(g, side-left)
			return first + b/w, left + b%w
		}
		b -= h * (side - first - h)
	}
}

// groupSide returns the number of blocks on a side of a group: one side reads at most 4 MB of samples.
func (p *Samples[T]) groupSide() int {
	const most = 4 << 20
	return max(1, most/(tileSide*max(1, p.Cost())*panelWidth/lanes[T]()))
}

// triangle returns row i and column j of element b, counted row by row, of the upper triangle of a side×side matrix.
// Counted from the end, element c = k(k+1)/2 + l with 0 ≤ l ≤ k.
func triangle(b, side int) (i, j int) {
	c := side*(side+1)/2 - 1 - b
	k := int((math.Sqrt(8*float64(c)+1) - 1) / 2)
	for k*(k+1)/2 > c {
		k--
	}
	for (k+1)*(k+2)/2 <= c {
		k++
	}
	return side - 1 - k, side - 1 - (c - k*(k+1)/2)
}

// out is the n×n matrix that Full writes.
type out[T Float] struct {
	dst   []T
	ld, n int
}

// stream reports whether stores of whole cache lines bypass the caches: the level has such stores, and the matrix is
// large.
func (o out[T]) stream() bool {
	return levels.Active().streams && uintptr(o.n)*bytes[T](o.ld) >= uintptr(streamMin)
}

// onLines reports whether every row begins on a cache line.
func (o out[T]) onLines() bool { return onLine(o.dst) && o.ld%lanes[T]() == 0 }

func (o out[T]) copyTile(tile []T, i0, i1, j0, j1 int) {
	if o.stream() && j1-j0 >= lanes[T]() {
		streamRows(o.dst[i0*o.ld+j0:], o.ld, tile, tileSide, j1-j0, i1-i0)
		return
	}
	for i := i0; i < i1; i++ {
		copy(o.dst[i*o.ld+j0:i*o.ld+j1], tile[(i-i0)*tileSide:])
	}
}

// mirrorTile writes the mirror image of the rows i0 ≤ i < i1, the next ones of their block. Where rows of the matrix
// begin inside cache lines, those of the mirror image wait in s until they are complete.
func (o out[T]) mirrorTile(s *scratch[T], i0, i1, j0, j1 int) {
	l, first := lanes[T](), i0/tileSide*tileSide
	whole := (i1-i0)%l == 0 && j1-j0 == tileSide
	if whole && o.stream() && !o.onLines() {
		turned, pitch := s.turnedTile(), turnedPitch[T]()
		mirrorTile(turned[i0-first:], pitch, s.tile, i1-i0, false)
		if i1-first == tileSide {
			streamRows(o.dst[j0*o.ld+first:], o.ld, turned, pitch, tileSide, tileSide)
		}
		return
	}
	if whole && mirrorTile(o.dst[j0*o.ld+i0:], o.ld, s.tile, i1-i0, o.stream()) {
		return
	}
	for j := j0; j < j1; j++ {
		row := o.dst[j*o.ld+i0 : j*o.ld+i1]
		for i := range row {
			row[i] = s.tile[i*tileSide+j-j0]
		}
	}
}

// turnedPitch is the length of a row of turnedTile: one cache line more than the tile's, so that rows fall into
// different sets of a cache.
func turnedPitch[T Float]() int { return tileSide + lanes[T]() }

// turnedTile is memory for the mirror image of a block.
func (s *scratch[T]) turnedTile() []T {
	if s.turned == nil {
		s.turned = Aligned[T](tileSide * turnedPitch[T]())
	}
	return s.turned
}
