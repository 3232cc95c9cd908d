//go:build !purego

#include "textflag.h"
#include "rows_amd64.h"

// dst[i] += row_i·x, four rows at a time and the rest one by one. The order of a row's sum is the same in both cases:
// two accumulators for the even and the odd vectors of columns, then masked vectors for the remaining columns. The
// final sum adds even and odd, the upper half to the lower half, neighbours, and the two pairs.
//
// Registers: DI dst, R12 rows left, DX x, AX current byte, CX bytes of the columns in full double vectors, R13
// columns beyond them, R14 whether dst is added to; and the registers of rows_amd64.h.

// SUMS4 adds up the lanes of each row's sum in Y0..Y3, and adds dst unless R14 is 0.
#define SUMS4(set) \
	VHADDPD Y1, Y0, Y0; /* a0+a1  b0+b1  a2+a3  b2+b3 */ \
	VHADDPD Y3, Y2, Y2; /* c0+c1  d0+d1  c2+c3  d2+d3 */ \
	VPERM2F128 $0x21, Y2, Y0, Y1; /* a2+a3  b2+b3  c0+c1  d0+d1 */ \
	VBLENDPD $12, Y2, Y0, Y0; /* a0+a1  b0+b1  c2+c3  d2+d3 */ \
	VADDPD  Y1, Y0, Y0; \
	TESTQ   R14, R14; \
	JZ      set; \
	VADDPD  (DI), Y0, Y0; \
set: \
	VMOVUPD Y0, (DI); \
	ADDQ    $32, DI

#define SUM1(set) \
	VHADDPD Y0, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDSD X1, X0, X0; \
	TESTQ  R14, R14; \
	JZ     set; \
	VADDSD (DI), X0, X0; \
set: \
	VMOVSD X0, (DI); \
	ADDQ   $8, DI

// MULVEC5 expects the number of all columns in R13. FOUR and ONE fetch rows. FEW handles up to eight columns with
// shorter vectors; it adds the products in the same order.
#define MULVEC5(FEW) \
	CMPQ R13, $8; \
	JLE  few5; \
	MOVQ R13, R8; \
	MOVQ R13, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	SHRQ $8, AX; \
	KMOVB AX, K2; \
	MOVQ CX, R13; \
	MOVQ R8, CX; \
	ANDQ $~15, CX; \
	SHLQ $3, CX; \
	CMPQ R12, $4; \
	JL   rest5; \
four5: \
	FOUR; \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	VPXORQ Z4, Z4, Z4; \
	VPXORQ Z5, Z5, Z5; \
	VPXORQ Z6, Z6, Z6; \
	VPXORQ Z7, Z7, Z7; \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail5; \
	PCALIGN $64; \
loop5: \
	VMOVUPD (DX)(AX*1), Z8; \
	VMOVUPD 64(DX)(AX*1), Z9; \
	VFMADD231PD (SI)(AX*1), Z8, Z0; \
	VFMADD231PD (R8)(AX*1), Z8, Z1; \
	VFMADD231PD (R9)(AX*1), Z8, Z2; \
	VFMADD231PD (R10)(AX*1), Z8, Z3; \
	VFMADD231PD 64(SI)(AX*1), Z9, Z4; \
	VFMADD231PD 64(R8)(AX*1), Z9, Z5; \
	VFMADD231PD 64(R9)(AX*1), Z9, Z6; \
	VFMADD231PD 64(R10)(AX*1), Z9, Z7; \
	ADDQ $128, AX; \
	CMPQ AX, CX; \
	JLT  loop5; \
tail5: \
	TESTQ R13, R13; \
	JZ   sum5; \
	VMOVUPD.Z (DX)(AX*1), K1, Z8; \
	VMOVUPD.Z (SI)(AX*1), K1, Z10; \
	VFMADD231PD Z10, Z8, Z0; \
	VMOVUPD.Z (R8)(AX*1), K1, Z10; \
	VFMADD231PD Z10, Z8, Z1; \
	VMOVUPD.Z (R9)(AX*1), K1, Z10; \
	VFMADD231PD Z10, Z8, Z2; \
	VMOVUPD.Z (R10)(AX*1), K1, Z10; \
	VFMADD231PD Z10, Z8, Z3; \
	CMPQ R13, $8; \
	JLE  sum5; \
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9; \
	VMOVUPD.Z 64(SI)(AX*1), K2, Z10; \
	VFMADD231PD Z10, Z9, Z4; \
	VMOVUPD.Z 64(R8)(AX*1), K2, Z10; \
	VFMADD231PD Z10, Z9, Z5; \
	VMOVUPD.Z 64(R9)(AX*1), K2, Z10; \
	VFMADD231PD Z10, Z9, Z6; \
	VMOVUPD.Z 64(R10)(AX*1), K2, Z10; \
	VFMADD231PD Z10, Z9, Z7; \
