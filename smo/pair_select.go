package smo

import "math"

// workingSet is the largest number of variables of a subproblem: its matrix has
// to stay in the second-level cache.
const workingSet = 256

// selector chooses working sets and remembers the last one.
type selector struct {
	w       []int  // the working set
	in      []bool // in[i]: i is in w
	up, low []candidate
	saved   []float64
}

type candidate struct {
	key float64 // smaller is worse
	i   int
}

// choose returns the next working set: the free variables of the last one, and of
// the others that violate the optimality conditions the worst of both sides, always
// with the worst pair among them.
func (c *selector) choose(s *pairState) []int {
	if c.in == nil {
		c.in = make([]bool, s.n)
	}
	keep := c.w[:0]
	for _, i := range c.w {
		if s.a[i] > s.Lo[i] && s.a[i] < s.Hi[i] && len(keep) < workingSet/2 {
			keep = append(keep, i)
		} else {
			c.in[i] = false
		}
	}
	c.w = keep
	c.violators(s)
	free := (workingSet - len(c.w)) / 2
	c.add(c.up, free)
	c.add(c.low, free)
	return c.w
}

// violators lists the variables outside the kept set that can take part in a
// violating pair: −g_i > M and may rise, or −g_i < m and may fall.
func (c *selector) violators(s *pairState) {
	c.up, c.low = c.up[:0], c.low[:0]
	for i, g := range s.g {
		if c.in[i] {
			continue
		}
		if -g > s.M && s.a[i] < s.Hi[i] {
			c.up = append(c.up, candidate{g, i})
		}
		if -g < s.m && s.a[i] > s.Lo[i] {
			c.low = append(c.low, candidate{-g, i})
		}
	}
}

// add puts the k candidates with the smallest keys into the working set.
func (c *selector) add(cand []candidate, k int) {
	if len(cand) > k {
		smallest(cand, k)
		cand = cand[:k]
	}
	for _, v := range cand {
		if !c.in[v.i] {
			c.in[v.i] = true
			c.w = append(c.w, v.i)
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

var inf = math.Inf(1)
