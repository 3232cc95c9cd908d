//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// dst[i] += row_i·x, four rows at a time and the rest one by one. The order of a row's sum is the same in both cases:
// two accumulators of two lanes, then the columns beyond the last multiple of four, one after the other.
//
// Registers: R0 dst, R1 rows left, R2 the next row, R3 the position of the rows, R4 x, R5 columns; R6 current
// position in x, R7 columns left, R8..R11 the current rows, R12 whether dst is added to; sums in V0..V7, x in V16,
// V17.
//
// For a strided matrix, R2 is the next row and rows are R3 bytes apart. For a list of slices, R2 holds the address
// of the next slice header, and the product begins R3 bytes after each base.

#define FOURSTRIDED \
	MOVD R2, R8; \
	ADD  R3, R8, R9; \
	ADD  R3, R9, R10; \
	ADD  R3, R10, R11; \
	ADD  R3, R11, R2

#define ONESTRIDED \
	MOVD R2, R8; \
	ADD  R3, R2

#define FOURGATHERED \
	MOVD (R2), R8; \
	MOVD 24(R2), R9; \
	MOVD 48(R2), R10; \
	MOVD 72(R2), R11; \
	ADD  R3, R8; \
	ADD  R3, R9; \
	ADD  R3, R10; \
	ADD  R3, R11; \
	ADD  $96, R2

#define ONEGATHERED \
	MOVD (R2), R8; \
	ADD  R3, R8; \
	ADD  $24, R2

#define BEGIN \
	MOVD R4, R6; \
	SUBS $4, R5, R7

// MULVEC is the product; FOUR and ONE fetch rows.
#define MULVEC \
four: \
	CMP  $4, R1; \
	BLT  rest; \
	FOUR; \
	ZERO4(V0, V1, V2, V3); \
	ZERO4(V4, V5, V6, V7); \
	BEGIN; \
	BLT  fold; \
loop: \
	VLD1.P 32(R6), [V16.D2, V17.D2]; \
	VLD1.P 32(R8), [V20.D2, V21.D2]; \
	VLD1.P 32(R9), [V22.D2, V23.D2]; \
	VLD1.P 32(R10), [V24.D2, V25.D2]; \
	VLD1.P 32(R11), [V26.D2, V27.D2]; \
	VFMLA V16.D2, V20.D2, V0.D2; \
	VFMLA V16.D2, V22.D2, V1.D2; \
	VFMLA V16.D2, V24.D2, V2.D2; \
	VFMLA V16.D2, V26.D2, V3.D2; \
	VFMLA V17.D2, V21.D2, V4.D2; \
	VFMLA V17.D2, V23.D2, V5.D2; \
	VFMLA V17.D2, V25.D2, V6.D2; \
	VFMLA V17.D2, V27.D2, V7.D2; \
	SUBS $4, R7; \
	BGE  loop; \
fold: \
	FADD2D(4, 0, 0); \
	FADD2D(5, 1, 1); \
	FADD2D(6, 2, 2); \
	FADD2D(7, 3, 3); \
	FADDP2D(0, 0, 0); \
	FADDP2D(1, 1, 1); \
	FADDP2D(2, 2, 2); \
	FADDP2D(3, 3, 3); \
	ADDS $4, R7; \
	BEQ  store; \
beyond: \
	FMOVD.P 8(R6), F16; \
	FMOVD.P 8(R8), F20; \
	FMOVD.P 8(R9), F21; \
	FMOVD.P 8(R10), F22; \
	FMOVD.P 8(R11), F23; \
	FMADDD F16, F0, F20, F0; \
	FMADDD F16, F1, F21, F1; \
	FMADDD F16, F2, F22, F2; \
	FMADDD F16, F3, F23, F3; \
	SUBS $1, R7; \
	BNE  beyond; \
store: \
	CBZ  R12, set; \
	FMOVD (R0), F16; \
	FADDD F16, F0, F0; \
	FMOVD 8(R0), F16; \
	FADDD F16, F1, F1; \
	FMOVD 16(R0), F16; \
	FADDD F16, F2, F2; \
	FMOVD 24(R0), F16; \
	FADDD F16, F3, F3; \
set: \
	FMOVD.P F0, 8(R0); \
	FMOVD.P F1, 8(R0); \
	FMOVD.P F2, 8(R0); \
	FMOVD.P F3, 8(R0); \
	SUB  $4, R1; \
	B    four; \
rest: \
	CBZ  R1, done; \
	ONE; \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	BEGIN; \
	BLT  onefold; \
oneloop: \
	VLD1.P 32(R6), [V16.D2, V17.D2]; \
	VLD1.P 32(R8), [V20.D2, V21.D2]; \
	VFMLA V16.D2, V20.D2, V0.D2; \
	VFMLA V17.D2, V21.D2, V4.D2; \
	SUBS $4, R7; \
	BGE  oneloop; \
onefold: \
	FADD2D(4, 0, 0); \
	FADDP2D(0, 0, 0); \
	ADDS $4, R7; \
	BEQ  onestore; \
onebeyond: \
	FMOVD.P 8(R6), F16; \
	FMOVD.P 8(R8), F20; \
	FMADDD F16, F0, F20, F0; \
	SUBS $1, R7; \
	BNE  onebeyond; \
onestore: \
	CBZ  R12, oneset; \
	FMOVD (R0), F16; \
	FADDD F16, F0, F0; \
oneset: \
	FMOVD.P F0, 8(R0); \
	SUB  $1, R1; \
	B    rest; \
done: \
	RET

#define FOUR FOURSTRIDED
#define ONE ONESTRIDED

// func mulStridedNEON(dst, a []float64, ld int, x []float64, add bool)
TEXT ·mulStridedNEON(SB), NOSPLIT, $0-81
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD a_base+24(FP), R2
	MOVD ld+48(FP), R3
	LSL  $3, R3
	MOVD x_base+56(FP), R4
	MOVD x_len+64(FP), R5
	MOVBU add+80(FP), R12
	MULVEC

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE ONEGATHERED

// func mulGatheredNEON(dst []float64, rows [][]float64, at int, x []float64)
TEXT ·mulGatheredNEON(SB), NOSPLIT, $0-80
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD rows_base+24(FP), R2
	MOVD pos+48(FP), R3
	LSL  $3, R3
	MOVD x_base+56(FP), R4
	MOVD x_len+64(FP), R5
	MOVD $1, R12
	MULVEC
