/*
 * sparsekm: sparse kernel machines from C.
 *
 *   go build -buildmode=c-shared -o libsparsekm.so ./capi
 *   cc -std=c99 program.c -L. -lsparsekm
 *
 * Every function may be called from any thread at any time, on the same model too. Matrices are row-major.
 *
 * What can fail returns SKM_OK or a code of what went wrong. Then *error, unless error is NULL, is a sentence that
 * skm_free_text frees; else *error is NULL. What else a call writes to is only written when it returns SKM_OK.
 *
 * The library runs threads of its own. They do not survive fork(): a child may exec, or return errors of its own, but
 * must not call what is declared here.
 */
#ifndef SPARSEKM_H
#define SPARSEKM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKM_OK = 0,
    SKM_INVALID = 1,  /* an argument, an option or the points */
    SKM_MODEL = 2,    /* a file or bytes that are no model, or a damaged one, or that of a later version */
    SKM_MEMORY = 3,   /* the training does not fit its budget */
    SKM_STOPPED = 4,  /* a stop or the time limit came before there was a result */
    SKM_INTERNAL = 5  /* a defect of the library */
};

enum { SKM_CLASSIFY = 0, SKM_REGRESS = 1, SKM_ONE_CLASS = 2, SKM_DENSITY = 3 };

/* A model that does not change. 0 is none; a number that was freed stays invalid for ever, and is refused. */
typedef uint64_t skm_model;

typedef struct {
    int64_t features;     /* of a row */
    int64_t classes;      /* 0 for real values and densities */
    int64_t machines;     /* decisions a row */
    int64_t vectors;      /* that the machines share */
    int32_t task;         /* SKM_CLASSIFY, ... */
    int32_t probabilities; /* whether skm_probabilities can be called */
    int32_t variances;     /* whether skm_variances can be called */
    int32_t sparse;        /* whether the vectors are kept without zeros; skm_decide_points is faster on sparse points then */
} skm_info;

/* Points to learn from. Nothing is kept after the call. Fields that a program does not know are 0. */
typedef struct skm_points {
    const double *x;            /* n x d features; of sparse points those that are listed, row after row */
    int64_t n, d;
    const int64_t *y;           /* n classes, from 0 to classes - 1; NULL for values, one class and a density */
    const char *const *labels;  /* names of the classes, UTF-8; NULL for "0", "1", ... Of two, the last is positive. */
    int64_t classes;
    const double *values;       /* n real targets; NULL for all but values */
    const double *weight;       /* n weights >= 0; NULL for all 1. A point of weight 0 is an absent point. */
    /* Of sparse points n + 1 starts of rows in x and index, the last one where they end, and for each element of x its
       feature, from 0, ascending in a row (CSR). NULL for points with every 0. */
    const int64_t *start;
    const int32_t *index;
    /* The points that alone may be vectors, for methods that take such; their labels are looked up among those of the
       points, their values and weights are not looked at. NULL for the points themselves. */
    const struct skm_points *candidates;
} skm_points;

/* How to look after a long call. */
typedef struct {
    const volatile int32_t *stop; /* the call ends soon after *stop is not 0, which any thread or signal handler sets */
    /* Called now and then, by one thread at a time, not always the same: done is from 0 to 1, or -1 where nobody
       knows. What it returns stops the call unless it is 0. */
    int (*progress)(void *user, double done, const char *text);
    void *user;
} skm_watch;

const char *skm_version(void);

/* Reads a model file, or its bytes: our own formats or LIBSVM's. */
int skm_load(const char *path, skm_model *model, char **error);
int skm_parse(const void *data, size_t size, skm_model *model, char **error);

/* Writes a model as "skm", "json" or "libsvm". skm_free_text frees the bytes. */
int skm_save(skm_model model, const char *path, const char *format, char **error);
int skm_bytes(skm_model model, const char *format, void **data, size_t *size, char **error);

int skm_describe(skm_model model, skm_info *info, char **error);
int skm_label(skm_model model, int64_t class_index, char **label, char **error);

/* What the decisions are made of; NULL leaves a part out. positive and negative: the classes that a machine tells apart,
   negative -1 for all others. vectors: vectors x features, in the units of rows. rows: those of the training points that
   they are, or -1. coef: machines x vectors. bias: one a machine. */
int skm_parts(skm_model model, int64_t *positive, int64_t *negative, double *vectors, int64_t *rows, double *coef,
              double *bias, char **error);

/* Of n rows of features: n x machines decisions (of values and densities: these), n classes, n x classes probabilities.
   threads 0 means all processors; the results do not depend on it. */
