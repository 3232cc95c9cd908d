//go:build !purego

#include "textflag.h"
#include "addrows_amd64.h"

// some<>+32−4n selects the first n ≤ 8 of eight int32.
DATA some<>+0(SB)/8, $-1
DATA some<>+8(SB)/8, $-1
DATA some<>+16(SB)/8, $-1
DATA some<>+24(SB)/8, $-1
DATA some<>+32(SB)/8, $0
DATA some<>+40(SB)/8, $0
DATA some<>+48(SB)/8, $0
DATA some<>+56(SB)/8, $0
GLOBL some<>(SB), RODATA|NOPTR, $64

// MASKS2 sets the masks of the next min(CX, 8) columns: X12, X13 of 32 bits a lane,
// Y14, Y15 of 64. It uses AX and R13.
#define MASKS2 \
	MOVQ CX, R13; \
	CMPQ R13, $8; \
	JLE  2(PC); \
	MOVQ $8, R13; \
	SHLQ $2, R13; \
	LEAQ some<>+32(SB), AX; \
	SUBQ R13, AX; \
	VMOVUPS (AX), X12; \
	VMOVUPS 16(AX), X13; \
	VPMOVSXDQ X12, Y14; \
	VPMOVSXDQ X13, Y15

// Rows of float64, strided.
#define ESZ 8
#define ROW ROWSTRIDED
#define ADVANCE(cols) ADDQ $(cols*ESZ), R8
#define FMA2(i, t, acc) VFMADD231PD (i*32)(R12), Y8, acc
#define FMA2M(i, m64, m32, x, t, acc) VMASKMOVPD (i*32)(R12), m64, t; VFMADD231PD t, Y8, acc
#define FMA5(i, t, acc) VFMADD231PD (i*64)(R12), Z8, acc
#define FMA5M(i, k, t, acc) VFMADD231PD (i*64)(R12), Z8, k, acc

// func addStridedAVX2(y, coef, a []float64, ld int)
TEXT ·addStridedAVX2(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ a_base+48(FP), R8
	MOVQ ld+72(FP), R9
	SHLQ $3, R9
	ADDROWS2

// func addStridedAVX512(y, coef, a []float64, ld int)
TEXT ·addStridedAVX512(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ a_base+48(FP), R8
	MOVQ ld+72(FP), R9
	SHLQ $3, R9
	ADDROWS5

// Rows of float64, gathered.
#undef ROW
#undef ADVANCE
#define ROW ROWGATHERED
#define ADVANCE(cols) ADDQ $(cols*ESZ), R9

// func addGathered64AVX2(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX2(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ rows_base+48(FP), R8
	MOVQ at+72(FP), R9
	SHLQ $3, R9
	ADDROWS2

// func addGathered64AVX512(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX512(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ rows_base+48(FP), R8
	MOVQ at+72(FP), R9
	SHLQ $3, R9
	ADDROWS5

// Rows of float32, gathered.
#undef ESZ
#undef FMA2
#undef FMA2M
#undef FMA5
#undef FMA5M
#define ESZ 4
#define FMA2(i, t, acc) VCVTPS2PD (i*16)(R12), t; VFMADD231PD t, Y8, acc
#define FMA2M(i, m64, m32, x, t, acc) VMASKMOVPS (i*16)(R12), m32, x; VCVTPS2PD x, t; VFMADD231PD t, Y8, acc
#define FMA5(i, t, acc) VCVTPS2PD (i*32)(R12), t; VFMADD231PD t, Z8, acc
#define FMA5M(i, k, t, acc) VCVTPS2PD.Z (i*32)(R12), k, t; VFMADD231PD t, Z8, k, acc

// func addGathered32AVX2(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX2(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ rows_base+48(FP), R8
	MOVQ at+72(FP), R9
	SHLQ $2, R9
	ADDROWS2

// func addGathered32AVX512(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX512(SB), NOSPLIT, $0-80
	MOVQ y_base+0(FP), DI
	MOVQ y_len+8(FP), CX
	MOVQ coef_base+24(FP), SI
	MOVQ coef_len+32(FP), BX
	MOVQ rows_base+48(FP), R8
	MOVQ at+72(FP), R9
	SHLQ $2, R9
	ADDROWS5
