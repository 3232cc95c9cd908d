// A tile of query samples against panels of packed samples, written once for both element types. The including file
// defines, before the TEXT that uses it:
//
//	ESZ                  bytes in an element
//	STEP(i, x, t, acc)   AVX-512: one feature of query i and the panel in x; t is free
//	Q3(i, a, b, c)       AVX-512: the same for the panels in Z0, Z1, Z2; Z3..Z6 are free
//	STEPY(q, x, t, acc)  AVX2: the same with the query's feature in q
//	BC                   AVX2: broadcast one element
//
// ARGS sets all registers:
//
//	DI out   R8 bytes between rows of out     SI q    R9  bytes between features of q
//	DX x     R10 bytes between panels         CX k    R11 panels left
//	R12 3·R10   R13 5·R10   R15 7·R10         AX, BX moving x and q; R14 moving row or feature count
//
// A panel holds 64 bytes for each feature, so AX moves by 64. The feature count k may be zero.

#define ARGS \
	MOVQ out+0(FP), DI;   \
	MOVQ ldo+8(FP), R8;   \
	MOVQ q+16(FP), SI;    \
	MOVQ qs+24(FP), R9;   \
	MOVQ rows+32(FP), BX; \
	MOVQ x+40(FP), DX;    \
	MOVQ xs+48(FP), R10;  \
	MOVQ k+56(FP), CX;    \
	MOVQ panels+64(FP), R11

// FEATURES begins the loop over the features of the panels at DX, or goes to store if there are none.
#define FEATURES(feature, store) \
	MOVQ DX, AX; \
	MOVQ SI, BX; \
	MOVQ CX, R14; \
	TESTQ R14, R14; \
	JZ   store; \
	PCALIGN $64; \
feature:

#define NEXTFEATURE(feature, store) \
	ADDQ $64, AX; \
	ADDQ R9, BX; \
	DECQ R14; \
	JNZ  feature; \
store:

#define NEXTPANEL(loop) \
	ADDQ $64, DI; \
	ADDQ R10, DX; \
	DECQ R11; \
	JMP  loop

// ---- AVX-512: one register holds a feature of a panel. The including file may use Z7.

// Load a feature of a panel in the form that STEP takes.
#define LOAD(mem, z) VMOVUPS mem, z

#define ZERO8(a, b, c, d, e, f, g, h) \
	VPXORQ a, a, a; VPXORQ b, b, b; VPXORQ c, c, c; VPXORQ d, d, d; \
	VPXORQ e, e, e; VPXORQ f, f, f; VPXORQ g, g, g; VPXORQ h, h, h

// Q3_EACH is Q3 by three STEPs. Differences broadcast the query inside the arithmetic instruction: on Zen 4, a
// separate broadcast occupies the pipes of the subtractions and costs a quarter of the speed. Products broadcast it
// once for all three panels: three operands in memory would keep Intel's two load pipes busier than the multiply-add
// units.
#define Q3_EACH(i, a, b, c) \
	STEP(i, Z0, Z4, a); \
	STEP(i, Z1, Z5, b); \
	STEP(i, Z2, Z6, c)

#define STORE3(a, b, c) VMOVUPS a, (R14); VMOVUPS b, 64(R14); VMOVUPS c, 128(R14); ADDQ R8, R14

#define LOAD3(a, b, c) VMOVUPS (R14), a; VMOVUPS 64(R14), b; VMOVUPS 128(R14), c; ADDQ R8, R14

#define ZERO24 \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	ZERO8(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	ZERO8(Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31)

#define LOAD24 \
	MOVQ DI, R14; \
	LOAD3(Z8, Z9, Z10); \
	LOAD3(Z11, Z12, Z13); \
	LOAD3(Z14, Z15, Z16); \
	LOAD3(Z17, Z18, Z19); \
	LOAD3(Z20, Z21, Z22); \
	LOAD3(Z23, Z24, Z25); \
	LOAD3(Z26, Z27, Z28); \
	LOAD3(Z29, Z30, Z31)

