//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// A 4×12 tile in V8..V31 (row i in V(8+6i)..V(13+6i)), a row of B in V0..V5, a column of A in V6 and V7.

// ROW adds the row of B, times the element LANE of a, to a row of sums.
#define ROW(LANE, a, c0, c1, c2, c3, c4, c5) \
	LANE(a, 0, c0); \
	LANE(a, 1, c1); \
	LANE(a, 2, c2); \
	LANE(a, 3, c3); \
	LANE(a, 4, c4); \
	LANE(a, 5, c5)

// OUT adds alpha (V6) times a row of sums to C's row at R3, and moves R3 to the next row, R5 bytes on.
#define OUT(c0, c1, c2, c3, c4, c5) \
	MOVD R3, R6; \
	VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1 (R6), [V4.D2, V5.D2]; \
	VFMLA c0.D2, V6.D2, V0.D2; \
	VFMLA c1.D2, V6.D2, V1.D2; \
	VFMLA c2.D2, V6.D2, V2.D2; \
	VFMLA c3.D2, V6.D2, V3.D2; \
	VFMLA c4.D2, V6.D2, V4.D2; \
	VFMLA c5.D2, V6.D2, V5.D2; \
	MOVD R3, R6; \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R6); \
	VST1 [V4.D2, V5.D2], (R6); \
	ADD  R5, R3

// func tileNEON(k int, a, b, c []float64, at, ldc int, alpha float64)
TEXT ·tileNEON(SB), NOSPLIT, $0-104
	MOVD k+0(FP), R0
	MOVD a_base+8(FP), R1
	MOVD b_base+32(FP), R2
	MOVD c_base+56(FP), R3
	MOVD pos+80(FP), R4
	ADD  R4<<3, R3
	MOVD ldc+88(FP), R5
	LSL  $3, R5
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)
	ZERO4(V24, V25, V26, V27)
	ZERO4(V28, V29, V30, V31)
	CBZ  R0, out

loop:
	VLD1.P 64(R2), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1.P 32(R2), [V4.D2, V5.D2]
	VLD1.P 32(R1), [V6.D2, V7.D2]
	ROW(FMLA2DLANE0, 6, 8, 9, 10, 11, 12, 13)
	ROW(FMLA2DLANE1, 6, 14, 15, 16, 17, 18, 19)
	ROW(FMLA2DLANE0, 7, 20, 21, 22, 23, 24, 25)
	ROW(FMLA2DLANE1, 7, 26, 27, 28, 29, 30, 31)
	SUBS $1, R0
	BNE  loop

out:
	MOVD alpha+96(FP), R6
	VDUP R6, V6.D2
	OUT(V8, V9, V10, V11, V12, V13)
	OUT(V14, V15, V16, V17, V18, V19)
	OUT(V20, V21, V22, V23, V24, V25)
	OUT(V26, V27, V28, V29, V30, V31)
	RET

// The 8×8 triangular solve takes two lanes at a time: rows of x in V0..V7, one element
// of the triangle broadcast in V8. A column of the triangle is read from R2, 64 bytes a step.

#define COLUMN(j) ADD $(72*j), R0, R2

#define SCALE(j) \
	COLUMN(j); \
	VLD1R.P (R2)(R3), [V8.D2]; \
	FMUL2D(8, j, j)

#define ELIM(xi, xj) \
	VLD1R.P (R2)(R3), [V8.D2]; \
	VFMLS V8.D2, xj.D2, xi.D2

// func solveNEON(tri, x []float64)
TEXT ·solveNEON(SB), NOSPLIT, $0-48
	MOVD tri_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD $64, R3
	MOVD $6, R4

lanes:
	FMOVQ 0(R1), F0
	FMOVQ 96(R1), F1
	FMOVQ 192(R1), F2
	FMOVQ 288(R1), F3
	FMOVQ 384(R1), F4
	FMOVQ 480(R1), F5
	FMOVQ 576(R1), F6
	FMOVQ 672(R1), F7
	SCALE(0)
	ELIM(V1, V0)
	ELIM(V2, V0)
	ELIM(V3, V0)
	ELIM(V4, V0)
	ELIM(V5, V0)
	ELIM(V6, V0)
	ELIM(V7, V0)
	SCALE(1)
	ELIM(V2, V1)
	ELIM(V3, V1)
	ELIM(V4, V1)
	ELIM(V5, V1)
	ELIM(V6, V1)
	ELIM(V7, V1)
	SCALE(2)
	ELIM(V3, V2)
	ELIM(V4, V2)
	ELIM(V5, V2)
	ELIM(V6, V2)
	ELIM(V7, V2)
	SCALE(3)
	ELIM(V4, V3)
	ELIM(V5, V3)
	ELIM(V6, V3)
	ELIM(V7, V3)
	SCALE(4)
	ELIM(V5, V4)
	ELIM(V6, V4)
	ELIM(V7, V4)
	SCALE(5)
	ELIM(V6, V5)
	ELIM(V7, V5)
	SCALE(6)
	ELIM(V7, V6)
	SCALE(7)
	FMOVQ F0, 0(R1)
	FMOVQ F1, 96(R1)
	FMOVQ F2, 192(R1)
	FMOVQ F3, 288(R1)
	FMOVQ F4, 384(R1)
	FMOVQ F5, 480(R1)
	FMOVQ F6, 576(R1)
	FMOVQ F7, 672(R1)
	ADD  $16, R1
	SUBS $1, R4
	BNE  lanes
	RET
