//go:build !purego

#include "textflag.h"

// Weighted sums of kernel values. Four panels have separate sums, and so has each lane.

#define LOAD \
	MOVQ sums+0(FP), DI; \
	MOVQ k+8(FP), SI;    \
	MOVQ c+16(FP), DX;   \
	MOVQ panels+24(FP), CX

// Add one of up to three panels after the last four to its register of sums.
#define LAST512(acc) \
	TESTQ CX, CX;      \
	JZ    done;        \
	VMOVUPS (SI), Z4;  \
	FMA (DX), Z4, acc; \
	ADDQ $64, SI;      \
	ADDQ $64, DX;      \
	DECQ CX

#define WEIGH512 \
	LOAD; \
	VMOVUPS (DI), Z0; VMOVUPS 64(DI), Z1; VMOVUPS 128(DI), Z2; VMOVUPS 192(DI), Z3; \
	JMP check; \
four: \
	VMOVUPS (SI), Z4; VMOVUPS 64(SI), Z5; VMOVUPS 128(SI), Z6; VMOVUPS 192(SI), Z7; \
	FMA (DX), Z4, Z0; FMA 64(DX), Z5, Z1; FMA 128(DX), Z6, Z2; FMA 192(DX), Z7, Z3; \
	ADDQ $256, SI; \
	ADDQ $256, DX; \
	SUBQ $4, CX; \
check: \
	CMPQ CX, $4; \
	JGE  four; \
	LAST512(Z0); \
	LAST512(Z1); \
	LAST512(Z2); \
done: \
	VMOVUPS Z0, (DI); VMOVUPS Z1, 64(DI); VMOVUPS Z2, 128(DI); VMOVUPS Z3, 192(DI); \
	VZEROUPPER

#define PANEL2(off, lo, hi) \
	VMOVUPS off(SI), Y8; VMOVUPS (off+32)(SI), Y9; \
	FMA off(DX), Y8, lo; FMA (off+32)(DX), Y9, hi

#define LAST2(lo, hi) \
	TESTQ CX, CX;      \
	JZ    done;        \
	PANEL2(0, lo, hi); \
	ADDQ $64, SI;      \
	ADDQ $64, DX;      \
	DECQ CX

#define WEIGH2 \
	LOAD; \
	VMOVUPS (DI), Y0; VMOVUPS 32(DI), Y1; VMOVUPS 64(DI), Y2; VMOVUPS 96(DI), Y3; \
	VMOVUPS 128(DI), Y4; VMOVUPS 160(DI), Y5; VMOVUPS 192(DI), Y6; VMOVUPS 224(DI), Y7; \
	JMP check; \
four: \
	PANEL2(0, Y0, Y1); PANEL2(64, Y2, Y3); PANEL2(128, Y4, Y5); PANEL2(192, Y6, Y7); \
	ADDQ $256, SI; \
	ADDQ $256, DX; \
	SUBQ $4, CX; \
check: \
	CMPQ CX, $4; \
	JGE  four; \
	LAST2(Y0, Y1); \
	LAST2(Y2, Y3); \
	LAST2(Y4, Y5); \
done: \
	VMOVUPS Y0, (DI); VMOVUPS Y1, 32(DI); VMOVUPS Y2, 64(DI); VMOVUPS Y3, 96(DI); \
	VMOVUPS Y4, 128(DI); VMOVUPS Y5, 160(DI); VMOVUPS Y6, 192(DI); VMOVUPS Y7, 224(DI); \
	VZEROUPPER

#define FMA VFMADD231PD

// func weigh64AVX512(sums, k, c *float64, panels int)
TEXT ·weigh64AVX512(SB), NOSPLIT, $0-32
	WEIGH512
	RET

// func weigh64AVX2(sums, k, c *float64, panels int)
TEXT ·weigh64AVX2(SB), NOSPLIT, $0-32
	WEIGH2
	RET

#undef FMA
#define FMA VFMADD231PS

// func weigh32AVX512(sums, k, c *float32, panels int)
TEXT ·weigh32AVX512(SB), NOSPLIT, $0-32
	WEIGH512
	RET

// func weigh32AVX2(sums, k, c *float32, panels int)
TEXT ·weigh32AVX2(SB), NOSPLIT, $0-32
	WEIGH2
	RET
