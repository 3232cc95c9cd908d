// Nanoseconds for one support vector in LIBSVM's svm_predict_values, and for one
// entry of the kernel row that its training computes, single-threaded:
//
//	gram_libsvm n reps d...      prints "d predict row" a line
//
// The model is one-class with n support vectors, so that a prediction is n kernel
// values and their weighted sum. The training row is measured on svm_train itself:
// two trainings that differ only in the number of rows computed would mix in the
// solver, so the row is Kernel::kernel_rbf's work instead, transcribed: a sparse dot
// product of two node lists, the stored squares, exp, a float result.
#include <math.h>
#include <libsvm/svm.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double normal(void) {
	double u = (rand() + 1.0) / (RAND_MAX + 2.0), v = rand() / (RAND_MAX + 1.0);
	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static struct svm_node *points(int n, int d) {
	struct svm_node *x = malloc(sizeof *x * n * (d + 1));
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < d; k++) {
			x[i * (d + 1) + k].index = k + 1;
			x[i * (d + 1) + k].value = normal();
		}
		x[i * (d + 1) + d].index = -1;
	}
	return x;
}

static double dot(const struct svm_node *px, const struct svm_node *py) {
	double sum = 0;
	while (px->index != -1 && py->index != -1) {
		if (px->index == py->index) {
			sum += px->value * py->value;
			++px;
			++py;
		} else if (px->index > py->index)
			++py;
		else
			++px;
	}
	return sum;
}

int main(int argc, char **argv) {
	int n = atoi(argv[1]), reps = atoi(argv[2]);
	for (int a = 3; a < argc; a++) {
		int d = atoi(argv[a]), queries = d > 100 ? 4 : 50;
		double gamma = 0.5 / d;
		struct svm_node *x = points(n, d);
		struct svm_node **sv = malloc(sizeof *sv * n);
		double *coef = malloc(sizeof *coef * n), *square = malloc(sizeof *square * n), rho = 0, sink = 0;
		float *row = malloc(sizeof *row * n);
		for (int i = 0; i < n; i++) {
			sv[i] = x + (size_t)i * (d + 1);
			coef[i] = normal();
			square[i] = dot(sv[i], sv[i]);
		}
		struct svm_model m = {0};
		m.param.svm_type = ONE_CLASS;
		m.param.kernel_type = RBF;
		m.param.gamma = gamma;
		m.nr_class = 2;
		m.l = n;
		m.SV = sv;
		m.sv_coef = &coef;
		m.rho = &rho;
		double predict = 1e9, rows = 1e9;
		for (int r = 0; r < reps; r++) {
			double t = now(), f;
			for (int q = 0; q < queries; q++) {
				svm_predict_values(&m, sv[q], &f);
				sink += f;
			}
			t = (now() - t) / queries / n;
			if (t < predict) predict = t;
			t = now();
			for (int q = 0; q < queries; q++) {
				for (int j = 0; j < n; j++)
					row[j] = (float)exp(-gamma * (square[q] + square[j] - 2 * dot(sv[q], sv[j])));
				sink += row[q + 1];
			}
			t = (now() - t) / queries / n;
			if (t < rows) rows = t;
		}
		printf("%d %.4f %.4f\n", d, predict * 1e9, rows * 1e9);
		if (sink == 12345) puts("");
		free(x);
		free(sv);
		free(coef);
		free(square);
		free(row);
	}
}
