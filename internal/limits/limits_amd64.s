//go:build !purego

#include "textflag.h"

#define ZERO4(a, b, c, d) \
	VXORPD a, a, a; \
	VXORPD b, b, b; \
	VXORPD c, c, c; \
	VXORPD d, d, d

#define FMA4(x, y, a, b, c, d) \
	VFMADD231PD x, y, a; \
	VFMADD231PD x, y, b; \
	VFMADD231PD x, y, c; \
	VFMADD231PD x, y, d

#define FMA12(x, y) \
	FMA4(x, y, Y0, Y1, Y2, Y3); \
	FMA4(x, y, Y4, Y5, Y6, Y7); \
	FMA4(x, y, Y8, Y9, Y10, Y11)

// READ reads n bytes, whole blocks of eight vectors of VB bytes, times times.
#define READ(VB, a, b, c, d, e, f, g, h) \
	MOVQ p+0(FP), DI; \
	MOVQ n+8(FP), DX; \
	MOVQ times+16(FP), BX; \
again: \
	MOVQ DI, SI; \
	MOVQ DX, CX; \
	PCALIGN $64; \
turn: \
	VMOVUPD (SI), a; \
	VMOVUPD (1*VB)(SI), b; \
	VMOVUPD (2*VB)(SI), c; \
	VMOVUPD (3*VB)(SI), d; \
	VMOVUPD (4*VB)(SI), e; \
	VMOVUPD (5*VB)(SI), f; \
	VMOVUPD (6*VB)(SI), g; \
	VMOVUPD (7*VB)(SI), h; \
	ADDQ $(8*VB), SI; \
	SUBQ $(8*VB), CX; \
	JG turn; \
	DECQ BX; \
	JG again; \
	VZEROUPPER; \
	RET

// WRITE writes zeros past the caches.
#define WRITE(VB, v) \
	MOVQ p+0(FP), DI; \
	MOVQ n+8(FP), CX; \
	VXORPD v, v, v; \
	PCALIGN $64; \
turn: \
	VMOVNTPD v, (DI); \
	VMOVNTPD v, (1*VB)(DI); \
	VMOVNTPD v, (2*VB)(DI); \
	VMOVNTPD v, (3*VB)(DI); \
	VMOVNTPD v, (4*VB)(DI); \
	VMOVNTPD v, (5*VB)(DI); \
	VMOVNTPD v, (6*VB)(DI); \
	VMOVNTPD v, (7*VB)(DI); \
	ADDQ $(8*VB), DI; \
	SUBQ $(8*VB), CX; \
	JG turn; \
	SFENCE; \
	VZEROUPPER; \
	RET

// func fmaAVX2(n int)
TEXT ·fmaAVX2(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	ZERO4(Y8, Y9, Y10, Y11)
	ZERO4(Y12, Y13, Y14, Y15)
	TESTQ CX, CX
	JZ done

	PCALIGN $64
turn:
	FMA12(Y12, Y13)
	FMA12(Y12, Y13)
	DECQ CX
	JNZ turn

done:
	VZEROUPPER
	RET

// func fmaAVX512(n int)
TEXT ·fmaAVX512(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	ZERO4(Z16, Z17, Z18, Z19)
	ZERO4(Z20, Z21, Z22, Z23)
	VXORPD Z24, Z24, Z24
	VXORPD Z25, Z25, Z25
	TESTQ CX, CX
	JZ done

	PCALIGN $64
turn:
	FMA4(Z24, Z25, Z0, Z1, Z2, Z3)
	FMA4(Z24, Z25, Z4, Z5, Z6, Z7)
	FMA4(Z24, Z25, Z8, Z9, Z10, Z11)
	FMA4(Z24, Z25, Z12, Z13, Z14, Z15)
	FMA4(Z24, Z25, Z16, Z17, Z18, Z19)
	FMA4(Z24, Z25, Z20, Z21, Z22, Z23)
	DECQ CX
	JNZ turn

done:
	VZEROUPPER
	RET

// func readAVX2(p *byte, n, times int)
TEXT ·readAVX2(SB), NOSPLIT, $0-24
	READ(32, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

// func readAVX512(p *byte, n, times int)
TEXT ·readAVX512(SB), NOSPLIT, $0-24
	READ(64, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)

// func writeAVX2(p *byte, n int)
TEXT ·writeAVX2(SB), NOSPLIT, $0-16
	WRITE(32, Y0)

// func writeAVX512(p *byte, n int)
TEXT ·writeAVX512(SB), NOSPLIT, $0-16
	WRITE(64, Z0)
