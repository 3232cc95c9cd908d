# All methods of the library by their names.

sparsekm <- function(x, ...) UseMethod("sparsekm")

sparsekm.formula <- function(formula, data = NULL, ..., subset, na.action = na.omit) {
    call <- match.call()
    asked <- match.call(expand.dots = FALSE)
    asked <- asked[c(1L, match(c("formula", "data", "subset"), names(asked), 0L))]
    asked[[1L]] <- quote(stats::model.frame)
    asked$na.action <- na.action
    frame <- eval(asked, parent.frame())
    terms <- attr(frame, "terms")
    if (any(attr(terms, "order") > 1L) || !is.null(attr(terms, "offset")))
        stop("formula: found an interaction or an offset, want variables with + between them", call. = FALSE)
    out <- sparsekm.default(frame[attr(terms, "term.labels")], model.response(frame), ...)
    out$call <- call
    out$terms <- terms
    out$na.action <- attr(frame, "na.action")
    out
}

sparsekm.default <- function(x, y = NULL, method = NULL, ..., kernel = NULL, gamma = NULL, sigma = NULL, degree = NULL,
                             coef0 = NULL, alpha = NULL, delta = NULL, scale = "auto", multiclass = NULL, widths = NULL,
                             categories = NULL, refit = FALSE, target_scale = FALSE, probability = FALSE,
                             coverage = NULL, by_class = FALSE, coverage_folds = NULL, weights = NULL,
                             candidates = NULL, threads = getOption("sparsekm.threads", 1L), memory = NULL,
                             time_limit = NULL) {
    call <- match.call()
    call[[1L]] <- as.name("sparsekm")
    columns <- columns_of(x)
    coded <- whole_rows(coded_as(x, columns, "x"), "x")
    given <- targets_of(y, nrow(coded))
    if (is.null(method))
        method <- if (!is.null(given$y)) "ssvc-b" else if (!is.null(given$values)) "ssvr-b" else "sparse-one-class"
    options <- list(method = text(method, "method"), kernel = kernel, gamma = gamma, sigma = sigma, degree = degree,
                    coef0 = coef0, alpha = alpha, delta = delta, scale = scale, multiclass = multiclass,
                    widths = widths, categories = categories, coverage = coverage, coverage_folds = coverage_folds, memory = memory,
                    time_limit = time_limit, refit = flag(refit, "refit"),
                    target_scale = flag(target_scale, "target_scale"), by_class = flag(by_class, "by_class"),
                    threads = threads_of(threads))
    one_each(options)
    options$params <- params_of(...)
    if (flag(probability, "probability")) options$calibrate <- 5
    if (!is.null(categories)) options$columns <- I(widths_of(columns))
    if (!is.null(weights)) {
        if (!is.numeric(weights) || length(weights) != nrow(coded) || any(!is.finite(weights) | weights < 0))
            fail("weights", weights, paste(nrow(coded), "finite numbers >= 0"))
        given$weight <- as.double(weights)
    }
    if (!is.null(candidates)) given["candidates"] <- list(do.call(samples, candidates_of(candidates, columns, given)))
    fit <- trained(.Call(C_train, do.call(samples, c(list(coded), given)), to_json(options)),
                   c("optimal", "size reached", "gap open", "local optimum", "fixed point"))
    new_sparsekm(fit, call = call, method = method, columns = columns, threads = options$threads)
}

# Objects of class sparsekm, with what every model has.
new_sparsekm <- function(fit, ...) {
    if (!is.null(fit$report)) fit$report <- from_json(fit$report)
    about <- native(.Call(C_describe, pointer(fit)))
    out <- c(list(...), fit, list(
        task = c("classify", "regress", "one-class", "density")[about$task + 1],
        levels = native(.Call(C_labels, pointer(fit))),
        features = as.integer(about$features), plain = as.integer(about$plain), tot.nSV = as.integer(about$vectors),
        submodels = as.integer(about$submodels), probabilities = about$probabilities == 1,
        variances = about$variances == 1, sets = about$sets == 1))
    structure(out, class = "sparsekm")
}

params_of <- function(...) {
    params <- list(...)
    named <- names(params)
    if (length(params) && (is.null(named) || any(!nzchar(named))))
        stop("...: found a value without a name, want parameters of the method, as in c = 10", call. = FALSE)
    one_each(params)
    structure(params, names = if (length(params)) tolower(named) else character())
}

