//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "mulvec_amd64.h"

#define MASKS \
	MOVQ R13, R8; \
	MOVQ R13, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	SHRQ $8, AX; \
	KMOVB AX, K2; \
	MOVQ CX, R13; \
	MOVQ R8, CX; \
	ANDQ $~15, CX; \
	SHLQ $3, CX

#define MASKED(OFF, R, K, X, SUM) \
	VMOVUPD.Z OFF(R)(AX*1), K, Z10; \
	VFMADD231PD Z10, X, SUM

#define TAIL4 \
	VMOVUPD.Z (DX)(AX*1), K1, Z8; \
	MASKED(0, SI, K1, Z8, Z0); \
	MASKED(0, R8, K1, Z8, Z1); \
	MASKED(0, R9, K1, Z8, Z2); \
	MASKED(0, R10, K1, Z8, Z3); \
	CMPQ R13, $8; \
	JLE  sum; \
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9; \
	MASKED(64, SI, K2, Z9, Z4); \
	MASKED(64, R8, K2, Z9, Z5); \
	MASKED(64, R9, K2, Z9, Z6); \
	MASKED(64, R10, K2, Z9, Z7)

#define TAIL1 \
	VMOVUPD.Z (DX)(AX*1), K1, Z8; \
	MASKED(0, SI, K1, Z8, Z0); \
	CMPQ R13, $8; \
	JLE  onesum; \
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9; \
	MASKED(64, SI, K2, Z9, Z4)

#define FOLD4 \
	VEXTRACTF64X4 $1, Z0, Y4; \
	VEXTRACTF64X4 $1, Z1, Y5; \
	VEXTRACTF64X4 $1, Z2, Y6; \
	VEXTRACTF64X4 $1, Z3, Y7; \
	VADDPD Y4, Y0, Y0; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y6, Y2, Y2; \
	VADDPD Y7, Y3, Y3

#define FOLD1 HALVES(Z0, Y0, Y4)

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// The functions leave up to eight columns to those with shorter vectors, which add the products in the same order.

// func mulStridedAVX512(dst, a []float64, ld int, x []float64, add bool)
TEXT ·mulStridedAVX512(SB), NOSPLIT, $0-81
	STRIDEDARGS
	CMPQ R13, $8
	JLE  few
	MULVEC
few:
	JMP ·mulStridedAVX2(SB)

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func mulGatheredAVX512(dst []float64, rows [][]float64, at int, x []float64)
TEXT ·mulGatheredAVX512(SB), NOSPLIT, $0-80
	GATHEREDARGS
	CMPQ R13, $8
	JLE  few
	MULVEC
few:
	JMP ·mulGatheredAVX2(SB)
