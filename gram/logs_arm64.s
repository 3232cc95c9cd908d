//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The logarithm of the rational quadratic kernel: log1p of matern.go, operation by operation, so that the bits are the
// same. FCMGT is false for NaN.

#define FDIV2D(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))

#define CONSTANT(value, r) MOVD $value, R3; VDUP R3, r.D2

// func logs64NEON(dst, src *float64, n int, ratio, alpha float64)
TEXT ·logs64NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD ratio+24(FP), R3
	VDUP R3, V13.D2
	MOVD alpha+32(FP), R3
	VDUP R3, V14.D2
	CONSTANT(0x3ff0000000000000, V15) // 1
	CONSTANT(0x7fefffffffffffff, V16) // the largest number
	CONSTANT(0x3fe6a09e667f3bcd, V17) // the bits of √½
	CONSTANT(0x000fffffffffffff, V18) // fraction
	CONSTANT(0x4330000000000000, V19) // 2⁵²
	CONSTANT(0x4000000000000000, V20) // 2
	CONSTANT(0x3fe0000000000000, V21) // ½
	CONSTANT(0x3fe62e42fee00000, V22) // ln2Hi
	CONSTANT(0x3dea39ef35793c76, V23) // ln2Lo
	CONSTANT(0x3fe5555555555593, V24) // l1 to l7
	CONSTANT(0x3fd999999997fa04, V25)
	CONSTANT(0x3fd2492494229359, V26)
	CONSTANT(0x3fcc71c51d8e78af, V27)
	CONSTANT(0x3fc7466496cb03de, V28)
	CONSTANT(0x3fc39a09d078c69f, V29)
	CONSTANT(0x3fc2f112df3e5244, V30)

two:
	VLD1.P 16(R1), [V0.D2]
	FMUL2D(13, 0, 0)
	FADD2D(15, 0, 1) // u
	FSUB2D(15, 1, 2)
	FSUB2D(2, 0, 2)
	FDIV2D(1, 2, 2) // lost
	VSUB V17.D2, V1.D2, V3.D2
	VUSHR $52, V3.D2, V4.D2
	VORR V19.B16, V4.B16, V4.B16
	FSUB2D(19, 4, 4) // n
	VAND V18.B16, V3.B16, V3.B16
	VADD V17.D2, V3.D2, V3.D2
	FSUB2D(15, 3, 3) // f
	FADD2D(20, 3, 5)
	FDIV2D(5, 3, 5) // s
	FMUL2D(5, 5, 6) // z
	FMUL2D(6, 6, 7) // w
	FMUL2D(29, 7, 8)
	FADD2D(27, 8, 8)
	FMUL2D(7, 8, 8)
	FADD2D(25, 8, 8)
	FMUL2D(7, 8, 8) // even
	FMUL2D(30, 7, 9)
	FADD2D(28, 9, 9)
	FMUL2D(7, 9, 9)
	FADD2D(26, 9, 9)
	FMUL2D(7, 9, 9)
	FADD2D(24, 9, 9)
	FMUL2D(6, 9, 9) // odd
	FMUL2D(21, 3, 10)
	FMUL2D(3, 10, 10) // square
	FADD2D(9, 8, 8)
	FADD2D(8, 10, 8)
	FMUL2D(5, 8, 8)
	FMUL2D(23, 4, 9)
	FADD2D(2, 9, 9)
	FADD2D(9, 8, 8) // tail
	FMUL2D(22, 4, 4)
	FSUB2D(8, 10, 10)
	FSUB2D(3, 10, 10)
	FSUB2D(10, 4, 4)
	FCMGT2D(0, 16, 1)
	VBSL V0.B16, V4.B16, V1.B16
	FMUL2D(14, 1, 1)
	VST1.P [V1.D2], 16(R0)
	SUBS $2, R2
	BNE  two
	RET
