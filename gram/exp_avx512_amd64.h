// exp on (−∞, 0] in AVX-512 registers, the algorithm of exp.go. The including file
// defines MUL, MAX, SUB, FMA231, FMA213 and SCALEF for its element type.
//
// Z16 ... hold the constants (CONSTS64 or CONSTS32); Z0..Z3 take n, Z4..Z7 the
// result. Lane for lane this is what expGeneric64 and expGeneric32 do.

#define CONSTS64 \
	VBROADCASTSD exp64<>+0(SB), Z16; \
	VBROADCASTSD exp64<>+32(SB), Z17; \
	VBROADCASTSD exp64<>+64(SB), Z18; \
	VBROADCASTSD exp64<>+96(SB), Z19; \
	VBROADCASTSD exp64<>+128(SB), Z20; \
	VBROADCASTSD exp64<>+160(SB), Z21; \
	VBROADCASTSD exp64<>+192(SB), Z22; \
	VBROADCASTSD exp64<>+224(SB), Z23; \
	VBROADCASTSD exp64<>+256(SB), Z24; \
	VBROADCASTSD exp64<>+288(SB), Z25; \
	VBROADCASTSD exp64<>+320(SB), Z26; \
	VBROADCASTSD exp64<>+352(SB), Z27; \
	VBROADCASTSD exp64<>+384(SB), Z28; \
	VBROADCASTSD exp64<>+416(SB), Z29; \
	VBROADCASTSD exp64<>+448(SB), Z30; \
	VBROADCASTSD exp64<>+480(SB), Z31

#define CONSTS32 \
	VBROADCASTSS exp32<>+0(SB), Z16; \
	VBROADCASTSS exp32<>+32(SB), Z17; \
	VBROADCASTSS exp32<>+64(SB), Z18; \
	VBROADCASTSS exp32<>+96(SB), Z19; \
	VBROADCASTSS exp32<>+128(SB), Z20; \
	VBROADCASTSS exp32<>+160(SB), Z21; \
	VBROADCASTSS exp32<>+192(SB), Z22; \
	VBROADCASTSS exp32<>+224(SB), Z23; \
	VBROADCASTSS exp32<>+256(SB), Z24; \
	VBROADCASTSS exp32<>+288(SB), Z25; \
	VBROADCASTSS exp32<>+320(SB), Z26

#define EACH4(OP, c, x0, x1, x2, x3) OP c, x0, Z4; OP c, x1, Z5; OP c, x2, Z6; OP c, x3, Z7

// n = round(x / ln 2) and r = x − n·ln 2, in the place of x.
#define REDUCE4(x0, x1, x2, x3) \
	MAX x0, Z16, x0; MAX x1, Z16, x1; MAX x2, Z16, x2; MAX x3, Z16, x3; \
	VMOVAPS Z18, Z0; VMOVAPS Z18, Z1; VMOVAPS Z18, Z2; VMOVAPS Z18, Z3; \
	FMA231 Z17, x0, Z0; FMA231 Z17, x1, Z1; FMA231 Z17, x2, Z2; FMA231 Z17, x3, Z3; \
	SUB Z18, Z0, Z0; SUB Z18, Z1, Z1; SUB Z18, Z2, Z2; SUB Z18, Z3, Z3; \
	FMA231 Z19, Z0, x0; FMA231 Z19, Z1, x1; FMA231 Z19, Z2, x2; FMA231 Z19, Z3, x3; \
	FMA231 Z20, Z0, x0; FMA231 Z20, Z1, x1; FMA231 Z20, Z2, x2; FMA231 Z20, Z3, x3

#define SCALE4 SCALEF Z0, Z4, Z4; SCALEF Z1, Z5, Z5; SCALEF Z2, Z6, Z6; SCALEF Z3, Z7, Z7

#define EXP4_64(x0, x1, x2, x3) \
	REDUCE4(x0, x1, x2, x3); \
	VMOVAPS Z31, Z4; VMOVAPS Z31, Z5; VMOVAPS Z31, Z6; VMOVAPS Z31, Z7; \
	EACH4(FMA213, Z30, x0, x1, x2, x3); \
	EACH4(FMA213, Z29, x0, x1, x2, x3); \
	EACH4(FMA213, Z28, x0, x1, x2, x3); \
	EACH4(FMA213, Z27, x0, x1, x2, x3); \
	EACH4(FMA213, Z26, x0, x1, x2, x3); \
	EACH4(FMA213, Z25, x0, x1, x2, x3); \
	EACH4(FMA213, Z24, x0, x1, x2, x3); \
	EACH4(FMA213, Z23, x0, x1, x2, x3); \
	EACH4(FMA213, Z22, x0, x1, x2, x3); \
	EACH4(FMA213, Z21, x0, x1, x2, x3); \
	EACH4(FMA213, Z21, x0, x1, x2, x3); \
	SCALE4

// One register, x, into Z4.
#define EXP1_64(x) \
	MAX x, Z16, x; VMOVAPS Z18, Z0; FMA231 Z17, x, Z0; SUB Z18, Z0, Z0; FMA231 Z19, Z0, x; FMA231 Z20, Z0, x; VMOVAPS Z31, Z4; \
	FMA213 Z30, x, Z4; FMA213 Z29, x, Z4; FMA213 Z28, x, Z4; FMA213 Z27, x, Z4; FMA213 Z26, x, Z4; FMA213 Z25, x, Z4; FMA213 Z24, x, Z4; FMA213 Z23, x, Z4; FMA213 Z22, x, Z4; \
	FMA213 Z21, x, Z4; FMA213 Z21, x, Z4; SCALEF Z0, Z4, Z4

#define EXP4_32(x0, x1, x2, x3) \
	REDUCE4(x0, x1, x2, x3); \
	VMOVAPS Z26, Z4; VMOVAPS Z26, Z5; VMOVAPS Z26, Z6; VMOVAPS Z26, Z7; \
	EACH4(FMA213, Z25, x0, x1, x2, x3); \
	EACH4(FMA213, Z24, x0, x1, x2, x3); \
	EACH4(FMA213, Z23, x0, x1, x2, x3); \
	EACH4(FMA213, Z22, x0, x1, x2, x3); \
	EACH4(FMA213, Z21, x0, x1, x2, x3); \
	EACH4(FMA213, Z21, x0, x1, x2, x3); \
	SCALE4

// One register, x, into Z4.
#define EXP1_32(x) \
	MAX x, Z16, x; VMOVAPS Z18, Z0; FMA231 Z17, x, Z0; SUB Z18, Z0, Z0; FMA231 Z19, Z0, x; FMA231 Z20, Z0, x; VMOVAPS Z26, Z4; \
	FMA213 Z25, x, Z4; FMA213 Z24, x, Z4; FMA213 Z23, x, Z4; FMA213 Z22, x, Z4; \
	FMA213 Z21, x, Z4; FMA213 Z21, x, Z4; SCALEF Z0, Z4, Z4
