//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx2_amd64.h"
#include "fuse_amd64.h"

// The fuse functions for AVX2. The values of a block, 8×8 float64 or 16×16 float32, stay in the tile, a cache line a row:
// first the sums, then their exp. The stores of one block wait for memory while the next one is computed.
//
// The registers are those of fuse_amd64.h, and R13 is the tile. After the features, AX, BX and R14 are free, or move over
// rows of dst and of the tile.

#define ZEROY8 \
	VXORPS Y8, Y8, Y8; VXORPS Y9, Y9, Y9; VXORPS Y10, Y10, Y10; VXORPS Y11, Y11, Y11; \
	VXORPS Y12, Y12, Y12; VXORPS Y13, Y13, Y13; VXORPS Y14, Y14, Y14; VXORPS Y15, Y15, Y15;

// Squared differences of query i.
#define QUERY(i, t, u, a, b) \
	BROADCAST (i*ESZ)(BX), Y2; \
	SUB Y2, Y0, t; FMA231 t, t, a; \
	SUB Y2, Y1, u; FMA231 u, u, b

// Sums of the four queries from query first on with the panel, to the rows of the tile from off on.
#define SUMS(first, off, feature) \
	ZEROY8; \
	FEATURES(first, feature) \
	VMOVUPS (AX), Y0; \
	VMOVUPS 32(AX), Y1; \
	QUERY(0, Y3, Y4, Y8, Y9); \
	QUERY(1, Y5, Y6, Y10, Y11); \
	QUERY(2, Y3, Y4, Y12, Y13); \
	QUERY(3, Y5, Y6, Y14, Y15); \
	NEXTFEATURE(feature); \
	VMOVUPS Y8, off(R13); VMOVUPS Y9, (off+32)(R13); VMOVUPS Y10, (off+64)(R13); VMOVUPS Y11, (off+96)(R13); \
	VMOVUPS Y12, (off+128)(R13); VMOVUPS Y13, (off+160)(R13); \
	VMOVUPS Y14, (off+192)(R13); VMOVUPS Y15, (off+224)(R13)

// The exp of the tile, size bytes, to the rows of dst, and back to the tile: two rows at a time.
#define VALUES(rows, size) \
	BROADCAST scale+80(FP), Y15; \
	VMOVUPS CLAMP, Y14; \
	VMOVUPS BIAS, Y13; \
	MOVQ DI, BX; \
	MOVQ R13, R14; \
rows: \
	MUL (R14), Y15, Y0; MUL 32(R14), Y15, Y1; MUL 64(R14), Y15, Y2; MUL 96(R14), Y15, Y3; \
	EXP4; \
	STORE Y8, (BX); STORE Y9, 32(BX); \
	STORE Y10, (BX)(R8*1); STORE Y11, 32(BX)(R8*1); \
	VMOVUPS Y8, (R14); VMOVUPS Y9, 32(R14); VMOVUPS Y10, 64(R14); VMOVUPS Y11, 96(R14); \
	LEAQ (BX)(R8*2), BX; \
	ADDQ $128, R14; \
	LEAQ size(R13), AX; \
	CMPQ R14, AX; \
	JNE  rows

// JOIN puts 16 bytes of the tile at p into the lower half of y, and those at q into the upper half.
#define JOIN(p, q, x, y) VMOVUPS p(R13), x; VINSERTF128 $1, q(R13), y, y

// Four columns of four rows of float64, from off on, to the registers a, b, c, d.
#define TURN64(off, a, b, c, d) \
	JOIN(off, (off+128), X0, Y0); JOIN((off+64), (off+192), X1, Y1); \
	JOIN((off+16), (off+144), X2, Y2); JOIN((off+80), (off+208), X3, Y3); \
	VUNPCKLPD Y1, Y0, a; VUNPCKHPD Y1, Y0, b; \
	VUNPCKLPD Y3, Y2, c; VUNPCKHPD Y3, Y2, d

// Four columns of eight rows of float32.
#define TURN32(off, a, b, c, d) \
	JOIN(off, (off+256), X0, Y0); JOIN((off+64), (off+320), X1, Y1); \
	JOIN((off+128), (off+384), X2, Y2); JOIN((off+192), (off+448), X3, Y3); \
	VUNPCKLPS Y1, Y0, Y4; VUNPCKHPS Y1, Y0, Y5; \
	VUNPCKLPS Y3, Y2, Y6; VUNPCKHPS Y3, Y2, Y7; \
	VUNPCKLPD Y6, Y4, a; VUNPCKHPD Y6, Y4, b; \
	VUNPCKLPD Y7, Y5, c; VUNPCKHPD Y7, Y5, d

// Four columns of the tile, from off on, to four rows of the mirror image. The lower half of the rows begins at half.
#define MIRROR4(TURN, off, half) \
	TURN(off, Y8, Y9, Y10, Y11); \
	TURN((off+half), Y12, Y13, Y14, Y15); \
	STORE Y8, (R9); STORE Y12, 32(R9); \
	STORE Y9, (R9)(R8*1); STORE Y13, 32(R9)(R8*1); \
	STORE Y10, (R9)(R8*2); STORE Y14, 32(R9)(R8*2); \
	STORE Y11, (R9)(R12*1); STORE Y15, 32(R9)(R12*1); \
	LEAQ (R9)(R8*4), R9

#define NEXT(block) \
	ADDQ $64, DI; \
	ADDQ R10, DX; \
	ADDQ $64, R15; \
	DECQ R11; \
	JNZ  block; \
	VZEROUPPER; \
	RET

#define FUSE8 \
block: \
	SUMS(0, 0, first); \
	SUMS(4, 256, second); \
	VALUES(rows, 512); \
	MIRROR4(TURN64, 0, 256); \
	MIRROR4(TURN64, 32, 256); \
	NEXT(block)

#define FUSE16 \
block: \
	SUMS(0, 0, first); \
	SUMS(4, 256, second); \
	SUMS(8, 512, third); \
	SUMS(12, 768, fourth); \
	VALUES(rows, 1024); \
	MIRROR4(TURN32, 0, 512); \
	MIRROR4(TURN32, 16, 512); \
	MIRROR4(TURN32, 32, 512); \
	MIRROR4(TURN32, 48, 512); \
	NEXT(block)

// Four queries, from query first on, with three halves of panels: inner products in Y4..Y15. Twelve sums outlast the
// latency of a multiply-add, which eight do only if no operation is late.
#define PRODUCT(i, a, b, c) \
	BROADCAST (i*ESZ)(BX), Y3; \
	FMA231 Y3, Y0, a; FMA231 Y3, Y1, b; FMA231 Y3, Y2, c

#define PRODUCTS(first, m0, m1, m2, feature) \
	VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7; \
	ZEROY8; \
	FEATURES(first, feature) \
	VMOVUPS m0, Y0; VMOVUPS m1, Y1; VMOVUPS m2, Y2; \
	PRODUCT(0, Y4, Y5, Y6); \
	PRODUCT(1, Y7, Y8, Y9); \
	PRODUCT(2, Y10, Y11, Y12); \
	PRODUCT(3, Y13, Y14, Y15); \
	NEXTFEATURE(feature)

// ‖q‖² + ‖z‖² − 2qᵀz, at least 0, to a place in the tile.
#define DISTANCE(z, acc, off) \
	ADD z(R15), Y2, Y3; \
	ADD acc, acc, acc; \
	SUB acc, Y3, Y3; \
	MAX Y3, Y1, Y3; \
	VMOVUPS Y3, off(R13)

#define DISTANCES(i, z, a, b, c, offa, offb, offc) \
	BROADCAST (i*ESZ)(BX), Y2; \
	DISTANCE(z, a, (offa+64*i)); DISTANCE((z+32), b, (offb+64*i)); DISTANCE((z+64), c, (offc+64*i))

