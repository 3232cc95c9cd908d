package blocked

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// batch is the number of rows that one pass over the samples evaluates.
const batch = 32

// cache holds up to limit rows of length n, and evicts the least recently used row first. It allocates slots in
// slabs, as they are needed. The limit rises to most where rows come back that were evicted.
type cache[T gram.Float] struct {
	n, limit   int
	most, back int // the largest limit; rows that came back since the limit rose
	slots      []slot[T]
	places     []int32 // of[i] is the slot of row i; evicted, or −1, if row i is not cached
	head, tail int32   // most and least recently used slot
	slab       []T     // memory for the next slots
	slabs      [][]T   // all slabs
	out        [][]T
}

type slot[T gram.Float] struct {
	row        []T
	index      int
	prev, next int32
}

// evicted is the place of a row that was cached.
const evicted = -2

func newCache[T gram.Float](n, limit, most int) cache[T] {
	c := cache[T]{n: n, limit: limit, most: most, places: make([]int32, n), head: -1, tail: -1}
	for i := range c.places {
		c.places[i] = -1
	}
	return c
}

// rise raises the limit by a quarter once a sixteenth of as many rows have come back. Row i is about to join.
func (c *cache[T]) rise(i int) {
	if c.places[i] != evicted || c.limit == c.most {
		return
	}
	if c.back++; c.back > c.limit/16 {
		c.limit, c.back = min(c.most, c.limit+c.limit/4), 0
	}
}

// touch makes the cached row i the most recently used.
func (c *cache[T]) touch(i int) {
	s := c.places[i]
	if c.head == s {
		return
	}
	c.unlink(s)
	c.push(s)
}

// claim returns a slot's memory for row i: the given memory, or that of the least recently used row if it is nil.
func (c *cache[T]) claim(i int, row []T) []T {
	var s int32
	if row != nil {
		s = int32(len(c.slots))
		c.slots = append(c.slots, slot[T]{row: row})
	} else {
		s = c.tail
		c.unlink(s)
		c.places[c.slots[s].index] = evicted
	}
	c.slots[s].index = i
	c.places[i] = s
	c.push(s)
	return c.slots[s].row
}

// fresh returns memory for a row. The budget has room for left rows.
func (c *cache[T]) fresh(left int) []T {
	if len(c.slab) < c.n {
		c.slab = c.more(left)
		c.slabs = append(c.slabs, c.slab)
	}
	row := c.slab[:c.n:c.n]
	c.slab = c.slab[c.n:]
	return row
}

// more returns memory for at least one row and at most the given number. It prefers the released memory of an earlier
// matrix of the same order.
func (c *cache[T]) more(limit int) []T {
	rows := min(c.ahead(), limit)
	if old := cpu.Reuse[T](c.n*max(1, rows/2), c.n*limit); old != nil {
		return old[:len(old)/c.n*c.n]
	}
	return cpu.LargePages(make([]T, c.n*rows))
}

func (c *cache[T]) release() {
	for _, slab := range c.slabs {
		cpu.Release(slab)
	}
	*c = newCache[T](c.n, c.limit, c.most)
}

// ahead is the number of slots to allocate at once: at least a batch, a quarter of the present slots, and enough
// memory for large pages to pay.
func (c *cache[T]) ahead() int {
	return max(batch, len(c.slots)/4, int(4*cpu.LargePagesFrom/max(1, Bytes[T](1, c.n, 0, 0))))
}

func (c *cache[T]) unlink(s int32) {
	v := &c.slots[s]
	if v.prev >= 0 {
		c.slots[v.prev].next = v.next
	} else {
		c.head = v.next
	}
	if v.next >= 0 {
		c.slots[v.next].prev = v.prev
	} else {
		c.tail = v.prev
	}
}

func (c *cache[T]) push(s int32) {
	c.slots[s].prev, c.slots[s].next = -1, c.head
	if c.head >= 0 {
		c.slots[c.head].prev = s
	} else {
		c.tail = s
	}
	c.head = s
}

// rows returns the rows idx, which must all be cached.
func (c *cache[T]) rows(idx []int) [][]T {
	c.out = c.out[:0]
	for _, i := range idx {
		c.out = append(c.out, c.slots[c.places[i]].row)
	}
	return c.out
}
