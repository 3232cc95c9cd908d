// What the fuse functions share at all levels; ESZ is the bytes in an element.
//
//	DI dst   R8 bytes between its rows   R12 three times that   R9 mirror image   SI queries   DX samples
//	R10 bytes between panels   CX features   R11 panels left   R15 ‖z‖² of the panel
//	AX, BX, R14 moving samples, queries and features left

#define ARGS \
	MOVQ dst+0(FP), DI; \
	MOVQ ld+8(FP), R8; \
	MOVQ mirror+16(FP), R9; \
	MOVQ q+24(FP), SI; \
	MOVQ x+32(FP), DX; \
	MOVQ xs+40(FP), R10; \
	MOVQ k+48(FP), CX; \
	MOVQ panels+56(FP), R11; \
	MOVQ zn+72(FP), R15; \
	LEAQ (R8)(R8*2), R12

// FEATURES begins the loop over the features of the panel at DX and of the queries from query first on.
#define FEATURES(first, feature) \
	MOVQ DX, AX; \
	LEAQ (first*ESZ)(SI), BX; \
	MOVQ CX, R14; \
	PCALIGN $32; \
feature:

#define NEXTFEATURE(feature) \
	ADDQ $64, AX; \
	ADDQ $64, BX; \
	DECQ R14; \
	JNZ  feature
