/* What R calls: .Call functions over sparsekm.h. A failure of the library is returned as a text of class "sparsekm_error",
   since Rf_error would cut it and lose its encoding; native() in R/native.R raises it. Wrong types are Rf_error's, because
   only this package's R code calls these functions. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

#include "library.h"

#define PATIENCE 50 /* milliseconds until R looks for Ctrl-C */

static char library_path[PATH_MAX];

static const struct library *lib(void)
{
    const char *problem;
    const struct library *l = library_at(library_path, &problem);

    if (l == NULL)
        Rf_errorcall(R_NilValue, "%s", problem);
    return l;
}

/* Calls a function of the library that returns a code. */
#define CALL(name, ...) (lib(), library_begin(), library_end(lib()->name(__VA_ARGS__)))

static void free_text(void *text)
{
    lib();
    library_begin();
    lib()->free_text(text);
    library_end(0);
}

static void free_model(skm_model model)
{
    lib();
    library_begin();
    lib()->free(model);
    library_end(0);
}

static SEXP R_path(SEXP path)
{
    const char *text = R_ExpandFileName(CHAR(STRING_ELT(path, 0)));

    if (strlen(text) >= sizeof library_path)
        Rf_error("the path of the library is too long");
    strcpy(library_path, text);
    return R_NilValue;
}

