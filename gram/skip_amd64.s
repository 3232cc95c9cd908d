//go:build !purego

#include "textflag.h"
#include "gram_amd64.h"

// Inner products of eight queries with panels of samples, over a list of features. TILE8X3 in gram_amd64.h visits all
// features; this file shares its ZERO8, STORE3 and STORE1.
//
//	DI out   R8 bytes between rows of out   SI q    R9 offsets   CX features
//	DX, R12, R13 three panels               R10 bytes between panels   R11 panels left
//	AX feature's offset, BX moving q, R14 moving row, R15 feature index

#define SKIP_ARGS \
	MOVQ out+0(FP), DI;     \
	MOVQ ldo+8(FP), R8;     \
	MOVQ q+16(FP), SI;      \
	MOVQ offset+24(FP), R9; \
	MOVQ k+32(FP), CX;      \
	MOVQ x+40(FP), DX;      \
	MOVQ xs+48(FP), R10;    \
	MOVQ panels+56(FP), R11

#define SKIP3(i, a, b, c) BC (i*ESZ)(BX), Z3; DOT(Z3, Z0, a); DOT(Z3, Z1, b); DOT(Z3, Z2, c)
#define SKIP1(i, a) BC (i*ESZ)(BX), Z3; DOT(Z3, Z0, a)

#define SKIP8 \
three: \
	CMPQ R11, $3; \
	JLT  one; \
	LEAQ (DX)(R10*1), R12; \
	LEAQ (DX)(R10*2), R13; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	ZERO8(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	ZERO8(Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31); \
	MOVQ SI, BX; \
	XORQ R15, R15; \
three1: \
	MOVL (R9)(R15*4), AX; \
	LOAD((DX)(AX*1), Z0); \
	LOAD((R12)(AX*1), Z1); \
	LOAD((R13)(AX*1), Z2); \
	SKIP3(0, Z8, Z9, Z10); \
	SKIP3(1, Z11, Z12, Z13); \
	SKIP3(2, Z14, Z15, Z16); \
	SKIP3(3, Z17, Z18, Z19); \
	SKIP3(4, Z20, Z21, Z22); \
	SKIP3(5, Z23, Z24, Z25); \
	SKIP3(6, Z26, Z27, Z28); \
	SKIP3(7, Z29, Z30, Z31); \
	ADDQ $(8*ESZ), BX; \
	INCQ R15; \
	CMPQ R15, CX; \
	JLT  three1; \
	MOVQ DI, R14; \
	STORE3(Z8, Z9, Z10); \
	STORE3(Z11, Z12, Z13); \
	STORE3(Z14, Z15, Z16); \
	STORE3(Z17, Z18, Z19); \
	STORE3(Z20, Z21, Z22); \
	STORE3(Z23, Z24, Z25); \
	STORE3(Z26, Z27, Z28); \
	STORE3(Z29, Z30, Z31); \
	ADDQ $192, DI; \
	LEAQ (R13)(R10*1), DX; \
	SUBQ $3, R11; \
	JMP  three; \
one: \
	TESTQ R11, R11; \
	JZ   done; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	MOVQ SI, BX; \
	XORQ R15, R15; \
one1: \
	MOVL (R9)(R15*4), AX; \
	LOAD((DX)(AX*1), Z0); \
	SKIP1(0, Z8); SKIP1(1, Z9); SKIP1(2, Z10); SKIP1(3, Z11); \
	SKIP1(4, Z12); SKIP1(5, Z13); SKIP1(6, Z14); SKIP1(7, Z15); \
	ADDQ $(8*ESZ), BX; \
	INCQ R15; \
	CMPQ R15, CX; \
	JLT  one1; \
	MOVQ DI, R14; \
	STORE1(Z8); STORE1(Z9); STORE1(Z10); STORE1(Z11); \
	STORE1(Z12); STORE1(Z13); STORE1(Z14); STORE1(Z15); \
	ADDQ $64, DI; \
	ADDQ R10, DX; \
	DECQ R11; \
	JMP  one; \
done: \
	VZEROUPPER

#define BC  VBROADCASTSD
#define DOT(q, x, acc) VFMADD231PD q, x, acc
#define ESZ 8

// func skipDot64AVX512(out *float64, ldo uintptr, q *float64, offset *uint32,
//	k int, x *float64, xs uintptr, panels int)
TEXT ·skipDot64AVX512(SB), NOSPLIT, $0-64
	SKIP_ARGS
	SKIP8
	RET

#undef BC
#undef DOT
#undef ESZ
#define BC  VBROADCASTSS
#define DOT(q, x, acc) VFMADD231PS q, x, acc
#define ESZ 4

// func skipDot32AVX512(out *float32, ldo uintptr, q *float32, offset *uint32,
//	k int, x *float32, xs uintptr, panels int)
TEXT ·skipDot32AVX512(SB), NOSPLIT, $0-64
	SKIP_ARGS
	SKIP8
	RET

#undef BC
#undef DOT
#undef LOAD
#define BC VPBROADCASTD
#define DOT(q, x, acc) VPDPBUSD x, q, acc
#define LOAD(mem, z) VPXORD mem, Z7, z

// func skipUint8DotsAVX512(out *int32, ldo uintptr, q *uint32, offset *uint32,
//	k int, x *uint32, xs uintptr, panels int)
TEXT ·skipUint8DotsAVX512(SB), NOSPLIT, $0-64
	SKIP_ARGS
	MOVL $0x80808080, AX
	VPBROADCASTD AX, Z7
	SKIP8
	RET
