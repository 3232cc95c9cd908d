// One decision of an RBF machine, scaling included, as one would write it in C. Arguments: bursts, then
// vectors and features of each model. Prints "ns ns" a model: vectors in rows, and feature by
// feature, each with the loops that suit it; best of the bursts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROWS 256
#define MOST 1024

typedef struct {
	int n, d;
	double gamma, bias, *x, *coef, *center, *spread;
} model;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline)) static double by_row(const model *m, const double *x) {
	double q[MOST], s[MOST], f = 0;
	for (int k = 0; k < m->d; k++) q[k] = (x[k] - m->center[k]) / m->spread[k];
	for (int j = 0; j < m->n; j++) {
		double a = 0;
		for (int k = 0; k < m->d; k++) a += (q[k] - m->x[j * m->d + k]) * (q[k] - m->x[j * m->d + k]);
		s[j] = a;
	}
	for (int j = 0; j < m->n; j++) f += m->coef[j] * exp(-m->gamma * s[j]);
	return f + m->bias;
}

__attribute__((noinline)) static double by_feature(const model *m, const double *x) {
	double s[MOST], f = 0;
	for (int j = 0; j < m->n; j++) s[j] = 0;
	for (int k = 0; k < m->d; k++) {
		double q = (x[k] - m->center[k]) / m->spread[k];
		for (int j = 0; j < m->n; j++) s[j] += (q - m->x[k * m->n + j]) * (q - m->x[k * m->n + j]);
	}
	for (int j = 0; j < m->n; j++) f += m->coef[j] * exp(-m->gamma * s[j]);
	return f + m->bias;
}

static double *values(int n, double low, double high) {
	double *v = malloc(n * sizeof *v);
	for (int i = 0; i < n; i++) v[i] = low + (high - low) * rand() / RAND_MAX;
	return v;
}

static volatile double sink;

static double best(double (*f)(const model *, const double *), const model *m, const double *x, int bursts) {
	double least = INFINITY;
	for (int b = 0; b < bursts; b++) {
		double t = now(), sum = 0;
		for (int rep = 0; rep < 40; rep++)
			for (int i = 0; i < ROWS; i++) sum += f(m, x + i * m->d);
		t = (now() - t) / (40 * ROWS) * 1e9;
		sink = sum;
		if (t < least) least = t;
	}
	return least;
}

int main(int argc, char **argv) {
	for (int i = 2; i + 1 < argc; i += 2) {
		model m = {.n = atoi(argv[i]), .d = atoi(argv[i + 1]), .bias = 0.1};
		if (m.n > MOST || m.d > MOST) return 1;
		m.gamma = 0.5 / m.d;
		m.x = values(m.n * m.d, -1, 1);
		m.coef = values(m.n, -1, 1);
		m.center = values(m.d, -1, 1);
		m.spread = values(m.d, 1, 2);
		double *x = values(ROWS * m.d, -3, 3);
		printf("%.2f", best(by_row, &m, x, atoi(argv[1])));
		printf(" %.2f\n", best(by_feature, &m, x, atoi(argv[1])));
	}
}