// Eight queries × three panels, from zero or from the sums in out. The label next continues with single panels.
#define TILE8X3(START, loop, feature, store, next) \
loop: \
	CMPQ R11, $3; \
	JLT  next; \
	START; \
	FEATURES(feature, store) \
	LOAD((AX), Z0); \
	LOAD((AX)(R10*1), Z1); \
	LOAD((AX)(R10*2), Z2); \
	Q3(0, Z8, Z9, Z10); \
	Q3(1, Z11, Z12, Z13); \
	Q3(2, Z14, Z15, Z16); \
	Q3(3, Z17, Z18, Z19); \
	Q3(4, Z20, Z21, Z22); \
	Q3(5, Z23, Z24, Z25); \
	Q3(6, Z26, Z27, Z28); \
	Q3(7, Z29, Z30, Z31); \
	NEXTFEATURE(feature, store) \
	MOVQ DI, R14; \
	STORE3(Z8, Z9, Z10); \
	STORE3(Z11, Z12, Z13); \
	STORE3(Z14, Z15, Z16); \
	STORE3(Z17, Z18, Z19); \
	STORE3(Z20, Z21, Z22); \
	STORE3(Z23, Z24, Z25); \
	STORE3(Z26, Z27, Z28); \
	STORE3(Z29, Z30, Z31); \
	ADDQ $192, DI; \
	ADDQ R12, DX; \
	SUBQ $3, R11; \
	JMP  loop

#define Q1(i, a) STEP(i, Z0, Z4, a)
#define STORE1(a) VMOVUPS a, (R14); ADDQ R8, R14

#define TILE8X1(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	FEATURES(feature, store) \
	LOAD((AX), Z0); \
	Q1(0, Z8); Q1(1, Z9); Q1(2, Z10); Q1(3, Z11); \
	Q1(4, Z12); Q1(5, Z13); Q1(6, Z14); Q1(7, Z15); \
	NEXTFEATURE(feature, store) \
	MOVQ DI, R14; \
	STORE1(Z8); STORE1(Z9); STORE1(Z10); STORE1(Z11); \
	STORE1(Z12); STORE1(Z13); STORE1(Z14); STORE1(Z15); \
	NEXTPANEL(loop)

// Four queries against the panel at mem.
#define P4(mem, a, b, c, d) \
	LOAD(mem, Z0); \
	STEP(0, Z0, Z1, a); STEP(1, Z0, Z2, b); STEP(2, Z0, Z3, c); STEP(3, Z0, Z4, d)

#define STORE4(a, b, c, d) VMOVUPS a, (R14); VMOVUPS b, 64(R14); VMOVUPS c, 128(R14); VMOVUPS d, 192(R14); ADDQ R8, R14

