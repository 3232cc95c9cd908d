// A tile of a product and the triangular solve with a tile, for both widths. The including file defines
//
//	MR               rows of the tile, which is three vectors wide
//	STEP(boff, aoff) adds the products of one row of B and one column of A to the tile
//	CLEAR            sets the tile to 0
//	PREFETCH         fetches the rows of C, from R10 on
//	OUTROWS          is OUT for each row of the tile
//
// A row of B is in V0..V2, one broadcast element of A in V3.

#define LOADB(boff) \
	VMOVUPD (boff+0*VB)(DI), V0; \
	VMOVUPD (boff+1*VB)(DI), V1; \
	VMOVUPD (boff+2*VB)(DI), V2

#define ROW(off, c0, c1, c2) \
	VBROADCASTSD off(SI), V3; \
	VFMADD231PD  V0, V3, c0;  \
	VFMADD231PD  V1, V3, c1;  \
	VFMADD231PD  V2, V3, c2

#define CLEAR3(c0, c1, c2) ZERO(c0); ZERO(c1); ZERO(c2)

// OUT adds alpha (V3) times the sums to C's row at R8, and moves R8 to the next row, R9 bytes on.
#define OUT(c0, c1, c2) \
	VMOVUPD     (R8), V0;       \
	VMOVUPD     (1*VB)(R8), V1; \
	VMOVUPD     (2*VB)(R8), V2; \
	VFMADD231PD c0, V3, V0;     \
	VFMADD231PD c1, V3, V1;     \
	VFMADD231PD c2, V3, V2;     \
	VMOVUPD     V0, (R8);       \
	VMOVUPD     V1, (1*VB)(R8); \
	VMOVUPD     V2, (2*VB)(R8); \
	ADDQ        R9, R8

#define TILE \
	MOVQ k+0(FP), CX; \
	MOVQ a_base+8(FP), SI; \
	MOVQ b_base+32(FP), DI; \
	MOVQ c_base+56(FP), R8; \
	MOVQ at+80(FP), R9; \
	LEAQ (R8)(R9*8), R8; \
	MOVQ ldc+88(FP), R9; \
	SHLQ $3, R9; \
	MOVQ R8, R10; \
	PREFETCH; \
	CLEAR; \
	MOVQ CX, DX; \
	SHRQ $2, DX; \
	JZ   tail; \
loop: \
	STEP(0, 0); \
	STEP(3*VB, 8*MR); \
	STEP(6*VB, 16*MR); \
	STEP(9*VB, 24*MR); \
	ADDQ $(12*VB), DI; \
	ADDQ $(32*MR), SI; \
	DECQ DX; \
	JNZ  loop; \
tail: \
	ANDQ $3, CX; \
	JZ   out; \
one: \
	STEP(0, 0); \
	ADDQ $(3*VB), DI; \
	ADDQ $(8*MR), SI; \
	DECQ CX; \
	JNZ  one; \
out: \
	VBROADCASTSD alpha+96(FP), V3; \
	OUTROWS; \
	VZEROUPPER; \
	RET

// The 8×8 triangular solve takes one vector of lanes at a time: rows of x in V0..V7, one element of the triangle
// broadcast in V8.

#define SCALE(off, x) \
	VBROADCASTSD off(SI), V8; \
	VMULPD       V8, x, x

#define ELIM(off, xi, xj) \
	VBROADCASTSD off(SI), V8; \
	VFNMADD231PD V8, xj, xi

#define SOLVE \
	MOVQ tri_base+0(FP), SI; \
	MOVQ x_base+24(FP), DI; \
	MOVQ $3, CX; \
lanes: \
	VMOVUPD (0*VB)(DI), V0; \
	VMOVUPD (3*VB)(DI), V1; \
	VMOVUPD (6*VB)(DI), V2; \
	VMOVUPD (9*VB)(DI), V3; \
	VMOVUPD (12*VB)(DI), V4; \
	VMOVUPD (15*VB)(DI), V5; \
	VMOVUPD (18*VB)(DI), V6; \
	VMOVUPD (21*VB)(DI), V7; \
	SCALE(0, V0); \
	ELIM(64, V1, V0); \
	ELIM(128, V2, V0); \
	ELIM(192, V3, V0); \
	ELIM(256, V4, V0); \
	ELIM(320, V5, V0); \
	ELIM(384, V6, V0); \
	ELIM(448, V7, V0); \
	SCALE(72, V1); \
	ELIM(136, V2, V1); \
	ELIM(200, V3, V1); \
	ELIM(264, V4, V1); \
	ELIM(328, V5, V1); \
	ELIM(392, V6, V1); \
	ELIM(456, V7, V1); \
	SCALE(144, V2); \
	ELIM(208, V3, V2); \
	ELIM(272, V4, V2); \
	ELIM(336, V5, V2); \
	ELIM(400, V6, V2); \
	ELIM(464, V7, V2); \
	SCALE(216, V3); \
	ELIM(280, V4, V3); \
	ELIM(344, V5, V3); \
	ELIM(408, V6, V3); \
	ELIM(472, V7, V3); \
	SCALE(288, V4); \
	ELIM(352, V5, V4); \
	ELIM(416, V6, V4); \
	ELIM(480, V7, V4); \
	SCALE(360, V5); \
	ELIM(424, V6, V5); \
	ELIM(488, V7, V5); \
	SCALE(432, V6); \
	ELIM(496, V7, V6); \
	SCALE(504, V7); \
	VMOVUPD V0, (0*VB)(DI); \
	VMOVUPD V1, (3*VB)(DI); \
	VMOVUPD V2, (6*VB)(DI); \
	VMOVUPD V3, (9*VB)(DI); \
	VMOVUPD V4, (12*VB)(DI); \
	VMOVUPD V5, (15*VB)(DI); \
	VMOVUPD V6, (18*VB)(DI); \
	VMOVUPD V7, (21*VB)(DI); \
	ADDQ $VB, DI; \
	DECQ CX; \
	JNZ  lanes; \
	VZEROUPPER; \
	RET
