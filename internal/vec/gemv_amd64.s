//go:build !purego

#include "textflag.h"

// Registers of both functions:
//   DI dst   SI, R8, R9, R10 four rows of a   R11 row stride in bytes   DX x
//   R12 rows left   CX columns   AX column of the running loop
//
// A row has two accumulators, for the even and the odd vector of columns, and a
// masked vector for the columns beyond. They are added as (even+odd), upper half
// to lower half, neighbours, then the two pairs.

// func gemvRowsAVX512(dst, a *float64, ld int, x *float64, m, n int)
TEXT ·gemvRowsAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ ld+16(FP), R11
	SHLQ $3, R11
	MOVQ x+24(FP), DX
	MOVQ m+32(FP), R12
	MOVQ n+40(FP), BX
	MOVQ BX, R13
	ANDQ $15, R13           // columns beyond the last multiple of 16
	MOVQ BX, CX
	ANDQ $~15, CX
	SHLQ $3, CX             // bytes of the columns in full double vectors
	MOVL $1, AX
	SHLXQ R13, AX, AX
	DECQ AX                 // one bit for each column of the tail
	KMOVB AX, K1
	SHRQ $8, AX
	KMOVB AX, K2

	CMPQ R12, $4
	JL   one512

four512:
	LEAQ (SI)(R11*1), R8
	LEAQ (R8)(R11*1), R9
	LEAQ (R9)(R11*1), R10
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	XORQ AX, AX
	CMPQ AX, CX
	JGE  fourtail512

fourloop512:
	VMOVUPD (DX)(AX*1), Z8
	VMOVUPD 64(DX)(AX*1), Z9
	VFMADD231PD (SI)(AX*1), Z8, Z0
	VFMADD231PD (R8)(AX*1), Z8, Z1
	VFMADD231PD (R9)(AX*1), Z8, Z2
	VFMADD231PD (R10)(AX*1), Z8, Z3
	VFMADD231PD 64(SI)(AX*1), Z9, Z4
	VFMADD231PD 64(R8)(AX*1), Z9, Z5
	VFMADD231PD 64(R9)(AX*1), Z9, Z6
	VFMADD231PD 64(R10)(AX*1), Z9, Z7
	ADDQ $128, AX
	CMPQ AX, CX
	JLT  fourloop512

fourtail512:
	TESTQ R13, R13
	JZ   foursum512
	VMOVUPD.Z (DX)(AX*1), K1, Z8
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9
	VMOVUPD.Z (SI)(AX*1), K1, Z10
	VFMADD231PD Z10, Z8, Z0
	VMOVUPD.Z (R8)(AX*1), K1, Z10
	VFMADD231PD Z10, Z8, Z1
	VMOVUPD.Z (R9)(AX*1), K1, Z10
	VFMADD231PD Z10, Z8, Z2
	VMOVUPD.Z (R10)(AX*1), K1, Z10
	VFMADD231PD Z10, Z8, Z3
	VMOVUPD.Z 64(SI)(AX*1), K2, Z10
	VFMADD231PD Z10, Z9, Z4
	VMOVUPD.Z 64(R8)(AX*1), K2, Z10
	VFMADD231PD Z10, Z9, Z5
	VMOVUPD.Z 64(R9)(AX*1), K2, Z10
	VFMADD231PD Z10, Z9, Z6
	VMOVUPD.Z 64(R10)(AX*1), K2, Z10
	VFMADD231PD Z10, Z9, Z7

foursum512:
	VADDPD Z4, Z0, Z0
	VADDPD Z5, Z1, Z1
	VADDPD Z6, Z2, Z2
	VADDPD Z7, Z3, Z3
	VEXTRACTF64X4 $1, Z0, Y4
	VEXTRACTF64X4 $1, Z1, Y5
	VEXTRACTF64X4 $1, Z2, Y6
	VEXTRACTF64X4 $1, Z3, Y7
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	VHADDPD Y1, Y0, Y0      // a0+a1  b0+b1  a2+a3  b2+b3
	VHADDPD Y3, Y2, Y2      // c0+c1  d0+d1  c2+c3  d2+d3
	VPERM2F128 $0x21, Y2, Y0, Y1 // a2+a3  b2+b3  c0+c1  d0+d1
	VBLENDPD $12, Y2, Y0, Y0     // a0+a1  b0+b1  c2+c3  d2+d3
	VADDPD Y1, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ $32, DI
	LEAQ (R10)(R11*1), SI
	SUBQ $4, R12
	CMPQ R12, $4
	JGE  four512

one512:
	TESTQ R12, R12
	JZ   done512
	VPXORQ Z0, Z0, Z0
	VPXORQ Z4, Z4, Z4
	XORQ AX, AX
	CMPQ AX, CX
	JGE  onetail512

