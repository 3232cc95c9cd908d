//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx512_amd64.h"
#include "fuse_amd64.h"
#include "transpose_amd64.h"

// Blocks of 8×8 float64 or 16×16 float32 values go from sums through exp to both triangles of the matrix. The stores
// of one block wait for memory while the next block is computed.
//
// The registers are those of fuse_amd64.h; R13 is free, and tile+88(FP) has room for two blocks.

#define ZERO8 \
	VPXORQ Z8, Z8, Z8; VPXORQ Z9, Z9, Z9; VPXORQ Z10, Z10, Z10; VPXORQ Z11, Z11, Z11; \
	VPXORQ Z12, Z12, Z12; VPXORQ Z13, Z13, Z13; VPXORQ Z14, Z14, Z14; VPXORQ Z15, Z15, Z15;

// Z8..Z15 = squared distances of eight queries, from query first on, from the panel, times the scale.
#define SUMS(first, feature) \
	ZERO8; \
	FEATURES(first, feature) \
	VMOVUPS (AX), Z0; \
	PAIR(0, Z1, Z2, Z8, Z9); \
	PAIR(2, Z3, Z4, Z10, Z11); \
	PAIR(4, Z1, Z2, Z12, Z13); \
	PAIR(6, Z3, Z4, Z14, Z15); \
	NEXTFEATURE(feature); \
	SCALE

#define SCALE \
	BROADCAST scale+80(FP), Z7; \
	MUL Z7, Z8, Z8; MUL Z7, Z9, Z9; MUL Z7, Z10, Z10; MUL Z7, Z11, Z11; \
	MUL Z7, Z12, Z12; MUL Z7, Z13, Z13; MUL Z7, Z14, Z14; MUL Z7, Z15, Z15

// Store four rows at p, past the caches.
#define ROWS4(p, a, b, c, d) \
	VMOVNTPS a, (p); \
	VMOVNTPS b, (p)(R8*1); \
	VMOVNTPS c, (p)(R8*2); \
	VMOVNTPS d, (p)(R12*1)

#define NEXT(block) \
	ADDQ $64, DI; \
	ADDQ R10, DX; \
	ADDQ $64, R15; \
	DECQ R11; \
	JNZ  block

// The exp of eight queries with a panel of float64, to both triangles.
#define VALUES8 \
	EXP4(Z8, Z9, Z10, Z11); \
	ROWS4(DI, Z4, Z5, Z6, Z7); \
	VMOVAPD Z4, Z8; VMOVAPD Z5, Z9; VMOVAPD Z6, Z10; VMOVAPD Z7, Z11; \
	EXP4(Z12, Z13, Z14, Z15); \
	LEAQ (DI)(R8*4), R13; \
	ROWS4(R13, Z4, Z5, Z6, Z7); \
	VUNPCKLPD Z9, Z8, Z0;   VUNPCKHPD Z9, Z8, Z1; \
	VUNPCKLPD Z11, Z10, Z2; VUNPCKHPD Z11, Z10, Z3; \
	VUNPCKLPD Z5, Z4, Z12;  VUNPCKHPD Z5, Z4, Z13; \
	VUNPCKLPD Z7, Z6, Z14;  VUNPCKHPD Z7, Z6, Z15; \
	BLOCKS4(Z0, Z2, Z12, Z14, Z8, Z9, Z10, Z11); \
	BLOCKS4(Z1, Z3, Z13, Z15, Z4, Z5, Z6, Z7); \
	ROWS4(R9, Z0, Z1, Z2, Z3); \
	LEAQ (R9)(R8*4), R13; \
	ROWS4(R13, Z12, Z13, Z14, Z15); \
	LEAQ (R9)(R8*8), R9

#define FUSE8(block, feature) \
block: \
	SUMS(0, feature); \
	VALUES8; \
	NEXT(block)

// Store four rows in the matrix at p, and in the tile at off.
#define KEEP4(p, off) \
	ROWS4(p, Z4, Z5, Z6, Z7); \
	VMOVUPS Z4, off(AX); VMOVUPS Z5, (off+64)(AX); VMOVUPS Z6, (off+128)(AX); VMOVUPS Z7, (off+192)(AX)

// Process eight of the sixteen queries; the tile holds them from off on.
#define HALF(first, off, feature) \
	SUMS(first, feature); \
	MOVQ tile+88(FP), AX; \
	VALUESHALF(off)

