//go:build !purego

#include "textflag.h"

// Squares of whole vectors are transposed in registers: columns in, rows out. The columns of the next square are
// fetched meanwhile, since each is in a page of its own.
//
// Registers: SI and R10 the first column and the one half a square further, R8 and R9 once and three times the bytes
// to the next, R12 and R13 the columns that are fetched; DI row, R11 bytes to the next, DX three times as many; CX
// rows left.

#define ARGUMENTS(HALF) \
	MOVQ dst_base+0(FP), DI; \
	MOVQ to+48(FP), AX; \
	LEAQ (DI)(AX*8), DI; \
	MOVQ src_base+24(FP), SI; \
	MOVQ pos+56(FP), AX; \
	LEAQ (SI)(AX*8), SI; \
	MOVQ ld+64(FP), R8; \
	SHLQ $3, R8; \
	LEAQ (R8)(R8*2), R9; \
	MOVQ rows+72(FP), CX; \
	MOVQ step+80(FP), R11; \
	SHLQ $3, R11; \
	LEAQ (R11)(R11*2), DX; \
	LEAQ (SI)(R8*HALF), R10; \
	LEAQ (R10)(R8*HALF), R12; \
	LEAQ (R12)(R8*HALF), R13

#define FETCH(A) \
	PREFETCHT0 (A); \
	PREFETCHT0 (A)(R8*1); \
	PREFETCHT0 (A)(R8*2); \
	PREFETCHT0 (A)(R9*1)

#define LOAD(A, V0, V1, V2, V3) \
	VMOVUPD (A), V0; \
	VMOVUPD (A)(R8*1), V1; \
	VMOVUPD (A)(R8*2), V2; \
	VMOVUPD (A)(R9*1), V3

#define STORE(V0, V1, V2, V3) \
	VMOVUPD V0, (DI); \
	VMOVUPD V1, (DI)(R11*1); \
	VMOVUPD V2, (DI)(R11*2); \
	VMOVUPD V3, (DI)(DX*1); \
	LEAQ    (DI)(R11*4), DI

// func transposeAVX2(dst, src []float64, to, at, ld, rows, step int)
TEXT ·transposeAVX2(SB), NOSPLIT, $0-88
	ARGUMENTS(2)

	PCALIGN $32
square:
	FETCH(R12)
	LOAD(SI, Y0, Y1, Y2, Y3)
	VUNPCKLPD Y1, Y0, Y4 // columns 0 and 1 of rows 0 and 2
	VUNPCKHPD Y1, Y0, Y5 // columns 0 and 1 of rows 1 and 3
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2
	VPERM2F128 $0x31, Y7, Y5, Y3
	STORE(Y0, Y1, Y2, Y3)
	ADDQ $32, SI
	ADDQ $32, R12
	SUBQ $4, CX
	JNZ  square
	VZEROUPPER
	RET

// QUARTERS makes rows R, R+2, R+4, R+6 from the pairs of columns A, B, C, D, which hold one row in each 128 bits.
#define QUARTERS(A, B, C, D, T0, T1, T2, T3, R0, R2, R4, R6) \
	VSHUFF64X2 $0x88, B, A, T0; \
	VSHUFF64X2 $0xdd, B, A, T1; \
	VSHUFF64X2 $0x88, D, C, T2; \
	VSHUFF64X2 $0xdd, D, C, T3; \
	VSHUFF64X2 $0x88, T2, T0, R0; \
	VSHUFF64X2 $0x88, T3, T1, R2; \
	VSHUFF64X2 $0xdd, T2, T0, R4; \
	VSHUFF64X2 $0xdd, T3, T1, R6

// func transposeAVX512(dst, src []float64, to, at, ld, rows, step int)
TEXT ·transposeAVX512(SB), NOSPLIT, $0-88
	ARGUMENTS(4)

	PCALIGN $32
square:
	FETCH(R12)
	FETCH(R13)
	LOAD(SI, Z0, Z1, Z2, Z3)
	LOAD(R10, Z4, Z5, Z6, Z7)
	VUNPCKLPD Z1, Z0, Z8 // columns 0 and 1 of the even rows
	VUNPCKHPD Z1, Z0, Z9 // columns 0 and 1 of the odd rows
	VUNPCKLPD Z3, Z2, Z10
	VUNPCKHPD Z3, Z2, Z11
	VUNPCKLPD Z5, Z4, Z12
	VUNPCKHPD Z5, Z4, Z13
	VUNPCKLPD Z7, Z6, Z14
	VUNPCKHPD Z7, Z6, Z15
	QUARTERS(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19, Z0, Z2, Z4, Z6)
	QUARTERS(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23, Z1, Z3, Z5, Z7)
	STORE(Z0, Z1, Z2, Z3)
	STORE(Z4, Z5, Z6, Z7)
	ADDQ $64, SI
	ADDQ $64, R10
	ADDQ $64, R12
	ADDQ $64, R13
	SUBQ $8, CX
	JNZ  square
	VZEROUPPER
	RET
