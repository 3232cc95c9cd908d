// Vector floating-point instructions that Go's assembler does not know.

// d = n op m, two float64.
#define FADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))

// d = {n[0]+n[1], m[0]+m[1]}, two float64.
#define FADDP2D(m, n, d) WORD $(0x6E60D400 | (m)<<16 | (n)<<5 | (d))

// d = the lower, the upper two of four float32 in n, as float64.
#define FCVTL2D(n, d) WORD $(0x0E617800 | (n)<<5 | (d))
#define FCVTLHIGH2D(n, d) WORD $(0x4E617800 | (n)<<5 | (d))

// d += n·m[0], d += n·m[1], two float64.
#define FMLA2DLANE0(m, n, d) WORD $(0x4FC01000 | (m)<<16 | (n)<<5 | (d))
#define FMLA2DLANE1(m, n, d) WORD $(0x4FC01800 | (m)<<16 | (n)<<5 | (d))

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16
