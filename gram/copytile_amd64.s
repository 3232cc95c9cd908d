//go:build !purego

#include "textflag.h"
#include "transpose_amd64.h"

// Stores of the transpose of a 96×96 tile, and of rows. Registers: DI dst, R8 bytes between rows of dst, SI tile, R9 bytes
// between rows of the tile, CX and DX counters.

#define ARGS(side) \
	MOVQ dst+0(FP), DI;       \
	MOVQ ld+8(FP), R8;        \
	MOVQ tile+16(FP), SI;     \
	MOVQ rows+24(FP), CX;     \
	MOVBLZX stream+32(FP), AX; \
	MOVQ $side, R9;           \
	TESTL AX, AX

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
// side is the side of a block, and R12 counts the blocks in the rows of the tile.
#define MIRROR(BLOCK, STORE, outer, inner, side, log) \
	MOVQ CX, R12; \
	SHRQ $log, R12; \
	MOVQ $(96/side), CX; \
outer: \
	MOVQ R12, DX; \
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

// func mirrorTile64AVX512(dst *float64, ld uintptr, tile *float64, rows int, stream bool)
TEXT ·mirrorTile64AVX512(SB), NOSPLIT, $0-33
	ARGS(768)
	JNZ stream
	MIRROR(MIRROR8, VMOVUPS, row, block, 8, 3)
	VZEROUPPER
	RET

stream:
	MIRROR(MIRROR8, VMOVNTPS, rowNT, blockNT, 8, 3)
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

// func mirrorTile32AVX512(dst *float32, ld uintptr, tile *float32, rows int, stream bool)
TEXT ·mirrorTile32AVX512(SB), NOSPLIT, $0-33
	ARGS(384)
	JNZ stream
	MIRROR(MIRROR16, VMOVUPS, row, block, 16, 4)
	VZEROUPPER
	RET

stream:
	MIRROR(MIRROR16, VMOVNTPS, rowNT, blockNT, 16, 4)
	VZEROUPPER
	RET

// The same for AVX2: dst is written by whole cache lines, from two registers each.

// JOIN puts 16 bytes of the tile's row at p into the lower half of y, and those of the row at q into the upper half.
#define JOIN(p, q, x, y) VMOVUPS p, x; VINSERTF128 $1, q, y, y

// Transpose half a block for float64: four rows of the tile at BX, four columns, to the registers a, b, c, d. R10 is
// 3·R9 and R11 is 3·R8.
#define HALF64(a, b, c, d) \
	JOIN((BX), (BX)(R9*2), X0, Y0); \
	JOIN((BX)(R9*1), (BX)(R10*1), X1, Y1); \
	JOIN(16(BX), 16(BX)(R9*2), X2, Y2); \
	JOIN(16(BX)(R9*1), 16(BX)(R10*1), X3, Y3); \
	VUNPCKLPD Y1, Y0, a; VUNPCKHPD Y1, Y0, b; \
	VUNPCKLPD Y3, Y2, c; VUNPCKHPD Y3, Y2, d

// The same for float32: eight rows of the tile, those from the fifth on at AX.
#define HALF32(a, b, c, d) \
	JOIN((BX), (AX), X0, Y0); \
	JOIN((BX)(R9*1), (AX)(R9*1), X1, Y1); \
	JOIN((BX)(R9*2), (AX)(R9*2), X2, Y2); \
	JOIN((BX)(R10*1), (AX)(R10*1), X3, Y3); \
	VUNPCKLPS Y1, Y0, Y4; VUNPCKHPS Y1, Y0, Y5; \
	VUNPCKLPS Y3, Y2, Y6; VUNPCKHPS Y3, Y2, Y7; \
	VUNPCKLPD Y6, Y4, a; VUNPCKHPD Y6, Y4, b; \
	VUNPCKLPD Y7, Y5, c; VUNPCKHPD Y7, Y5, d

// Store the halves in Y8..Y11 and Y12..Y15 line by line: few lines wait for their second half.
#define LINES4(STORE) \
	STORE Y8, (DI); STORE Y12, 32(DI); \
	STORE Y9, (DI)(R8*1); STORE Y13, 32(DI)(R8*1); \
	STORE Y10, (DI)(R8*2); STORE Y14, 32(DI)(R8*2); \
	STORE Y11, (DI)(R11*1); STORE Y15, 32(DI)(R11*1)

