//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "sums_amd64.h"
#include "vec_amd64.h"
#include "outer_amd64.h"

#define CLEAR ZERO(Z0); ZERO(Z1); ZERO(Z2); ZERO(Z3)
#define BLOCK DOT(0, Z8, Z0); DOT(64, Z9, Z1); DOT(128, Z10, Z2); DOT(192, Z11, Z3)

#define FOLD \
	VADDPD Z2, Z0, Z0; \
	VADDPD Z3, Z1, Z1; \
	VADDPD Z1, Z0, Z0; \
	HALVES(Z0, Y0, Y1); \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0

// MASK sets K1 for the CX < 8 elements left, and uses AX.
#define MASK \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1

#define LASTDOT \
	MASK; \
	VMOVUPD.Z (SI), K1, Z8; \
	VFMADD231PD (DX), Z8, K1, Z1

#define LASTAXPY \
	MASK; \
	VMOVUPD.Z (SI), K1, Z1; \
	VMOVUPD.Z (DI), K1, Z2; \
	VFMADD231PD Z1, Z0, Z2; \
	VMOVUPD Z2, K1, (DI)

// func dotAVX512(x, y []float64) float64
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	DOTS

// func axpyAVX512(a float64, x, y []float64)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-56
	AXPYS

// func addOuterAVX512(c []float64, ld int, coef, x []float64)
TEXT ·addOuterAVX512(SB), NOSPLIT, $0-80
	OUTERS
