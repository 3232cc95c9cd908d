//go:build !purego

#include "textflag.h"
#include "ymm_amd64.h"
#include "gemm_amd64.h"

// A 4×12 tile in Y4..Y15, row i in Y(4+3i)..Y(6+3i).

#define MR 4
#define STEP(boff, aoff) \
	LOADB(boff);                  \
	ROW(aoff+0, Y4, Y5, Y6);      \
	ROW(aoff+8, Y7, Y8, Y9);      \
	ROW(aoff+16, Y10, Y11, Y12);  \
	ROW(aoff+24, Y13, Y14, Y15)

#define CLEAR CLEAR3(Y4, Y5, Y6); CLEAR3(Y7, Y8, Y9); CLEAR3(Y10, Y11, Y12); CLEAR3(Y13, Y14, Y15)
#define OUTROWS OUT(Y4, Y5, Y6); OUT(Y7, Y8, Y9); OUT(Y10, Y11, Y12); OUT(Y13, Y14, Y15)
#define PREFETCHROW PREFETCHT0 0(R10); PREFETCHT0 64(R10); PREFETCHT0 88(R10); ADDQ R9, R10
#define PREFETCH PREFETCHROW; PREFETCHROW; PREFETCHROW; PREFETCHROW

// func tileAVX2(k int, a, b, c []float64, at, ldc int, alpha float64)
TEXT ·tileAVX2(SB), NOSPLIT, $0-104
	TILE

// func solveAVX2(tri, x []float64)
TEXT ·solveAVX2(SB), NOSPLIT, $0-48
	SOLVE
