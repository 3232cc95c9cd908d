// Small.evalGeneric for one row. It takes four panels at a time, then two, then one, so that the sums over the
// features, which are chains of dependent additions, run in parallel.
//
//	DI s   SI scaled row   DX panels   R8 features   R9 values   R10 bytes between panels
//	R11 panels left        R12 3·R10   R15 the frame from a cache line on: values, scaled row
//	AX, BX moving panel and feature
//
// The order of the features, and the places of the four sums, are the same as in the tiles and in weigh.

// The frame holds the values in 2048 bytes and the scaled row in 1024.
#define FRAME LEAQ 63(SP), R15; ANDQ $-64, R15

#define ARGS \
	MOVQ s+8(FP), DI; \
	MOVQ x+16(FP), SI; \
	MOVQ Small_d(DI), R8; \
	MOVQ Small_scaling(DI), AX; \
	MOVQ Small_quads(DI), R13; \
	LEAQ 1(R13), R11; \
	SHRQ $1, R11; \
	MOVQ Small_panels(DI), DX

// Z0 = the next eight features of the row in SI, scaled. A feature that counts, marked in K1, becomes Lo +
// Width·(x−Center)/Spread; others become 0. Then the transform of the samples applies. Usually only the quotient is
// needed.
#define SCALE8(quotient, done) \
	VMOVUPD.Z (SI), K1, Z0; \
	VSUBPD 64(AX), Z0, Z0; \
	CMPQ Small_ranged(DI), $0; \
	JEQ  quotient; \
	VMULPD.BCST Small_width(DI), Z0, Z0; \
	VDIVPD 128(AX), Z0, Z0; \
	VADDPD.BCST.Z Small_lo(DI), Z0, K1, Z0; \
	VSUBPD 192(AX), Z0, Z0; \
	VMULPD 256(AX), Z0, Z0; \
	JMP  done; \
quotient: \
	VDIVPD.Z 128(AX), Z0, K1, Z0; \
done:

// Write the scaled row to SI, unless there is one panel only and the row fits in a register.
#define SCALE_ROW \
	TESTQ AX, AX; \
	JZ   scaled; \
	CMPQ R11, $1; \
	JNE  blocks; \
	CMPQ R8, $8; \
	JLE  short; \
blocks: \
	LEAQ 2048(R15), BX; \
	MOVQ R8, CX; \
block: \
	VMOVDQU64 (AX), Z0; \
	VPMOVQ2M Z0, K1; \
	SCALE8(quotient8, scaled8); \
	VMOVUPD Z0, (BX); \
	ADDQ $320, AX; \
	ADDQ $64, SI; \
	ADDQ $64, BX; \
	SUBQ $8, CX; \
	JGT  block; \
	LEAQ 2048(R15), SI; \
scaled:

// The loop for a single panel. Its time is the length of the chain of dependent instructions, so it keeps neither
// constants in registers nor parallel sums. A short row stays in Z0 and rotates, with the next feature in front.
#define SINGLE \
	CMPQ R11, $1; \
	JNE  many; \
	VPXORQ Z8, Z8, Z8; \
	NORM_ZERO; \
row: \
	VBROADCASTSD (SI), Z2; \
	NORM(Z2); \
	STEP(Z2, (DX), Z1, Z8); \
	ADDQ $64, DX; \
	ADDQ $8, SI; \
	DECQ R8; \
	JNZ  row; \
	JMP  summed; \
short: \
	KMOVB Small_first(DI), K1; \
	SCALE8(quotient1, scaled1); \
	VPXORQ Z8, Z8, Z8; \
	NORM_ZERO; \
turn: \
	VBROADCASTSD X0, Z2; \
	VALIGNQ $1, Z0, Z0, Z0; \
	NORM(Z2); \
	STEP(Z2, (DX), Z1, Z8); \
	ADDQ $64, DX; \
	DECQ R8; \
	JNZ  turn; \
summed: \
	FINISH; \
	MOVQ dst+0(FP), R8; \
	MOVQ Small_coefs(DI), DX; \
	MOVQ Small_bias(DI), R9; \
	MOVQ Small_outputs(DI), R12; \
product: \
	VMULPD (DX), Z4, Z0; \
	CMPQ R13, $1; \
	JEQ  quad; \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPD Y1, Y0, Y0; \
quad: \
	TOTAL; \
	ADDQ $64, DX; \
	ADDQ $8, R8; \
	ADDQ $8, R9; \
	DECQ R12; \
	JNZ  product; \
	VZEROUPPER; \
	RET; \
many:

// Sum up Y0 and add the bias.
#define TOTAL \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0; \
	VPERMILPD $1, X0, X1; \
	VADDSD X1, X0, X0; \
	VADDSD (R9), X0, X0; \
	VMOVSD X0, (R8)

#define DECAY \
	VMULPD.BCST Small_scale(DI), Z8, Z8; \
	VBROADCASTSD CLAMP, Z1; \
	VMAXPD Z8, Z1, Z8; \
	VCMPPD $6, Z1, Z8, K2; \
	VBROADCASTSD BIAS, Z1; \
	VMOVAPD Z1, Z0; \
	VFMADD231PD.BCST LOG2E, Z8, Z0; \
	VSUBPD Z1, Z0, Z0; \
	VFMADD231PD.BCST LN2HI, Z0, Z8; \
	VFMADD231PD.BCST LN2LO, Z0, Z8; \
	VBROADCASTSD C11, Z4; \
	VFMADD213PD.BCST C10, Z8, Z4; \
	VFMADD213PD.BCST C9, Z8, Z4; \
	VFMADD213PD.BCST C8, Z8, Z4; \
	VFMADD213PD.BCST C7, Z8, Z4; \
	VFMADD213PD.BCST C6, Z8, Z4; \
	VFMADD213PD.BCST C5, Z8, Z4; \
	VFMADD213PD.BCST C4, Z8, Z4; \
	VFMADD213PD.BCST C3, Z8, Z4; \
	VFMADD213PD.BCST C2, Z8, Z4; \
	VFMADD213PD.BCST ONE, Z8, Z4; \
	VFMADD213PD.BCST.Z ONE, Z8, K2, Z4; \
	VSCALEFPD Z0, Z4, Z4

