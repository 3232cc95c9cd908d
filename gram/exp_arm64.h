// exp on (−∞, 0] of float64 with the algorithm of exp.go, two registers at a time. V0, V1 hold x and then r; V2, V3
// hold n in their low bits, and 0 unless x is above clamp: see exp_avx2_amd64.h. The polynomial alternates between V4, V5 and V6, V7, because a fused multiply-add overwrites its addend.
// The result is in V6, V7.

// The constants, in the order of the table: V12 clamp, V13 log2e, V15 -ln2hi, V16 -ln2lo, V17 one, V14 bias, V18 to V27
// c2 to c11. R3 is free.
#define EXP_CONSTS \
	MOVD $exp64<>(SB), R3; \
	VLD1R.P 8(R3), [V12.D2]; \
	VLD1R.P 8(R3), [V13.D2]; \
	VLD1R.P 8(R3), [V15.D2]; \
	VLD1R.P 8(R3), [V16.D2]; \
	VLD1R.P 8(R3), [V17.D2]; \
	VLD1R.P 8(R3), [V14.D2]; \
	VLD1R.P 8(R3), [V18.D2]; \
	VLD1R.P 8(R3), [V19.D2]; \
	VLD1R.P 8(R3), [V20.D2]; \
	VLD1R.P 8(R3), [V21.D2]; \
	VLD1R.P 8(R3), [V22.D2]; \
	VLD1R.P 8(R3), [V23.D2]; \
	VLD1R.P 8(R3), [V24.D2]; \
	VLD1R.P 8(R3), [V25.D2]; \
	VLD1R.P 8(R3), [V26.D2]; \
	VLD1R.P 8(R3), [V27.D2]

// e^(V30·x).
#define EXP_SCALED FMUL2D(30, 0, 0); FMUL2D(30, 1, 1); EXP

#define EXP \
	FMAX2D(12, 0, 0); \
	FMAX2D(12, 1, 1); \
	VMOV V14.B16, V2.B16; \
	VMOV V14.B16, V3.B16; \
	VFMLA V13.D2, V0.D2, V2.D2; \
	VFMLA V13.D2, V1.D2, V3.D2; \
	FCMGT2D(12, 0, 6); \
	FCMGT2D(12, 1, 7); \
	FSUB2D(14, 2, 4); \
	FSUB2D(14, 3, 5); \
	VAND V6.B16, V2.B16, V2.B16; \
	VAND V7.B16, V3.B16, V3.B16; \
	VFMLA V15.D2, V4.D2, V0.D2; \
	VFMLA V15.D2, V5.D2, V1.D2; \
	VFMLA V16.D2, V4.D2, V0.D2; \
	VFMLA V16.D2, V5.D2, V1.D2; \
	VMOV V27.B16, V4.B16; \
	VMOV V27.B16, V5.B16; \
	VMOV V26.B16, V6.B16; \
	VMOV V26.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VMOV V25.B16, V4.B16; \
	VMOV V25.B16, V5.B16; \
	VFMLA V6.D2, V0.D2, V4.D2; \
	VFMLA V7.D2, V1.D2, V5.D2; \
	VMOV V24.B16, V6.B16; \
	VMOV V24.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VMOV V23.B16, V4.B16; \
	VMOV V23.B16, V5.B16; \
	VFMLA V6.D2, V0.D2, V4.D2; \
	VFMLA V7.D2, V1.D2, V5.D2; \
	VMOV V22.B16, V6.B16; \
	VMOV V22.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VMOV V21.B16, V4.B16; \
	VMOV V21.B16, V5.B16; \
	VFMLA V6.D2, V0.D2, V4.D2; \
	VFMLA V7.D2, V1.D2, V5.D2; \
	VMOV V20.B16, V6.B16; \
	VMOV V20.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VMOV V19.B16, V4.B16; \
	VMOV V19.B16, V5.B16; \
	VFMLA V6.D2, V0.D2, V4.D2; \
	VFMLA V7.D2, V1.D2, V5.D2; \
	VMOV V18.B16, V6.B16; \
	VMOV V18.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VMOV V17.B16, V4.B16; \
	VMOV V17.B16, V5.B16; \
	VFMLA V6.D2, V0.D2, V4.D2; \
	VFMLA V7.D2, V1.D2, V5.D2; \
	VMOV V17.B16, V6.B16; \
	VMOV V17.B16, V7.B16; \
	VFMLA V4.D2, V0.D2, V6.D2; \
	VFMLA V5.D2, V1.D2, V7.D2; \
	VSHL $52, V2.D2, V2.D2; \
	VSHL $52, V3.D2, V3.D2; \
	FMUL2D(2, 6, 6); \
	FMUL2D(3, 7, 7)
