//go:build !purego

#include "textflag.h"

// The two passes of a two-variable step. AVX-512 works on 32 elements a turn in four
// independent accumulators, AVX2 on 8 in two, to hide the latency of compare and blend.

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

#define STEP256(MIN, IDX, MAX, CUR, OFF) \
	VSUBPD      Y10, Y9, Y9         \
	VMOVUPD     OFF(DI), Y10        \
	VFMADD231PD Y9, Y8, Y10         \
	VMOVUPD     Y10, OFF(DI)        \
	VADDPD      OFF(SI), Y10, Y11   \
	VSUBPD      OFF(DX), Y10, Y12   \
	VCMPPD      $1, MIN, Y11, Y13   \
	VBLENDVPD   Y13, Y11, MIN, MIN  \
	VBLENDVPD   Y13, CUR, IDX, IDX  \
	VMAXPD      Y12, MAX, MAX

#define EXTREMES256(ROWS, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         up+8(FP), SI \
	MOVQ         low+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         kj+32(FP), R9 \
	MOVQ         n+40(FP), CX \
	VBROADCASTSD t+48(FP), Y8 \
	VBROADCASTSD pairConst<>+0(SB), Y0 \
	VMOVAPD      Y0, Y1 \
	VPXOR        Y2, Y2, Y2 \
	VPXOR        Y3, Y3, Y3 \
	VBROADCASTSD pairConst<>+8(SB), Y4 \
	VMOVAPD      Y4, Y5 \
	VMOVDQU      pairLanes<>(SB), Y6 \
	VMOVDQU      pairLanes<>+32(SB), Y7 \
	VPBROADCASTQ pairConst<>+40(SB), Y14 \
loop: \
	ROWS(0) \
	STEP256(Y0, Y2, Y4, Y6, 0) \
	ROWS(1) \
	STEP256(Y1, Y3, Y5, Y7, 32) \
	VPADDQ Y14, Y6, Y6 \
	VPADDQ Y14, Y7, Y7 \
	ADDQ   $64, DI \
	ADDQ   $64, SI \
	ADDQ   $64, DX \
	ADDQ   $BYTES, R8 \
	ADDQ   $BYTES, R9 \
	SUBQ   $8, CX \
	JNZ loop \
	MOVQ    least+56(FP), AX \
	VMOVUPD Y0, (AX) \
	VMOVUPD Y1, 32(AX) \
	MOVQ    index+64(FP), AX \
	VMOVDQU Y2, (AX) \
	VMOVDQU Y3, 32(AX) \
	MOVQ    most+72(FP), AX \
	VMOVUPD Y4, (AX) \
	VMOVUPD Y5, 32(AX) \
	VZEROUPPER \
	RET

// Y12 = ki, four elements.
#define ROW256D(I) VMOVUPD (I*32)(R8), Y12
#define ROW256S(I) VCVTPS2PD (I*16)(R8), Y12

#define SECOND256(BB, A, IDX, CUR, OFF) \
	VMOVUPD      OFF(DI), Y10        \
	VSUBPD       OFF(SI), Y10, Y10   \
	VADDPD       Y8, Y10, Y10        \
	VXORPD       Y13, Y13, Y13       \
	VCMPPD       $14, Y13, Y10, Y13  \
	VMULPD       Y10, Y10, Y10       \
	VADDPD       OFF(DX), Y9, Y11    \
	VADDPD       Y12, Y12, Y12       \
	VSUBPD       Y12, Y11, Y11       \
	VMAXPD       Y14, Y11, Y11       \
	VMULPD       A, Y10, Y12         \
	VMULPD       BB, Y11, Y15        \
	VCMPPD       $14, Y15, Y12, Y12  \
	VANDPD       Y13, Y12, Y12       \
	VBLENDVPD    Y12, Y10, BB, BB    \
	VBLENDVPD    Y12, Y11, A, A      \
	VBLENDVPD    Y12, CUR, IDX, IDX

