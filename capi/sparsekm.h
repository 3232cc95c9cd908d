/*
 * sparsekm: sparse kernel machines from C.
 *
 *   go build -buildmode=c-shared -o libsparsekm.so ./capi
 *   cc -std=c99 program.c -L. -lsparsekm
 *
 * Every function may be called from any thread at any time, on the same model too. Matrices are row-major.
 *
 * A function that can fail returns SKM_OK or an error code. After an error *error, unless error is NULL, is a message;
 * skm_free_text frees it. Else *error is NULL. The other outputs are written only if the function returns SKM_OK.
 *
 * The library runs threads of its own, which do not survive fork(). A child process must not call the functions below.
 *
 * A model has one or more submodels, each with a decision function.
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
    SKM_INVALID = 1,  /* an invalid argument, option or sample */
    SKM_MODEL = 2,    /* a file or bytes that are no model, or a damaged one, or one of a later version */
    SKM_MEMORY = 3,   /* the training exceeds its memory budget, or a count what any may take */
    SKM_STOPPED = 4,  /* a stop or the time limit came before a result */
    SKM_INTERNAL = 5, /* a defect of the library */
    SKM_RUNNING = 6   /* the call goes on: see skm_watch */
};

enum { SKM_CLASSIFY = 0, SKM_REGRESS = 1, SKM_ONE_CLASS = 2, SKM_DENSITY = 3 };

/* An immutable model. 0 is no model; the number of a freed model stays invalid and is refused. */
typedef uint64_t skm_model;

typedef struct {
    int64_t features;     /* of a row; those of a table are coded, as `sparsekm info --json` lists them */
    int64_t classes;      /* 0 for regression and densities */
    int64_t submodels;    /* decision values a row */
    int64_t vectors;      /* support vectors, which the submodels share */
    int32_t task;         /* SKM_CLASSIFY, ... */
    int32_t probabilities; /* whether skm_probabilities can be called */
    int32_t variances;     /* whether skm_variances can be called */
    int32_t sparse;        /* whether the support vectors are sparse; skm_decide_samples is then faster on sparse samples */
    int32_t sets;          /* whether skm_sets, or for values skm_intervals, can be called */
    int64_t plain;         /* features of a row with a 0 or 1 for each category where the model has learned values, which
                              calls with skm_samples take too; else as features */
} skm_info;

/* Training samples. The library keeps no reference after the call. Set fields that you do not use to 0. */
typedef struct skm_samples {
    const double *x;            /* n x d features; for sparse samples the non-zero ones, row after row */
    int64_t n, d;
    const int64_t *y;           /* n classes, from 0 to classes - 1; NULL for other tasks than classification */
    const char *const *labels;  /* names of the classes, UTF-8; NULL for "0", "1", ... Of two, the last is positive. */
    int64_t classes;
    const double *values;       /* n regression targets; NULL for other tasks */
    const double *weight;       /* n weights >= 0; NULL for all 1. A sample of weight 0 is absent. */
    /* For sparse samples (CSR): n + 1 row starts in x and index, and the feature of each element of x, from 0, ascending
       in a row. NULL for dense samples. */
    const int64_t *start;
    const int32_t *index;
    /* The only samples that may become support vectors, for methods with candidates. Their labels must be labels of the
       training samples; their values and weights are ignored. NULL for the training samples themselves. */
    const struct skm_samples *candidates;
} skm_samples;

/* Progress and cancellation of a long call. */
typedef struct {
    const volatile int32_t *stop; /* the call ends soon after a thread or signal handler sets *stop to 1 */
    /* Called from time to time, by one thread at a time, not always the same one: done is from 0 to 1, or -1 if unknown.
       A result other than 0 stops the call. */
    int (*progress)(void *user, double done, const char *text);
    void *user;
    /* For callers that must look elsewhere now and then. If patience is above 0, a call that takes more milliseconds
       returns SKM_RUNNING and puts the number of its job into *job, else 0. skm_wait goes on waiting for it. Until it ends,
       all that the call's arguments point to must stay, but for model, report and error. */
    int64_t patience;
    uint64_t *job;
} skm_watch;

