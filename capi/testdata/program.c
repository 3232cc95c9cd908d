/* What a C program can do: run by TestProgram with a file of two features and labels -1 and 1, or 0 and 1. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sparsekm.h"

#define ROWS 250
#define WANT(what)                                                 \
    do {                                                           \
        if (!(what)) {                                             \
            fprintf(stderr, "line %d: not: %s\n", __LINE__, #what); \
            exit(1);                                               \
        }                                                          \
    } while (0)

static double x[2 * ROWS], decisions[ROWS];
static int64_t y[ROWS];
static skm_model model;

/* must ends the program where a call, whose text goes to error, fails. */
static void must_at(int line, int code, const char *error) {
    if (code != SKM_OK || error != NULL) {
        fprintf(stderr, "line %d: code %d: %s\n", line, code, error);
        exit(1);
    }
}
#define must(call)                          \
    do {                                    \
        int code_ = (call);                 \
        must_at(__LINE__, code_, error);    \
    } while (0)

/* refused wants a code and a text with a word in it. */
static void refused_at(int line, int code, int want, char *error, const char *word) {
    if (code != want || error == NULL || strstr(error, word) == NULL) {
        fprintf(stderr, "line %d: code %d, want %d: %s\n", line, code, want, error ? error : "no text");
        exit(1);
    }
    skm_free_text(error);
}
#define refused(call, want, word)                        \
    do {                                                 \
        int code_ = (call);                              \
        refused_at(__LINE__, code_, want, error, word);  \
    } while (0)

static int told;
static int tell(void *user, double done, const char *text) {
    told++;
    WANT(done <= 1 && strlen(text) > 0);
    return *(int *)user;
}

static void read_samples(const char *path) {
    FILE *f = fopen(path, "r");
    char line[256];
    int n = 0;
    WANT(f != NULL);
    while (n < ROWS && fgets(line, sizeof line, f) != NULL) {
        double label;
        if (line[0] == '#' || line[0] == '\n') continue;
        WANT(sscanf(line, "%lf 1:%lf 2:%lf", &label, &x[2 * n], &x[2 * n + 1]) == 3);
        y[n++] = label > 0;
    }
    WANT(n == ROWS);
    fclose(f);
}

/* decide_again decides what main has decided, and makes and frees models of its own meanwhile. */
static void *decide_again(void *unused) {
    double f[ROWS];
    int round;
    for (round = 0; round < 50; round++) {
        void *bytes;
        size_t size;
        skm_model copy;
        char *error;
        must(skm_bytes(model, "skm", &bytes, &size, &error));
        must(skm_parse(bytes, size, &copy, &error));
        skm_free_text(bytes);
        must(skm_decide(copy, x, ROWS, f, 1, &error));
        skm_free(copy);
        WANT(memcmp(f, decisions, sizeof f) == 0);
    }
    return unused;
}

