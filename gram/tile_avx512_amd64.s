//go:build !purego

#include "textflag.h"
#include "tile_amd64.h"

// Squared distance: acc += (x−q)²
#define ESZ 8
#define STEP(i, x, t, acc) VSUBPD.BCST (i*ESZ)(BX), x, t; VFMADD231PD t, t, acc

// func tileSquare64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)
TEXT ·tileSquare64AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

#undef ESZ
#undef STEP
// Squared distance: acc += (x−q)²
#define ESZ 4
#define STEP(i, x, t, acc) VSUBPS.BCST (i*ESZ)(BX), x, t; VFMADD231PS t, t, acc

// func tileSquare32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)
TEXT ·tileSquare32AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

#undef ESZ
#undef STEP
// Inner product: acc += q·x
#define ESZ 8
#define STEP(i, x, t, acc) VFMADD231PD.BCST (i*ESZ)(BX), x, acc

// func tileDot64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)
TEXT ·tileDot64AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

#undef ESZ
#undef STEP
// Inner product: acc += q·x
#define ESZ 4
#define STEP(i, x, t, acc) VFMADD231PS.BCST (i*ESZ)(BX), x, acc

// func tileDot32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)
TEXT ·tileDot32AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET
