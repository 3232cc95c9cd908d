//go:build !purego

#include "textflag.h"

// The constants of the grid at DX: Y8 origin, Y9 step, Y10 rate, Y11 off, Y12 mask of all bits but the sign.
#define GRID \
	VBROADCASTSD (DX), Y8; \
	VBROADCASTSD 8(DX), Y9; \
	VBROADCASTSD 16(DX), Y10; \
	VBROADCASTSD 24(DX), Y11; \
	MOVQ $0x7fffffffffffffff, AX; \
	MOVQ AX, X12; \
	VBROADCASTSD X12, Y12

// The bytes of four features of a sample, as integers of 32 bits in x. Y6 collects failed comparisons.
#define BYTES(mem, x) \
	VMOVUPD mem, Y0; \
	VSUBPD Y8, Y0, Y1; \
	VMULPD Y10, Y1, Y1; \
	VCVTPD2DQY Y1, x; \
	VCVTDQ2PD x, Y3; \
	VMULPD Y9, Y3, Y3; \
	VADDPD Y8, Y3, Y3; \
	VSUBPD Y3, Y0, Y3; \
	VANDPD Y12, Y3, Y3; \
	VCMPPD $0x16, Y11, Y3, Y3; \
	VPOR Y3, Y6, Y6

// Add the bytes in x, of one or two samples, and their squares, and collect their bits.
#define ADDSUMS(x, t, sum, squares, bits) \
	VPOR x, bits, bits; \
	VPADDD x, sum, sum; \
	VPMULLD x, x, t; \
	VPADDD t, squares, squares

// func packUint8AVX2(dst *uint32, stride uintptr, x *float64, k int, to *grid, sums *[2]int32) bool
//
// Y13 Σ b, Y14 Σ b². Y15 collects the bits of b, of which none may be above the eighth, and Y6 failed comparisons.
TEXT ·packUint8AVX2(SB), NOSPLIT, $0-49
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ k+24(FP), CX
	MOVQ to+32(FP), DX
	MOVQ sums+40(FP), R9
	GRID
	VPXOR X13, X13, X13
	VPXOR X14, X14, X14
	VPXOR X15, X15, X15
	VPXOR Y6, Y6, Y6

group:
	BYTES((SI), X2)
	ADDSUMS(X2, X4, X13, X14, X15)
	VPACKUSDW X2, X2, X2
	VPACKUSWB X2, X2, X2
	VMOVD X2, (DI)
	ADDQ $32, SI
	ADDQ R8, DI
	DECQ CX
	JNZ  group

	// Σ of four lanes each, next to each other.
	VPHADDD X13, X14, X0
	VPHADDD X0, X0, X0
	VMOVQ X0, (R9)
	VPSRLD $8, X15, X15
	VPTEST X15, X15
	JNZ  wrong
	VPTEST Y6, Y6
	JNZ  wrong
	VZEROUPPER
	MOVB $1, ret+48(FP)
	RET

wrong:
	VZEROUPPER
	MOVB $0, ret+48(FP)
	RET

// Σ of four lanes each, next to each other, of two samples.
#define STORESUMS(sum, squares, to) \
	VPHADDD sum, squares, Y0; \
	VPHADDD Y0, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VMOVQ X0, to(R9); \
	VMOVQ X1, (to+8)(R9)

// func packUint8FourAVX2(dst *uint32, stride uintptr, x *float64, xs uintptr, k int, to *grid, sums *[4][2]int32) bool
//
// As packUint8AVX2, but Y13 and Y14 have the sums of the first two samples, Y4 and Y5 those of the others.
TEXT ·packUint8FourAVX2(SB), NOSPLIT, $0-57
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ xs+24(FP), R10
	MOVQ k+32(FP), CX
	MOVQ to+40(FP), DX
	MOVQ sums+48(FP), R9
	LEAQ (R10)(R10*2), R11
	GRID
	VPXOR X4, X4, X4
	VPXOR X5, X5, X5
	VPXOR X13, X13, X13
	VPXOR X14, X14, X14
	VPXOR X15, X15, X15
	VPXOR Y6, Y6, Y6

group:
	BYTES((SI), X2)
	BYTES((SI)(R10*1), X7)
	VINSERTI128 $1, X7, Y2, Y2
	ADDSUMS(Y2, Y7, Y13, Y14, Y15)
	BYTES((SI)(R10*2), X7)
	BYTES((SI)(R11*1), X1)
	VINSERTI128 $1, X1, Y7, Y7
	ADDSUMS(Y7, Y1, Y4, Y5, Y15)
	VPACKUSDW Y7, Y2, Y2 // samples 0, 2 in the lower half and 1, 3 in the upper one
	VPACKUSWB Y2, Y2, Y2
	VEXTRACTI128 $1, Y2, X1
	VPUNPCKLDQ X1, X2, X2
	VMOVDQU X2, (DI)
	ADDQ $32, SI
	ADDQ R8, DI
	DECQ CX
	JNZ  group

	STORESUMS(Y13, Y14, 0)
	STORESUMS(Y4, Y5, 16)
	VPSRLD $8, Y15, Y15
	VPTEST Y15, Y15
	JNZ  wrong
	VPTEST Y6, Y6
	JNZ  wrong
	VZEROUPPER
	MOVB $1, ret+56(FP)
	RET

wrong:
	VZEROUPPER
	MOVB $0, ret+56(FP)
	RET
