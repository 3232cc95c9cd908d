// The definitions for float32, which replace those for float64 in exp_avx512_amd64.h.
#undef ESZ
#undef CONST
#undef BROADCAST
#undef MUL
#undef SUB
#undef MAX
#undef CMP
#undef SCALEF
#undef FMA231
#undef FMA213
#undef MOVE
#undef TOP
#undef CONSTS
#undef POLY4
#undef POLY1
#define ESZ 4
#define CONST(at) exp32<>+at(SB)
#define BROADCAST VBROADCASTSS
#define MUL VMULPS
#define SUB VSUBPS
#define MAX VMAXPS
#define CMP VCMPPS
#define SCALEF VSCALEFPS
#define FMA231 VFMADD231PS
#define FMA213 VFMADD213PS
#define MOVE VMOVUPS
#define TOP Z26
#define CONSTS CONSTS_BOTH
#define POLY4(x0, x1, x2, x3) \
	STEP4(Z25, x0, x1, x2, x3); \
	STEP4(Z24, x0, x1, x2, x3); \
	STEP4(Z23, x0, x1, x2, x3); \
	STEP4(Z22, x0, x1, x2, x3)
#define POLY1(x) STEP1(Z25, x); STEP1(Z24, x); STEP1(Z23, x); STEP1(Z22, x)
