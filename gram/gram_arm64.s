//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "gram_arm64.h"

// The tiles of a Gram matrix. They implement tileGeneric in gram_generic.go.

// Squared distance: acc += (x−q)²
#define ESZ 8
#define QUERY(r) VLD1R (r), [V4.D2]
#define STEPS(n, a, b, c, d) \
	FSUB2D(4, 0, 5); FSUB2D(4, 1, 6); FSUB2D(4, 2, 7); FSUB2D(4, 3, 8); \
	VFMLA V5.D2, V5.D2, a.D2; VFMLA V6.D2, V6.D2, b.D2; VFMLA V7.D2, V7.D2, c.D2; VFMLA V8.D2, V8.D2, d.D2

TEXT ·tileSquare64NEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET

#undef ESZ
#undef QUERY
#undef STEPS
// Squared distance: acc += (x−q)²
#define ESZ 4
#define QUERY(r) VLD1R (r), [V4.S4]
#define STEPS(n, a, b, c, d) \
	FSUB4S(4, 0, 5); FSUB4S(4, 1, 6); FSUB4S(4, 2, 7); FSUB4S(4, 3, 8); \
	VFMLA V5.S4, V5.S4, a.S4; VFMLA V6.S4, V6.S4, b.S4; VFMLA V7.S4, V7.S4, c.S4; VFMLA V8.S4, V8.S4, d.S4

TEXT ·tileSquare32NEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET

#undef ESZ
#undef QUERY
#undef STEPS
// Inner product: acc += q·x
#define ESZ 8
#define QUERY(r) VLD1R (r), [V4.D2]
#define STEPS(n, a, b, c, d) \
	VFMLA V0.D2, V4.D2, a.D2; VFMLA V1.D2, V4.D2, b.D2; VFMLA V2.D2, V4.D2, c.D2; VFMLA V3.D2, V4.D2, d.D2

TEXT ·tileDot64NEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET

#undef ESZ
#undef QUERY
#undef STEPS
// Inner product: acc += q·x
#define ESZ 4
#define QUERY(r) VLD1R (r), [V4.S4]
#define STEPS(n, a, b, c, d) \
	VFMLA V0.S4, V4.S4, a.S4; VFMLA V1.S4, V4.S4, b.S4; VFMLA V2.S4, V4.S4, c.S4; VFMLA V3.S4, V4.S4, d.S4

TEXT ·tileDot32NEON(SB), NOSPLIT, $0-72
	ARGS
	TILES
	RET
