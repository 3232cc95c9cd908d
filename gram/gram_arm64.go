//go:build !purego

package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

var table64 = cpu.NewTable(portable[float64](), map[cpu.Level]kernels[float64]{
	cpu.NEON: {
		rows: 4,
		tile: [forms]tileFunc[float64]{
			square:   tileSquare64NEON,
			expanded: tileDot64NEON,
			inner:    tileDot64NEON,
			absolute: tileAbsolute64NEON,
		},
		exp:      expScaled64NEON,
		expBlock: 4,
		weigh:    weigh64NEON,
	},
})

var table32 = cpu.NewTable(portable[float32](), map[cpu.Level]kernels[float32]{
	cpu.NEON: {
		rows: 4,
		tile: [forms]tileFunc[float32]{
			square:   tileSquare32NEON,
			expanded: tileDot32NEON,
			inner:    tileDot32NEON,
			absolute: tileAbsolute32NEON,
		},
		exp:      expScaled32NEON,
		expBlock: 8,
		weigh:    weigh32NEON,
	},
})

var tableSmall = cpu.NewTable(smallTable{}, map[cpu.Level]smallTable{
	cpu.NEON: {
		square:   smallSquareNEON,
		expanded: smallExpandedNEON,
		inner:    smallInnerNEON,
		absolute: smallAbsoluteNEON,
	},
})

// The small* functions are Small.Eval for one form.

//go:noescape
func smallSquareNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerNEON(dst *float64, s *Small, x *float64)

// The tile* functions are tileGeneric with strides in bytes; rows is 1, 2 or 4, k at least 1.

//go:noescape
func tileSquare64NEON(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32NEON(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot64NEON(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot32NEON(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64NEON(out *float64, ldo uintptr, q *float64, qs uintptr, rows int,
	x *float64, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32NEON(out *float32, ldo uintptr, q *float32, qs uintptr, rows int,
	x *float32, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 on n > 0 elements, a
// multiple of expBlock.

//go:noescape
func expScaled64NEON(dst, src *float64, n int, scale float64)

//go:noescape
func expScaled32NEON(dst, src *float32, n int, scale float32)

// The weigh* functions are weighGeneric on a whole number of panels.

//go:noescape
func weigh64NEON(sums, k, c *float64, panels int)

//go:noescape
func weigh32NEON(sums, k, c *float32, panels int)