sum5: \
	VADDPD Z4, Z0, Z0; \
	VADDPD Z5, Z1, Z1; \
	VADDPD Z6, Z2, Z2; \
	VADDPD Z7, Z3, Z3; \
	VEXTRACTF64X4 $1, Z0, Y4; \
	VEXTRACTF64X4 $1, Z1, Y5; \
	VEXTRACTF64X4 $1, Z2, Y6; \
	VEXTRACTF64X4 $1, Z3, Y7; \
	VADDPD Y4, Y0, Y0; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y6, Y2, Y2; \
	VADDPD Y7, Y3, Y3; \
	SUMS4(set5); \
	SUBQ $4, R12; \
	CMPQ R12, $4; \
	JGE  four5; \
rest5: \
	TESTQ R12, R12; \
	JZ   done5; \
	ONE(SI); \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z4, Z4, Z4; \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  onetail5; \
	PCALIGN $64; \
oneloop5: \
	VMOVUPD (DX)(AX*1), Z8; \
	VMOVUPD 64(DX)(AX*1), Z9; \
	VFMADD231PD (SI)(AX*1), Z8, Z0; \
	VFMADD231PD 64(SI)(AX*1), Z9, Z4; \
	ADDQ $128, AX; \
	CMPQ AX, CX; \
	JLT  oneloop5; \
onetail5: \
	TESTQ R13, R13; \
	JZ   onesum5; \
	VMOVUPD.Z (DX)(AX*1), K1, Z8; \
	VMOVUPD.Z (SI)(AX*1), K1, Z10; \
	VFMADD231PD Z10, Z8, Z0; \
	CMPQ R13, $8; \
	JLE  onesum5; \
	VMOVUPD.Z 64(DX)(AX*1), K2, Z9; \
	VMOVUPD.Z 64(SI)(AX*1), K2, Z10; \
	VFMADD231PD Z10, Z9, Z4; \
onesum5: \
	VADDPD Z4, Z0, Z0; \
	VEXTRACTF64X4 $1, Z0, Y4; \
	VADDPD Y4, Y0, Y0; \
	SUM1(oneset5); \
	DECQ R12; \
	JMP  rest5; \
done5: \
	VZEROUPPER; \
	RET; \
few5: \
	JMP  FEW

// tailmask<>+64−8n selects the first n ≤ 8 of eight float64.
DATA tailmask<>+0(SB)/8, $-1
DATA tailmask<>+8(SB)/8, $-1
DATA tailmask<>+16(SB)/8, $-1
DATA tailmask<>+24(SB)/8, $-1
DATA tailmask<>+32(SB)/8, $-1
DATA tailmask<>+40(SB)/8, $-1
DATA tailmask<>+48(SB)/8, $-1
DATA tailmask<>+56(SB)/8, $-1
DATA tailmask<>+64(SB)/8, $0
DATA tailmask<>+72(SB)/8, $0
DATA tailmask<>+80(SB)/8, $0
DATA tailmask<>+88(SB)/8, $0
DATA tailmask<>+96(SB)/8, $0
DATA tailmask<>+104(SB)/8, $0
DATA tailmask<>+112(SB)/8, $0
DATA tailmask<>+120(SB)/8, $0
GLOBL tailmask<>(SB), RODATA|NOPTR, $128

// TAIL adds the remaining columns of the row at R to its sums.
#define TAIL(R, SUM0, SUM1) \
	VMASKMOVPD (R)(AX*1), Y14, Y10; \
	VMASKMOVPD 32(R)(AX*1), Y15, Y11; \
	VFMADD231PD Y10, Y8, SUM0; \
	VFMADD231PD Y11, Y9, SUM1

// MULVEC2 is the same with 256-bit registers.
#define MULVEC2 \
	MOVQ R13, CX; \
	ANDQ $7, R13; \
	ANDQ $~7, CX; \
	SHLQ $3, CX; \
	LEAQ tailmask<>+64(SB), AX; \
	LEAQ (R13*8), R8; \
	SUBQ R8, AX; \
	VMOVUPD (AX), Y14; \
	VMOVUPD 32(AX), Y15; \
	CMPQ R12, $4; \
	JL   rest2; \
four2: \
	FOUR; \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3; \
	VXORPD Y4, Y4, Y4; \
	VXORPD Y5, Y5, Y5; \
	VXORPD Y6, Y6, Y6; \
	VXORPD Y7, Y7, Y7; \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail2; \
	PCALIGN $64; \
