//go:build !purego

#include "textflag.h"

// The two passes of a two-variable step in single precision. They keep no indices: which of the blocks of 128 elements
// has the least is known at its end, and its index is looked for once. So are those of the few elements that gain more
// than all before them.

// Vector floating-point instructions that Go's assembler does not know: d = n op m, four float32.
#define FADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB4S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FMIN4S(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))
#define FMAX4S(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))
// d = all ones where n > m, else 0.
#define FCMGT4S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))
// d = the least, or the largest, of the four of n.
#define FMINV4S(n, d) WORD $(0x6EB0F800 | (n)<<5 | (d))
#define FMAXV4S(n, d) WORD $(0x6E30F800 | (n)<<5 | (d))

// Four elements: K = g + t(K − J), rounded twice, into G; LEAST = min(v + up), MOST = max(v − low).
#define STEP(K, J, G, U, L, LEAST, MOST) \
	FSUB4S(J, K, K);         \
	FMUL4S(16, K, K);        \
	FADD4S(G, K, G);         \
	FADD4S(U, G, U);         \
	FSUB4S(L, G, L);         \
	FMIN4S(U, LEAST, LEAST); \
	FMAX4S(L, MOST, MOST)

// func stepSingleNEON(grad, up, low, ki, kj []float32, t float32) (i int, m, M float32)
TEXT ·stepSingleNEON(SB), NOSPLIT, $0-144
	MOVD  grad_base+0(FP), R0
	MOVD  grad_len+8(FP), R5
	MOVD  up_base+24(FP), R1
	MOVD  low_base+48(FP), R2
	MOVD  ki_base+72(FP), R3
	MOVD  kj_base+96(FP), R4
	MOVW  t+120(FP), R6
	VDUP  R6, V16.S4
	MOVW  $0x7f800000, R7
	VDUP  R7, V17.S4              // the least so far
	MOVW  $0xff800000, R6
	VDUP  R6, V0.S4
	VDUP  R6, V1.S4
	MOVD  R0, R8                  // its block
	MOVD  R1, R9
block:
	MOVD  $128, R10
	CMP   R10, R5
	CSEL  LT, R5, R10, R10
	SUB   R10, R5
	MOVD  R0, R11
	MOVD  R1, R12
	VDUP  R7, V2.S4
	VDUP  R7, V3.S4
loop:
	VLD1.P 32(R3), [V18.S4, V19.S4]
	VLD1.P 32(R4), [V20.S4, V21.S4]
	VLD1   (R0), [V22.S4, V23.S4]
	VLD1.P 32(R1), [V24.S4, V25.S4]
	VLD1.P 32(R2), [V26.S4, V27.S4]
	STEP(18, 20, 22, 24, 26, 2, 0)
	STEP(19, 21, 23, 25, 27, 3, 1)
	VST1.P [V22.S4, V23.S4], 32(R0)
	SUBS   $8, R10
	BNE    loop
	FMIN4S(2, 3, 2)
	FMINV4S(2, 2)
	FCMPS  F2, F17
	BLE    next
	FMOVS  F2, F17
	MOVD   R11, R8
	MOVD   R12, R9
next:
	CBNZ   R5, block
	FMAX4S(0, 1, 0)
	FMAXV4S(0, 0)
	VMOV    V17.S[0], R6
	CMPW    R7, R6
	BNE     find
	ADD     $4, R8                // none may rise, or all are NaN
	B       found
find:
	FMOVS.P 4(R8), F2
	FMOVS.P 4(R9), F3
	FADDS   F3, F2, F2
	FCMPS   F2, F17
	BNE     find
found:
	MOVD    grad_base+0(FP), R0
	SUB     $4, R8
	SUB     R0, R8
	LSR     $2, R8
	MOVD    R8, i+128(FP)
	FNEGS   F17, F17
	FNEGS   F0, F0
	FMOVS   F17, m+136(FP)
	FMOVS   F0, M+140(FP)
	RET

// Four elements: B = (m + B − L)², 0 where that is negative; K = max(c − 2K, tau); L = B > K best.
#define GAIN(B, L, K) \
	FSUB4S(L, B, B);   \
	FADD4S(16, B, B);  \
	FMAX4S(20, B, B);  \
	FMUL4S(B, B, B);   \
	FADD4S(K, K, K);   \
	FSUB4S(K, 17, K);  \
	FMAX4S(18, K, K);  \
	FMUL4S(19, K, K);  \
	FCMGT4S(K, B, L)

// func secondSingleNEON(grad, low, ki []float32, m, c float32) int
TEXT ·secondSingleNEON(SB), NOSPLIT, $0-88
	MOVD  grad_base+0(FP), R0
	MOVD  grad_len+8(FP), R5
	MOVD  low_base+24(FP), R1
	MOVD  ki_base+48(FP), R2
	MOVW  m+72(FP), R6
	VDUP  R6, V16.S4
	MOVW  c+76(FP), R6
	VDUP  R6, V17.S4
	MOVW  $0x2b8cbccc, R6         // 1e-12, tau
	VDUP  R6, V18.S4
	VEOR  V19.B16, V19.B16, V19.B16 // the largest gain so far
	VEOR  V20.B16, V20.B16, V20.B16
	MOVD  $-1, R8
	MOVD  R0, R12
loop:
	VLD1  (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1  (R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1  (R2), [V21.S4, V22.S4, V23.S4, V24.S4]
	GAIN(0, 4, 21)
	GAIN(1, 5, 22)
	GAIN(2, 6, 23)
	GAIN(3, 7, 24)
	VORR  V4.B16, V5.B16, V4.B16
	VORR  V6.B16, V7.B16, V6.B16
	VORR  V4.B16, V6.B16, V4.B16
	VMOV  V4.D[0], R9
	VMOV  V4.D[1], R10
	ORR   R9, R10, R10
	CBNZ  R10, more
	ADD   $64, R0
	ADD   $64, R1
	ADD   $64, R2
next:
	SUBS  $16, R5
	BNE   loop
	MOVD  R8, ret+80(FP)
	RET
more:
	MOVD  $16, R11
one:
	FMOVS.P 4(R0), F0
	FMOVS.P 4(R1), F1
	FMOVS.P 4(R2), F2
	FSUBS F1, F0, F0
	FADDS F16, F0, F0
	FCMPS F20, F0
	BLE   less
	FMULS F0, F0, F0
	FADDS F2, F2, F2
	FSUBS F2, F17, F2
	FMAXS F18, F2, F2
	FMULS F19, F2, F1
	FCMPS F1, F0
	BLE   less
	FDIVS F2, F0, F0
	VDUP  V0.S[0], V19.S4
	SUB   R12, R0, R8
	LSR   $2, R8
	SUB   $1, R8
less:
	SUBS  $1, R11
	BNE   one
	B     next
