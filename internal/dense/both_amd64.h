#include "sums_amd64.h"

// One pass computes the products of four rows of a matrix with x, and adds multiples of the rows to y, for both widths.
//
// Registers: SI, R8, R9, R10 the four rows, DX x, DI y, CX columns left; sums of the rows 0..3 in V0..V3, the
// factors in V8..V11, x in V12, y in V14.

#define NEXT(BYTES) \
	ADDQ $BYTES, SI; \
	ADDQ $BYTES, R8; \
	ADDQ $BYTES, R9; \
	ADDQ $BYTES, R10; \
	ADDQ $BYTES, DX; \
	ADDQ $BYTES, DI

// FMAS uses the row vector T for both operations.
#define FMAS(T, SUM, C) \
	VFMADD231PD T, V12, SUM; \
	VFMADD231PD T, C, V14

#define FMAS4 FMAS(V4, V0, V8); FMAS(V5, V1, V9); FMAS(V6, V2, V10); FMAS(V7, V3, V11)

// BOTH goes on with LAST where fewer columns than a vector has elements are left, and at the label sums.
#define BOTH(DST) \
	MOVQ dst_base+0(FP), DST; \
	MOVQ coef_base+24(FP), BX; \
	MOVQ a_base+48(FP), SI; \
	MOVQ ld+72(FP), R8; \
	MOVQ x_base+80(FP), DX; \
	MOVQ x_len+88(FP), CX; \
	MOVQ y_base+104(FP), DI; \
	SHLQ $3, R8; \
	LEAQ (SI)(R8*2), R9; \
	LEAQ (R9)(R8*1), R10; \
	ADDQ SI, R8; \
	ZERO(V0); ZERO(V1); ZERO(V2); ZERO(V3); \
	VBROADCASTSD (BX), V8; \
	VBROADCASTSD 8(BX), V9; \
	VBROADCASTSD 16(BX), V10; \
	VBROADCASTSD 24(BX), V11; \
	SUBQ $(VB/8), CX; \
	JLT  tail; \
	PCALIGN $64; \
loop: \
	VMOVUPD (DX), V12; \
	VMOVUPD (DI), V14; \
	VMOVUPD (SI), V4; \
	VMOVUPD (R8), V5; \
	VMOVUPD (R9), V6; \
	VMOVUPD (R10), V7; \
	FMAS4; \
	VMOVUPD V14, (DI); \
	NEXT(VB); \
	SUBQ $(VB/8), CX; \
	JGE  loop; \
tail: \
	ADDQ $(VB/8), CX; \
	JZ   sums; \
	LAST; \
sums:

// OUT adds the sums of the lanes to *AX.
#define OUT \
	SUMS4(Y0, Y1, Y2, Y3); \
	VADDPD  (AX), Y0, Y0; \
	VMOVUPD Y0, (AX); \
	VZEROUPPER; \
	RET
