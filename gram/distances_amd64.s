//go:build !purego

#include "textflag.h"

// Squared distances of the expanded form: dst = max(0, (qn + zn) − 2·src). NaN stays NaN.

#define ARGS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ zn+16(FP), DX; \
	MOVQ n+24(FP), CX

#define NEXT(bytes) \
	ADDQ $bytes, SI; \
	ADDQ $bytes, DX; \
	ADDQ $bytes, DI

// FULL takes whole vectors of n elements. Register 8 has qn in every lane, 9 has 0, 10 has 2; v is register 0.
#define FULL(v, qn, zero, two, n, bytes) \
loop: \
	CMPQ CX, $n; \
	JLT  tail; \
	ADD  (DX), qn, v; \
	FNMADD (SI), two, v; \
	MAX  v, zero, v; \
	VMOVUPS v, (DI); \
	NEXT(bytes); \
	SUBQ $n, CX; \
	JMP  loop

#define DISTANCES512(n) \
	FULL(Z0, Z8, Z9, Z10, n, 64); \
tail: \
	TESTQ CX, CX; \
	JZ   done; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K1; \
	MOVE.Z (DX), K1, Z0; \
	MOVE.Z (SI), K1, Z1; \
	ADD  Z0, Z8, Z0; \
	FNMADD Z1, Z10, Z0; \
	MAX  Z0, Z9, Z0; \
	MOVE Z0, K1, (DI); \
done: \
	VZEROUPPER; \
	RET

#define DISTANCES256(n, size) \
	FULL(Y0, Y8, Y9, Y10, n, 32); \
tail: \
	TESTQ CX, CX; \
	JZ   done; \
	MOVE1 (DX), X0; \
	ADD1 X8, X0, X0; \
	MOVE1 (SI), X1; \
	FNMADD1 X1, X10, X0; \
	MAX1 X0, X9, X0; \
	MOVE1 X0, (DI); \
	NEXT(size); \
	DECQ CX; \
	JMP  tail; \
done: \
	VZEROUPPER; \
	RET

#define ADD VADDPD
#define FNMADD VFNMADD231PD
#define MAX VMAXPD
#define MOVE VMOVUPD
#define ADD1 VADDSD
#define FNMADD1 VFNMADD231SD
#define MAX1 VMAXSD
#define MOVE1 VMOVSD

// func distances64AVX512(dst, src, zn *float64, n int, qn float64)
TEXT ·distances64AVX512(SB), NOSPLIT, $0-40
	ARGS
	VBROADCASTSD qn+32(FP), Z8
	VPXORQ Z9, Z9, Z9
	MOVQ $0x4000000000000000, AX
	VPBROADCASTQ AX, Z10
	DISTANCES512(8)

// func distances64AVX2(dst, src, zn *float64, n int, qn float64)
TEXT ·distances64AVX2(SB), NOSPLIT, $0-40
	ARGS
	VBROADCASTSD qn+32(FP), Y8
	VXORPS Y9, Y9, Y9
	MOVQ $0x4000000000000000, AX
	MOVQ AX, X10
	VBROADCASTSD X10, Y10
	DISTANCES256(4, 8)

#undef ADD
#undef FNMADD
#undef MAX
#undef MOVE
#undef ADD1
#undef FNMADD1
#undef MAX1
#undef MOVE1
#define ADD VADDPS
#define FNMADD VFNMADD231PS
#define MAX VMAXPS
#define MOVE VMOVUPS
#define ADD1 VADDSS
#define FNMADD1 VFNMADD231SS
#define MAX1 VMAXSS
#define MOVE1 VMOVSS

// func distances32AVX512(dst, src, zn *float32, n int, qn float32)
TEXT ·distances32AVX512(SB), NOSPLIT, $0-36
	ARGS
	VBROADCASTSS qn+32(FP), Z8
	VPXORQ Z9, Z9, Z9
	MOVL $0x40000000, AX
	VPBROADCASTD AX, Z10
	DISTANCES512(16)

// func distances32AVX2(dst, src, zn *float32, n int, qn float32)
TEXT ·distances32AVX2(SB), NOSPLIT, $0-36
	ARGS
	VBROADCASTSS qn+32(FP), Y8
	VXORPS Y9, Y9, Y9
	MOVL $0x40000000, AX
	MOVL AX, X10
	VBROADCASTSS X10, Y10
	DISTANCES256(8, 4)
