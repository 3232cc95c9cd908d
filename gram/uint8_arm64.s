//go:build !purego

#include "textflag.h"
#include "gram_arm64.h"

// Products of bytes. A group of four features of 16 samples takes the place of one feature of a panel.

#define ESZ 4
#define QUERY(r) VLD1R (r), [V4.S4]

// Instructions that Go's assembler does not know. UDOT adds four products of bytes to each 32-bit element of d.
#define UDOT(m, n, d) WORD $(0x6E809400 | (m)<<16 | (n)<<5 | (d))
#define UMULL(m, n, d) WORD $(0x2E20C000 | (m)<<16 | (n)<<5 | (d))
#define UMULL2(m, n, d) WORD $(0x6E20C000 | (m)<<16 | (n)<<5 | (d))
#define UADDLP(n, d) WORD $(0x6E602800 | (n)<<5 | (d))

#define STEPS(n, a, b, c, d) \
	UDOT(4, 0, n); UDOT(4, 1, n+1); UDOT(4, 2, n+2); UDOT(4, 3, n+3)

// func tileUint8DotsNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
TEXT ·tileUint8DotsNEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET

#undef STEPS
// Four samples in the register number x: 16 products, then their sums by twos and by fours.
#define FOUR(x, a) \
	UMULL(4, x, 5); UMULL2(4, x, 6); UADDLP(5, 5); UADDLP(6, 6); \
	VADDP V6.S4, V5.S4, V5.S4; VADD V5.S4, a.S4, a.S4

#define STEPS(n, a, b, c, d) FOUR(0, a); FOUR(1, b); FOUR(2, c); FOUR(3, d)

// func tileUint8NEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
TEXT ·tileUint8NEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET
