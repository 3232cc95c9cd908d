//go:build !purego

#include "textflag.h"
#include "go_asm.h"
#include "exp_consts_amd64.h"
#include "exp_avx512_amd64.h"
#include "laplacian_amd64.h"
#include "small_avx512_amd64.h"

// The forms of a Small: small_avx512_amd64.h with the step of each form.

// A form that needs the query's norm adds it up in Z13. NORM_ZERO and NORM are empty for other forms.
#define NORM_ZERO
#define NORM(q)
#define PREPARE VBROADCASTSD Small_scale(DI), Z12; CONSTS
#define FINISH DECAY
#define FINISH4 DECAY4
#define FINISH1(off, x) DECAY1(off, x)
#define STEP(q, mem, t, acc) VSUBPD mem, q, t; VFMADD231PD t, t, acc

// func smallSquareAVX512(dst *float64, s *Small, x *float64)
TEXT ·smallSquareAVX512(SB), 0, $3136-24
	SMALL
	RET

#undef STEP
#define STEP(q, mem, t, acc) VSUBPD mem, q, t; VANDPD.BCST abs64<>(SB), t, t; VADDPD t, acc, acc

// func smallAbsoluteAVX512(dst *float64, s *Small, x *float64)
TEXT ·smallAbsoluteAVX512(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH
#undef FINISH4
#undef FINISH1
#undef STEP
#define NORM_ZERO VPXORQ Z13, Z13, Z13
#define NORM(q) VFMADD231PD q, q, Z13

// Turn the inner products x into squared distances, as distances does. Z14 holds 2 and Z15 holds 0. The norms of a
// panel have the same offset from R13 as its values from 0.
#define DISTANCES VBROADCASTSD ONE, Z14; VADDPD Z14, Z14, Z14; VPXORQ Z15, Z15, Z15
#define DISTANCE(mem, x) VADDPD mem, Z13, Z0; VFNMADD231PD x, Z14, Z0; VMAXPD Z0, Z15, x
#define PREPARE VBROADCASTSD Small_scale(DI), Z12; CONSTS; DISTANCES; MOVQ Small_norms(DI), R13; SUBQ R15, R13
#define FINISH MOVQ Small_norms(DI), AX; DISTANCES; DISTANCE((AX), Z8); DECAY
#define FINISH4 \
	DISTANCE((R13)(R9*1), Z8); \
	DISTANCE(64(R13)(R9*1), Z9); \
	DISTANCE(128(R13)(R9*1), Z10); \
	DISTANCE(192(R13)(R9*1), Z11); \
	DECAY4
#define FINISH1(off, x) DISTANCE(off(R13)(R9*1), x); DECAY1(off, x)
#define STEP(q, mem, t, acc) VFMADD231PD mem, q, acc

// func smallExpandedAVX512(dst *float64, s *Small, x *float64)
TEXT ·smallExpandedAVX512(SB), 0, $3136-24
	SMALL
	RET

#undef NORM_ZERO
#undef NORM
#undef PREPARE
#undef FINISH
#undef FINISH4
#undef FINISH1
#undef STEP
#define NORM_ZERO
#define NORM(q)
#define PREPARE
#define FINISH VMOVAPD Z8, Z4
#define FINISH4 \
	VMOVUPD Z8, (R9); \
	VMOVUPD Z9, 64(R9); \
	VMOVUPD Z10, 128(R9); \
	VMOVUPD Z11, 192(R9)
#define FINISH1(off, x) VMOVUPD x, off(R9)
#define STEP(q, mem, t, acc) VFMADD231PD mem, q, acc

// func smallInnerAVX512(dst *float64, s *Small, x *float64)
TEXT ·smallInnerAVX512(SB), 0, $3136-24
	SMALL
	RET