one_each <- function(options)
    for (name in names(options)) {
        v <- options[[name]]
        if (!is.null(v) && (!is.atomic(v) || length(v) != 1L || is.na(v))) fail(name, v, "one number, text or flag")
        if (is.numeric(v) && !is.finite(v)) fail(name, v, "a finite number")
    }

targets_of <- function(y, n) {
    if (is.null(y)) return(list())
    if (is.array(y)) y <- as.vector(y)
    if (!is.numeric(y) && !is.factor(y) && !is.character(y) && !is.logical(y))
        fail("y", y, "a factor, texts or numbers")
    if (length(y) != n) fail("y", y, paste("one value for each of", n, "samples"))
    if (anyNA(y)) stop("y: element ", which(is.na(y))[1L], " is NA", call. = FALSE)
    if (is.numeric(y)) return(list(values = as.double(finite(y, "y"))))
    y <- droplevels(as.factor(y))
    if (nlevels(y) < 2L) fail("y", paste("one class,", levels(y)), "at least two")
    list(y = as.integer(y) - 1L, labels = levels(y))
}

candidates_of <- function(candidates, columns, given) {
    if (!is.list(candidates) || is.null(candidates$x)) fail("candidates", candidates, "a list of x and y")
    x <- coded_as(candidates$x, columns, "candidates$x")
    if (is.null(given$y)) return(list(x))
    y <- match(as.character(candidates$y), given$labels)
    if (length(y) != nrow(x) || anyNA(y)) fail("candidates$y", candidates$y, paste("classes of", nrow(x), "candidates"))
    list(x, y = y - 1L, labels = given$labels)
}

# What the columns of a table are: NULL for a matrix, else for each column NULL for numbers, or its categories.
columns_of <- function(x) {
    if (!is.data.frame(x)) return(NULL)
    if (!ncol(x)) fail("x", "no columns", "at least one")
    lapply(structure(as.list(x), names = names(x)), function(v)
        if (is.factor(v)) levels(droplevels(v))
        else if (is.character(v) || is.logical(v)) sort(unique(as.character(v))))
}

widths_of <- function(columns) {
    if (is.null(columns)) fail("categories", "a matrix as x", "a data frame with factors")
    pmax(lengths(columns), 1L)
}

# Samples as a matrix of numbers, with a column of 0 and 1 for each category. NA stays NA.
coded_as <- function(x, columns, name) {
    if (is_sparse(x)) return(as_sparse(x))
    if (is.null(columns)) {
        x <- numeric_matrix(x, name)
        if (!nrow(x) || !ncol(x)) fail(name, x, "at least one row and one column")
        return(present(x, name))
    }
    if (!is.data.frame(x)) fail(name, x, "a data frame")
    if (!nrow(x)) fail(name, "no rows", "at least one")
    lack <- setdiff(names(columns), names(x))
    if (length(lack)) fail(name, paste("no column", lack[1L]), paste("columns", paste(names(columns), collapse = ", ")))
    do.call(cbind, lapply(structure(names(columns), names = names(columns)), function(n)
        coded_column(x[[n]], columns[[n]], paste0(name, "$", n))))
}

coded_column <- function(v, levels, name) {
    if (is.null(levels)) {
        if (!is.numeric(v)) fail(name, v, "numbers")
        v <- as.matrix(v) # what poly() makes has several columns
        return(present(`storage.mode<-`(v, "double"), name))
    }
    v <- as.character(v)
    new <- setdiff(v[!is.na(v)], levels)
    if (length(new)) fail(name, new[1L], paste("one of", paste(levels, collapse = ", ")))
    out <- outer(v, levels, "==") + 0
    colnames(out) <- levels
    out
}

# The samples, if none has an NA.
whole_rows <- function(x, name) {
    absent <- if (!is_sparse(x)) which(rowSums(is.na(x)) > 0)
    if (length(absent)) stop(name, ": row ", absent[1L], " has an NA; na.omit() leaves such rows out", call. = FALSE)
    x
}

# Numbers that are finite or NA.
present <- function(x, name) {
    finite(ifelse(is.na(x) & !is.nan(x), 0, x), name)
    x
}

