#include "rows_amd64.h"

// y += Σ_q coef[q]·row_q, for both widths. A pass over y, which stays in the first-level cache, takes four rows, then
// two, then one. The alternative, a block of y in registers with the rows one after the other, is slower: the processor
// prefetches four streams well, but not the start of the next of many rows. The including file defines
//
//	FOUR, ONE(R)             as in rows_amd64.h
//	FMA(R, i, t, c, acc)     acc += c · the elements of R, vector i behind column AX; t is free
//	FIRST(R, c), SECOND(R, c)  the same to V0, V1 for the columns left, by masks
//	MASKS                    splits the number of all columns, R13, into CX and R13, and makes masks
//	LOADY, STOREY            read and write the columns left of y
//
// Registers: DI y, R12 rows left, DX coef, CX columns in full double vectors, R13 columns beyond them, AX current
// column; y in V0 and V1, coefficients in V8..V11.

#define ARGS(rows, step, shift) \
	MOVQ y_base+0(FP), DI; \
	MOVQ y_len+8(FP), R13; \
	MOVQ coef_base+24(FP), DX; \
	MOVQ coef_len+32(FP), R12; \
	MOVQ rows, BX; \
	MOVQ step, R11; \
	SHLQ $shift, R11

// ROWS1, ROWS2 and ROWS4 apply ADD to the current rows, with coefficients in C0...
#define ROWS1(ADD, C0, C1, C2, C3) ADD(SI, C0)
#define ROWS2(ADD, C0, C1, C2, C3) ROWS1(ADD, C0, C1, C2, C3); ADD(R8, C1)
#define ROWS4(ADD, C0, C1, C2, C3) ROWS2(ADD, C0, C1, C2, C3); ADD(R9, C2); ADD(R10, C3)

#define ADD(R, C) FMA(R, 0, V2, C, V0); FMA(R, 1, V3, C, V1)
#define ADDLAST(R, C) FIRST(R, C); SECOND(R, C)

// PASS adds the current rows to y.
#define PASS(loop, tail, next, ROWS) \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail; \
	PCALIGN $64; \
loop: \
	VMOVUPD (DI)(AX*8), V0; \
	VMOVUPD (1*VB)(DI)(AX*8), V1; \
	ROWS(ADD, V8, V9, V10, V11); \
	VMOVUPD V0, (DI)(AX*8); \
	VMOVUPD V1, (1*VB)(DI)(AX*8); \
	ADDQ $(2*VB/8), AX; \
	CMPQ AX, CX; \
	JLT  loop; \
tail: \
	TESTQ R13, R13; \
	JZ   next; \
	LOADY; \
	ROWS(ADDLAST, V8, V9, V10, V11); \
	STOREY; \
next:

#define ADDROWS \
	MASKS; \
	SUBQ $4, R12; \
	JLT  two; \
four: \
	FOUR; \
	VBROADCASTSD (DX), V8; \
	VBROADCASTSD 8(DX), V9; \
	VBROADCASTSD 16(DX), V10; \
	VBROADCASTSD 24(DX), V11; \
	ADDQ $32, DX; \
	PASS(fourloop, fourtail, fournext, ROWS4) \
	SUBQ $4, R12; \
	JGE  four; \
two: \
	TESTQ $2, R12; \
	JZ   one; \
	ONE(SI); \
	ONE(R8); \
	VBROADCASTSD (DX), V8; \
	VBROADCASTSD 8(DX), V9; \
	ADDQ $16, DX; \
	PASS(twoloop, twotail, one, ROWS2) \
	TESTQ $1, R12; \
	JZ   done; \
	ONE(SI); \
	VBROADCASTSD (DX), V8; \
	PASS(oneloop, onetail, done, ROWS1) \
	VZEROUPPER; \
	RET
