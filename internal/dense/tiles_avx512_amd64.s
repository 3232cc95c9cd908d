//go:build !purego

#include "textflag.h"
#include "zmm_amd64.h"
#include "tiles_amd64.h"

// BX is the number of columns left, in bytes. K1 masks the lanes of a last half vector.

// func mulRows4AVX512(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)
TEXT ·mulRows4AVX512(SB), NOSPLIT, $0-136
	ROWARGS
	SUBQ $128, BX
	JLT  half
columns:
	COLUMNS
	SUBQ $128, BX
	JGE  columns
half:
	ADDQ $128, BX
	JZ   done
	START
	FIRSTROW
halfrows:
	VMOVUPD (R11), Z8
	LOADQ
	VFMADD231PD Z8, Z10, Z0
	VFMADD231PD Z8, Z11, Z1
	VFMADD231PD Z8, Z12, Z2
	VFMADD231PD Z8, Z13, Z3
	NEXTROW(halfrows)
	LEAQ (DI)(AX*1), R11
	VMOVUPD Z0, (R11)
	ADDQ R8, R11
	VMOVUPD Z1, (R11)
	ADDQ R8, R11
	VMOVUPD Z2, (R11)
	ADDQ R8, R11
	VMOVUPD Z3, (R11)
done:
	VZEROUPPER
	RET

// func addDots42AVX512(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)
TEXT ·addDots42AVX512(SB), NOSPLIT, $0-104
	DOTARGS
	SUBQ $64, BX
	JLT  last
	PCALIGN $32
loop:
	DOTS
	SUBQ $64, BX
	JGE  loop
last:
	ADDQ $64, BX
	JZ   sums
	MOVL $15, R11
	KMOVB R11, K1
	VMOVUPD.Z (DX)(AX*1), K1, Z8
	VMOVUPD.Z (CX)(AX*1), K1, Z9
	VMOVUPD.Z (SI)(AX*1), K1, Z10
	VMOVUPD.Z (R8)(AX*1), K1, Z11
	VMOVUPD.Z (R9)(AX*1), K1, Z12
	VMOVUPD.Z (R10)(AX*1), K1, Z13
	FMAS8
sums:
	HALVES(Z0, Y0, Y8)
	HALVES(Z1, Y1, Y8)
	HALVES(Z2, Y2, Y8)
	HALVES(Z3, Y3, Y8)
	HALVES(Z4, Y4, Y8)
	HALVES(Z5, Y5, Y8)
	HALVES(Z6, Y6, Y8)
	HALVES(Z7, Y7, Y8)
	OUT2

// func scaleAVX512(y, x []float64)
TEXT ·scaleAVX512(SB), NOSPLIT, $0-48
	SCALEARGS
	SUBQ $16, BX
	JLT  last
	PCALIGN $32
loop:
	SCALE2
	SUBQ $16, BX
	JGE  loop
last:
	ADDQ $16, BX
	JZ   done
	VMOVUPD (DI)(AX*8), Z0
	VMULPD (SI)(AX*8), Z0, Z0
	VMOVUPD Z0, (DI)(AX*8)
done:
	VZEROUPPER
	RET
