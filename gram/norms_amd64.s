//go:build !purego

#include "textflag.h"

// Squared norms of the samples of a panel, with the operations and the order of an inner product in a tile.

#define NORMS(FMA, loop) \
	MOVQ   out+0(FP), DI; \
	MOVQ   x+8(FP), SI;   \
	MOVQ   k+16(FP), CX;  \
	VXORPS Y0, Y0, Y0;    \
	VXORPS Y1, Y1, Y1;    \
loop: \
	VMOVUPS (SI), Y2;     \
	VMOVUPS 32(SI), Y3;   \
	FMA     Y2, Y2, Y0;   \
	FMA     Y3, Y3, Y1;   \
	ADDQ    $64, SI;      \
	DECQ    CX;           \
	JNZ     loop;         \
	VMOVUPS Y0, (DI);     \
	VMOVUPS Y1, 32(DI);   \
	VZEROUPPER

// func norms64AVX2(out, x *float64, k int)
TEXT ·norms64AVX2(SB), NOSPLIT, $0-24
	NORMS(VFMADD231PD, loop64)
	RET

// func norms32AVX2(out, x *float32, k int)
TEXT ·norms32AVX2(SB), NOSPLIT, $0-24
	NORMS(VFMADD231PS, loop32)
	RET
