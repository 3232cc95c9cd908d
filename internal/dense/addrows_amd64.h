// y += Σ_q coef[q]·row_q. A pass over y, which stays in the first-level cache, takes four rows, then two, then one.
// The alternative, a block of y in registers with the rows one after the other, is slower: the processor prefetches
// four streams well, but not the start of the next of many rows. The including file defines
//
//	FOUR, ONE(R)                as in rows_amd64.h
//	FMA2(R, i, t, c, acc)       acc += c · four elements of R, vector i behind column AX; t is free
//	FMA2M(R, i, m64, m32, x, t, c, acc)  the same for the lanes in the masks; x is the lower half of t
//	FMA5, FMA5M(R, i, k, t, c, acc)      the same for vectors of eight
//	MASKS2                      sets the masks of R13 < 8 columns
//
// Registers: DI y, R12 rows left, DX coef, CX columns in full double vectors, R13 columns beyond them, AX current
// column; y in 0 and 1, coefficients in 8..11.

// ROWS1, ROWS2 and ROWS4 apply ADD to the current rows, with coefficients in C0...
#define ROWS1(ADD, C0, C1, C2, C3) ADD(SI, C0)
#define ROWS2(ADD, C0, C1, C2, C3) ROWS1(ADD, C0, C1, C2, C3); ADD(R8, C1)
#define ROWS4(ADD, C0, C1, C2, C3) ROWS2(ADD, C0, C1, C2, C3); ADD(R9, C2); ADD(R10, C3)

#define ADD2(R, C) FMA2(R, 0, Y2, C, Y0); FMA2(R, 1, Y3, C, Y1)
#define ADD2M(R, C) FMA2M(R, 0, Y14, X12, X2, Y2, C, Y0); FMA2M(R, 1, Y15, X13, X3, Y3, C, Y1)

// PASS2 adds the current rows to y.
#define PASS2(loop, tail, next, ROWS) \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail; \
	PCALIGN $64; \
loop: \
	VMOVUPD (DI)(AX*8), Y0; \
	VMOVUPD 32(DI)(AX*8), Y1; \
	ROWS(ADD2, Y8, Y9, Y10, Y11); \
	VMOVUPD Y0, (DI)(AX*8); \
	VMOVUPD Y1, 32(DI)(AX*8); \
	ADDQ $8, AX; \
	CMPQ AX, CX; \
	JLT  loop; \
tail: \
	TESTQ R13, R13; \
	JZ   next; \
	VMASKMOVPD (DI)(AX*8), Y14, Y0; \
	VMASKMOVPD 32(DI)(AX*8), Y15, Y1; \
	ROWS(ADD2M, Y8, Y9, Y10, Y11); \
	VMASKMOVPD Y0, Y14, (DI)(AX*8); \
	VMASKMOVPD Y1, Y15, 32(DI)(AX*8); \
next:

// ADDROWS2 expects the number of all columns in R13.
#define ADDROWS2 \
	MOVQ R13, CX; \
	ANDQ $7, R13; \
	ANDQ $~7, CX; \
	MASKS2; \
	SUBQ $4, R12; \
	JLT  two2; \
four2: \
	FOUR; \
	VBROADCASTSD (DX), Y8; \
	VBROADCASTSD 8(DX), Y9; \
	VBROADCASTSD 16(DX), Y10; \
	VBROADCASTSD 24(DX), Y11; \
	ADDQ $32, DX; \
	PASS2(fourloop2, fourtail2, fournext2, ROWS4) \
	SUBQ $4, R12; \
	JGE  four2; \
two2: \
	TESTQ $2, R12; \
	JZ   one2; \
	ONE(SI); \
	ONE(R8); \
	VBROADCASTSD (DX), Y8; \
	VBROADCASTSD 8(DX), Y9; \
	ADDQ $16, DX; \
	PASS2(twoloop2, twotail2, one2, ROWS2) \
	TESTQ $1, R12; \
	JZ   done2; \
	ONE(SI); \
	VBROADCASTSD (DX), Y8; \
	PASS2(oneloop2, onetail2, done2, ROWS1) \
	VZEROUPPER; \
	RET

#define ADD5(R, C) FMA5(R, 0, Z2, C, Z0); FMA5(R, 1, Z3, C, Z1)
#define ADD5M(R, C) FMA5M(R, 0, K1, Z2, C, Z0); FMA5M(R, 1, K2, Z3, C, Z1)

#define PASS5(loop, tail, next, ROWS) \
	XORQ AX, AX; \
	CMPQ AX, CX; \
	JGE  tail; \
	PCALIGN $64; \
loop: \
	VMOVUPD (DI)(AX*8), Z0; \
	VMOVUPD 64(DI)(AX*8), Z1; \
	ROWS(ADD5, Z8, Z9, Z10, Z11); \
	VMOVUPD Z0, (DI)(AX*8); \
	VMOVUPD Z1, 64(DI)(AX*8); \
	ADDQ $16, AX; \
	CMPQ AX, CX; \
	JLT  loop; \
tail: \
	TESTQ R13, R13; \
	JZ   next; \
	VMOVUPD.Z (DI)(AX*8), K1, Z0; \
	VMOVUPD.Z 64(DI)(AX*8), K2, Z1; \
	ROWS(ADD5M, Z8, Z9, Z10, Z11); \
	VMOVUPD Z0, K1, (DI)(AX*8); \
	VMOVUPD Z1, K2, 64(DI)(AX*8); \
next:

#define ADDROWS5 \
	MOVQ R13, SI; \
	MOVQ R13, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	SHRQ $8, AX; \
	KMOVB AX, K2; \
	MOVQ CX, R13; \
	MOVQ SI, CX; \
	ANDQ $~15, CX; \
	SUBQ $4, R12; \
	JLT  two5; \
four5: \
	FOUR; \
	VBROADCASTSD (DX), Z8; \
	VBROADCASTSD 8(DX), Z9; \
	VBROADCASTSD 16(DX), Z10; \
	VBROADCASTSD 24(DX), Z11; \
	ADDQ $32, DX; \
	PASS5(fourloop5, fourtail5, fournext5, ROWS4) \
	SUBQ $4, R12; \
	JGE  four5; \
two5: \
	TESTQ $2, R12; \
	JZ   one5; \
	ONE(SI); \
	ONE(R8); \
	VBROADCASTSD (DX), Z8; \
	VBROADCASTSD 8(DX), Z9; \
	ADDQ $16, DX; \
	PASS5(twoloop5, twotail5, one5, ROWS2) \
	TESTQ $1, R12; \
	JZ   done5; \
	ONE(SI); \
	VBROADCASTSD (DX), Z8; \
	PASS5(oneloop5, onetail5, done5, ROWS1) \
	VZEROUPPER; \
	RET