int skm_decide(skm_model model, const double *x, int64_t n, double *decisions, int threads, char **error);
int skm_predict(skm_model model, const double *x, int64_t n, int64_t *classes, int threads, char **error);
int skm_probabilities(skm_model model, const double *x, int64_t n, double *probabilities, int threads, char **error);

/* The same of points that may be sparse; NULL leaves a part out. */
int skm_decide_points(skm_model model, const skm_points *points, double *decisions, int64_t *classes,
                      double *probabilities, int threads, char **error);

/* Of n rows of features: n variances, of the noise and of the coefficients, in the square of the target's unit; the mean
   is the decision. The relevance vector machines of real values (rvm, rvm-fast) know them, until they are reduced. */
int skm_variances(skm_model model, const double *x, int64_t n, double *variances, int threads, char **error);

/*
 * Trains. options is a JSON object; only method must be there:
 *
 *   method       "ssvc-b", "svc", "svr", ...: see skm_methods
 *   params       its parameters, such as {"c": 10}
 *   kernel       "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", "mahalanobis"
 *   gamma        a number, "10/d", "scale" (default), "auto" or "median"; or sigma, a number
 *   degree, coef0, delta   of the kernels that have them
 *   scale        "none" (default), "zscore", "minmax" or "auto"; the scaling becomes part of the model
 *   multiclass   "ovr" (default), "ovo" or "pairwise-fuzzy"
 *   widths       "learned": a weight for each feature
 *   refit        true: coefficients fitted again where that is better
 *   target_scale true: real targets are scaled for the training
 *   calibrate    folds for probabilities
 *   threads, memory (bytes), time_limit (seconds)
 *
 * A limit or a stop that leaves a usable machine is no error: the report's status says it. *report is a JSON object;
 * watch and report may be NULL.
 */
int skm_train(const skm_points *points, const char *options, const skm_watch *watch, skm_model *model, char **report,
              char **error);

/*
 * Makes a model with fewer vectors. points are those that it was trained on; y and values are not needed, and points
 * may be NULL if options say max_sv. options is a JSON object of max_sv (vectors), max_loss (percentage points of error),
 * tau (growth of the hinge loss), move (false: only remove vectors), threads, memory, time_limit.
 */
int skm_reduce(skm_model model, const skm_points *points, const char *options, const skm_watch *watch,
               skm_model *smaller, char **report, char **error);

/*
 * Training on points that no process holds. Machines of shards of the points have been trained; their vectors are the
 * candidates of a last training, which selects some of them and asks for sums over all points, pass by pass. The sums of
 * shards are added.
 */
typedef struct {
    const double *vectors;     /* k x d, in the units of the points */
    int64_t k, d;
    const char *const *labels; /* names of the classes, UTF-8; NULL for "0", "1", ... */
    int64_t classes;           /* 0 for real values */
} skm_pool;

/* How many sums there are of so many vectors and classes; -1 for numbers that cannot be. */
int64_t skm_pool_length(int64_t vectors, int64_t classes);

/*
 * Adds the sums of points to those in sums. machines is 1 for up to two classes and for values, else one a class.
 * coef (machines x k) and bias (machines) are those that are asked for; NULL for 0. options is a JSON object of kernel,
 * gamma or sigma (numbers), degree and coef0, as of skm_train. Points need not be of all classes.
 */
int skm_pool_sums(const skm_pool *pool, const char *options, const skm_points *points, const double *coef,
                  const double *bias, double *sums, char **error);

/* Writes the sums over all points for k vectors, coefficients and biases; what it returns ends the training unless it is
   0. The arguments are only there during the call. */
typedef int (*skm_pool_ask)(void *user, const double *vectors, int64_t k, const double *coef, const double *bias,
                            double *sums);

/*
 * Trains. options has those of skm_pool_sums, c (weight of the errors, default 1), max_sv (50), gain (1e-3: the least part
 * of what is left that a further vector takes off), passes (at most, 30; at least 2), time_limit. Repeated candidates are
 * left out.
 */
int skm_pool_train(const skm_pool *candidates, const char *options, skm_pool_ask ask, void *user, const skm_watch *watch,
                   skm_model *model, char **report, char **error);

/* The methods with their parameters, as a JSON array. */
int skm_methods(char **json, char **error);

/* Ends a model; calls that are under way still have it. 0 is ignored. */
void skm_free(skm_model model);

/* Frees a text or bytes that a call returned. NULL is ignored. */
void skm_free_text(void *text);

#ifdef __cplusplus
}
#endif

#endif