// The values of all panels. DIFF(mem, x) is the difference of a step for the feature in Z0; ADD1(x, acc) adds the
// term.
#define VALUES \
	MOVQ R8, R10; \
	SHLQ $6, R10; \
	LEAQ (R10)(R10*2), R12; \
	MOVQ R15, R9; \
	PREPARE; \
four: \
	CMPQ R11, $4; \
	JLT  two; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	VPXORQ Z10, Z10, Z10; \
	VPXORQ Z11, Z11, Z11; \
	NORM_ZERO; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature4: \
	VBROADCASTSD (SI)(BX*8), Z0; \
	NORM(Z0); \
	STEP(Z0, (AX), Z1, Z8); \
	STEP(Z0, (AX)(R10*1), Z2, Z9); \
	STEP(Z0, (AX)(R10*2), Z3, Z10); \
	STEP(Z0, (AX)(R12*1), Z4, Z11); \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, R8; \
	JNE  feature4; \
	FINISH4; \
	ADDQ $256, R9; \
	LEAQ (DX)(R10*4), DX; \
	SUBQ $4, R11; \
	JMP  four; \
two: \
	CMPQ R11, $2; \
	JLT  one; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	NORM_ZERO; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature2: \
	VBROADCASTSD (SI)(BX*8), Z0; \
	NORM(Z0); \
	STEP(Z0, (AX), Z1, Z8); \
	STEP(Z0, (AX)(R10*1), Z2, Z9); \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, R8; \
	JNE  feature2; \
	FINISH1(0, Z8); \
	FINISH1(64, Z9); \
	ADDQ $128, R9; \
	LEAQ (DX)(R10*2), DX; \
	SUBQ $2, R11; \
one: \
	TESTQ R11, R11; \
	JZ   weigh; \
	VPXORQ Z8, Z8, Z8; \
	NORM_ZERO; \
	MOVQ DX, AX; \
	XORQ BX, BX; \
feature1: \
	VBROADCASTSD (SI)(BX*8), Z0; \
	NORM(Z0); \
	STEP(Z0, (AX), Z1, Z8); \
	ADDQ $64, AX; \
	INCQ BX; \
	CMPQ BX, R8; \
	JNE  feature1; \
	FINISH1(0, Z8)

// Multiply the values of a panel by its coefficients, if a panel is left.
#define LAST(acc) \
	TESTQ CX, CX; \
	JZ    fold; \
	VMOVUPD (SI), Z4; \
	VFMADD231PD (DX), Z4, acc; \
	ADDQ  $64, SI; \
	ADDQ  $64, DX; \
	DECQ  CX

// The outputs, one after the other: weigh, total and the bias.
#define OUTPUTS \
weigh: \
	MOVQ dst+0(FP), R8; \
	MOVQ Small_coefs(DI), DX; \
	MOVQ Small_bias(DI), R9; \
	MOVQ Small_outputs(DI), R12; \
	MOVQ Small_quads(DI), R11; \
	INCQ R11; \
	SHRQ $1, R11; \
output: \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	MOVQ R15, SI; \
	MOVQ R11, CX; \
	JMP  check; \
weigh4: \
	VMOVUPD (SI), Z4; \
	VMOVUPD 64(SI), Z5; \
	VMOVUPD 128(SI), Z6; \
	VMOVUPD 192(SI), Z7; \
	VFMADD231PD (DX), Z4, Z0; \
	VFMADD231PD 64(DX), Z5, Z1; \
	VFMADD231PD 128(DX), Z6, Z2; \
	VFMADD231PD 192(DX), Z7, Z3; \
	ADDQ $256, SI; \
	ADDQ $256, DX; \
	SUBQ $4, CX; \
check: \
	CMPQ CX, $4; \
	JGE  weigh4; \
	LAST(Z0); \
	LAST(Z1); \
	LAST(Z2); \
fold: \
	VADDPD Z2, Z0, Z0; \
	VADDPD Z3, Z1, Z1; \
	VADDPD Z1, Z0, Z0; \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPD Y1, Y0, Y0; \
	TOTAL; \
	ADDQ $8, R8; \
	ADDQ $8, R9; \
	DECQ R12; \
	JNZ  output; \
	VZEROUPPER

#define DECAY4 \
	VMULPD Z12, Z8, Z8; \
	VMULPD Z12, Z9, Z9; \
	VMULPD Z12, Z10, Z10; \
	VMULPD Z12, Z11, Z11; \
	EXP4(Z8, Z9, Z10, Z11); \
	VMOVUPD Z4, (R9); \
	VMOVUPD Z5, 64(R9); \
	VMOVUPD Z6, 128(R9); \
	VMOVUPD Z7, 192(R9)
#define DECAY1(off, x) VMULPD Z12, x, x; EXP1(x); VMOVUPD Z4, off(R9)

#define SMALL ARGS; FRAME; SCALE_ROW; SINGLE; VALUES; OUTPUTS
