//go:build !purego

#include "textflag.h"

// The two passes of a two-variable step in single precision. They keep no indices: which of the blocks of 128 elements
// has the least is known at its end, and its index is looked for once.

DATA singleConst<>+0(SB)/4, $0x7f800000 // +Inf
DATA singleConst<>+4(SB)/4, $0xff800000 // -Inf
DATA singleConst<>+8(SB)/4, $0x40000000 // 2
DATA singleConst<>+12(SB)/4, $0x2b8cbccc // 1e-12, tau
GLOBL singleConst<>(SB), RODATA|NOPTR, $16

// v = g + t(ki − kj), rounded twice; MIN = min(v + up), MAX = max(v − low)
#define STEP(I, T, V, S, MIN, MAX) \
	VMOVUPS I(R8), V         \
	VSUBPS  I(R9), V, V      \
	VMULPS  T, V, V          \
	VADDPS  I(DI), V, V      \
	VMOVUPS V, I(DI)         \
	VADDPS  I(SI), V, S      \
	VMINPS  MIN, S, MIN      \
	VSUBPS  I(DX), V, S      \
	VMAXPS  S, MAX, MAX

#define NEXT(BYTES) \
	ADDQ $BYTES, DI \
	ADDQ $BYTES, SI \
	ADDQ $BYTES, DX \
	ADDQ $BYTES, R8 \
	ADDQ $BYTES, R9

// X = min (max) over the lanes of Y, of which X is the low half.
#define FOLD(OP, Y, X, T) \
	VEXTRACTF128 $1, Y, T  \
	OP           T, X, X   \
	VPERMILPD    $1, X, T  \
	OP           T, X, X   \
	VPERMILPS    $1, X, T  \
	OP           T, X, X

// The least and the largest of Y in both halves of Z.
#define HALVE(OP, Z, Y, T) \
	VEXTRACTF64X4 $1, Z, T \
	OP            T, Y, Y

#define BEGIN \
	MOVQ grad_base+0(FP), DI \
	MOVQ grad_len+8(FP), CX  \
	MOVQ up_base+24(FP), SI  \
	MOVQ low_base+48(FP), DX \
	MOVQ ki_base+72(FP), R8  \
	MOVQ kj_base+96(FP), R9  \
	MOVQ DI, R10 \
	MOVQ SI, R11

// From the number CX of elements that are left: R12 of the next block.
#define BLOCK \
	MOVQ    $128, R12 \
	CMPQ    CX, R12   \
	JGE     full      \
	MOVQ    CX, R12   \
full: \
	SUBQ    R12, CX   \
	MOVQ    DI, R13   \
	MOVQ    SI, BX

// R10 = the byte of the least among the elements from R10 on, with up from R11 on.
#define END(X0, X4) \
	SUBQ   grad_base+0(FP), R10 \
	SHRQ   $2, R10 \
	ADDQ   AX, R10 \
	MOVQ   R10, i+128(FP) \
	VXORPS X9, X9, X9 \
	VSUBSS X0, X9, X1 \
	VMOVSS X1, m+136(FP) \
	VSUBSS X4, X9, X4 \
	VMOVSS X4, M+140(FP) \
	VZEROUPPER \
	RET

// BB = max(m + g − low, 0)²; A = max(c − 2 ki, tau); T = A BEST
#define GAIN(I, BB, A, M, C, TWO, TAU, ZERO, BEST, T) \
	VMOVUPS      I(DI), BB    \
	VSUBPS       I(SI), BB, BB \
	VADDPS       M, BB, BB    \
	VMAXPS       ZERO, BB, BB \
	VMULPS       BB, BB, BB   \
	VMULPS       I(DX), TWO, A \
	VSUBPS       A, C, A      \
	VMAXPS       TAU, A, A    \
	VMULPS       BEST, A, T

#define GAIN256(I, BB, A) \
	GAIN(I, BB, A, Y8, Y9, Y11, Y12, Y13, Y10, Y14) \
	VCMPPS $14, Y14, BB, Y14

// AX = the lanes of V that equal ALL, from bit SHIFT on in R12.
#define LANES256(ALL, V, SHIFT) \
	VCMPPS    $0, ALL, V, V \
	VMOVMSKPS V, AX         \
	SHLQ      $SHIFT, AX    \
	ORQ       AX, R12

