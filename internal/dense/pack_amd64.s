//go:build !purego

#include "textflag.h"

// Rows are read as many bytes apart as a caller's matrix has them: each is in a page of its own, which no processor
// foresees. So the row eight further is fetched with the one that is copied.
//
// Registers: SI row, R8 bytes to the next, R13 to the one that is fetched; DI its place in the first panel, R12 bytes
// from the end of a row in a panel to its place in the next; R9 rows left, R10 panels, R11 bytes of a panel's row; DX
// running place, AX running byte of the row, CX panels left, BX bytes left.

#define ARGUMENTS \
	MOVQ dst_base+0(FP), DI; \
	MOVQ src_base+24(FP), SI; \
	MOVQ pos+48(FP), AX; \
	LEAQ (SI)(AX*8), SI; \
	MOVQ ld+56(FP), R8; \
	SHLQ $3, R8; \
	MOVQ rows+64(FP), R9; \
	MOVQ panels+72(FP), R10; \
	MOVQ lanes+80(FP), R11; \
	SHLQ $3, R11; \
	MOVQ panel+88(FP), R12; \
	SHLQ $3, R12; \
	SUBQ R11, R12; \
	LEAQ (SI)(R8*8), R13

#define PACK(BYTES, T) \
row: \
	MOVQ DI, DX; \
	XORQ AX, AX; \
	MOVQ R10, CX; \
panel: \
	MOVQ R11, BX; \
vector: \
	PREFETCHT0 (R13)(AX*1); \
	VMOVUPD (SI)(AX*1), T; \
	VMOVUPD T, (DX); \
	ADDQ $BYTES, AX; \
	ADDQ $BYTES, DX; \
	SUBQ $BYTES, BX; \
	JNZ  vector; \
	ADDQ R12, DX; \
	DECQ CX; \
	JNZ  panel; \
	ADDQ R8, SI; \
	ADDQ R8, R13; \
	ADDQ R11, DI; \
	DECQ R9; \
	JNZ  row; \
	VZEROUPPER; \
	RET

// func packRowsAVX2(dst, src []float64, at, ld, rows, panels, lanes, panel int)
TEXT ·packRowsAVX2(SB), NOSPLIT, $0-96
	ARGUMENTS
	PACK(32, Y0)

// func packRowsAVX512(dst, src []float64, at, ld, rows, panels, lanes, panel int)
TEXT ·packRowsAVX512(SB), NOSPLIT, $0-96
	ARGUMENTS
	PACK(64, Z0)