// Distances of four queries, whose rows of the first panel's tile begin at off. The tile of a panel has size bytes.
#define TODISTANCES(first, z, offa, offb, offc) \
	MOVQ qn+64(FP), BX; \
	ADDQ $(first*ESZ), BX; \
	VXORPS Y1, Y1, Y1; \
	DISTANCES(0, z, Y4, Y5, Y6, offa, offb, offc); \
	DISTANCES(1, z, Y7, Y8, Y9, offa, offb, offc); \
	DISTANCES(2, z, Y10, Y11, Y12, offa, offb, offc); \
	DISTANCES(3, z, Y13, Y14, Y15, offa, offb, offc)

#define FOUR(first, off, size, lower, upper) \
	PRODUCTS(first, (AX), 32(AX), (AX)(R10*1), lower); \
	TODISTANCES(first, 0, off, (off+32), (off+size)); \
	ADDQ R10, DX; \
	PRODUCTS(first, 32(AX), (AX)(R10*1), 32(AX)(R10*1), upper); \
	TODISTANCES(first, 96, (off+size+32), (off+2*size), (off+2*size+32)); \
	SUBQ R10, DX

// The next one of the three tiles, of size bytes each, or the next three panels.
#define NEXT3(block, panel, size) \
	ADDQ $64, DI; \
	ADDQ $size, R13; \
	MOVQ tile+88(FP), AX; \
	ADDQ $(3*size), AX; \
	CMPQ R13, AX; \
	JNE  panel; \
	SUBQ $(3*size), R13; \
	ADDQ R10, DX; \
	LEAQ (DX)(R10*2), DX; \
	ADDQ $192, R15; \
	SUBQ $3, R11; \
	JNZ  block; \
	VZEROUPPER; \
	RET

#define FUSE8X3 \
block: \
	FOUR(0, 0, 512, first, second); \
	FOUR(4, 256, 512, third, fourth); \
panel: \
	VALUES(rows, 512); \
	MIRROR4(TURN64, 0, 256); \
	MIRROR4(TURN64, 32, 256); \
	NEXT3(block, panel, 512)

#define FUSE16X3 \
block: \
	FOUR(0, 0, 1024, first, second); \
	FOUR(4, 256, 1024, third, fourth); \
	FOUR(8, 512, 1024, fifth, sixth); \
	FOUR(12, 768, 1024, seventh, eighth); \
panel: \
	VALUES(rows, 1024); \
	MIRROR4(TURN32, 0, 512); \
	MIRROR4(TURN32, 16, 512); \
	MIRROR4(TURN32, 32, 512); \
	MIRROR4(TURN32, 48, 512); \
	NEXT3(block, panel, 1024)

#define ESZ 8
#define BROADCAST VBROADCASTSD
#define STORE VMOVNTPS

// func fuseSquare64AVX2(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	qn, zn *float64, scale float64, tile *float64)
TEXT ·fuseSquare64AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE8

// func fuseExpanded64AVX2(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	qn, zn *float64, scale float64, tile *float64)
TEXT ·fuseExpanded64AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE8X3

#undef STORE
#define STORE VMOVUPS

// func keepExpanded64AVX2(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	qn, zn *float64, scale float64, tile *float64)
TEXT ·keepExpanded64AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE8X3

#include "exp_single_avx2_amd64.h"

#undef ESZ
#undef BROADCAST
#define ESZ 4
#define BROADCAST VBROADCASTSS

// func keepExpanded32AVX2(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
//	qn, zn *float32, scale float32, tile *float32)
TEXT ·keepExpanded32AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE16X3

#undef STORE
#define STORE VMOVNTPS

// func fuseSquare32AVX2(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
//	qn, zn *float32, scale float32, tile *float32)
TEXT ·fuseSquare32AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE16

// func fuseExpanded32AVX2(dst *float32, ld uintptr, mirror, q, x *float32, xs uintptr, k, panels int,
//	qn, zn *float32, scale float32, tile *float32)
TEXT ·fuseExpanded32AVX2(SB), NOSPLIT, $0-96
	ARGS
	MOVQ tile+88(FP), R13
	FUSE16X3