#define SECOND \
	MOVQ grad_base+0(FP), DI \
	MOVQ grad_len+8(FP), CX  \
	MOVQ low_base+24(FP), SI \
	MOVQ ki_base+48(FP), DX  \
	MOVQ $-1, R10 \
	XORQ R11, R11

// func stepSingleAVX2(grad, up, low, ki, kj []float32, t float32) (i int, m, M float32)
TEXT ·stepSingleAVX2(SB), NOSPLIT, $0-144
	BEGIN
	VBROADCASTSS t+120(FP), Y8
	VBROADCASTSS singleConst<>+0(SB), Y0
	VBROADCASTSS singleConst<>+4(SB), Y4
	VMOVAPS      Y4, Y5
block:
	BLOCK
	VBROADCASTSS singleConst<>+0(SB), Y2
	VMOVAPS      Y2, Y3
loop:
	STEP(0, Y8, Y9, Y10, Y2, Y4)
	STEP(32, Y8, Y11, Y12, Y3, Y5)
	STEP(64, Y8, Y13, Y14, Y2, Y4)
	STEP(96, Y8, Y9, Y15, Y3, Y5)
	NEXT(128)
	SUBQ         $32, R12
	JNZ          loop
	VMINPS       Y3, Y2, Y2
	VCMPPS       $1, Y0, Y2, Y3
	VMOVMSKPS    Y3, AX
	TESTL        AX, AX
	JZ           next
	FOLD(VMINPS, Y2, X2, X3)
	VBROADCASTSS X2, Y0
	MOVQ         R13, R10
	MOVQ         BX, R11
next:
	TESTQ        CX, CX
	JNZ          block
	VMAXPS       Y5, Y4, Y4
	FOLD(VMAXPS, Y4, X4, X5)
	VMOVD        X0, AX
	CMPQ         AX, $0x7f800000 // none may rise, or all are NaN
	JEQ          none
find:
	VMOVUPS      (R10), Y1
	VADDPS       (R11), Y1, Y1
	VCMPPS       $0, Y0, Y1, Y1
	VMOVMSKPS    Y1, AX
	BSFQ         AX, R12
	JNZ          found
	ADDQ         $32, R10
	ADDQ         $32, R11
	JMP          find
none:
	XORQ         R12, R12
found:
	MOVQ         R12, AX
	END(X0, X4)

// func stepSingleAVX512(grad, up, low, ki, kj []float32, t float32) (i int, m, M float32)
TEXT ·stepSingleAVX512(SB), NOSPLIT, $0-144
	BEGIN
	VBROADCASTSS t+120(FP), Z8
	VBROADCASTSS singleConst<>+0(SB), Z0
	VBROADCASTSS singleConst<>+4(SB), Z4
	VMOVAPS      Z4, Z5
block:
	BLOCK
	VBROADCASTSS singleConst<>+0(SB), Z2
	VMOVAPS      Z2, Z3
loop:
	STEP(0, Z8, Z9, Z10, Z2, Z4)
	STEP(64, Z8, Z11, Z12, Z3, Z5)
	NEXT(128)
	SUBQ         $32, R12
	JNZ          loop
	VMINPS       Z3, Z2, Z2
	VCMPPS       $1, Z0, Z2, K1
	KMOVW        K1, AX
	TESTL        AX, AX
	JZ           next
	HALVE(VMINPS, Z2, Y2, Y3)
	FOLD(VMINPS, Y2, X2, X3)
	VBROADCASTSS X2, Z0
	MOVQ         R13, R10
	MOVQ         BX, R11
next:
	TESTQ        CX, CX
	JNZ          block
	VMAXPS       Z5, Z4, Z4
	HALVE(VMAXPS, Z4, Y4, Y5)
	FOLD(VMAXPS, Y4, X4, X5)
	VMOVD        X0, AX
	CMPQ         AX, $0x7f800000 // none may rise, or all are NaN
	JEQ          none
find:
	VMOVUPS      (R10), Z1
	VADDPS       (R11), Z1, Z1
	VCMPPS       $0, Z0, Z1, K1
	KMOVW        K1, AX
	BSFQ         AX, R12
	JNZ          found
	ADDQ         $64, R10
	ADDQ         $64, R11
	JMP          find
