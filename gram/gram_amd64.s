//go:build !purego

#include "textflag.h"
#include "gram_amd64.h"

// The tiles of a Gram matrix, for each level and element type. They implement tileGeneric in gram_generic.go.

// Squared distance: acc += (x−q)²
#define ESZ 8
#define STEP(i, x, t, acc) VSUBPD.BCST (i*ESZ)(BX), x, t; VFMADD231PD t, t, acc
#define Q3(i, a, b, c) Q3_EACH(i, a, b, c)

TEXT ·tileSquare64AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

#undef ESZ
#undef STEP
// Squared distance: acc += (x−q)²
#define ESZ 4
#define STEP(i, x, t, acc) VSUBPS.BCST (i*ESZ)(BX), x, t; VFMADD231PS t, t, acc

TEXT ·tileSquare32AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

#undef ESZ
#undef STEP
// Inner product: acc += q·x
#define ESZ 8
#define STEP(i, x, t, acc) VFMADD231PD.BCST (i*ESZ)(BX), x, acc
#undef Q3
#define Q3(i, a, b, c) \
	VBROADCASTSD (i*ESZ)(BX), Z3; \
	VFMADD231PD Z3, Z0, a; VFMADD231PD Z3, Z1, b; VFMADD231PD Z3, Z2, c

TEXT ·tileDot64AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

TEXT ·moreDot64AVX512(SB), NOSPLIT, $0-72
	ARGS
	MORE_AVX512
	RET

#undef ESZ
#undef STEP
// Inner product: acc += q·x
#define ESZ 4
#define STEP(i, x, t, acc) VFMADD231PS.BCST (i*ESZ)(BX), x, acc
#undef Q3
#define Q3(i, a, b, c) \
	VBROADCASTSS (i*ESZ)(BX), Z3; \
	VFMADD231PS Z3, Z0, a; VFMADD231PS Z3, Z1, b; VFMADD231PS Z3, Z2, c

TEXT ·tileDot32AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

TEXT ·moreDot32AVX512(SB), NOSPLIT, $0-72
	ARGS
	MORE_AVX512
	RET

#undef ESZ
#undef STEP
// Squared distance: acc += (x−q)²
#define ESZ 8
#define BC  VBROADCASTSD
#define STEPY(q, x, t, acc) VSUBPD q, x, t; VFMADD231PD t, t, acc

TEXT ·tileSquare64AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef ESZ
#undef BC
#undef STEPY
// Squared distance: acc += (x−q)²
#define ESZ 4
#define BC  VBROADCASTSS
#define STEPY(q, x, t, acc) VSUBPS q, x, t; VFMADD231PS t, t, acc

TEXT ·tileSquare32AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef ESZ
#undef BC
#undef STEPY
// Inner product: acc += q·x
#define ESZ 8
#define BC  VBROADCASTSD
#define STEPY(q, x, t, acc) VFMADD231PD q, x, acc

TEXT ·tileDot64AVX2(SB), NOSPLIT, $0-72
	ARGS
	DOTS_AVX2
	RET

TEXT ·moreDot64AVX2(SB), NOSPLIT, $0-72
	ARGS
	MORE_AVX2
	RET

#undef ESZ
#undef BC
#undef STEPY
// Inner product: acc += q·x
#define ESZ 4
#define BC  VBROADCASTSS
#define STEPY(q, x, t, acc) VFMADD231PS q, x, acc

TEXT ·tileDot32AVX2(SB), NOSPLIT, $0-72
	ARGS
	DOTS_AVX2
	RET

TEXT ·moreDot32AVX2(SB), NOSPLIT, $0-72
	ARGS
	MORE_AVX2
	RET