loop2: \
	VMOVUPD (DX)(AX*1), Y8; \
	VMOVUPD 32(DX)(AX*1), Y9; \
	VFMADD231PD (SI)(AX*1), Y8, Y0; \
	VFMADD231PD (R8)(AX*1), Y8, Y1; \
	VFMADD231PD (R9)(AX*1), Y8, Y2; \
	VFMADD231PD (R10)(AX*1), Y8, Y3; \
	VFMADD231PD 32(SI)(AX*1), Y9, Y4; \
	VFMADD231PD 32(R8)(AX*1), Y9, Y5; \
	VFMADD231PD 32(R9)(AX*1), Y9, Y6; \
	VFMADD231PD 32(R10)(AX*1), Y9, Y7; \
	ADDQ $64, AX; \
	CMPQ AX, CX; \
	JLT  loop2; \
tail2: \
	TESTQ R13, R13; \
	JZ   sum2; \
	VMASKMOVPD (DX)(AX*1), Y14, Y8; \
	VMASKMOVPD 32(DX)(AX*1), Y15, Y9; \
	TAIL(SI, Y0, Y4); \
	TAIL(R8, Y1, Y5); \
	TAIL(R9, Y2, Y6); \
	TAIL(R10, Y3, Y7); \
sum2: \
	VADDPD Y4, Y0, Y0; \
	VADDPD Y5, Y1, Y1; \
	VADDPD Y6, Y2, Y2; \
	VADDPD Y7, Y3, Y3; \
	SUMS4(set2); \
	SUBQ $4, R12; \
	CMPQ R12, $4; \
	JGE  four2; \
rest2: \
	TESTQ R12, R12; \
	JZ   done2; \
	ONE(SI); \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y4, Y4, Y4; \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  onetail2; \
	PCALIGN $64; \
oneloop2: \
	VMOVUPD (DX)(AX*1), Y8; \
	VMOVUPD 32(DX)(AX*1), Y9; \
	VFMADD231PD (SI)(AX*1), Y8, Y0; \
	VFMADD231PD 32(SI)(AX*1), Y9, Y4; \
	ADDQ $64, AX; \
	CMPQ AX, CX; \
	JLT  oneloop2; \
onetail2: \
	TESTQ R13, R13; \
	JZ   onesum2; \
	VMASKMOVPD (DX)(AX*1), Y14, Y8; \
	VMASKMOVPD 32(DX)(AX*1), Y15, Y9; \
	TAIL(SI, Y0, Y4); \
onesum2: \
	VADDPD Y4, Y0, Y0; \
	SUM1(oneset2); \
	DECQ R12; \
	JMP  rest2; \
done2: \
	VZEROUPPER; \
	RET

#define FOUR FOURSTRIDED
#define ONE(R) ONESTRIDED(R)

// func mulStridedAVX512(dst, a []float64, ld int, x []float64, add bool)
TEXT ·mulStridedAVX512(SB), NOSPLIT, $0-81
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R12
	MOVQ a_base+24(FP), BX
	MOVQ ld+48(FP), R11
	SHLQ $3, R11
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), R13
	MOVBLZX add+80(FP), R14
	MULVEC5(·mulStridedAVX2(SB))

// func mulStridedAVX2(dst, a []float64, ld int, x []float64, add bool)
TEXT ·mulStridedAVX2(SB), NOSPLIT, $0-81
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R12
	MOVQ a_base+24(FP), BX
	MOVQ ld+48(FP), R11
	SHLQ $3, R11
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), R13
	MOVBLZX add+80(FP), R14
	MULVEC2

#undef FOUR
#undef ONE
#define FOUR FOURGATHERED
#define ONE(R) ONEGATHERED(R)

// func mulGatheredAVX512(dst []float64, rows [][]float64, at int, x []float64)
TEXT ·mulGatheredAVX512(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R12
	MOVQ rows_base+24(FP), BX
	MOVQ at+48(FP), R11
	SHLQ $3, R11
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), R13
	MOVL $1, R14
	MULVEC5(·mulGatheredAVX2(SB))

// func mulGatheredAVX2(dst []float64, rows [][]float64, at int, x []float64)
TEXT ·mulGatheredAVX2(SB), NOSPLIT, $0-80
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), R12
	MOVQ rows_base+24(FP), BX
	MOVQ at+48(FP), R11
	SHLQ $3, R11
	MOVQ x_base+56(FP), DX
	MOVQ x_len+64(FP), R13
	MOVL $1, R14
	MULVEC2
