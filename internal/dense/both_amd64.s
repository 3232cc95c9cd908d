//go:build !purego

#include "textflag.h"

// One pass computes the products of four rows of a matrix with x, and adds multiples of the rows to y.
//
// Registers: SI, R8, R9, R10 the four rows, DX x, DI y, CX columns left; sums of the rows 0..3 in registers 0..3, the
// factors in 8..11, x in 12, y in 14.

// ROWS computes the row pointers from a in SI and ld in R8.
#define ROWS \
	SHLQ $3, R8; \
	LEAQ (SI)(R8*2), R9; \
	LEAQ (R9)(R8*1), R10; \
	ADDQ SI, R8

#define NEXT(BYTES) \
	ADDQ $BYTES, SI; \
	ADDQ $BYTES, R8; \
	ADDQ $BYTES, R9; \
	ADDQ $BYTES, R10; \
	ADDQ $BYTES, DX; \
	ADDQ $BYTES, DI

// FMAS uses the row vector T for both operations.
#define FMAS(T, X, SUM, C, Y) \
	VFMADD231PD T, X, SUM; \
	VFMADD231PD T, C, Y

// SUMS adds up the lanes of each row's sum in Y0..Y3, and adds the results to *AX.
#define SUMS \
	VHADDPD Y1, Y0, Y0; \
	VHADDPD Y3, Y2, Y2; \
	VPERM2F128 $0x21, Y2, Y0, Y1; \
	VBLENDPD $12, Y2, Y0, Y0; \
	VADDPD  Y1, Y0, Y0; \
	VADDPD  (AX), Y0, Y0; \
	VMOVUPD Y0, (AX)

// func bothAVX2(dst, coef, a []float64, ld int, x, y []float64)
TEXT ·bothAVX2(SB), NOSPLIT, $0-128
	MOVQ dst_base+0(FP), AX
	MOVQ coef_base+24(FP), BX
	MOVQ a_base+48(FP), SI
	MOVQ ld+72(FP), R8
	MOVQ x_base+80(FP), DX
	MOVQ x_len+88(FP), CX
	MOVQ y_base+104(FP), DI
	ROWS
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VBROADCASTSD (BX), Y8
	VBROADCASTSD 8(BX), Y9
	VBROADCASTSD 16(BX), Y10
	VBROADCASTSD 24(BX), Y11
	SUBQ $4, CX
	JLT  tail

	PCALIGN $64
loop:
	VMOVUPD (DX), Y12
	VMOVUPD (DI), Y14
	VMOVUPD (SI), Y4
	VMOVUPD (R8), Y5
	VMOVUPD (R9), Y6
	VMOVUPD (R10), Y7
	FMAS(Y4, Y12, Y0, Y8, Y14)
	FMAS(Y5, Y12, Y1, Y9, Y14)
	FMAS(Y6, Y12, Y2, Y10, Y14)
	FMAS(Y7, Y12, Y3, Y11, Y14)
	VMOVUPD Y14, (DI)
	NEXT(32)
	SUBQ $4, CX
	JGE  loop

tail:
	ADDQ $4, CX
	JZ   sums
	LEAQ tailmask4<>+32(SB), R11
	SHLQ $3, CX
	SUBQ CX, R11
	VMOVUPD (R11), Y15
	VMASKMOVPD (DX), Y15, Y12
	VMASKMOVPD (DI), Y15, Y14
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (R8), Y15, Y5
	VMASKMOVPD (R9), Y15, Y6
	VMASKMOVPD (R10), Y15, Y7
	FMAS(Y4, Y12, Y0, Y8, Y14)
	FMAS(Y5, Y12, Y1, Y9, Y14)
	FMAS(Y6, Y12, Y2, Y10, Y14)
	FMAS(Y7, Y12, Y3, Y11, Y14)
	VMASKMOVPD Y14, Y15, (DI)

sums:
	SUMS
	VZEROUPPER
	RET

// tailmask4<>+32−8n selects the first n of four float64.
DATA tailmask4<>+0(SB)/8, $-1
DATA tailmask4<>+8(SB)/8, $-1
DATA tailmask4<>+16(SB)/8, $-1
DATA tailmask4<>+24(SB)/8, $-1
DATA tailmask4<>+32(SB)/8, $0
DATA tailmask4<>+40(SB)/8, $0
DATA tailmask4<>+48(SB)/8, $0
DATA tailmask4<>+56(SB)/8, $0
GLOBL tailmask4<>(SB), RODATA|NOPTR, $64

// func bothAVX512(dst, coef, a []float64, ld int, x, y []float64)
TEXT ·bothAVX512(SB), NOSPLIT, $0-128
	MOVQ dst_base+0(FP), R12
	MOVQ coef_base+24(FP), BX
	MOVQ a_base+48(FP), SI
	MOVQ ld+72(FP), R8
	MOVQ x_base+80(FP), DX
	MOVQ x_len+88(FP), CX
	MOVQ y_base+104(FP), DI
	ROWS
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VBROADCASTSD (BX), Z8
	VBROADCASTSD 8(BX), Z9
	VBROADCASTSD 16(BX), Z10
	VBROADCASTSD 24(BX), Z11
	SUBQ $8, CX
	JLT  tail

	PCALIGN $64
loop:
	VMOVUPD (DX), Z12
	VMOVUPD (DI), Z14
	VMOVUPD (SI), Z4
	VMOVUPD (R8), Z5
	VMOVUPD (R9), Z6
	VMOVUPD (R10), Z7
	FMAS(Z4, Z12, Z0, Z8, Z14)
	FMAS(Z5, Z12, Z1, Z9, Z14)
	FMAS(Z6, Z12, Z2, Z10, Z14)
	FMAS(Z7, Z12, Z3, Z11, Z14)
	VMOVUPD Z14, (DI)
	NEXT(64)
	SUBQ $8, CX
	JGE  loop

tail:
	ADDQ $8, CX
	JZ   sums
	MOVL $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVB AX, K1
	VMOVUPD.Z (DX), K1, Z12
	VMOVUPD.Z (DI), K1, Z14
	VMOVUPD.Z (SI), K1, Z4
	VMOVUPD.Z (R8), K1, Z5
	VMOVUPD.Z (R9), K1, Z6
	VMOVUPD.Z (R10), K1, Z7
	FMAS(Z4, Z12, Z0, Z8, Z14)
	FMAS(Z5, Z12, Z1, Z9, Z14)
	FMAS(Z6, Z12, Z2, Z10, Z14)
	FMAS(Z7, Z12, Z3, Z11, Z14)
	VMOVUPD Z14, K1, (DI)

sums:
	MOVQ R12, AX
	VEXTRACTF64X4 $1, Z0, Y4
	VEXTRACTF64X4 $1, Z1, Y5
	VEXTRACTF64X4 $1, Z2, Y6
	VEXTRACTF64X4 $1, Z3, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	SUMS
	VZEROUPPER
	RET
