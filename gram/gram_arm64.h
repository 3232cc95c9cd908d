// A tile of 4, 2 or 1 query samples against one panel after the other. The including file defines
//
//	ESZ         bytes in an element
//	QUERY(r)    broadcast the element at r into V4
//	STEPS(n, a, b, c, d)   one feature of the query in V4 and the panel in V0..V3; n is the number of a
//
// Registers: R0 out, R1 bytes between rows of out, R2 q, R3 bytes between features of q, R4 rows, R5 x, R6 bytes
// between panels, R7 k, R8 panels left; R9, R10 moving x and q, R11 features left, R12 free.

#define ARGS \
	MOVD out+0(FP), R0;   \
	MOVD ldo+8(FP), R1;   \
	MOVD q+16(FP), R2;    \
	MOVD qs+24(FP), R3;   \
	MOVD rows+32(FP), R4; \
	MOVD x+40(FP), R5;    \
	MOVD xs+48(FP), R6;   \
	MOVD k+56(FP), R7;    \
	MOVD panels+64(FP), R8

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; VEOR d.B16, d.B16, d.B16

#define NEXT(done) \
	CBZ R8, done; \
	MOVD R5, R9;  \
	MOVD R2, R10; \
	MOVD R7, R11

#define ADVANCE(loop) \
	ADD $64, R0;  \
	ADD R6, R5;   \
	SUB $1, R8;   \
	B   loop

#define PANEL VLD1.P 64(R9), [V0.B16, V1.B16, V2.B16, V3.B16]

#define TILES \
	CMP  $2, R4; \
	BLT  one;    \
	BEQ  two;    \
four: \
	NEXT(done); \
	ZERO4(V16, V17, V18, V19); \
	ZERO4(V20, V21, V22, V23); \
	ZERO4(V24, V25, V26, V27); \
	ZERO4(V28, V29, V30, V31); \
four1: \
	PANEL; \
	MOVD R10, R12; \
	QUERY(R12); STEPS(16, V16, V17, V18, V19); ADD $ESZ, R12; \
	QUERY(R12); STEPS(20, V20, V21, V22, V23); ADD $ESZ, R12; \
	QUERY(R12); STEPS(24, V24, V25, V26, V27); ADD $ESZ, R12; \
	QUERY(R12); STEPS(28, V28, V29, V30, V31); \
	ADD  R3, R10; \
	SUBS $1, R11; \
	BNE  four1; \
	MOVD R0, R12; \
	VST1 [V16.B16, V17.B16, V18.B16, V19.B16], (R12); ADD R1, R12; \
	VST1 [V20.B16, V21.B16, V22.B16, V23.B16], (R12); ADD R1, R12; \
	VST1 [V24.B16, V25.B16, V26.B16, V27.B16], (R12); ADD R1, R12; \
	VST1 [V28.B16, V29.B16, V30.B16, V31.B16], (R12); \
	ADVANCE(four); \
two: \
	NEXT(done); \
	ZERO4(V16, V17, V18, V19); \
	ZERO4(V20, V21, V22, V23); \
two1: \
	PANEL; \
	QUERY(R10); STEPS(16, V16, V17, V18, V19); ADD $ESZ, R10, R12; \
	QUERY(R12); STEPS(20, V20, V21, V22, V23); \
	ADD  R3, R10; \
	SUBS $1, R11; \
	BNE  two1; \
	ADD  R0, R1, R12; \
	VST1 [V16.B16, V17.B16, V18.B16, V19.B16], (R0); \
	VST1 [V20.B16, V21.B16, V22.B16, V23.B16], (R12); \
	ADVANCE(two); \
one: \
	NEXT(done); \
	ZERO4(V16, V17, V18, V19); \
one1: \
	PANEL; \
	QUERY(R10); STEPS(16, V16, V17, V18, V19); \
	ADD  R3, R10; \
	SUBS $1, R11; \
	BNE  one1; \
	VST1 [V16.B16, V17.B16, V18.B16, V19.B16], (R0); \
	ADVANCE(one); \
done:
