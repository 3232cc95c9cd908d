// Vector floating-point instructions that Go's assembler does not know: d = n op m. The element type is 2D or 4S.

#define FADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB2D(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX2D(m, n, d) WORD $(0x4E60F400 | (m)<<16 | (n)<<5 | (d))
#define FADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB4S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX4S(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))

// d = |n − m|
#define FABD2D(m, n, d) WORD $(0x6EE0D400 | (m)<<16 | (n)<<5 | (d))
#define FABD4S(m, n, d) WORD $(0x6EA0D400 | (m)<<16 | (n)<<5 | (d))

// d = √n, d = min(n, m), d = −n
#define FSQRT2D(n, d) WORD $(0x6EE1F800 | (n)<<5 | (d))
#define FSQRT4S(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d))
#define FMIN2D(m, n, d) WORD $(0x4EE0F400 | (m)<<16 | (n)<<5 | (d))
#define FMIN4S(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))
#define FNEG2D(n, d) WORD $(0x6EE0F800 | (n)<<5 | (d))

// d = all ones where n > m, else 0
#define FCMGT2D(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))
#define FCMGT4S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))
