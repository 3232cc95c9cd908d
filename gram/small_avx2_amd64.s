//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "exp_consts_amd64.h"
#include "exp_avx2_amd64.h"
#include "laplacian_amd64.h"
#include "matern_avx2_amd64.h"

// Small.evalGeneric for one row. A register holds four samples, a quad.
//
//	DI s   SI scaled row   DX panels   R8 features   R9 values   R10 bytes between panels
//	R11 quads left         R12, R13 to the next quad, and from that one on
//	R15 the frame from a cache line on: 2048 bytes of values and 1024 of the scaled row
//	AX, BX moving panel and feature

#define ARGS \
	LEAQ 63(SP), R15; \
	ANDQ $-64, R15; \
	MOVQ s+8(FP), DI; \
	MOVQ x+16(FP), SI; \
	MOVQ Small_d(DI), R8; \
	MOVQ Small_scaling(DI), AX

// Scale four features: Lo + Width·(x−Center)/Spread, or 0 for those that do not count, which are not read. Then apply
// the transform of the samples.
#define SCALE4(off) \
	VMOVUPD off(AX), Y1; \
	VMASKMOVPD off(SI), Y1, Y0; \
	VSUBPD (64+off)(AX), Y0, Y0; \
	VMULPD Y14, Y0, Y0; \
	VDIVPD (128+off)(AX), Y0, Y0; \
	VADDPD Y15, Y0, Y0; \
	VANDPD Y1, Y0, Y0; \
	VSUBPD (192+off)(AX), Y0, Y0; \
	VMULPD (256+off)(AX), Y0, Y0; \
	VMOVUPD Y0, off(BX)

#define SCALE_ROW \
	TESTQ AX, AX; \
	JZ   scaled; \
	VBROADCASTSD Small_width(DI), Y14; \
	VBROADCASTSD Small_lo(DI), Y15; \
	LEAQ 2048(R15), BX; \
	MOVQ R8, CX; \
block: \
	SCALE4(0); \
	SCALE4(32); \
	ADDQ $320, AX; \
	ADDQ $64, SI; \
	ADDQ $64, BX; \
	SUBQ $8, CX; \
	JGT  block; \
	LEAQ 2048(R15), SI; \
scaled:

// The values of all quads. STEP(q, mem, t, acc) adds the term of a feature to a sum.
#define VALUES \
	MOVQ Small_panels(DI), DX; \
	MOVQ Small_quads(DI), R11; \
	MOVQ R8, R10; \
	SHLQ $6, R10; \
	MOVQ $32, R12; \
	LEAQ -32(R10), R13; \
	MOVQ R15, R9; \
	PREPARE; \
four: \
	CMPQ R11, $4; \
	JLT  one; \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	NORM_ZERO; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature4: \
	VBROADCASTSD (SI)(BX*8), Y8; \
	NORM(Y8); \
	STEP(Y8, (AX), Y4, Y0); \
	STEP(Y8, 32(AX), Y5, Y1); \
	STEP(Y8, (AX)(R10*1), Y6, Y2); \
	STEP(Y8, 32(AX)(R10*1), Y7, Y3); \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, R8; \
	JNE  feature4; \
	FINISH4; \
	ADDQ $128, R9; \
	LEAQ (DX)(R10*2), DX; \
	SUBQ $4, R11; \
	JMP  four; \
one: \
	TESTQ R11, R11; \
	JZ   weigh; \
	VXORPD Y0, Y0, Y0; \
	NORM_ZERO; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature1: \
	VBROADCASTSD (SI)(BX*8), Y8; \
	NORM(Y8); \
	STEP(Y8, (AX), Y4, Y0); \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, R8; \
	JNE  feature1; \
	FINISH1; \
	ADDQ $32, R9; \
	ADDQ R12, DX; \
	MOVQ R12, AX; \
	MOVQ R13, R12; \
	MOVQ AX, R13; \
	DECQ R11; \
	JMP  one

#define PRODUCT(off, acc) VMOVUPD off(SI), Y8; VFMADD231PD off(DX), Y8, acc

