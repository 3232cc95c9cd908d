//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The two passes around exp of the Matérn kernels, 64 bytes at a time. FMIN keeps NaN.

#define ARGS \
	MOVD dst+0(FP), R0; \
	MOVD src+8(FP), R1; \
	MOVD n+16(FP), R2

// dst = min(√(V16·src), V17)
#define ROOT(FMUL, FSQRT, FMIN, r) FMUL(16, r, r); FSQRT(r, r); FMIN(17, r, r)

#define ROOTS(FMUL, FSQRT, FMIN, elements) \
loop: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	ROOT(FMUL, FSQRT, FMIN, 0); \
	ROOT(FMUL, FSQRT, FMIN, 1); \
	ROOT(FMUL, FSQRT, FMIN, 2); \
	ROOT(FMUL, FSQRT, FMIN, 3); \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0); \
	SUBS $elements, R2; \
	BNE  loop; \
	RET

// func roots64NEON(dst, src *float64, n int, scale float64)
TEXT ·roots64NEON(SB), NOSPLIT, $0-32
	ARGS
	MOVD scale+24(FP), R3
	VDUP R3, V16.D2
	MOVD $0x408f400000000000, R3 // 1000
	VDUP R3, V17.D2
	ROOTS(FMUL2D, FSQRT2D, FMIN2D, 8)

// func roots32NEON(dst, src *float32, n int, scale float32)
TEXT ·roots32NEON(SB), NOSPLIT, $0-28
	ARGS
	MOVWU scale+24(FP), R3
	VDUP R3, V16.S4
	MOVD $0x447a0000, R3 // 1000
	VDUP R3, V17.S4
	ROOTS(FMUL4S, FSQRT4S, FMIN4S, 16)

#define FMLA(a, b, d) VFMLA a.D2, b.D2, d.D2

// dst = min(dst·(V16 + t(V17 + V18·t)), V16), V16 = 1
#define BENDS(FMUL, FMIN, elements) \
loop: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1 (R0), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VMOV V17.B16, V20.B16; \
	VMOV V17.B16, V21.B16; \
	VMOV V17.B16, V22.B16; \
	VMOV V17.B16, V23.B16; \
	FMLA(V18, V0, V20); \
	FMLA(V18, V1, V21); \
	FMLA(V18, V2, V22); \
	FMLA(V18, V3, V23); \
	VMOV V16.B16, V24.B16; \
	VMOV V16.B16, V25.B16; \
	VMOV V16.B16, V26.B16; \
	VMOV V16.B16, V27.B16; \
	FMLA(V20, V0, V24); \
	FMLA(V21, V1, V25); \
	FMLA(V22, V2, V26); \
	FMLA(V23, V3, V27); \
	FMUL(24, 4, 4); \
	FMUL(25, 5, 5); \
	FMUL(26, 6, 6); \
	FMUL(27, 7, 7); \
	FMIN(16, 4, 4); \
	FMIN(16, 5, 5); \
	FMIN(16, 6, 6); \
	FMIN(16, 7, 7); \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R0); \
	SUBS $elements, R2; \
	BNE  loop; \
	RET

// func bends64NEON(dst, src *float64, n int, first, second float64)
TEXT ·bends64NEON(SB), NOSPLIT, $0-40
	ARGS
	MOVD first+24(FP), R3
	VDUP R3, V17.D2
	MOVD second+32(FP), R3
	VDUP R3, V18.D2
	MOVD $0x3ff0000000000000, R3 // 1
	VDUP R3, V16.D2
	BENDS(FMUL2D, FMIN2D, 8)

#undef FMLA
#define FMLA(a, b, d) VFMLA a.S4, b.S4, d.S4

// func bends32NEON(dst, src *float32, n int, first, second float32)
TEXT ·bends32NEON(SB), NOSPLIT, $0-32
	ARGS
	MOVWU first+24(FP), R3
	VDUP R3, V17.S4
	MOVWU second+28(FP), R3
	VDUP R3, V18.S4
	MOVD $0x3f800000, R3 // 1
	VDUP R3, V16.S4
	BENDS(FMUL4S, FMIN4S, 16)
