//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "addrows_amd64.h"

#define MASKS \
	MOVQ R13, SI; \
	MOVQ R13, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	SHRQ $8, AX; \
	KMOVB AX, K2; \
	MOVQ CX, R13; \
	MOVQ SI, CX; \
	ANDQ $~15, CX

#define LOADY VMOVUPD.Z (DI)(AX*8), K1, Z0; VMOVUPD.Z 64(DI)(AX*8), K2, Z1
#define STOREY VMOVUPD Z0, K1, (DI)(AX*8); VMOVUPD Z1, K2, 64(DI)(AX*8)

// Rows of float64.
#define FMA(R, i, t, c, acc) VFMADD231PD (i*VB)(R)(AX*8), c, acc
#define FIRST(R, c) VMOVUPD.Z (R)(AX*8), K1, Z2; VFMADD231PD Z2, c, Z0
#define SECOND(R, c) VMOVUPD.Z 64(R)(AX*8), K2, Z3; VFMADD231PD Z3, c, Z1

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// func addStridedAVX512(y, coef, a []float64, ld int)
TEXT ·addStridedAVX512(SB), NOSPLIT, $0-80
	ARGS(a_base+48(FP), ld+72(FP), 3)
	ADDROWS

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func addGathered64AVX512(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX512(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 3)
	ADDROWS

// Rows of float32.
#undef FMA
#undef FIRST
#undef SECOND
#define FMA(R, i, t, c, acc) VCVTPS2PD (i*VB/2)(R)(AX*4), t; VFMADD231PD t, c, acc
#define FIRST(R, c) VCVTPS2PD.Z (R)(AX*4), K1, Z2; VFMADD231PD Z2, c, Z0
#define SECOND(R, c) VCVTPS2PD.Z 32(R)(AX*4), K2, Z3; VFMADD231PD Z3, c, Z1

// func addGathered32AVX512(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX512(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 2)
	ADDROWS
