package dataset

// Files of dense samples list the features 1 to d in every row. As long as they do, the parser keeps the values without
// their indices, in half of the memory.

// settle checks the n-th row, which was just read. It begins to keep values without indices if the first row lists all
// features, and stops if so many are 0 that the samples may stay sparse.
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

// steadyRow reads the features from position at if they are 1 to d. Else it returns false, and the values so far have
// their indices again.
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
		if row[j] = v + 0; v != 0 { // -0 becomes 0, as with indices
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

// spill gives the values of n rows their indices.
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