#define VALUESHALF(off) \
	EXP4(Z8, Z9, Z10, Z11); \
	KEEP4(R13, off); \
	LEAQ (R13)(R8*4), R13; \
	EXP4(Z12, Z13, Z14, Z15); \
	KEEP4(R13, off+256); \
	LEAQ (R13)(R8*4), R13

#define LOAD4(off, a, b, c, d) \
	VMOVUPS off(AX), a; VMOVUPS (off+64)(AX), b; VMOVUPS (off+128)(AX), c; VMOVUPS (off+192)(AX), d

// Mirror the sixteen rows of the tile.
#define MIRROR16 \
	LOAD4(0, Z0, Z1, Z2, Z3); \
	LOAD4(256, Z4, Z5, Z6, Z7); \
	LOAD4(512, Z8, Z9, Z10, Z11); \
	LOAD4(768, Z12, Z13, Z14, Z15); \
	ELEMENTS4(Z0, Z1, Z2, Z3, Z16, Z17, Z18, Z19); \
	ELEMENTS4(Z4, Z5, Z6, Z7, Z20, Z21, Z22, Z23); \
	ELEMENTS4(Z8, Z9, Z10, Z11, Z24, Z25, Z26, Z27); \
	ELEMENTS4(Z12, Z13, Z14, Z15, Z28, Z29, Z30, Z31); \
	BLOCKS4(Z0, Z4, Z8, Z12, Z16, Z17, Z18, Z19); \
	BLOCKS4(Z1, Z5, Z9, Z13, Z20, Z21, Z22, Z23); \
	BLOCKS4(Z2, Z6, Z10, Z14, Z24, Z25, Z26, Z27); \
	BLOCKS4(Z3, Z7, Z11, Z15, Z28, Z29, Z30, Z31); \
	ROWS4(R9, Z0, Z1, Z2, Z3); \
	LEAQ (R9)(R8*4), R9; \
	ROWS4(R9, Z4, Z5, Z6, Z7); \
	LEAQ (R9)(R8*4), R9; \
	ROWS4(R9, Z8, Z9, Z10, Z11); \
	LEAQ (R9)(R8*4), R9; \
	ROWS4(R9, Z12, Z13, Z14, Z15); \
	LEAQ (R9)(R8*4), R9

#define FUSE16(block, feature, half) \
block: \
	CONSTS; \
	MOVQ DI, R13; \
	HALF(0, 0, feature); \
	HALF(8, 512, half); \
	MIRROR16; \
	NEXT(block)

// Squared differences of two queries.
#define PAIR(i, t, u, a, b) \
	SUB.BCST (i*ESZ)(BX), Z0, t; \
	SUB.BCST (i*ESZ+ESZ)(BX), Z0, u; \
	FMA231 t, t, a; \
	FMA231 u, u, b

// Inner products of eight queries, from query first on, with two panels: Z8..Z15 and Z16..Z23. Two panels share the
// broadcasts. One would keep the units that load busier than the multiply-adds.
#define PRODUCT(i, t, a, b) BROADCAST (i*ESZ)(BX), t; FMA231 t, Z0, a; FMA231 t, Z1, b

#define PRODUCTS(first, feature) \
	ZERO8; \
	VPXORQ Z16, Z16, Z16; VPXORQ Z17, Z17, Z17; VPXORQ Z18, Z18, Z18; VPXORQ Z19, Z19, Z19; \
	VPXORQ Z20, Z20, Z20; VPXORQ Z21, Z21, Z21; VPXORQ Z22, Z22, Z22; VPXORQ Z23, Z23, Z23; \
	FEATURES(first, feature) \
	VMOVUPS (AX), Z0; \
	VMOVUPS (AX)(R10*1), Z1; \
	PRODUCT(0, Z2, Z8, Z16); \
	PRODUCT(1, Z3, Z9, Z17); \
	PRODUCT(2, Z4, Z10, Z18); \
	PRODUCT(3, Z5, Z11, Z19); \
	PRODUCT(4, Z2, Z12, Z20); \
	PRODUCT(5, Z3, Z13, Z21); \
	PRODUCT(6, Z4, Z14, Z22); \
	PRODUCT(7, Z5, Z15, Z23); \
	NEXTFEATURE(feature)

