// How the kernels find rows: ONE(R) fetches the next one to R, FOUR the next four.
//
// Registers: BX the next row, R11 where rows are, SI, R8, R9, R10 the rows in hand.
// A strided matrix has its next row at BX and the rows R11 bytes apart; a list of
// slices has its next header at BX, and the block of columns begins R11 bytes
// behind their bases.

#define ONESTRIDED(R) \
	MOVQ BX, R; \
	ADDQ R11, BX

#define ONEGATHERED(R) \
	MOVQ (BX), R; \
	ADDQ R11, R;  \
	ADDQ $24, BX

#define FOUR ONE(SI); ONE(R8); ONE(R9); ONE(R10)
