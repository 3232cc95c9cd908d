//go:build !purego

#include "textflag.h"
#include "transpose_amd64.h"

// Stores of a 96×96 tile and of its transpose. Registers: DI dst, R8 bytes between rows of dst, SI tile, R9 bytes
// between rows of the tile, CX and DX counters.

#define ARGS(side) \
	MOVQ dst+0(FP), DI;       \
	MOVQ ld+8(FP), R8;        \
	MOVQ tile+16(FP), SI;     \
	MOVBLZX stream+24(FP), AX; \
	MOVQ $side, R9;           \
	TESTL AX, AX

// Two cache lines of a row.
#define LINE2(STORE, off) \
	VMOVUPS off(SI), Z0; VMOVUPS (off+64)(SI), Z1; \
	STORE Z0, off(DI); STORE Z1, (off+64)(DI)

// COPY copies the rows of the tile, each of which ROW copies.
#define COPY(ROW, STORE, loop) \
loop: \
	ROW(STORE); \
	ADDQ R9, SI; \
	ADDQ R8, DI; \
	DECQ CX; \
	JNZ  loop; \
	VZEROUPPER; \
	RET

#define ROW32(STORE) LINE2(STORE, 0); LINE2(STORE, 128); LINE2(STORE, 256)
#define ROW64(STORE) ROW32(STORE); LINE2(STORE, 384); LINE2(STORE, 512); LINE2(STORE, 640)

// func copyTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)
TEXT ·copyTile64AVX512(SB), NOSPLIT, $0-25
	ARGS(768)
	MOVQ $96, CX
	JNZ  stream
	COPY(ROW64, VMOVUPS, cached)
	COPY(ROW64, VMOVNTPS, stream)

// func copyTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)
TEXT ·copyTile32AVX512(SB), NOSPLIT, $0-25
	ARGS(384)
	MOVQ $96, CX
	JNZ  stream
	COPY(ROW32, VMOVUPS, cached)
	COPY(ROW32, VMOVNTPS, stream)

// LOADROW loads the next row of the tile's block at AX.
#define LOADROW(z) VMOVUPS (AX), z; ADDQ R9, AX

// STOREROW stores the next row of the matrix at BX.
#define STOREROW(STORE, z) STORE z, (BX); ADDQ R8, BX

// Transpose an 8×8 block: first pair up elements of two rows, then put the pairs in order.
#define MIRROR8(STORE) \
	MOVQ SI, AX; \
	LOADROW(Z0); LOADROW(Z1); LOADROW(Z2); LOADROW(Z3); \
	LOADROW(Z4); LOADROW(Z5); LOADROW(Z6); LOADROW(Z7); \
	VUNPCKLPD Z1, Z0, Z8;  VUNPCKHPD Z1, Z0, Z9; \
	VUNPCKLPD Z3, Z2, Z10; VUNPCKHPD Z3, Z2, Z11; \
	VUNPCKLPD Z5, Z4, Z12; VUNPCKHPD Z5, Z4, Z13; \
	VUNPCKLPD Z7, Z6, Z14; VUNPCKHPD Z7, Z6, Z15; \
	BLOCKS4(Z8, Z10, Z12, Z14, Z0, Z1, Z2, Z3); \
	BLOCKS4(Z9, Z11, Z13, Z15, Z4, Z5, Z6, Z7); \
	MOVQ DI, BX; \
	STOREROW(STORE, Z8); STOREROW(STORE, Z9); STOREROW(STORE, Z10); STOREROW(STORE, Z11); \
	STOREROW(STORE, Z12); STOREROW(STORE, Z13); STOREROW(STORE, Z14); STOREROW(STORE, Z15)

// Write one row of blocks of dst (a column of the tile) after the other. CX and DX count rows of blocks and blocks;
// side is the side of a block.
#define MIRROR(BLOCK, STORE, outer, inner, side, blocks) \
	MOVQ $blocks, CX; \
outer: \
	MOVQ $blocks, DX; \
	MOVQ SI, R10; \
	MOVQ DI, R11; \
inner: \
	BLOCK(STORE); \
	MOVQ AX, SI; \
	ADDQ $64, DI; \
	DECQ DX; \
	JNZ  inner; \
	LEAQ 64(R10), SI; \
	MOVQ R8, DI; \
	IMULQ $side, DI; \
	ADDQ R11, DI; \
	DECQ CX; \
	JNZ  outer

// func mirrorTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)
TEXT ·mirrorTile64AVX512(SB), NOSPLIT, $0-25
	ARGS(768)
	JNZ stream
	MIRROR(MIRROR8, VMOVUPS, row, block, 8, 12)
	VZEROUPPER
	RET

stream:
	MIRROR(MIRROR8, VMOVNTPS, rowNT, blockNT, 8, 12)
	VZEROUPPER
	RET

// Transpose a 16×16 block.
#define MIRROR16(STORE) \
	MOVQ SI, AX; \
	LOADROW(Z0); LOADROW(Z1); LOADROW(Z2); LOADROW(Z3); \
	LOADROW(Z4); LOADROW(Z5); LOADROW(Z6); LOADROW(Z7); \
	LOADROW(Z8); LOADROW(Z9); LOADROW(Z10); LOADROW(Z11); \
	LOADROW(Z12); LOADROW(Z13); LOADROW(Z14); LOADROW(Z15); \
	ELEMENTS4(Z0, Z1, Z2, Z3, Z16, Z17, Z18, Z19); \
	ELEMENTS4(Z4, Z5, Z6, Z7, Z20, Z21, Z22, Z23); \
	ELEMENTS4(Z8, Z9, Z10, Z11, Z24, Z25, Z26, Z27); \
	ELEMENTS4(Z12, Z13, Z14, Z15, Z28, Z29, Z30, Z31); \
	BLOCKS4(Z0, Z4, Z8, Z12, Z16, Z17, Z18, Z19); \
	BLOCKS4(Z1, Z5, Z9, Z13, Z20, Z21, Z22, Z23); \
	BLOCKS4(Z2, Z6, Z10, Z14, Z24, Z25, Z26, Z27); \
	BLOCKS4(Z3, Z7, Z11, Z15, Z28, Z29, Z30, Z31); \
	MOVQ DI, BX; \
	STOREROW(STORE, Z0); STOREROW(STORE, Z1); STOREROW(STORE, Z2); STOREROW(STORE, Z3); \
	STOREROW(STORE, Z4); STOREROW(STORE, Z5); STOREROW(STORE, Z6); STOREROW(STORE, Z7); \
	STOREROW(STORE, Z8); STOREROW(STORE, Z9); STOREROW(STORE, Z10); STOREROW(STORE, Z11); \
	STOREROW(STORE, Z12); STOREROW(STORE, Z13); STOREROW(STORE, Z14); STOREROW(STORE, Z15)

// func mirrorTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)
TEXT ·mirrorTile32AVX512(SB), NOSPLIT, $0-25
	ARGS(384)
	JNZ stream
	MIRROR(MIRROR16, VMOVUPS, row, block, 16, 6)
	VZEROUPPER
	RET

stream:
	MIRROR(MIRROR16, VMOVNTPS, rowNT, blockNT, 16, 6)
	VZEROUPPER
	RET

// func storeFenceAVX512()
TEXT ·storeFenceAVX512(SB), NOSPLIT, $0-0
	SFENCE
	RET
