//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "exp_consts_arm64.h"
#include "exp_arm64.h"

// exp of a slice. The float32 version is written out: it is exp_arm64.h with fewer coefficients, and its result is in
// V4, V5.

// func expScaled64NEON(dst, src *float64, n int, scale float64)
TEXT ·expScaled64NEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	EXP_CONSTS
	MOVD scale+24(FP), R4
	VDUP R4, V30.D2

loop:
	VLD1.P 32(R1), [V0.D2, V1.D2]
	EXP_SCALED
	VST1.P [V6.D2, V7.D2], 32(R0)
	SUBS $4, R2
	BNE  loop
	RET

// func expScaled32NEON(dst, src *float32, n int, scale float32)
TEXT ·expScaled32NEON(SB), NOSPLIT, $0-28
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD $exp32<>(SB), R3
	VLD1R.P 4(R3), [V12.S4] // clamp
	VLD1R.P 4(R3), [V13.S4] // log2e
	VLD1R.P 4(R3), [V15.S4] // -ln2hi
	VLD1R.P 4(R3), [V16.S4] // -ln2lo
	VLD1R.P 4(R3), [V17.S4] // one
	VLD1R.P 4(R3), [V14.S4] // bias
	VLD1R.P 4(R3), [V18.S4] // c2
	VLD1R.P 4(R3), [V19.S4] // c3
	VLD1R.P 4(R3), [V20.S4] // c4
	VLD1R.P 4(R3), [V21.S4] // c5
	VLD1R.P 4(R3), [V22.S4] // c6
	MOVWU scale+24(FP), R4
	VDUP R4, V23.S4

loop:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	FMUL4S(23, 0, 0)
	FMUL4S(23, 1, 1)
	FMAX4S(12, 0, 0)
	FMAX4S(12, 1, 1)
	VMOV V14.B16, V2.B16
	VMOV V14.B16, V3.B16
	VFMLA V13.S4, V0.S4, V2.S4
	VFMLA V13.S4, V1.S4, V3.S4
	FCMGT4S(12, 0, 6)
	FCMGT4S(12, 1, 7)
	FSUB4S(14, 2, 4)
	FSUB4S(14, 3, 5)
	VAND V6.B16, V2.B16, V2.B16
	VAND V7.B16, V3.B16, V3.B16
	VFMLA V15.S4, V4.S4, V0.S4
	VFMLA V15.S4, V5.S4, V1.S4
	VFMLA V16.S4, V4.S4, V0.S4
	VFMLA V16.S4, V5.S4, V1.S4
	VMOV V22.B16, V4.B16
	VMOV V22.B16, V5.B16
	VMOV V21.B16, V6.B16
	VMOV V21.B16, V7.B16
	VFMLA V4.S4, V0.S4, V6.S4
	VFMLA V5.S4, V1.S4, V7.S4
	VMOV V20.B16, V4.B16
	VMOV V20.B16, V5.B16
	VFMLA V6.S4, V0.S4, V4.S4
	VFMLA V7.S4, V1.S4, V5.S4
	VMOV V19.B16, V6.B16
	VMOV V19.B16, V7.B16
	VFMLA V4.S4, V0.S4, V6.S4
	VFMLA V5.S4, V1.S4, V7.S4
	VMOV V18.B16, V4.B16
	VMOV V18.B16, V5.B16
	VFMLA V6.S4, V0.S4, V4.S4
	VFMLA V7.S4, V1.S4, V5.S4
	VMOV V17.B16, V6.B16
	VMOV V17.B16, V7.B16
	VFMLA V4.S4, V0.S4, V6.S4
	VFMLA V5.S4, V1.S4, V7.S4
	VMOV V17.B16, V4.B16
	VMOV V17.B16, V5.B16
	VFMLA V6.S4, V0.S4, V4.S4
	VFMLA V7.S4, V1.S4, V5.S4
	VSHL $23, V2.S4, V2.S4
	VSHL $23, V3.S4, V3.S4
	FMUL4S(2, 4, 4)
	FMUL4S(3, 5, 5)
	VST1.P [V4.S4, V5.S4], 32(R0)
	SUBS $8, R2
	BNE  loop
	RET