static void errors(const skm_samples *samples) {
    char *error;
    double f[ROWS], nan = NAN;
    skm_model none = 0;
    skm_samples bad = *samples, huge = *samples;
    skm_pool pool = {x, 2, 2, NULL, 2};
    int64_t class_;
    skm_watch watch = {NULL, NULL, NULL, 0, NULL};
    volatile int32_t stop = 1;
    refused(skm_decide(12345, x, ROWS, f, 1, &error), SKM_INVALID, "no model 12345");
    refused(skm_decide(model, NULL, 1, f, 1, &error), SKM_INVALID, "NULL");
    refused(skm_decide(model, x, -1, f, 1, &error), SKM_INVALID, "-1 rows");
    refused(skm_decide(model, x, INT64_MAX, f, 1, &error), SKM_INVALID, "rows");
    refused(skm_decide(model, x, (int64_t)1 << 40, f, 1, &error), SKM_MEMORY, "memory budget");
    refused(skm_predict(model, x, (int64_t)1 << 40, &class_, 1, &error), SKM_MEMORY, "memory budget");
    refused(skm_probabilities(model, x, (int64_t)1 << 40, f, 1, &error), SKM_MEMORY, "memory budget");
    refused(skm_variances(model, x, (int64_t)1 << 40, f, 1, &error), SKM_MEMORY, "memory budget");
    huge.n = (int64_t)1 << 40;
    refused(skm_train(&huge, "{\"method\": \"svc\"}", NULL, &none, NULL, &error), SKM_MEMORY, "memory budget");
    refused(skm_decide_samples(model, &huge, f, NULL, NULL, 1, &error), SKM_MEMORY, "memory budget");
    refused(skm_reduce(model, &huge, "{\"max_sv\": 1}", NULL, &none, NULL, &error), SKM_MEMORY, "memory budget");
    huge.n = ROWS;
    huge.classes = (int64_t)1 << 40;
    refused(skm_train(&huge, "{\"method\": \"svc\"}", NULL, &none, NULL, &error), SKM_INVALID, "classes");
    pool.k = (int64_t)1 << 40;
    refused(skm_pool_sums(&pool, "{\"kernel\": \"rbf\", \"gamma\": 1}", samples, NULL, NULL, f, &error), SKM_MEMORY,
            "memory budget");
    refused(skm_decide(model, x, 1, NULL, 1, &error), SKM_INVALID, "NULL");
    refused(skm_probabilities(model, x, 1, f, 1, &error), SKM_INVALID, "no probabilities");
    refused(skm_variances(model, x, 1, f, 1, &error), SKM_INVALID, "no variances");
    refused(skm_intervals(model, samples, f, 1, &error), SKM_INVALID, "no prediction sets");
    nan = x[3], x[3] = NAN;
    refused(skm_decide(model, x, ROWS, f, 1, &error), SKM_INVALID, "feature 1 of row 1");
    refused(skm_train(samples, "{\"method\": \"ssvc-a\"}", NULL, &none, NULL, &error), SKM_INVALID, "NaN");
    x[3] = nan;
    refused(skm_parse("sparsekm", 8, &none, &error), SKM_MODEL, "model");
    refused(skm_load("no such file", &none, &error), SKM_MODEL, "no such file");
    refused(skm_save(model, "x", "pickle", &error), SKM_INVALID, "pickle");
    refused(skm_train(samples, "{\"method\": \"magic\"}", NULL, &none, NULL, &error), SKM_INVALID, "magic");
    refused(skm_train(samples, "{\"method\": \"svc\", \"colour\": 1}", NULL, &none, NULL, &error), SKM_INVALID, "colour");
    refused(skm_train(samples, "{\"method\": \"svc\", \"degree\": 2}", NULL, &none, NULL, &error), SKM_INVALID, "degree");
    refused(skm_train(samples, "{\"method\": \"svc\", \"params\": {\"c\": -1}}", NULL, &none, NULL, &error), SKM_INVALID, "c");
    refused(skm_train(samples, "{\"method\": \"lssvm\", \"memory\": 1000}", NULL, &none, NULL, &error), SKM_MEMORY, "memory");
    bad.classes = 1;
    refused(skm_train(&bad, "{\"method\": \"svc\"}", NULL, &none, NULL, &error), SKM_INVALID, "class 1");
    watch.stop = &stop;
    refused(skm_train(samples, "{\"method\": \"ssvc-b\"}", &watch, &none, NULL, &error), SKM_STOPPED, "ssvc-b");
    WANT(skm_decide(0, x, 1, f, 1, NULL) == SKM_INVALID);
    WANT(none == 0);
}

/* Progress that does not return before *user is 1. */
static int hold(void *user, double done, const char *text) {
    volatile int *go_on = user;
    (void)done, (void)text;
    while (!*go_on)
        ;
    return 0;
}

