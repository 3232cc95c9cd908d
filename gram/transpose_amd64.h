// BLOCKS4 transposes the 4×4 matrix of 128-bit blocks in the rows a, b, c, d.
// t, u, v, w are free.
#define BLOCKS4(a, b, c, d, t, u, v, w) \
	VSHUFF64X2 $0x88, b, a, t; \
	VSHUFF64X2 $0xdd, b, a, u; \
	VSHUFF64X2 $0x88, d, c, v; \
	VSHUFF64X2 $0xdd, d, c, w; \
	VSHUFF64X2 $0x88, v, t, a; \
	VSHUFF64X2 $0x88, w, u, b; \
	VSHUFF64X2 $0xdd, v, t, c; \
	VSHUFF64X2 $0xdd, w, u, d