const char *skm_version(void);

/* Reads a model file or its bytes: .skm, JSON, LIBSVM or LIBLINEAR. */
int skm_load(const char *path, skm_model *model, char **error);
int skm_parse(const void *data, size_t size, skm_model *model, char **error);

/* Writes a model as "skm", "json" or "libsvm". skm_free_text frees the bytes. */
int skm_save(skm_model model, const char *path, const char *format, char **error);
int skm_bytes(skm_model model, const char *format, void **data, size_t *size, char **error);

int skm_describe(skm_model model, skm_info *info, char **error);
int skm_label(skm_model model, int64_t class_index, char **label, char **error);

/* The contents of a model; NULL leaves a part out. positive and negative: the classes of a submodel, negative is -1 for
   all others. vectors: vectors x features, in the units of rows. rows: the vectors' rows in the training samples, or -1.
   coef: submodels x vectors. bias: one a submodel. */
int skm_parts(skm_model model, int64_t *positive, int64_t *negative, double *vectors, int64_t *rows, double *coef,
              double *bias, char **error);

/* For n rows of features: n x submodels decision values (for regression and densities the predictions), n classes,
   n x classes probabilities. threads 0 means all processors; the results do not depend on it. */
int skm_decide(skm_model model, const double *x, int64_t n, double *decisions, int threads, char **error);
int skm_predict(skm_model model, const double *x, int64_t n, int64_t *classes, int threads, char **error);
int skm_probabilities(skm_model model, const double *x, int64_t n, double *probabilities, int threads, char **error);

/* The same for samples that may be sparse; NULL leaves a part out. */
int skm_decide_samples(skm_model model, const skm_samples *samples, double *decisions, int64_t *classes,
                      double *probabilities, int threads, char **error);

/* Platt's parameters, one of each a submodel: with the decision value f the probability of its positive class is
   1 / (1 + exp(a f + b)). For models with probabilities. */
int skm_sigmoids(skm_model model, double *a, double *b, char **error);

/* For n rows of features: n variances of the target, by noise and coefficients, in the square of the target's unit; the
   mean is the decision value. Relevance vector machines for regression (rvm, rvm-fast) have them, until they are
   reduced. */
int skm_variances(skm_model model, const double *x, int64_t n, double *variances, int threads, char **error);

/* For samples that may be sparse: n x classes numbers, 1 for a class in the sample's prediction set, else 0; or for values
   n x 2 ends of intervals. Models that were trained with coverage have them, until they are reduced. */
int skm_sets(skm_model model, const skm_samples *samples, uint8_t *in, int threads, char **error);
int skm_intervals(skm_model model, const skm_samples *samples, double *ends, int threads, char **error);

/* A column of a table: numbers, words, or what else has no number for each row. */
enum {
    SKM_NUMBERS = 0,
    SKM_TRUTH = 1, /* 0 or 1 */
    SKM_TIMES = 2, /* seconds since the beginning of 1970, of what a clock on the wall showed */
    SKM_WORDS = 3  /* text as a file has it: names, 1,234.50 EUR, 12 %, 31.12.2024 */
};
typedef struct {
    const char *name;      /* UTF-8; NULL for none. All columns have names, or none has. */
    int32_t kind;          /* SKM_NUMBERS, ... */
    const double *numbers; /* one for each row, NaN for a missing cell; NULL for words */
    const char *text;      /* of words: the bytes of all cells, one after the other */
    const int64_t *start;  /* of words: where the cell of each row begins in text, and the end of the last; n + 1 */
} skm_column;