// Keep the products with the second panel in the tile from off on, whose registers the constants take.
#define KEEPSECOND(off) \
	MOVQ tile+88(FP), AX; \
	VMOVUPS Z16, off(AX); VMOVUPS Z17, (off+64)(AX); VMOVUPS Z18, (off+128)(AX); VMOVUPS Z19, (off+192)(AX); \
	VMOVUPS Z20, (off+256)(AX); VMOVUPS Z21, (off+320)(AX); VMOVUPS Z22, (off+384)(AX); VMOVUPS Z23, (off+448)(AX)

#define TAKESECOND(off) \
	MOVQ tile+88(FP), AX; \
	LOAD4(off, Z8, Z9, Z10, Z11); \
	LOAD4(off+256, Z12, Z13, Z14, Z15)

#define DISTANCE(i, a) \
	ADD.BCST (i*ESZ)(BX), Z1, Z0; \
	FNMADD a, Z2, Z0; \
	MAX Z0, Z3, a

// ‖q‖² + ‖z‖² − 2qᵀz, at least 0.
#define TODISTANCES(first) \
	MOVQ qn+64(FP), BX; \
	ADDQ $(first*ESZ), BX; \
	MOVE (R15), Z1; \
	ADD Z21, Z21, Z2; \
	VPXORQ Z3, Z3, Z3; \
	DISTANCE(0, Z8); DISTANCE(1, Z9); DISTANCE(2, Z10); DISTANCE(3, Z11); \
	DISTANCE(4, Z12); DISTANCE(5, Z13); DISTANCE(6, Z14); DISTANCE(7, Z15)

#define DISTANCES(first) TODISTANCES(first); SCALE

#define SECOND \
	ADDQ $64, DI; \
	ADDQ $64, R15

#define NEXT2(block) \
	SECOND; \
	LEAQ (DX)(R10*2), DX; \
	SUBQ $2, R11; \
	JNZ  block

#define FUSE8X2(block, feature) \
block: \
	PRODUCTS(0, feature); \
	KEEPSECOND(0); \
	CONSTS; \
	DISTANCES(0); \
	VALUES8; \
	SECOND; \
	TAKESECOND(0); \
	DISTANCES(0); \
	VALUES8; \
	NEXT2(block)

#define FUSE16X2(block, feature, half) \
block: \
	MOVQ DI, R13; \
	PRODUCTS(0, feature); \
	KEEPSECOND(1024); \
	CONSTS; \
	DISTANCES(0); \
	VALUESHALF(0); \
	PRODUCTS(8, half); \
	KEEPSECOND(1536); \
	CONSTS; \
	DISTANCES(8); \
	VALUESHALF(512); \
	MIRROR16; \
	SECOND; \
	MOVQ DI, R13; \
	CONSTS; \
	TAKESECOND(1024); \
	DISTANCES(0); \
	VALUESHALF(0); \
	TAKESECOND(1536); \
	DISTANCES(8); \
	VALUESHALF(512); \
	MIRROR16; \
	NEXT2(block)

#define ADD VADDPD
#define FNMADD VFNMADD231PD

// func fuseSquare64AVX512(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	qn, zn *float64, scale float64, tile *float64)
TEXT ·fuseSquare64AVX512(SB), NOSPLIT, $0-96
	ARGS
	CONSTS
	FUSE8(block, feature)
	VZEROUPPER
	RET

// func fuseExpanded64AVX512(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	qn, zn *float64, scale float64, tile *float64)
TEXT ·fuseExpanded64AVX512(SB), NOSPLIT, $0-96
	ARGS
	FUSE8X2(block, feature)
	VZEROUPPER
	RET

#include "exp_single_amd64.h"

#undef ADD
#undef FNMADD
#define ADD VADDPS
#define FNMADD VFNMADD231PS

// func fuseSquare32AVX512(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
//	qn, zn *float32, scale float32, tile *float32)
TEXT ·fuseSquare32AVX512(SB), NOSPLIT, $0-96
	ARGS
	FUSE16(block, feature, half)
	VZEROUPPER
	RET

// func fuseExpanded32AVX512(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
//	qn, zn *float32, scale float32, tile *float32)
TEXT ·fuseExpanded32AVX512(SB), NOSPLIT, $0-96
	ARGS
	FUSE16X2(block, feature, half)
	VZEROUPPER
	RET
