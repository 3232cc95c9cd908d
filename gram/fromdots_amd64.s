//go:build !purego

#include "textflag.h"

// dst = qn + zn − 2·dots, converted to floating point.

#define ARGS \
	MOVQ dst+0(FP), DI;   \
	MOVQ dots+8(FP), SI;  \
	MOVQ zn+16(FP), DX;   \
	MOVQ n+24(FP), CX

// func fromDots64AVX512(dst *float64, dots, zn *int32, n int, qn int32)
TEXT ·fromDots64AVX512(SB), NOSPLIT, $0-36
	ARGS
	MOVL qn+32(FP), AX
	VPBROADCASTD AX, Z8

loop:
	VMOVDQU32 (SI), Z0
	VPSLLD $1, Z0, Z0
	VPADDD (DX), Z8, Z1
	VPSUBD Z0, Z1, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VCVTDQ2PD Y0, Z2
	VCVTDQ2PD Y1, Z3
	VMOVUPD Z2, (DI)
	VMOVUPD Z3, 64(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $128, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func fromDots32AVX512(dst *float32, dots, zn *int32, n int, qn int32)
TEXT ·fromDots32AVX512(SB), NOSPLIT, $0-36
	ARGS
	MOVL qn+32(FP), AX
	VPBROADCASTD AX, Z8

loop:
	VMOVDQU32 (SI), Z0
	VPSLLD $1, Z0, Z0
	VPADDD (DX), Z8, Z1
	VPSUBD Z0, Z1, Z0
	VCVTDQ2PS Z0, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// y = eight results as 32-bit integers.
#define FROM8(off, y, t) \
	VMOVDQU off(SI), y; \
	VPSLLD $1, y, y; \
	VPADDD off(DX), Y8, t; \
	VPSUBD y, t, y

// Write eight results as float64 to off of dst.
#define FROM8D(from, off) \
	FROM8(from, Y0, Y1); \
	VEXTRACTI128 $1, Y0, X1; \
	VCVTDQ2PD X0, Y2; \
	VCVTDQ2PD X1, Y3; \
	VMOVUPD Y2, off(DI); \
	VMOVUPD Y3, (off+32)(DI)

// func fromDots64AVX2(dst *float64, dots, zn *int32, n int, qn int32)
TEXT ·fromDots64AVX2(SB), NOSPLIT, $0-36
	ARGS
	MOVL qn+32(FP), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

loop:
	FROM8D(0, 0)
	FROM8D(32, 64)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $128, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func fromDots32AVX2(dst *float32, dots, zn *int32, n int, qn int32)
TEXT ·fromDots32AVX2(SB), NOSPLIT, $0-36
	ARGS
	MOVL qn+32(FP), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8

loop:
	FROM8(0, Y0, Y1)
	FROM8(32, Y2, Y3)
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y2, Y2
	VMOVUPS Y0, (DI)
	VMOVUPS Y2, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET
