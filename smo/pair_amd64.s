//go:build !purego

#include "textflag.h"

// The two passes of a two-variable step. AVX-512 works on 32 elements a turn in four independent accumulators, to hide
// the latency of compare and blend. AVX2 compares 8 elements with the best so far and branches where one is better,
// which is rare: a blend takes three operations on Intel's processors. With AVX-512 it takes one, and branches gain
// nothing.

DATA pairLanes<>+0(SB)/8, $0
DATA pairLanes<>+8(SB)/8, $1
DATA pairLanes<>+16(SB)/8, $2
DATA pairLanes<>+24(SB)/8, $3
DATA pairLanes<>+32(SB)/8, $4
DATA pairLanes<>+40(SB)/8, $5
DATA pairLanes<>+48(SB)/8, $6
DATA pairLanes<>+56(SB)/8, $7
GLOBL pairLanes<>(SB), RODATA|NOPTR, $64

DATA pairConst<>+0(SB)/8, $0x7ff0000000000000 // +Inf
DATA pairConst<>+8(SB)/8, $0xfff0000000000000 // -Inf
DATA pairConst<>+16(SB)/8, $0x3ff0000000000000 // 1
DATA pairConst<>+24(SB)/8, $0x4000000000000000 // 2
DATA pairConst<>+32(SB)/8, $0x3d719799812dea11 // 1e-12, tau
DATA pairConst<>+40(SB)/8, $8
DATA pairConst<>+48(SB)/8, $32
GLOBL pairConst<>(SB), RODATA|NOPTR, $56

// The indices of four accumulators: CUR0..CUR3 = 0..31.
#define LANES512(C0, C1, C2, C3, T) \
	VMOVDQU64    pairLanes<>(SB), C0        \
	VPBROADCASTQ pairConst<>+40(SB), T      \
	VPADDQ       T, C0, C1                  \
	VPADDQ       T, C1, C2                  \
	VPADDQ       T, C2, C3                  \
	VPBROADCASTQ pairConst<>+48(SB), T

// Z20 and Z21 = ki and kj, eight elements of type double or float.
#define ROWS512D(I)              \
	VMOVUPD (I*64)(R8), Z20 \
	VMOVUPD (I*64)(R9), Z21

#define ROWS512S(I)                \
	VCVTPS2PD (I*32)(R8), Z20 \
	VCVTPS2PD (I*32)(R9), Z21

// v = g + t(Z20 − Z21); s = v + up; w = v − low
#define STEP512(MIN, IDX, MAX, CUR, OFF) \
	VSUBPD      Z21, Z20, Z20       \
	VMOVUPD     OFF(DI), Z21        \
	VFMADD231PD Z20, Z16, Z21       \
	VMOVUPD     Z21, OFF(DI)        \
	VADDPD      OFF(SI), Z21, Z22   \
	VSUBPD      OFF(DX), Z21, Z23   \
	VCMPPD      $1, MIN, Z22, K1    \
	VMOVAPD     Z22, K1, MIN        \
	VMOVDQA64   CUR, K1, IDX        \
	VMAXPD      Z23, MAX, MAX

// X = min (max) over the lanes of Z; T is scratch.
#define FOLD512(OP, Z, Y, X, TY, TX) \
	VEXTRACTF64X4 $1, Z, TY  \
	OP            TY, Y, Y   \
	VEXTRACTF128  $1, Y, TX  \
	OP            TX, X, X   \
	VPERMILPD     $1, X, TX  \
	OP            TX, X, X

// Z8 = least index among the lanes of IDX whose VAL equals Z17.
#define PICK512(VAL, IDX) \
	VCMPPD  $0, Z17, VAL, K1    \
	VPMINSQ IDX, Z8, K1, Z8

#define LEASTINDEX512 \
	VEXTRACTI64X4 $1, Z8, Y9   \
	VPMINSQ       Y9, Y8, Y8   \
	VEXTRACTI128  $1, Y8, X9   \
	VPMINSQ       X9, X8, X8   \
	VPSHUFD       $0x4e, X8, X9 \
	VPMINSQ       X9, X8, X8

#define EXTREMES512(ROWS, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         up+8(FP), SI \
	MOVQ         low+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         kj+32(FP), R9 \
	MOVQ         n+40(FP), CX \
	VBROADCASTSD t+48(FP), Z16 \
	VBROADCASTSD pairConst<>+0(SB), Z0 \
	VMOVAPD      Z0, Z1 \
	VMOVAPD      Z0, Z2 \
	VMOVAPD      Z0, Z3 \
	VPXORQ       Z4, Z4, Z4 \
	VMOVDQA64    Z4, Z5 \
	VMOVDQA64    Z4, Z6 \
	VMOVDQA64    Z4, Z7 \
	VBROADCASTSD pairConst<>+8(SB), Z8 \
	VMOVAPD      Z8, Z9 \
	LANES512(Z12, Z13, Z14, Z15, Z17) \
loop: \
	ROWS(0) \
	STEP512(Z0, Z4, Z8, Z12, 0) \
	ROWS(1) \
	STEP512(Z1, Z5, Z9, Z13, 64) \
	ROWS(2) \
	STEP512(Z2, Z6, Z8, Z14, 128) \
	ROWS(3) \
	STEP512(Z3, Z7, Z9, Z15, 192) \
	VPADDQ Z17, Z12, Z12 \
	VPADDQ Z17, Z13, Z13 \
	VPADDQ Z17, Z14, Z14 \
	VPADDQ Z17, Z15, Z15 \
	ADDQ   $256, DI \
	ADDQ   $256, SI \
	ADDQ   $256, DX \
	ADDQ   $BYTES, R8 \
	ADDQ   $BYTES, R9 \
	SUBQ   $32, CX \
	JNZ loop \
	VMAXPD Z9, Z8, Z8 \
	FOLD512(VMAXPD, Z8, Y8, X8, Y9, X9) \
	VXORPD X9, X9, X9 \
	VSUBSD X8, X9, X9 \
	VMOVSD X9, M+72(FP) \
	VMINPD       Z1, Z0, Z10 \
	VMINPD       Z3, Z2, Z11 \
	VMINPD       Z11, Z10, Z10 \
	FOLD512(VMINPD, Z10, Y10, X10, Y11, X11) \
	VBROADCASTSD X10, Z17 \
	VXORPD       X9, X9, X9 \
	VSUBSD       X10, X9, X9 \
	VMOVSD       X9, m+64(FP) \
	VPTERNLOGQ $0xff, Z8, Z8, Z8 \
	VPSRLQ     $1, Z8, Z8 \
	PICK512(Z0, Z4) \
	PICK512(Z1, Z5) \
	PICK512(Z2, Z6) \
	PICK512(Z3, Z7) \
	LEASTINDEX512 \
	VMOVQ      X8, AX \
	MOVQ       AX, i+56(FP) \
	VZEROUPPER \
	RET

// Z22 = ki, eight elements.
#define ROW512D(I) VMOVUPD (I*64)(R8), Z22
#define ROW512S(I) VCVTPS2PD (I*32)(R8), Z22

// b = m + g − low > 0; a = max(kii + d − 2 ki, tau); kept when b² aBest > bBest² a
#define SECOND512(BB, A, IDX, CUR, OFF) \
	VMOVUPD      OFF(DI), Z20        \
	VSUBPD       OFF(SI), Z20, Z20   \
	VADDPD       Z16, Z20, Z20       \
	VADDPD       OFF(DX), Z17, Z21   \
	VFNMADD231PD Z22, Z18, Z21       \
	VMAXPD       Z19, Z21, Z21       \
	VCMPPD       $14, Z25, Z20, K1   \
	VMULPD       Z20, Z20, Z20       \
	VMULPD       A, Z20, Z23         \
	VMULPD       BB, Z21, Z24        \
	VCMPPD       $14, Z24, Z23, K1, K2 \
	VMOVAPD      Z20, K2, BB         \
	VMOVAPD      Z21, K2, A          \
	VMOVDQA64    CUR, K2, IDX

#define SECONDS512(ROW, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         low+8(FP), SI \
	MOVQ         d+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         n+32(FP), CX \
	VBROADCASTSD m+40(FP), Z16 \
	VBROADCASTSD kii+48(FP), Z17 \
	VBROADCASTSD pairConst<>+24(SB), Z18 \
	VBROADCASTSD pairConst<>+32(SB), Z19 \
	VPXORQ       Z25, Z25, Z25 \
	VMOVAPD      Z25, Z0 \
	VMOVAPD      Z25, Z1 \
	VMOVAPD      Z25, Z2 \
	VMOVAPD      Z25, Z3 \
	VBROADCASTSD pairConst<>+16(SB), Z4 \
	VMOVAPD      Z4, Z5 \
	VMOVAPD      Z4, Z6 \
	VMOVAPD      Z4, Z7 \
	VPTERNLOGQ   $0xff, Z8, Z8, Z8 \
	VMOVDQA64    Z8, Z9 \
	VMOVDQA64    Z8, Z10 \
	VMOVDQA64    Z8, Z11 \
	LANES512(Z12, Z13, Z14, Z15, Z26) \
