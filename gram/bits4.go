package gram

import "math/bits"

// The 4-bit layout is a second copy of features that are all 0 or 1: one-hot categories, fingerprints,
// black-and-white pixels. It holds four features in a byte. One shuffle looks up the products of four query features
// with 64 samples in a table of 16 entries. Groups in which the query has no one are skipped. A squared distance fits
// in a byte, so a table of 256 entries gives the value of the RBF kernel.

const (
	bits4Lanes = 64   // samples in a panel
	bits4Chunk = 1024 // distances at a time: they stay in the first-level cache
	bits4Speed = 16   // ones in a query that take as long as one feature in panels
)

// bits4Samples is the 4-bit layout. Group g of sample i stands at (p·groups + g)·64 + l, where p = ⌊i/64⌋ and l = i
// mod 64. The first feature of a group is its lowest bit.
type bits4Samples struct {
	panels  []uint8
	squares []uint8 // number of ones of each sample, padded to whole panels
	max     int32   // largest element of squares
	mean    int     // mean number of ones of a sample, rounded up
}

// keptBits4 is a group of four features in which the query has a one.
type keptBits4 struct {
	offset uint32 // of the group in a panel, in bytes
	table  uint32 // of its row in bits4Table, in bytes
}

// bits4Table[16·q + x] is the number of ones that q and x have in common.
var bits4Table = func() (t [256]uint8) {
	for i := range t {
		t[i] = uint8(bits.OnesCount(uint(i >> 4 & i & 15)))
	}
	return t
}()

// bits4Query is a query whose features are all 0 or 1.
type bits4Query struct {
	squares int32
	kept    []keptBits4
}

// bits4Of returns the 4-bit layout of o. It returns nil unless all features are 0 or 1 and all distances fit in a
// byte.
func bits4Of(o *uint8Samples) *bits4Samples {
	b := &bits4Samples{}
	total := 0
	for i, s := range o.squares {
		if s != o.sums[i] { // b² > b from b = 2 on
			return nil
		}
		b.max = max(b.max, s)
		total += int(s)
	}
	if 2*b.max > uint8Max {
		return nil
	}
	b.mean = (total + o.n - 1) / o.n
	b.reserve(o)
	for i := range o.n {
		b.squares[i] = uint8(o.squares[i])
		x, to := o.panels[o.at(i):], b.panels[b.at(i, o.groups):]
		for g := range o.groups {
			to[g*bits4Lanes] = fourBits(x[g*uint8Lanes])
		}
	}
	return b
}

// fourBits packs four bytes, each 0 or 1, into four bits.
func fourBits(word uint32) uint8 { return uint8(word * 0x01020408 >> 24) }

func (b *bits4Samples) reserve(o *uint8Samples) {
	panels := (o.n + bits4Lanes - 1) / bits4Lanes
	b.panels, b.squares = make([]uint8, panels*o.groups*bits4Lanes), make([]uint8, panels*bits4Lanes)
}

// at returns the place of the first four features of sample i.
func (b *bits4Samples) at(i, groups int) int { return i/bits4Lanes*groups*bits4Lanes + i%bits4Lanes }

// subset returns the samples idx of b; to is the uint8 layout of the same samples.
func (b *bits4Samples) subset(to *uint8Samples, idx []int) *bits4Samples {
	s := &bits4Samples{max: b.max, mean: b.mean}
	s.reserve(to)
	for j, i := range idx {
		s.squares[j] = b.squares[i]
		x, y := b.panels[b.at(i, to.groups):], s.panels[s.at(j, to.groups):]
		for g := 0; g < to.groups*bits4Lanes; g += bits4Lanes {
			y[g] = x[g]
		}
	}
	return s
}

// query makes sample i the query.
func (b *bits4Samples) query(q *bits4Query, i, groups int) {
	q.squares, q.kept = int32(b.squares[i]), q.kept[:0]
	x := b.panels[b.at(i, groups):]
	for g := 0; g < groups*bits4Lanes; g += bits4Lanes {
		if v := x[g]; v != 0 {
			q.kept = append(q.kept, keptBits4{offset: uint32(g), table: 16 * uint32(v)})
		}
	}
}

// take makes a query of a caller's sample of zeros and ones. Its words are words[0], words[stride], and so on.
func (q *bits4Query) take(words []uint32, stride int, squares int32) {
	q.squares, q.kept = squares, q.kept[:0]
	for g := 0; g < len(words); g += stride {
		if v := fourBits(words[g]); v != 0 {
			q.kept = append(q.kept, keptBits4{offset: uint32(g / stride * bits4Lanes), table: 16 * uint32(v)})
		}
	}
}

// bits4Values writes the kernel values of a query for the samples from j0 on.
func (p *inUint8[T]) bits4Values(dst []T, s *scratch[T], q *bits4Query, j0 int) {
	for len(dst) > 0 {
		skip := j0 % bits4Lanes
		n := min(len(dst), bits4Chunk-skip)
		p.ones.count(s.codes[:], q, j0/bits4Lanes, (skip+n+bits4Lanes-1)/bits4Lanes, p.groups)
		byDistance(dst[:n], s.codes[skip:], p.table, int(q.squares+p.ones.max))
		dst, j0 = dst[n:], j0+n
	}
}

// count writes the squared distances of a query to the samples of the given number of panels, from panel a on.
func (b *bits4Samples) count(out []uint8, q *bits4Query, a, panels, groups int) {
	xs := groups * bits4Lanes
	x, squares := b.panels[a*xs:(a+panels)*xs], b.squares[a*bits4Lanes:(a+panels)*bits4Lanes]
	out = out[:len(squares)]
	if k := len(q.kept); k > 0 {
		_ = x[int(q.kept[k-1].offset)]
		if runCountBits4(&out[0], &squares[0], int(q.squares), &q.kept[0], k, &x[0], uintptr(xs), panels) {
			return
		}
	}
	for p := range panels {
		pos := p * bits4Lanes
		var common [bits4Lanes]uint8
		for _, k := range q.kept {
			table := (*[16]uint8)(bits4Table[k.table:])
			for l, v := range (*[bits4Lanes]uint8)(x[p*xs+int(k.offset):]) {
				common[l] += table[v&15]
			}
		}
		for l, v := range common {
			out[pos+l] = squares[pos+l] + uint8(q.squares) - 2*v
		}
	}
}

// byDistance writes dst[j] = table[codes[j]] at the active level. No code may exceed largest.
func byDistance[T Float](dst []T, codes []uint8, table *distanceTable[T], largest int) {
	codes = codes[:len(dst)]
	whole := 0
	if largest < tableEntries[T]() {
		if whole = len(dst) &^ (uint8Lanes - 1); whole > 0 {
			runByDistance[T](start(dst), &codes[0], whole, start(table[:]), largest)
		}
	}
	for j := whole; j < len(dst); j++ {
		dst[j] = table[codes[j]]
	}
}

// distanceTable holds the kernel's values by squared distance, which is counted in squared steps.
type distanceTable[T Float] [uint8Max + 1]T

// tableOf returns the table for samples on a grid of the given step.
func tableOf[T Float](k Kernel, step float64) *distanceTable[T] {
	t := new(distanceTable[T])
	for v := range t {
		t[v] = T(v)
	}
	expScaled(t[:], t[:], T(-k.Gamma*step*step))
	return t
}
