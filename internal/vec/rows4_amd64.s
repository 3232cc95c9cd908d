//go:build !purego

#include "textflag.h"

// Register use in all three kernels:
//   SI, R8, R9, R10  the four rows of a    DX  x    DI  y    CX  blocks of eight columns left
//   Y0..Y7  the sums: row r in Y(2r) (lanes 0-3) and Y(2r+1) (lanes 4-7)
//   Y8..Y11 c[0..3] broadcast    Y12, Y13  x    Y14, Y15  y

// ROWS sets the row pointers from a in SI and lda in R8.
#define ROWS \
	SHLQ $3, R8             \
	LEAQ (SI)(R8*2), R9     \
	LEAQ (R9)(R8*1), R10    \
	ADDQ SI, R8

#define NEXTROWS \
	ADDQ $64, SI  \
	ADDQ $64, R8  \
	ADDQ $64, R9  \
	ADDQ $64, R10

#define ZEROSUMS \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

#define LOADC(C) \
	VBROADCASTSD (C), Y8    \
	VBROADCASTSD 8(C), Y9   \
	VBROADCASTSD 16(C), Y10 \
	VBROADCASTSD 24(C), Y11

// DOTS adds eight columns of the four rows times x to the sums.
#define DOTS \
	VMOVUPD (DX), Y12            \
	VMOVUPD 32(DX), Y13          \
	VFMADD231PD (SI), Y12, Y0    \
	VFMADD231PD 32(SI), Y13, Y1  \
	VFMADD231PD (R8), Y12, Y2    \
	VFMADD231PD 32(R8), Y13, Y3  \
	VFMADD231PD (R9), Y12, Y4    \
	VFMADD231PD 32(R9), Y13, Y5  \
	VFMADD231PD (R10), Y12, Y6   \
	VFMADD231PD 32(R10), Y13, Y7 \
	ADDQ $64, DX

// AXPYS adds c times eight columns of the four rows to y.
#define AXPYS \
	VMOVUPD (DI), Y14              \
	VMOVUPD 32(DI), Y15            \
	VFMADD231PD (SI), Y8, Y14      \
	VFMADD231PD 32(SI), Y8, Y15    \
	VFMADD231PD (R8), Y9, Y14      \
	VFMADD231PD 32(R8), Y9, Y15    \
	VFMADD231PD (R9), Y10, Y14     \
	VFMADD231PD 32(R9), Y10, Y15   \
	VFMADD231PD (R10), Y11, Y14    \
	VFMADD231PD 32(R10), Y11, Y15  \
	VMOVUPD Y14, (DI)              \
	VMOVUPD Y15, 32(DI)            \
	ADDQ $64, DI

// ADDSUM adds the eight lanes of LO (Y, its lower half X) and HI to *(OFF)(AX).
#define ADDSUM(LO, X, HI, OFF) \
	VADDPD HI, LO, LO            \
	VEXTRACTF128 $1, LO, X12     \
	VADDPD X12, X, X             \
	VHADDPD X, X, X              \
	VADDSD OFF(AX), X, X         \
	VMOVSD X, OFF(AX)

#define ADDSUMS \
	ADDSUM(Y0, X0, Y1, 0)  \
	ADDSUM(Y2, X2, Y3, 8)  \
	ADDSUM(Y4, X4, Y5, 16) \
	ADDSUM(Y6, X6, Y7, 24)

// func dot4AVX2(dst *[4]float64, a *float64, lda int, x *float64, n int)
TEXT ·dot4AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ x+24(FP), DX
	MOVQ n+32(FP), CX
	SHRQ $3, CX
	JZ   done
	ROWS
	ZEROSUMS

loop:
	DOTS
	NEXTROWS
	DECQ CX
	JNZ  loop
	ADDSUMS

done:
	VZEROUPPER
	RET

// func axpy4AVX2(c *[4]float64, a *float64, lda int, y *float64, n int)
TEXT ·axpy4AVX2(SB), NOSPLIT, $0-40
	MOVQ c+0(FP), BX
	MOVQ a+8(FP), SI
	MOVQ lda+16(FP), R8
	MOVQ y+24(FP), DI
	MOVQ n+32(FP), CX
	SHRQ $3, CX
	JZ   done
	ROWS
	LOADC(BX)

loop:
	AXPYS
	NEXTROWS
	DECQ CX
	JNZ  loop

done:
	VZEROUPPER
	RET

// func dotAxpy4AVX2(dst, c *[4]float64, a *float64, lda int, x, y *float64, n int)
TEXT ·dotAxpy4AVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), AX
	MOVQ c+8(FP), BX
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ x+32(FP), DX
	MOVQ y+40(FP), DI
	MOVQ n+48(FP), CX
	SHRQ $3, CX
	JZ   done
	ROWS
	ZEROSUMS
	LOADC(BX)

loop:
	DOTS
	AXPYS
	NEXTROWS
	DECQ CX
	JNZ  loop
	ADDSUMS

done:
	VZEROUPPER
	RET
