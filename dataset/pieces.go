package dataset

// pieces is a list that grows without being copied, for a copy of what is read would double
// the memory that it takes.
type pieces[T any] struct {
	full  [][]T
	last  []T
	room  int // elements that there is memory for
	count int // elements that were added one by one
}

// add appends a value.
func (p *pieces[T]) add(v T) {
	if len(p.last) == cap(p.last) {
		p.grow(1)
	}
	p.last = append(p.last, v)
	p.count++
}

// next returns n new elements, side by side.
func (p *pieces[T]) next(n int) []T {
	if len(p.last)+n > cap(p.last) {
		p.grow(n)
	}
	end := len(p.last) + n
	p.last = p.last[:end]
	return p.last[end-n : end : end]
}

// back takes the last n elements, of one call of next, back.
func (p *pieces[T]) back(n int) { p.last = p.last[:len(p.last)-n] }

// grow begins a piece: small ones for small files, never more than a part of what is there, but for n elements.
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

// join returns the values in one slice and forgets them; nil where there are none.
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
