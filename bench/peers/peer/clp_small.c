/* clp_small FILE RIGHTS: the linear program of FILE (the format of writeRaw in lp.go) by CLP's dual and primal simplex
 * again and again, each time from the last basis, with the upper bounds of its rows that RIGHTS lists, a program after
 * the other. Prints one line a method: name, status, sum of the objectives, seconds of processor time, iterations. The
 * best of three runs counts. */
#include <coin/Clp_C_Interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *take(FILE *f, size_t size, size_t count) {
    void *p = malloc(size * count + 1);
    if (fread(p, size, count, f) != count) {
        fprintf(stderr, "clp_small: the file is too short\n");
        exit(1);
    }
    return p;
}

static FILE *must_open(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    FILE *f = must_open(argv[1]);
    int64_t *d = take(f, 8, 3);
    int m = d[0], n = d[1];
    double *c = take(f, 8, n), *lo = take(f, 8, n), *up = take(f, 8, n), *rlo = take(f, 8, m), *rup = take(f, 8, m);
    int32_t *s = take(f, 4, n + 1);
    CoinBigIndex *start = malloc(sizeof *start * (n + 1));
    for (int j = 0; j <= n; j++) start[j] = s[j];
    int *index = take(f, 4, d[2]);
    double *value = take(f, 8, d[2]);
    fclose(f);
    f = must_open(argv[2]);
    fseek(f, 0, SEEK_END);
    long count = ftell(f) / 8 / m;
    rewind(f);
    double *rights = take(f, 8, count * m);
    for (int primal = 0; primal < 2; primal++) {
        Clp_Simplex *p = Clp_newModel();
        Clp_setLogLevel(p, 0);
        Clp_loadProblem(p, n, m, start, index, value, lo, up, c, rlo, rup);
        double best = 1e300, sum;
        long iterations;
        int status = 0;
        for (int run = 0; run < 3; run++) {
            sum = 0, iterations = 0;
            double t = now();
            for (long k = 0; k < count; k++) {
                Clp_chgRowUpper(p, rights + k * m);
                primal ? Clp_primal(p, 0) : Clp_dual(p, 0);
                sum += Clp_objectiveValue(p);
                iterations += Clp_numberIterations(p);
                status |= Clp_status(p);
            }
            t = now() - t;
            if (t < best) best = t;
        }
        printf("%s %d %.15g %.9f %ld\n", primal ? "clp-primal" : "clp-dual", status, sum, best, iterations);
        Clp_deleteModel(p);
    }
    return 0;
}
