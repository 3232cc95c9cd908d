package rational

import (
	"math"
	"math/bits"
)

// integers is a matrix of integers by rows, made from one of dyadic numbers by scaling its rows and columns
// with powers of two.
type integers struct {
	n        int
	lines    [][]run
	sizeBits int // every row's sum of |entries| is below 2^sizeBits
	detBits  int // the determinant is below 2^detBits (Hadamard)
}

// run holds entries of one row that have the same sign and begin in the same word.
type run struct {
	word     int
	negative bool
	places   []int32
	lo, hi   []uint64 // |entry| = (hi·2^64 + lo)·2^(64·word)
}

// scale returns exponents for the rows and columns of a matrix such that entry·2^(row+col) are integers.
func scale(a *Matrix) (row, col []int) {
	row, col = make([]int, a.N), make([]int, a.N)
	for i := range row {
		row[i] = math.MinInt
	}
	for j := range a.N {
		index, value := a.Entries(j)
		for t, i := range index {
			_, exp := split(value[t])
			row[i] = max(row[i], -exp)
		}
	}
	for j := range a.N {
		col[j] = math.MinInt
		index, value := a.Entries(j)
		for t, i := range index {
			_, exp := split(value[t])
			col[j] = max(col[j], -exp-row[i])
		}
	}
	return row, col
}

// newIntegers returns the rows of a matrix, or of its transpose, scaled.
func newIntegers(a *Matrix, row, col []int, transposed bool) *integers {
	x := &integers{n: a.N, lines: make([][]run, a.N)}
	largest, count := make([]int, a.N), make([]int, a.N)
	for j := range a.N {
		index, value := a.Entries(j)
		for t, i := range index {
			line, pos := int(i), j
			if transposed {
				line, pos = pos, line
			}
			mant, exp := split(value[t])
			exp += row[i] + col[j]
			largest[line] = max(largest[line], x.put(line, pos, mant, exp))
			count[line]++
		}
	}
	det := 0.0
	for i := range largest {
		x.sizeBits = max(x.sizeBits, largest[i]+bits.Len(uint(count[i])))
		det += float64(largest[i]) + math.Log2(float64(max(1, count[i])))/2
	}
	x.detBits = int(det) + 1
	return x
}

// put adds the entry mant·2^exp, and returns how many bits it has.
func (x *integers) put(line, pos int, mant int64, exp int) int {
	negative, size := mant < 0, uint64(mant)
	if negative {
		size = -size
	}
	word, shift := exp/64, uint(exp%64)
	var r *run
	for i := range x.lines[line] {
		if l := &x.lines[line][i]; l.word == word && l.negative == negative {
			r = l
		}
	}
	if r == nil {
		x.lines[line] = append(x.lines[line], run{word: word, negative: negative})
		r = &x.lines[line][len(x.lines[line])-1]
	}
	r.places = append(r.places, int32(pos))
	r.lo = append(r.lo, size<<shift)
	r.hi = append(r.hi, size>>(64-shift))
	return exp + bits.Len64(size)
}

// subtract takes the product of row i and x from a two's complement number.
func (x *integers) subtract(words []uint64, i int, by []uint64) {
	for k := range x.lines[i] {
		r := &x.lines[i][k]
		var s [4]uint64
		for t, pos := range r.places {
			v := by[pos]
			h0, l0 := bits.Mul64(r.lo[t], v)
			h1, l1 := bits.Mul64(r.hi[t], v)
			var c uint64
			l1, c = bits.Add64(l1, h0, 0)
			h1 += c
			s[0], c = bits.Add64(s[0], l0, 0)
			s[1], c = bits.Add64(s[1], l1, c)
			s[2], c = bits.Add64(s[2], h1, c)
			s[3] += c
		}
		addWords(words[min(r.word, len(words)):], s, !r.negative)
	}
}

// addWords adds s modulo the size of words, or subtracts it: where ^w stands for −1 − w, w − s is ^(^w + s).
func addWords(words []uint64, s [4]uint64, subtract bool) {
	var flip, carry uint64
	if subtract {
		flip = ^flip
	}
	for k, w := range words {
		var term uint64
		if k < len(s) {
			term = s[k]
		} else if carry == 0 {
			return
		}
		w, carry = bits.Add64(w^flip, term, carry)
		words[k] = w ^ flip
	}
}
