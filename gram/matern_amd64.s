//go:build !purego

#include "textflag.h"

// The two passes around exp of the Matérn kernels, 64 bytes at a time. NaN stays NaN: it is the second operand of MIN.

DATA far64<>+0(SB)/8, $0x408f400000000000 // 1000
GLOBL far64<>(SB), RODATA|NOPTR, $8
DATA far32<>+0(SB)/4, $0x447a0000
GLOBL far32<>(SB), RODATA|NOPTR, $4
DATA one64<>+0(SB)/8, $0x3ff0000000000000
GLOBL one64<>(SB), RODATA|NOPTR, $8
DATA one32<>+0(SB)/4, $0x3f800000
GLOBL one32<>(SB), RODATA|NOPTR, $4

// dst = min(√(scale·src), far)
#define ROOTS256 \
	MUL  (SI), Y8, Y0; \
	MUL  32(SI), Y8, Y1; \
	SQRT Y0, Y0; \
	SQRT Y1, Y1; \
	MIN  Y0, Y9, Y0; \
	MIN  Y1, Y9, Y1; \
	VMOVUPS Y0, (DI); \
	VMOVUPS Y1, 32(DI)

#define ROOTS512 \
	MUL  (SI), Z8, Z0; \
	SQRT Z0, Z0; \
	MIN  Z0, Z9, Z0; \
	VMOVUPS Z0, (DI)

// dst = min(dst·(1 + t(first + second·t)), 1)
#define BENDS256 \
	VMOVUPS (SI), Y0; \
	VMOVUPS 32(SI), Y1; \
	VMOVAPS Y9, Y2; \
	VMOVAPS Y9, Y3; \
	FMA231 Y0, Y10, Y2; \
	FMA231 Y1, Y10, Y3; \
	FMA213 Y8, Y0, Y2; \
	FMA213 Y8, Y1, Y3; \
	MUL  (DI), Y2, Y2; \
	MUL  32(DI), Y3, Y3; \
	MIN  Y2, Y8, Y2; \
	MIN  Y3, Y8, Y3; \
	VMOVUPS Y2, (DI); \
	VMOVUPS Y3, 32(DI)

#define BENDS512 \
	VMOVUPS (SI), Z0; \
	VMOVAPS Z9, Z2; \
	FMA231 Z0, Z10, Z2; \
	FMA213 Z8, Z0, Z2; \
	MUL  (DI), Z2, Z2; \
	MIN  Z2, Z8, Z2; \
	VMOVUPS Z2, (DI)

#define EACH(BODY, elements) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
loop: \
	BODY; \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $elements, CX; \
	JG   loop; \
	VZEROUPPER; \
	RET

#define MUL VMULPD
#define SQRT VSQRTPD
#define MIN VMINPD
#define FMA231 VFMADD231PD
#define FMA213 VFMADD213PD

// func roots64AVX2(dst, src *float64, n int, scale float64)
TEXT ·roots64AVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD scale+24(FP), Y8
	VBROADCASTSD far64<>(SB), Y9
	EACH(ROOTS256, 8)

// func roots64AVX512(dst, src *float64, n int, scale float64)
TEXT ·roots64AVX512(SB), NOSPLIT, $0-32
	VBROADCASTSD scale+24(FP), Z8
	VBROADCASTSD far64<>(SB), Z9
	EACH(ROOTS512, 8)

// func bends64AVX2(dst, src *float64, n int, first, second float64)
TEXT ·bends64AVX2(SB), NOSPLIT, $0-40
	VBROADCASTSD one64<>(SB), Y8
	VBROADCASTSD first+24(FP), Y9
	VBROADCASTSD second+32(FP), Y10
	EACH(BENDS256, 8)

// func bends64AVX512(dst, src *float64, n int, first, second float64)
TEXT ·bends64AVX512(SB), NOSPLIT, $0-40
	VBROADCASTSD one64<>(SB), Z8
	VBROADCASTSD first+24(FP), Z9
	VBROADCASTSD second+32(FP), Z10
	EACH(BENDS512, 8)

#undef MUL
#undef SQRT
#undef MIN
#undef FMA231
#undef FMA213
#define MUL VMULPS
#define SQRT VSQRTPS
#define MIN VMINPS
#define FMA231 VFMADD231PS
#define FMA213 VFMADD213PS

// func roots32AVX2(dst, src *float32, n int, scale float32)
TEXT ·roots32AVX2(SB), NOSPLIT, $0-28
	VBROADCASTSS scale+24(FP), Y8
	VBROADCASTSS far32<>(SB), Y9
	EACH(ROOTS256, 16)

// func roots32AVX512(dst, src *float32, n int, scale float32)
TEXT ·roots32AVX512(SB), NOSPLIT, $0-28
	VBROADCASTSS scale+24(FP), Z8
	VBROADCASTSS far32<>(SB), Z9
	EACH(ROOTS512, 16)

// func bends32AVX2(dst, src *float32, n int, first, second float32)
TEXT ·bends32AVX2(SB), NOSPLIT, $0-32
	VBROADCASTSS one32<>(SB), Y8
	VBROADCASTSS first+24(FP), Y9
	VBROADCASTSS second+28(FP), Y10
	EACH(BENDS256, 16)

// func bends32AVX512(dst, src *float32, n int, first, second float32)
TEXT ·bends32AVX512(SB), NOSPLIT, $0-32
	VBROADCASTSS one32<>(SB), Z8
	VBROADCASTSS first+24(FP), Z9
	VBROADCASTSS second+28(FP), Z10
	EACH(BENDS512, 16)
