//go:build !purego

#include "textflag.h"

// Counts of the ones that samples have in common with a query. Group by group, a table look-up finds them in the
// query's row of bits4Table.

// func countBits4NEON(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)
TEXT ·countBits4NEON(SB), NOSPLIT, $0-64
	MOVD out+0(FP), R0
	MOVD squares+8(FP), R1
	MOVD q+16(FP), R2
	MOVD kept+24(FP), R3
	MOVD k+32(FP), R4
	MOVD x+40(FP), R5
	MOVD xs+48(FP), R6
	MOVD panels+56(FP), R7
	MOVD $·bits4Table(SB), R8
	VDUP R2, V16.B16

panel:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD R3, R9
	MOVD R4, R10

group:
	MOVWU (R9), R11
	MOVWU 4(R9), R12
	ADD   $8, R9
	ADD   R5, R11
	ADD   R8, R12
	VLD1  (R12), [V4.B16]
	VLD1  (R11), [V5.B16, V6.B16, V7.B16, V8.B16]
	VTBL  V5.B16, [V4.B16], V5.B16
	VTBL  V6.B16, [V4.B16], V6.B16
	VTBL  V7.B16, [V4.B16], V7.B16
	VTBL  V8.B16, [V4.B16], V8.B16
	VADD  V5.B16, V0.B16, V0.B16
	VADD  V6.B16, V1.B16, V1.B16
	VADD  V7.B16, V2.B16, V2.B16
	VADD  V8.B16, V3.B16, V3.B16
	SUBS  $1, R10
	BNE   group

	VLD1.P 64(R1), [V5.B16, V6.B16, V7.B16, V8.B16]
	VADD   V0.B16, V0.B16, V0.B16
	VADD   V1.B16, V1.B16, V1.B16
	VADD   V2.B16, V2.B16, V2.B16
	VADD   V3.B16, V3.B16, V3.B16
	VADD   V16.B16, V5.B16, V5.B16
	VADD   V16.B16, V6.B16, V6.B16
	VADD   V16.B16, V7.B16, V7.B16
	VADD   V16.B16, V8.B16, V8.B16
	VSUB   V0.B16, V5.B16, V5.B16
	VSUB   V1.B16, V6.B16, V6.B16
	VSUB   V2.B16, V7.B16, V7.B16
	VSUB   V3.B16, V8.B16, V8.B16
	VST1.P [V5.B16, V6.B16, V7.B16, V8.B16], 64(R0)
	ADD    R6, R5
	SUBS   $1, R7
	BNE    panel
	RET
