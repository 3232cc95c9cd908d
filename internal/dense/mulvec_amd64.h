#include "rows_amd64.h"
#include "sums_amd64.h"

// dst[i] += row_i·x, four rows at a time and the rest one by one, for both widths. The order of a row's sum is the same
// in both cases: two accumulators for the even and the odd vectors of columns, then masked vectors for the remaining
// columns. The final sum adds even and odd, the upper half to the lower half, neighbours, and the two pairs. The
// including file defines
//
//	FOUR, ONE(R)       as in rows_amd64.h
//	MASKS              splits the number of all columns, R13, into CX and R13, and makes masks
//	TAIL4, TAIL1       add the remaining columns to the sums; they may end at the labels sum and onesum
//	FOLD4, FOLD1       add the upper halves of the sums in V0.. to the lower halves
//
// Registers: DI dst, R12 rows left, DX x, AX current byte, CX bytes of the columns in full double vectors, R13
// columns beyond them, R14 whether dst is added to; and the registers of rows_amd64.h.

#define STRIDEDARGS \
	MOVQ dst_base+0(FP), DI; \
	MOVQ dst_len+8(FP), R12; \
	MOVQ a_base+24(FP), BX; \
	MOVQ ld+48(FP), R11; \
	SHLQ $3, R11; \
	MOVQ x_base+56(FP), DX; \
	MOVQ x_len+64(FP), R13; \
	MOVBLZX add+80(FP), R14

#define GATHEREDARGS \
	MOVQ dst_base+0(FP), DI; \
	MOVQ dst_len+8(FP), R12; \
	MOVQ rows_base+24(FP), BX; \
	MOVQ at+48(FP), R11; \
	SHLQ $3, R11; \
	MOVQ x_base+56(FP), DX; \
	MOVQ x_len+64(FP), R13; \
	MOVL $1, R14

#define MULVEC \
	MASKS; \
	CMPQ R12, $4; \
	JL   rest; \
four: \
	FOUR; \
	ZERO(V0); ZERO(V1); ZERO(V2); ZERO(V3); \
	ZERO(V4); ZERO(V5); ZERO(V6); ZERO(V7); \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail; \
	PCALIGN $64; \
loop: \
	VMOVUPD (DX)(AX*1), V8; \
	VMOVUPD (1*VB)(DX)(AX*1), V9; \
	VFMADD231PD (SI)(AX*1), V8, V0; \
	VFMADD231PD (R8)(AX*1), V8, V1; \
	VFMADD231PD (R9)(AX*1), V8, V2; \
	VFMADD231PD (R10)(AX*1), V8, V3; \
	VFMADD231PD (1*VB)(SI)(AX*1), V9, V4; \
	VFMADD231PD (1*VB)(R8)(AX*1), V9, V5; \
	VFMADD231PD (1*VB)(R9)(AX*1), V9, V6; \
	VFMADD231PD (1*VB)(R10)(AX*1), V9, V7; \
	ADDQ $(2*VB), AX; \
	CMPQ AX, CX; \
	JLT  loop; \
tail: \
	TESTQ R13, R13; \
	JZ   sum; \
	TAIL4; \
sum: \
	VADDPD V4, V0, V0; \
	VADDPD V5, V1, V1; \
	VADDPD V6, V2, V2; \
	VADDPD V7, V3, V3; \
	FOLD4; \
	SUMS4(Y0, Y1, Y2, Y3); \
	TESTQ R14, R14; \
	JZ   set; \
	VADDPD (DI), Y0, Y0; \
set: \
	VMOVUPD Y0, (DI); \
	ADDQ $32, DI; \
	SUBQ $4, R12; \
	CMPQ R12, $4; \
	JGE  four; \
rest: \
	TESTQ R12, R12; \
	JZ   done; \
	ONE(SI); \
	ZERO(V0); ZERO(V4); \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  onetail; \
	PCALIGN $64; \
oneloop: \
	VMOVUPD (DX)(AX*1), V8; \
	VMOVUPD (1*VB)(DX)(AX*1), V9; \
	VFMADD231PD (SI)(AX*1), V8, V0; \
	VFMADD231PD (1*VB)(SI)(AX*1), V9, V4; \
	ADDQ $(2*VB), AX; \
	CMPQ AX, CX; \
	JLT  oneloop; \
onetail: \
	TESTQ R13, R13; \
	JZ   onesum; \
	TAIL1; \
onesum: \
	VADDPD V4, V0, V0; \
	FOLD1; \
	VHADDPD Y0, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDSD X1, X0, X0; \
	TESTQ R14, R14; \
	JZ   oneset; \
	VADDSD (DI), X0, X0; \
oneset: \
	VMOVSD X0, (DI); \
	ADDQ $8, DI; \
	DECQ R12; \
	JMP  rest; \
done: \
	VZEROUPPER; \
	RET
