//go:build !purego

#include "textflag.h"

// Counts of the ones that samples have in common with a query. Group by group, a shuffle looks them up in the query's
// row of bits4Table.

#define ARGS \
	MOVQ out+0(FP), DI; \
	MOVQ squares+8(FP), SI; \
	MOVQ q+16(FP), AX; \
	MOVQ kept+24(FP), R8; \
	MOVQ k+32(FP), R9; \
	MOVQ x+40(FP), DX; \
	MOVQ xs+48(FP), R10; \
	MOVQ panels+56(FP), CX; \
	LEAQ ·bits4Table(SB), R11

// The next group: R13 gets its place in the first panel, (R11)(R14*1) is its row of the table.
#define NEXT \
	MOVL (BX), AX; \
	MOVL 4(BX), R14; \
	ADDQ $8, BX; \
	LEAQ (DX)(AX*1), R13

#define FIND512(mem, acc) VPSHUFB mem, Z4, Z5; VPADDB Z5, acc, acc

// Turn the common ones in acc into distances at off.
#define FROM512(acc, off) \
	VPADDB off(SI), Z8, Z5; \
	VPADDB acc, acc, acc; \
	VPSUBB acc, Z5, Z5; \
	VMOVDQU64 Z5, off(DI)

// func countBits4AVX512(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)
TEXT ·countBits4AVX512(SB), NOSPLIT, $0-64
	ARGS
	VPBROADCASTB AX, Z8

check:
	CMPQ CX, $4
	JLT  rest
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	MOVQ   R8, BX
	MOVQ   R9, R12
	PCALIGN $32

four:
	NEXT
	VBROADCASTI32X4 (R11)(R14*1), Z4
	FIND512((R13), Z0)
	FIND512((R13)(R10*1), Z1)
	FIND512((R13)(R10*2), Z2)
	LEAQ (R13)(R10*2), R13
	FIND512((R13)(R10*1), Z3)
	DECQ R12
	JNZ  four
	FROM512(Z0, 0)
	FROM512(Z1, 64)
	FROM512(Z2, 128)
	FROM512(Z3, 192)
	LEAQ (DX)(R10*4), DX
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $4, CX
	JMP  check

rest:
	TESTQ CX, CX
	JZ    done
	VPXORD Z0, Z0, Z0
	MOVQ   R8, BX
	MOVQ   R9, R12

one:
	NEXT
	VBROADCASTI32X4 (R11)(R14*1), Z4
	FIND512((R13), Z0)
	DECQ R12
	JNZ  one
	FROM512(Z0, 0)
	ADDQ R10, DX
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JMP  rest

done:
	VZEROUPPER
	RET

#define FIND2(mem, acc) VPSHUFB mem, Y4, Y5; VPADDB Y5, acc, acc

#define FROM2(acc, off) \
	VPADDB off(SI), Y8, Y5; \
	VPADDB acc, acc, acc; \
	VPSUBB acc, Y5, Y5; \
	VMOVDQU Y5, off(DI)

// func countBits4AVX2(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)
TEXT ·countBits4AVX2(SB), NOSPLIT, $0-64
	ARGS
	VMOVD        AX, X8
	VPBROADCASTB X8, Y8

check:
	CMPQ CX, $2
	JLT  last
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  R8, BX
	MOVQ  R9, R12
	PCALIGN $32

two:
	NEXT
	VBROADCASTI128 (R11)(R14*1), Y4
	FIND2((R13), Y0)
	FIND2(32(R13), Y1)
	FIND2((R13)(R10*1), Y2)
	FIND2(32(R13)(R10*1), Y3)
	DECQ R12
	JNZ  two
	FROM2(Y0, 0)
	FROM2(Y1, 32)
	FROM2(Y2, 64)
	FROM2(Y3, 96)
	LEAQ (DX)(R10*2), DX
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $2, CX
	JMP  check

last:
	TESTQ CX, CX
	JZ    done
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  R8, BX
	MOVQ  R9, R12

one:
	NEXT
	VBROADCASTI128 (R11)(R14*1), Y4
	FIND2((R13), Y0)
	FIND2(32(R13), Y1)
	DECQ R12
	JNZ  one
	FROM2(Y0, 0)
	FROM2(Y1, 32)

done:
	VZEROUPPER
	RET
