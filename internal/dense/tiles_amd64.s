//go:build !purego

#include "textflag.h"

// Products of few rows. A tile has eight sums in registers, because two multiply-add units with a latency of four
// cycles need eight independent operations.

// func mulRows4AVX2(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k int)
//
// Registers: DI c, R8 its rows' distance; SI q, R9 and R14 once and three times its rows' distance; DX a, R10 its
// rows' distance; AX byte of the running columns, BX that of the end; R11, R12, R13 running a, q, rows left.
TEXT ·mulRows4AVX2(SB), NOSPLIT, $0-136
	MOVQ c_base+0(FP), DI
	MOVQ ldc+24(FP), R8
	SHLQ $3, R8
	MOVQ start_base+32(FP), CX
	MOVQ q_base+56(FP), SI
	MOVQ ldq+80(FP), R9
	SHLQ $3, R9
	LEAQ (R9)(R9*2), R14
	MOVQ a_base+88(FP), DX
	MOVQ lda+112(FP), R10
	SHLQ $3, R10
	MOVQ n+128(FP), BX
	SHLQ $3, BX
	XORQ AX, AX
columns:
	VBROADCASTSD (CX), Y0
	VBROADCASTSD 8(CX), Y1
	VBROADCASTSD 16(CX), Y2
	VBROADCASTSD 24(CX), Y3
	VMOVAPD Y0, Y4
	VMOVAPD Y1, Y5
	VMOVAPD Y2, Y6
	VMOVAPD Y3, Y7
	LEAQ (DX)(AX*1), R11
	MOVQ SI, R12
	MOVQ k+120(FP), R13
	PCALIGN $32
rows:
	VMOVUPD (R11), Y8
	VMOVUPD 32(R11), Y9
	VBROADCASTSD (R12), Y10
	VBROADCASTSD (R12)(R9*1), Y11
	VBROADCASTSD (R12)(R9*2), Y12
	VBROADCASTSD (R12)(R14*1), Y13
	VFMADD231PD Y8, Y10, Y0
	VFMADD231PD Y9, Y10, Y4
	VFMADD231PD Y8, Y11, Y1
	VFMADD231PD Y9, Y11, Y5
	VFMADD231PD Y8, Y12, Y2
	VFMADD231PD Y9, Y12, Y6
	VFMADD231PD Y8, Y13, Y3
	VFMADD231PD Y9, Y13, Y7
	ADDQ R10, R11
	ADDQ $8, R12
	DECQ R13
	JNZ  rows
	LEAQ (DI)(AX*1), R11
	VMOVUPD Y0, (R11)
	VMOVUPD Y4, 32(R11)
	ADDQ R8, R11
	VMOVUPD Y1, (R11)
	VMOVUPD Y5, 32(R11)
	ADDQ R8, R11
	VMOVUPD Y2, (R11)
	VMOVUPD Y6, 32(R11)
	ADDQ R8, R11
	VMOVUPD Y3, (R11)
	VMOVUPD Y7, 32(R11)
	ADDQ $64, AX
	CMPQ AX, BX
	JLT  columns
	VZEROUPPER
	RET

// SUMS writes the sums of the lanes of four registers to R13.
#define SUMS(A, B, C, D) \
	VHADDPD B, A, A; /* a0+a1  b0+b1  a2+a3  b2+b3 */ \
	VHADDPD D, C, C; /* c0+c1  d0+d1  c2+c3  d2+d3 */ \
	VPERM2F128 $0x21, C, A, B; /* a2+a3  b2+b3  c0+c1  d0+d1 */ \
	VBLENDPD $12, C, A, A; /* a0+a1  b0+b1  c2+c3  d2+d3 */ \
	VADDPD  B, A, A; \
	VADDPD  (R13), A, A; \
	VMOVUPD A, (R13)

// func addDots42AVX2(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
//
// Registers: SI, R8, R9, R10 the rows of a; DX, CX those of x; AX the running byte, BX the last.
TEXT ·addDots42AVX2(SB), NOSPLIT, $0-104
	MOVQ a_base+32(FP), SI
	MOVQ lda+56(FP), R11
	LEAQ (SI)(R11*8), R8
	LEAQ (R8)(R11*8), R9
	LEAQ (R9)(R11*8), R10
	MOVQ x_base+64(FP), DX
	MOVQ ldx+88(FP), R11
	LEAQ (DX)(R11*8), CX
	MOVQ n+96(FP), BX
	SHLQ $3, BX
	XORQ AX, AX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	PCALIGN $32
loop:
	VMOVUPD (DX)(AX*1), Y8
	VMOVUPD (CX)(AX*1), Y9
	VMOVUPD (SI)(AX*1), Y10
	VMOVUPD (R8)(AX*1), Y11
	VMOVUPD (R9)(AX*1), Y12
	VMOVUPD (R10)(AX*1), Y13
	VFMADD231PD Y8, Y10, Y0
	VFMADD231PD Y9, Y10, Y4
	VFMADD231PD Y8, Y11, Y1
	VFMADD231PD Y9, Y11, Y5
	VFMADD231PD Y8, Y12, Y2
	VFMADD231PD Y9, Y12, Y6
	VFMADD231PD Y8, Y13, Y3
	VFMADD231PD Y9, Y13, Y7
	ADDQ $32, AX
	CMPQ AX, BX
	JLT  loop
	MOVQ dst_base+0(FP), R13
	SUMS(Y0, Y1, Y2, Y3)
	MOVQ ldd+24(FP), R11
	LEAQ (R13)(R11*8), R13
	SUMS(Y4, Y5, Y6, Y7)
	VZEROUPPER
	RET

// func scaleAVX2(y, x []float64)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-48
	MOVQ y_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), BX
	XORQ AX, AX
	PCALIGN $32
loop:
	VMOVUPD (DI)(AX*8), Y0
	VMOVUPD 32(DI)(AX*8), Y1
	VMULPD (SI)(AX*8), Y0, Y0
	VMULPD 32(SI)(AX*8), Y1, Y1
	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD Y1, 32(DI)(AX*8)
	ADDQ $8, AX
	CMPQ AX, BX
	JLT  loop
	VZEROUPPER
	RET
