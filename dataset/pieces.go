package dataset

import "github.com/sparsekm/sparsekm/internal/parallel"

// pieces is a list that grows without a copy, which would double its memory. What is added at once stays in one slice.
type pieces[T any] struct {
	full  [][]T
	last  []T
	free  []T  // memory for more
	lent  bool // what was added last lies in memory of others
	room  int  // elements with memory, as if all were in memory of the list
	left  int  // of them without a value
	count int  // elements
}

// add appends a value.
func (p *pieces[T]) add(v T) { p.next(1)[0] = v }

// next returns n new elements in one slice.
func (p *pieces[T]) next(n int) []T {
	p.reserve(n)
	if n > len(p.free) {
		p.free = make([]T, n+p.left)
	}
	next := p.free[:n]
	p.free, p.lent = p.free[n:], false
	p.link(next)
	return next[:n:n]
}

// adopt appends elements that lie in memory of others and stay there. Nobody else may use them, or change the memory
// between them and what is adopted next.
func (p *pieces[T]) adopt(list []T) {
	p.reserve(len(list))
	p.lent = true
	p.link(list)
}

// back removes the n elements of the last call of next or adopt.
func (p *pieces[T]) back(n int) {
	end := len(p.last) - n
	p.last, p.count, p.left = p.last[:end], p.count-n, p.left+n
	if !p.lent {
		p.free = p.last[end:cap(p.last)]
	}
}

// reserve counts n elements, and their memory: pieces are small for small files, and at most a quarter of the list.
func (p *pieces[T]) reserve(n int) {
	const smallest, largest = 64, 1 << 16
	if n > p.left {
		p.left = max(n, min(max(smallest, p.room/4), largest))
		p.room += p.left
	}
	p.left, p.count = p.left-n, p.count+n
}

// link appends elements: to the last piece if they follow it in memory.
func (p *pieces[T]) link(list []T) {
	end := len(p.last)
	switch {
	case len(list) == 0:
	case cap(p.last) >= end+len(list) && &p.last[:end+1][end] == &list[0]:
		p.last = p.last[:end+len(list)]
	default:
		if end > 0 {
			p.full = append(p.full, p.last)
		}
		p.last = list
	}
}

// all yields the values in their order.
func (p *pieces[T]) all(yield func(T) bool) {
	for _, piece := range append(p.full, p.last) {
		for _, v := range piece {
			if !yield(v) {
				return
			}
		}
	}
}

// join returns the values in one slice, nil for none, and empties the list. It copies on several goroutines.
func (p *pieces[T]) join(threads int) []T {
	if p.last == nil {
		return nil
	}
	list, whole := append(p.full, p.last), make([]T, p.count)
	*p = pieces[T]{}
	starts, pos := make([]int, len(list)), 0
	for k, piece := range list {
		starts[k] = pos
		pos += len(piece)
	}
	parallel.For(max(1, threads), len(list), func(_, k int) {
		copy(whole[starts[k]:], list[k])
		list[k] = nil // the collector may have it
	})
	return whole
}
