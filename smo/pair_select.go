package smo

import (
	"math"
	"slices"
)

var inf = math.Inf(1)

const (
	// firstSet is the first number of variables of a subproblem: the smaller the set, the fewer kernel values its rows
	// have where they are needed once. Where more than heldShare of a set end at bounds other than 0, sets of WholeSet
	// follow: they settle banana with C = 316 in 9 rounds where 256 variables take 71. What few of them are free soon
	// fits the second-level cache again, see [inner.shrink]. Rows that are not rounded, see [Pair.Most], begin with such
	// sets too: they are dearer, and steps more.
	firstSet  = WholeSet / 2
	heldShare = 1.0 / 8
)

// selector chooses working sets and remembers the last one.
type selector struct {
	w    []int   // the working set
	in   []uint8 // in[i] is 1 when i is in w
	size int     // of the next working set, at most
	// complete says that of more than WholeSet variables none outside the working set violates the conditions.
	complete bool
	up, low  []candidate
}

type candidate struct {
	key float64 // smaller is worse
	i   int32
}

// choose returns the next working set: the free variables of the last one, and of the others that violate the
// optimality conditions the worst of both sides, always with the worst pair among them.
func (c *selector) choose(s *pairState) []int {
	if s.all && c.w == nil { // all of them, in order
		c.w = make([]int, s.n)
		for i := range c.w {
			c.w[i] = i
		}
	}
	if s.all {
		return c.w
	}
	if c.in == nil {
		c.in = make([]uint8, s.n)
		c.up, c.low = make([]candidate, s.n+1), make([]candidate, s.n+1)
		c.size = WholeSet
		if s.Most > 0 {
			c.size = firstSet
		}
	}
	isFree := func(i int) bool { return s.up[i] == 0 && s.low[i] == 0 }
	still, held := 0, 0
	for _, i := range c.w {
		if isFree(i) {
			still++
		} else if s.a[i] != 0 {
			held++
		}
	}
	if float64(held) > heldShare*float64(len(c.w)) {
		c.size = max(c.size, WholeSet)
	}
	if still > c.size/2 {
		c.size = min(2*c.size, LargestSet)
	}
	keep := c.w[:0]
	for _, i := range c.w {
		if isFree(i) && len(keep) < c.size*3/4 {
			keep = append(keep, i)
		} else {
			c.in[i] = 0
		}
	}
	c.w = keep
	up, low := c.violators(s)
	free := c.size - len(c.w)
	c.complete = s.n > WholeSet && len(keep) == still && len(up)+len(low) <= free
	half := max(free/2, free-len(low))
	c.add(up, half)
	c.add(low, max(free-half, free-len(up)))
	slices.Sort(c.w) // rows are gathered faster in order
	return c.w
}

// violators lists the variables outside the kept set that can take part in a
// violating pair: −g_i > M and may rise, or −g_i < m and may fall.
func (c *selector) violators(s *pairState) (up, low []candidate) {
	var nu, nl int
	for i, g := range s.g[:s.n] {
		// Both are written always and counted when they hold, which spares mispredicted branches.
		u, l := g+s.up[i], s.low[i]-g
		c.up[nu] = candidate{u, int32(i)}
		c.low[nl] = candidate{l, int32(i)}
		out := 1 - int(c.in[i])
		nu += one(u < -s.M) & out
		nl += one(l < s.m) & out
	}
	return c.up[:nu], c.low[:nl]
}

// one is 1 for true; the compiler makes it a single instruction.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add puts the k candidates with the smallest keys into the working set.
func (c *selector) add(cand []candidate, k int) {
	if len(cand) > k {
		smallest(cand, k)
		cand = cand[:k]
	}
	for _, v := range cand {
		if c.in[v.i] == 0 {
			c.in[v.i] = 1
			c.w = append(c.w, int(v.i))
		}
	}
}

// smallest reorders c so that its k smallest elements (by key, then index) come first.
func smallest(c []candidate, k int) {
	less := func(x, y candidate) bool { return x.key < y.key || (x.key == y.key && x.i < y.i) }
	for lo, hi := 0, len(c)-1; lo < hi; {
		p := c[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for less(c[i], p) {
				i++
			}
			for less(p, c[j]) {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
