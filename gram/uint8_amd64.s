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

// AVX2 widens bytes to 16 bits. A register holds the four features of four samples, and then two partial sums for
// each of these samples. The end adds the two partial sums of a sample.

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
