// SUMS4 leaves the sums of the lanes of four registers in a.
#define SUMS4(a, b, c, d) \
	VHADDPD b, a, a; /* a0+a1  b0+b1  a2+a3  b2+b3 */ \
	VHADDPD d, c, c; /* c0+c1  d0+d1  c2+c3  d2+d3 */ \
	VPERM2F128 $0x21, c, a, b; /* a2+a3  b2+b3  c0+c1  d0+d1 */ \
	VBLENDPD $12, c, a, a; /* a0+a1  b0+b1  c2+c3  d2+d3 */ \
	VADDPD  b, a, a

// HALVES adds the upper half of Z to the lower, Y, by way of T.
#define HALVES(Z, Y, T) \
	VEXTRACTF64X4 $1, Z, T; \
	VADDPD T, Y, Y
