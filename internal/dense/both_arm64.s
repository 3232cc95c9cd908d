//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// SCALAR processes one column of one row: R the row, SUM its sum, C its factor; x is in F12, y in F14.
#define SCALAR(R, SUM, C) \
	FMOVD.P 8(R), F16; \
	FMADDD F16, SUM, F12, SUM; \
	FMADDD F16, F14, C, F14

#define STORE(SUM) \
	FMOVD (R0), F16; \
	FADDD F16, SUM, SUM; \
	FMOVD.P SUM, 8(R0)

// func bothNEON(dst, coef, a []float64, ld int, x, y []float64)
// Sums in V0..V7, factors in V8..V11, x in V12, V13, y in V14, V15, the rows in V16..V23.
TEXT ·bothNEON(SB), NOSPLIT, $0-128
	MOVD dst_base+0(FP), R0
	MOVD coef_base+24(FP), R1
	MOVD a_base+48(FP), R2
	MOVD ld+72(FP), R3
	LSL  $3, R3
	ADD  R3, R2, R8
	ADD  R3, R8, R9
	ADD  R3, R9, R10
	MOVD x_base+80(FP), R4
	MOVD x_len+88(FP), R5
	MOVD y_base+104(FP), R6
	VLD1R.P 8(R1), [V8.D2]
	VLD1R.P 8(R1), [V9.D2]
	VLD1R.P 8(R1), [V10.D2]
	VLD1R.P 8(R1), [V11.D2]
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	SUBS $4, R5
	BLT  fold

loop:
	VLD1.P 32(R4), [V12.D2, V13.D2]
	VLD1 (R6), [V14.D2, V15.D2]
	VLD1.P 32(R2), [V16.D2, V17.D2]
	VLD1.P 32(R8), [V18.D2, V19.D2]
	VLD1.P 32(R9), [V20.D2, V21.D2]
	VLD1.P 32(R10), [V22.D2, V23.D2]
	VFMLA V16.D2, V12.D2, V0.D2
	VFMLA V18.D2, V12.D2, V1.D2
	VFMLA V20.D2, V12.D2, V2.D2
	VFMLA V22.D2, V12.D2, V3.D2
	VFMLA V17.D2, V13.D2, V4.D2
	VFMLA V19.D2, V13.D2, V5.D2
	VFMLA V21.D2, V13.D2, V6.D2
	VFMLA V23.D2, V13.D2, V7.D2
	VFMLA V16.D2, V8.D2, V14.D2
	VFMLA V17.D2, V8.D2, V15.D2
	VFMLA V18.D2, V9.D2, V14.D2
	VFMLA V19.D2, V9.D2, V15.D2
	VFMLA V20.D2, V10.D2, V14.D2
	VFMLA V21.D2, V10.D2, V15.D2
	VFMLA V22.D2, V11.D2, V14.D2
	VFMLA V23.D2, V11.D2, V15.D2
	VST1.P [V14.D2, V15.D2], 32(R6)
	SUBS $4, R5
	BGE  loop

fold:
	FADD2D(4, 0, 0)
	FADD2D(5, 1, 1)
	FADD2D(6, 2, 2)
	FADD2D(7, 3, 3)
	FADDP2D(0, 0, 0)
	FADDP2D(1, 1, 1)
	FADDP2D(2, 2, 2)
	FADDP2D(3, 3, 3)
	ADDS $4, R5
	BEQ  store

beyond:
	FMOVD.P 8(R4), F12
	FMOVD (R6), F14
	SCALAR(R2, F0, F8)
	SCALAR(R8, F1, F9)
	SCALAR(R9, F2, F10)
	SCALAR(R10, F3, F11)
	FMOVD.P F14, 8(R6)
	SUBS $1, R5
	BNE  beyond

store:
	STORE(F0)
	STORE(F1)
	STORE(F2)
	STORE(F3)
	RET
