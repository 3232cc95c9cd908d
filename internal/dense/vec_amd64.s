//go:build !purego

#include "textflag.h"

// mask<>+32−8n selects the first n of four float64.
DATA mask<>+0(SB)/8, $-1
DATA mask<>+8(SB)/8, $-1
DATA mask<>+16(SB)/8, $-1
DATA mask<>+24(SB)/8, $-1
DATA mask<>+32(SB)/8, $0
DATA mask<>+40(SB)/8, $0
DATA mask<>+48(SB)/8, $0
DATA mask<>+56(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $64

// MASK sets Y15 for the CX < 4 elements left, and uses AX.
#define MASK \
	LEAQ mask<>+32(SB), AX \
	SHLQ $3, CX            \
	SUBQ CX, AX            \
	VMOVUPD (AX), Y15

// KMASK sets K1 for the CX < 8 elements left, and uses AX.
#define KMASK \
	MOVL $1, AX  \
	SHLQ CX, AX  \
	DECQ AX      \
	KMOVB AX, K1

// DOT adds the products at OFF to SUM.
#define DOT(OFF, T, SUM) \
	VMOVUPD OFF(SI), T \
	VFMADD231PD OFF(DX), T, SUM

// func dotAVX2(x, y []float64) float64
// Eight sums of four lanes hide the latency of the fused multiply-add.
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $32, CX
	JLT    rest

	PCALIGN $64
eight:
	DOT(0, Y8, Y0)
	DOT(32, Y9, Y1)
	DOT(64, Y10, Y2)
	DOT(96, Y11, Y3)
	DOT(128, Y8, Y4)
	DOT(160, Y9, Y5)
	DOT(192, Y10, Y6)
	DOT(224, Y11, Y7)
	ADDQ $256, SI
	ADDQ $256, DX
	SUBQ $32, CX
	JGE  eight

rest:
	ADDQ $28, CX
	JLT  tail

one:
	DOT(0, Y8, Y0)
	ADDQ $32, SI
	ADDQ $32, DX
	SUBQ $4, CX
	JGE  one

tail:
	ADDQ $4, CX
	JZ   fold
	MASK
	VMASKMOVPD (SI), Y15, Y8
	VMASKMOVPD (DX), Y15, Y9
	VFMADD231PD Y8, Y9, Y1

fold:
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	VADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VHADDPD X0, X0, X0
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// func dotAVX512(x, y []float64) float64
// Four sums of eight lanes.
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	SUBQ   $32, CX
	JLT    rest

	PCALIGN $64
four:
	DOT(0, Z8, Z0)
	DOT(64, Z9, Z1)
	DOT(128, Z10, Z2)
	DOT(192, Z11, Z3)
	ADDQ $256, SI
	ADDQ $256, DX
	SUBQ $32, CX
	JGE  four

rest:
	ADDQ $24, CX
	JLT  tail

one:
	DOT(0, Z8, Z0)
	ADDQ $64, SI
	ADDQ $64, DX
	SUBQ $8, CX
	JGE  one

tail:
	ADDQ $8, CX
	JZ   fold
	KMASK
	VMOVUPD.Z (SI), K1, Z8
	VFMADD231PD (DX), Z8, K1, Z1

fold:
	VADDPD Z2, Z0, Z0
	VADDPD Z3, Z1, Z1
	VADDPD Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VHADDPD X0, X0, X0
	VMOVSD X0, ret+48(FP)
	VZEROUPPER
	RET

// AXPY processes one vector at OFF; A holds a in every lane.
#define AXPY(OFF, A, T) \
	VMOVUPD OFF(DI), T          \
	VFMADD231PD OFF(SI), A, T   \
	VMOVUPD T, OFF(DI)

// func axpyAVX2(a float64, x, y []float64)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-56
	VBROADCASTSD a+0(FP), Y0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DI
	SUBQ $16, CX
	JLT  rest

	PCALIGN $64
four:
	AXPY(0, Y0, Y1)
	AXPY(32, Y0, Y2)
	AXPY(64, Y0, Y3)
	AXPY(96, Y0, Y4)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  four

rest:
	ADDQ $12, CX
	JLT  tail

one:
	AXPY(0, Y0, Y1)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JGE  one

tail:
	ADDQ $4, CX
	JZ   done
	MASK
	VMASKMOVPD (SI), Y15, Y1
	VMASKMOVPD (DI), Y15, Y2
	VFMADD231PD Y1, Y0, Y2
	VMASKMOVPD Y2, Y15, (DI)

done:
	VZEROUPPER
	RET

// func axpyAVX512(a float64, x, y []float64)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-56
	VBROADCASTSD a+0(FP), Z0
	MOVQ x_base+8(FP), SI
	MOVQ x_len+16(FP), CX
	MOVQ y_base+32(FP), DI
	SUBQ $32, CX
	JLT  rest

	PCALIGN $64
four:
	AXPY(0, Z0, Z1)
	AXPY(64, Z0, Z2)
	AXPY(128, Z0, Z3)
	AXPY(192, Z0, Z4)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JGE  four

rest:
	ADDQ $24, CX
	JLT  tail

one:
	AXPY(0, Z0, Z1)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGE  one

tail:
	ADDQ $8, CX
	JZ   done
	KMASK
	VMOVUPD.Z (SI), K1, Z1
	VMOVUPD.Z (DI), K1, Z2
	VFMADD231PD Z1, Z0, Z2
	VMOVUPD Z2, K1, (DI)

done:
	VZEROUPPER
	RET
