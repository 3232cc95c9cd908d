// y += Σ_q coef[q]·row_q on blocks of columns that stay in registers while q runs.
// The including file defines
//
//	ESZ              bytes in an element of a row
//	ROW              next row: its address at the block's first column to R12
//	ADVANCE(cols)    move on by cols columns
//	FMA2(i, t, acc)  acc += Y8 · four elements of the row, vector i of the block; t is free
//	FMA2M(i, m64, m32, x, t, acc)  the same for the lanes in the masks; x is the lower half of t
//	FMA5, FMA5M      the same for vectors of eight, with Z8
//
// Registers: DI y, CX columns left, SI coef, BX rows, R8 and R9 where the rows are;
// R10 running row, R11 running coefficient, DX rows left, R12 the row.
//
// A strided matrix has its first row in R8 and the rows R9 bytes apart; a list of
// slices has its headers from R8, 24 bytes apart, and the block begins R9 bytes
// behind their bases.

#define ROWSTRIDED MOVQ R10, R12; ADDQ R9, R10
#define ROWGATHERED MOVQ (R10), R12; ADDQ R9, R12; ADDQ $24, R10

#define BEGIN MOVQ R8, R10; MOVQ SI, R11; MOVQ BX, DX

#define LOAD2(i, acc) VMOVUPD (i*32)(DI), acc
#define STORE2(i, acc) VMOVUPD acc, (i*32)(DI)

#define ADDROWS2 \
wide2: \
	CMPQ CX, $32; \
	JLT  half2; \
	LOAD2(0, Y0); LOAD2(1, Y1); LOAD2(2, Y2); LOAD2(3, Y3); \
	LOAD2(4, Y4); LOAD2(5, Y5); LOAD2(6, Y6); LOAD2(7, Y7); \
	BEGIN; \
widerow2: \
	ROW; \
	VBROADCASTSD (R11), Y8; \
	FMA2(0, Y9, Y0); FMA2(1, Y10, Y1); FMA2(2, Y11, Y2); FMA2(3, Y12, Y3); \
	FMA2(4, Y9, Y4); FMA2(5, Y10, Y5); FMA2(6, Y11, Y6); FMA2(7, Y12, Y7); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  widerow2; \
	STORE2(0, Y0); STORE2(1, Y1); STORE2(2, Y2); STORE2(3, Y3); \
	STORE2(4, Y4); STORE2(5, Y5); STORE2(6, Y6); STORE2(7, Y7); \
	ADDQ $256, DI; \
	SUBQ $32, CX; \
	ADVANCE(32); \
	JMP  wide2; \
half2: \
	CMPQ CX, $16; \
	JLT  last2; \
	LOAD2(0, Y0); LOAD2(1, Y1); LOAD2(2, Y2); LOAD2(3, Y3); \
	BEGIN; \
halfrow2: \
	ROW; \
	VBROADCASTSD (R11), Y8; \
	FMA2(0, Y9, Y0); FMA2(1, Y10, Y1); FMA2(2, Y11, Y2); FMA2(3, Y12, Y3); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  halfrow2; \
	STORE2(0, Y0); STORE2(1, Y1); STORE2(2, Y2); STORE2(3, Y3); \
	ADDQ $128, DI; \
	SUBQ $16, CX; \
	ADVANCE(16); \
last2: \
	TESTQ CX, CX; \
	JLE  done2; \
	MASKS2; \
	VMASKMOVPD (DI), Y14, Y0; \
	VMASKMOVPD 32(DI), Y15, Y1; \
	BEGIN; \
lastrow2: \
	ROW; \
	VBROADCASTSD (R11), Y8; \
	FMA2M(0, Y14, X12, X9, Y9, Y0); FMA2M(1, Y15, X13, X10, Y10, Y1); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  lastrow2; \
	VMASKMOVPD Y0, Y14, (DI); \
	VMASKMOVPD Y1, Y15, 32(DI); \
	ADDQ $64, DI; \
	SUBQ $8, CX; \
	ADVANCE(8); \
	JMP  last2; \
done2: \
	VZEROUPPER; \
	RET

#define LOAD5(i, acc) VMOVUPD (i*64)(DI), acc
#define STORE5(i, acc) VMOVUPD acc, (i*64)(DI)

#define ADDROWS5 \
wide5: \
	CMPQ CX, $64; \
	JLT  half5; \
	LOAD5(0, Z0); LOAD5(1, Z1); LOAD5(2, Z2); LOAD5(3, Z3); \
	LOAD5(4, Z4); LOAD5(5, Z5); LOAD5(6, Z6); LOAD5(7, Z7); \
	BEGIN; \
widerow5: \
	ROW; \
	VBROADCASTSD (R11), Z8; \
	FMA5(0, Z9, Z0); FMA5(1, Z10, Z1); FMA5(2, Z11, Z2); FMA5(3, Z12, Z3); \
	FMA5(4, Z9, Z4); FMA5(5, Z10, Z5); FMA5(6, Z11, Z6); FMA5(7, Z12, Z7); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  widerow5; \
	STORE5(0, Z0); STORE5(1, Z1); STORE5(2, Z2); STORE5(3, Z3); \
	STORE5(4, Z4); STORE5(5, Z5); STORE5(6, Z6); STORE5(7, Z7); \
	ADDQ $512, DI; \
	SUBQ $64, CX; \
	ADVANCE(64); \
	JMP  wide5; \
half5: \
	CMPQ CX, $32; \
	JLT  last5; \
	LOAD5(0, Z0); LOAD5(1, Z1); LOAD5(2, Z2); LOAD5(3, Z3); \
	BEGIN; \
halfrow5: \
	ROW; \
	VBROADCASTSD (R11), Z8; \
	FMA5(0, Z9, Z0); FMA5(1, Z10, Z1); FMA5(2, Z11, Z2); FMA5(3, Z12, Z3); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  halfrow5; \
	STORE5(0, Z0); STORE5(1, Z1); STORE5(2, Z2); STORE5(3, Z3); \
	ADDQ $256, DI; \
	SUBQ $32, CX; \
	ADVANCE(32); \
last5: \
	TESTQ CX, CX; \
	JLE  done5; \
	MOVQ CX, R13; \
	CMPQ CX, $16; \
	JLE  masks5; \
	MOVL $16, CX; \
masks5: \
	MOVL $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVB AX, K1; \
	SHRQ $8, AX; \
	KMOVB AX, K2; \
	MOVQ R13, CX; \
	VMOVUPD.Z (DI), K1, Z0; \
	VMOVUPD.Z 64(DI), K2, Z1; \
	BEGIN; \
lastrow5: \
	ROW; \
	VBROADCASTSD (R11), Z8; \
	FMA5M(0, K1, Z9, Z0); FMA5M(1, K2, Z10, Z1); \
	ADDQ $8, R11; \
	DECQ DX; \
	JNZ  lastrow5; \
	VMOVUPD Z0, K1, (DI); \
	VMOVUPD Z1, K2, 64(DI); \
	ADDQ $128, DI; \
	SUBQ $16, CX; \
	ADVANCE(16); \
	JMP  last5; \
done5: \
	VZEROUPPER; \
	RET
