//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx512_amd64.h"
#include "transpose_amd64.h"

// Blocks of 8×8 values that go from squared distances through exp to both places of the matrix in registers: stores of
// one block wait for the memory while the next one is computed.
//
//	DI dst   R8 bytes between its rows   R12 three times that   R9 mirror image   SI queries   DX points
//	R10 bytes between panels   CX features   R11 panels left   AX, BX moving points and queries   R13, R14 free

// Two queries' differences.
#define PAIR(i, t, u, a, b) \
	VSUBPD.BCST (i*8)(BX), Z0, t; \
	VSUBPD.BCST (i*8+8)(BX), Z0, u; \
	VFMADD231PD t, t, a; \
	VFMADD231PD u, u, b

// Four rows at p.
#define ROWS4(STORE, p, a, b, c, d) \
	STORE a, (p); \
	STORE b, (p)(R8*1); \
	STORE c, (p)(R8*2); \
	STORE d, (p)(R12*1)

#define FUSE(STORE, block, feature) \
block: \
	VPXORQ Z8, Z8, Z8; VPXORQ Z9, Z9, Z9; VPXORQ Z10, Z10, Z10; VPXORQ Z11, Z11, Z11; \
	VPXORQ Z12, Z12, Z12; VPXORQ Z13, Z13, Z13; VPXORQ Z14, Z14, Z14; VPXORQ Z15, Z15, Z15; \
	MOVQ DX, AX; \
	MOVQ SI, BX; \
	MOVQ CX, R14; \
	PCALIGN $32; \
feature: \
	VMOVUPD (AX), Z0; \
	PAIR(0, Z1, Z2, Z8, Z9); \
	PAIR(2, Z3, Z4, Z10, Z11); \
	PAIR(4, Z1, Z2, Z12, Z13); \
	PAIR(6, Z3, Z4, Z14, Z15); \
	ADDQ $64, AX; \
	ADDQ $64, BX; \
	DECQ R14; \
	JNZ  feature; \
	VBROADCASTSD scale+64(FP), Z7; \
	VMULPD Z7, Z8, Z8; VMULPD Z7, Z9, Z9; VMULPD Z7, Z10, Z10; VMULPD Z7, Z11, Z11; \
	VMULPD Z7, Z12, Z12; VMULPD Z7, Z13, Z13; VMULPD Z7, Z14, Z14; VMULPD Z7, Z15, Z15; \
	EXP4(Z8, Z9, Z10, Z11); \
	ROWS4(STORE, DI, Z4, Z5, Z6, Z7); \
	VMOVAPD Z4, Z8; VMOVAPD Z5, Z9; VMOVAPD Z6, Z10; VMOVAPD Z7, Z11; \
	EXP4(Z12, Z13, Z14, Z15); \
	LEAQ (DI)(R8*4), R13; \
	ROWS4(STORE, R13, Z4, Z5, Z6, Z7); \
	VUNPCKLPD Z9, Z8, Z0;   VUNPCKHPD Z9, Z8, Z1; \
	VUNPCKLPD Z11, Z10, Z2; VUNPCKHPD Z11, Z10, Z3; \
	VUNPCKLPD Z5, Z4, Z12;  VUNPCKHPD Z5, Z4, Z13; \
	VUNPCKLPD Z7, Z6, Z14;  VUNPCKHPD Z7, Z6, Z15; \
	BLOCKS4(Z0, Z2, Z12, Z14, Z8, Z9, Z10, Z11); \
	BLOCKS4(Z1, Z3, Z13, Z15, Z4, Z5, Z6, Z7); \
	ROWS4(STORE, R9, Z0, Z1, Z2, Z3); \
	LEAQ (R9)(R8*4), R13; \
	ROWS4(STORE, R13, Z12, Z13, Z14, Z15); \
	ADDQ $64, DI; \
	LEAQ (R9)(R8*8), R9; \
	ADDQ R10, DX; \
	DECQ R11; \
	JNZ  block

// func fuse64AVX512(dst *float64, ld uintptr, mirror, q, x *float64, xs uintptr, k, panels int,
//	scale float64, stream bool)
TEXT ·fuse64AVX512(SB), NOSPLIT, $0-73
	MOVQ dst+0(FP), DI
	MOVQ ld+8(FP), R8
	MOVQ mirror+16(FP), R9
	MOVQ q+24(FP), SI
	MOVQ x+32(FP), DX
	MOVQ xs+40(FP), R10
	MOVQ k+48(FP), CX
	MOVQ panels+56(FP), R11
	LEAQ (R8)(R8*2), R12
	CONSTS
	MOVBLZX stream+72(FP), AX
	TESTL AX, AX
	JNZ  streamed
	FUSE(VMOVUPS, cached, cachedk)
	VZEROUPPER
	RET

streamed:
	FUSE(VMOVNTPS, past, pastk)
	VZEROUPPER
	RET
