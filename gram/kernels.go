package gram

// The kernels at the active level. Each wrapper checks the lengths, so that no argument leads the assembly beyond a
// slice, and runs in portable Go where the level has nothing better.

// bytes is the size of n elements.
func bytes[T Float](n int) uintptr { return uintptr(n * (panelWidth / lanes[T]())) }

// tile is tileGeneric at the active level.
func tile[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	if l := lanes[T](); k > 0 && panels > 0 {
		_, _, _ = out[(rows-1)*ldo+panels*l-1], q[(k-1)*qs+rows-1], x[(panels-1)*xs+k*l-1]
		if runTile(variantOf[T](), f, start(out), bytes[T](ldo), start(q), bytes[T](qs), rows,
			start(x), bytes[T](xs), k, panels) {
			return
		}
	}
	tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
}

// skipDot is tileGeneric's inner product for skipRows queries, q[k·skipRows+r], over
// the features whose byte offsets in a panel are given in ascending order.
func skipDot[T Float](out []T, ldo int, q []T, offset []uint32, x []T, xs, panels int) {
	l, last := lanes[T](), int(offset[len(offset)-1])/panelWidth
	_, _, _ = out[(skipRows-1)*ldo+panels*l-1], q[len(offset)*skipRows-1], x[(panels-1)*xs+(last+1)*l-1]
	runSkipDot(variantOf[T](), start(out), bytes[T](ldo), start(q), &offset[0], len(offset), start(x),
		bytes[T](xs), panels)
}

// expScaled writes e^(scale·src[i]) at the active level; scale·src[i] ≤ 0. Dst may be src.
func expScaled[T Float](dst, src []T, scale T) {
	dst = dst[:len(src):len(dst)]
	v, block := variantOf[T](), expBlock[T]()
	whole := len(src) &^ (block - 1) // no division: short rows would notice
	if whole > 0 && !runExp(v, start(dst), start(src), whole, float64(scale)) {
		expGeneric(dst, src, scale)
		return
	}
	if whole < len(src) {
		var last [panelWidth / 4]T // no level's block is longer
		copy(last[:], src[whole:])
		runExp(v, start(last[:]), start(last[:]), block, float64(scale))
		copy(dst[whole:], last[:])
	}
}

// rowExp writes e^(scale·sum) for the sums of one query and whole panels, and reports
// whether the active level can.
func rowExp[T Float](f form, dst, q, x []T, xs, k, panels int, scale T) bool {
	if f != square || k == 0 || panels == 0 {
		return false
	}
	l := lanes[T]()
	_, _, _ = dst[panels*l-1], q[k-1], x[(panels-1)*xs+k*l-1]
	return runRowExp(variantOf[T](), start(dst), start(q), start(x), bytes[T](xs), k, panels, float64(scale))
}

// distances is distancesGeneric at the active level.
func distances[T Float](dst, src, zn []T, qn T) {
	if len(src) == 0 {
		return
	}
	_, _ = dst[len(src)-1], zn[len(src)-1]
	if !runDistances(variantOf[T](), start(dst), start(src), start(zn), len(src), float64(qn)) {
		distancesGeneric(dst, src, zn, qn)
	}
}

// weigh is weighGeneric at the active level; k and c hold whole panels.
func weigh[T Float](sums, k, c []T) {
	if len(k) == 0 {
		return
	}
	_, _ = sums[sumPanels*lanes[T]()-1], c[len(k)-1]
	if !runWeigh(variantOf[T](), start(sums), start(k), start(c), len(k)/lanes[T]()) {
		weighGeneric(sums, k, c)
	}
}

// panelNorms is panelNormsGeneric at the active level.
func panelNorms[T Float](dst, panel []T, d int) {
	l := lanes[T]()
	_, _ = dst[l-1], panel[d*l-1]
	if !runNorms(variantOf[T](), start(dst), start(panel), d) {
		panelNormsGeneric(dst, panel, d)
	}
}

// storeTile writes a whole tile of side tileSide to dst, whose rows are ld apart, and
// reports whether the active level can. With stream, dst and ld are aligned to cache lines.
//
//	dst[i·ld + j] = tile[i·tileSide + j]
//	dst[i·ld + j] = tile[j·tileSide + i]		with mirror
func storeTile[T Float](dst []T, ld int, tile []T, mirror, stream bool) bool {
	_, _ = dst[(tileSide-1)*ld+tileSide-1], tile[tileSide*tileSide-1]
	if mirror {
		return runMirrorTile(variantOf[T](), start(dst), bytes[T](ld), start(tile), stream)
	}
	return runCopyTile(variantOf[T](), start(dst), bytes[T](ld), start(tile), stream)
}

// endStream follows the storeTile calls with stream of one goroutine.
func endStream() {
	if canFuse() {
		storeFence()
	}
}
