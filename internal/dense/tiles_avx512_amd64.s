//go:build !purego

#include "textflag.h"

// The products of tiles_amd64.s with vectors of eight, in the same registers. K1 masks the lanes of a last half
// vector.

#define LOADROWS4 \
	VBROADCASTSD (R12), Z10; \
	VBROADCASTSD (R12)(R9*1), Z11; \
	VBROADCASTSD (R12)(R9*2), Z12; \
	VBROADCASTSD (R12)(R14*1), Z13

// func mulRows4AVX512(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)
//
// Registers: DI c, R8 its rows' distance; SI q, R9 and R14 once and three times its rows' distance; DX a, R10 its
// rows' distance; AX byte of the running columns, BX columns left in bytes; R11, R12, R13 running a, q, rows left.
TEXT ·mulRows4AVX512(SB), NOSPLIT, $0-136
	MOVQ c_base+0(FP), DI
	MOVQ ldc+24(FP), R8
	SHLQ $3, R8
	MOVQ start_base+32(FP), CX
	MOVQ q_base+56(FP), SI
	MOVQ ldq+80(FP), R9
	SHLQ $3, R9
	LEAQ (R9)(R9*2), R14
	MOVQ a_base+88(FP), DX
	MOVQ lda+112(FP), R10
	SHLQ $3, R10
	MOVQ n+128(FP), BX
	SHLQ $3, BX
	XORQ AX, AX
	SUBQ $128, BX
	JLT  half
columns:
	VBROADCASTSD (CX), Z0
	VBROADCASTSD 8(CX), Z1
	VBROADCASTSD 16(CX), Z2
	VBROADCASTSD 24(CX), Z3
	VMOVAPD Z0, Z4
	VMOVAPD Z1, Z5
	VMOVAPD Z2, Z6
	VMOVAPD Z3, Z7
	LEAQ (DX)(AX*1), R11
	MOVQ SI, R12
	MOVQ k+120(FP), R13
	PCALIGN $32
rows:
	VMOVUPD (R11), Z8
	VMOVUPD 64(R11), Z9
	LOADROWS4
	VFMADD231PD Z8, Z10, Z0
	VFMADD231PD Z9, Z10, Z4
	VFMADD231PD Z8, Z11, Z1
	VFMADD231PD Z9, Z11, Z5
	VFMADD231PD Z8, Z12, Z2
	VFMADD231PD Z9, Z12, Z6
	VFMADD231PD Z8, Z13, Z3
	VFMADD231PD Z9, Z13, Z7
	ADDQ R10, R11
	ADDQ $8, R12
	DECQ R13
	JNZ  rows
	LEAQ (DI)(AX*1), R11
	VMOVUPD Z0, (R11)
	VMOVUPD Z4, 64(R11)
	ADDQ R8, R11
	VMOVUPD Z1, (R11)
	VMOVUPD Z5, 64(R11)
	ADDQ R8, R11
	VMOVUPD Z2, (R11)
	VMOVUPD Z6, 64(R11)
	ADDQ R8, R11
	VMOVUPD Z3, (R11)
	VMOVUPD Z7, 64(R11)
	ADDQ $128, AX
	SUBQ $128, BX
	JGE  columns
half:
	ADDQ $128, BX
	JZ   done
	VBROADCASTSD (CX), Z0
	VBROADCASTSD 8(CX), Z1
	VBROADCASTSD 16(CX), Z2
	VBROADCASTSD 24(CX), Z3
	LEAQ (DX)(AX*1), R11
	MOVQ SI, R12
	MOVQ k+120(FP), R13
halfrows:
	VMOVUPD (R11), Z8
	LOADROWS4
	VFMADD231PD Z8, Z10, Z0
	VFMADD231PD Z8, Z11, Z1
	VFMADD231PD Z8, Z12, Z2
	VFMADD231PD Z8, Z13, Z3
	ADDQ R10, R11
	ADDQ $8, R12
	DECQ R13
	JNZ  halfrows
	LEAQ (DI)(AX*1), R11
	VMOVUPD Z0, (R11)
	ADDQ R8, R11
	VMOVUPD Z1, (R11)
	ADDQ R8, R11
	VMOVUPD Z2, (R11)
	ADDQ R8, R11
	VMOVUPD Z3, (R11)
done:
	VZEROUPPER
	RET

