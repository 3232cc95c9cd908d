//go:build !purego

#include "textflag.h"

// The two passes of a two-variable step, on 8 elements a turn: two to a register, in four
// accumulators, to hide the latency of compare and select.

// Vector floating-point instructions that Go's assembler does not know: d = n op m, two float64.
#define FADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB2D(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))
#define FDIV2D(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX2D(m, n, d) WORD $(0x4E60F400 | (m)<<16 | (n)<<5 | (d))
// d = all ones where n > m, else 0.
#define FCMGT2D(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))

// Two float64 of the low or the high half of four float32.
#define FCVTL2D(n, d) WORD $(0x0E617800 | (n)<<5 | (d))
#define FCVTLHIGH2D(n, d) WORD $(0x4E617800 | (n)<<5 | (d))

#define ALL4(c, a0, a1, a2, a3) \
	VDUP c, a0.D2; \
	VDUP c, a1.D2; \
	VDUP c, a2.D2; \
	VDUP c, a3.D2

// The indices of four accumulators: V12..V15 = 0..7; STEP = 8 in both lanes. R6 is scratch.
#define LANES(STEP) \
	VEOR V12.B16, V12.B16, V12.B16; \
	MOVD $1, R6; \
	VMOV R6, V12.D[1]; \
	MOVD $2, R6; \
	VDUP R6, STEP.D2; \
	VADD STEP.D2, V12.D2, V13.D2; \
	VADD STEP.D2, V13.D2, V14.D2; \
	VADD STEP.D2, V14.D2, V15.D2; \
	MOVD $8, R6; \
	VDUP R6, STEP.D2

#define ADVANCE(STEP) \
	VADD STEP.D2, V12.D2, V12.D2; \
	VADD STEP.D2, V13.D2, V13.D2; \
	VADD STEP.D2, V14.D2, V14.D2; \
	VADD STEP.D2, V15.D2, V15.D2

// V18..V21 and V22..V25 = eight elements of ki and kj, of type double or float.
#define ROWS_D \
	VLD1.P 64(R3), [V18.D2, V19.D2, V20.D2, V21.D2]; \
	VLD1.P 64(R4), [V22.D2, V23.D2, V24.D2, V25.D2]

#define ROWS_S \
	VLD1.P 32(R3), [V26.S4, V27.S4]; \
	VLD1.P 32(R4), [V28.S4, V29.S4]; \
	FCVTL2D(26, 18);     \
	FCVTLHIGH2D(26, 19); \
	FCVTL2D(27, 20);     \
	FCVTLHIGH2D(27, 21); \
	FCVTL2D(28, 22);     \
	FCVTLHIGH2D(28, 23); \
	FCVTL2D(29, 24);     \
	FCVTLHIGH2D(29, 25)

// V0..V3 least, V4..V7 its index, V8..V11 most; V16 t, V17 8.
#define EXTREMES(ROWS) \
	MOVD  grad+0(FP), R0; \
	MOVD  up+8(FP), R1; \
	MOVD  low+16(FP), R2; \
	MOVD  ki+24(FP), R3; \
	MOVD  kj+32(FP), R4; \
	MOVD  n+40(FP), R5; \
	MOVD  t+48(FP), R6; \
	VDUP  R6, V16.D2; \
	MOVD  $0x7ff0000000000000, R6; \
	ALL4(R6, V0, V1, V2, V3); \
	ALL4(ZR, V4, V5, V6, V7); \
	MOVD  $0xfff0000000000000, R6; \
	ALL4(R6, V8, V9, V10, V11); \
	LANES(V17); \
loop: \
	ROWS; \
	FSUB2D(22, 18, 18); \
	FSUB2D(23, 19, 19); \
	FSUB2D(24, 20, 20); \
	FSUB2D(25, 21, 21); \
	VLD1   (R0), [V22.D2, V23.D2, V24.D2, V25.D2]; \
	VFMLA  V18.D2, V16.D2, V22.D2; \
	VFMLA  V19.D2, V16.D2, V23.D2; \
	VFMLA  V20.D2, V16.D2, V24.D2; \
	VFMLA  V21.D2, V16.D2, V25.D2; \
	VST1.P [V22.D2, V23.D2, V24.D2, V25.D2], 64(R0); \
	VLD1.P 64(R1), [V18.D2, V19.D2, V20.D2, V21.D2]; \
	VLD1.P 64(R2), [V26.D2, V27.D2, V28.D2, V29.D2]; \
	FADD2D(18, 22, 18); \
	FADD2D(19, 23, 19); \
	FADD2D(20, 24, 20); \
	FADD2D(21, 25, 21); \
	FSUB2D(26, 22, 26); \
	FSUB2D(27, 23, 27); \
	FSUB2D(28, 24, 28); \
	FSUB2D(29, 25, 29); \
	FCMGT2D(18, 0, 22); \
	FCMGT2D(19, 1, 23); \
	FCMGT2D(20, 2, 24); \
	FCMGT2D(21, 3, 25); \
	VBIT   V22.B16, V18.B16, V0.B16; \
	VBIT   V23.B16, V19.B16, V1.B16; \
	VBIT   V24.B16, V20.B16, V2.B16; \
	VBIT   V25.B16, V21.B16, V3.B16; \
	VBIT   V22.B16, V12.B16, V4.B16; \
	VBIT   V23.B16, V13.B16, V5.B16; \
	VBIT   V24.B16, V14.B16, V6.B16; \
	VBIT   V25.B16, V15.B16, V7.B16; \
	FMAX2D(26, 8, 8); \
	FMAX2D(27, 9, 9); \
	FMAX2D(28, 10, 10); \
	FMAX2D(29, 11, 11); \
	ADVANCE(V17); \
	SUBS   $8, R5; \
	BNE loop; \
	MOVD least+56(FP), R0; \
	MOVD index+64(FP), R1; \
	MOVD most+72(FP), R2; \
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R0); \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R1); \
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R2); \
	RET

