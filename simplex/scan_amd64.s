//go:build !purego

#include "textflag.h"

DATA magnitude<>+0(SB)/8, $0x7fffffffffffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $8

// func scanAVX2(colMax, row *float64, n int) (most, bad float64)
// Two vectors a turn; x·0 is 0 for every finite x and NaN for the others.
TEXT ·scanAVX2(SB), NOSPLIT, $0-40
	MOVQ         colMax+0(FP), DI
	MOVQ         row+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD magnitude<>(SB), Y15
	VXORPD       Y14, Y14, Y14        // 0
	VXORPD       Y0, Y0, Y0           // largest
	VXORPD       Y1, Y1, Y1
	VXORPD       Y2, Y2, Y2           // Σ x·0
	VXORPD       Y3, Y3, Y3

loop:
	VMOVUPD     (SI), Y4
	VMOVUPD     32(SI), Y5
	VFMADD231PD Y14, Y4, Y2
	VFMADD231PD Y14, Y5, Y3
	VANDPD      Y15, Y4, Y4
	VANDPD      Y15, Y5, Y5
	VMAXPD      Y4, Y0, Y0
	VMAXPD      Y5, Y1, Y1
	VMAXPD      (DI), Y4, Y4
	VMAXPD      32(DI), Y5, Y5
	VMOVUPD     Y4, (DI)
	VMOVUPD     Y5, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $8, CX
	JNZ         loop

	VMAXPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPD       X1, X0, X0
	VPERMILPD    $1, X0, X1
	VMAXSD       X1, X0, X0
	VMOVSD       X0, most+24(FP)
	VADDPD       Y3, Y2, Y2
	VEXTRACTF128 $1, Y2, X3
	VADDPD       X3, X2, X2
	VPERMILPD    $1, X2, X3
	VADDSD       X3, X2, X2
	VMOVSD       X2, bad+32(FP)
	VZEROUPPER
	RET
