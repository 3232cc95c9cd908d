//go:build !purego

#include "textflag.h"
#include "gram_amd64.h"

// Products of bytes. With AVX-512, a register holds a group of four features of 16 samples, as it holds one feature
// of a panel of float32. One operand of VPDPBUSD is signed: the samples, less 128.

#define ESZ 4
#undef LOAD
#define LOAD(mem, z) VPXORD mem, Z7, z
#define STEP(i, x, t, acc) VPBROADCASTD (i*ESZ)(BX), Z6; VPDPBUSD x, Z6, acc
#define Q3(i, a, b, c) \
	VPBROADCASTD (i*ESZ)(BX), Z3; \
	VPDPBUSD Z0, Z3, a; VPDPBUSD Z1, Z3, b; VPDPBUSD Z2, Z3, c

// func tileUint8DotsAVX512(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
TEXT ·tileUint8DotsAVX512(SB), NOSPLIT, $0-72
	ARGS
	MOVL $0x80808080, AX
	VPBROADCASTD AX, Z7
	TILES_AVX512
	RET

// AVX-VNNI has the same product in the registers of AVX2, in an encoding that Go's assembler does not know: x, q and acc
// are numbers of registers. As in TILE4X3Y, twelve sums outlast the latency of a product.
#define DPBUSD(x, q, acc) \
	BYTE $0xC4; \
	BYTE $(0x42 | (((acc)&8) ^ 8)<<4 | (((x)&8) ^ 8)<<2); \
	BYTE $(5 | ((q) ^ 15)<<3); \
	BYTE $0x50; \
	BYTE $(0xC0 | ((acc)&7)<<3 | (x)&7)

DATA uint8Flip<>+0(SB)/8, $0x8080808080808080
DATA uint8Flip<>+8(SB)/8, $0x8080808080808080
DATA uint8Flip<>+16(SB)/8, $0x8080808080808080
DATA uint8Flip<>+24(SB)/8, $0x8080808080808080
GLOBL uint8Flip<>(SB), RODATA|NOPTR, $32

// Load eight samples, less 128.
#define FLIP(mem, y) VMOVDQU mem, y; VPXOR uint8Flip<>(SB), y, y

// Query i of four against the halves of panels in Y0, Y1, Y2, and against those in Y0, Y1.
#define DOTS3(i, a, b, c) VPBROADCASTD (i*4)(BX), Y3; DPBUSD(0, 3, a); DPBUSD(1, 3, b); DPBUSD(2, 3, c)
#define DOTS2(i, a, b) VPBROADCASTD (i*4)(BX), Y3; DPBUSD(0, 3, a); DPBUSD(1, 3, b)

// Four queries against three halves of panels, whose sums are in Y4 to Y15.
#define ZEROY12 \
	VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7; \
	ZEROY8

#define DOTS4X3(m0, m1, m2) \
	FLIP(m0, Y0); FLIP(m1, Y1); FLIP(m2, Y2); \
	DOTS3(0, 4, 5, 6); \
	DOTS3(1, 7, 8, 9); \
	DOTS3(2, 10, 11, 12); \
	DOTS3(3, 13, 14, 15)

// Four queries against one panel, whose sums are in Y8 to Y15, and their stores.
#define DOTS4X2(m0, m1) \
	FLIP(m0, Y0); FLIP(m1, Y1); \
	DOTS2(0, 8, 9); DOTS2(1, 10, 11); DOTS2(2, 12, 13); DOTS2(3, 14, 15)

#define STORES2Y \
	MOVQ DI, R14; \
	STORE1Y(Y8, Y9); STORE1Y(Y10, Y11); STORE1Y(Y12, Y13); STORE1Y(Y14, Y15)

// Two queries in Y0, Y1, and one in Y0, against the half panel at mem.
#define DOTS2X1(mem, a, b) FLIP(mem, Y2); DPBUSD(2, 0, a); DPBUSD(2, 1, b)
#define DOTS1X1(mem, a) FLIP(mem, Y2); DPBUSD(2, 0, a)

// func tileUint8DotsAVX2(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
TEXT ·tileUint8DotsAVX2(SB), NOSPLIT, $0-72
	ARGS
	CMPQ BX, $2
	JLT  one2
	JEQ  two2

