//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx512_amd64.h"

// exp of a slice, and rows of kernel values that end in exp, for both element types.

#define EXP_SCALED \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	BROADCAST scale+24(FP), Z12; \
	CONSTS; \
four: \
	CMPQ CX, $(256/ESZ); \
	JLT  one; \
	MUL (SI), Z12, Z8; \
	MUL 64(SI), Z12, Z9; \
	MUL 128(SI), Z12, Z10; \
	MUL 192(SI), Z12, Z11; \
	EXP4(Z8, Z9, Z10, Z11); \
	VMOVUPS Z4, (DI); \
	VMOVUPS Z5, 64(DI); \
	VMOVUPS Z6, 128(DI); \
	VMOVUPS Z7, 192(DI); \
	ADDQ $256, SI; \
	ADDQ $256, DI; \
	SUBQ $(256/ESZ), CX; \
	JMP  four; \
one: \
	CMPQ CX, $(64/ESZ); \
	JLT  tail; \
	MUL (SI), Z12, Z8; \
	EXP1(Z8); \
	VMOVUPS Z4, (DI); \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $(64/ESZ), CX; \
	JMP  one; \
tail: \
	TESTQ CX, CX; \
	JZ   done; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K1; \
	MOVE.Z (SI), K1, Z8; \
	MUL Z12, Z8, Z8; \
	EXP1(Z8); \
	MOVE Z4, K1, (DI); \
done: \
	VZEROUPPER

// Write e^(scale·x) of four panels, 256 bytes, to off(DI). Z7 is free until it takes a result.
#define FINISH4(off, x0, x1, x2, x3) \
	BROADCAST scale+48(FP), Z7; \
	MUL Z7, x0, x0; \
	MUL Z7, x1, x1; \
	MUL Z7, x2, x2; \
	MUL Z7, x3, x3; \
	EXP4(x0, x1, x2, x3); \
	VMOVUPS Z4, off(DI); \
	VMOVUPS Z5, (off+64)(DI); \
	VMOVUPS Z6, (off+128)(DI); \
	VMOVUPS Z7, (off+192)(DI)

// Eight panels at a time. Their squared distances stay in Z8..Z15. While exp is computed there, the processor already
// loads the next panels.
#define ROW_EXP \
	MOVQ dst+0(FP), DI; \
	MOVQ q+8(FP), SI; \
	MOVQ x+16(FP), DX; \
	MOVQ xs+24(FP), R10; \
	MOVQ k+32(FP), CX; \
	MOVQ panels+40(FP), R11; \
	LEAQ (R10)(R10*2), R12; \
	LEAQ (R10)(R10*4), R13; \
	LEAQ (R12)(R10*4), R9; \
	CONSTS; \
eight: \
	CMPQ R11, $8; \
	JLT  one; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	VPXORQ Z10, Z10, Z10; \
	VPXORQ Z11, Z11, Z11; \
	VPXORQ Z12, Z12, Z12; \
	VPXORQ Z13, Z13, Z13; \
	VPXORQ Z14, Z14, Z14; \
	VPXORQ Z15, Z15, Z15; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature: \
	BROADCAST (SI)(BX*ESZ), Z0; \
	SUB (AX), Z0, Z1; \
	SUB (AX)(R10*1), Z0, Z2; \
	SUB (AX)(R10*2), Z0, Z3; \
	SUB (AX)(R12*1), Z0, Z4; \
	FMA231 Z1, Z1, Z8; \
	FMA231 Z2, Z2, Z9; \
	FMA231 Z3, Z3, Z10; \
	FMA231 Z4, Z4, Z11; \
	SUB (AX)(R10*4), Z0, Z1; \
	SUB (AX)(R13*1), Z0, Z2; \
	SUB (AX)(R12*2), Z0, Z3; \
	SUB (AX)(R9*1), Z0, Z4; \
	FMA231 Z1, Z1, Z12; \
	FMA231 Z2, Z2, Z13; \
	FMA231 Z3, Z3, Z14; \
	FMA231 Z4, Z4, Z15; \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, CX; \
	JNE  feature; \
	FINISH4(0, Z8, Z9, Z10, Z11); \
	FINISH4(256, Z12, Z13, Z14, Z15); \
	ADDQ $512, DI; \
	LEAQ (DX)(R10*8), DX; \
	SUBQ $8, R11; \
	JMP  eight; \
one: \
	TESTQ R11, R11; \
	JZ   done; \
	VPXORQ Z8, Z8, Z8; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature1: \
	BROADCAST (SI)(BX*ESZ), Z0; \
	SUB (AX), Z0, Z1; \
	FMA231 Z1, Z1, Z8; \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, CX; \
	JNE  feature1; \
	BROADCAST scale+48(FP), Z7; \
	MUL Z7, Z8, Z8; \
	EXP1(Z8); \
	VMOVUPS Z4, (DI); \
	ADDQ $64, DI; \
	ADDQ R10, DX; \
	DECQ R11; \
	JMP  one; \
done: \
	VZEROUPPER

// func expScaled64AVX512(dst, src *float64, n int, scale float64)
TEXT ·expScaled64AVX512(SB), NOSPLIT, $0-32
	EXP_SCALED
	RET

// func rowExp64AVX512(dst, q, x *float64, xs uintptr, k, panels int, scale float64)
TEXT ·rowExp64AVX512(SB), NOSPLIT, $0-56
	ROW_EXP
	RET

#include "exp_single_amd64.h"

// func expScaled32AVX512(dst, src *float32, n int, scale float32)
TEXT ·expScaled32AVX512(SB), NOSPLIT, $0-28
	EXP_SCALED
	RET

// func rowExp32AVX512(dst, q, x *float32, xs uintptr, k, panels int, scale float32)
TEXT ·rowExp32AVX512(SB), NOSPLIT, $0-52
	ROW_EXP
	RET