// V26 and V27 = four elements of ki, of type double or float.
#define ROW_D VLD1.P 32(R3), [V26.D2, V27.D2]

#define ROW_S \
	VLD1.P 16(R3), [V27.S4]; \
	FCVTL2D(27, 26);         \
	FCVTLHIGH2D(27, 27)

// Four elements: b² in V20 and V21, the curvature in V24 and V25, compared with the best b²
// (B) and its curvature (A) without a division; I is its index, C that of the elements.
#define SECOND(ROW, b0, b1, a0, a1, B0, B1, A0, A1, I0, I1, C0, C1) \
	VLD1.P 32(R0), [V20.D2, V21.D2]; \
	VLD1.P 32(R1), [V22.D2, V23.D2]; \
	VLD1.P 32(R2), [V24.D2, V25.D2]; \
	ROW; \
	FSUB2D(22, 20, 20);  \
	FSUB2D(23, 21, 21);  \
	FADD2D(16, 20, 20);  \
	FADD2D(16, 21, 21);  \
	FCMGT2D(30, 20, 22); \
	FCMGT2D(30, 21, 23); \
	FMUL2D(20, 20, 20);  \
	FMUL2D(21, 21, 21);  \
	FADD2D(17, 24, 24);  \
	FADD2D(17, 25, 25);  \
	FADD2D(26, 26, 26);  \
	FADD2D(27, 27, 27);  \
	FSUB2D(26, 24, 24);  \
	FSUB2D(27, 25, 25);  \
	FMAX2D(19, 24, 24);  \
	FMAX2D(19, 25, 25);  \
	FMUL2D(a0, 20, 26);  \
	FMUL2D(a1, 21, 27);  \
	FMUL2D(b0, 24, 28);  \
	FMUL2D(b1, 25, 29);  \
	FCMGT2D(28, 26, 26); \
	FCMGT2D(29, 27, 27); \
	VAND V22.B16, V26.B16, V26.B16; \
	VAND V23.B16, V27.B16, V27.B16; \
	VBIT V26.B16, V20.B16, B0.B16;  \
	VBIT V27.B16, V21.B16, B1.B16;  \
	VBIT V26.B16, V24.B16, A0.B16;  \
	VBIT V27.B16, V25.B16, A1.B16;  \
	VBIT V26.B16, C0.B16, I0.B16;   \
	VBIT V27.B16, C1.B16, I1.B16

// V0..V3 best b², V4..V7 its curvature, V8..V11 its index; V16 m, V17 kii, V18 8, V19 tau, V30 0.
#define SECONDS(ROW) \
	MOVD grad+0(FP), R0; \
	MOVD low+8(FP), R1; \
	MOVD d+16(FP), R2; \
	MOVD ki+24(FP), R3; \
	MOVD n+32(FP), R5; \
	MOVD m+40(FP), R6; \
	VDUP R6, V16.D2; \
	MOVD kii+48(FP), R6; \
	VDUP R6, V17.D2; \
	MOVD $0x3d719799812dea11, R6; \
	VDUP R6, V19.D2; \
	VEOR V30.B16, V30.B16, V30.B16; \
	ALL4(ZR, V0, V1, V2, V3); \
	MOVD $0x3ff0000000000000, R6; \
	ALL4(R6, V4, V5, V6, V7); \
	MOVD $-1, R6; \
	ALL4(R6, V8, V9, V10, V11); \
	LANES(V18); \
loop: \
	SECOND(ROW, 0, 1, 4, 5, V0, V1, V4, V5, V8, V9, V12, V13); \
	SECOND(ROW, 2, 3, 6, 7, V2, V3, V6, V7, V10, V11, V14, V15); \
	ADVANCE(V18); \
	SUBS $8, R5; \
	BNE loop; \
	FDIV2D(4, 0, 0); \
	FDIV2D(5, 1, 1); \
	FDIV2D(6, 2, 2); \
	FDIV2D(7, 3, 3); \
	MOVD gain+56(FP), R0; \
	MOVD index+64(FP), R1; \
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R0); \
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R1); \
	RET

// func extremesByLane64NEON(grad, up, low *float64, ki, kj *float64, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)
TEXT ·extremesByLane64NEON(SB), NOSPLIT, $0-80
	EXTREMES(ROWS_D)

// func extremesByLane32NEON(grad, up, low *float64, ki, kj *float32, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)
TEXT ·extremesByLane32NEON(SB), NOSPLIT, $0-80
	EXTREMES(ROWS_S)

// func gainsByLane64NEON(grad, low, d *float64, ki *float64, n int, m, kii float64, gain *[8]float64, index *[8]int64)
TEXT ·gainsByLane64NEON(SB), NOSPLIT, $0-72
	SECONDS(ROW_D)

// func gainsByLane32NEON(grad, low, d *float64, ki *float32, n int, m, kii float64, gain *[8]float64, index *[8]int64)
TEXT ·gainsByLane32NEON(SB), NOSPLIT, $0-72
	SECONDS(ROW_S)
