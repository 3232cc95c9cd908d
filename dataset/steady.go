package dataset

// Files of dense samples name the features 1 to d in every row. As long as they do, the values are kept as they come,
// without their places: half of the memory, and nothing to put together at the end.

// settle looks at the row that was just read, the n-th: whether the first is such a row, and whether others with many
// zeros make samples that may stay sparse.
func (p *libsvmParser) settle() {
	switch {
	case p.n == 1 && p.full > 0 && (p.Features == 0 || p.Features == p.d) && p.Width <= p.d:
		p.steady, p.nonzeros = true, p.entries.count
		row := p.values.next(p.d)
		for e := range p.entries.all {
			row[e.index] = e.value
		}
		p.entries = pieces[entry]{}
	case p.steady && p.wide() && float64(p.nonzeros) < sparseShare*float64(p.n)*float64(p.d):
		p.spill(p.n)
	}
}

// steadyRow reads the features from position at, and reports whether they are as in the rows before. Then nothing else
// has happened.
func (p *libsvmParser) steadyRow(line []byte, at int) bool {
	row, more := p.values.next(p.d), afterLine(line)
	some := 0
	for j := range row {
		i, v, end, ok := p.pair(line, more, at, j-1)
		if !ok {
			var err error
			i, v, end, err = p.anyPair(line, at, j-1)
			ok = err == nil
		}
		if !ok || i != j {
			at = -1
			break
		}
		if row[j] = v + 0; v != 0 { // -0 is 0, as where places are kept
			some++
		}
		if at = end; at < len(line) && line[at] == ' ' {
			at = skipBlank(line, at)
		}
	}
	if at != len(line) {
		p.values.back(p.d)
		p.spill(p.n)
		return false
	}
	p.nonzeros += some
	return true
}

// spill gives the values of n rows their places.
func (p *libsvmParser) spill(n int) {
	k := 0
	for v := range p.values.all {
		if v != 0 && k < n*p.d {
			p.entries.add(entry{int32(k / p.d), int32(k % p.d), v})
		}
		k++
	}
	p.values, p.steady, p.nonzeros = pieces[float64]{}, false, 0
}
