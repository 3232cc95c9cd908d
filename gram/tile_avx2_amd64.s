//go:build !purego

#include "textflag.h"
#include "tile_amd64.h"

// The squared distance: acc += (x−q)².
#define STEP(q, x, t, acc) SUB q, x, t; FMA t, t, acc

#define BC  VBROADCASTSD
#define SUB VSUBPD
#define FMA VFMADD231PD
#define ESZ 8

// func tileSquare64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)
TEXT ·tileSquare64AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef BC
#undef SUB
#undef FMA
#undef ESZ
#define BC  VBROADCASTSS
#define SUB VSUBPS
#define FMA VFMADD231PS
#define ESZ 4

// func tileSquare32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)
TEXT ·tileSquare32AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef STEP

// The inner product: acc += q·x.
#define STEP(q, x, t, acc) FMA q, x, acc

#undef BC
#undef SUB
#undef FMA
#undef ESZ
#define BC  VBROADCASTSD
#define SUB VSUBPD
#define FMA VFMADD231PD
#define ESZ 8

// func tileDot64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)
TEXT ·tileDot64AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef BC
#undef SUB
#undef FMA
#undef ESZ
#define BC  VBROADCASTSS
#define SUB VSUBPS
#define FMA VFMADD231PS
#define ESZ 4

// func tileDot32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)
TEXT ·tileDot32AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET
