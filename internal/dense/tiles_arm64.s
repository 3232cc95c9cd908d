//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// FMAS adds the row in V16..V19, times the first element of q, to four vectors of sums.
#define FMAS(q, c0, c1, c2, c3) \
	FMLA2DLANE0(q, 16, c0); \
	FMLA2DLANE0(q, 17, c1); \
	FMLA2DLANE0(q, 18, c2); \
	FMLA2DLANE0(q, 19, c3)

// BEGIN4 sets a row of sums to the next start.
#define BEGIN4(c0, c1, c2, c3) \
	VLD1R.P 8(R6), [c0.D2]; \
	VMOV c0.B16, c1.B16; \
	VMOV c0.B16, c2.B16; \
	VMOV c0.B16, c3.B16

// func mulRows4NEON(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)
//
// Registers: R0 c, R1 bytes between its rows; R2 start; R3 q, R4 bytes between its rows; R5 a, R7 bytes between its
// rows; R8 columns left; R6 running start or row of c, R9..R12 running rows of q, R13 running a, R14 rows left.
TEXT ·mulRows4NEON(SB), NOSPLIT, $0-136
	MOVD c_base+0(FP), R0
	MOVD ldc+24(FP), R1
	LSL  $3, R1
	MOVD start_base+32(FP), R2
	MOVD q_base+56(FP), R3
	MOVD ldq+80(FP), R4
	LSL  $3, R4
	MOVD a_base+88(FP), R5
	MOVD lda+112(FP), R7
	LSL  $3, R7
	MOVD n+128(FP), R8

columns:
	MOVD R2, R6
	BEGIN4(V0, V1, V2, V3)
	BEGIN4(V4, V5, V6, V7)
	BEGIN4(V8, V9, V10, V11)
	BEGIN4(V12, V13, V14, V15)
	MOVD R3, R9
	ADD  R4, R9, R10
	ADD  R4, R10, R11
	ADD  R4, R11, R12
	MOVD R5, R13
	MOVD k+120(FP), R14

rows:
	VLD1 (R13), [V16.D2, V17.D2, V18.D2, V19.D2]
	FMOVD.P 8(R9), F20
	FMOVD.P 8(R10), F21
	FMOVD.P 8(R11), F22
	FMOVD.P 8(R12), F23
	FMAS(20, 0, 1, 2, 3)
	FMAS(21, 4, 5, 6, 7)
	FMAS(22, 8, 9, 10, 11)
	FMAS(23, 12, 13, 14, 15)
	ADD  R7, R13
	SUBS $1, R14
	BNE  rows
	MOVD R0, R6
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R6)
	ADD  R1, R6
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R6)
	ADD  R1, R6
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R6)
	ADD  R1, R6
	VST1 [V12.D2, V13.D2, V14.D2, V15.D2], (R6)
	ADD  $64, R0
	ADD  $64, R5
	SUBS $8, R8
	BNE  columns
	RET

// SUMS adds up the lanes of eight registers, two for each row of a, and adds the results to four elements at R0.
#define SUMS(a0, a1, b0, b1, c0, c1, d0, d1) \
	FADD2D(a1, a0, a0); \
	FADD2D(b1, b0, b0); \
	FADD2D(c1, c0, c0); \
	FADD2D(d1, d0, d0); \
	FADDP2D(b0, a0, a0); \
	FADDP2D(d0, c0, c0); \
	VLD1 (R0), [V28.D2, V29.D2]; \
	FADD2D(28, a0, 28); \
	FADD2D(29, c0, 29); \
	VST1 [V28.D2, V29.D2], (R0)

// func addDots42NEON(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
//
// Registers: R2, R8, R9, R10 the rows of a in V16..V23; R3, R4 those of x in V24..V27; R5 columns left.
TEXT ·addDots42NEON(SB), NOSPLIT, $0-104
	MOVD a_base+32(FP), R2
	MOVD lda+56(FP), R6
	LSL  $3, R6
	ADD  R6, R2, R8
	ADD  R6, R8, R9
	ADD  R6, R9, R10
	MOVD x_base+64(FP), R3
	MOVD ldx+88(FP), R6
	ADD  R6<<3, R3, R4
	MOVD n+96(FP), R5
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)

loop:
	VLD1.P 32(R3), [V24.D2, V25.D2]
	VLD1.P 32(R4), [V26.D2, V27.D2]
	VLD1.P 32(R2), [V16.D2, V17.D2]
	VLD1.P 32(R8), [V18.D2, V19.D2]
	VLD1.P 32(R9), [V20.D2, V21.D2]
	VLD1.P 32(R10), [V22.D2, V23.D2]
	VFMLA V16.D2, V24.D2, V0.D2
	VFMLA V17.D2, V25.D2, V1.D2
	VFMLA V18.D2, V24.D2, V2.D2
	VFMLA V19.D2, V25.D2, V3.D2
	VFMLA V20.D2, V24.D2, V4.D2
	VFMLA V21.D2, V25.D2, V5.D2
	VFMLA V22.D2, V24.D2, V6.D2
	VFMLA V23.D2, V25.D2, V7.D2
	VFMLA V16.D2, V26.D2, V8.D2
	VFMLA V17.D2, V27.D2, V9.D2
	VFMLA V18.D2, V26.D2, V10.D2
	VFMLA V19.D2, V27.D2, V11.D2
	VFMLA V20.D2, V26.D2, V12.D2
	VFMLA V21.D2, V27.D2, V13.D2
	VFMLA V22.D2, V26.D2, V14.D2
	VFMLA V23.D2, V27.D2, V15.D2
	SUBS $4, R5
	BNE  loop

	MOVD dst_base+0(FP), R0
	MOVD ldd+24(FP), R6
	SUMS(0, 1, 2, 3, 4, 5, 6, 7)
	ADD  R6<<3, R0
	SUMS(8, 9, 10, 11, 12, 13, 14, 15)
	RET

// func scaleNEON(y, x []float64)
TEXT ·scaleNEON(SB), NOSPLIT, $0-48
	MOVD y_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD x_len+32(FP), R2

loop:
	VLD1 (R0), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]
	FMUL2D(4, 0, 0)
	FMUL2D(5, 1, 1)
	FMUL2D(6, 2, 2)
	FMUL2D(7, 3, 3)
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	SUBS $8, R2
	BNE  loop
	RET
