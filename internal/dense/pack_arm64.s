//go:build !purego

#include "textflag.h"

// func packRowsNEON(dst, src []float64, at, ld, rows, panels, lanes, panel int)
//
// Registers: R1 row, R2 bytes to the next, R13 the row eight further, which is fetched meanwhile; R0 its place in the
// first panel, R6 bytes from the end of a row in a panel to its place in the next; R3 rows left, R4 panels, R5 lanes;
// R8 running place, R9 running row, R10 running fetched row, R11 panels left, R12 lanes left.
TEXT ·packRowsNEON(SB), NOSPLIT, $0-96
	MOVD dst_base+0(FP), R0
	MOVD src_base+24(FP), R1
	MOVD pos+48(FP), R2
	ADD  R2<<3, R1
	MOVD ld+56(FP), R2
	LSL  $3, R2
	MOVD rows+64(FP), R3
	MOVD panels+72(FP), R4
	MOVD lanes+80(FP), R5
	MOVD panel+88(FP), R6
	SUB  R5, R6
	LSL  $3, R6
	ADD  R2<<3, R1, R13

row:
	MOVD R0, R8
	MOVD R1, R9
	MOVD R13, R10
	MOVD R4, R11

panel:
	MOVD R5, R12

lanes:
	PRFM (R10), PLDL1KEEP
	ADD  $32, R10
	VLD1.P 32(R9), [V0.D2, V1.D2]
	VST1.P [V0.D2, V1.D2], 32(R8)
	SUBS $4, R12
	BNE  lanes
	ADD  R6, R8
	SUBS $1, R11
	BNE  panel
	ADD  R2, R1
	ADD  R2, R13
	ADD  R5<<3, R0
	SUBS $1, R3
	BNE  row
	RET

// func transposeNEON(dst, src []float64, to, at, ld, rows, step int)
//
// Two rows at a time of the columns at R1, R8, R9, R10, to R0, R6 bytes apart.
TEXT ·transposeNEON(SB), NOSPLIT, $0-88
	MOVD dst_base+0(FP), R0
	MOVD to+48(FP), R2
	ADD  R2<<3, R0
	MOVD src_base+24(FP), R1
	MOVD pos+56(FP), R2
	ADD  R2<<3, R1
	MOVD ld+64(FP), R2
	LSL  $3, R2
	ADD  R2, R1, R8
	ADD  R2, R8, R9
	ADD  R2, R9, R10
	MOVD rows+72(FP), R5
	MOVD step+80(FP), R6
	LSL  $3, R6

loop:
	VLD1.P 16(R1), [V0.D2]
	VLD1.P 16(R8), [V1.D2]
	VLD1.P 16(R9), [V2.D2]
	VLD1.P 16(R10), [V3.D2]
	VZIP1 V1.D2, V0.D2, V4.D2
	VZIP1 V3.D2, V2.D2, V5.D2
	VZIP2 V1.D2, V0.D2, V6.D2
	VZIP2 V3.D2, V2.D2, V7.D2
	VST1 [V4.D2, V5.D2], (R0)
	ADD  R6, R0
	VST1 [V6.D2, V7.D2], (R0)
	ADD  R6, R0
	SUBS $2, R5
	BNE  loop
	RET
