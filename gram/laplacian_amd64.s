//go:build !purego

#include "textflag.h"
#include "gram_amd64.h"
#include "laplacian_amd64.h"

// The tiles of Σ |x_k − z_k|: acc += |x−q|. A mask in memory clears the sign, because the tiles leave no register
// free.

#define ESZ 8
#define BC  VBROADCASTSD
#define Q3(i, a, b, c) Q3_EACH(i, a, b, c)
#define STEP(i, x, t, acc) VSUBPD.BCST (i*ESZ)(BX), x, t; VANDPD.BCST abs64<>(SB), t, t; VADDPD t, acc, acc
#define STEPY(q, x, t, acc) VSUBPD q, x, t; VANDPD abs64<>(SB), t, t; VADDPD t, acc, acc

TEXT ·tileAbsolute64AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

TEXT ·tileAbsolute64AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET

#undef ESZ
#undef BC
#undef STEP
#undef STEPY
#define ESZ 4
#define BC  VBROADCASTSS
#define STEP(i, x, t, acc) VSUBPS.BCST (i*ESZ)(BX), x, t; VANDPS.BCST abs32<>(SB), t, t; VADDPS t, acc, acc
#define STEPY(q, x, t, acc) VSUBPS q, x, t; VANDPS abs32<>(SB), t, t; VADDPS t, acc, acc

TEXT ·tileAbsolute32AVX512(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX512
	RET

TEXT ·tileAbsolute32AVX2(SB), NOSPLIT, $0-72
	ARGS
	TILES_AVX2
	RET