oneloop512:
	VMOVUPD (DX)(AX*1), Z8
	VMOVUPD 64(DX)(AX*1), Z9
	VFMADD231PD (SI)(AX*1), Z8, Z0
	VFMADD231PD 64(SI)(AX*1), Z9, Z4
	ADDQ $128, AX
	CMPQ AX, CX
	JLT  oneloop512

onetail512:
	TESTQ R13, R13
	JZ   onesum512
	VMOVUPD.Z (DX)(AX*1), K1, Z8
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9
	VMOVUPD.Z (SI)(AX*1), K1, Z10
	VFMADD231PD Z10, Z8, Z0
	VMOVUPD.Z 64(SI)(AX*1), K2, Z10
	VFMADD231PD Z10, Z9, Z4

onesum512:
	VADDPD Z4, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y4
	VADDPD Y4, Y0, Y0
	VHADDPD Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSD X1, X0, X0
	VMOVSD X0, (DI)
	ADDQ $8, DI
	ADDQ R11, SI
	DECQ R12
	JMP  one512

done512:
	VZEROUPPER
	RET

// func gemvRowsAVX2(dst, a *float64, ld int, x *float64, m, n int)
TEXT ·gemvRowsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ ld+16(FP), R11
	SHLQ $3, R11
	MOVQ x+24(FP), DX
	MOVQ m+32(FP), R12
	MOVQ n+40(FP), BX
	SHLQ $3, BX             // bytes of a row
	MOVQ BX, CX
	ANDQ $~63, CX           // bytes of the columns in full double vectors

	CMPQ R12, $4
	JL   one2

four2:
	LEAQ (SI)(R11*1), R8
	LEAQ (R8)(R11*1), R9
	LEAQ (R9)(R11*1), R10
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ AX, AX
	CMPQ AX, CX
	JGE  foursum2

fourloop2:
	VMOVUPD (DX)(AX*1), Y8
	VMOVUPD 32(DX)(AX*1), Y9
	VFMADD231PD (SI)(AX*1), Y8, Y0
	VFMADD231PD (R8)(AX*1), Y8, Y1
	VFMADD231PD (R9)(AX*1), Y8, Y2
	VFMADD231PD (R10)(AX*1), Y8, Y3
	VFMADD231PD 32(SI)(AX*1), Y9, Y4
	VFMADD231PD 32(R8)(AX*1), Y9, Y5
	VFMADD231PD 32(R9)(AX*1), Y9, Y6
	VFMADD231PD 32(R10)(AX*1), Y9, Y7
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  fourloop2

foursum2:
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	VHADDPD Y1, Y0, Y0
	VHADDPD Y3, Y2, Y2
	VPERM2F128 $0x21, Y2, Y0, Y1
	VBLENDPD $12, Y2, Y0, Y0
	VADDPD Y1, Y0, Y0       // the four rows' sums
	CMPQ AX, BX
	JGE  fourstore2

fourscalar2:                    // columns beyond, one by one
	VMOVSD (SI)(AX*1), X2
	VMOVHPD (R8)(AX*1), X2, X2
	VMOVSD (R9)(AX*1), X3
	VMOVHPD (R10)(AX*1), X3, X3
	VINSERTF128 $1, X3, Y2, Y2
	VBROADCASTSD (DX)(AX*1), Y3
	VFMADD231PD Y3, Y2, Y0
	ADDQ $8, AX
	CMPQ AX, BX
	JLT  fourscalar2

fourstore2:
	VMOVUPD Y0, (DI)
	ADDQ $32, DI
	LEAQ (R10)(R11*1), SI
	SUBQ $4, R12
	CMPQ R12, $4
	JGE  four2

one2:
	TESTQ R12, R12
	JZ   done2
	VXORPD Y0, Y0, Y0
	VXORPD Y4, Y4, Y4
	XORQ AX, AX
	CMPQ AX, CX
	JGE  onesum2

oneloop2:
	VMOVUPD (DX)(AX*1), Y8
	VMOVUPD 32(DX)(AX*1), Y9
	VFMADD231PD (SI)(AX*1), Y8, Y0
	VFMADD231PD 32(SI)(AX*1), Y9, Y4
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  oneloop2

onesum2:
	VADDPD Y4, Y0, Y0
	VHADDPD Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSD X1, X0, X0
	CMPQ AX, BX
	JGE  onestore2

onescalar2:
	VMOVSD (SI)(AX*1), X2
	VMOVSD (DX)(AX*1), X3
	VFMADD231SD X3, X2, X0
	ADDQ $8, AX
	CMPQ AX, BX
	JLT  onescalar2

onestore2:
	VMOVSD X0, (DI)
	ADDQ $8, DI
	ADDQ R11, SI
	DECQ R12
	JMP  one2

done2:
	VZEROUPPER
	RET
