//go:build !purego

#include "textflag.h"

// The logarithm of the rational quadratic kernel: log1p of matern.go, operation by operation, so that the bits are the
// same. Y15 has ratio in each lane, Y14 1, Y13 alpha and Y12 the largest number.

#define CONSTANT(name, value) DATA name<>+0(SB)/8, $value; GLOBL name<>(SB), RODATA|NOPTR, $8

CONSTANT(one, 0x3ff0000000000000)
CONSTANT(two, 0x4000000000000000)
CONSTANT(half, 0x3fe0000000000000)
CONSTANT(largest, 0x7fefffffffffffff)
CONSTANT(root, 0x3fe6a09e667f3bcd) // the bits of √½
CONSTANT(minusroot, 0xc0195f619980c433)
CONSTANT(fraction, 0x000fffffffffffff)
CONSTANT(magic, 0x4330000000000000) // 2⁵²
CONSTANT(ln2hi, 0x3fe62e42fee00000)
CONSTANT(ln2lo, 0x3dea39ef35793c76)
CONSTANT(l1, 0x3fe5555555555593)
CONSTANT(l2, 0x3fd999999997fa04)
CONSTANT(l3, 0x3fd2492494229359)
CONSTANT(l4, 0x3fcc71c51d8e78af)
CONSTANT(l5, 0x3fc7466496cb03de)
CONSTANT(l6, 0x3fc39a09d078c69f)
CONSTANT(l7, 0x3fc2f112df3e5244)

// OP with a constant.
#define WITH(op, name, a, b) VBROADCASTSD name<>(SB), Y11; op Y11, a, b

// Y4 = alpha·ln(1 + Y0), with Y0 ≥ 0. Y1 is 1 + Y0, Y2 its rounding, Y4 the exponent n, Y3 f and Y5 s.
#define LOG \
	VADDPD Y14, Y0, Y1; \
	VSUBPD Y14, Y1, Y2; \
	VSUBPD Y2, Y0, Y2; \
	VDIVPD Y1, Y2, Y2; \
	WITH(VPADDQ, minusroot, Y1, Y3); \
	VPSRLQ $52, Y3, Y4; \
	WITH(VPOR, magic, Y4, Y4); \
	VSUBPD Y11, Y4, Y4; \
	WITH(VPAND, fraction, Y3, Y3); \
	WITH(VPADDQ, root, Y3, Y3); \
	VSUBPD Y14, Y3, Y3; \
	WITH(VADDPD, two, Y3, Y5); \
	VDIVPD Y5, Y3, Y5; \
	VMULPD Y5, Y5, Y6; \
	VMULPD Y6, Y6, Y7; \
	WITH(VMULPD, l6, Y7, Y8); \
	WITH(VADDPD, l4, Y8, Y8); \
	VMULPD Y7, Y8, Y8; \
	WITH(VADDPD, l2, Y8, Y8); \
	VMULPD Y7, Y8, Y8; \
	WITH(VMULPD, l7, Y7, Y9); \
	WITH(VADDPD, l5, Y9, Y9); \
	VMULPD Y7, Y9, Y9; \
	WITH(VADDPD, l3, Y9, Y9); \
	VMULPD Y7, Y9, Y9; \
	WITH(VADDPD, l1, Y9, Y9); \
	VMULPD Y6, Y9, Y9; \
	WITH(VMULPD, half, Y3, Y10); \
	VMULPD Y3, Y10, Y10; \
	VADDPD Y9, Y8, Y8; \
	VADDPD Y8, Y10, Y8; \
	VMULPD Y5, Y8, Y8; \
	WITH(VMULPD, ln2lo, Y4, Y9); \
	VADDPD Y2, Y9, Y9; \
	VADDPD Y9, Y8, Y8; \
	WITH(VMULPD, ln2hi, Y4, Y4); \
	VSUBPD Y8, Y10, Y10; \
	VSUBPD Y3, Y10, Y10; \
	VSUBPD Y10, Y4, Y4; \
	VCMPPD $1, Y12, Y0, Y1; \
	VBLENDVPD Y1, Y4, Y0, Y4; \
	VMULPD Y13, Y4, Y4

#define ARGS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	VBROADCASTSD ratio+24(FP), Y15; \
	VBROADCASTSD alpha+32(FP), Y13; \
	VBROADCASTSD one<>(SB), Y14; \
	VBROADCASTSD largest<>(SB), Y12

// func logs64AVX2(dst, src *float64, n int, ratio, alpha float64)
TEXT ·logs64AVX2(SB), NOSPLIT, $0-40
	ARGS

four:
	VMULPD  (SI), Y15, Y0
	LOG
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JNZ     four
	VZEROUPPER
	RET

// func logs32AVX2(dst, src *float32, n int, ratio, alpha float64)
TEXT ·logs32AVX2(SB), NOSPLIT, $0-40
	ARGS

four:
	VCVTPS2PD  (SI), Y0
	VMULPD     Y15, Y0, Y0
	LOG
	VCVTPD2PSY Y4, X4
	VMOVUPS    X4, (DI)
	ADDQ       $16, SI
	ADDQ       $16, DI
	SUBQ       $4, CX
	JNZ        four
	VZEROUPPER
	RET
