//go:build !purego

#include "textflag.h"

// Kernel values by distance. Registers hold the table. The low bits of a distance select one entry of two registers.
// For larger tables, the higher bits select among these entries.

#define LOOK \
	MOVQ dst+0(FP), DI; \
	MOVQ codes+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	MOVQ values+24(FP), DX; \
	MOVQ largest+32(FP), AX

// func byDistance32AVX512(dst *float32, codes *uint8, n int, values *float32, largest int)
TEXT ·byDistance32AVX512(SB), NOSPLIT, $0-40
	LOOK
	VMOVUPS (DX), Z0
	VMOVUPS 64(DX), Z1
	CMPQ AX, $32
	JGE  wide

two:
	VPMOVZXBD (SI), Z4
	VPERMI2PS Z1, Z0, Z4
	VMOVUPS Z4, (DI)
	ADDQ $16, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  two
	VZEROUPPER
	RET

wide:
	VMOVUPS 128(DX), Z2
	VMOVUPS 192(DX), Z3
	MOVL    $32, AX
	VPBROADCASTD AX, Z6

four:
	VPMOVZXBD (SI), Z4
	VMOVDQA64 Z4, Z5
	VPTESTMD Z6, Z4, K1
	VPERMI2PS Z1, Z0, Z4
	VPERMI2PS Z3, Z2, Z5
	VMOVAPS Z5, K1, Z4
	VMOVUPS Z4, (DI)
	ADDQ $16, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  four
	VZEROUPPER
	RET

// func byDistance64AVX512(dst *float64, codes *uint8, n int, values *float64, largest int)
TEXT ·byDistance64AVX512(SB), NOSPLIT, $0-40
	LOOK
	VMOVUPD (DX), Z0
	VMOVUPD 64(DX), Z1
	VMOVUPD 128(DX), Z2
	VMOVUPD 192(DX), Z3
	MOVL    $16, R8
	VPBROADCASTQ R8, Z12
	CMPQ AX, $32
	JGE  wide

four:
	VPMOVZXBQ (SI), Z8
	VMOVDQA64 Z8, Z9
	VPTESTMQ Z12, Z8, K1
	VPERMI2PD Z1, Z0, Z8
	VPERMI2PD Z3, Z2, Z9
	VMOVAPD Z9, K1, Z8
	VMOVUPD Z8, (DI)
	ADDQ $8, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  four
	VZEROUPPER
	RET

wide:
	VMOVUPD 256(DX), Z4
	VMOVUPD 320(DX), Z5
	VMOVUPD 384(DX), Z6
	VMOVUPD 448(DX), Z7
	MOVL    $32, R8
	VPBROADCASTQ R8, Z13

eight:
	VPMOVZXBQ (SI), Z8
	VMOVDQA64 Z8, Z9
	VMOVDQA64 Z8, Z10
	VMOVDQA64 Z8, Z11
	VPTESTMQ Z12, Z8, K1
	VPTESTMQ Z13, Z8, K2
	VPERMI2PD Z1, Z0, Z8
	VPERMI2PD Z3, Z2, Z9
	VPERMI2PD Z5, Z4, Z10
	VPERMI2PD Z7, Z6, Z11
	VMOVAPD Z9, K1, Z8
	VMOVAPD Z11, K1, Z10
	VMOVAPD Z10, K2, Z8
	VMOVUPD Z8, (DI)
	ADDQ $8, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JNZ  eight
	VZEROUPPER
	RET

// Y5 = the eight values for the distances in Y4. Y0 to Y3 hold 32 entries; bits 3 and 4 select one of four
// candidates.
#define CHOOSE \
	VPERMPS Y0, Y4, Y5; \
	VPERMPS Y1, Y4, Y6; \
	VPERMPS Y2, Y4, Y7; \
	VPERMPS Y3, Y4, Y8; \
	VPSLLD $28, Y4, Y9; \
	VPSLLD $27, Y4, Y10; \
	VBLENDVPS Y9, Y6, Y5, Y5; \
	VBLENDVPS Y9, Y8, Y7, Y7; \
	VBLENDVPS Y10, Y7, Y5, Y5

// func byDistance32AVX2(dst *float32, codes *uint8, n int, values *float32, largest int)
TEXT ·byDistance32AVX2(SB), NOSPLIT, $0-40
	LOOK
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VMOVUPS 64(DX), Y2
	VMOVUPS 96(DX), Y3

eight:
	VPMOVZXBD (SI), Y4
	CHOOSE
	VMOVUPS Y5, (DI)
	ADDQ $8, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  eight
	VZEROUPPER
	RET
