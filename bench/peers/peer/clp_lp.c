/* clp_lp FILE [CHANGED]: solves the linear program of FILE (the format of
 * writeRaw in lp.go) with CLP's dual and primal simplex, then once more from
 * each optimal basis under the costs and bounds of CHANGED.
 * CLP_PRESOLVE in the environment adds its ways with presolve. CLP_TOLERANCE in the environment replaces CLP's tolerances of 1e-7.
 * Prints one line a solve: name, status, objective,
 * seconds of processor time, iterations. */
#include <coin/Clp_C_Interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

struct lp {
    int m, n;
    double *c, *lo, *up, *rlo, *rup;
    CoinBigIndex *start;
    int *index;
    double *value;
};

static void *take(FILE *f, size_t size, size_t count) {
    void *p = malloc(size * count + 1);
    if (fread(p, size, count, f) != count) {
        fprintf(stderr, "clp_lp: the file is too short\n");
        exit(1);
    }
    return p;
}

static struct lp read_lp(const char *path) {
    struct lp p;
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    int64_t *d = take(f, 8, 3);
    p.m = d[0], p.n = d[1];
    p.c = take(f, 8, p.n), p.lo = take(f, 8, p.n), p.up = take(f, 8, p.n);
    p.rlo = take(f, 8, p.m), p.rup = take(f, 8, p.m);
    int32_t *s = take(f, 4, p.n + 1);
    p.start = malloc(sizeof *p.start * (p.n + 1));
    for (int j = 0; j <= p.n; j++) p.start[j] = s[j];
    p.index = take(f, 4, d[2]), p.value = take(f, 8, d[2]);
    fclose(f);
    return p;
}

static void say(const char *name, Clp_Simplex *s, double t) {
    printf("%s %d %.15g %.9f %d\n", name, Clp_status(s), Clp_objectiveValue(s), t, Clp_numberIterations(s));
}

/* with_presolve solves afresh as the clp command does, presolve first, by one of its methods or the one that it chooses. */
static void with_presolve(struct lp p, const char *name, int type) {
    Clp_Simplex *s = Clp_newModel();
    Clp_Solve *o = ClpSolve_new();
    Clp_setLogLevel(s, 0);
    Clp_loadProblem(s, p.n, p.m, p.start, p.index, p.value, p.lo, p.up, p.c, p.rlo, p.rup);
    ClpSolve_setPresolveType(o, 0, -1);
    ClpSolve_setSolveType(o, type, -1);
    double t = now();
    Clp_initialSolveWithOptions(s, o);
    say(name, s, now() - t);
    ClpSolve_delete(o);
    Clp_deleteModel(s);
}

int main(int argc, char **argv) {
    struct lp p = read_lp(argv[1]);
    for (int primal = 0; primal < 2; primal++) {
        Clp_Simplex *s = Clp_newModel();
        Clp_setLogLevel(s, 0);
        if (getenv("CLP_TOLERANCE")) {
            Clp_setPrimalTolerance(s, atof(getenv("CLP_TOLERANCE")));
            Clp_setDualTolerance(s, atof(getenv("CLP_TOLERANCE")));
        }
        Clp_loadProblem(s, p.n, p.m, p.start, p.index, p.value, p.lo, p.up, p.c, p.rlo, p.rup);
        double t = now();
        primal ? Clp_primal(s, 0) : Clp_dual(s, 0);
        say(primal ? "clp-primal" : "clp-dual", s, now() - t);
        if (argc > 2) {
            struct lp q = read_lp(argv[2]);
            Clp_chgObjCoefficients(s, q.c);
            Clp_chgColumnLower(s, q.lo), Clp_chgColumnUpper(s, q.up);
            Clp_chgRowLower(s, q.rlo), Clp_chgRowUpper(s, q.rup);
            t = now();
            primal ? Clp_primal(s, 0) : Clp_dual(s, 0);
            say(primal ? "clp-primal-warm" : "clp-dual-warm", s, now() - t);
        }
        Clp_deleteModel(s);
    }
    if (getenv("CLP_PRESOLVE")) {
        with_presolve(p, "clp-presolve-dual", 0);
        with_presolve(p, "clp-presolve-primal", 1);
        with_presolve(p, "clp-presolve-auto", 5);
    }
    return 0;
}
