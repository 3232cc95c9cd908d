// The definitions for float32, which replace those for float64 in exp_avx2_amd64.h.
#undef CONST
#undef MUL
#undef ADD
#undef SUB
#undef MAX
#undef CMP
#undef FMA231
#undef FMA213
#undef SHL
#undef POLY4
#undef POLY1
#define CONST(at) exp32<>+at(SB)
#define MUL VMULPS
#define ADD VADDPS
#define SUB VSUBPS
#define MAX VMAXPS
#define CMP VCMPPS
#define FMA231 VFMADD231PS
#define FMA213 VFMADD213PS
#define SHL(x) VPSLLD $23, x, x
#define POLY4 START4(C6); STEP4(C5); STEP4(C4); STEP4(C3); STEP4(C2)
#define POLY1 VMOVUPS C6, Y8; STEP1(C5); STEP1(C4); STEP1(C3); STEP1(C2)
