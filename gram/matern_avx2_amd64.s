//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx2_amd64.h"
#include "matern_avx2_amd64.h"

// Values of the Matérn kernels, as matern_avx2_amd64.h says, of a slice.

// Y0..Y3 = x of 128 bytes, also at dst: that is where BEND4 finds it.
#define ROOTS4 \
	BROADCAST FAR, Y8; \
	BROADCAST SIGN, Y9; \
	MUL (SI), Y15, Y0; \
	MUL 32(SI), Y15, Y1; \
	MUL 64(SI), Y15, Y2; \
	MUL 96(SI), Y15, Y3; \
	ROOT(Y0); ROOT(Y1); ROOT(Y2); ROOT(Y3); \
	VMOVUPS Y0, (DI); \
	VMOVUPS Y1, 32(DI); \
	VMOVUPS Y2, 64(DI); \
	VMOVUPS Y3, 96(DI)

#define COEFFICIENTS \
	VMOVQ R8, X4; \
	VMOVQ R9, X5; \
	BROADCAST X4, Y4; \
	BROADCAST X5, Y5; \
	VMOVUPS ONE, Y6

#define BEND4 \
	COEFFICIENTS; \
	BEND(Y8, (DI)); BEND(Y9, 32(DI)); BEND(Y10, 64(DI)); BEND(Y11, 96(DI)); \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ $128, CX

// The function but for R8 and R9, first and second. CX counts bytes, a multiple of 64; an element has 1<<log bytes.
#define BELL(log) \
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
	ROOTS4; \
	EXP4; \
	BEND4; \
	JMP  four; \
one: \
	TESTQ CX, CX; \
	JZ   done; \
	BROADCAST FAR, Y8; \
	BROADCAST SIGN, Y9; \
	MUL (SI), Y15, Y0; \
	ROOT(Y0); \
	VMOVUPS Y0, (DI); \
	EXP1; \
	COEFFICIENTS; \
	BEND(Y8, (DI)); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  one; \
done: \
	VZEROUPPER; \
	RET

// func bell64AVX2(dst, src *float64, n int, scale, first, second float64)
TEXT ·bell64AVX2(SB), NOSPLIT, $0-48
	MOVQ first+32(FP), R8
	MOVQ second+40(FP), R9
	BELL(3)

DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4
DATA far32<>+0(SB)/4, $0xc47a0000
GLOBL far32<>(SB), RODATA|NOPTR, $4

#include "exp_single_avx2_amd64.h"
#undef BROADCAST
#undef SQRT
#undef MIN
#undef SIGN
#undef FAR
#define BROADCAST VBROADCASTSS
#define SQRT VSQRTPS
#define MIN VMINPS
#define SIGN sign32<>(SB)
#define FAR far32<>(SB)

// func bell32AVX2(dst, src *float32, n int, scale, first, second float32)
TEXT ·bell32AVX2(SB), NOSPLIT, $0-36
	MOVL first+28(FP), R8
	MOVL second+32(FP), R9
	BELL(2)
