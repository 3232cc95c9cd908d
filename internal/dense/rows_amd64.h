// How the kernels find rows: ONE(R) fetches the next one to R, FOUR the next four.
//
// Registers: BX the next row, R11 where rows are, SI, R8, R9, R10 the rows in hand.
// A strided matrix has its next row at BX and the rows R11 bytes apart; a list of
// slices has its next header at BX, and the block of columns begins R11 bytes
// behind their bases.

#define ONESTRIDED(R) \
	MOVQ BX, R; \
	ADDQ R11, BX

#define FOURSTRIDED \
	MOVQ BX, SI;           \
	LEAQ (SI)(R11*1), R8;  \
	LEAQ (R8)(R11*1), R9;  \
	LEAQ (R9)(R11*1), R10; \
	LEAQ (R10)(R11*1), BX

#define ONEGATHERED(R) \
	MOVQ (BX), R; \
	ADDQ R11, R;  \
	ADDQ $24, BX

#define FOURGATHERED \
	MOVQ (BX), SI;    \
	MOVQ 24(BX), R8;  \
	MOVQ 48(BX), R9;  \
	MOVQ 72(BX), R10; \
	ADDQ R11, SI;     \
	ADDQ R11, R8;     \
	ADDQ R11, R9;     \
	ADDQ R11, R10;    \
	ADDQ $96, BX
