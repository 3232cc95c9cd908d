//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "tailmask_amd64.h"
#include "vec_amd64.h"
#include "sums_amd64.h"
#include "outer_amd64.h"

// Eight sums of four lanes hide the latency of the fused multiply-add.

#define CLEAR \
	ZERO(Y0); ZERO(Y1); ZERO(Y2); ZERO(Y3); \
	ZERO(Y4); ZERO(Y5); ZERO(Y6); ZERO(Y7)

#define BLOCK \
	DOT(0, Y8, Y0); \
	DOT(32, Y9, Y1); \
	DOT(64, Y10, Y2); \
	DOT(96, Y11, Y3); \
	DOT(128, Y8, Y4); \
	DOT(160, Y9, Y5); \
	DOT(192, Y10, Y6); \
	DOT(224, Y11, Y7)

#define FOLD \
	VADDPD Y4, Y0, Y0; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y6, Y2, Y2; \
	VADDPD Y7, Y3, Y3; \
	VADDPD Y2, Y0, Y0; \
	VADDPD Y3, Y1, Y1; \
	VADDPD Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0

// MASK sets Y15 for the CX < 4 elements left, and uses AX.
#define MASK \
	LEAQ tailmask<>+64(SB), AX; \
	SHLQ $3, CX; \
	SUBQ CX, AX; \
	VMOVUPD (AX), Y15

#define LASTDOT \
	MASK; \
	VMASKMOVPD (SI), Y15, Y8; \
	VMASKMOVPD (DX), Y15, Y9; \
	VFMADD231PD Y8, Y9, Y1

#define LASTAXPY \
	MASK; \
	VMASKMOVPD (SI), Y15, Y1; \
	VMASKMOVPD (DI), Y15, Y2; \
	VFMADD231PD Y1, Y0, Y2; \
	VMASKMOVPD Y2, Y15, (DI)

// func dotAVX2(x, y []float64) float64
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	DOTS

// func axpyAVX2(a float64, x, y []float64)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-56
	AXPYS

// func addOuterAVX2(c []float64, ld int, coef, x []float64)
TEXT ·addOuterAVX2(SB), NOSPLIT, $0-80
	OUTERS

// func addOuterSquaresAVX2(c []float64, ld int, coef, x, squares []float64)
TEXT ·addOuterSquaresAVX2(SB), NOSPLIT, $0-104
	OUTERSQUARES
