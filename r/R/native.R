# Calls of the library, and models as R keeps them.

.onLoad <- function(libname, pkgname)
    .Call(C_path, file.path(libname, pkgname, "lib", "libsparsekm.so"))

# The result of a .Call, whose error is raised in R's words.
native <- function(result) {
    if (inherits(result, "sparsekm_error")) stop(spoken(unclass(result)), call. = FALSE)
    result
}

# A message of the library with the names and the words of R.
spoken <- function(text) {
    rules <- c(
        "^(sparsekm|learn|gram|dataset|model|reduce|distill): " = "",
        "^options: " = "",
        "^json: cannot unmarshal (?:\\w+ )?(\\S+) into Go struct field (?:\\w+\\.)*(\\w+) of type (.*)$" =
            "\\2: found a \\1, want a \\3",
        "^json: unknown field \"?(\\w+)\"?" = "\\1: there is no such argument",
        "^no method (\"[^\"]*\") \\(have (.*); a Go program.*$" = "method: found \\1, want one of \\2",
        "^([a-z0-9-]+ does not learn )" = "method: \\1",
        "^unknown kernel (\"[^\"]*\"), want (.*)" = "kernel: found \\1, want \\2 or mahalanobis",
        "^unknown scaling " = "scale: found ",
        "^unknown scheme (\"[^\"]*\"), want binary," = "multiclass: found \\1, want",
        "^unknown file format " = "format: found ",
        "^a coverage of (\\S+), want" = "coverage: found \\1, want",
        "^(no prediction sets or intervals: train with) conformal calibration" = "coverage: \\1 a coverage",
        "^([a-z0-9-]+: stopped before anything was learnt): context deadline exceeded$" = "time_limit: \\1",
        "^(class .*)?([a-z-]+: no model has this nu)" = "nu: \\1\\2",
        "want a float64$" = "want a number",
        "want an? (int|int64|uint64)$" = "want a whole number",
        "want a bool$" = "want TRUE or FALSE",
        "the memory budget is " = "memory is ")
    for (pattern in names(rules)) text <- sub(pattern, rules[[pattern]], text, perl = TRUE)
    text
}

# A model of the library: its number in this process, and its bytes for others (saveRDS, parallel workers).
keep <- function(pointer) {
    kept <- new.env(parent = emptyenv())
    kept$pointer <- pointer
    kept$bytes <- native(.Call(C_bytes, pointer, "skm"))
    kept
}

pointer <- function(object) {
    kept <- object$model
    if (!is.environment(kept) || !is.raw(kept$bytes)) stop("object: found no model of this package", call. = FALSE)
    if (!.Call(C_alive, kept$pointer)) kept$pointer <- native(.Call(C_parse, kept$bytes))
    kept$pointer
}

# The model and the report, as JSON, of a training, whose status is optimal or comes with a warning.
trained <- function(result, good = "optimal") {
    result <- native(result)
    status <- sub('.*?"status":"([^"]*)".*', "\\1", result[[2L]], perl = TRUE)
    if (!is.null(good) && !status %in% good) warning("the training ended with: ", status, call. = FALSE)
    list(model = keep(result[[1L]]), report = result[[2L]])
}

# Samples for .Call: a matrix of numbers, or a sparse one of package Matrix.
samples <- function(x, ...) {
    if (is.matrix(x)) {
        storage.mode(x) <- "double"
        return(list(x = as.vector(t(x)), n = as.double(nrow(x)), d = as.double(ncol(x)), ...))
    }
    rows <- Matrix::t(x) # whose columns are the rows of x
    list(x = rows@x, n = as.double(ncol(rows)), d = as.double(nrow(rows)), start = rows@p, index = rows@i, ...)
}

is_sparse <- function(x) inherits(x, c("sparseMatrix", "matrix.csr", "simple_triplet_matrix"))

# A sparse matrix as dgCMatrix without stored zeros.
as_sparse <- function(x) {
    if (!inherits(x, "sparseMatrix"))
        stop("x: found a ", class(x)[1L], ", want a matrix, a data frame or a sparse matrix of package Matrix",
             call. = FALSE)
    if (!requireNamespace("Matrix", quietly = TRUE)) stop("x: sparse matrices need package Matrix", call. = FALSE)
    x <- methods::as(methods::as(x, "generalMatrix"), "CsparseMatrix")
    Matrix::drop0(methods::as(x, "dMatrix"))
}

# A matrix of answers for the samples, one row each.
answers <- function(object, x, what, width, threads)
    t(native(.Call(C_predict, pointer(object), samples(x), what, as.integer(width), threads)))

# The number of threads.
threads_of <- function(threads) whole(threads, "threads", 0)

# Checks of arguments, each of which an error names.
fail <- function(name, found, want)
    stop(name, ": found ", if (length(found) == 1L && is.atomic(found)) format(found) else kind(found), ", want ", want,
         call. = FALSE)

kind <- function(v) {
    if (is.null(v)) return("NULL")
    paste0(class(v)[1L], if (length(v) != 1L) paste(" of length", length(v)))
}

number <- function(v, name, least = -Inf, above = -Inf) {
    if (!is.numeric(v) || length(v) != 1L || !is.finite(v) || v < least || v <= above)
        fail(name, v, if (above > -Inf) paste("a finite number >", above) else
             if (least > -Inf) paste("a finite number >=", least) else "a finite number")
    as.double(v)
}

whole <- function(v, name, least) {
    if (!is.numeric(v) || length(v) != 1L || !is.finite(v) || v != floor(v) || v < least || v > .Machine$integer.max)
        fail(name, v, paste("a whole number >=", least))
    as.integer(v)
}

flag <- function(v, name) {
    if (!is.logical(v) || length(v) != 1L || is.na(v)) fail(name, v, "TRUE or FALSE")
    v
}

text <- function(v, name) {
    if (!is.character(v) || length(v) != 1L || is.na(v)) fail(name, v, "one text")
    v
}

finite <- function(x, name) {
    if (is.numeric(x) || is.logical(x)) {
        bad <- which(!is.finite(x))
        if (length(bad)) {
            at <- if (is.matrix(x)) arrayInd(bad[1L], dim(x)) else bad[1L]
            fail(sprintf("%s[%s]", name, paste(at, collapse = ", ")), x[bad[1L]], "a finite number")
        }
        return(invisible(x))
    }
    fail(name, x, "numbers")
}