// Multiply the values of a quad by its coefficients, if a quad is left.
#define LAST(acc) \
	TESTQ CX, CX; \
	JZ    fold; \
	PRODUCT(0, acc); \
	ADDQ  $32, SI; \
	ADDQ  $32, DX; \
	DECQ  CX

// The outputs, one after the other: weigh, total and the bias. R10 is the size of the coefficients beyond the last
// quad.
#define OUTPUTS \
weigh: \
	MOVQ dst+0(FP), R8; \
	MOVQ Small_coefs(DI), DX; \
	MOVQ Small_bias(DI), R9; \
	MOVQ Small_outputs(DI), R12; \
	MOVQ Small_quads(DI), R11; \
	MOVQ R11, R10; \
	ANDQ $1, R10; \
	SHLQ $5, R10; \
output: \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	VXORPD Y4, Y4, Y4; \
	VXORPD Y5, Y5, Y5; \
	VXORPD Y6, Y6, Y6; \
	VXORPD Y7, Y7, Y7; \
	MOVQ R15, SI; \
	MOVQ R11, CX; \
	JMP  check; \
eight: \
	PRODUCT(0, Y0); PRODUCT(32, Y1); PRODUCT(64, Y2); PRODUCT(96, Y3); \
	PRODUCT(128, Y4); PRODUCT(160, Y5); PRODUCT(192, Y6); PRODUCT(224, Y7); \
	ADDQ $256, SI; \
	ADDQ $256, DX; \
	SUBQ $8, CX; \
check: \
	CMPQ CX, $8; \
	JGE  eight; \
	LAST(Y0); LAST(Y1); LAST(Y2); LAST(Y3); LAST(Y4); LAST(Y5); LAST(Y6); \
fold: \
	VADDPD Y4, Y0, Y0; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y6, Y2, Y2; \
	VADDPD Y7, Y3, Y3; \
	VADDPD Y2, Y0, Y0; \
	VADDPD Y3, Y1, Y1; \
	VADDPD Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0; \
	VPERMILPD $1, X0, X1; \
	VADDSD X1, X0, X0; \
	VADDSD (R9), X0, X0; \
	VMOVSD X0, (R8); \
	ADDQ R10, DX; \
	ADDQ $8, R8; \
	ADDQ $8, R9; \
	DECQ R12; \
	JNZ  output; \
	VZEROUPPER

#define SMALL ARGS; SCALE_ROW; VALUES; OUTPUTS

#define CONSTS \
	VBROADCASTSD Small_scale(DI), Y15; \
	VMOVUPD CLAMP, Y14; \
	VMOVUPD BIAS, Y13
#define DECAY4 \
	VMULPD Y15, Y0, Y0; \
	VMULPD Y15, Y1, Y1; \
	VMULPD Y15, Y2, Y2; \
	VMULPD Y15, Y3, Y3; \
	EXP4; \
	VMOVUPD Y8, (R9); \
	VMOVUPD Y9, 32(R9); \
	VMOVUPD Y10, 64(R9); \
	VMOVUPD Y11, 96(R9)
#define DECAY1 VMULPD Y15, Y0, Y0; EXP1; VMOVUPD Y8, (R9)

// The Matérn kernels, whose x wait in the places of the values. They have their first coefficient negated, as x is.
#define BELL_CONSTS VBROADCASTSD FAR, Y8; VBROADCASTSD SIGN, Y9
#define COEFFICIENTS \
	VBROADCASTSD (Small_curve+curve_first)(DI), Y4; \
	VBROADCASTSD (Small_curve+curve_second)(DI), Y5; \
	VMOVUPD ONE, Y6
