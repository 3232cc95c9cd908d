//go:build !purego

#include "textflag.h"
#include "exp_consts_amd64.h"
#include "exp_avx2_amd64.h"

// Values of the Matérn kernels, min(1, e^x (1 + x(first + second·x))) with x = max(−√(scale·src), −1000): square roots
// are taken while exp multiplies. NaN stays NaN: it is the second operand of MAX and MIN.

DATA sign<>+0(SB)/8, $0x8000000000000000
GLOBL sign<>(SB), RODATA|NOPTR, $8
DATA far64<>+0(SB)/8, $0xc08f400000000000 // −1000
GLOBL far64<>(SB), RODATA|NOPTR, $8
DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4
DATA far32<>+0(SB)/4, $0xc47a0000
GLOBL far32<>(SB), RODATA|NOPTR, $4

// x of a register of sums. Y9 has −0 in each lane, Y8 the least x.
#define ROOT(x) SQRT x, x; VXORPS x, Y9, x; MAX x, Y8, x

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

// Multiply e^x in a register by 1 + x(first + second·x), and store it at dst. Y4 has first, Y5 second, Y6 1.
#define BEND(e, at) \
	VMOVUPS at(DI), Y0; \
	VMOVAPS Y4, Y7; \
	FMA231 Y0, Y5, Y7; \
	FMA213 Y6, Y0, Y7; \
	MUL e, Y7, e; \
	MIN e, Y6, e; \
	VMOVUPS e, at(DI)

#define COEFFICIENTS \
	VMOVQ R8, X4; \
	VMOVQ R9, X5; \
	BROADCAST X4, Y4; \
	BROADCAST X5, Y5; \
	VMOVUPS ONE, Y6

#define BEND4 \
	COEFFICIENTS; \
	BEND(Y8, 0); BEND(Y9, 32); BEND(Y10, 64); BEND(Y11, 96); \
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
normal: \
	VMOVUPS BIAS, Y13; \
	ADD MINEXP, Y13, Y12; \
four: \
	CMPQ CX, $128; \
	JLT  rest; \
	ROOTS4; \
	NORMAL4(tiny); \
	BEND4; \
	JMP  four; \
tiny: \
	VMOVUPS SHIFT, Y13; \
	VMOVUPS MINEXP, Y12; \
	VMOVUPS (DI), Y0; \
	VMOVUPS 32(DI), Y1; \
	VMOVUPS 64(DI), Y2; \
	VMOVUPS 96(DI), Y3; \
	EXP4; \
	BEND4; \
	JMP  normal; \
rest: \
	VMOVUPS SHIFT, Y13; \
	VMOVUPS MINEXP, Y12; \
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
	BEND(Y8, 0); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JMP  one; \
done: \
	VZEROUPPER; \
	RET

#define BROADCAST VBROADCASTSD
#define SQRT VSQRTPD
#define MIN VMINPD
#define SIGN sign<>(SB)
#define FAR far64<>(SB)

// func bell64AVX2(dst, src *float64, n int, scale, first, second float64)
TEXT ·bell64AVX2(SB), NOSPLIT, $0-48
	MOVQ first+32(FP), R8
	MOVQ second+40(FP), R9
	BELL(3)

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