/* A call that returns while it goes on, and one that is stopped so. */
static void job(const skm_samples *samples) {
    static const char *const options = "{\"method\": \"ssvc-a\", \"params\": {\"c\": 1}, \"sigma\": 0.5}";
    volatile int32_t stop = 0;
    volatile int go_on = 0;
    uint64_t number = 7;
    skm_watch watch = {NULL, NULL, NULL, 1000000, NULL};
    skm_model made = 0;
    skm_info info;
    char *error, *report = NULL;
    int code;
    watch.job = &number;
    must(skm_train(samples, options, &watch, &made, &report, &error)); /* within its patience */
    WANT(number == 0 && made != 0 && report != NULL);
    skm_free(made), skm_free_text(report);
    watch.progress = hold, watch.user = (void *)&go_on, watch.stop = &stop, watch.patience = 1;
    made = 0, report = NULL;
    WANT(skm_train(samples, options, &watch, &made, &report, &error) == SKM_RUNNING && error == NULL && number != 0);
    WANT(skm_wait(number, 1, &made, &report, &error) == SKM_RUNNING && made == 0 && report == NULL && error == NULL);
    go_on = 1;
    while ((code = skm_wait(number, 1000, &made, &report, &error)) == SKM_RUNNING)
        ;
    WANT(code == SKM_OK && strstr(report, "\"status\":\"fixed point\"") != NULL);
    must(skm_describe(made, &info, &error));
    WANT(info.vectors == 4);
    skm_free(made), skm_free_text(report);
    made = 0;
    refused(skm_wait(number, 1, &made, NULL, &error), SKM_INVALID, "there is no job");
    go_on = 0;
    WANT(skm_train(samples, options, &watch, &made, NULL, &error) == SKM_RUNNING && number != 0);
    stop = 1, go_on = 1;
    while ((code = skm_wait(number, 1000, &made, NULL, &error)) == SKM_RUNNING)
        ;
    WANT(code == SKM_STOPPED || code == SKM_OK);
    skm_free(made), skm_free_text(error);
}

static void smaller_model(const skm_samples *samples) {
    skm_model big, small;
    skm_info info;
    char *error, *report;
    double p[2 * ROWS], f, a, b;
    must(skm_train(samples, "{\"method\": \"svc\", \"sigma\": 0.5, \"calibrate\": 3}", NULL, &big, NULL, &error));
    must(skm_probabilities(big, x, ROWS, p, 2, &error));
    must(skm_decide(big, x, 1, &f, 1, &error));
    must(skm_sigmoids(big, &a, &b, &error));
    WANT(a < 0 && fabs(p[1] - 1 / (1 + exp(a * f + b))) < 1e-12);
    refused(skm_sigmoids(big, NULL, &b, &error), SKM_INVALID, "NULL");
    refused(skm_sigmoids(model, &a, &b, &error), SKM_INVALID, "no probabilities");
    WANT(fabs(p[0] + p[1] - 1) < 1e-12 && p[0] > 0 && p[0] < 1);
    must(skm_reduce(big, samples, "{\"max_sv\": 5}", NULL, &small, &report, &error));
    must(skm_describe(small, &info, &error));
    WANT(info.vectors == 5 && info.classes == 2 && strstr(report, "\"sv_after\":5") != NULL);
    skm_free_text(report);
    refused(skm_reduce(big, NULL, "{}", NULL, &small, NULL, &error), SKM_INVALID, "max_sv");
    skm_free(big);
    skm_free(small);
}

/* A teacher of log odds, which fails when it is asked for the second time. */
static int odds(void *user, const double *x, int64_t n, double *values) {
    int64_t i;
    int *asked = user;
    if (++*asked > 1)
        return 7;
    for (i = 0; i < n; i++)
        values[i] = 5 * x[2 * i];
    return 0;
}

static void student(const skm_samples *samples) {
    skm_model small, none = 0;
    skm_info info;
    char *error, *report;
    void *data;
    size_t size;
    int asked = 0;
    double values[ROWS];
    WANT(odds(&asked, samples->x, samples->n, values) == 0);
    asked = 0;
    must(skm_distill(samples, values, 1, odds, &asked, "{\"kind\": \"logit\", \"max_sv\": 3, \"rounds\": 2}", NULL, &small,
                     &report, &error));
    must(skm_describe(small, &info, &error));
    WANT(info.classes == 2 && info.probabilities == 1 && asked > 0);
    WANT(strstr(report, "\"held_out\"") != NULL);
    WANT(asked < 2 || strstr(report, "it failed with 7") != NULL);
    skm_free_text(report);
    must(skm_export(small, "c", "{\"name\": \"tiny\", \"float\": true}", &data, &size, &error));
    WANT(size > 500 && strstr(data, "tiny_predict") != NULL);
    skm_free_text(data);
    refused(skm_export(small, "c", "{\"float\": true, \"fixed\": true}", &data, &size, &error), SKM_INVALID, "fixed point");
    refused(skm_export(small, "cobol", "{}", &data, &size, &error), SKM_INVALID, "cobol");
    refused(skm_distill(samples, values, 3, NULL, NULL, "{\"kind\": \"logit\"}", NULL, &none, NULL, &error), SKM_INVALID,
            "numbers a sample");
    refused(skm_distill(samples, NULL, 1, NULL, NULL, "{}", NULL, &none, NULL, &error), SKM_INVALID, "NULL");
    refused(skm_distill(samples, values, 1, NULL, NULL, "{\"kind\": \"guess\"}", NULL, &none, NULL, &error), SKM_INVALID,
            "guess");
    skm_free(small);
}

