//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "tailmask_amd64.h"
#include "addrows_amd64.h"

// MASKS sets X12, X13 to 32 bits a lane and Y14, Y15 to 64; it uses AX and SI.
#define MASKS \
	MOVQ R13, CX; \
	ANDQ $7, R13; \
	ANDQ $~7, CX; \
	LEAQ (R13*4), SI; \
	LEAQ tailmask<>+64(SB), AX; \
	SUBQ SI, AX; \
	VMOVUPS (AX), X12; \
	VMOVUPS 16(AX), X13; \
	VPMOVSXDQ X12, Y14; \
	VPMOVSXDQ X13, Y15

#define LOADY VMASKMOVPD (DI)(AX*8), Y14, Y0; VMASKMOVPD 32(DI)(AX*8), Y15, Y1
#define STOREY VMASKMOVPD Y0, Y14, (DI)(AX*8); VMASKMOVPD Y1, Y15, 32(DI)(AX*8)

// Rows of float64.
#define FMA(R, i, t, c, acc) VFMADD231PD (i*VB)(R)(AX*8), c, acc
#define FIRST(R, c) VMASKMOVPD (R)(AX*8), Y14, Y2; VFMADD231PD Y2, c, Y0
#define SECOND(R, c) VMASKMOVPD 32(R)(AX*8), Y15, Y3; VFMADD231PD Y3, c, Y1

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// func addStridedAVX2(y, coef, a []float64, ld int)
TEXT ·addStridedAVX2(SB), NOSPLIT, $0-80
	ARGS(a_base+48(FP), ld+72(FP), 3)
	ADDROWS

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func addGathered64AVX2(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64AVX2(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 3)
	ADDROWS

// Rows of float32.
#undef FMA
#undef FIRST
#undef SECOND
#define FMA(R, i, t, c, acc) VCVTPS2PD (i*VB/2)(R)(AX*4), t; VFMADD231PD t, c, acc
#define FIRST(R, c) VMASKMOVPS (R)(AX*4), X12, X2; VCVTPS2PD X2, Y2; VFMADD231PD Y2, c, Y0
#define SECOND(R, c) VMASKMOVPS 16(R)(AX*4), X13, X3; VCVTPS2PD X3, Y3; VFMADD231PD Y3, c, Y1

// func addGathered32AVX2(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32AVX2(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 2)
	ADDROWS
