// The fused multiply-add peak of one core: a register-only loop, GFLOP/s in
// double and in single precision at the widest registers the compiler targets.
#include <stdio.h>
#include <time.h>
#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef double vd __attribute__((vector_size(BYTES)));
typedef float vf __attribute__((vector_size(BYTES)));

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Twelve independent chains; the empty asm keeps each in a register.
#define STEP(i) a##i = a##i * x + y; __asm__ volatile("" : "+v"(a##i));
#define PEAK(name, V) \
	static double name(void) { \
		double best = 0; \
		for (int rep = 0; rep < 20; rep++) { \
			V x = {0}, y = {0}, a0 = {0}, a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0, a11 = a0; \
			long n = 1000000; \
			x = x + 1; y = y + (__typeof__(x[0]))1e-9; \
			__asm__("" : "+v"(x), "+v"(y)); \
			double t = now(); \
			for (long i = 0; i < n; i++) { \
				STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11) \
			} \
			double g = 2.0 * 12 * n * sizeof(V) / sizeof x[0] / (now() - t) / 1e9; \
			if (g > best) best = g; \
		} \
		return best; \
	}
PEAK(peak64, vd)
PEAK(peak32, vf)

int main(void) { printf("%.2f %.2f\n", peak64(), peak32()); }
