//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx2_amd64.h"

// exp of a slice, for both element types.

// Masks for the last elements. If b bytes are left, the mask starts b bytes before the middle: first −1s, then 0s.
DATA mask<>+0(SB)/8, $-1
DATA mask<>+8(SB)/8, $-1
DATA mask<>+16(SB)/8, $-1
DATA mask<>+24(SB)/8, $-1
DATA mask<>+32(SB)/8, $0
DATA mask<>+40(SB)/8, $0
DATA mask<>+48(SB)/8, $0
DATA mask<>+56(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $64

#define LOAD4 \
	MUL (SI), Y15, Y0; \
	MUL 32(SI), Y15, Y1; \
	MUL 64(SI), Y15, Y2; \
	MUL 96(SI), Y15, Y3

#define STORE4 \
	VMOVUPS Y8, (DI); \
	VMOVUPS Y9, 32(DI); \
	VMOVUPS Y10, 64(DI); \
	VMOVUPS Y11, 96(DI); \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ $128, CX

// The whole function. CX counts bytes; an element has 1<<log bytes.
#define EXP_SCALED(BROADCAST, MASKMOV, log) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	SHLQ $log, CX; \
	BROADCAST scale+24(FP), Y15; \
	VMOVUPS CLAMP, Y14; \
	VMOVUPS BIAS, Y13; \
four: \
	CMPQ CX, $128; \
	JLT  one; \
	LOAD4; \
	EXP4; \
	STORE4; \
	JMP  four; \
one: \
	CMPQ CX, $32; \
	JLT  tail; \
	MUL (SI), Y15, Y0; \
	EXP1; \
	VMOVUPS Y8, (DI); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  one; \
tail: \
	TESTQ CX, CX; \
	JZ   done; \
	LEAQ mask<>+32(SB), AX; \
	SUBQ CX, AX; \
	VMOVUPS (AX), Y3; \
	MASKMOV (SI), Y3, Y0; \
	MUL Y15, Y0, Y0; \
	EXP1; \
	MASKMOV Y8, Y3, (DI); \
done: \
	VZEROUPPER

// func expScaled64AVX2(dst, src *float64, n int, scale float64)
TEXT ·expScaled64AVX2(SB), NOSPLIT, $0-32
	EXP_SCALED(VBROADCASTSD, VMASKMOVPD, 3)
	RET

#include "exp_single_avx2_amd64.h"

// func expScaled32AVX2(dst, src *float32, n int, scale float32)
TEXT ·expScaled32AVX2(SB), NOSPLIT, $0-28
	EXP_SCALED(VBROADCASTSS, VMASKMOVPS, 2)
	RET