loop: \
	ROW(0) \
	SECOND512(Z0, Z4, Z8, Z12, 0) \
	ROW(1) \
	SECOND512(Z1, Z5, Z9, Z13, 64) \
	ROW(2) \
	SECOND512(Z2, Z6, Z10, Z14, 128) \
	ROW(3) \
	SECOND512(Z3, Z7, Z11, Z15, 192) \
	VPADDQ Z26, Z12, Z12 \
	VPADDQ Z26, Z13, Z13 \
	VPADDQ Z26, Z14, Z14 \
	VPADDQ Z26, Z15, Z15 \
	ADDQ   $256, DI \
	ADDQ   $256, SI \
	ADDQ   $256, DX \
	ADDQ   $BYTES, R8 \
	SUBQ   $32, CX \
	JNZ loop \
	VDIVPD       Z4, Z0, Z0 \
	VDIVPD       Z5, Z1, Z1 \
	VDIVPD       Z6, Z2, Z2 \
	VDIVPD       Z7, Z3, Z3 \
	VMAXPD       Z1, Z0, Z4 \
	VMAXPD       Z3, Z2, Z5 \
	VMAXPD       Z5, Z4, Z4 \
	FOLD512(VMAXPD, Z4, Y4, X4, Y5, X5) \
	VBROADCASTSD X4, Z17 \
	VMOVDQA64    Z8, Z4 \
	VPTERNLOGQ   $0xff, Z8, Z8, Z8 \
	VPSRLQ       $1, Z8, Z8 \
	PICK512(Z0, Z4) \
	PICK512(Z1, Z9) \
	PICK512(Z2, Z10) \
	PICK512(Z3, Z11) \
	LEASTINDEX512 \
	VMOVQ        X8, AX \
	VZEROUPPER \
	MOVQ         AX, ret+56(FP) \
	RET

// Y9 and Y10 = ki and kj, four elements of type double or float.
#define ROWS256D(I)             \
	VMOVUPD (I*32)(R8), Y9  \
	VMOVUPD (I*32)(R9), Y10

#define ROWS256S(I)               \
	VCVTPS2PD (I*16)(R8), Y9  \
	VCVTPS2PD (I*16)(R9), Y10

// v = g + t(Y9 − Y10); s = v + up; MAX = max(v − low); LESS = s < Y0
#define STEP256(I, S, LESS, MAX) \
	VSUBPD      Y10, Y9, Y9         \
	VMOVUPD     (I*32)(DI), Y10     \
	VFMADD231PD Y9, Y8, Y10         \
	VMOVUPD     Y10, (I*32)(DI)     \
	VADDPD      (I*32)(SI), Y10, S  \
	VSUBPD      (I*32)(DX), Y10, Y9 \
	VCMPPD      $1, Y0, S, LESS     \
	VMAXPD      Y9, MAX, MAX

// X = min (max) over the lanes of Y; T is scratch.
#define FOLD256(OP, Y, X, T) \
	VEXTRACTF128 $1, Y, T \
	OP           T, X, X  \
	VPERMILPD    $1, X, T \
	OP           T, X, X

// R10 = least of the eight lanes of A and B that equals ALL, plus R11.
#define PICK256(ALL, A, B) \
	VCMPPD    $0, ALL, A, A \
	VCMPPD    $0, ALL, B, B \
	VMOVMSKPD A, R10 \
	VMOVMSKPD B, AX  \
	SHLQ      $4, AX \
	ORQ       AX, R10 \
	BSFQ      R10, R10 \
	ADDQ      R11, R10

// Y0 is the least so far in every lane, R10 its index, R11 the index of the first of eight elements. VMINPD returns
// its first operand where the second is NaN, so that NaN is never the least.
#define EXTREMES256(ROWS, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         up+8(FP), SI \
	MOVQ         low+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         kj+32(FP), R9 \
	MOVQ         n+40(FP), CX \
	VBROADCASTSD t+48(FP), Y8 \
	VBROADCASTSD pairConst<>+0(SB), Y0 \
	VBROADCASTSD pairConst<>+8(SB), Y4 \
	VMOVAPD      Y4, Y5 \
	XORQ         R10, R10 \
	XORQ         R11, R11 \
loop: \
	ROWS(0) \
	STEP256(0, Y1, Y3, Y4) \
	ROWS(1) \
	STEP256(1, Y2, Y6, Y5) \
	VORPD     Y6, Y3, Y3 \
	VMOVMSKPD Y3, AX \
	TESTL     AX, AX \
	JNZ  less \
next: \
	ADDQ   $8, R11 \
	ADDQ   $64, DI \
	ADDQ   $64, SI \
	ADDQ   $64, DX \
	ADDQ   $BYTES, R8 \
	ADDQ   $BYTES, R9 \
	SUBQ   $8, CX \
	JNZ loop \
	VMAXPD  Y5, Y4, Y4 \
	FOLD256(VMAXPD, Y4, X4, X5) \
	VXORPD  X9, X9, X9 \
	VSUBSD  X4, X9, X4 \
	VSUBSD  X0, X9, X0 \
	MOVQ    R10, i+56(FP) \
	VMOVSD  X0, m+64(FP) \
	VMOVSD  X4, M+72(FP) \
	VZEROUPPER \
	RET \