predict.sparsekm <- function(object, newdata, type = NULL, ...) {
    kinds <- c("class", "response", "decision", "probability", "variance", "set", "interval")
    if (is.null(type)) type <- if (object$task == "classify") "class" else "response"
    type <- kinds[choice(type, kinds, "type")]
    classes <- object$task == "classify"
    has <- c(class = classes, response = !classes, decision = TRUE, probability = object$probabilities,
             variance = object$variances, set = object$sets && classes, interval = object$sets && !classes)
    if (!has[[type]])
        fail("type", type, paste("one of", paste(names(has)[has], collapse = ", "), "for this model"))
    if (missing(newdata)) stop("newdata: it is missing", call. = FALSE)
    named <- if (is_sparse(newdata)) NULL else rownames(newdata)
    if (is.null(object$columns) && is.atomic(newdata) && is.null(dim(newdata)) && is.numeric(newdata))
        newdata <- matrix(newdata, ncol = if (object$features == 1L) 1L else length(newdata))
    if (!is.null(object$terms)) newdata <- frame_of(object, newdata, stats::na.pass)
    x <- coded_as(newdata, object$columns, "newdata")
    if (!ncol(x) %in% c(object$features, object$plain))
        fail("newdata", paste(ncol(x), "features"), paste(object$plain, "as the model has"))
    whole <- if (is_sparse(x)) seq_len(nrow(x)) else which(rowSums(is.na(x)) == 0)
    found <- if (length(whole)) predicted(object, x[whole, , drop = FALSE], type)
    all <- match(seq_len(nrow(x)), whole)
    if (is.null(found)) return(rep(NA, nrow(x)))
    if (is.matrix(found)) return(structure(found[all, , drop = FALSE], dimnames = list(named, colnames(found))))
    structure(found[all], names = named)
}

# Answers for samples without NA.
predicted <- function(object, x, type) {
    ask <- function(what, width) answers(object, x, what, width, object$threads)
    k <- length(object$levels)
    switch(type,
        class = factor(object$levels[ask("classes", 1L) + 1L], object$levels),
        response = if (object$task == "one-class") drop(ask("decisions", 1L)) > 0 else drop(ask("decisions", 1L)),
        decision = drop(ask("decisions", object$submodels)),
        probability = `colnames<-`(ask("probabilities", k), object$levels),
        variance = drop(ask("variances", 1L)),
        set = `colnames<-`(ask("sets", k) == 1, object$levels),
        interval = `colnames<-`(ask("intervals", 2L), c("lower", "upper")))
}

print.sparsekm <- function(x, ...) {
    what <- c(classify = "classification", regress = "regression", "one-class" = "novelty detection",
              density = "density")
    cat(if (is.null(x$method)) "a model" else x$method, ": ", what[[x$task]], ", ", x$tot.nSV, " support vectors, ",
        x$features, " features\n", sep = "")
    if (x$task == "classify") cat("classes:", x$levels, "\n")
    if (!is.null(x$report$status)) cat("status:", x$report$status, "\n")
    invisible(x)
}

summary.sparsekm <- function(object, ...) {
    p <- native(.Call(C_parts, pointer(object)))
    list(
        support_vectors = matrix(p$vectors, ncol = object$features, byrow = TRUE),
        index = ifelse(p$rows < 0, NA, p$rows + 1), coefs = t(matrix(p$coef, length(p$bias), byrow = TRUE)),
        bias = p$bias,
        positive = object$levels[p$positive + 1], negative = object$levels[ifelse(p$negative < 0, NA, p$negative) + 1],
        report = object$report)
}

sparsekm_methods <- function() {
    all <- from_json(native(.Call(C_methods)))
    each <- function(f) vapply(all, f, "")
    data.frame(method = each(function(m) m$name), tasks = each(function(m) paste(m$tasks, collapse = ", ")),
               parameters = each(function(m) paste(vapply(m$params, `[[`, "", "name"), collapse = ", ")),
               about = each(function(m) m$about), paper = each(function(m) m$paper))
}

save_model <- function(object, path, format = NULL) {
    path <- path.expand(text(path, "path"))
    if (is.null(format)) format <- switch(tools::file_ext(path), skm = "skm", json = "json", "libsvm")
    writeBin(native(.Call(C_bytes, model_of(object), text(format, "format"))), path)
    invisible(path)
}

load_model <- function(path) {
    path <- path.expand(text(path, "path"))
    size <- file.size(path)
    if (is.na(size) || dir.exists(path)) stop("path: there is no file ", path, call. = FALSE)
    fit <- list(model = keep(native(.Call(C_parse, readBin(path, "raw", size)))))
    new_sparsekm(fit, threads = threads_of(getOption("sparsekm.threads", 1L)))
}

export_c <- function(object, path = NULL, name = NULL, float = FALSE) {
    options <- list(name = if (!is.null(name)) text(name, "name"), float = flag(float, "float"))
    code <- native(.Call(C_export, model_of(object), "c", to_json(options)))
    if (is.null(path)) return(rawToChar(code))
    writeBin(code, path.expand(text(path, "path")))
    invisible(path)
}

# The model of an object of sparsekm(); that of svm() knows no scaling, which is R's, and would be wrong elsewhere.
model_of <- function(object) {
    if (inherits(object, "sparsekm_svm") && !any(object$scaled)) return(pointer(object))
    if (!inherits(object, "sparsekm")) {
        fail("object", object, if (!inherits(object, "svm")) "a model of sparsekm()"
                               else "a model of sparsekm(method = \"svc\"), which contains its scaling")
    }
    pointer(object)
}

reduce <- function(object, x = NULL, y = NULL, max_sv = NULL, max_loss = NULL, tau = NULL, move = NULL,
                   threads = getOption("sparsekm.threads", 1L), memory = NULL, time_limit = NULL) {
    if (!inherits(object, "sparsekm")) fail("object", object, "a model of sparsekm()")
    options <- list(max_sv = max_sv, max_loss = max_loss, tau = tau, move = move, memory = memory,
                    time_limit = time_limit)
    one_each(options)
    if (is.null(x) && is.null(max_sv))
        stop("max_sv: want a number of support vectors, if there are no samples x", call. = FALSE)
    given <- NULL
    if (!is.null(x)) {
        if (!is.null(object$terms)) x <- frame_of(object, x, stats::na.pass, "x")
        coded <- whole_rows(coded_as(x, object$columns, "x"), "x")
        given <- do.call(samples, c(list(coded), truths_of(y, nrow(coded), object)))
    }
    options$threads <- threads_of(threads)
    fit <- trained(.Call(C_reduce, pointer(object), given, to_json(options)), NULL)
    new_sparsekm(fit, call = match.call(), method = object$method, columns = object$columns, terms = object$terms,
                 threads = options$threads)
}

truths_of <- function(y, n, object) {
    if (is.null(y)) return(NULL)
    if (length(y) != n) fail("y", y, paste("one value for each of", n, "samples"))
    if (object$task != "classify") return(list(values = as.double(finite(y, "y"))))
    code <- match(as.character(y), object$levels)
    if (anyNA(code)) fail("y", as.character(y)[is.na(code)][1L], paste("one of", paste(object$levels, collapse = ", ")))
    list(y = code - 1L, labels = object$levels)
}

distill <- function(x, answers, y = NULL, kind = NULL, max_sv = NULL, max_bytes = NULL, max_ns = NULL,
                    label_weight = NULL, seed = NULL, threads = getOption("sparsekm.threads", 1L), memory = NULL,
                    time_limit = NULL) {
    columns <- columns_of(x)
    coded <- whole_rows(coded_as(x, columns, "x"), "x")
    if (!is.numeric(answers)) fail("answers", answers, "numbers")
    answers <- as.matrix(answers)
    if (nrow(answers) != nrow(coded)) fail("answers", answers, paste(nrow(coded), "rows"))
    finite(answers, "answers")
    classes <- ncol(answers) > 1L
    labels <- colnames(answers)
    if (classes && is.null(labels)) fail("answers", "no names of columns", "the classes as names")
    if (is.null(kind)) kind <- if (classes) "probability" else "value"
    given <- truths_of(y, nrow(coded), list(task = if (classes) "classify" else "regress", levels = labels))
    options <- list(kind = kind, max_sv = max_sv, max_bytes = max_bytes, max_ns = max_ns, label_weight = label_weight,
                    seed = seed, memory = memory, time_limit = time_limit)
    one_each(options)
    options$threads <- threads_of(threads)
    options$labels <- if (classes) I(labels)
    if (any(lengths(columns) > 1L)) options$columns <- I(widths_of(columns))
    fit <- trained(.Call(C_distill, do.call(samples, c(list(coded), given)), as.vector(t(answers)) + 0, ncol(answers),
                         to_json(options)), NULL)
    new_sparsekm(fit, call = match.call(), method = "distill", columns = columns, threads = options$threads)
}
