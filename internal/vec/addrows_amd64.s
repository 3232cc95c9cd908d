//go:build !purego

#include "textflag.h"

// Four rows are added in one pass over g, which is loaded and stored once for them.

#define HEAD \
	MOVQ         grad+0(FP), DI   \
	MOVQ         r0+8(FP), R8     \
	MOVQ         r1+16(FP), R9    \
	MOVQ         r2+24(FP), R10   \
	MOVQ         r3+32(FP), R11   \
	MOVQ         n+40(FP), CX     \
	MOVQ         c+48(FP), AX     \
	VBROADCASTSD (AX), Y8         \
	VBROADCASTSD 8(AX), Y9        \
	VBROADCASTSD 16(AX), Y10      \
	VBROADCASTSD 24(AX), Y11      \
	XORQ         SI, SI

// func addRows4F64AVX2(grad, r0, r1, r2, r3 *float64, n int, c *float64)
TEXT ·addRows4F64AVX2(SB), NOSPLIT, $0-56
	HEAD

f64:
	VMOVUPD     (DI)(SI*8), Y0
	VMOVUPD     32(DI)(SI*8), Y1
	VFMADD231PD (R8)(SI*8), Y8, Y0
	VFMADD231PD 32(R8)(SI*8), Y8, Y1
	VFMADD231PD (R9)(SI*8), Y9, Y0
	VFMADD231PD 32(R9)(SI*8), Y9, Y1
	VFMADD231PD (R10)(SI*8), Y10, Y0
	VFMADD231PD 32(R10)(SI*8), Y10, Y1
	VFMADD231PD (R11)(SI*8), Y11, Y0
	VFMADD231PD 32(R11)(SI*8), Y11, Y1
	VMOVUPD     Y0, (DI)(SI*8)
	VMOVUPD     Y1, 32(DI)(SI*8)
	ADDQ        $8, SI
	CMPQ        SI, CX
	JLT         f64
	VZEROUPPER
	RET

#define ADD32(R, C) \
	VCVTPS2PD   (R)(SI*4), Y2   \
	VCVTPS2PD   16(R)(SI*4), Y3 \
	VFMADD231PD Y2, C, Y0       \
	VFMADD231PD Y3, C, Y1

// func addRows4F32AVX2(grad *float64, r0, r1, r2, r3 *float32, n int, c *float64)
TEXT ·addRows4F32AVX2(SB), NOSPLIT, $0-56
	HEAD

f32:
	VMOVUPD (DI)(SI*8), Y0
	VMOVUPD 32(DI)(SI*8), Y1
	ADD32(R8, Y8)
	ADD32(R9, Y9)
	ADD32(R10, Y10)
	ADD32(R11, Y11)
	VMOVUPD Y0, (DI)(SI*8)
	VMOVUPD Y1, 32(DI)(SI*8)
	ADDQ    $8, SI
	CMPQ    SI, CX
	JLT     f32
	VZEROUPPER
	RET
