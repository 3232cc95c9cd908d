// c_i += coef_i·x for both widths: four rows at a time, then one by one.

// OUTER adds to the vector at AX of the row at ROW.
#define OUTER(ROW, COEF, T) \
	VMOVUPD (ROW)(AX*1), T; \
	VFMADD231PD V8, COEF, T; \
	VMOVUPD T, (ROW)(AX*1)

// OUTERARGS loads the arguments: rows at DI that are R8 bytes apart, CX coefficients at R9, and R10 bytes of x at SI.
#define OUTERARGS \
	MOVQ c_base+0(FP), DI; \
	MOVQ ld+24(FP), R8; \
	MOVQ coef_base+32(FP), R9; \
	MOVQ coef_len+40(FP), CX; \
	MOVQ x_base+56(FP), SI; \
	MOVQ x_len+64(FP), R10; \
	SHLQ $3, R8; \
	SHLQ $3, R10

// FOURROWS loads four coefficients, and the places of their rows, DI, DX, R11 and R12.
#define FOURROWS \
	VBROADCASTSD 0(R9), V0; \
	VBROADCASTSD 8(R9), V1; \
	VBROADCASTSD 16(R9), V2; \
	VBROADCASTSD 24(R9), V3; \
	LEAQ (DI)(R8*1), DX; \
	LEAQ (DI)(R8*2), R11; \
	LEAQ (DX)(R8*2), R12; \
	XORQ AX, AX

#define OUTERS \
	OUTERARGS; \
	SUBQ $4, CX; \
	JLT  rest; \
	PCALIGN $64; \
rows: \
	FOURROWS; \
four: \
	VMOVUPD (SI)(AX*1), V8; \
	OUTER(DI, V0, V4); \
	OUTER(DX, V1, V5); \
	OUTER(R11, V2, V6); \
	OUTER(R12, V3, V7); \
	ADDQ $VB, AX; \
	CMPQ AX, R10; \
	JLT  four; \
	ADDQ $32, R9; \
	LEAQ (DI)(R8*4), DI; \
	SUBQ $4, CX; \
	JGE  rows; \
rest: \
	ADDQ $4, CX; \
	JZ   done; \
row: \
	VBROADCASTSD (R9), V0; \
	XORQ AX, AX; \
one: \
	VMOVUPD (SI)(AX*1), V8; \
	OUTER(DI, V0, V4); \
	ADDQ $VB, AX; \
	CMPQ AX, R10; \
	JLT  one; \
	ADDQ $8, R9; \
	ADDQ R8, DI; \
	DECQ CX; \
	JNZ  row; \
done: \
	VZEROUPPER; \
	RET

// OUTERSQUARE is OUTER, and adds the squares of what it stores to SUM.
#define OUTERSQUARE(ROW, COEF, T, SUM) \
	OUTER(ROW, COEF, T); \
	VFMADD231PD T, T, SUM

// OUTERSQUARES is OUTERS, and writes the sum of the squares of each new row.
#define OUTERSQUARES \
	OUTERARGS; \
	MOVQ squares_base+80(FP), R13; \
	SUBQ $4, CX; \
	JLT  rest; \
	PCALIGN $64; \
rows: \
	FOURROWS; \
	ZERO(V9); ZERO(V10); ZERO(V11); ZERO(V12); \
four: \
	VMOVUPD (SI)(AX*1), V8; \
	OUTERSQUARE(DI, V0, V4, V9); \
	OUTERSQUARE(DX, V1, V5, V10); \
	OUTERSQUARE(R11, V2, V6, V11); \
	OUTERSQUARE(R12, V3, V7, V12); \
	ADDQ $VB, AX; \
	CMPQ AX, R10; \
	JLT  four; \
	SUMS4(Y9, Y10, Y11, Y12); \
	VMOVUPD Y9, (R13); \
	ADDQ $32, R13; \
	ADDQ $32, R9; \
	LEAQ (DI)(R8*4), DI; \
	SUBQ $4, CX; \
	JGE  rows; \
rest: \
	ADDQ $4, CX; \
	JZ   done; \
row: \
	VBROADCASTSD (R9), V0; \
	ZERO(V9); \
	XORQ AX, AX; \
one: \
	VMOVUPD (SI)(AX*1), V8; \
	OUTERSQUARE(DI, V0, V4, V9); \
	ADDQ $VB, AX; \
	CMPQ AX, R10; \
	JLT  one; \
	VHADDPD Y9, Y9, Y9; \
	VEXTRACTF128 $1, Y9, X10; \
	VADDSD X10, X9, X9; \
	VMOVSD X9, (R13); \
	ADDQ $8, R13; \
	ADDQ $8, R9; \
	ADDQ R8, DI; \
	DECQ CX; \
	JNZ  row; \
done: \
	VZEROUPPER; \
	RET
