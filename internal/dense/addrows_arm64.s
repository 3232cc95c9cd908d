//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// y += Σ_q coef[q]·row_q on blocks of columns that stay in registers while q runs.
//
// Registers: R0 y, R1 columns left, R2 coef, R3 rows, R4 and R5 the position of the rows, R6 current position, R7
// current coefficient, R8 rows left, R9 the row; sums in V0..V7, the coefficient in V16, the row in V20..V27.
//
// For a strided matrix, R4 is the first row and rows are R5 bytes apart. For a list of slices, R4 holds the
// address of the first slice header; headers are 24 bytes apart, and the block begins R5 bytes after each base.

#define ROWSTRIDED MOVD R6, R9; ADD R5, R6
#define ROWGATHERED MOVD (R6), R9; ADD R5, R9; ADD $24, R6

#define ARGS(rows, step, shift) \
	MOVD y_base+0(FP), R0; \
	MOVD y_len+8(FP), R1; \
	MOVD coef_base+24(FP), R2; \
	MOVD coef_len+32(FP), R3; \
	MOVD rows, R4; \
	MOVD step, R5; \
	LSL  $shift, R5

#define BEGIN MOVD R4, R6; MOVD R2, R7; MOVD R3, R8

// ROW loads the next row and its coefficient. ADVANCE moves on by columns. SIXTEEN, FOUR and ONE load that many
// columns of the row.
#define ADDROWS \
wide: \
	CMP  $16, R1; \
	BLT  narrow; \
	MOVD R0, R10; \
	VLD1.P 64(R10), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1 (R10), [V4.D2, V5.D2, V6.D2, V7.D2]; \
	BEGIN; \
widerow: \
	ROW; \
	VLD1R.P 8(R7), [V16.D2]; \
	SIXTEEN; \
	VFMLA V20.D2, V16.D2, V0.D2; \
	VFMLA V21.D2, V16.D2, V1.D2; \
	VFMLA V22.D2, V16.D2, V2.D2; \
	VFMLA V23.D2, V16.D2, V3.D2; \
	VFMLA V24.D2, V16.D2, V4.D2; \
	VFMLA V25.D2, V16.D2, V5.D2; \
	VFMLA V26.D2, V16.D2, V6.D2; \
	VFMLA V27.D2, V16.D2, V7.D2; \
	SUBS $1, R8; \
	BNE  widerow; \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0); \
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0); \
	SUB  $16, R1; \
	ADVANCE(16); \
	B    wide; \
narrow: \
	CMP  $4, R1; \
	BLT  last; \
	VLD1 (R0), [V0.D2, V1.D2]; \
	BEGIN; \
narrowrow: \
	ROW; \
	VLD1R.P 8(R7), [V16.D2]; \
	FOUR; \
	VFMLA V20.D2, V16.D2, V0.D2; \
	VFMLA V21.D2, V16.D2, V1.D2; \
	SUBS $1, R8; \
	BNE  narrowrow; \
	VST1.P [V0.D2, V1.D2], 32(R0); \
	SUB  $4, R1; \
	ADVANCE(4); \
	B    narrow; \
last: \
	CBZ  R1, done; \
	FMOVD (R0), F0; \
	BEGIN; \
lastrow: \
	ROW; \
	FMOVD.P 8(R7), F16; \
	ONE; \
	FMADDD F20, F0, F16, F0; \
	SUBS $1, R8; \
	BNE  lastrow; \
	FMOVD.P F0, 8(R0); \
	SUB  $1, R1; \
	ADVANCE(1); \
	B    last; \
done: \
	RET

// Rows of float64, strided.
#define ESZ 8
#define ROW ROWSTRIDED
#define ADVANCE(cols) ADD $(cols*ESZ), R4
#define SIXTEEN \
	VLD1.P 64(R9), [V20.D2, V21.D2, V22.D2, V23.D2]; \
	VLD1 (R9), [V24.D2, V25.D2, V26.D2, V27.D2]
#define FOUR VLD1 (R9), [V20.D2, V21.D2]
#define ONE FMOVD (R9), F20

// func addStridedNEON(y, coef, a []float64, ld int)
TEXT ·addStridedNEON(SB), NOSPLIT, $0-80
	ARGS(a_base+48(FP), ld+72(FP), 3)
	ADDROWS

// Rows of float64, gathered.
#undef ROW
#undef ADVANCE
#define ROW ROWGATHERED
#define ADVANCE(cols) ADD $(cols*ESZ), R5

// func addGathered64NEON(y, coef []float64, rows [][]float64, at int)
TEXT ·addGathered64NEON(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 3)
	ADDROWS

// Rows of float32, gathered.
#undef ESZ
#undef SIXTEEN
#undef FOUR
#undef ONE
#define ESZ 4
#define SIXTEEN \
	VLD1 (R9), [V28.S4, V29.S4, V30.S4, V31.S4]; \
	FCVTL2D(28, 20); \
	FCVTLHIGH2D(28, 21); \
	FCVTL2D(29, 22); \
	FCVTLHIGH2D(29, 23); \
	FCVTL2D(30, 24); \
	FCVTLHIGH2D(30, 25); \
	FCVTL2D(31, 26); \
	FCVTLHIGH2D(31, 27)
#define FOUR \
	VLD1 (R9), [V28.S4]; \
	FCVTL2D(28, 20); \
	FCVTLHIGH2D(28, 21)
#define ONE \
	FMOVS (R9), F20; \
	FCVTSD F20, F20

// func addGathered32NEON(y, coef []float64, rows [][]float32, at int)
TEXT ·addGathered32NEON(SB), NOSPLIT, $0-80
	ARGS(rows_base+48(FP), pos+72(FP), 2)
	ADDROWS
