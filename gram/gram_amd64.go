//go:build !purego

package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

var table64 = cpu.NewTable(portable[float64](), map[cpu.Level]kernels[float64]{
	cpu.AVX2: {
		rows: 4,
		tile: [forms]tileFunc[float64]{
			square:   tileSquare64AVX2,
			expanded: tileDot64AVX2,
			inner:    tileDot64AVX2,
			absolute: tileAbsolute64AVX2,
		},
		exp:       expScaled64AVX2,
		expBlock:  1,
		distances: distances64AVX2,
		weigh:     weigh64AVX2,
		norms:     norms64AVX2,
		fromDots:  fromDots64AVX2,
	},
	cpu.AVX512: {
		rows: 8,
		tile: [forms]tileFunc[float64]{
			square:   tileSquare64AVX512,
			expanded: tileDot64AVX512,
			inner:    tileDot64AVX512,
			absolute: tileAbsolute64AVX512,
		},
		skipDot:    skipDot64AVX512,
		exp:        expScaled64AVX512,
		expBlock:   1,
		rowExp:     [forms]func(dst, q, x *float64, xs uintptr, k, panels int, scale float64){square: rowExp64AVX512},
		distances:  distances64AVX512,
		weigh:      weigh64AVX512,
		norms:      norms64AVX2,
		fromDots:   fromDots64AVX512,
		byDistance: byDistance64AVX512,
		entries:    64,
		fuse:       [forms]fuseFunc[float64]{square: fuseSquare64AVX512, expanded: fuseExpanded64AVX512},
		copyTile:   copyTile64AVX512,
		mirror:     mirrorTile64AVX512,
		fence:      storeFence,
	},
})

var table32 = cpu.NewTable(portable[float32](), map[cpu.Level]kernels[float32]{
	cpu.AVX2: {
		rows: 4,
		tile: [forms]tileFunc[float32]{
			square:   tileSquare32AVX2,
			expanded: tileDot32AVX2,
			inner:    tileDot32AVX2,
			absolute: tileAbsolute32AVX2,
		},
		exp:        expScaled32AVX2,
		expBlock:   1,
		distances:  distances32AVX2,
		weigh:      weigh32AVX2,
		norms:      norms32AVX2,
		fromDots:   fromDots32AVX2,
		byDistance: byDistance32AVX2,
		entries:    32,
	},
	cpu.AVX512: {
		rows: 8,
		tile: [forms]tileFunc[float32]{
			square:   tileSquare32AVX512,
			expanded: tileDot32AVX512,
			inner:    tileDot32AVX512,
			absolute: tileAbsolute32AVX512,
		},
		skipDot:    skipDot32AVX512,
		exp:        expScaled32AVX512,
		expBlock:   1,
		rowExp:     [forms]func(dst, q, x *float32, xs uintptr, k, panels int, scale float32){square: rowExp32AVX512},
		distances:  distances32AVX512,
		weigh:      weigh32AVX512,
		norms:      norms32AVX2,
		fromDots:   fromDots32AVX512,
		byDistance: byDistance32AVX512,
		entries:    64,
		fuse:       [forms]fuseFunc[float32]{square: fuseSquare32AVX512, expanded: fuseExpanded32AVX512},
		copyTile:   copyTile32AVX512,
		mirror:     mirrorTile32AVX512,
		fence:      storeFence,
	},
})

var tableSmall = cpu.NewTable(smallTable{}, map[cpu.Level]smallTable{
	cpu.AVX2: {
		square:   smallSquareAVX2,
		expanded: smallExpandedAVX2,
		inner:    smallInnerAVX2,
		absolute: smallAbsoluteAVX2,
	},
	cpu.AVX512: {
		square:   smallSquareAVX512,
		expanded: smallExpandedAVX512,
		inner:    smallInnerAVX512,
		absolute: smallAbsoluteAVX512,
	},
})

// The small* functions are Small.Eval for one form.

//go:noescape
func smallSquareAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallSquareAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerAVX2(dst *float64, s *Small, x *float64)

// The tile* functions are tileGeneric with strides in bytes; rows is 1, 2, 4 or,
// with AVX-512, 8.

//go:noescape
func tileSquare64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileSquare64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 on n elements.

//go:noescape
func expScaled64AVX512(dst, src *float64, n int, scale float64)

//go:noescape
func expScaled32AVX512(dst, src *float32, n int, scale float32)

//go:noescape
func expScaled64AVX2(dst, src *float64, n int, scale float64)

//go:noescape
func expScaled32AVX2(dst, src *float32, n int, scale float32)

// The rowExp* functions are tileGeneric for square and one query, then expGeneric:
// dst gets panels × lanes values. k and panels are at least 1.

//go:noescape
func rowExp64AVX512(dst, q, x *float64, xs uintptr, k, panels int, scale float64)

//go:noescape
func rowExp32AVX512(dst, q, x *float32, xs uintptr, k, panels int, scale float32)

// The distances* functions are distancesGeneric on n elements.

//go:noescape
func distances64AVX512(dst, src, zn *float64, n int, qn float64)

//go:noescape
func distances32AVX512(dst, src, zn *float32, n int, qn float32)

//go:noescape
func distances64AVX2(dst, src, zn *float64, n int, qn float64)

//go:noescape
func distances32AVX2(dst, src, zn *float32, n int, qn float32)

// The weigh* functions are weighGeneric on a whole number of panels.

//go:noescape
func weigh64AVX512(sums, k, c *float64, panels int)

//go:noescape
func weigh32AVX512(sums, k, c *float32, panels int)

//go:noescape
func weigh64AVX2(sums, k, c *float64, panels int)

//go:noescape
func weigh32AVX2(sums, k, c *float32, panels int)

// The norms* functions are panelNormsGeneric on k ≥ 1 features.

//go:noescape
func norms64AVX2(out, x *float64, k int)

//go:noescape
func norms32AVX2(out, x *float32, k int)

// The skipDot* functions are tileGeneric's inner product for eight queries (q holds
// eight elements a feature) over the k ≥ 1 features whose byte offsets in a panel are given.

//go:noescape
func skipDot64AVX512(out *float64, ldo uintptr, q *float64, offset *uint32, k int,
	x *float64, xs uintptr, panels int)

//go:noescape
func skipDot32AVX512(out *float32, ldo uintptr, q *float32, offset *uint32, k int,
	x *float32, xs uintptr, panels int)

// The copyTile* and mirrorTile* functions write a tile of side tileSide, or its
// transpose, to dst, whose rows are ld bytes apart; with stream, past the caches.
//
//	dst[i·ld + j] = tile[i·tileSide + j]		copyTile
//	dst[i·ld + j] = tile[j·tileSide + i]		mirrorTile

//go:noescape
func copyTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)

//go:noescape
func mirrorTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)

//go:noescape
func copyTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)

//go:noescape
func mirrorTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)

// The fuse* functions are fuseFunc, k and panels at least 1.

//go:noescape
func fuseSquare64AVX512(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
	qn, zn *float64, scale float64, tile *float64)

//go:noescape
func fuseExpanded64AVX512(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
	qn, zn *float64, scale float64, tile *float64)

//go:noescape
func fuseSquare32AVX512(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
	qn, zn *float32, scale float32, tile *float32)

//go:noescape
func fuseExpanded32AVX512(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
	qn, zn *float32, scale float32, tile *float32)

// storeFence makes streamed stores visible to other goroutines before anything stored later.
func storeFence()