#define BELL4 \
	BELL_CONSTS; \
	VMULPD Y15, Y0, Y0; \
	VMULPD Y15, Y1, Y1; \
	VMULPD Y15, Y2, Y2; \
	VMULPD Y15, Y3, Y3; \
	ROOT(Y0); ROOT(Y1); ROOT(Y2); ROOT(Y3); \
	VMOVUPD Y0, (R9); \
	VMOVUPD Y1, 32(R9); \
	VMOVUPD Y2, 64(R9); \
	VMOVUPD Y3, 96(R9); \
	EXP4; \
	COEFFICIENTS; \
	BEND(Y8, (R9)); BEND(Y9, 32(R9)); BEND(Y10, 64(R9)); BEND(Y11, 96(R9))
#define BELL1 \
	BELL_CONSTS; \
	VMULPD Y15, Y0, Y0; \
	ROOT(Y0); \
	VMOVUPD Y0, (R9); \
	EXP1; \
	COEFFICIENTS; \
	BEND(Y8, (R9))

// A form that needs the query's norm adds it up in Y9. NORM_ZERO and NORM are empty for other forms.
#define NORM_ZERO
#define NORM(q)
#define PREPARE CONSTS
#define FINISH4 DECAY4
#define FINISH1 DECAY1
#define STEP(q, mem, t, acc) VSUBPD mem, q, t; VFMADD231PD t, t, acc

// func smallSquareAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallSquareAVX2(SB), 0, $3136-24
	SMALL
	RET

#undef FINISH4
#undef FINISH1
#define FINISH4 BELL4
#define FINISH1 BELL1

// func smallSquareBellAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallSquareBellAVX2(SB), 0, $3136-24
	SMALL
	RET

#undef FINISH4
#undef FINISH1
#define FINISH4 DECAY4
#define FINISH1 DECAY1
#undef STEP
#define STEP(q, mem, t, acc) VSUBPD mem, q, t; VANDPD abs64<>(SB), t, t; VADDPD t, acc, acc

// func smallAbsoluteAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallAbsoluteAVX2(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH4
#undef FINISH1
#undef STEP
#define NORM_ZERO VXORPD Y9, Y9, Y9
#define NORM(q) VFMADD231PD q, q, Y9

// Turn the inner products x into squared distances, as distances does. Y10 holds 2 and Y11 holds 0. The norms of a
// quad have the same offset from R14 as its values from 0.
#define DISTANCES VMOVUPD ONE, Y10; VADDPD Y10, Y10, Y10; VXORPD Y11, Y11, Y11
#define DISTANCE(mem, x) VADDPD mem, Y9, Y4; VFNMADD231PD x, Y10, Y4; VMAXPD Y4, Y11, x
#define PREPARE CONSTS; MOVQ Small_norms(DI), R14; SUBQ R15, R14
#define DISTANCES4 \
	DISTANCES; \
	DISTANCE((R14)(R9*1), Y0); \
	DISTANCE(32(R14)(R9*1), Y1); \
	DISTANCE(64(R14)(R9*1), Y2); \
	DISTANCE(96(R14)(R9*1), Y3)
#define DISTANCES1 DISTANCES; DISTANCE((R14)(R9*1), Y0)
#define FINISH4 DISTANCES4; DECAY4
#define FINISH1 DISTANCES1; DECAY1
#define STEP(q, mem, t, acc) VFMADD231PD mem, q, acc

// func smallExpandedAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallExpandedAVX2(SB), 0, $3136-24
	SMALL
	RET

#undef FINISH4
#undef FINISH1
#define FINISH4 DISTANCES4; BELL4
#define FINISH1 DISTANCES1; BELL1

// func smallExpandedBellAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallExpandedBellAVX2(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH4
#undef FINISH1
#undef STEP
#define NORM_ZERO
#define NORM(q)
#define PREPARE
#define FINISH4 \
	VMOVUPD Y0, (R9); \
	VMOVUPD Y1, 32(R9); \
	VMOVUPD Y2, 64(R9); \
	VMOVUPD Y3, 96(R9)
#define FINISH1 VMOVUPD Y0, (R9)
#define STEP(q, mem, t, acc) VFMADD231PD mem, q, acc

// func smallInnerAVX2(dst *float64, s *Small, x *float64)
TEXT ·smallInnerAVX2(SB), 0, $3136-24
	SMALL
	RET