four3:
	CMPQ R11, $3
	JLT  four1
	ZEROY12
	FEATURES(four3k, four3s)
	DOTS4X3((AX), 32(AX), (AX)(R10*1))
	NEXTFEATURE(four3k, four3s)
	STORES3Y(0)
	ADDQ R10, DX
	ZEROY12
	FEATURES(four3l, four3t)
	DOTS4X3(32(AX), (AX)(R10*1), 32(AX)(R10*1))
	NEXTFEATURE(four3l, four3t)
	STORES3Y(96)
	ADDQ $192, DI
	LEAQ (DX)(R10*2), DX
	SUBQ $3, R11
	JMP  four3

four1:
	TESTQ R11, R11
	JZ    done
	ZEROY8
	FEATURES(four1k, four1s)
	DOTS4X2((AX), 32(AX))
	NEXTFEATURE(four1k, four1s)
	STORES2Y
	NEXTPANEL(four1)

two2:
	CMPQ R11, $2
	JLT  two1
	ZEROY8
	FEATURES(two2k, two2s)
	VPBROADCASTD (BX), Y0
	VPBROADCASTD 4(BX), Y1
	DOTS2X1((AX), 8, 12)
	DOTS2X1(32(AX), 9, 13)
	DOTS2X1((AX)(R10*1), 10, 14)
	DOTS2X1(32(AX)(R10*1), 11, 15)
	NEXTFEATURE(two2k, two2s)
	LEAQ (DI)(R8*1), R14
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y10, 64(DI)
	VMOVUPS Y11, 96(DI)
	VMOVUPS Y12, (R14)
	VMOVUPS Y13, 32(R14)
	VMOVUPS Y14, 64(R14)
	VMOVUPS Y15, 96(R14)
	ADDQ $128, DI
	LEAQ (DX)(R10*2), DX
	SUBQ $2, R11
	JMP  two2

two1:
	TESTQ R11, R11
	JZ    done
	ZEROY8
	FEATURES(two1k, two1s)
	VPBROADCASTD (BX), Y0
	VPBROADCASTD 4(BX), Y1
	DOTS2X1((AX), 8, 12)
	DOTS2X1(32(AX), 9, 13)
	NEXTFEATURE(two1k, two1s)
	LEAQ (DI)(R8*1), R14
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y12, (R14)
	VMOVUPS Y13, 32(R14)
	NEXTPANEL(two1)

one2:
	CMPQ R11, $2
	JLT  one1
	ZEROY8
	FEATURES(one2k, one2s)
	VPBROADCASTD (BX), Y0
	DOTS1X1((AX), 8)
	DOTS1X1(32(AX), 9)
	DOTS1X1((AX)(R10*1), 10)
	DOTS1X1(32(AX)(R10*1), 11)
	NEXTFEATURE(one2k, one2s)
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y10, 64(DI)
	VMOVUPS Y11, 96(DI)
	ADDQ $128, DI
	LEAQ (DX)(R10*2), DX
	SUBQ $2, R11
	JMP  one2

one1:
	TESTQ R11, R11
	JZ    done
	ZEROY8
	FEATURES(one1k, one1s)
	VPBROADCASTD (BX), Y0
	DOTS1X1((AX), 8)
	DOTS1X1(32(AX), 9)
	NEXTFEATURE(one1k, one1s)
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	NEXTPANEL(one1)

done:
	VZEROUPPER
	RET

// Begin the loop over the groups at the offsets in R9: AX is the offset of one, R15 its number, CX how many there are.
#define KEPT(group) \
	MOVQ SI, BX; \
	XORQ R15, R15; \
	PCALIGN $64; \
group: \
	MOVL (R9)(R15*4), AX

#define NEXTKEPT(group) \
	ADDQ $16, BX; \
	INCQ R15; \
	CMPQ R15, CX; \
	JLT  group

