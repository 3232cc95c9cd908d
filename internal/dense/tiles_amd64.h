#include "sums_amd64.h"

// Products of few rows, for both widths. A tile has eight sums in registers, because two multiply-add units with a
// latency of four cycles need eight independent operations.

#define FMAS8 \
	VFMADD231PD V8, V10, V0; \
	VFMADD231PD V9, V10, V4; \
	VFMADD231PD V8, V11, V1; \
	VFMADD231PD V9, V11, V5; \
	VFMADD231PD V8, V12, V2; \
	VFMADD231PD V9, V12, V6; \
	VFMADD231PD V8, V13, V3; \
	VFMADD231PD V9, V13, V7

// mulRows4. Registers: DI c, R8 its rows' distance; SI q, R9 and R14 once and three times its rows' distance; DX a, R10
// its rows' distance; AX byte of the running columns, BX bytes of all columns; R11, R12, R13 running a, q, rows left.

#define ROWARGS \
	MOVQ c_base+0(FP), DI; \
	MOVQ ldc+24(FP), R8; \
	SHLQ $3, R8; \
	MOVQ start_base+32(FP), CX; \
	MOVQ q_base+56(FP), SI; \
	MOVQ ldq+80(FP), R9; \
	SHLQ $3, R9; \
	LEAQ (R9)(R9*2), R14; \
	MOVQ a_base+88(FP), DX; \
	MOVQ lda+112(FP), R10; \
	SHLQ $3, R10; \
	MOVQ n+128(FP), BX; \
	SHLQ $3, BX; \
	XORQ AX, AX

#define LOAD4(mem0, mem1, mem2, mem3, a, b, c, d) \
	VBROADCASTSD mem0, a; \
	VBROADCASTSD mem1, b; \
	VBROADCASTSD mem2, c; \
	VBROADCASTSD mem3, d

#define START LOAD4((CX), 8(CX), 16(CX), 24(CX), V0, V1, V2, V3)
#define LOADQ LOAD4((R12), (R12)(R9*1), (R12)(R9*2), (R12)(R14*1), V10, V11, V12, V13)

#define FIRSTROW \
	LEAQ (DX)(AX*1), R11; \
	MOVQ SI, R12; \
	MOVQ k+120(FP), R13

#define NEXTROW(rows) \
	ADDQ R10, R11; \
	ADDQ $8, R12; \
	DECQ R13; \
	JNZ  rows

#define STORE2(a, b) \
	VMOVUPD a, (R11); \
	VMOVUPD b, (1*VB)(R11)

#define COLUMNS \
	START; \
	VMOVAPD V0, V4; \
	VMOVAPD V1, V5; \
	VMOVAPD V2, V6; \
	VMOVAPD V3, V7; \
	FIRSTROW; \
	PCALIGN $32; \
rows: \
	VMOVUPD (R11), V8; \
	VMOVUPD (1*VB)(R11), V9; \
	LOADQ; \
	FMAS8; \
	NEXTROW(rows); \
	LEAQ (DI)(AX*1), R11; \
	STORE2(V0, V4); \
	ADDQ R8, R11; \
	STORE2(V1, V5); \
	ADDQ R8, R11; \
	STORE2(V2, V6); \
	ADDQ R8, R11; \
	STORE2(V3, V7); \
	ADDQ $(2*VB), AX

// addDots42. Registers: SI, R8, R9, R10 the rows of a; DX, CX those of x; AX the running byte, BX bytes of all columns.

#define DOTARGS \
	MOVQ a_base+32(FP), SI; \
	MOVQ lda+56(FP), R11; \
	LEAQ (SI)(R11*8), R8; \
	LEAQ (R8)(R11*8), R9; \
	LEAQ (R9)(R11*8), R10; \
	MOVQ x_base+64(FP), DX; \
	MOVQ ldx+88(FP), R11; \
	LEAQ (DX)(R11*8), CX; \
	MOVQ n+96(FP), BX; \
	SHLQ $3, BX; \
	XORQ AX, AX; \
	ZERO(V0); ZERO(V1); ZERO(V2); ZERO(V3); \
	ZERO(V4); ZERO(V5); ZERO(V6); ZERO(V7)

#define DOTS \
	VMOVUPD (DX)(AX*1), V8; \
	VMOVUPD (CX)(AX*1), V9; \
	VMOVUPD (SI)(AX*1), V10; \
	VMOVUPD (R8)(AX*1), V11; \
	VMOVUPD (R9)(AX*1), V12; \
	VMOVUPD (R10)(AX*1), V13; \
	FMAS8; \
	ADDQ $VB, AX

#define OUT(a, b, c, d) \
	SUMS4(a, b, c, d); \
	VADDPD  (R13), a, a; \
	VMOVUPD a, (R13)

#define OUT2 \
	MOVQ dst_base+0(FP), R13; \
	OUT(Y0, Y1, Y2, Y3); \
	MOVQ ldd+24(FP), R11; \
	LEAQ (R13)(R11*8), R13; \
	OUT(Y4, Y5, Y6, Y7); \
	VZEROUPPER; \
	RET

// scale.

#define SCALEARGS \
	MOVQ y_base+0(FP), DI; \
	MOVQ x_base+24(FP), SI; \
	MOVQ x_len+32(FP), BX; \
	XORQ AX, AX

#define SCALE2 \
	VMOVUPD (DI)(AX*8), V0; \
	VMOVUPD (1*VB)(DI)(AX*8), V1; \
	VMULPD (SI)(AX*8), V0, V0; \
	VMULPD (1*VB)(SI)(AX*8), V1, V1; \
	VMOVUPD V0, (DI)(AX*8); \
	VMOVUPD V1, (1*VB)(DI)(AX*8); \
	ADDQ $(2*VB/8), AX