#define TILE4X4(loop, feature, store, next) \
loop: \
	CMPQ R11, $4; \
	JLT  next; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	ZERO8(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	FEATURES(feature, store) \
	P4((AX), Z8, Z12, Z16, Z20); \
	P4((AX)(R10*1), Z9, Z13, Z17, Z21); \
	P4((AX)(R10*2), Z10, Z14, Z18, Z22); \
	P4((AX)(R12*1), Z11, Z15, Z19, Z23); \
	NEXTFEATURE(feature, store) \
	MOVQ DI, R14; \
	STORE4(Z8, Z9, Z10, Z11); \
	STORE4(Z12, Z13, Z14, Z15); \
	STORE4(Z16, Z17, Z18, Z19); \
	STORE4(Z20, Z21, Z22, Z23); \
	ADDQ $256, DI; \
	LEAQ (DX)(R10*4), DX; \
	SUBQ $4, R11; \
	JMP  loop

#define TILE4X1(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	FEATURES(feature, store) \
	P4((AX), Z8, Z9, Z10, Z11); \
	NEXTFEATURE(feature, store) \
	MOVQ DI, R14; \
	STORE1(Z8); STORE1(Z9); STORE1(Z10); STORE1(Z11); \
	NEXTPANEL(loop)

// Two queries against the panel at mem.
#define P2(mem, a, b) \
	LOAD(mem, Z0); \
	STEP(0, Z0, Z1, a); STEP(1, Z0, Z2, b)

#define TILE2X8(loop, feature, store, next) \
loop: \
	CMPQ R11, $8; \
	JLT  next; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	ZERO8(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	FEATURES(feature, store) \
	P2((AX), Z8, Z16); \
	P2((AX)(R10*1), Z9, Z17); \
	P2((AX)(R10*2), Z10, Z18); \
	P2((AX)(R12*1), Z11, Z19); \
	P2((AX)(R10*4), Z12, Z20); \
	P2((AX)(R13*1), Z13, Z21); \
	P2((AX)(R12*2), Z14, Z22); \
	P2((AX)(R15*1), Z15, Z23); \
	NEXTFEATURE(feature, store) \
	STORE8(DI, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	LEAQ (DI)(R8*1), R14; \
	STORE8(R14, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23); \
	ADDQ $512, DI; \
	LEAQ (DX)(R10*8), DX; \
	SUBQ $8, R11; \
	JMP  loop

#define STORE8(p, a, b, c, d, e, f, g, h) \
	VMOVUPS a, (p); VMOVUPS b, 64(p); VMOVUPS c, 128(p); VMOVUPS d, 192(p); \
	VMOVUPS e, 256(p); VMOVUPS f, 320(p); VMOVUPS g, 384(p); VMOVUPS h, 448(p)

#define TILE2X1(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	FEATURES(feature, store) \
	P2((AX), Z8, Z9); \
	NEXTFEATURE(feature, store) \
	VMOVUPS Z8, (DI); \
	VMOVUPS Z9, (DI)(R8*1); \
	NEXTPANEL(loop)

// One query against the panel at mem.
#define P1(mem, t, a) LOAD(mem, t); STEP(0, t, t, a)

#define TILE1X8(loop, feature, store, next) \
loop: \
	CMPQ R11, $8; \
	JLT  next; \
	ZERO8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	FEATURES(feature, store) \
	P1((AX), Z16, Z8); \
	P1((AX)(R10*1), Z17, Z9); \
	P1((AX)(R10*2), Z18, Z10); \
	P1((AX)(R12*1), Z19, Z11); \
	P1((AX)(R10*4), Z20, Z12); \
	P1((AX)(R13*1), Z21, Z13); \
	P1((AX)(R12*2), Z22, Z14); \
	P1((AX)(R15*1), Z23, Z15); \
	NEXTFEATURE(feature, store) \
	STORE8(DI, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15); \
	ADDQ $512, DI; \
	LEAQ (DX)(R10*8), DX; \
	SUBQ $8, R11; \
	JMP  loop

#define TILE1X1(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	VPXORQ Z8, Z8, Z8; \
	FEATURES(feature, store) \
	P1((AX), Z1, Z8); \
	NEXTFEATURE(feature, store) \
	VMOVUPS Z8, (DI); \
	NEXTPANEL(loop)

#define TILES_AVX512 \
	LEAQ (R10)(R10*2), R12; \
	LEAQ (R10)(R10*4), R13; \
	LEAQ (R12)(R10*4), R15; \
	CMPQ BX, $2; \
	JLT  one8; \
	JEQ  two8; \
	CMPQ BX, $4; \
	JEQ  four4; \
	TILE8X3(ZERO24, eight3, eight3k, eight3s, eight1); \
	TILE8X1(eight1, eight1k, eight1s, done); \
	TILE4X4(four4, four4k, four4s, four1); \
	TILE4X1(four1, four1k, four1s, done); \
	TILE2X8(two8, two8k, two8s, two1); \
	TILE2X1(two1, two1k, two1s, done); \
	TILE1X8(one8, one8k, one8s, one1); \
	TILE1X1(one1, one1k, one1s, done); \
done: \
	VZEROUPPER

// Eight queries × three panels at a time, on from the sums in out.
#define MORE_AVX512 \
	LEAQ (R10)(R10*2), R12; \
	TILE8X3(LOAD24, more, morek, mores, done); \
done: \
	VZEROUPPER

// ---- AVX2: two registers hold a feature of a panel.

#define ZEROY8 \
	VXORPS Y8, Y8, Y8; VXORPS Y9, Y9, Y9; VXORPS Y10, Y10, Y10; VXORPS Y11, Y11, Y11; \
	VXORPS Y12, Y12, Y12; VXORPS Y13, Y13, Y13; VXORPS Y14, Y14, Y14; VXORPS Y15, Y15, Y15

// One query (element i of the feature) against the panel in Y0, Y1.
#define Q1Y(i, t, u, a, b) \
	BC (i*ESZ)(BX), Y2; \
	STEPY(Y2, Y0, t, a); \
	STEPY(Y2, Y1, u, b)

#define STORE1Y(a, b) VMOVUPS a, (R14); VMOVUPS b, 32(R14); ADDQ R8, R14

#define TILE4X1Y(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	ZEROY8; \
	FEATURES(feature, store) \
	VMOVUPS (AX), Y0; \
	VMOVUPS 32(AX), Y1; \
	Q1Y(0, Y3, Y4, Y8, Y9); \
	Q1Y(1, Y5, Y6, Y10, Y11); \
	Q1Y(2, Y3, Y4, Y12, Y13); \
	Q1Y(3, Y5, Y6, Y14, Y15); \
	NEXTFEATURE(feature, store) \
	MOVQ DI, R14; \
	STORE1Y(Y8, Y9); \
	STORE1Y(Y10, Y11); \
	STORE1Y(Y12, Y13); \
	STORE1Y(Y14, Y15); \
	NEXTPANEL(loop)

// Two queries in Y0, Y1 against half a panel at mem.
#define P2Y(mem, a, b) \
	VMOVUPS mem, Y2; \
	STEPY(Y0, Y2, Y3, a); STEPY(Y1, Y2, Y4, b)

#define TILE2X2Y(loop, feature, store, next) \
loop: \
	CMPQ R11, $2; \
	JLT  next; \
	ZEROY8; \
	LEAQ (DX)(R10*1), R12; \
	FEATURES(feature, store) \
	BC (BX), Y0; BC (1*ESZ)(BX), Y1; \
	P2Y((AX), Y8, Y12); \
	P2Y(32(AX), Y9, Y13); \
	P2Y((R12), Y10, Y14); \
	P2Y(32(R12), Y11, Y15); \
	ADDQ $64, R12; \
	NEXTFEATURE(feature, store) \
	LEAQ (DI)(R8*1), R14; \
	VMOVUPS Y8, (DI); VMOVUPS Y9, 32(DI); VMOVUPS Y10, 64(DI); VMOVUPS Y11, 96(DI); \
	VMOVUPS Y12, (R14); VMOVUPS Y13, 32(R14); VMOVUPS Y14, 64(R14); VMOVUPS Y15, 96(R14); \
	ADDQ $128, DI; \
	LEAQ (DX)(R10*2), DX; \
	SUBQ $2, R11; \
	JMP  loop

#define TILE2X1Y(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	ZEROY8; \
	FEATURES(feature, store) \
	BC (BX), Y0; BC (1*ESZ)(BX), Y1; \
	P2Y((AX), Y8, Y12); \
	P2Y(32(AX), Y9, Y13); \
	NEXTFEATURE(feature, store) \
	LEAQ (DI)(R8*1), R14; \
	VMOVUPS Y8, (DI); VMOVUPS Y9, 32(DI); \
	VMOVUPS Y12, (R14); VMOVUPS Y13, 32(R14); \
	NEXTPANEL(loop)

// One query in Y0 against half a panel at mem.
#define P1Y(mem, t, a) VMOVUPS mem, t; STEPY(Y0, t, t, a)

#define TILE1X4Y(loop, feature, store, next) \
loop: \
	CMPQ R11, $4; \
	JLT  next; \
	ZEROY8; \
	LEAQ (DX)(R10*2), R12; \
	FEATURES(feature, store) \
	BC (BX), Y0; \
	P1Y((AX), Y1, Y8); \
	P1Y(32(AX), Y2, Y9); \
	P1Y((AX)(R10*1), Y3, Y10); \
	P1Y(32(AX)(R10*1), Y4, Y11); \
	P1Y((R12), Y5, Y12); \
	P1Y(32(R12), Y6, Y13); \
	P1Y((R12)(R10*1), Y7, Y14); \
	P1Y(32(R12)(R10*1), Y1, Y15); \
	ADDQ $64, R12; \
	NEXTFEATURE(feature, store) \
	VMOVUPS Y8, (DI); VMOVUPS Y9, 32(DI); VMOVUPS Y10, 64(DI); VMOVUPS Y11, 96(DI); \
	VMOVUPS Y12, 128(DI); VMOVUPS Y13, 160(DI); VMOVUPS Y14, 192(DI); VMOVUPS Y15, 224(DI); \
	ADDQ $256, DI; \
	LEAQ (DX)(R10*4), DX; \
	SUBQ $4, R11; \
	JMP  loop

#define TILE1X1Y(loop, feature, store, done) \
loop: \
	TESTQ R11, R11; \
	JZ   done; \
	VXORPS Y8, Y8, Y8; \
	VXORPS Y9, Y9, Y9; \
	FEATURES(feature, store) \
	BC (BX), Y0; \
	P1Y((AX), Y1, Y8); \
	P1Y(32(AX), Y2, Y9); \
	NEXTFEATURE(feature, store) \
	VMOVUPS Y8, (DI); \
	VMOVUPS Y9, 32(DI); \
	NEXTPANEL(loop)

// Three half panels in Y0, Y1, Y2 and query i: inner products only.
#define Q1X3(i, a, b, c) \
	BC (i*ESZ)(BX), Y3; \
	STEPY(Y3, Y0, Y3, a); \
	STEPY(Y3, Y1, Y3, b); \
	STEPY(Y3, Y2, Y3, c)

#define FROMZERO12(off) \
	ZEROY8; \
	VXORPS Y4, Y4, Y4; VXORPS Y5, Y5, Y5; VXORPS Y6, Y6, Y6; VXORPS Y7, Y7, Y7

#define LOAD3Y(off, a, b, c) VMOVUPS off(R14), a; VMOVUPS (off+32)(R14), b; VMOVUPS (off+64)(R14), c; ADDQ R8, R14

#define FROMOUT12(off) \
	MOVQ DI, R14; \
	LOAD3Y(off, Y4, Y5, Y6); \
	LOAD3Y(off, Y7, Y8, Y9); \
	LOAD3Y(off, Y10, Y11, Y12); \
	LOAD3Y(off, Y13, Y14, Y15)

#define HALVES3(m0, m1, m2, feature, store) \
	FEATURES(feature, store) \
	VMOVUPS m0, Y0; VMOVUPS m1, Y1; VMOVUPS m2, Y2; \
	Q1X3(0, Y4, Y5, Y6); \
	Q1X3(1, Y7, Y8, Y9); \
	Q1X3(2, Y10, Y11, Y12); \
	Q1X3(3, Y13, Y14, Y15); \
	NEXTFEATURE(feature, store)

#define STORE3Y(off, a, b, c) VMOVUPS a, off(R14); VMOVUPS b, (off+32)(R14); VMOVUPS c, (off+64)(R14); ADDQ R8, R14

#define STORES3Y(off) \
	MOVQ DI, R14; \
	STORE3Y(off, Y4, Y5, Y6); \
	STORE3Y(off, Y7, Y8, Y9); \
	STORE3Y(off, Y10, Y11, Y12); \
	STORE3Y(off, Y13, Y14, Y15)

// Four queries × three panels, half of these at a time. The twelve sums outlast the latency of a multiply-add, which the
// eight of TILE4X1Y do only if no operation is late.
#define TILE4X3Y(START, loop, featureA, storeA, featureB, storeB, next) \
loop: \
	CMPQ R11, $3; \
	JLT  next; \
	START(0); \
	HALVES3((AX), 32(AX), (AX)(R10*1), featureA, storeA) \
	STORES3Y(0); \
	ADDQ R10, DX; \
	START(96); \
	HALVES3(32(AX), (AX)(R10*1), 32(AX)(R10*1), featureB, storeB) \
	STORES3Y(96); \
	ADDQ $192, DI; \
	LEAQ (DX)(R10*2), DX; \
	SUBQ $3, R11; \
	JMP  loop

// TILES_AVX2 for inner products.
#define DOTS_AVX2 \
	CMPQ BX, $2; \
	JLT  one4; \
	JEQ  two2; \
	TILE4X3Y(FROMZERO12, four3, four3k, four3s, four3l, four3t, four1); \
	TILE4X1Y(four1, four1k, four1s, done); \
	TILE2X2Y(two2, two2k, two2s, two1); \
	TILE2X1Y(two1, two1k, two1s, done); \
	TILE1X4Y(one4, one4k, one4s, one1); \
	TILE1X1Y(one1, one1k, one1s, done); \
done: \
	VZEROUPPER

#define TILES_AVX2 \
	CMPQ BX, $2; \
	JLT  one4; \
	JEQ  two2; \
	TILE4X1Y(four1, four1k, four1s, done); \
	TILE2X2Y(two2, two2k, two2s, two1); \
	TILE2X1Y(two1, two1k, two1s, done); \
	TILE1X4Y(one4, one4k, one4s, one1); \
	TILE1X1Y(one1, one1k, one1s, done); \
done: \
	VZEROUPPER

// Four queries × three panels at a time, on from the sums in out.
#define MORE_AVX2 \
	TILE4X3Y(FROMOUT12, more, morek, mores, morel, moret, done); \
done: \
	VZEROUPPER
