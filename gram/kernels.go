package gram

// kernels is what one SIMD level has for one element type, the entries of table64
// and table32. All strides count bytes. A function that is nil runs in portable Go:
// the level has nothing better. The wrappers below are what the package calls; they
// check the lengths, so that no argument leads the assembly beyond a slice.
type kernels[T Float] struct {
	rows      int // the largest number of query rows that a tile takes; smaller powers of 2 work too
	tile      [forms]tileFunc[T]
	skipDot   func(out *T, ldo uintptr, q *T, offset *uint32, k int, x *T, xs uintptr, panels int)
	exp       func(dst, src *T, n int, scale T)
	expBlock  int // exp takes multiples of it, a power of 2
	rowExp    [forms]func(dst, q, x *T, xs uintptr, k, panels int, scale T)
	distances func(dst, src, zn *T, n int, qn T)
	weigh     func(sums, k, c *T, panels int)
	norms     func(dst, panel *T, k int)
	copyTile  func(dst *T, ld uintptr, tile *T, stream bool)
	mirror    func(dst *T, ld uintptr, tile *T, stream bool)
	fence     func() // makes streamed stores visible to other goroutines before anything stored later
	fuse      [forms]fuseFunc[T]
	// fromDots is the function of that name for n values, a multiple of octetLanes.
	fromDots func(dst *T, dots, zn *int32, n int, qn int32)
	// byDistance writes dst[j] = values[codes[j]] for n codes, a multiple of octetLanes, none above largest, which is less
	// than entries.
	byDistance func(dst *T, codes *uint8, n int, values *T, largest int)
	entries    int
}

// tileFunc is tileGeneric for one form, k ≥ 1 and panels ≥ 1.
type tileFunc[T Float] func(out *T, ldo uintptr, q *T, qs uintptr, rows int, x *T, xs uintptr, k, panels int)

// fuseFunc writes e^(scale·distance) for the squared distances of a panel's samples q to whole panels x, and the
// transpose to mirror; rows of both are ld bytes apart, begin on cache lines and are stored past the caches. The
// expanded form takes the norms qn and zn. There is room for a square of lanes×lanes values at tile.
type fuseFunc[T Float] func(dst *T, ld uintptr, mirror, q, x *T, xs uintptr, k, panels int, qn, zn *T, scale T,
	tile *T)

// bytes is the size of n elements.
func bytes[T Float](n int) uintptr { return uintptr(n * (panelWidth / lanes[T]())) }

// maxRows is the largest number of query rows that one tile call takes.
func maxRows[T Float]() int { return active[T]().rows }

// tile is tileGeneric at the active level.
func tile[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	asm := active[T]().tile[f]
	if asm == nil || k == 0 || panels == 0 {
		tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
		return
	}
	l := lanes[T]()
	_, _, _ = out[(rows-1)*ldo+panels*l-1], q[(k-1)*qs+rows-1], x[(panels-1)*xs+k*l-1]
	asm(hide(&out[0]), bytes[T](ldo), hide(&q[0]), bytes[T](qs), rows, hide(&x[0]), bytes[T](xs), k, panels)
}

// canSkip reports whether the active level has skipDot.
func canSkip[T Float]() bool { return active[T]().skipDot != nil }

// skipDot is tileGeneric's inner product for skipRows queries, q[k·skipRows+r], over
// the features whose byte offsets in a panel are given in ascending order.
func skipDot[T Float](out []T, ldo int, q []T, offset []uint32, x []T, xs, panels int) {
	l, last := lanes[T](), int(offset[len(offset)-1])/panelWidth
	_, _, _ = out[(skipRows-1)*ldo+panels*l-1], q[len(offset)*skipRows-1], x[(panels-1)*xs+(last+1)*l-1]
	active[T]().skipDot(hide(&out[0]), bytes[T](ldo), hide(&q[0]), hide(&offset[0]), len(offset),
		hide(&x[0]), bytes[T](xs), panels)
}

// expScaled writes e^(scale·src[i]) at the active level; scale·src[i] ≤ 0. Dst may be src.
func expScaled[T Float](dst, src []T, scale T) {
	k := active[T]()
	dst = dst[:len(src):len(dst)]
	if k.exp == nil {
		expGeneric(dst, src, scale)
		return
	}
	whole := len(src) &^ (k.expBlock - 1) // no division: short rows would notice
	if whole > 0 {
		k.exp(hide(&dst[0]), hide(&src[0]), whole, scale)
	}
	if whole < len(src) {
		var last [panelWidth / 4]T // no level's block is longer
		copy(last[:], src[whole:])
		k.exp(hide(&last[0]), hide(&last[0]), k.expBlock, scale)
		copy(dst[whole:], last[:])
	}
}

// rowExp writes e^(scale·sum) for the sums of one query and whole panels, and reports
// whether the active level can.
func rowExp[T Float](f form, dst, q, x []T, xs, k, panels int, scale T) bool {
	asm := active[T]().rowExp[f]
	if asm == nil || k == 0 || panels == 0 {
		return false
	}
	l := lanes[T]()
	_, _, _ = dst[panels*l-1], q[k-1], x[(panels-1)*xs+k*l-1]
	asm(hide(&dst[0]), hide(&q[0]), hide(&x[0]), bytes[T](xs), k, panels, scale)
	return true
}

// distances is distancesGeneric at the active level.
func distances[T Float](dst, src, zn []T, qn T) {
	asm := active[T]().distances
	if asm == nil || len(src) == 0 {
		distancesGeneric(dst, src, zn, qn)
		return
	}
	_, _ = dst[len(src)-1], zn[len(src)-1]
	asm(hide(&dst[0]), hide(&src[0]), hide(&zn[0]), len(src), qn)
}

// weigh is weighGeneric at the active level; k and c hold whole panels.
func weigh[T Float](sums, k, c []T) {
	asm := active[T]().weigh
	if asm == nil || len(k) == 0 {
		weighGeneric(sums, k, c)
		return
	}
	_, _ = sums[sumPanels*lanes[T]()-1], c[len(k)-1]
	asm(hide(&sums[0]), hide(&k[0]), hide(&c[0]), len(k)/lanes[T]())
}

// panelNorms is panelNormsGeneric at the active level.
func panelNorms[T Float](dst, panel []T, d int) {
	asm := active[T]().norms
	if asm == nil {
		panelNormsGeneric(dst, panel, d)
		return
	}
	l := lanes[T]()
	_, _ = dst[l-1], panel[d*l-1]
	asm(hide(&dst[0]), hide(&panel[0]), d)
}

// storeTile writes a whole tile of side tileSide to dst, whose rows are ld apart, and
// reports whether the active level can. With stream, dst and ld are aligned to cache lines.
//
//	dst[i·ld + j] = tile[i·tileSide + j]
//	dst[i·ld + j] = tile[j·tileSide + i]		with mirror
func storeTile[T Float](dst []T, ld int, tile []T, mirror, stream bool) bool {
	k := active[T]()
	asm := k.copyTile
	if mirror {
		asm = k.mirror
	}
	if asm == nil {
		return false
	}
	_, _ = dst[(tileSide-1)*ld+tileSide-1], tile[tileSide*tileSide-1]
	asm(hide(&dst[0]), bytes[T](ld), hide(&tile[0]), stream)
	return true
}

// endStream follows the storeTile calls with stream of one goroutine.
func endStream[T Float]() {
	if fence := active[T]().fence; fence != nil {
		fence()
	}
}