/*
 * Reads the rows of a table as `sparsekm train` reads the file that has them, and makes features of its columns. targets
 * has n, and y, labels and classes or values, if rows have them. options is a JSON object:
 *
 *   columns      "auto" (default) finds what each column is; "numbers" takes all for numbers, with medians for missing ones
 *   categorical  names or indices of columns of which every word or number is a category
 *   drop         names or indices of columns to leave out
 *   label        name of the column that had the targets, which a later file may have
 *
 * *about is a JSON object: rows, features, notes on the columns, and their text. skm_table_rows writes rows x features
 * numbers, once; they train a model of the table with its number as the option table of skm_train or skm_reduce. skm_free frees
 * a table.
 */
int skm_table(const skm_column *columns, int64_t count, const skm_samples *targets, const char *options, uint64_t *table,
              char **about, char **error);
int skm_table_rows(uint64_t table, double *x, char **error);

/* The inverse: n rows of features as cells. *cells is a JSON array with an object for each column that has features: column,
   its index, and cells, the text of each row, empty for a missing cell that has a feature of its own. */
int skm_table_cells(uint64_t table, const double *x, int64_t n, char **cells, char **error);

/* Reads n rows of a table for a model of one, as `sparsekm predict` does: n x features numbers. Columns are found by their
   names, or else by their order. *about is a JSON object: unknown, the number of cells of new words, which count as none,
   and filled, that of missing cells by column. */
int skm_read(skm_model model, const skm_column *columns, int64_t count, int64_t n, double *x, char **about, char **error);

/*
 * Trains a model. options is a JSON object; only method is required:
 *
 *   method       "ssvc-b", "svc", "svr", ...: see skm_methods
 *   params       its parameters, such as {"c": 10}
 *   kernel       "rbf" (default), "linear", "poly", "sigmoid", "laplacian", "precomputed", "mahalanobis",
 *                "matern12", "matern32", "matern52", "rational-quadratic", "spline"
 *   gamma        a number, "10/d", "scale" (default), "auto" or "median"; or sigma, a number
 *   degree, coef0, alpha, delta   parameters of some kernels
 *   scale        "none" (default), "zscore", "minmax", "floored" or "auto"; the scaling becomes part of the model
 *   multiclass   "ovr" (default), "ovo" or "pairwise-fuzzy"
 *   widths       "learned": a weight for each feature
 *   categories   "learned", or "learned-2": a value, or two, for each category in place of features of 0 and 1
 *   columns      for these: how many features each column of the samples has, in their order: 1 for a number, else one
 *                for each category, which is 1 in the rows of this category and 0 in others
 *   table        the number of the table that the samples are features of, for the model to take its columns
 *   class_weight {"label": 2}: factors of the weights of classes
 *   refit        true: fit the coefficients again if that is better
 *   target_scale true: scale regression targets for the training
 *   calibrate    folds for probabilities
 *   brief        true: a report without vectors and coefficients, which skm_parts has
 *   coverage     0.9, say: prediction sets, or intervals, that contain this share of new samples; with by_class, true,
 *                of each class. They are fitted to about a quarter of the samples, which the training does without, or
 *                with coverage_folds, 2 or more, to a cross-validation, whose coverage is not proven.
 *   bound        0.95, say: a bound of the error rate with this confidence, in the report; bound_settings, the kernels
 *                and scalings that were compared
 *   threads, memory (bytes), time_limit (seconds)
 *
 * A limit or a stop with a usable model is no error: the report has the status. *report is a JSON object; watch and
 * report may be NULL.
 */
int skm_train(const skm_samples *samples, const char *options, const skm_watch *watch, skm_model *model, char **report,
              char **error);

/*
 * Makes a model with fewer vectors. samples are those of the training; y and values are optional, and samples may be NULL if
 * options have max_sv. options is a JSON object of max_sv (vectors), max_loss (percentage points of error),
 * tau (growth of the hinge loss), move (false: only remove vectors), table (of which the features are, as for skm_train),
 * threads, memory, time_limit.
 */
