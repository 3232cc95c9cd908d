// Access to rows: ONE(R) fetches the next row to R, FOUR fetches the next four.
//
// Registers: BX the next row, R11 the position of the rows, SI, R8, R9, R10 the current rows. For a strided matrix,
// BX is the next row and rows are R11 bytes apart. For a list of slices, BX holds the address of the
// next slice header, and the block of columns begins R11 bytes after each base.

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