/* sets have the coverage that was asked for, of samples that the training did not see. */
static void sets(const skm_samples *samples) {
    static uint8_t in[2 * ROWS];
    const char *options = "{\"method\": \"svc\", \"sigma\": 0.5, \"coverage\": 0.8, \"by_class\": true}";
    double ends[2 * ROWS], v[ROWS];
    skm_samples more = *samples;
    skm_model m;
    skm_info info;
    char *error;
    int i, found = 0;
    must(skm_train(samples, options, NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.sets == 1);
    must(skm_sets(m, samples, in, 2, &error));
    for (i = 0; i < ROWS; i++) found += in[2 * i + samples->y[i]];
    WANT(found > 0.7 * ROWS);
    refused(skm_sets(m, samples, NULL, 1, &error), SKM_INVALID, "NULL");
    refused(skm_sets(m, NULL, in, 1, &error), SKM_INVALID, "NULL");
    refused(skm_intervals(m, samples, ends, 1, &error), SKM_INVALID, "skm_intervals for values");
    refused(skm_train(samples, "{\"method\": \"svc\", \"coverage\": 90}", NULL, &m, NULL, &error), SKM_INVALID, "coverage of 90");
    skm_free(m);
    for (i = 0; i < ROWS; i++) v[i] = sin(3 * x[2 * i]);
    more.y = NULL, more.labels = NULL, more.classes = 0, more.values = v;
    must(skm_train(&more, "{\"method\": \"rvm\", \"coverage\": 0.8, \"coverage_folds\": 4}", NULL, &m, NULL, &error));
    must(skm_intervals(m, &more, ends, 1, &error));
    for (i = 0, found = 0; i < ROWS; i++) found += ends[2 * i] <= v[i] && v[i] <= ends[2 * i + 1];
    WANT(found > 0.7 * ROWS);
    skm_free(m);
}

/* sparse trains on and decides samples by the features that are listed, and chooses among some. */
static void sparse(const skm_samples *samples) {
    static int64_t start[ROWS + 1], classes[ROWS], more[ROWS];
    static int32_t index[2 * ROWS];
    static double f[ROWS], g[ROWS], p[2 * ROWS], q[2 * ROWS];
    const char *options = "{\"method\": \"svc\", \"sigma\": 0.5, \"calibrate\": 3, \"params\": {\"tolerance\": 1e-9}}";
    skm_samples thin = *samples, few = *samples;
    skm_model m, same;
    skm_info info;
    char *error;
    int64_t rows[20];
    int i;
    for (i = 0; i <= ROWS; i++) start[i] = 2 * i;
    for (i = 0; i < 2 * ROWS; i++) index[i] = i % 2;
    thin.start = start, thin.index = index;
    must(skm_train(samples, options, NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.sparse == 0);
    must(skm_train(&thin, options, NULL, &same, NULL, &error));
    must(skm_describe(same, &info, &error));
    WANT(info.sparse == 1);
    must(skm_decide_samples(m, samples, f, NULL, NULL, 1, &error));
    must(skm_decide_samples(same, &thin, g, more, q, 2, &error));
    must(skm_predict(m, x, ROWS, classes, 1, &error));
    must(skm_probabilities(m, x, ROWS, p, 1, &error));
    for (i = 0; i < ROWS; i++) {
        WANT(fabs(f[i] - g[i]) < 1e-6 && classes[i] == more[i] && fabs(p[2 * i] - q[2 * i]) < 1e-5);
    }
    thin.d = 3;
    refused(skm_decide_samples(same, &thin, g, NULL, NULL, 1, &error), SKM_INVALID, "3 features, want 2");
    thin.d = 2, start[7] = 1;
    refused(skm_decide_samples(same, &thin, g, NULL, NULL, 1, &error), SKM_INVALID, "row 6");
    start[7] = 14, start[ROWS] = -1;
    refused(skm_train(&thin, options, NULL, &same, NULL, &error), SKM_INVALID, "-1 features");
    start[ROWS] = 2 * ROWS, index[5] = 2;
    refused(skm_train(&thin, options, NULL, &same, NULL, &error), SKM_INVALID, "feature 2");
    index[5] = 1, thin.index = NULL;
    refused(skm_train(&thin, options, NULL, &same, NULL, &error), SKM_INVALID, "NULL");
    skm_free(m), skm_free(same);

    few.n = 20, thin = *samples, thin.candidates = &few;
    must(skm_train(&thin, "{\"method\": \"l1svm\", \"sigma\": 0.5}", NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.vectors > 0 && info.vectors <= 20);
    must(skm_parts(m, NULL, NULL, q, rows, NULL, NULL, &error));
    for (i = 0; i < info.vectors; i++) {
        int k = 0;
        while (k < 20 && memcmp(q + 2 * i, x + 2 * k, 2 * sizeof *x) != 0) k++;
        WANT(k < 20 && rows[i] == -1);
    }
    few.y = NULL;
    refused(skm_train(&thin, "{\"method\": \"l1svm\", \"sigma\": 0.5}", NULL, &m, NULL, &error), SKM_INVALID, "no labels");
    few.n = -1;
    refused(skm_train(&thin, "{\"method\": \"ssvc-b\"}", NULL, &same, NULL, &error), SKM_INVALID, "candidates: ");
    skm_free(m);
}

/* categories learns a value for each letter of a code, and decides rows with a 0 or 1 for each letter. */
static void categories(void) {
    static const char *const labels[] = {"no", "yes"};
    static double letters[5 * ROWS], values[2 * ROWS], f[ROWS], g[ROWS];
    static int64_t of[ROWS], found[ROWS];
    const char *options = "{\"method\": \"direct\", \"params\": {\"max_sv\": 3}, \"categories\": \"learned\", \"columns\": [1, 4]}";
    skm_samples samples = {letters, ROWS, 5, of, labels, 2, NULL, NULL, NULL, NULL, NULL};
    skm_model m, same;
    skm_info info;
    void *bytes;
    size_t size;
    char *error;
    int i, wrong = 0;
    for (i = 0; i < ROWS; i++) {
        int letter = i % 4;
        letters[5 * i] = sin(i);
        letters[5 * i + 1 + letter] = 1;
        of[i] = letter % 2 == 0 && letters[5 * i] > -0.5;
    }
    must(skm_train(&samples, options, NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.features == 2 && info.plain == 5 && info.vectors <= 3);
    must(skm_decide_samples(m, &samples, f, found, NULL, 1, &error));
    for (i = 0; i < ROWS; i++) wrong += found[i] != of[i];
    WANT(wrong < ROWS / 10);
    must(skm_bytes(m, "skm", &bytes, &size, &error));
    must(skm_parse(bytes, size, &same, &error));
    skm_free_text(bytes);
    must(skm_decide_samples(same, &samples, g, NULL, NULL, 2, &error));
    for (i = 0; i < ROWS; i++) WANT(f[i] == g[i]);
    skm_free(same);
    for (i = 0; i < ROWS; i++) values[2 * i] = letters[5 * i]; /* as if no letter were known */
    must(skm_decide(m, values, ROWS, f, 1, &error));
    for (i = 0; i < 4; i++) letters[1 + i] = 0;
    must(skm_decide_samples(m, &samples, g, NULL, NULL, 1, &error));
    WANT(fabs(f[0] - g[0]) < 1e-9);
    must(skm_reduce(m, &samples, "{\"max_sv\": 2}", NULL, &same, NULL, &error));
    must(skm_describe(same, &info, &error));
    WANT(info.features == 2 && info.plain == 5 && info.vectors <= 2);
    skm_free(same);
    letters[2] = NAN;
    refused(skm_decide_samples(m, &samples, g, NULL, NULL, 1, &error), SKM_INVALID, "feature 2 of row 0");
    letters[2] = 2;
    refused(skm_train(&samples, options, NULL, &same, NULL, &error), SKM_INVALID, "want 0 or 1");
    letters[2] = letters[3] = 1;
    refused(skm_train(&samples, options, NULL, &same, NULL, &error), SKM_INVALID, "2 categories in column 1");
    letters[3] = 0;
    refused(skm_train(&samples, "{\"method\": \"svc\", \"categories\": \"learned\"}", NULL, &same, NULL, &error), SKM_INVALID,
            "want columns");
    refused(skm_train(&samples, "{\"method\": \"svc\", \"columns\": [1, 4]}", NULL, &same, NULL, &error), SKM_INVALID,
            "only learned categories");
    refused(skm_train(&samples, "{\"method\": \"svc\", \"categories\": \"x\"}", NULL, &same, NULL, &error), SKM_INVALID, "found \"x\"");
    refused(skm_train(&samples, "{\"method\": \"svc\", \"categories\": \"learned\", \"columns\": [1, 3]}", NULL, &same, NULL, &error),
            SKM_INVALID, "found 4 features, want 5");
    refused(skm_train(&samples, "{\"method\": \"svc\", \"categories\": \"learned\", \"columns\": [1, 5]}", NULL, &same, NULL, &error),
            SKM_INVALID, "column 1 has 5 of 5 features");
    refused(skm_train(&samples, "{\"method\": \"svc\", \"categories\": \"learned\", \"columns\": [1, 1, 1, 1, 1]}", NULL, &same, NULL,
                      &error),
            SKM_INVALID, "no column of two categories");
    skm_free(m);
}

/* variances are of a model of values, above that of its noise, and grow away from the samples. */
static void variances(void) {
    static double values[ROWS];
    double v[ROWS], far[2] = {0, 9};
    skm_samples samples = {x, ROWS, 2, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL};
    skm_model m;
    skm_info info;
    char *error;
    int i;
    for (i = 0; i < ROWS; i++) values[i] = sin(3 * x[2 * i]) + x[2 * i + 1] + (double)(i % 7) / 20;
    samples.values = values;
    must(skm_train(&samples, "{\"method\": \"rvm-fast\", \"kernel\": \"linear\"}", NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.variances == 1 && info.task == SKM_REGRESS);
    must(skm_variances(m, x, ROWS, v, 2, &error));
    for (i = 0; i < ROWS; i++) WANT(v[i] > 0.05 && v[i] < 1);
    must(skm_variances(m, far, 1, v + 1, 1, &error));
    WANT(v[1] > v[0]);
    refused(skm_variances(m, x, 1, NULL, 1, &error), SKM_INVALID, "NULL");
    far[1] = NAN;
    refused(skm_variances(m, far, 1, v, 1, &error), SKM_INVALID, "feature 1 of row 0");
    skm_free(m);
    must(skm_describe(model, &info, &error));
    WANT(info.variances == 0);
}

/* add_sums asks two shards of the samples that user samples to. */
static int add_sums(void *user, const double *vectors, int64_t k, const double *coef, const double *bias, double *sums) {
    skm_samples half = *(const skm_samples *)user;
    skm_pool pool = {NULL, 0, 2, NULL, 2};
    int code;
    pool.vectors = vectors, pool.k = k;
    half.n = 100;
    code = skm_pool_sums(&pool, "{\"sigma\": 0.5}", &half, coef, bias, sums, NULL);
    half.x += 200, half.y += 100, half.n = ROWS - 100;
    return code + skm_pool_sums(&pool, "{\"sigma\": 0.5}", &half, coef, bias, sums, NULL);
}

static int give_up(void *user, const double *vectors, int64_t k, const double *coef, const double *bias, double *sums) {
    (void)user, (void)vectors, (void)k, (void)coef, (void)bias, (void)sums;
    return 1;
}

/* pooled trains on the vectors 0 to 29, and on the first once more. */
static void pooled(const skm_samples *samples) {
    skm_pool pool = {NULL, 31, 2, NULL, 2};
    skm_model m;
    skm_info info;
    double candidates[62], sums[100], f[ROWS];
    char *error, *report;
    int i, wrong = 0;
    memcpy(candidates, x, 60 * sizeof *x);
    memcpy(candidates + 60, x, 2 * sizeof *x);
    pool.vectors = candidates;
    must(skm_pool_train(&pool, "{\"sigma\": 0.5, \"max_sv\": 6}", add_sums, (void *)samples, NULL, &m, &report, &error));
    must(skm_describe(m, &info, &error));
    must(skm_decide(m, x, ROWS, f, 1, &error));
    for (i = 0; i < ROWS; i++) wrong += (f[i] > 0) != (y[i] == 1);
    WANT(info.vectors == 6 && info.classes == 2 && wrong < 40 && strstr(report, "\"status\":\"optimal\"") != NULL);
    skm_free_text(report);
    skm_free(m);
    WANT(skm_pool_length(4, 2) == 2 + 2 * 7 + 25 && skm_pool_length(4, 3) == 2 + 3 * 39 && skm_pool_length(-1, 2) == -1);
    refused(skm_pool_train(&pool, "{\"sigma\": 0.5}", give_up, NULL, NULL, &m, NULL, &error), SKM_STOPPED, "no sums");
    refused(skm_pool_train(&pool, "{}", add_sums, (void *)samples, NULL, &m, NULL, &error), SKM_INVALID, "gamma");
    refused(skm_pool_train(&pool, "{\"sigma\": 0.5, \"c\": -1}", add_sums, (void *)samples, NULL, &m, NULL, &error),
            SKM_INVALID, "C -1");
    refused(skm_pool_sums(&pool, "{\"sigma\": 0.5}", samples, NULL, NULL, sums, &error), SKM_INVALID, "repeat");
    pool.classes = 0;
    refused(skm_pool_sums(&pool, "{\"sigma\": 0.5}", samples, NULL, NULL, sums, &error), SKM_INVALID, "repeat");
    pool.k = 4;
    refused(skm_pool_sums(&pool, "{\"sigma\": 0.5}", samples, NULL, NULL, sums, &error), SKM_INVALID, "no values");
}

/* table trains on a table of numbers, words and truth values, and reads rows with a hole and a new word. */
static void table(void) {
    enum { N = 60 };
    static double size[N], member[N], features[4 * N];
    static int64_t of[N], start[N + 1];
    static char text[4 * N];
    static const int64_t later_start[] = {0, 0, 4}, backward[] = {4, 0, 4};
    static const double later_size[] = {3, NAN}, later_member[] = {1, 0};
    skm_column columns[3] = {{"size", SKM_NUMBERS, size, NULL, NULL}, {"town", SKM_WORDS, NULL, text, start},
                             {"member", SKM_TRUTH, member, NULL, NULL}};
    skm_column later[3] = {{"member", SKM_TRUTH, later_member, NULL, NULL}, {"size", SKM_NUMBERS, later_size, NULL, NULL},
                           {"town", SKM_WORDS, NULL, "here", later_start}};
    skm_samples rows = {NULL, N, 0, of, NULL, 2, NULL, NULL, NULL, NULL, NULL};
    skm_model m, smaller;
    skm_info info;
    uint64_t t;
    char *error, *about, options[99];
    int i;
    for (i = 0; i < N; i++) {
        size[i] = i * 7 % 11;
        member[i] = i / 3 % 2;
        memcpy(text + 4 * i, i % 2 ? "Bonn" : "Rome", 4);
        start[i + 1] = 4 * (i + 1);
        of[i] = (size[i] > 5) != (i % 2);
    }
    must(skm_table(columns, 3, &rows, "{\"label\": \"big\"}", &t, &about, &error));
    WANT(strstr(about, "\"features\":3") != NULL && strstr(about, "columns: 1 number, 2 yes or no (town, member)") != NULL);
    skm_free_text(about);
    must(skm_table_rows(t, features, &error));
    WANT(features[0] == 0 && features[1] == 1 && features[2] == 0 && features[3] == 7 && features[4] == 0);
    rows.x = features;
    rows.d = 3;
    sprintf(options, "{\"method\": \"svc\", \"scale\": \"auto\", \"table\": %lu}", (unsigned long)t);
    must(skm_train(&rows, options, NULL, &m, NULL, &error));
    must(skm_describe(m, &info, &error));
    WANT(info.features == 3);
    sprintf(options, "{\"max_sv\": 5, \"table\": %lu}", (unsigned long)t);
    must(skm_reduce(m, &rows, options, NULL, &smaller, NULL, &error));
    must(skm_read(smaller, later, 3, 2, features, &about, &error));
    WANT(features[0] == 3 && features[2] == 1 && features[1] == 0.5 && features[3] == 5 && features[4] == 0.5 && features[5] == 0);
    WANT(strstr(about, "\"unknown\":1") != NULL && strstr(about, "\"size\":1") != NULL);
    skm_free_text(about);
    refused(skm_read(m, later, 2, 2, features, NULL, &error), SKM_INVALID, "no column \"town\"");
    refused(skm_read(model, later, 3, 2, features, NULL, &error), SKM_INVALID, "not trained on a table");
    later[2].start = backward;
    refused(skm_read(m, later, 3, 2, features, NULL, &error), SKM_INVALID, "the cell of row 0 is from byte 4 to 0");
    later[2].kind = 9;
    refused(skm_read(m, later, 3, 2, features, NULL, &error), SKM_INVALID, "found the kind 9");
    refused(skm_table(columns, 3, &rows, "{\"columns\": \"all\"}", &t, NULL, &error), SKM_INVALID, "want auto or numbers");
    refused(skm_table(columns, 0, &rows, "{}", &t, NULL, &error), SKM_INVALID, "0 columns");
    refused(skm_table(NULL, 3, &rows, "{}", &t, NULL, &error), SKM_INVALID, "NULL");
    skm_free(m);
    skm_free(smaller);
    skm_free(t);
    refused(skm_table_rows(t, features, &error), SKM_INVALID, "there is no table");
    refused(skm_train(&rows, options, NULL, &m, NULL, &error), SKM_INVALID, "max_sv");
    rows.x = size;
    rows.d = 1;
    refused(skm_train(&rows, "{\"method\": \"svc\", \"table\": 77777}", NULL, &m, NULL, &error), SKM_INVALID, "no table 77777");
}

int main(int argc, char **argv) {
    static const char *const labels[] = {"no", "yes"};
    skm_samples samples = {x, ROWS, 2, y, labels, 2, NULL, NULL, NULL, NULL, NULL};
    skm_info info;
    skm_watch watch = {NULL, tell, NULL, 0, NULL};
    pthread_t threads[4];
    int64_t classes[ROWS], rows[4], positive, negative;
    double vectors[8], coef[4], bias;
    char *error, *text;
    int i, go_on = 0;

    WANT(argc == 2 && strlen(skm_version()) > 0);
    read_samples(argv[1]);
    watch.user = &go_on;
    must(skm_train(&samples, "{\"method\": \"ssvc-a\", \"params\": {\"c\": 1}, \"sigma\": 0.5}", &watch, &model, &text,
                   &error));
    WANT(error == NULL && told > 0 && strstr(text, "\"status\":\"fixed point\"") != NULL);
    skm_free_text(text);
    must(skm_describe(model, &info, &error));
    WANT(info.features == 2 && info.classes == 2 && info.submodels == 1 && info.vectors == 4 && info.task == SKM_CLASSIFY);
    must(skm_label(model, 1, &text, &error));
    WANT(strcmp(text, "yes") == 0);
    skm_free_text(text);
    must(skm_parts(model, &positive, &negative, vectors, rows, coef, &bias, &error));
    WANT(rows[0] == 15 && rows[1] == 37 && rows[2] == 179 && rows[3] == 217 && positive == 1 && negative == 0);
    must(skm_decide(model, x, ROWS, decisions, 2, &error));
    must(skm_predict(model, x, ROWS, classes, 2, &error));
    for (i = 0; i < ROWS; i++) {
        double f = bias;
        int s;
        for (s = 0; s < 4; s++) {
            f += coef[s] * exp(-2 * (pow(x[2 * i] - vectors[2 * s], 2) + pow(x[2 * i + 1] - vectors[2 * s + 1], 2)));
        }
        WANT(fabs(f - decisions[i]) <= 1e-12 && classes[i] == (f > 0));
    }
    for (i = 0; i < 4; i++) WANT(pthread_create(&threads[i], NULL, decide_again, NULL) == 0);
    for (i = 0; i < 4; i++) WANT(pthread_join(threads[i], NULL) == 0);
    errors(&samples);
    student(&samples);
    smaller_model(&samples);
    job(&samples);
    pooled(&samples);
    variances();
    sets(&samples);
    sparse(&samples);
    categories();
    table();
    must(skm_methods(&text, &error));
    WANT(strstr(text, "\"name\":\"ssvc-b\"") != NULL);
    skm_free_text(text);
    skm_free_text(NULL);
    skm_free(model);
    skm_free(model);
    skm_free(0);
    refused(skm_describe(model, &info, &error), SKM_INVALID, "was freed");
    puts("done");
    return 0;
}
