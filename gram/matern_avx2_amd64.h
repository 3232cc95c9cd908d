// Values of the Matérn kernels, min(1, e^x (1 + x(first + second·x))) with x = max(−√(scale·sum), −1000): square roots
// are taken while exp multiplies. NaN stays NaN: it is the second operand of MAX and MIN. The macros go with those of
// exp_avx2_amd64.h and serve both element types.

DATA sign<>+0(SB)/8, $0x8000000000000000
GLOBL sign<>(SB), RODATA|NOPTR, $8
DATA far64<>+0(SB)/8, $0xc08f400000000000 // −1000
GLOBL far64<>(SB), RODATA|NOPTR, $8

// x of a register of scaled sums. Y9 has −0 in each lane, Y8 the least x.
#define ROOT(x) SQRT x, x; VXORPS x, Y9, x; MAX x, Y8, x

// Multiply e^x in a register by 1 + x(first + second·x), with x at mem, and store it there. Y4 has first, Y5 second,
// Y6 1.
#define BEND(e, mem) \
	VMOVUPS mem, Y0; \
	VMOVAPS Y4, Y7; \
	FMA231 Y0, Y5, Y7; \
	FMA213 Y6, Y0, Y7; \
	MUL e, Y7, e; \
	MIN e, Y6, e; \
	VMOVUPS e, mem

// The definitions for float64.

#define BROADCAST VBROADCASTSD
#define SQRT VSQRTPD
#define MIN VMINPD
#define SIGN sign<>(SB)
#define FAR far64<>(SB)
