package dataset

// pieces is a list that grows without a copy, which would double its memory.
type pieces[T any] struct {
	full  [][]T
	last  []T
	room  int // elements with memory
	count int // elements added by add
}

// add appends a value.
func (p *pieces[T]) add(v T) {
	if len(p.last) == cap(p.last) {
		p.grow(1)
	}
	p.last = append(p.last, v)
	p.count++
}

// next returns n new elements in one slice.
func (p *pieces[T]) next(n int) []T {
	if len(p.last)+n > cap(p.last) {
		p.grow(n)
	}
	end := len(p.last) + n
	p.last = p.last[:end]
	return p.last[end-n : end : end]
}

// back removes the n elements of the last call of next.
func (p *pieces[T]) back(n int) { p.last = p.last[:len(p.last)-n] }

// grow begins a piece of at least n elements. Pieces are small for small files, and at most a quarter of the list.
func (p *pieces[T]) grow(n int) {
	const least, most = 64, 1 << 16
	if p.last != nil {
		p.full = append(p.full, p.last)
	}
	size := max(n, min(max(least, p.room/4), most))
	p.last = make([]T, 0, size)
	p.room += size
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

// join returns the values in one slice, nil for none, and empties the list.
func (p *pieces[T]) join() []T {
	if p.last == nil {
		return nil
	}
	p.full, p.last = append(p.full, p.last), nil
	n := 0
	for _, piece := range p.full {
		n += len(piece)
	}
	whole := make([]T, 0, n)
	for i, piece := range p.full {
		whole = append(whole, piece...)
		p.full[i] = nil
	}
	*p = pieces[T]{}
	return whole
}
