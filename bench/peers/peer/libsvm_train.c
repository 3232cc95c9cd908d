/*
 * Times LIBSVM's training (RBF kernel) in process, without file reading.
 *
 *   libsvm_train FILE C GAMMA EPS REPS [SECONDS [KIND NU P]]
 *
 * FILE is in LIBSVM's format. Settings are those of svm-train: 100 MB of cache,
 * shrinking. Prints the best seconds and processor time, the dual objective recomputed in double
 * precision from the model, the objective that LIBSVM printed, support vectors and
 * iterations. SECONDS end the process, 0 never; a timer of processor time would make that clock count in ticks of 4 ms.
 * KIND is svm-train's -s, C-SVC without it.
 */
#include <libsvm/svm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static double printed;
static long iterations;

static void listen(const char *s)
{
	const char *p;
	if ((p = strstr(s, "obj = "))) printed = atof(p + 6);
	if ((p = strstr(s, "#iter = "))) iterations = atol(p + 8);
}

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static struct svm_problem load(const char *path)
{
	struct svm_problem p = {0};
	size_t cap = 0;
	char *line = NULL, *s, *end;
	FILE *f = fopen(path, "r");
	if (!f) { perror(path); exit(1); }
	while (getline(&line, &cap, f) > 0) {
		struct svm_node *x;
		int n = 1;
		if (p.l % 1024 == 0) {
			p.y = realloc(p.y, (p.l + 1024) * sizeof *p.y);
			p.x = realloc(p.x, (p.l + 1024) * sizeof *p.x);
		}
		for (s = line; *s; s++) n += *s == ':';
		x = p.x[p.l] = malloc(n * sizeof *x);
		p.y[p.l++] = strtod(line, &s);
		for (; (end = strchr(s, ':')); x++) {
			x->index = atoi(s);
			x->value = strtod(end + 1, &s);
		}
		x->index = -1;
	}
	fclose(f);
	free(line);
	return p;
}

static double kernel(const struct svm_node *x, const struct svm_node *z, double gamma)
{
	double s = 0, d;
	while (x->index != -1 || z->index != -1) {
		if (z->index == -1 || (x->index != -1 && x->index < z->index)) d = x++->value;
		else if (x->index == -1 || z->index < x->index) d = z++->value;
		else d = x++->value - z++->value;
		s += d * d;
	}
	return exp(-gamma * s);
}

/* sum |a| - a'Ka/2 of the model's coefficients. */
static double objective(const struct svm_model *m, double gamma)
{
	double o = 0;
	for (int i = 0; i < m->l; i++) {
		double a = m->sv_coef[0][i], s = 0;
		for (int j = 0; j < i; j++) s += m->sv_coef[0][j] * kernel(m->SV[i], m->SV[j], gamma);
		o += fabs(a) - a * (s + 0.5 * a);
	}
	return o;
}

int main(int argc, char **argv)
{
	if (argc < 6) { fprintf(stderr, "usage: libsvm_train FILE C GAMMA EPS REPS [SECONDS [KIND NU P]]\n"); return 2; }
	struct svm_problem prob = load(argv[1]);
	struct svm_parameter par = {.svm_type = C_SVC, .kernel_type = RBF, .C = atof(argv[2]), .gamma = atof(argv[3]),
		.eps = atof(argv[4]), .cache_size = 100, .shrinking = 1};
	struct svm_model *m = NULL;
	double best = HUGE_VAL, least = HUGE_VAL, t, cpu;
	svm_set_print_string_function(listen);
	if (argc > 9) {
		par.svm_type = atoi(argv[7]);
		par.nu = atof(argv[8]);
		par.p = atof(argv[9]);
	}
	if (argc > 6 && atoi(argv[6])) setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = atoi(argv[6])}, NULL);
	for (int r = atoi(argv[5]); r > 0; r--) {
		if (m) svm_free_and_destroy_model(&m);
		t = now(CLOCK_MONOTONIC);
		cpu = now(CLOCK_PROCESS_CPUTIME_ID);
		m = svm_train(&prob, &par);
		cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		t = now(CLOCK_MONOTONIC) - t;
		if (t < best) best = t;
		if (cpu < least) least = cpu;
	}
	printf("seconds %.6f\nprocessor %.6f\nobjective %.12g\nprinted %.12g\nsv %d\niterations %ld\n", best, least, objective(m, par.gamma), -printed, m->l, iterations);
	return 0;
}
