package gram

// This file evaluates tiles of samples with many features.

// wideFeatures is the number of features that wideDots takes at a time: those of three panels fill half of a
// first-level cache of 48 KiB. Between 64 and 200 it matters little.
const wideFeatures = 128

// wide reports whether products of whole tiles go through the features in pieces.
func (p *inPanels[T]) wide() bool {
	return levels.Active().streams && (p.form == expanded || p.form == inner) && p.d > fuseFeatures &&
		rowsFor(maxRows(), p.d) == maxRows()
}

// wideDots writes the inner products of the samples i0 ≤ i < i1 with the panels a ≤ panel < b. Three panels stay in the
// first-level cache while the queries pass. The sums go on where they were, so they have the bits of tile.
func (p *inPanels[T]) wideDots(dst []T, i0, i1, a, b int) {
	l, rows, ld := lanes[T](), maxRows(), p.panelLen()
	pieces, whole := (p.d+wideFeatures-1)/wideFeatures, a+(b-a)/3*3
	for k := 0; k < p.d; pieces-- {
		features := (p.d-k-1)/pieces + 1
		for pos := a; pos < whole; pos += 3 {
			for i := i0; i < i1; i += rows {
				p.dots(dst[(i-i0)*tileSide+(pos-a)*l:], p.point(i)[k*l:], p.panels[pos*ld+k*l:], features, 3, k > 0)
			}
		}
		k += features
	}
	for i := i0; i < i1 && whole < b; i += rows {
		p.dots(dst[(i-i0)*tileSide+(whole-a)*l:], p.point(i), p.panels[whole*ld:], p.d, b-whole, false)
	}
}

// dots is tile for a block of queries from q on; with more it goes on from the sums in out.
func (p *inPanels[T]) dots(out, q, x []T, features, panels int, more bool) {
	l, rows, ld := lanes[T](), maxRows(), p.panelLen()
	if !more {
		tile(p.form, out, tileSide, q, l, rows, x, ld, features, panels)
		return
	}
	_, _, _ = out[(rows-1)*tileSide+panels*l-1], q[(features-1)*l+rows-1], x[(panels-1)*ld+features*l-1]
	runMoreDot[T](start(out), bytes[T](tileSide), start(q), bytes[T](l), rows, start(x), bytes[T](ld), features, panels)
}
