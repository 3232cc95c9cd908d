//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "tailmask_amd64.h"
#include "mulvec_amd64.h"

#define MASKS \
	MOVQ R13, CX; \
	ANDQ $7, R13; \
	ANDQ $~7, CX; \
	SHLQ $3, CX; \
	LEAQ tailmask<>+64(SB), AX; \
	LEAQ (R13*8), R8; \
	SUBQ R8, AX; \
	VMOVUPD (AX), Y14; \
	VMOVUPD 32(AX), Y15

#define TAILX \
	VMASKMOVPD (DX)(AX*1), Y14, Y8; \
	VMASKMOVPD 32(DX)(AX*1), Y15, Y9

#define TAIL(R, SUM0, SUM1) \
	VMASKMOVPD (R)(AX*1), Y14, Y10; \
	VMASKMOVPD 32(R)(AX*1), Y15, Y11; \
	VFMADD231PD Y10, Y8, SUM0; \
	VFMADD231PD Y11, Y9, SUM1

#define TAIL4 TAILX; TAIL(SI, Y0, Y4); TAIL(R8, Y1, Y5); TAIL(R9, Y2, Y6); TAIL(R10, Y3, Y7)
#define TAIL1 TAILX; TAIL(SI, Y0, Y4)
#define FOLD4
#define FOLD1

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// func mulStridedAVX2(dst, a []float64, ld int, x []float64, add bool)
TEXT ·mulStridedAVX2(SB), NOSPLIT, $0-81
	STRIDEDARGS
	MULVEC

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func mulGatheredAVX2(dst []float64, rows [][]float64, at int, x []float64)
TEXT ·mulGatheredAVX2(SB), NOSPLIT, $0-80
	GATHEREDARGS
	MULVEC
