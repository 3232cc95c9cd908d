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

// Four rows a, b, c, d: in every 128-bit block, transpose the 4×4 elements.
#define ELEMENTS4(a, b, c, d, t, u, v, w) \
	VUNPCKLPS b, a, t; VUNPCKHPS b, a, u; \
	VUNPCKLPS d, c, v; VUNPCKHPS d, c, w; \
	VUNPCKLPD v, t, a; VUNPCKHPD v, t, b; \
	VUNPCKLPD w, u, c; VUNPCKHPD w, u, d