int skm_reduce(skm_model model, const skm_samples *samples, const char *options, const skm_watch *watch,
               skm_model *smaller, char **report, char **error);

/*
 * Trains a small model that follows another one, its teacher, of which values has what it says of the samples: columns
 * numbers for each. y and values of the samples are optional true labels or targets. ask, if it is not NULL, is asked about
 * new rows (n x d) and writes as many numbers for each to values; it returns 0, and anything else if it fails, which
 * ends the questions. It is called by one thread at a time, not always the same one. options is a JSON object of
 * kind ("probability", "logit", "score" or "value"), labels (of the classes, in the order of the numbers), max_sv,
 * max_bytes, max_ns, rounds, label_weight, seed, columns or table (as for skm_train), threads, memory, time_limit.
 */
typedef int (*skm_teacher)(void *user, const double *x, int64_t n, double *values);
int skm_distill(const skm_samples *samples, const double *values, int64_t columns, skm_teacher ask, void *user,
                const char *options, const skm_watch *watch, skm_model *student, char **report, char **error);

/* Writes a model as a program: "c", "go" or "onnx". options is a JSON object of name, float (C in single precision)
   and fixed (C of integers). skm_free_text frees the bytes. */
int skm_export(skm_model model, const char *target, const char *options, void **data, size_t *size, char **error);

/*
 * Training on samples that do not fit in one process. First a model is trained on each shard of the samples. Their support
 * vectors are the candidates of a last training, which selects some of them by sums over all samples, pass by pass. The
 * sums of shards are added.
 */
typedef struct {
    const double *vectors;     /* k x d, in the units of the samples */
    int64_t k, d;
    const char *const *labels; /* names of the classes, UTF-8; NULL for "0", "1", ... */
    int64_t classes;           /* 0 for regression */
} skm_pool;

/* The number of sums for so many vectors and classes; -1 for invalid numbers. */
int64_t skm_pool_length(int64_t vectors, int64_t classes);

/*
 * Adds the sums over samples to sums. The number of submodels is 1 for up to two classes and for regression, else the number
 * of classes. coef (submodels x k) and bias (submodels) are the arguments of skm_pool_ask; NULL for 0. options is a JSON
 * object of kernel, gamma or sigma (numbers), degree, coef0 and alpha, as in skm_train. The samples may lack some classes.
 */
int skm_pool_sums(const skm_pool *pool, const char *options, const skm_samples *samples, const double *coef,
                  const double *bias, double *sums, char **error);

/* Writes the sums over all samples for k vectors, coefficients and biases. A result other than 0 ends the training. The
   arguments are valid only during the call. */
typedef int (*skm_pool_ask)(void *user, const double *vectors, int64_t k, const double *coef, const double *bias,
                            double *sums);

/*
 * Trains a model. options has those of skm_pool_sums, c (weight of the errors, default 1), max_sv (50), gain (1e-3: the
 * least relative decrease of the remaining error by a further vector), passes (maximum, 30; at least 2), time_limit.
 * Repeated candidates are left out.
 */
int skm_pool_train(const skm_pool *candidates, const char *options, skm_pool_ask ask, void *user, const skm_watch *watch,
                   skm_model *model, char **report, char **error);

/* Waits so many milliseconds at most for a job, and ends as the call that began it would have, or with SKM_RUNNING. A job
   that has ended, of which the outputs were written, is forgotten. */
int skm_wait(uint64_t job, int64_t milliseconds, skm_model *model, char **report, char **error);

/* The methods with their parameters, as a JSON array. */
int skm_methods(char **json, char **error);

/* Frees a model or a table; calls in progress still have it. 0 is ignored. */
void skm_free(skm_model model);

/* Frees a text or bytes that a call returned. NULL is ignored. */
void skm_free_text(void *text);

#ifdef __cplusplus
}
#endif

#endif
