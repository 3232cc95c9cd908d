//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "gram_arm64.h"

// The tiles of Σ |x_k − z_k|: acc += |x−q|·1, a fused multiply-add that rounds like an addition.

#define ESZ 8
#define QUERY(r) VLD1R (r), [V4.D2]
#define STEPS(n, a, b, c, d) \
	FABD2D(4, 0, 5); FABD2D(4, 1, 6); FABD2D(4, 2, 7); FABD2D(4, 3, 8); \
	VFMLA V5.D2, V9.D2, a.D2; VFMLA V6.D2, V9.D2, b.D2; VFMLA V7.D2, V9.D2, c.D2; VFMLA V8.D2, V9.D2, d.D2

TEXT ·tileAbsolute64NEON(SB), NOSPLIT, $0-72
	ARGS
	FMOVD $1.0, F9
	VDUP  V9.D[0], V9.D2
	TILES
	RET

#undef ESZ
#undef QUERY
#undef STEPS
#define ESZ 4
#define QUERY(r) VLD1R (r), [V4.S4]
#define STEPS(n, a, b, c, d) \
	FABD4S(4, 0, 5); FABD4S(4, 1, 6); FABD4S(4, 2, 7); FABD4S(4, 3, 8); \
	VFMLA V5.S4, V9.S4, a.S4; VFMLA V6.S4, V9.S4, b.S4; VFMLA V7.S4, V9.S4, c.S4; VFMLA V8.S4, V9.S4, d.S4

TEXT ·tileAbsolute32NEON(SB), NOSPLIT, $0-72
	ARGS
	FMOVS $1.0, F9
	VDUP  V9.S[0], V9.S4
	TILES
	RET
