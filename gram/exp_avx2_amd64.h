// exp on (−∞, 0] in AVX2 with the algorithm of exp.go, four registers at a time. Y0..Y3 hold x and then r, Y4..Y7
// hold n, and Y8..Y11 take the result. Each lane has the bits of expGeneric64 or expGeneric32. The macros serve both
// element types, which define
//
//	CONST(at)           the constant at this place of the type's table
//	MUL, ADD, SUB, MAX  arithmetic, and the fused multiply-adds FMA231, FMA213
//	CMP                 compare, by a predicate
//	SHL                 shift an integer into the exponent
//	POLY4, POLY1        the polynomial in Y8..Y11 or Y8

// EACH4 applies OP with one common operand m to registers of the first and the second group.
#define EACH4(OP, m, a0, a1, a2, a3, b0, b1, b2, b3) OP m, a0, b0; OP m, a1, b1; OP m, a2, b2; OP m, a3, b3
// PAIR4 applies OP to registers of three groups.
#define PAIR4(OP, a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3) \
	OP a0, b0, c0; OP a1, b1, c1; OP a2, b2, c2; OP a3, b3, c3

#define START4(c) VMOVUPS c, Y8; VMOVUPS c, Y9; VMOVUPS c, Y10; VMOVUPS c, Y11
#define STEP4(c) EACH4(FMA213, c, Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11)
#define STEP1(c) FMA213 c, Y0, Y8

// Y4..Y7 have n and the bias of exponents in their low bits, so shifting them gives 2ⁿ. BIAS, which is 1.5·2²³ or 1.5·2⁵²
// and that bias, rounds like the number without it, since no product with LOG2E in range ends in a half.
//
// ABOVE clears such a register unless the x that goes with it is above CLAMP: where e^x is less than the least normal
// number, 2ⁿ is 0. A NaN stays one, whatever it is multiplied by. No product is subnormal, for processors are slow
// there.
#define ABOVE(x, y) CMP $6, Y14, x, Y12; VANDPS Y12, y, y

// e^x of Y0..Y3. Y13 holds BIAS and Y14 CLAMP; Y12 is free.
#define EXP4 \
	MAX Y0, Y14, Y0; MAX Y1, Y14, Y1; MAX Y2, Y14, Y2; MAX Y3, Y14, Y3; \
	VMOVAPS Y13, Y4; VMOVAPS Y13, Y5; VMOVAPS Y13, Y6; VMOVAPS Y13, Y7; \
	EACH4(FMA231, LOG2E, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7); \
	EACH4(SUB, Y13, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11); \
	ABOVE(Y0, Y4); ABOVE(Y1, Y5); ABOVE(Y2, Y6); ABOVE(Y3, Y7); \
	EACH4(FMA231, LN2HI, Y8, Y9, Y10, Y11, Y0, Y1, Y2, Y3); \
	EACH4(FMA231, LN2LO, Y8, Y9, Y10, Y11, Y0, Y1, Y2, Y3); \
	POLY4; \
	STEP4(ONE); \
	STEP4(ONE); \
	SHL(Y4); SHL(Y5); SHL(Y6); SHL(Y7); \
	PAIR4(MUL, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y8, Y9, Y10, Y11)

// e^x of Y0.
#define EXP1 \
	MAX Y0, Y14, Y0; \
	VMOVAPS Y13, Y4; \
	FMA231 LOG2E, Y0, Y4; \
	SUB Y13, Y4, Y8; \
	ABOVE(Y0, Y4); \
	FMA231 LN2HI, Y8, Y0; \
	FMA231 LN2LO, Y8, Y0; \
	POLY1; \
	STEP1(ONE); \
	STEP1(ONE); \
	SHL(Y4); \
	MUL Y4, Y8, Y8

// The definitions for float64.

#define CONST(at) exp64<>+at(SB)
#define MUL VMULPD
#define ADD VADDPD
#define SUB VSUBPD
#define MAX VMAXPD
#define CMP VCMPPD
#define FMA231 VFMADD231PD
#define FMA213 VFMADD213PD
#define SHL(x) VPSLLQ $52, x, x
#define POLY4 \
	START4(C11); STEP4(C10); STEP4(C9); STEP4(C8); STEP4(C7); STEP4(C6); STEP4(C5); STEP4(C4); STEP4(C3); STEP4(C2)
#define POLY1 \
	VMOVUPS C11, Y8; \
	STEP1(C10); STEP1(C9); STEP1(C8); STEP1(C7); STEP1(C6); STEP1(C5); STEP1(C4); STEP1(C3); STEP1(C2)
