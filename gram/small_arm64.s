//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "neon_arm64.h"
#include "exp_consts_arm64.h"
#include "exp_arm64.h"

// Small.evalGeneric for one row. Two registers hold four samples, a quad.
//
//	R0 s   R1 features   R2 scaled row   R4 panels   R5 bytes between panels   R6 quads left
//	R7, R8 to the next quad, and from that one on    R9 values   R10, R11 moving row and panel
//	R12 features left    R15 the frame: 2048 bytes of values and 1024 of the scaled row

#define ARGS \
	ADD  $16, RSP, R15; \
	MOVD s+8(FP), R0; \
	MOVD x+16(FP), R2; \
	MOVD Small_d(R0), R1

// Scale the row, one feature after the other: Lo + Width·(x−Center)/Spread, or 0 for a feature that does not count.
// Then apply the transform of the samples.
#define SCALE_ROW \
	MOVD  Small_scaling(R0), R4; \
	CBZ   R4, scaled; \
	FMOVD Small_width(R0), F2; \
	FMOVD Small_lo(R0), F3; \
	ADD   $2048, R15, R5; \
	MOVD  ZR, R6; \
feature: \
	FMOVD.P 8(R2), F0; \
	FMOVD 64(R4), F1; \
	FSUBD F1, F0, F0; \
	FMULD F2, F0, F0; \
	FMOVD 128(R4), F1; \
	FDIVD F1, F0, F0; \
	FADDD F3, F0, F0; \
	FMOVD F0, R7; \
	MOVD  (R4), R8; \
	AND   R8, R7; \
	FMOVD R7, F0; \
	FMOVD 192(R4), F1; \
	FSUBD F1, F0, F0; \
	FMOVD 256(R4), F1; \
	FMULD F1, F0, F0; \
	FMOVD.P F0, 8(R5); \
	ADD   $8, R4; \
	ADD   $1, R6; \
	TST   $7, R6; \
	BNE   same; \
	ADD   $256, R4; \
same: \
	CMP   R1, R6; \
	BNE   feature; \
	ADD   $2048, R15, R2; \
scaled:

// The values of all quads. STEPS adds the term of the feature in V10 and the quad in V4, V5 to V0, V1.
#define VALUES \
	MOVD Small_panels(R0), R4; \
	MOVD Small_quads(R0), R6; \
	LSL  $6, R1, R5; \
	MOVD $32, R7; \
	SUB  $32, R5, R8; \
	MOVD R15, R9; \
	PREPARE; \
quad: \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	NORM_ZERO; \
	MOVD R2, R10; \
	MOVD R4, R11; \
	MOVD R1, R12; \
step: \
	VLD1R.P 8(R10), [V10.D2]; \
	VLD1 (R11), [V4.D2, V5.D2]; \
	NORM; \
	STEPS; \
	ADD  $64, R11; \
	SUBS $1, R12; \
	BNE  step; \
	FINISH; \
	VST1.P [V6.D2, V7.D2], 32(R9); \
	ADD  R7, R4; \
	MOVD R7, R11; \
	MOVD R8, R7; \
	MOVD R11, R8; \
	SUBS $1, R6; \
	BNE  quad

// Multiply the values of a quad by its coefficients, if a quad is left.
#define PRODUCT(a, b) \
	CBZ R6, fold; \
	VLD1.P 32(R9), [V0.D2, V1.D2]; \
	VLD1.P 32(R4), [V2.D2, V3.D2]; \
	VFMLA V0.D2, V2.D2, a.D2; \
	VFMLA V1.D2, V3.D2, b.D2; \
	SUB $1, R6

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; VEOR d.B16, d.B16, d.B16

// The outputs, one after the other: weigh, total and the bias. R5 is the size of the coefficients beyond the last
// quad.
#define OUTPUTS \
	MOVD dst+0(FP), R1; \
	MOVD Small_coefs(R0), R4; \
	MOVD Small_bias(R0), R7; \
	MOVD Small_outputs(R0), R8; \
	MOVD Small_quads(R0), R10; \
	AND  $1, R10, R5; \
	LSL  $5, R5; \
output: \
	ZERO4(V16, V17, V18, V19); \
	ZERO4(V20, V21, V22, V23); \
	ZERO4(V24, V25, V26, V27); \
	ZERO4(V28, V29, V30, V31); \
	MOVD R15, R9; \
	MOVD R10, R6; \
eight: \
	PRODUCT(V16, V17); \
	PRODUCT(V18, V19); \
	PRODUCT(V20, V21); \
	PRODUCT(V22, V23); \
	PRODUCT(V24, V25); \
	PRODUCT(V26, V27); \
	PRODUCT(V28, V29); \
	PRODUCT(V30, V31); \
	B    eight; \
fold: \
	FADD2D(24, 16, 16); FADD2D(25, 17, 17); FADD2D(26, 18, 18); FADD2D(27, 19, 19); \
	FADD2D(28, 20, 20); FADD2D(29, 21, 21); FADD2D(30, 22, 22); FADD2D(31, 23, 23); \
	FADD2D(20, 16, 16); FADD2D(21, 17, 17); FADD2D(22, 18, 18); FADD2D(23, 19, 19); \
	FADD2D(18, 16, 16); FADD2D(19, 17, 17); \
	FADD2D(17, 16, 16); \
	VEXT $8, V16.B16, V16.B16, V17.B16; \
	FADDD F17, F16, F16; \
	FMOVD.P 8(R7), F0; \
	FADDD F0, F16, F16; \
	FMOVD.P F16, 8(R1); \
	ADD  R5, R4; \
	SUBS $1, R8; \
	BNE  output

#define SMALL ARGS; SCALE_ROW; VALUES; OUTPUTS

// A form that needs the query's norm adds it up in V11. NORM_ZERO and NORM are empty for other forms.
#define NORM_ZERO
#define NORM
#define SCALES EXP_CONSTS; FMOVD Small_scale(R0), F30; VDUP V30.D[0], V30.D2
#define PREPARE SCALES
#define FINISH EXP_SCALED
#define STEPS FSUB2D(10, 4, 4); FSUB2D(10, 5, 5); VFMLA V4.D2, V4.D2, V0.D2; VFMLA V5.D2, V5.D2, V1.D2

// func smallSquareNEON(dst *float64, s *Small, x *float64)
TEXT ·smallSquareNEON(SB), 0, $3136-24
	SMALL
	RET

// The Matérn kernels: e^x (1 + x(first + second·x)), at most 1, with x = −√(scale·sum), at least −1000. The x wait in
// the places of the values. NaN stays NaN.
#define BELL \
	FMUL2D(30, 0, 0); \
	FMUL2D(30, 1, 1); \
	FSQRT2D(0, 0); \
	FSQRT2D(1, 1); \
	FNEG2D(0, 0); \
	FNEG2D(1, 1); \
	MOVD $0xc08f400000000000, R11; \
	VDUP R11, V4.D2; \
	FMAX2D(4, 0, 0); \
	FMAX2D(4, 1, 1); \
	VST1 [V0.D2, V1.D2], (R9); \
	EXP; \
	VLD1 (R9), [V0.D2, V1.D2]; \
	FMOVD (Small_curve+curve_first)(R0), F2; \
	VDUP V2.D[0], V2.D2; \
	FMOVD (Small_curve+curve_second)(R0), F4; \
	VDUP V4.D[0], V4.D2; \
	VMOV V2.B16, V3.B16; \
	VFMLA V4.D2, V0.D2, V2.D2; \
	VFMLA V4.D2, V1.D2, V3.D2; \
	VMOV V17.B16, V4.B16; \
	VMOV V17.B16, V5.B16; \
	VFMLA V2.D2, V0.D2, V4.D2; \
	VFMLA V3.D2, V1.D2, V5.D2; \
	FMUL2D(4, 6, 6); \
	FMUL2D(5, 7, 7); \
	FMIN2D(17, 6, 6); \
	FMIN2D(17, 7, 7)
#undef FINISH
#define FINISH BELL

// func smallSquareBellNEON(dst *float64, s *Small, x *float64)
TEXT ·smallSquareBellNEON(SB), 0, $3136-24
	SMALL
	RET

#undef FINISH
#define FINISH EXP_SCALED

#undef STEPS
#define STEPS FABD2D(10, 4, 4); FABD2D(10, 5, 5); FADD2D(4, 0, 0); FADD2D(5, 1, 1)

// func smallAbsoluteNEON(dst *float64, s *Small, x *float64)
TEXT ·smallAbsoluteNEON(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH
#undef STEPS
#define NORM_ZERO VEOR V11.B16, V11.B16, V11.B16
#define NORM VFMLA V10.D2, V10.D2, V11.D2

// Turn the inner products V0, V1 into squared distances, as distancesGeneric does. V31 holds 2 and V9 holds 0. The
// norms of a quad have the same offset from R13 as its values from 0.
#define DISTANCE \
	ADD R13, R9, R11; \
	VLD1 (R11), [V4.D2, V5.D2]; \
	FADD2D(11, 4, 4); \
	FADD2D(11, 5, 5); \
	VFMLS V31.D2, V0.D2, V4.D2; \
	VFMLS V31.D2, V1.D2, V5.D2; \
	FMAX2D(9, 4, 0); \
	FMAX2D(9, 5, 1)
#define PREPARE \
	SCALES; \
	FMOVD $2.0, F31; \
	VDUP V31.D[0], V31.D2; \
	VEOR V9.B16, V9.B16, V9.B16; \
	MOVD Small_norms(R0), R13; \
	SUB R15, R13
#define FINISH DISTANCE; EXP_SCALED
#define STEPS VFMLA V4.D2, V10.D2, V0.D2; VFMLA V5.D2, V10.D2, V1.D2

// func smallExpandedNEON(dst *float64, s *Small, x *float64)
TEXT ·smallExpandedNEON(SB), 0, $3136-24
	SMALL
	RET

#undef FINISH
#define FINISH DISTANCE; BELL

// func smallExpandedBellNEON(dst *float64, s *Small, x *float64)
TEXT ·smallExpandedBellNEON(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH
#undef STEPS
#define NORM_ZERO
#define NORM
#define PREPARE
#define FINISH VMOV V0.B16, V6.B16; VMOV V1.B16, V7.B16
#define STEPS VFMLA V4.D2, V10.D2, V0.D2; VFMLA V5.D2, V10.D2, V1.D2

// func smallInnerNEON(dst *float64, s *Small, x *float64)
TEXT ·smallInnerNEON(SB), 0, $3136-24
	SMALL
	RET
