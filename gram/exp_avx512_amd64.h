// exp on (−∞, 0] in AVX-512 with the algorithm of exp.go. Z16 and above hold the constants (CONSTS), Z0..Z3 take n,
// and Z4..Z7 take the result. Each lane has the bits of expGeneric64 or expGeneric32. The macros serve both element
// types, which define
//
//	ESZ                     bytes in an element
//	CONST(at)               the constant at this place of the type's table
//	BROADCAST               one element to all lanes
//	MUL, SUB, MAX, SCALEF   arithmetic, and the fused multiply-adds FMA231, FMA213
//	CMP                     compare, by a predicate
//	MOVE                    a move that takes a mask of elements
//	TOP                     the register of the highest coefficient
//	CONSTS, POLY4, POLY1    constants, and the steps of the polynomial from TOP to C2

#define CONSTS_BOTH \
	BROADCAST CLAMP, Z16; \
	BROADCAST LOG2E, Z17; \
	BROADCAST BIAS, Z18; \
	BROADCAST LN2HI, Z19; \
	BROADCAST LN2LO, Z20; \
	BROADCAST ONE, Z21; \
	BROADCAST C2, Z22; \
	BROADCAST C3, Z23; \
	BROADCAST C4, Z24; \
	BROADCAST C5, Z25; \
	BROADCAST C6, Z26

// One step of the polynomial for four registers, and for one.
#define STEP4(c, x0, x1, x2, x3) FMA213 c, x0, Z4; FMA213 c, x1, Z5; FMA213 c, x2, Z6; FMA213 c, x3, Z7
#define STEP1(c, x) FMA213 c, x, Z4

// ABOVE marks the x above CLAMP, and NaNs. For others, whose e^x is less than the least normal number, the last step of
// the polynomial gives 0. So no result is subnormal, for processors are slow there.
#define ABOVE(x, k) CMP $6, Z16, x, k

// Z4..Z7 = e^x of four registers. First n = round(x / ln 2); then r = x − n·ln 2 overwrites x. K2..K5 are lost. BIAS rounds
// as in exp_avx2_amd64.h.
#define EXP4(x0, x1, x2, x3) \
	MAX x0, Z16, x0; MAX x1, Z16, x1; MAX x2, Z16, x2; MAX x3, Z16, x3; \
	ABOVE(x0, K2); ABOVE(x1, K3); ABOVE(x2, K4); ABOVE(x3, K5); \
	VMOVAPS Z18, Z0; VMOVAPS Z18, Z1; VMOVAPS Z18, Z2; VMOVAPS Z18, Z3; \
	FMA231 Z17, x0, Z0; FMA231 Z17, x1, Z1; FMA231 Z17, x2, Z2; FMA231 Z17, x3, Z3; \
	SUB Z18, Z0, Z0; SUB Z18, Z1, Z1; SUB Z18, Z2, Z2; SUB Z18, Z3, Z3; \
	FMA231 Z19, Z0, x0; FMA231 Z19, Z1, x1; FMA231 Z19, Z2, x2; FMA231 Z19, Z3, x3; \
	FMA231 Z20, Z0, x0; FMA231 Z20, Z1, x1; FMA231 Z20, Z2, x2; FMA231 Z20, Z3, x3; \
	VMOVAPS TOP, Z4; VMOVAPS TOP, Z5; VMOVAPS TOP, Z6; VMOVAPS TOP, Z7; \
	POLY4(x0, x1, x2, x3); \
	STEP4(Z21, x0, x1, x2, x3); \
	FMA213.Z Z21, x0, K2, Z4; FMA213.Z Z21, x1, K3, Z5; FMA213.Z Z21, x2, K4, Z6; FMA213.Z Z21, x3, K5, Z7; \
	SCALEF Z0, Z4, Z4; SCALEF Z1, Z5, Z5; SCALEF Z2, Z6, Z6; SCALEF Z3, Z7, Z7

// Z4 = e^x of one register. K2 is lost.
#define EXP1(x) \
	MAX x, Z16, x; \
	ABOVE(x, K2); \
	VMOVAPS Z18, Z0; \
	FMA231 Z17, x, Z0; \
	SUB Z18, Z0, Z0; \
	FMA231 Z19, Z0, x; \
	FMA231 Z20, Z0, x; \
	VMOVAPS TOP, Z4; \
	POLY1(x); \
	STEP1(Z21, x); \
	FMA213.Z Z21, x, K2, Z4; \
	SCALEF Z0, Z4, Z4

// The definitions for float64.
#define ESZ 8
#define CONST(at) exp64<>+at(SB)
#define BROADCAST VBROADCASTSD
#define MUL VMULPD
#define SUB VSUBPD
#define MAX VMAXPD
#define CMP VCMPPD
#define SCALEF VSCALEFPD
#define FMA231 VFMADD231PD
#define FMA213 VFMADD213PD
#define MOVE VMOVUPD
#define TOP Z31
#define CONSTS \
	CONSTS_BOTH; \
	BROADCAST C7, Z27; \
	BROADCAST C8, Z28; \
	BROADCAST C9, Z29; \
	BROADCAST C10, Z30; \
	BROADCAST C11, Z31
#define POLY4(x0, x1, x2, x3) \
	STEP4(Z30, x0, x1, x2, x3); \
	STEP4(Z29, x0, x1, x2, x3); \
	STEP4(Z28, x0, x1, x2, x3); \
	STEP4(Z27, x0, x1, x2, x3); \
	STEP4(Z26, x0, x1, x2, x3); \
	STEP4(Z25, x0, x1, x2, x3); \
	STEP4(Z24, x0, x1, x2, x3); \
	STEP4(Z23, x0, x1, x2, x3); \
	STEP4(Z22, x0, x1, x2, x3)
#define POLY1(x) \
	STEP1(Z30, x); STEP1(Z29, x); STEP1(Z28, x); STEP1(Z27, x); STEP1(Z26, x); \
	STEP1(Z25, x); STEP1(Z24, x); STEP1(Z23, x); STEP1(Z22, x)
