package gram

// Wrappers of the kernels at the active level. Each wrapper checks the lengths, so that the assembly never reads or
// writes beyond a slice. If the level has no assembly, it runs portable Go.

// bytes is the size of n elements in bytes.
func bytes[T Float](n int) uintptr { return uintptr(n * (panelWidth / lanes[T]())) }

// tile is tileGeneric at the active level.
func tile[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	if l := lanes[T](); k > 0 && panels > 0 {
		_, _, _ = out[(rows-1)*ldo+panels*l-1], q[(k-1)*qs+rows-1], x[(panels-1)*xs+k*l-1]
		o, a, b, os, as, bs := start(out), start(q), start(x), bytes[T](ldo), bytes[T](qs), bytes[T](xs)
		done := false
		switch f {
		case square:
			done = runTileSquare[T](o, os, a, as, rows, b, bs, k, panels)
		case expanded, inner:
			done = runTileDot[T](o, os, a, as, rows, b, bs, k, panels)
		case absolute:
			done = runTileAbsolute[T](o, os, a, as, rows, b, bs, k, panels)
		}
		if done {
			return
		}
	}
	tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
}

// skipDot is the inner product of tileGeneric for skipRows queries, q[k·skipRows+r], over the features at the given
// byte offsets in a panel, in ascending order.
func skipDot[T Float](out []T, ldo int, q []T, offset []uint32, x []T, xs, panels int) {
	l, last := lanes[T](), int(offset[len(offset)-1])/panelWidth
	_, _, _ = out[(skipRows-1)*ldo+panels*l-1], q[len(offset)*skipRows-1], x[(panels-1)*xs+(last+1)*l-1]
	runSkipDot[T](start(out), bytes[T](ldo), start(q), &offset[0], len(offset), start(x),
		bytes[T](xs), panels)
}

// expScaled writes e^(scale·src[i]) at the active level, for scale·src[i] ≤ 0. Dst may be src.
func expScaled[T Float](dst, src []T, scale T) {
	dst = dst[:len(src):len(dst)]
	block := expBlock[T]()
	whole := len(src) &^ (block - 1) // a mask, because a division would slow down short rows
	if whole > 0 && !runExpScaled(start(dst), start(src), whole, scale) {
		expGeneric(dst, src, scale)
		return
	}
	if whole < len(src) {
		var last [panelWidth / 4]T // the longest block of any level
		copy(last[:], src[whole:])
		runExpScaled(start(last[:]), start(last[:]), block, scale)
		copy(dst[whole:], last[:])
	}
}

// bell writes the values of a Matérn kernel for whole panels. It reports whether the active level does so in one pass.
func bell[T Float](c *curve, dst, src []T, scale T) bool {
	if len(dst) == 0 || len(dst)%lanes[T]() != 0 {
		return false
	}
	_ = src[len(dst)-1]
	return runBell(start(dst), start(src), len(dst), scale, T(-c.first), T(c.second))
}

// roots is rootsGeneric at the active level, for whole panels.
func roots[T Float](dst, src []T, scale T) {
	if len(dst) == 0 {
		return
	}
	_ = src[len(dst)-1]
	if len(dst)%lanes[T]() != 0 || !runRoots(start(dst), start(src), len(dst), scale) {
		rootsGeneric(dst, src, scale)
	}
}

// bends is bendsGeneric at the active level, for whole panels.
func bends[T Float](dst, t []T, first, second T) {
	if len(dst) == 0 {
		return
	}
	_ = t[len(dst)-1]
	if len(dst)%lanes[T]() != 0 || !runBends(start(dst), start(t), len(dst), first, second) {
		bendsGeneric(dst, t, first, second)
	}
}

// logs writes α·ln(1 + ratio·s) for the sums s of src with ratio·s ≥ 0, in double precision for both element types:
// within 3 units in the last place of float64. It is for whole panels, at least one. Dst may be src.
func logs[T Float](dst, src []T, ratio, alpha float64) {
	src = src[:len(dst)]
	if runLogs[T](start(dst), start(src), len(dst)&^(lanes[T]()-1), ratio, alpha) {
		return
	}
	for i, v := range src {
		dst[i] = T(alpha * log1p(float64(ratio*float64(v))))
	}
}

// rowExp writes e^(scale·sum) for one query and whole panels. It reports whether the active level has assembly for
// it.
func rowExp[T Float](f form, dst, q, x []T, xs, k, panels int, scale T) bool {
	if f != square || k == 0 || panels == 0 {
		return false
	}
	l := lanes[T]()
	_, _, _ = dst[panels*l-1], q[k-1], x[(panels-1)*xs+k*l-1]
	return runRowExp(start(dst), start(q), start(x), bytes[T](xs), k, panels, scale)
}

// distances is distancesGeneric at the active level.
func distances[T Float](dst, src, zn []T, qn T) {
	if len(src) == 0 {
		return
	}
	_, _ = dst[len(src)-1], zn[len(src)-1]
	if !runDistances(start(dst), start(src), start(zn), len(src), qn) {
		distancesGeneric(dst, src, zn, qn)
	}
}

// weigh is weighGeneric at the active level, for whole panels of k and c.
func weigh[T Float](sums, k, c []T) {
	if len(k) == 0 {
		return
	}
	_, _ = sums[sumPanels*lanes[T]()-1], c[len(k)-1]
	if !runWeigh[T](start(sums), start(k), start(c), len(k)/lanes[T]()) {
		weighGeneric(sums, k, c)
	}
}

// panelNorms is panelNormsGeneric at the active level.
func panelNorms[T Float](dst, panel []T, d int) {
	l := lanes[T]()
	_, _ = dst[l-1], panel[d*l-1]
	if !runNorms[T](start(dst), start(panel), d) {
		panelNormsGeneric(dst, panel, d)
	}
}

// mirrorTile writes the transpose of rows of a tile of side tileSide to dst, whose rows are ld apart: dst[j·ld + i] =
// tile[i·tileSide + j]. The number of rows is a multiple of the elements of a cache line. It reports whether the active
// level has assembly for it. With stream, dst and ld must be aligned to cache lines.
func mirrorTile[T Float](dst []T, ld int, tile []T, rows int, stream bool) bool {
	_, _ = tile[rows*tileSide-1], dst[(tileSide-1)*ld+rows-1]
	return runMirrorTile[T](start(dst), bytes[T](ld), start(tile), rows, stream)
}

// streamRows copies rows of width elements, pitch apart, to dst, where they are ld apart. Whole cache lines bypass the
// caches; width is at least one.
func streamRows[T Float](dst []T, ld int, src []T, pitch, width, rows int) {
	_, _ = dst[(rows-1)*ld+width-1], src[(rows-1)*pitch+width-1]
	runStreamRows(start(dst), bytes[T](ld), start(src), bytes[T](pitch), bytes[T](width), rows)
}

// endStream must follow the streamed stores of a goroutine.
func endStream() {
	if levels.Active().streams {
		runStoreFence()
	}
}
