//go:build !purego

#include "textflag.h"

// dst = qn + zn − 2·dots, converted to floating point.

#define ARGS \
	MOVQ dst+0(FP), DI;   \
	MOVQ dots+8(FP), SI;  \
	MOVQ zn+16(FP), DX;   \
	MOVQ n+24(FP), CX;    \
	MOVL qn+32(FP), AX

// NEXT goes on to the next sixteen results, which take the given bytes.
#define NEXT(bytes) \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	ADDQ $bytes, DI; \
	SUBQ $16, CX; \
	JNZ  loop; \
	VZEROUPPER; \
	RET

// FROM leaves as many results as y has lanes in y, as 32-bit integers.
#define FROM(MOVE, off, qn, y, t) \
	MOVE off(SI), y; \
	VPSLLD $1, y, y; \
	VPADDD off(DX), qn, t; \
	VPSUBD y, t, y

// func fromDots64AVX512(dst *float64, dots, zn *int32, n int, qn int32)
TEXT ·fromDots64AVX512(SB), NOSPLIT, $0-36
	ARGS
	VPBROADCASTD AX, Z8

loop:
	FROM(VMOVDQU32, 0, Z8, Z0, Z1)
	VEXTRACTI64X4 $1, Z0, Y1
	VCVTDQ2PD Y0, Z2
	VCVTDQ2PD Y1, Z3
	VMOVUPD Z2, (DI)
	VMOVUPD Z3, 64(DI)
	NEXT(128)

// func fromDots32AVX512(dst *float32, dots, zn *int32, n int, qn int32)
TEXT ·fromDots32AVX512(SB), NOSPLIT, $0-36
	ARGS
	VPBROADCASTD AX, Z8

loop:
	FROM(VMOVDQU32, 0, Z8, Z0, Z1)
	VCVTDQ2PS Z0, Z0
	VMOVUPS Z0, (DI)
	NEXT(64)

// Write eight results as float64 to off of dst.
#define FROM8D(from, off) \
	FROM(VMOVDQU, from, Y8, Y0, Y1); \
	VEXTRACTI128 $1, Y0, X1; \
	VCVTDQ2PD X0, Y2; \
	VCVTDQ2PD X1, Y3; \
	VMOVUPD Y2, off(DI); \
	VMOVUPD Y3, (off+32)(DI)

// func fromDots64AVX2(dst *float64, dots, zn *int32, n int, qn int32)
TEXT ·fromDots64AVX2(SB), NOSPLIT, $0-36
	ARGS
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

loop:
	FROM8D(0, 0)
	FROM8D(32, 64)
	NEXT(128)

// func fromDots32AVX2(dst *float32, dots, zn *int32, n int, qn int32)
TEXT ·fromDots32AVX2(SB), NOSPLIT, $0-36
	ARGS
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

loop:
	FROM(VMOVDQU, 0, Y8, Y0, Y1)
	FROM(VMOVDQU, 32, Y8, Y2, Y3)
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y2, Y2
	VMOVUPS Y0, (DI)
	VMOVUPS Y2, 32(DI)
	NEXT(64)
