//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// func dotNEON(x, y []float64) float64
// Eight sums of two lanes in V0..V7.
TEXT ·dotNEON(SB), NOSPLIT, $0-56
	MOVD x_base+0(FP), R0
	MOVD x_len+8(FP), R2
	MOVD y_base+24(FP), R1
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	SUBS $16, R2
	BLT  rest

eight:
	VLD1.P 64(R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R1), [V24.D2, V25.D2, V26.D2, V27.D2]
	VLD1.P 64(R0), [V20.D2, V21.D2, V22.D2, V23.D2]
	VLD1.P 64(R1), [V28.D2, V29.D2, V30.D2, V31.D2]
	VFMLA V16.D2, V24.D2, V0.D2
	VFMLA V17.D2, V25.D2, V1.D2
	VFMLA V18.D2, V26.D2, V2.D2
	VFMLA V19.D2, V27.D2, V3.D2
	VFMLA V20.D2, V28.D2, V4.D2
	VFMLA V21.D2, V29.D2, V5.D2
	VFMLA V22.D2, V30.D2, V6.D2
	VFMLA V23.D2, V31.D2, V7.D2
	SUBS $16, R2
	BGE  eight

rest:
	ADDS $14, R2
	BLT  fold

one:
	VLD1.P 16(R0), [V16.D2]
	VLD1.P 16(R1), [V24.D2]
	VFMLA V16.D2, V24.D2, V0.D2
	SUBS $2, R2
	BGE  one

fold:
	FADD2D(4, 0, 0)
	FADD2D(5, 1, 1)
	FADD2D(6, 2, 2)
	FADD2D(7, 3, 3)
	FADD2D(2, 0, 0)
	FADD2D(3, 1, 1)
	FADD2D(1, 0, 0)
	FADDP2D(0, 0, 0)
	ADDS $2, R2
	BEQ  done
	FMOVD (R0), F16
	FMOVD (R1), F24
	FMADDD F24, F0, F16, F0

done:
	FMOVD F0, ret+48(FP)
	RET

// func axpyNEON(a float64, x, y []float64)
TEXT ·axpyNEON(SB), NOSPLIT, $0-56
	MOVD a+0(FP), R3
	VDUP R3, V0.D2
	MOVD x_base+8(FP), R0
	MOVD x_len+16(FP), R2
	MOVD y_base+32(FP), R1
	SUBS $8, R2
	BLT  rest

four:
	VLD1.P 64(R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1 (R1), [V24.D2, V25.D2, V26.D2, V27.D2]
	VFMLA V16.D2, V0.D2, V24.D2
	VFMLA V17.D2, V0.D2, V25.D2
	VFMLA V18.D2, V0.D2, V26.D2
	VFMLA V19.D2, V0.D2, V27.D2
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R1)
	SUBS $8, R2
	BGE  four

rest:
	ADDS $6, R2
	BLT  tail

one:
	VLD1.P 16(R0), [V16.D2]
	VLD1 (R1), [V24.D2]
	VFMLA V16.D2, V0.D2, V24.D2
	VST1.P [V24.D2], 16(R1)
	SUBS $2, R2
	BGE  one

tail:
	ADDS $2, R2
	BEQ  done
	FMOVD (R0), F16
	FMOVD (R1), F24
	FMADDD F16, F24, F0, F24
	FMOVD F24, (R1)

done:
	RET

// func addOuterNEON(c []float64, ld int, coef, x []float64)
TEXT ·addOuterNEON(SB), NOSPLIT, $0-80
	MOVD c_base+0(FP), R0
	MOVD ld+24(FP), R1
	MOVD coef_base+32(FP), R2
	MOVD coef_len+40(FP), R3
	MOVD x_base+56(FP), R4
	MOVD x_len+64(FP), R5
	CBZ  R3, done

row:
	MOVD.P 8(R2), R6
	VDUP R6, V0.D2
	MOVD R0, R7
	MOVD R4, R8
	MOVD R5, R9

eight:
	VLD1.P 64(R8), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1 (R7), [V24.D2, V25.D2, V26.D2, V27.D2]
	VFMLA V16.D2, V0.D2, V24.D2
	VFMLA V17.D2, V0.D2, V25.D2
	VFMLA V18.D2, V0.D2, V26.D2
	VFMLA V19.D2, V0.D2, V27.D2
	VST1.P [V24.D2, V25.D2, V26.D2, V27.D2], 64(R7)
	SUBS $8, R9
	BNE  eight

	ADD  R1<<3, R0, R0
	SUBS $1, R3
	BNE  row

done:
	RET