#define FMAS \
	VFMADD231PD Z8, Z10, Z0; \
	VFMADD231PD Z9, Z10, Z4; \
	VFMADD231PD Z8, Z11, Z1; \
	VFMADD231PD Z9, Z11, Z5; \
	VFMADD231PD Z8, Z12, Z2; \
	VFMADD231PD Z9, Z12, Z6; \
	VFMADD231PD Z8, Z13, Z3; \
	VFMADD231PD Z9, Z13, Z7

// HALVES adds the upper half of a register to the lower.
#define HALVES(Z, Y) \
	VEXTRACTF64X4 $1, Z, Y8; \
	VADDPD Y8, Y, Y

// SUMS writes the sums of the lanes of four registers to R13.
#define SUMS(A, B, C, D) \
	VHADDPD B, A, A; /* a0+a1  b0+b1  a2+a3  b2+b3 */ \
	VHADDPD D, C, C; /* c0+c1  d0+d1  c2+c3  d2+d3 */ \
	VPERM2F128 $0x21, C, A, B; /* a2+a3  b2+b3  c0+c1  d0+d1 */ \
	VBLENDPD $12, C, A, A; /* a0+a1  b0+b1  c2+c3  d2+d3 */ \
	VADDPD  B, A, A; \
	VADDPD  (R13), A, A; \
	VMOVUPD A, (R13)

// func addDots42AVX512(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
//
// Registers: SI, R8, R9, R10 the rows of a; DX, CX those of x; AX the running byte, BX bytes left.
TEXT ·addDots42AVX512(SB), NOSPLIT, $0-104
	MOVQ a_base+32(FP), SI
	MOVQ lda+56(FP), R11
	LEAQ (SI)(R11*8), R8
	LEAQ (R8)(R11*8), R9
	LEAQ (R9)(R11*8), R10
	MOVQ x_base+64(FP), DX
	MOVQ ldx+88(FP), R11
	LEAQ (DX)(R11*8), CX
	MOVQ n+96(FP), BX
	SHLQ $3, BX
	XORQ AX, AX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	SUBQ $64, BX
	JLT  last
	PCALIGN $32
loop:
	VMOVUPD (DX)(AX*1), Z8
	VMOVUPD (CX)(AX*1), Z9
	VMOVUPD (SI)(AX*1), Z10
	VMOVUPD (R8)(AX*1), Z11
	VMOVUPD (R9)(AX*1), Z12
	VMOVUPD (R10)(AX*1), Z13
	FMAS
	ADDQ $64, AX
	SUBQ $64, BX
	JGE  loop
last:
	ADDQ $64, BX
	JZ   sums
	MOVL $15, R11
	KMOVB R11, K1
	VMOVUPD.Z (DX)(AX*1), K1, Z8
	VMOVUPD.Z (CX)(AX*1), K1, Z9
	VMOVUPD.Z (SI)(AX*1), K1, Z10
	VMOVUPD.Z (R8)(AX*1), K1, Z11
	VMOVUPD.Z (R9)(AX*1), K1, Z12
	VMOVUPD.Z (R10)(AX*1), K1, Z13
	FMAS
sums:
	HALVES(Z0, Y0)
	HALVES(Z1, Y1)
	HALVES(Z2, Y2)
	HALVES(Z3, Y3)
	HALVES(Z4, Y4)
	HALVES(Z5, Y5)
	HALVES(Z6, Y6)
	HALVES(Z7, Y7)
	MOVQ dst_base+0(FP), R13
	SUMS(Y0, Y1, Y2, Y3)
	MOVQ ldd+24(FP), R11
	LEAQ (R13)(R11*8), R13
	SUMS(Y4, Y5, Y6, Y7)
	VZEROUPPER
	RET

// func scaleAVX512(y, x []float64)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-48
	MOVQ y_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), BX
	XORQ AX, AX
	SUBQ $16, BX
	JLT  last
	PCALIGN $32
loop:
	VMOVUPD (DI)(AX*8), Z0
	VMOVUPD 64(DI)(AX*8), Z1
	VMULPD (SI)(AX*8), Z0, Z0
	VMULPD 64(SI)(AX*8), Z1, Z1
	VMOVUPD Z0, (DI)(AX*8)
	VMOVUPD Z1, 64(DI)(AX*8)
	ADDQ $16, AX
	SUBQ $16, BX
	JGE  loop
last:
	ADDQ $16, BX
	JZ   done
	VMOVUPD (DI)(AX*8), Z0
	VMULPD (SI)(AX*8), Z0, Z0
	VMOVUPD Z0, (DI)(AX*8)
done:
	VZEROUPPER
	RET
