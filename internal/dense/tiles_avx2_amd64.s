//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "tiles_amd64.h"

// func mulRows4AVX2(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)
TEXT ·mulRows4AVX2(SB), NOSPLIT, $0-136
	ROWARGS
columns:
	COLUMNS
	CMPQ AX, BX
	JLT  columns
	VZEROUPPER
	RET

// func addDots42AVX2(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
TEXT ·addDots42AVX2(SB), NOSPLIT, $0-104
	DOTARGS
	PCALIGN $32
loop:
	DOTS
	CMPQ AX, BX
	JLT  loop
	OUT2

// func scaleAVX2(y, x []float64)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-48
	SCALEARGS
	PCALIGN $32
loop:
	SCALE2
	CMPQ AX, BX
	JLT  loop
	VZEROUPPER
	RET
