//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "both_amd64.h"

#define LAST \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	VMOVUPD.Z (DX), K1, Z12; \
	VMOVUPD.Z (DI), K1, Z14; \
	VMOVUPD.Z (SI), K1, Z4; \
	VMOVUPD.Z (R8), K1, Z5; \
	VMOVUPD.Z (R9), K1, Z6; \
	VMOVUPD.Z (R10), K1, Z7; \
	FMAS4; \
	VMOVUPD Z14, K1, (DI)

// func bothAVX512(dst, coef, a []float64, ld int, x, y []float64)
TEXT ·bothAVX512(SB), NOSPLIT, $0-128
	BOTH(R12)
	MOVQ R12, AX
	VEXTRACTF64X4 $1, Z0, Y4
	VEXTRACTF64X4 $1, Z1, Y5
	VEXTRACTF64X4 $1, Z2, Y6
	VEXTRACTF64X4 $1, Z3, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	OUT
