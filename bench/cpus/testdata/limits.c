// Limits of a processor, as sparsekm bench measures them: gcc -O3 -march=native limits.c -o limits
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

#ifdef __AVX512F__
typedef __m512d vec;
#else
typedef __m256d vec;
#endif
#define LANES ((long)(sizeof(vec) / sizeof(double)))
#define SUMS 12

// Multiply-adds that do not wait for one another.
#define STEP(a) __asm__ volatile("vfmadd231pd %1, %2, %0" : "+v"(a) : "v"(x), "v"(y))
static double fma_peak(void) {
  double best = 0;
  vec x, y, a, b, c, d, e, f, g, h, i, j, k, l;
  memset(&x, 0, sizeof x);
  y = a = b = c = d = e = f = g = h = i = j = k = l = x;
  for (int r = 0; r < 5000; r++) {
    double t = now();
    for (int n = 0; n < 2000; n++) {
      STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f);
      STEP(g); STEP(h); STEP(i); STEP(j); STEP(k); STEP(l);
    }
    t = now() - t;
    double rate = 2.0 * LANES * SUMS * 2000 / t / 1e9;
    if (rate > best) best = rate;
  }
  return best;
}

// Sums of a buffer; *end of the last sum keeps the loads.
static vec total;
static void sum(const double *p, long bytes) {
  vec s[8];
  memset(s, 0, sizeof s);
  for (const double *e = p + bytes / 8; p < e; p += 8 * LANES)
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) s[j] += *(const vec *)(p + j * LANES);
  for (int j = 0; j < 8; j++) total += s[j];
}

static int cmp(const void *a, const void *b) { double d = *(double *)a - *(double *)b; return d < 0 ? -1 : d > 0; }

int main(int argc, char **argv) {
  printf("fma %.4g GFLOP/s\n", fma_peak());
  long largest = 1 << 20;
  for (int i = 1; i < argc; i++) if (atol(argv[i]) * 1024 > largest) largest = atol(argv[i]) * 1024;
  double *buffer = aligned_alloc(4096, largest);
  for (long i = 0; i < largest / 8; i++) buffer[i] = 1;
  for (int i = 1; i < argc; i++) {  // KiB; the last one is memory
    long bytes = atol(argv[i]) * 1024, piece = 4 << 20;
    if (i == argc - 1) {
      double times[4096]; int n = 0;
      for (int r = 0; r < 4; r++)
        for (long at = 0; at + piece <= bytes && n < 4096; at += piece) {
          double t = now(); sum(buffer + at / 8, piece); times[n++] = now() - t;
        }
      qsort(times, n, sizeof *times, cmp);
      printf("%ld KiB %.4g GB/s (median)\n", bytes >> 10, piece / times[n / 2] / 1e9);
      break;
    }
    int calls = 1 + 1000000 / bytes;
    double best = 0;
    for (int r = 0; r < 500; r++) {
      double t = now();
      for (int c = 0; c < calls; c++) sum(buffer, bytes);
      t = now() - t;
      double rate = (double)bytes * calls / t / 1e9;
      if (rate > best) best = rate;
    }
    printf("%ld KiB %.4g GB/s\n", bytes >> 10, best);
  }
  return total[0] < 0;
}
