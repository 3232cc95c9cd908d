// Masks that clear the sign.

DATA abs64<>+0(SB)/8, $0x7fffffffffffffff
DATA abs64<>+8(SB)/8, $0x7fffffffffffffff
DATA abs64<>+16(SB)/8, $0x7fffffffffffffff
DATA abs64<>+24(SB)/8, $0x7fffffffffffffff
GLOBL abs64<>(SB), RODATA|NOPTR, $32

DATA abs32<>+0(SB)/8, $0x7fffffff7fffffff
DATA abs32<>+8(SB)/8, $0x7fffffff7fffffff
DATA abs32<>+16(SB)/8, $0x7fffffff7fffffff
DATA abs32<>+24(SB)/8, $0x7fffffff7fffffff
GLOBL abs32<>(SB), RODATA|NOPTR, $32
