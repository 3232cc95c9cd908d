//go:build !purego

#include "textflag.h"
#include "rows_amd64.h"
#include "tailmask_amd64.h"
#include "addrows_amd64.h"

// MASKS2 sets X12, X13 to 32 bits a lane and Y14, Y15 to 64; it uses AX and SI.
#define MASKS2 \
	LEAQ (R13*4), SI; \
	LEAQ tailmask<>+64(SB), AX; \
	SUBQ SI, AX; \
	VMOVUPS (AX), X12; \
	VMOVUPS 16(AX), X13; \
	VPMOVSXDQ X12, Y14; \
	VPMOVSXDQ X13, Y15

// Rows of float64.
#define FMA2(R, i, t, c, acc) VFMADD231PD (i*32)(R)(AX*8), c, acc
#define FMA2M(R, i, m64, m32, x, t, c, acc) VMASKMOVPD (i*32)(R)(AX*8), m64, t; VFMADD231PD t, c, acc
#define FMA5(R, i, t, c, acc) VFMADD231PD (i*64)(R)(AX*8), c, acc
#define FMA5M(R, i, k, t, c, acc) VMOVUPD.Z (i*64)(R)(AX*8), k, t; VFMADD231PD t, c, acc

#define ARGS(rows, step, shift) \
	MOVQ y_base+0(FP), DI; \
	MOVQ y_len+8(FP), R13; \
	MOVQ coef_base+24(FP), DX; \
	MOVQ coef_len+32(FP), R12; \
	MOVQ rows, BX; \
	MOVQ step, R11; \
	SHLQ $shift, R11

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// func addStridedAVX2(y, coef, a []float64, ld int)
TEXT ·addStridedAVX2(SB), NOSPLIT, $0-80
	ARGS(a_base+48(FP), ld+72(FP), 3)
	ADDROWS2

// func addStridedAVX512(y, coef, a []float64, ld int)
TEXT ·addStridedAVX512(SB), NOSPLIT, $0-80
	ARGS(a_base+48(FP), ld+72(FP), 3)
	ADDROWS5

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func addGathered64AVX2(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX2(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), at+72(FP), 3)
	ADDROWS2

// func addGathered64AVX512(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX512(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), at+72(FP), 3)
	ADDROWS5

// Rows of float32.
#undef FMA2
#undef FMA2M
#undef FMA5
#undef FMA5M
#define FMA2(R, i, t, c, acc) VCVTPS2PD (i*16)(R)(AX*4), t; VFMADD231PD t, c, acc
#define FMA2M(R, i, m64, m32, x, t, c, acc) \
	VMASKMOVPS (i*16)(R)(AX*4), m32, x; \
	VCVTPS2PD x, t; \
	VFMADD231PD t, c, acc
#define FMA5(R, i, t, c, acc) VCVTPS2PD (i*32)(R)(AX*4), t; VFMADD231PD t, c, acc
#define FMA5M(R, i, k, t, c, acc) VCVTPS2PD.Z (i*32)(R)(AX*4), k, t; VFMADD231PD t, c, acc

// func addGathered32AVX2(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX2(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), at+72(FP), 2)
	ADDROWS2

// func addGathered32AVX512(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX512(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), at+72(FP), 2)
	ADDROWS5