#define SECONDS256(ROW, BYTES) \
	MOVQ         grad+0(FP), DI \
	MOVQ         low+8(FP), SI \
	MOVQ         d+16(FP), DX \
	MOVQ         ki+24(FP), R8 \
	MOVQ         n+32(FP), CX \
	VBROADCASTSD m+40(FP), Y8 \
	VBROADCASTSD kii+48(FP), Y9 \
	VBROADCASTSD pairConst<>+32(SB), Y14 \
	VXORPD       Y0, Y0, Y0 \
	VXORPD       Y1, Y1, Y1 \
	VBROADCASTSD pairConst<>+16(SB), Y2 \
	VMOVAPD      Y2, Y3 \
	VPCMPEQQ     Y4, Y4, Y4 \
	VPCMPEQQ     Y5, Y5, Y5 \
	VMOVDQU      pairLanes<>(SB), Y6 \
	VMOVDQU      pairLanes<>+32(SB), Y7 \
loop: \
	ROW(0) \
	SECOND256(Y0, Y2, Y4, Y6, 0) \
	ROW(1) \
	SECOND256(Y1, Y3, Y5, Y7, 32) \
	VPBROADCASTQ pairConst<>+40(SB), Y15 \
	VPADDQ       Y15, Y6, Y6 \
	VPADDQ       Y15, Y7, Y7 \
	ADDQ         $64, DI \
	ADDQ         $64, SI \
	ADDQ         $64, DX \
	ADDQ         $BYTES, R8 \
	SUBQ         $8, CX \
	JNZ loop \
	VDIVPD  Y2, Y0, Y0 \
	VDIVPD  Y3, Y1, Y1 \
	MOVQ    gain+56(FP), AX \
	VMOVUPD Y0, (AX) \
	VMOVUPD Y1, 32(AX) \
	MOVQ    index+64(FP), AX \
	VMOVDQU Y4, (AX) \
	VMOVDQU Y5, 32(AX) \
	VZEROUPPER \
	RET

// func stepExtremesAVX512(grad, up, low *float64, ki, kj *float64, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremesAVX512(SB), NOSPLIT, $0-80
	EXTREMES512(ROWS512D, 256)

// func stepExtremes32AVX512(grad, up, low *float64, ki, kj *float32, n int, t float64) (i int, m, M float64)
TEXT ·stepExtremes32AVX512(SB), NOSPLIT, $0-80
	EXTREMES512(ROWS512S, 128)

// func secondOrderAVX512(grad, low, d *float64, ki *float64, n int, m, kii float64) int
TEXT ·secondOrderAVX512(SB), NOSPLIT, $0-64
	SECONDS512(ROW512D, 256)

// func secondOrder32AVX512(grad, low, d *float64, ki *float32, n int, m, kii float64) int
TEXT ·secondOrder32AVX512(SB), NOSPLIT, $0-64
	SECONDS512(ROW512S, 128)

// func stepExtremesAVX2(grad, up, low *float64, ki, kj *float64, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)
TEXT ·stepExtremesAVX2(SB), NOSPLIT, $0-80
	EXTREMES256(ROWS256D, 64)

// func stepExtremes32AVX2(grad, up, low *float64, ki, kj *float32, n int, t float64, least *[8]float64, index *[8]int64, most *[8]float64)
TEXT ·stepExtremes32AVX2(SB), NOSPLIT, $0-80
	EXTREMES256(ROWS256S, 32)

// func secondOrderAVX2(grad, low, d *float64, ki *float64, n int, m, kii float64, gain *[8]float64, index *[8]int64)
TEXT ·secondOrderAVX2(SB), NOSPLIT, $0-72
	SECONDS256(ROW256D, 64)

// func secondOrder32AVX2(grad, low, d *float64, ki *float32, n int, m, kii float64, gain *[8]float64, index *[8]int64)
TEXT ·secondOrder32AVX2(SB), NOSPLIT, $0-72
	SECONDS256(ROW256S, 32)
