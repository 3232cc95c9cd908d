//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "gemm_amd64.h"

// An 8×24 tile in Z8..Z31, row i in Z(8+3i)..Z(10+3i).

#define MR 8
#define STEP(boff, aoff) \
	LOADB(boff);                  \
	ROW(aoff+0, Z8, Z9, Z10); \
	ROW(aoff+8, Z11, Z12, Z13); \
	ROW(aoff+16, Z14, Z15, Z16); \
	ROW(aoff+24, Z17, Z18, Z19); \
	ROW(aoff+32, Z20, Z21, Z22); \
	ROW(aoff+40, Z23, Z24, Z25); \
	ROW(aoff+48, Z26, Z27, Z28); \
	ROW(aoff+56, Z29, Z30, Z31)

#define CLEAR \
	CLEAR3(Z8, Z9, Z10); CLEAR3(Z11, Z12, Z13); CLEAR3(Z14, Z15, Z16); CLEAR3(Z17, Z18, Z19); \
	CLEAR3(Z20, Z21, Z22); CLEAR3(Z23, Z24, Z25); CLEAR3(Z26, Z27, Z28); CLEAR3(Z29, Z30, Z31)

#define OUTROWS \
	OUT(Z8, Z9, Z10); OUT(Z11, Z12, Z13); OUT(Z14, Z15, Z16); OUT(Z17, Z18, Z19); \
	OUT(Z20, Z21, Z22); OUT(Z23, Z24, Z25); OUT(Z26, Z27, Z28); OUT(Z29, Z30, Z31)

#define PREFETCHROW PREFETCHT0 0(R10); PREFETCHT0 64(R10); PREFETCHT0 128(R10); PREFETCHT0 184(R10); ADDQ R9, R10
#define PREFETCH4 PREFETCHROW; PREFETCHROW; PREFETCHROW; PREFETCHROW
#define PREFETCH PREFETCH4; PREFETCH4

// func tileAVX512(k int, a, b, c []float64, at, ldc int, alpha float64)
TEXT ·tileAVX512(SB), NOSPLIT, $0-104
	TILE

// func solveAVX512(tri, x []float64)
TEXT ·solveAVX512(SB), NOSPLIT, $0-48
	SOLVE
