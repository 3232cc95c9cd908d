//go:build !purego

#include "textflag.h"

// Weighted sums of kernel values in V16 ... V31. Four panels have separate sums, and so has each lane.

#define LOADS \
	MOVD sums+0(FP), R0;   \
	MOVD k+8(FP), R1;      \
	MOVD c+16(FP), R2;     \
	MOVD panels+24(FP), R3; \
	MOVD R0, R4; \
	VLD1.P 64(R4), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VLD1.P 64(R4), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	VLD1.P 64(R4), [V24.B16, V25.B16, V26.B16, V27.B16]; \
	VLD1   (R4), [V28.B16, V29.B16, V30.B16, V31.B16]

#define STORES \
	VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0); \
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0); \
	VST1.P [V24.B16, V25.B16, V26.B16, V27.B16], 64(R0); \
	VST1   [V28.B16, V29.B16, V30.B16, V31.B16], (R0)

// Add one panel, if one is left.
#define NEXT(a, b, c, d) \
	CBZ R3, done; \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	FMLA(V0, V4, a); FMLA(V1, V5, b); FMLA(V2, V6, c); FMLA(V3, V7, d); \
	SUB $1, R3

#define WEIGH \
	LOADS; \
loop: \
	NEXT(V16, V17, V18, V19); \
	NEXT(V20, V21, V22, V23); \
	NEXT(V24, V25, V26, V27); \
	NEXT(V28, V29, V30, V31); \
	B loop; \
done: \
	STORES

#define FMLA(x, y, acc) VFMLA x.D2, y.D2, acc.D2

// func weigh64NEON(sums, k, c *float64, panels int)
TEXT ·weigh64NEON(SB), NOSPLIT, $0-32
	WEIGH
	RET

#undef FMLA
#define FMLA(x, y, acc) VFMLA x.S4, y.S4, acc.S4

// func weigh32NEON(sums, k, c *float32, panels int)
TEXT ·weigh32NEON(SB), NOSPLIT, $0-32
	WEIGH
	RET