static SEXP utf8(const char *text)
{
    return Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

/* The error of a call, whose text is freed. */
static SEXP failure(char *error)
{
    SEXP out = PROTECT(utf8(error != NULL ? error : "no message"));

    free_text(error);
    Rf_setAttrib(out, R_ClassSymbol, Rf_mkString("sparsekm_error"));
    UNPROTECT(1);
    return out;
}

static SEXP text_of(char *text)
{
    SEXP out = PROTECT(utf8(text));

    free_text(text);
    UNPROTECT(1);
    return out;
}

static const char *string(SEXP s)
{
    if (TYPEOF(s) != STRSXP || XLENGTH(s) != 1)
        Rf_error("want one text");
    return Rf_translateCharUTF8(STRING_ELT(s, 0));
}

/* A model is an external pointer whose address is its number, so that a copy from a file or another process has none. */
static skm_model number(SEXP model)
{
    if (TYPEOF(model) != EXTPTRSXP)
        Rf_error("want a model");
    return (skm_model)(uintptr_t)R_ExternalPtrAddr(model);
}

static void forget(SEXP model)
{
    if (library_alive())
        free_model(number(model));
    R_ClearExternalPtr(model);
}

static SEXP handle(skm_model model)
{
    SEXP out = PROTECT(R_MakeExternalPtr((void *)(uintptr_t)model, R_NilValue, R_NilValue));

    R_RegisterCFinalizer(out, forget);
    UNPROTECT(1);
    return out;
}

static SEXP R_alive(SEXP model)
{
    return Rf_ScalarLogical(number(model) != 0);
}

static SEXP named(const char *name, SEXP list)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    R_xlen_t i;

    for (i = 0; i < XLENGTH(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

/* Numbers of a list; NULL if it has none of this name. */
static const double *numbers(const char *name, SEXP list, int64_t want)
{
    SEXP v = named(name, list);

    if (v == R_NilValue)
        return NULL;
    if (TYPEOF(v) != REALSXP || XLENGTH(v) != want)
        Rf_error("%s: want %lld numbers", name, (long long)want);
    return REAL(v);
}

static void sparse(SEXP list, skm_samples *p)
{
    SEXP start = named("start", list), index = named("index", list);
    int64_t *starts, i, of = XLENGTH(named("x", list));

    if (TYPEOF(start) != INTSXP || XLENGTH(start) != p->n + 1 || TYPEOF(index) != INTSXP || XLENGTH(index) != of ||
        INTEGER(start)[p->n] != of)
        Rf_error("want starts and features of sparse samples");
    starts = (int64_t *)R_alloc(p->n + 1, sizeof *starts);
    for (i = 0; i <= p->n; i++)
        starts[i] = INTEGER(start)[i];
    p->x = numbers("x", list, of);
    p->start = starts;
    p->index = INTEGER(index);
}

/* Samples from a list of x (row after row), n, d, and where they are wanted y, labels, values, weight, start, index and
   candidates. What is converted lives until .Call returns. */
static skm_samples *samples_of(SEXP list)
{
    skm_samples *p = (skm_samples *)R_alloc(1, sizeof *p);
    SEXP y = named("y", list), labels = named("labels", list), candidates = named("candidates", list);
    int64_t i;

    memset(p, 0, sizeof *p);
    p->n = (int64_t)Rf_asReal(named("n", list));
    p->d = (int64_t)Rf_asReal(named("d", list));
    if (named("start", list) != R_NilValue)
        sparse(list, p);
    else
        p->x = numbers("x", list, p->n * p->d);
    if (y != R_NilValue) {
        int64_t *classes = (int64_t *)R_alloc(p->n, sizeof *classes);
        const char **texts = (const char **)R_alloc(XLENGTH(labels), sizeof *texts);

        if (TYPEOF(y) != INTSXP || XLENGTH(y) != p->n || TYPEOF(labels) != STRSXP)
            Rf_error("y: want %lld classes", (long long)p->n);
        for (i = 0; i < p->n; i++)
            classes[i] = INTEGER(y)[i];
        for (i = 0; i < XLENGTH(labels); i++)
            texts[i] = Rf_translateCharUTF8(STRING_ELT(labels, i));
        p->y = classes;
        p->labels = texts;
        p->classes = XLENGTH(labels);
    }
    p->values = numbers("values", list, p->n);
    p->weight = numbers("weight", list, p->n);
    p->candidates = candidates == R_NilValue ? NULL : samples_of(candidates);
    return p;
}

/* A call that may take long, and goes on in the background while R looks for Ctrl-C. */
struct job {
    skm_watch watch;
    volatile int32_t stop;
    uint64_t number;
    skm_model model;
    char *report, *error;
    int code;
};

static void begin(struct job *j)
{
    memset(j, 0, sizeof *j);
    j->watch.stop = &j->stop;
    j->watch.patience = PATIENCE;
    j->watch.job = &j->number;
}

static SEXP await(void *data)
{
    struct job *j = data;

    while (j->code == SKM_RUNNING) {
        R_CheckUserInterrupt();
        j->code = CALL(wait, j->number, PATIENCE, &j->model, &j->report, &j->error);
    }
    return R_NilValue;
}

/* After Ctrl-C the library still reads R's arrays until it has stopped. */
static void end(void *data, Rboolean interrupted)
{
    struct job *j = data;

    if (!interrupted)
        return;
    j->stop = 1;
    while (j->code == SKM_RUNNING)
        j->code = CALL(wait, j->number, PATIENCE, &j->model, &j->report, &j->error);
    free_model(j->model);
    free_text(j->report);
    free_text(j->error);
}

/* The model and the report of a job, or its error. */
static SEXP outcome(struct job *j)
{
    SEXP out, cont;

    if (j->code == SKM_RUNNING) {
        cont = PROTECT(R_MakeUnwindCont());
        R_UnwindProtect(await, j, end, j, cont);
        UNPROTECT(1);
    }
    if (j->code != SKM_OK)
        return failure(j->error);
    out = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(out, 0, handle(j->model));
    SET_VECTOR_ELT(out, 1, text_of(j->report));
    UNPROTECT(1);
    return out;
}

static SEXP R_train(SEXP samples, SEXP options)
{
    const skm_samples *p = samples_of(samples);
    const char *o = string(options);
    struct job j;

    begin(&j);
    j.code = CALL(train, p, o, &j.watch, &j.model, &j.report, &j.error);
    return outcome(&j);
}

static SEXP R_reduce(SEXP model, SEXP samples, SEXP options)
{
    const skm_samples *p = samples == R_NilValue ? NULL : samples_of(samples);
    const char *o = string(options);
    struct job j;

    begin(&j);
    j.code = CALL(reduce, number(model), p, o, &j.watch, &j.model, &j.report, &j.error);
    return outcome(&j);
}

static SEXP R_distill(SEXP samples, SEXP answers, SEXP columns, SEXP options)
{
    const skm_samples *p = samples_of(samples);
    const char *o = string(options);
    int64_t c = Rf_asInteger(columns);
    struct job j;

    if (TYPEOF(answers) != REALSXP || XLENGTH(answers) != p->n * c)
        Rf_error("want %lld numbers of each sample", (long long)c);
    begin(&j);
    j.code = CALL(distill, p, REAL(answers), c, NULL, NULL, o, &j.watch, &j.model, &j.report, &j.error);
    return outcome(&j);
}

static SEXP R_describe(SEXP model)
{
    static const char *names[] = {"features",  "classes", "submodels", "vectors", "task",
                                  "probabilities", "variances", "sets", "plain", ""};
    skm_info i;
    char *error;
    SEXP out;
    int k;

    if (CALL(describe, number(model), &i, &error) != SKM_OK)
        return failure(error);
    double values[] = {i.features,      i.classes,   i.submodels, i.vectors, i.task,
                       i.probabilities, i.variances, i.sets,     i.plain};
    out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (k = 0; k < (int)(sizeof values / sizeof *values); k++)
        SET_VECTOR_ELT(out, k, Rf_ScalarReal(values[k]));
    UNPROTECT(1);
    return out;
}

static SEXP R_labels(SEXP model)
{
    skm_info info;
    char *error, *label;
    SEXP out;
    int64_t i;

    if (CALL(describe, number(model), &info, &error) != SKM_OK)
        return failure(error);
    out = PROTECT(Rf_allocVector(STRSXP, info.classes));
    for (i = 0; i < info.classes; i++) {
        if (CALL(label, number(model), i, &label, &error) != SKM_OK) {
            UNPROTECT(1);
            return failure(error);
        }
        SET_STRING_ELT(out, i, STRING_ELT(text_of(label), 0));
    }
    UNPROTECT(1);
    return out;
}

/* The contents of a model as C has them, row after row; classes and rows count from 0. */
static SEXP R_parts(SEXP model)
{
    static const char *names[] = {"positive", "negative", "rows", "vectors", "coef", "bias", ""};
    skm_info info;
    char *error;
    int64_t *positive, *negative, *rows, i;
    SEXP out, p, n, r, x, c, b;

    if (CALL(describe, number(model), &info, &error) != SKM_OK)
        return failure(error);
    positive = (int64_t *)R_alloc(info.submodels, sizeof *positive);
    negative = (int64_t *)R_alloc(info.submodels, sizeof *negative);
    rows = (int64_t *)R_alloc(info.vectors, sizeof *rows);
    out = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(out, 0, p = Rf_allocVector(REALSXP, info.submodels));
    SET_VECTOR_ELT(out, 1, n = Rf_allocVector(REALSXP, info.submodels));
    SET_VECTOR_ELT(out, 2, r = Rf_allocVector(REALSXP, info.vectors));
    SET_VECTOR_ELT(out, 3, x = Rf_allocVector(REALSXP, info.vectors * info.features));
    SET_VECTOR_ELT(out, 4, c = Rf_allocVector(REALSXP, info.submodels * info.vectors));
    SET_VECTOR_ELT(out, 5, b = Rf_allocVector(REALSXP, info.submodels));
    UNPROTECT(1);
    if (CALL(parts, number(model), positive, negative, REAL(x), rows, REAL(c), REAL(b), &error) != SKM_OK)
        return failure(error);
    for (i = 0; i < info.submodels; i++) {
        REAL(p)[i] = (double)positive[i];
        REAL(n)[i] = (double)negative[i];
    }
    for (i = 0; i < info.vectors; i++)
        REAL(r)[i] = (double)rows[i];
    return out;
}

static SEXP R_sigmoids(SEXP model)
{
    skm_info info;
    char *error;
    SEXP out, a, b;

    if (CALL(describe, number(model), &info, &error) != SKM_OK)
        return failure(error);
    out = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(out, 0, a = Rf_allocVector(REALSXP, info.submodels));
    SET_VECTOR_ELT(out, 1, b = Rf_allocVector(REALSXP, info.submodels));
    UNPROTECT(1);
    if (CALL(sigmoids, number(model), REAL(a), REAL(b), &error) != SKM_OK)
        return failure(error);
    return out;
}

/* For each sample a column of decisions, probabilities, variances, sets (0 and 1), ends of intervals, or one class. */
static SEXP R_predict(SEXP model, SEXP samples, SEXP what, SEXP width, SEXP threads)
{
    const skm_samples *p = samples_of(samples);
    const char *asked = string(what);
    int64_t each = Rf_asInteger(width), total = p->n * each, i;
    int t = Rf_asInteger(threads), code = SKM_INVALID;
    skm_model m = number(model);
    char *error = NULL;
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, each, p->n));
    double *to = REAL(out);

    if (strcmp(asked, "decisions") == 0)
        code = CALL(decide_samples, m, p, to, NULL, NULL, t, &error);
    else if (strcmp(asked, "probabilities") == 0)
        code = CALL(decide_samples, m, p, NULL, NULL, to, t, &error);
    else if (strcmp(asked, "variances") == 0)
        code = CALL(variances, m, p->x, p->n, to, t, &error);
    else if (strcmp(asked, "intervals") == 0)
        code = CALL(intervals, m, p, to, t, &error);
    else if (strcmp(asked, "sets") == 0) {
        uint8_t *in = (uint8_t *)R_alloc(total, 1);

        code = CALL(sets, m, p, in, t, &error);
        for (i = 0; code == SKM_OK && i < total; i++)
            to[i] = in[i];
    } else if (strcmp(asked, "classes") == 0) {
        int64_t *classes = (int64_t *)R_alloc(total, sizeof *classes);

        code = CALL(decide_samples, m, p, NULL, classes, NULL, t, &error);
        for (i = 0; code == SKM_OK && i < total; i++)
            to[i] = (double)classes[i];
    }
    UNPROTECT(1);
    return code == SKM_OK ? out : failure(error);
}

static SEXP raw_of(void *data, size_t size)
{
    SEXP out = PROTECT(Rf_allocVector(RAWSXP, size));

    memcpy(RAW(out), data, size);
    free_text(data);
    UNPROTECT(1);
    return out;
}

static SEXP R_bytes(SEXP model, SEXP format)
{
    void *data;
    size_t size;
    char *error;

    if (CALL(bytes, number(model), string(format), &data, &size, &error) != SKM_OK)
        return failure(error);
    return raw_of(data, size);
}

static SEXP R_export(SEXP model, SEXP target, SEXP options)
{
    void *data;
    size_t size;
    char *error;

    if (CALL(export, number(model), string(target), string(options), &data, &size, &error) != SKM_OK)
        return failure(error);
    return raw_of(data, size);
}

static SEXP R_parse(SEXP bytes)
{
    skm_model model;
    char *error;

    if (TYPEOF(bytes) != RAWSXP)
        Rf_error("want the bytes of a model");
    if (CALL(parse, RAW(bytes), XLENGTH(bytes), &model, &error) != SKM_OK)
        return failure(error);
    return handle(model);
}

static SEXP R_methods(void)
{
    char *json, *error;

    if (CALL(methods, &json, &error) != SKM_OK)
        return failure(error);
    return text_of(json);
}

static const R_CallMethodDef routines[] = {
    {"C_path", (DL_FUNC)&R_path, 1},         {"C_alive", (DL_FUNC)&R_alive, 1},
    {"C_train", (DL_FUNC)&R_train, 2},       {"C_reduce", (DL_FUNC)&R_reduce, 3},
    {"C_distill", (DL_FUNC)&R_distill, 4},   {"C_describe", (DL_FUNC)&R_describe, 1},
    {"C_labels", (DL_FUNC)&R_labels, 1},     {"C_parts", (DL_FUNC)&R_parts, 1},
    {"C_sigmoids", (DL_FUNC)&R_sigmoids, 1}, {"C_predict", (DL_FUNC)&R_predict, 5},
    {"C_bytes", (DL_FUNC)&R_bytes, 2},       {"C_export", (DL_FUNC)&R_export, 3},
    {"C_parse", (DL_FUNC)&R_parse, 1},       {"C_methods", (DL_FUNC)&R_methods, 0},
    {NULL, NULL, 0},
};

void R_init_sparsekm(DllInfo *dll)
{
    R_registerRoutines(dll, NULL, routines, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
