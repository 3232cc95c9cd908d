// c_i += coef_i·x for both widths: four rows at a time, then one by one.

// OUTER adds to the vector at AX of the row at ROW.
#define OUTER(ROW, COEF, T) \
	VMOVUPD (ROW)(AX*1), T; \
	VFMADD231PD V8, COEF, T; \
	VMOVUPD T, (ROW)(AX*1)

#define OUTERS \
	MOVQ c_base+0(FP), DI; \
	MOVQ ld+24(FP), R8; \
	MOVQ coef_base+32(FP), R9; \
	MOVQ coef_len+40(FP), CX; \
	MOVQ x_base+56(FP), SI; \
	MOVQ x_len+64(FP), R10; \
	SHLQ $3, R8; \
	SHLQ $3, R10; \
	SUBQ $4, CX; \
	JLT  rest; \
	PCALIGN $64; \
rows: \
	VBROADCASTSD 0(R9), V0; \
	VBROADCASTSD 8(R9), V1; \
	VBROADCASTSD 16(R9), V2; \
	VBROADCASTSD 24(R9), V3; \
	LEAQ (DI)(R8*1), DX; \
	LEAQ (DI)(R8*2), R11; \
	LEAQ (DX)(R8*2), R12; \
	XORQ AX, AX; \
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