none:
	XORQ         R12, R12
found:
	MOVQ         R12, AX
	END(X0, X4)

// func secondSingleAVX2(grad, low, ki []float32, m, c float32) int
TEXT ·secondSingleAVX2(SB), NOSPLIT, $0-88
	SECOND
	VBROADCASTSS m+72(FP), Y8
	VBROADCASTSS c+76(FP), Y9
	VBROADCASTSS singleConst<>+8(SB), Y11
	VBROADCASTSS singleConst<>+12(SB), Y12
	VXORPS       Y13, Y13, Y13
	VXORPS       Y10, Y10, Y10
loop:
	GAIN256(0, Y0, Y4)
	VMOVAPS      Y14, Y15
	GAIN256(32, Y1, Y5)
	VORPD        Y14, Y15, Y15
	GAIN256(64, Y2, Y6)
	VORPD        Y14, Y15, Y15
	GAIN256(96, Y3, Y7)
	VORPD        Y14, Y15, Y15
	VMOVMSKPS    Y15, AX
	TESTL        AX, AX
	JNZ          more
next:
	ADDQ         $32, R11
	ADDQ         $128, DI
	ADDQ         $128, SI
	ADDQ         $128, DX
	SUBQ         $32, CX
	JNZ          loop
	MOVQ         R10, ret+80(FP)
	VZEROUPPER
	RET
more:
	VDIVPS       Y4, Y0, Y0
	VDIVPS       Y5, Y1, Y1
	VDIVPS       Y6, Y2, Y2
	VDIVPS       Y7, Y3, Y3
	VMAXPS       Y1, Y0, Y4
	VMAXPS       Y3, Y2, Y5
	VMAXPS       Y5, Y4, Y4
	FOLD(VMAXPS, Y4, X4, X5)
	VCMPPS       $14, X10, X4, X5
	VMOVD        X5, AX
	TESTL        AX, AX
	JZ           next
	VBROADCASTSS X4, Y10
	XORQ         R12, R12
	LANES256(Y10, Y0, 0)
	LANES256(Y10, Y1, 8)
	LANES256(Y10, Y2, 16)
	LANES256(Y10, Y3, 24)
	BSFQ         R12, R10
	ADDQ         R11, R10
	JMP          next

// func secondSingleAVX512(grad, low, ki []float32, m, c float32) int
TEXT ·secondSingleAVX512(SB), NOSPLIT, $0-88
	SECOND
	VBROADCASTSS m+72(FP), Z8
	VBROADCASTSS c+76(FP), Z9
	VBROADCASTSS singleConst<>+8(SB), Z11
	VBROADCASTSS singleConst<>+12(SB), Z12
	VPXORD       Z13, Z13, Z13
	VPXORD       Z10, Z10, Z10
loop:
	GAIN(0, Z0, Z4, Z8, Z9, Z11, Z12, Z13, Z10, Z14)
	VCMPPS       $14, Z14, Z0, K1
	GAIN(64, Z1, Z5, Z8, Z9, Z11, Z12, Z13, Z10, Z15)
	VCMPPS       $14, Z15, Z1, K2
	KORTESTW     K1, K2
	JNZ          more
next:
	ADDQ         $32, R11
	ADDQ         $128, DI
	ADDQ         $128, SI
	ADDQ         $128, DX
	SUBQ         $32, CX
	JNZ          loop
	MOVQ         R10, ret+80(FP)
	VZEROUPPER
	RET
more:
	VDIVPS       Z4, Z0, Z0
	VDIVPS       Z5, Z1, Z1
	VMAXPS       Z1, Z0, Z4
	HALVE(VMAXPS, Z4, Y4, Y5)
	FOLD(VMAXPS, Y4, X4, X5)
	VCMPPS       $14, X10, X4, X5
	VMOVD        X5, AX
	TESTL        AX, AX
	JZ           next
	VBROADCASTSS X4, Z10
	VCMPPS       $0, Z10, Z0, K1
	VCMPPS       $0, Z10, Z1, K2
	KMOVW        K1, R12
	KMOVW        K2, AX
	SHLQ         $16, AX
	ORQ          AX, R12
	BSFQ         R12, R10
	ADDQ         R11, R10
	JMP          next
