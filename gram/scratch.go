package gram

import (
	"sync"
)

// scratch is the working memory of one call: a block of query samples, and the sums over the features for a chunk of
// panels. It fits in the first-level cache.
type scratch[T Float] struct {
	acc    []T  // accLen sums, aligned to a cache line
	rows   int  // 1, 2, 4 or 8
	q      []T  // queries, feature by feature, rows elements each
	norms  [8]T // ‖q‖², for the expanded form only
	sums   []T  // partial sums of weigh, one group for each row and output
	tile   []T  // tileSide × tileSide, for Full only
	turned []T  // see turnedTile
	point  []float64
	// kept holds the byte offsets of the features that are non-zero in some query; packed holds the queries without
	// the others. Both are empty if skipping does not pay. See compact.
	kept   []uint32
	packed []T
	sparseScratch[T]
	uint8Scratch[T]
	terms termScratch[T]
}

// sparseScratch is for the CSC layout only: the sparse features of queries, and their values.
type sparseScratch[T Float] struct {
	index  []int32
	value  []T
	ends   [listedBlock + 1]int
	wide   []int32 // numbers of a query's non-zero features; given holds their values
	given  []float64
	values []T
	listed [listedBlock][]T
}

// uint8Scratch is for the uint8 layout only: queries as bytes, integer sums, and panels for off-grid queries.
type uint8Scratch[T Float] struct {
	uint8Blocks [sharedBlocks]uint8Queries
	dots        []int32
	codes       [bits4Chunk]uint8
	offGrid     inPanels[T]
}

const (
	accLen    = 2048
	callSteps = 1 << 18 // feature steps of one assembly call: well below 100 µs at one step a cycle
	sumPanels = 4       // panels with separate partial sums in weigh; chunks are multiples of it
)

// chunkPanels is the number of panels of one assembly call. There must be room for rows sums a lane; room counts
// panels of one row.
func chunkPanels(room, rows, d int) int {
	n := room / rows
	if n*rows*d > callSteps {
		n = callSteps / (rows * d)
	}
	return max(sumPanels, n/sumPanels*sumPanels)
}

// rowsFor is the largest number of query rows that the tiles support, up to m. For very many features, the limit of
// one assembly call applies too.
func rowsFor(m, d int) int {
	rows := 8
	for rows > m || rows > 1 && rows*sumPanels*d > callSteps {
		rows /= 2
	}
	return rows
}

// gather makes the next 8, 4, 2 or 1 of the samples idx the queries.
func (s *scratch[T]) gather(p *inPanels[T], idx []int) {
	s.reserve(len(idx), p.d)
	for r := 0; r < s.rows; r += 4 {
		interleave(s.q, r, s.rows, p, idx[r:min(r+4, s.rows)])
	}
	if p.form == expanded {
		for r, i := range idx[:s.rows] {
			s.norms[r] = p.norms[i]
		}
	}
	if s.rows == skipRows {
		s.compact(p.form, p.d)
	}
}

// interleave writes the features of up to four samples of p side by side: feature k goes to dst[at+k·stride...]. It
// reads four streams at a time, and so fills the cache lines of dst at once.
func interleave[T Float](dst []T, pos, stride int, p *inPanels[T], idx []int) {
	if p.d == 0 {
		return
	}
	dst = dst[pos:]
	l := lanes[T]()
	if len(idx) < 4 {
		for r, i := range idx {
			x := p.point(i)
			for k := range p.d {
				dst[k*stride+r] = x[k*l]
			}
		}
		return
	}
	x0, x1, x2, x3 := p.point(idx[0]), p.point(idx[1]), p.point(idx[2]), p.point(idx[3])
	for k := range p.d {
		d := dst[k*stride:]
		d = d[:4:4]
		d[0], d[1], d[2], d[3] = x0[k*l], x1[k*l], x2[k*l], x3[k*l]
	}
}

// queries makes the next 8, 4, 2 or 1 of the caller's m samples x the queries.
func (s *scratch[T]) queries(p *inPanels[T], x []float64, m int) {
	s.reserve(m, p.d)
	for r := range s.rows {
		store(p.feat, s.q[min(r, len(s.q)):], s.rows, x[r*p.d:(r+1)*p.d])
		if p.form == expanded {
			s.norms[r] = normSquared(s.q[min(r, len(s.q)):], s.rows, p.d)
		}
	}
	if s.rows == skipRows {
		s.compact(p.form, p.d)
	}
}

// reserve sets rows to the largest block size that the tiles support and that m samples fill.
func (s *scratch[T]) reserve(m, d int) {
	s.rows, s.kept = 1, s.kept[:0]
	if m > 1 { // keeps a single query cheap
		s.rows = rowsFor(min(m, maxRows()), d)
	}
	if n := s.rows * d; cap(s.q) < n {
		s.q = Aligned[T](n)
	} else {
		s.q = s.q[:n]
	}
}

// reserveSums clears a group of sums for each row and output.
func (s *scratch[T]) reserveSums(outs int) {
	n := s.rows * outs * sumPanels * lanes[T]()
	if cap(s.sums) < n {
		s.sums = Aligned[T](n)
		return
	}
	s.sums = s.sums[:n]
	clear(s.sums)
}

// own returns a copy of x. A custom kernel gets the copy, because the caller's slice would otherwise escape to the
// heap.
func (s *scratch[T]) own(x []float64) []float64 {
	s.point = append(s.point[:0], x...)
	return s.point
}

// weigh adds the values k of query row r, for the samples from lo on, to the partial sums of the row's outputs.
func (s *scratch[T]) weigh(e *Expansion[T], r int, k []T, lo int) {
	for o, c := range e.coefs {
		weigh(s.sum(r*len(e.coefs)+o), k, c[lo:lo+len(k)])
	}
}

// totals writes what the partial sums of every row and output add up to.
func (s *scratch[T]) totals(dst []float64, outs int) {
	for i := range s.rows * outs {
		dst[i] = total(s.sum(i))
	}
}

// sum returns group i of the partial sums.
func (s *scratch[T]) sum(i int) []T {
	n := sumPanels * lanes[T]()
	return s.sums[i*n : (i+1)*n]
}

var (
	pool64 = sync.Pool{New: func() any { return newScratch[float64]() }}
	pool32 = sync.Pool{New: func() any { return newScratch[float32]() }}
)

func pool[T Float]() *sync.Pool {
	if lanes[T]() == lanes[float32]() {
		return &pool32
	}
	return &pool64
}

func newScratch[T Float]() *scratch[T] { return &scratch[T]{acc: Aligned[T](accLen)} }

func getScratch[T Float]() *scratch[T] { return pool[T]().Get().(*scratch[T]) }

func putScratch[T Float](s *scratch[T]) { pool[T]().Put(s) }
