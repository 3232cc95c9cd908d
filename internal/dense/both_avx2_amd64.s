//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "tailmask_amd64.h"
#include "both_amd64.h"

#define LAST \
	LEAQ tailmask<>+64(SB), R11; \
	SHLQ $3, CX; \
	SUBQ CX, R11; \
	VMOVUPD (R11), Y15; \
	VMASKMOVPD (DX), Y15, Y12; \
	VMASKMOVPD (DI), Y15, Y14; \
	VMASKMOVPD (SI), Y15, Y4; \
	VMASKMOVPD (R8), Y15, Y5; \
	VMASKMOVPD (R9), Y15, Y6; \
	VMASKMOVPD (R10), Y15, Y7; \
	FMAS4; \
	VMASKMOVPD Y14, Y15, (DI)

// func bothAVX2(dst, coef, a []float64, ld int, x, y []float64)
TEXT ·bothAVX2(SB), NOSPLIT, $0-128
	BOTH(AX)
	OUT