// func skipUint8DotsAVX2(out *int32, ldo uintptr, q *uint32, offset *uint32,
//	k int, x *uint32, xs uintptr, panels int)
TEXT ·skipUint8DotsAVX2(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ ldo+8(FP), R8
	MOVQ q+16(FP), SI
	MOVQ offset+24(FP), R9
	MOVQ k+32(FP), CX
	MOVQ x+40(FP), DX
	MOVQ xs+48(FP), R10
	MOVQ panels+56(FP), R11

three:
	CMPQ R11, $3
	JLT  one
	LEAQ (DX)(R10*1), R12
	ZEROY12
	KEPT(threek)
	DOTS4X3((DX)(AX*1), 32(DX)(AX*1), (R12)(AX*1))
	NEXTKEPT(threek)
	STORES3Y(0)
	LEAQ (R12)(R10*1), DX
	ZEROY12
	KEPT(threel)
	DOTS4X3(32(R12)(AX*1), (DX)(AX*1), 32(DX)(AX*1))
	NEXTKEPT(threel)
	STORES3Y(96)
	ADDQ $192, DI
	ADDQ R10, DX
	SUBQ $3, R11
	JMP  three

one:
	TESTQ R11, R11
	JZ    done
	ZEROY8
	KEPT(onek)
	DOTS4X2((DX)(AX*1), 32(DX)(AX*1))
	NEXTKEPT(onek)
	STORES2Y
	NEXTPANEL(one)

done:
	VZEROUPPER
	RET

// Without AVX-VNNI, AVX2 widens bytes to 16 bits. A register holds the four features of four samples, and then two
// partial sums for each of these samples. The end adds the two partial sums of a sample.

// Multiply four samples at off by one query in Y0. The register t is free.
#define WIDE1(off, t, u, a) \
	VPMOVZXBW off(AX), t; \
	VPMADDWD Y0, t, u; \
	VPADDD u, a, a

// The same with two queries, in Y0 and Y1.
#define WIDE2(off, t, u, a, b) \
	VPMOVZXBW off(AX), t; \
	VPMADDWD Y0, t, u; \
	VPADDD u, a, a; \
	VPMADDWD Y1, t, u; \
	VPADDD u, b, b

// Add the sums of samples 0 to 3 in a and of samples 4 to 7 in b, and store eight at mem.
#define HALVES(a, b, mem) \
	VPHADDD b, a, a; \
	VPERMQ $0xd8, a, a; \
	VMOVDQU a, mem

// func tileUint8AVX2(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
TEXT ·tileUint8AVX2(SB), NOSPLIT, $0-72
	ARGS
	CMPQ BX, $2
	JLT  one

two:
	TESTQ R11, R11
	JZ    done
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15
	MOVQ  DX, AX
	MOVQ  SI, BX
	MOVQ  CX, R14
	PCALIGN $32

twok:
	VPBROADCASTD (BX), X0
	VPBROADCASTD 4(BX), X1
	VPMOVZXBW X0, Y0
	VPMOVZXBW X1, Y1
	WIDE2(0, Y2, Y3, Y8, Y12)
	WIDE2(16, Y4, Y5, Y9, Y13)
	WIDE2(32, Y6, Y7, Y10, Y14)
	WIDE2(48, Y2, Y3, Y11, Y15)
	ADDQ $64, AX
	ADDQ R9, BX
	DECQ R14
	JNZ  twok
	LEAQ (DI)(R8*1), R14
	HALVES(Y8, Y9, (DI))
	HALVES(Y10, Y11, 32(DI))
	HALVES(Y12, Y13, (R14))
	HALVES(Y14, Y15, 32(R14))
	ADDQ $64, DI
	ADDQ R10, DX
	DECQ R11
	JMP  two

one:
	TESTQ R11, R11
	JZ    done
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	MOVQ  DX, AX
	MOVQ  SI, BX
	MOVQ  CX, R14
	PCALIGN $32

onek:
	VPBROADCASTD (BX), X0
	VPMOVZXBW X0, Y0
	WIDE1(0, Y2, Y3, Y8)
	WIDE1(16, Y4, Y5, Y9)
	WIDE1(32, Y6, Y7, Y10)
	WIDE1(48, Y2, Y3, Y11)
	ADDQ $64, AX
	ADDQ R9, BX
	DECQ R14
	JNZ  onek
	HALVES(Y8, Y9, (DI))
	HALVES(Y10, Y11, 32(DI))
	ADDQ $64, DI
	ADDQ R10, DX
	DECQ R11
	JMP  one

done:
	VZEROUPPER
	RET
