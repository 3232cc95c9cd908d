// Vectors of four float64, for text that serves two widths: V0.. are registers, VB is the bytes of a vector.

#define VB 32
#define ZERO(v) VXORPD v, v, v
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15
