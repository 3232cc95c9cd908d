// Dot products and y += a·x for both widths. The including file defines, for fewer elements left than a vector has,
//
//	LASTDOT, LASTAXPY  add CX elements at SI
//
// and, for the dot product, in 256 bytes of sums,
//
//	CLEAR    sets the sums to 0
//	BLOCK    is DOT for each of them
//	FOLD     adds them up to X0, two lanes

// DOT adds the products at OFF to SUM.
#define DOT(OFF, T, SUM) \
	VMOVUPD OFF(SI), T; \
	VFMADD231PD OFF(DX), T, SUM

#define DOTS \
	MOVQ   x_base+0(FP), SI; \
	MOVQ   x_len+8(FP), CX; \
	MOVQ   y_base+24(FP), DX; \
	CLEAR; \
	SUBQ   $32, CX; \
	JLT    rest; \
	PCALIGN $64; \
block: \
	BLOCK; \
	ADDQ $256, SI; \
	ADDQ $256, DX; \
	SUBQ $32, CX; \
	JGE  block; \
rest: \
	ADDQ $(32-VB/8), CX; \
	JLT  tail; \
one: \
	DOT(0, V8, V0); \
	ADDQ $VB, SI; \
	ADDQ $VB, DX; \
	SUBQ $(VB/8), CX; \
	JGE  one; \
tail: \
	ADDQ $(VB/8), CX; \
	JZ   fold; \
	LASTDOT; \
fold: \
	FOLD; \
	VHADDPD X0, X0, X0; \
	VMOVSD X0, ret+48(FP); \
	VZEROUPPER; \
	RET

// AXPY processes one vector at OFF; V0 holds a in every lane.
#define AXPY(OFF, T) \
	VMOVUPD OFF(DI), T; \
	VFMADD231PD OFF(SI), V0, T; \
	VMOVUPD T, OFF(DI)

#define AXPYS \
	VBROADCASTSD a+0(FP), V0; \
	MOVQ x_base+8(FP), SI; \
	MOVQ x_len+16(FP), CX; \
	MOVQ y_base+32(FP), DI; \
	SUBQ $(4*VB/8), CX; \
	JLT  rest; \
	PCALIGN $64; \
four: \
	AXPY(0, V1); \
	AXPY(1*VB, V2); \
	AXPY(2*VB, V3); \
	AXPY(3*VB, V4); \
	ADDQ $(4*VB), SI; \
	ADDQ $(4*VB), DI; \
	SUBQ $(4*VB/8), CX; \
	JGE  four; \
rest: \
	ADDQ $(3*VB/8), CX; \
	JLT  tail; \
one: \
	AXPY(0, V1); \
	ADDQ $VB, SI; \
	ADDQ $VB, DI; \
	SUBQ $(VB/8), CX; \
	JGE  one; \
tail: \
	ADDQ $(VB/8), CX; \
	JZ   done; \
	LASTAXPY; \
done: \
	VZEROUPPER; \
	RET