// Four cache lines of dst: a block of 8×4 or 16×4 elements of the tile.
#define LINES64(STORE) \
	MOVQ SI, BX; \
	HALF64(Y8, Y9, Y10, Y11); \
	LEAQ (BX)(R9*4), BX; \
	HALF64(Y12, Y13, Y14, Y15); \
	LINES4(STORE); \
	LEAQ (BX)(R9*4), SI

#define LINES32(STORE) \
	MOVQ SI, BX; \
	LEAQ (BX)(R9*4), AX; \
	HALF32(Y8, Y9, Y10, Y11); \
	LEAQ (BX)(R9*8), BX; \
	LEAQ (AX)(R9*8), AX; \
	HALF32(Y12, Y13, Y14, Y15); \
	LINES4(STORE); \
	LEAQ (BX)(R9*8), SI

// Four rows of dst after the other, that is four columns of the tile. R12 and R13 hold the begin of both.
#define MIRRORY(LINES, STORE, outer, inner, columns, log) \
	LEAQ (R9)(R9*2), R10; \
	LEAQ (R8)(R8*2), R11; \
	MOVQ CX, R14; \
	SHRQ $log, R14; \
	MOVQ $24, CX; \
outer: \
	MOVQ R14, DX; \
	MOVQ SI, R12; \
	MOVQ DI, R13; \
inner: \
	LINES(STORE); \
	ADDQ $64, DI; \
	DECQ DX; \
	JNZ  inner; \
	LEAQ columns(R12), SI; \
	LEAQ (R13)(R8*4), DI; \
	DECQ CX; \
	JNZ  outer; \
	VZEROUPPER; \
	RET

// func mirrorTile64AVX2(dst *float64, ld uintptr, tile *float64, rows int, stream bool)
TEXT ·mirrorTile64AVX2(SB), NOSPLIT, $0-33
	ARGS(768)
	JNZ stream
	MIRRORY(LINES64, VMOVUPS, row, block, 32, 3)

stream:
	MIRRORY(LINES64, VMOVNTPS, rowNT, blockNT, 32, 3)

// func mirrorTile32AVX2(dst *float32, ld uintptr, tile *float32, rows int, stream bool)
TEXT ·mirrorTile32AVX2(SB), NOSPLIT, $0-33
	ARGS(384)
	JNZ stream
	MIRRORY(LINES32, VMOVUPS, row, block, 16, 4)

stream:
	MIRRORY(LINES32, VMOVNTPS, rowNT, blockNT, 16, 4)

// PART copies n bytes at R12 if AX has this bit.
#define PART(n, MOVE, r, next) \
	TESTL $n, AX; \
	JZ   next; \
	MOVE (SI)(R12*1), r; \
	MOVE r, (DI)(R12*1); \
	ADDQ $n, R12; \
next:

// func streamRowsAVX2(dst unsafe.Pointer, ld uintptr, src unsafe.Pointer, pitch, width uintptr, rows int)
//
// R12 counts the bytes of a row, and DX its lines. The ends of rows to come are on their way already: a store that
// misses the caches holds up those after it.
TEXT ·streamRowsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ ld+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ pitch+24(FP), R9
	MOVQ width+32(FP), R10
	MOVQ rows+40(FP), CX

row:
	LEAQ (DI)(R8*8), BX
	PREFETCHT0 (BX)
	PREFETCHT0 -4(BX)(R10*1)
	XORL R12, R12
	MOVQ DI, AX
	NEGQ AX
	ANDL $63, AX
	MOVQ R10, DX
	SUBQ AX, DX
	PART(4, MOVL, R13, from8)
	PART(8, MOVQ, R13, from16)
	PART(16, VMOVUPS, X0, from32)
	PART(32, VMOVUPS, Y0, lines)
	SHRQ $6, DX
	JZ   tail

line:
	VMOVUPS (SI)(R12*1), Y0
	VMOVUPS 32(SI)(R12*1), Y1
	VMOVNTPS Y0, (DI)(R12*1)
	VMOVNTPS Y1, 32(DI)(R12*1)
	ADDQ $64, R12
	DECQ DX
	JNZ  line

tail:
	MOVQ R10, AX
	SUBQ R12, AX
	PART(32, VMOVUPS, Y0, to16)
	PART(16, VMOVUPS, X0, to8)
	PART(8, MOVQ, R13, to4)
	PART(4, MOVL, R13, next)
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func storeFenceAVX2()
TEXT ·storeFenceAVX2(SB), NOSPLIT, $0-0
	SFENCE
	RET
