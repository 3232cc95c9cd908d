//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"

// exp on (−∞, 0] in AVX-512, the algorithm of exp.go, and the rows that end in it.
// Z16 ... hold the constants (CONSTS); Z0..Z3 take n, Z4..Z7 the result. Lane for
// lane this is what expGeneric64 and expGeneric32 do. The macros are for both element
// types, which define before their TEXT
//
//	ESZ                     bytes in an element
//	CONST(at)               the constant at this place of the type's table
//	BROADCAST               one element to all lanes
//	MUL, SUB, MAX, SCALEF   arithmetic, and the fused multiply-adds FMA231, FMA213
//	MOVE                    a move that takes a mask of elements
//	TOP                     the register of the highest coefficient
//	CONSTS, POLY4, POLY1    constants, and the steps of the polynomial from TOP to C2

#define CONSTS_BOTH \
	BROADCAST CLAMP, Z16; \
	BROADCAST LOG2E, Z17; \
	BROADCAST SHIFT, Z18; \
	BROADCAST LN2HI, Z19; \
	BROADCAST LN2LO, Z20; \
	BROADCAST ONE, Z21; \
	BROADCAST C2, Z22; \
	BROADCAST C3, Z23; \
	BROADCAST C4, Z24; \
	BROADCAST C5, Z25; \
	BROADCAST C6, Z26

// One step of the polynomial of four registers, and of one.
#define STEP4(c, x0, x1, x2, x3) FMA213 c, x0, Z4; FMA213 c, x1, Z5; FMA213 c, x2, Z6; FMA213 c, x3, Z7
#define STEP1(c, x) FMA213 c, x, Z4

// e^x of four registers into Z4..Z7. First n = round(x / ln 2) and r = x − n·ln 2, in
// the place of x.
#define EXP4(x0, x1, x2, x3) \
	MAX x0, Z16, x0; MAX x1, Z16, x1; MAX x2, Z16, x2; MAX x3, Z16, x3; \
	VMOVAPS Z18, Z0; VMOVAPS Z18, Z1; VMOVAPS Z18, Z2; VMOVAPS Z18, Z3; \
	FMA231 Z17, x0, Z0; FMA231 Z17, x1, Z1; FMA231 Z17, x2, Z2; FMA231 Z17, x3, Z3; \
	SUB Z18, Z0, Z0; SUB Z18, Z1, Z1; SUB Z18, Z2, Z2; SUB Z18, Z3, Z3; \
	FMA231 Z19, Z0, x0; FMA231 Z19, Z1, x1; FMA231 Z19, Z2, x2; FMA231 Z19, Z3, x3; \
	FMA231 Z20, Z0, x0; FMA231 Z20, Z1, x1; FMA231 Z20, Z2, x2; FMA231 Z20, Z3, x3; \
	VMOVAPS TOP, Z4; VMOVAPS TOP, Z5; VMOVAPS TOP, Z6; VMOVAPS TOP, Z7; \
	POLY4(x0, x1, x2, x3); \
	STEP4(Z21, x0, x1, x2, x3); \
	STEP4(Z21, x0, x1, x2, x3); \
	SCALEF Z0, Z4, Z4; SCALEF Z1, Z5, Z5; SCALEF Z2, Z6, Z6; SCALEF Z3, Z7, Z7

// e^x of one register into Z4.
#define EXP1(x) \
	MAX x, Z16, x; \
	VMOVAPS Z18, Z0; \
	FMA231 Z17, x, Z0; \
	SUB Z18, Z0, Z0; \
	FMA231 Z19, Z0, x; \
	FMA231 Z20, Z0, x; \
	VMOVAPS TOP, Z4; \
	POLY1(x); \
	STEP1(Z21, x); \
	STEP1(Z21, x); \
	SCALEF Z0, Z4, Z4

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

// Half of eight panels: e^(scale·x), 256 bytes, to off(DI). Z7 is free until it takes a result.
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

// Eight panels at a time: their squared distances stay in Z8..Z15, and while exp
// is computed there, the processor already loads the next panels.
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

#define ESZ 8
#define CONST(at) exp64<>+at(SB)
#define BROADCAST VBROADCASTSD
#define MUL VMULPD
#define SUB VSUBPD
#define MAX VMAXPD
#define SCALEF VSCALEFPD
#define FMA231 VFMADD231PD
#define FMA213 VFMADD213PD
#define MOVE VMOVUPD
#define TOP Z31
#define CONSTS \
	CONSTS_BOTH; \
	BROADCAST C7, Z27; \
	BROADCAST C8, Z28; \
	BROADCAST C9, Z29; \
	BROADCAST C10, Z30; \
	BROADCAST C11, Z31
#define POLY4(x0, x1, x2, x3) \
	STEP4(Z30, x0, x1, x2, x3); \
	STEP4(Z29, x0, x1, x2, x3); \
	STEP4(Z28, x0, x1, x2, x3); \
	STEP4(Z27, x0, x1, x2, x3); \
	STEP4(Z26, x0, x1, x2, x3); \
	STEP4(Z25, x0, x1, x2, x3); \
	STEP4(Z24, x0, x1, x2, x3); \
	STEP4(Z23, x0, x1, x2, x3); \
	STEP4(Z22, x0, x1, x2, x3)
#define POLY1(x) \
	STEP1(Z30, x); STEP1(Z29, x); STEP1(Z28, x); STEP1(Z27, x); STEP1(Z26, x); \
	STEP1(Z25, x); STEP1(Z24, x); STEP1(Z23, x); STEP1(Z22, x)

// func expScaled64AVX512(dst, src *float64, n int, scale float64)
TEXT ·expScaled64AVX512(SB), NOSPLIT, $0-32
	EXP_SCALED
	RET

// func rowExp64AVX512(dst, q, x *float64, xs uintptr, k, panels int, scale float64)
TEXT ·rowExp64AVX512(SB), NOSPLIT, $0-56
	ROW_EXP
	RET

#undef ESZ
#undef CONST
#undef BROADCAST
#undef MUL
#undef SUB
#undef MAX
#undef SCALEF
#undef FMA231
#undef FMA213
#undef MOVE
#undef TOP
#undef CONSTS
#undef POLY4
#undef POLY1
#define ESZ 4
#define CONST(at) exp32<>+at(SB)
#define BROADCAST VBROADCASTSS
#define MUL VMULPS
#define SUB VSUBPS
#define MAX VMAXPS
#define SCALEF VSCALEFPS
#define FMA231 VFMADD231PS
#define FMA213 VFMADD213PS
#define MOVE VMOVUPS
#define TOP Z26
#define CONSTS CONSTS_BOTH
#define POLY4(x0, x1, x2, x3) \
	STEP4(Z25, x0, x1, x2, x3); \
	STEP4(Z24, x0, x1, x2, x3); \
	STEP4(Z23, x0, x1, x2, x3); \
	STEP4(Z22, x0, x1, x2, x3)
#define POLY1(x) STEP1(Z25, x); STEP1(Z24, x); STEP1(Z23, x); STEP1(Z22, x)

// func expScaled32AVX512(dst, src *float32, n int, scale float32)
TEXT ·expScaled32AVX512(SB), NOSPLIT, $0-28
	EXP_SCALED
	RET

// func rowExp32AVX512(dst, q, x *float32, xs uintptr, k, panels int, scale float32)
TEXT ·rowExp32AVX512(SB), NOSPLIT, $0-52
	ROW_EXP
	RET
