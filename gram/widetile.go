package gram

// This file evaluates tiles of samples with many features.

// wideFeatures is the number of features that wideDots takes at a time: those of three panels fill half of a
// first-level cache of 48 KiB.
const wideFeatures = 128

// wide reports whether products of whole tiles go through the features in pieces.
func (p *inPanels[T]) wide() bool {
	return levels.Active().streams && (p.form == expanded || p.form == inner) && p.d > 2*wideFeatures &&
		rowsFor(maxRows(), p.d) == maxRows()
}

// wideDots writes the inner products of the samples i0 ≤ i < i1 with the panels a ≤ panel < b. Three panels stay in the
// first-level cache while the queries pass. The sums go on where they were, so they have the bits of tile.
func (p *inPanels[T]) wideDots(dst []T, i0, i1, a, b int) {
	l, rows, ld := lanes[T](), maxRows(), p.panelLen()
	pieces := (p.d + wideFeatures - 1) / wideFeatures
	for k := 0; k < p.d; {
		features := (p.d-k-1)/pieces + 1
		for at := a; at+3 <= b; at += 3 {
			x := p.panels[at*ld+k*l:]
			_ = x[2*ld+features*l-1]
			for i := i0; i < i1; i += rows {
				out, q := dst[(i-i0)*tileSide+(at-a)*l:], p.point(i)[k*l:]
				_, _ = out[(rows-1)*tileSide+3*l-1], q[(features-1)*l+rows-1]
				run := runMoreDot[T]
				if k == 0 {
					run = runTileDot[T]
				}
				run(start(out), bytes[T](tileSide), start(q), bytes[T](l), rows, start(x), bytes[T](ld), features, 3)
			}
		}
		k += features
		pieces--
	}
	rest := (b - a) % 3
	for i := i0; i < i1 && rest > 0; i += rows {
		out, x := dst[(i-i0)*tileSide+(b-rest-a)*l:], p.panels[(b-rest)*ld:]
		tile(p.form, out, tileSide, p.point(i), l, rows, x, ld, p.d, rest)
	}
}
