// What one core can do at most, by loops that have nothing in common with sparsekm's: register-only multiply-adds of
// doubles, and loads of buffers whose sizes in bytes are the arguments. Prints GFLOP/s, then GB/s of each buffer: the
// best of many bursts, of the last buffer, which is memory's, the median.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef double vd __attribute__((vector_size(BYTES)));
#define LANES (BYTES / 8)

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define STEP(i) a##i = a##i * x + y; __asm__ volatile("" : "+v"(a##i));
static double fma_burst(void) {
	vd x = {0}, y = {0}, a0 = {0}, a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0, a11 = a0;
	long n = 20000;
	__asm__("" : "+v"(x), "+v"(y));
	double t = now();
	for (long i = 0; i < n; i++) {
		STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)
	}
	return 2.0 * 12 * LANES * n / (now() - t) / 1e9;
}

// One load an instruction, whose value nothing waits for.
static void touch(const char *p, size_t n) {
	for (size_t i = 0; i < n; i += 8 * BYTES) {
		const vd *v = (const vd *)(p + i);
		for (int k = 0; k < 8; k++) {
			vd got = v[k];
			__asm__ volatile("" : : "v"(got));
		}
	}
}

static double read_burst(const char *p, size_t n, size_t *at, size_t whole) {
	size_t calls = n == whole ? 1 + (1 << 20) / n : 1;
	double t = now();
	for (size_t c = 0; c < calls; c++) touch(p + *at, n);
	t = now() - t;
	if (n < whole) *at = (*at + n) % whole;
	return (double)n * calls / t / 1e9;
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	enum { bursts = 2000 };
	static double rate[bursts];
	double best = 0;
	for (int i = 0; i < bursts; i++) {
		double r = fma_burst();
		if (r > best) best = r;
	}
	printf("%.4g", best);
	for (int a = 1; a < argc; a++) {
		size_t n = strtoull(argv[a], 0, 10);
		char *p = aligned_alloc(4096, n);
		memset(p, 1, n);
		int last = a == argc - 1;
		size_t at = 0, part = last ? 4 << 20 : n;
		for (int i = 0; i < bursts; i++) rate[i] = read_burst(p, part, &at, n);
		qsort(rate, bursts, sizeof rate[0], by_value);
		printf(" %.4g", rate[last ? bursts / 2 : bursts - 1]);
		free(p);
	}
	printf("\n");
}