less: \
	VMINPD       Y0, Y1, Y3 \
	VMINPD       Y0, Y2, Y6 \
	VMINPD       Y6, Y3, Y3 \
	FOLD256(VMINPD, Y3, X3, X6) \
	VBROADCASTSD X3, Y0 \
	PICK256(Y0, Y1, Y2) \
	JMP next

// R = ki, four elements.
#define ROW256D(I, R) VMOVUPD (I*32)(R8), R
#define ROW256S(I, R) VCVTPS2PD (I*16)(R8), R

// b = max(m + g − low, 0); a = max(kii + d − 2 ki, tau); T = b² > a Y6
#define SECOND256(I, BB, A, T) \
	VMOVUPD      (I*32)(DI), BB     \
	VSUBPD       (I*32)(SI), BB, BB \
	VADDPD       Y8, BB, BB         \
	VMAXPD       Y13, BB, BB        \
	VMULPD       BB, BB, BB         \
	VADDPD       (I*32)(DX), Y9, A  \
	VFNMADD231PD T, Y7, A           \
	VMAXPD       Y14, A, A          \
	VMULPD       Y6, A, T           \
	VCMPPD       $14, T, BB, T

// Y6 is the largest gain so far in every lane, R10 its index, R11 the index of the first of eight elements. Few
// elements gain more than all before them, so that only these are divided.
#define SECONDS256(ROW, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         low+8(FP), SI \
	MOVQ         d+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         n+32(FP), CX \
	VBROADCASTSD m+40(FP), Y8 \
	VBROADCASTSD kii+48(FP), Y9 \
	VBROADCASTSD pairConst<>+24(SB), Y7 \
	VBROADCASTSD pairConst<>+32(SB), Y14 \
	VXORPD       Y13, Y13, Y13 \
	VXORPD       Y6, Y6, Y6 \
	MOVQ         $-1, R10 \
	XORQ         R11, R11 \
loop: \
	ROW(0, Y2) \
	SECOND256(0, Y0, Y1, Y2) \
	ROW(1, Y5) \
	SECOND256(1, Y3, Y4, Y5) \
	VORPD     Y5, Y2, Y2 \
	VMOVMSKPD Y2, AX \
	TESTL     AX, AX \
	JNZ  more \
next: \
	ADDQ         $8, R11 \
	ADDQ         $64, DI \
	ADDQ         $64, SI \
	ADDQ         $64, DX \
	ADDQ         $BYTES, R8 \
	SUBQ         $8, CX \
	JNZ loop \
	VZEROUPPER \
	MOVQ R10, ret+56(FP) \
	RET \
more: \
	VDIVPD       Y1, Y0, Y0 \
	VDIVPD       Y4, Y3, Y3 \
	VMAXPD       Y3, Y0, Y1 \
	FOLD256(VMAXPD, Y1, X1, X2) \
	VCMPPD       $14, X6, X1, X2 \
	VMOVQ        X2, AX \
	TESTQ        AX, AX \
	JZ   next \
	VBROADCASTSD X1, Y6 \
	PICK256(Y6, Y0, Y3) \
	JMP next

// func stepExtremes64AVX512(grad, up, low *float64, ki, kj *float64, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremes64AVX512(SB), NOSPLIT, $0-80
	EXTREMES512(ROWS512D, 256)

// func stepExtremes32AVX512(grad, up, low *float64, ki, kj *float32, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremes32AVX512(SB), NOSPLIT, $0-80
	EXTREMES512(ROWS512S, 128)

// func secondOrder64AVX512(grad, low, d *float64, ki *float64, n int, m, kii float64) int
TEXT ·secondOrder64AVX512(SB), NOSPLIT, $0-64
	SECONDS512(ROW512D, 256)

// func secondOrder32AVX512(grad, low, d *float64, ki *float32, n int, m, kii float64) int
TEXT ·secondOrder32AVX512(SB), NOSPLIT, $0-64
	SECONDS512(ROW512S, 128)

// func stepExtremes64AVX2(grad, up, low *float64, ki, kj *float64, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremes64AVX2(SB), NOSPLIT, $0-80
	EXTREMES256(ROWS256D, 64)

// func stepExtremes32AVX2(grad, up, low *float64, ki, kj *float32, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremes32AVX2(SB), NOSPLIT, $0-80
	EXTREMES256(ROWS256S, 32)

// func secondOrder64AVX2(grad, low, d *float64, ki *float64, n int, m, kii float64) int
TEXT ·secondOrder64AVX2(SB), NOSPLIT, $0-64
	SECONDS256(ROW256D, 64)

// func secondOrder32AVX2(grad, low, d *float64, ki *float32, n int, m, kii float64) int
TEXT ·secondOrder32AVX2(SB), NOSPLIT, $0-64
	SECONDS256(ROW256S, 32)
