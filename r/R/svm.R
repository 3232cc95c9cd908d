# Support vector machines with the interface of e1071's svm().

types <- c("C-classification", "nu-classification", "one-classification", "eps-regression", "nu-regression")
kernels <- c("linear", "polynomial", "radial", "sigmoid")

svm <- function(x, ...) UseMethod("svm")

svm.formula <- function(formula, data = NULL, ..., subset, na.action = na.omit, scale = TRUE) {
    call <- match.call()
    if (is.matrix(data)) data <- as.data.frame(data)
    asked <- match.call(expand.dots = FALSE)
    asked <- asked[c(1L, match(c("formula", "subset"), names(asked), 0L))]
    asked[[1L]] <- quote(stats::model.frame)
    asked$data <- data
    asked$na.action <- na.action
    frame <- eval(asked, parent.frame())
    terms <- attr(frame, "terms")
    attr(terms, "intercept") <- 0L
    x <- model.matrix(terms, frame)
    if (length(scale) == 1L) scale <- rep(scale, ncol(x))
    if (length(scale) != ncol(x)) fail("scale", scale, paste("1 or", ncol(x), "flags"))
    factors <- which(labels(terms) %in% names(attr(x, "contrasts")))
    scale <- scale & !attr(x, "assign") %in% factors
    out <- svm.default(x, model.response(frame), scale = scale, ..., na.action = na.action)
    call[[1L]] <- as.name("svm")
    out$call <- call
    out$terms <- terms
    out$xlevels <- stats::.getXlevels(terms, frame)
    if (!is.null(attr(frame, "na.action"))) out$na.action <- attr(frame, "na.action")
    class(out) <- c("sparsekm_svm", "svm.formula", "svm")
    out
}

svm.default <- function(x, y = NULL, scale = TRUE, type = NULL, kernel = "radial", degree = 3,
                        gamma = if (is.vector(x)) 1 else 1 / ncol(x), coef0 = 0, cost = 1, nu = 0.5,
                        class.weights = NULL, cachesize = 40, tolerance = 0.001, epsilon = 0.1, shrinking = TRUE,
                        cross = 0, probability = FALSE, fitted = TRUE, threads = getOption("sparsekm.threads", 1L), ...,
                        subset, na.action = na.omit) {
    if (...length()) fail("...", surplus(...), "no further arguments")
    call <- match.call()
    call[[1L]] <- as.name("svm")
    if (is.null(x)) fail("x", x, "a matrix or data frame of numbers")
    if (is.character(y) || is.logical(y)) y <- factor(y)
    type <- svm_type(type, y)
    kernel <- choice(kernel, kernels, "kernel")
    data <- svm_data(x, y, type, if (missing(subset)) NULL else subset, na.action)
    means <- list(type = type, kernel = kernel, cost = number(cost, "cost", above = 0),
                  gamma = if (kernel == 1L) gamma else number(gamma, "gamma", above = 0),
                  degree = whole(degree, "degree", 1), coef0 = number(coef0, "coef0"), nu = svm_nu(nu),
                  epsilon = number(epsilon, "epsilon", 0), tolerance = number(tolerance, "tolerance", above = 0),
                  probability = flag(probability, "probability"), threads = threads_of(threads))
    scaled <- svm_scale(data$x, data$y, scale, type)
    coded <- svm_classes(scaled$y, type)
    cross <- whole(cross, "cross", 0)
    n <- nrow(scaled$x)
    if (cross > n) fail("cross", cross, paste("at most", n, "folds"))
    weight <- svm_weights(class.weights, coded, type)
    out <- svm_train(scaled$x, coded, weight, means)
    out <- c(list(call = call), means[c("type", "kernel", "cost", "degree", "gamma", "coef0", "nu", "epsilon")],
             list(sparse = is_sparse(scaled$x)), scaled[c("scaled", "x.scale", "y.scale")],
             list(levels = coded$levels), out, list(compprob = probability, na.action = data$na.action))
    out$type <- type - 1L
    out$kernel <- kernel - 1L
    out$threads <- means$threads
    if (probability && type > 3L) out$sigma <- svm_sigma(scaled$x, coded, means)
    if (cross > 0L) out <- c(out, svm_cross(scaled$x, coded, weight, means, cross, scaled$y.scale$"scaled:scale"))
    class(out) <- c("sparsekm_svm", "svm")
    if (fitted) {
        found <- svm_predict(out, scaled$x, TRUE, FALSE)
        names(found) <- rownames_of(data$x)
        out$decision.values <- attr(found, "decision.values")
        attr(found, "decision.values") <- NULL
        out$fitted <- found
        if (type > 3L) out$residuals <- data$y - found
    }
    out
}

surplus <- function(...) {
    named <- names(list(...))
    if (any(nzchar(named))) paste(named[nzchar(named)], collapse = ", ") else "values without names"
}

choice <- function(v, of, name) {
    k <- if (is.character(v) && length(v) == 1L) pmatch(v, of) else NA
    if (is.na(k)) fail(name, v, paste0("one of ", paste(of, collapse = ", ")))
    k
}

svm_type <- function(type, y) {
    if (!is.null(type)) return(choice(type, types, "type"))
    if (is.null(y)) 3L else if (is.factor(y)) 1L else 4L
}

svm_nu <- function(nu) {
    if (!is.numeric(nu) || length(nu) != 1L || !isTRUE(nu > 0 && nu <= 1)) fail("nu", nu, "a number > 0, at most 1")
    as.double(nu)
}

rownames_of <- function(x) if (is.null(rownames(x))) seq_len(nrow(x)) else rownames(x)

# The samples as a matrix of numbers, without the rows that na.action leaves out.
svm_data <- function(x, y, type, subset, na.action) {
    x <- if (is_sparse(x)) as_sparse(x) else numeric_matrix(x)
    if (!is.null(subset)) {
        chosen <- structure(seq_len(nrow(x)), names = rownames(x))[subset]
        if (anyNA(chosen)) stop("subset: it names rows that x does not have", call. = FALSE)
        x <- x[chosen, , drop = FALSE]
        y <- y[chosen]
    }
    absent <- attr(x, "na.action")
    if (type != 3L) {
        if (is.null(y)) fail("y", y, "a factor or numbers")
        if (is.array(y)) y <- as.vector(y)
        if (!is.factor(y) && !is.numeric(y)) fail("y", y, "a factor or numbers")
        if (length(y) != nrow(x)) fail("y", y, paste("one value for each of the", nrow(x), "rows of x"))
    }
    if (!is_sparse(x)) {
        complete <- na.action(if (type == 3L) data.frame(row = seq_len(nrow(x)), x = I(x))
                              else data.frame(row = seq_len(nrow(x)), x = I(x), y = y))
        absent <- c(absent, attr(complete, "na.action"))
        if (nrow(complete) < nrow(x)) {
            x <- x[complete$row, , drop = FALSE]
            y <- y[complete$row]
        }
    }
    if (nrow(x) < 1L || ncol(x) < 1L)
        fail("x", paste(nrow(x), "rows and", ncol(x), "columns without NA"), "at least one of each")
    finite(if (is_sparse(x)) x@x else x, "x")
    if (is.numeric(y)) finite(y, "y")
    list(x = x, y = y, na.action = absent)
}

numeric_matrix <- function(x, name = "x") {
    numbers <- if (is.data.frame(x)) all(vapply(x, function(v) is.numeric(v) || is.logical(v), NA))
        else (is.numeric(x) || is.logical(x)) && length(dim(x)) <= 2L
    if (!numbers)
        fail(name, x, "a matrix or data frame of numbers; a formula takes factors too")
    absent <- attr(x, "na.action")
    x <- as.matrix(x)
    if (!ncol(x)) fail(name, "no columns", "at least one")
    storage.mode(x) <- "double"
    attr(x, "assign") <- attr(x, "contrasts") <- NULL
    attr(x, "na.action") <- absent
    x
}

# Columns of mean 0 and variance 1 where scale asks for it, and so the targets of a regression.
svm_scale <- function(x, y, scale, type) {
    if (is_sparse(x)) scale <- FALSE
    if (!is.logical(scale) || anyNA(scale) || !length(scale) %in% c(1L, ncol(x)))
        fail("scale", scale, paste("1 or", ncol(x), "flags"))
    scale <- rep_len(scale, ncol(x))
    out <- list(x = x, y = y, scaled = scale, x.scale = NULL, y.scale = NULL)
    if (!any(scale)) return(out)
    constant <- nrow(x) < 2L | apply(x[, scale, drop = FALSE], 2L, function(v) all(v == v[1L]))
    if (any(constant)) {
        named <- if (is.null(colnames(x))) which(scale)[constant] else colnames(x)[scale][constant]
        warning("scale: x is not scaled, since it is constant in ", paste(named, collapse = ", "), call. = FALSE)
        out$scaled <- rep(FALSE, ncol(x))
        return(out)
    }
    part <- scale(x[, scale, drop = FALSE])
    out$x.scale <- attributes(part)[c("scaled:center", "scaled:scale")]
    out$x[, scale] <- part
    finite(out$x, "x, scaled,")
    if (type > 3L && is.numeric(y) && var(y) > 0) {
        target <- scale(y)
        out$y.scale <- attributes(target)[c("scaled:center", "scaled:scale")]
        out$y <- as.vector(target)
    }
    out
}

# The classes by numbers in the order in which they appear, which is LIBSVM's.
svm_classes <- function(y, type) {
    if (type == 3L) return(list())
    if (type > 3L) {
        if (!is.numeric(y)) fail("y", y, "numbers for a regression")
        return(list(values = as.double(y)))
    }
    if (is.numeric(y) && any(y != floor(y))) fail("y", y, "a factor or whole numbers for a classification")
    y <- as.factor(y)
    code <- as.integer(y)
    labels <- unique(code)
    if (length(labels) < 2L) fail("y", paste("one class,", levels(y)[labels]), "at least two")
    list(y = match(code, labels), labels = labels, levels = levels(y))
}

svm_weights <- function(weights, coded, type) {
    if (is.null(weights)) return(NULL)
    if (type > 2L) {
        warning("class.weights: they are for classes, and ignored here", call. = FALSE)
        return(NULL)
    }
    if (identical(weights, "inverse")) {
        counts <- tabulate(coded$labels[coded$y], length(coded$levels))
        weights <- structure(1 / counts, names = coded$levels)[counts > 0]
    }
    refuse <- function(found, want) fail("class.weights", found, want)
    if (!is.numeric(weights) || is.null(names(weights)))
        refuse(weights, "numbers with the names of levels, or \"inverse\"")
    at <- match(names(weights), coded$levels)
    if (anyNA(at)) refuse(names(weights)[is.na(at)][1L], paste("names of", paste(coded$levels, collapse = ", ")))
    bad <- which(!(is.finite(weights) & weights > 0))
    if (length(bad)) refuse(weights[[bad[1L]]], "finite numbers > 0")
    each <- rep(1, length(coded$levels))
    each[at] <- weights
    if (type == 2L) return(NULL) # LIBSVM has none for nu
    each[coded$labels][coded$y]
}

# The call of the library, and its model in LIBSVM's layout.
svm_train <- function(x, coded, weight, means) {
    type <- means$type
    o <- list(method = c("svc", "nu-svc", "one-class", "svr", "nu-svr")[type], brief = TRUE,
              kernel = c("linear", "poly", "rbf", "sigmoid")[means$kernel], threads = means$threads,
              params = list(tolerance = means$tolerance))
    if (means$kernel > 1L) o$gamma <- means$gamma
    if (means$kernel == 2L) o$degree <- means$degree
    if (means$kernel %in% c(2L, 4L)) o$coef0 <- means$coef0
    if (type %in% c(1L, 4L, 5L)) o$params$c <- means$cost
    if (type %in% c(2L, 3L, 5L)) o$params$nu <- means$nu
    if (type == 4L) o$params$epsilon <- means$epsilon
    given <- list(weight = weight)
    if (type < 3L) {
        o$multiclass <- "ovo"
        if (means$probability) o$calibrate <- 5
        given$y <- coded$y - 1L
        given$labels <- coded$levels[coded$labels]
    } else if (type > 3L) given$values <- coded$values
    fit <- trained(.Call(C_train, do.call(samples, c(list(x), given)), to_json(o)))
    c(svm_unpack(x, coded, weight, means, fit), fit["model"])
}

svm_unpack <- function(x, coded, weight, means, fit) {
    p <- native(.Call(C_parts, pointer(fit)))
    submodels <- length(p$bias)
    coef <- matrix(p$coef, submodels, byrow = TRUE)
    rows <- as.integer(p$rows) + 1L
    if (means$type < 3L) return(svm_pairs(x, coded, weight, means, fit, p, coef, rows))
    twins <- if (means$type > 3L) twins_of(x, coded$values)
    if (!is.null(twins)) {
        each <- rowsum(spread(rows, coef[1L, ], nrow(x)), twins)[twins] / tabulate(twins)[twins]
        rows <- which(each != 0)
        coef <- matrix(each[rows], 1L)
    }
    order <- order(rows)
    rows <- rows[order]
    list(nclasses = 2L, tot.nSV = length(rows), nSV = c(0L, 0L), labels = c(0L, 0L), SV = x[rows, , drop = FALSE],
         index = rows, rho = -p$bias, coefs = matrix(coef[1L, order]))
}

svm_pairs <- function(x, coded, weight, means, fit, p, coef, rows) {
    k <- length(coded$labels)
    y <- coded$y
    signs <- ifelse(p$positive < p$negative, 1, -1)
    first <- pmin(p$positive, p$negative) + 1
    second <- pmax(p$positive, p$negative) + 1
    coef <- coef * signs
    twins <- twins_of(x)
    if (!is.null(twins)) {
        w <- if (is.null(weight)) rep(1, length(y)) else weight
        cost <- rep(means$cost, length(signs))
        if (means$type == 2L) # the C that gives this nu
            cost <- vapply(from_json(fit$report)$submodels, function(m) m$report$figures$cost, 0)
        coef <- t(vapply(seq_along(signs), function(m)
            apart(twins, spread(rows, coef[m, ], length(y)), (y == first[m]) * w * cost[m],
                  (y == second[m]) * w * cost[m]),
            numeric(length(y))))
        rows <- which(colSums(coef != 0) > 0)
        coef <- coef[, rows, drop = FALSE]
    }
    order <- order(y[rows], rows)
    rows <- rows[order]
    coef <- coef[, order, drop = FALSE]
    coefs <- matrix(0, length(rows), k - 1L)
    for (m in seq_along(signs)) {
        mine <- y[rows] == first[m]
        coefs[mine, second[m] - 1L] <- coef[m, mine]
        mine <- y[rows] == second[m]
        coefs[mine, first[m]] <- coef[m, mine]
    }
    out <- list(nclasses = k, tot.nSV = length(rows), nSV = tabulate(y[rows], k), labels = coded$labels,
                SV = x[rows, , drop = FALSE], index = rows, rho = -signs * p$bias, coefs = coefs, signs = signs)
    if (means$probability) {
        ab <- native(.Call(C_sigmoids, pointer(fit)))
        out$probA <- ab[[1L]]
        out$probB <- signs * ab[[2L]]
    }
    out
}

spread <- function(rows, coef, n) {
    out <- numeric(n)
    out[rows] <- coef
    out
}

# Numbers of samples, the same for equal ones (and targets); NULL if all differ. The library trains on distinct ones.
twins_of <- function(x, values = NULL) {
    if (is_sparse(x)) { # rows as texts of their elements
        t <- Matrix::t(x)
        of <- factor(rep.int(seq_len(ncol(t)), diff(t@p)), seq_len(ncol(t)))
        key <- vapply(split(sprintf("%d:%.17g", t@i, t@x), of), paste, "", collapse = " ")
        key <- paste(match(key, key), if (!is.null(values)) match(values, values))
        key <- match(key, unique(key))
        return(if (anyDuplicated(key)) key)
    }
    columns <- c(lapply(seq_len(ncol(x)), function(j) x[, j]), if (!is.null(values)) list(values))
    sorted <- do.call(order, columns)
    n <- length(sorted)
    same <- rep(TRUE, n - 1L)
    for (v in columns) {
        v <- v[sorted]
        same <- same & v[-1L] == v[-n]
    }
    if (!any(same)) return(NULL)
    twins <- integer(n)
    twins[sorted] <- cumsum(c(TRUE, !same))
    twins
}

# The coefficients of the samples of one pair of classes from those of distinct ones; up and down are the bounds of the
# two classes, 0 for other samples. The samples of a place, whose coefficient may be at any of them, share it by
# their bounds. Where both classes meet, all of one are at their bound: of the class on the wrong side of the
# decision there, or of both if the place is within the margin.
apart <- function(twins, coef, up, down) {
    sums <- rowsum(cbind(coef, up, down), twins)
    net <- sums[, 1L]
    most <- sums[, 2L]
    least <- sums[, 3L]
    plus <- ifelse(net <= most - least, net + least, most)
    share <- function(a, b) ifelse(b > 0, a / b, 0)
    shared <- up * share(plus, most)[twins] - down * share(plus - net, least)[twins]
    ifelse(tabulate(twins)[twins] < 2L, coef, shared)
}

predict.sparsekm_svm <- function(object, newdata, decision.values = FALSE, probability = FALSE, ...,
                                 na.action = na.omit) {
    flag(decision.values, "decision.values")
    flag(probability, "probability")
    if (missing(newdata)) return(fitted(object))
    given <- svm_newdata(object, newdata, na.action)
    if (probability && object$type < 2L && !object$compprob) {
        warning("probability: the model was trained without probability = TRUE and has none", call. = FALSE)
        probability <- FALSE
    }
    found <- svm_predict(object, given$x, decision.values, probability && object$type < 2L)
    of <- attributes(found)
    attr(found, "decision.values") <- attr(found, "probabilities") <- NULL
    names(found) <- given$named
    found <- napredict(given$absent, found)
    for (part in c("decision.values", "probabilities")) if (!is.null(of[[part]])) {
        rownames(of[[part]]) <- given$named
        attr(found, part) <- napredict(given$absent, of[[part]])
    }
    found
}

# New samples as the model has them, their names, and what na.action left out.
svm_newdata <- function(object, newdata, na.action) {
    if (is.null(newdata)) fail("newdata", newdata, "samples")
    if (is.atomic(newdata) && is.null(dim(newdata))) newdata <- matrix(newdata)
    if (is_sparse(newdata)) x <- as_sparse(newdata)
    else if (!is.null(object$terms)) {
        if (is.matrix(newdata) && is.null(colnames(newdata)) && ncol(newdata) == ncol(object$SV))
            colnames(newdata) <- colnames(object$SV)
        frame <- frame_of(object, newdata, na.action)
        x <- model.matrix(delete.response(terms(object)), frame)
        attr(x, "na.action") <- attr(frame, "na.action")
    } else x <- na.action(numeric_matrix(newdata, "newdata"))
    absent <- attr(x, "na.action")
    want <- ncol(object$SV)
    if (ncol(x) != want) fail("newdata", paste(ncol(x), "columns"), paste(want, "as the model has"))
    finite(if (is_sparse(x)) x@x else x, "newdata")
    if (any(object$scaled)) {
        if (is_sparse(x)) x <- as.matrix(x)
        s <- object$scaled
        x[, s] <- scale(x[, s, drop = FALSE], object$x.scale$"scaled:center", object$x.scale$"scaled:scale")
    }
    list(x = x, absent = absent, named = rownames_of(x))
}

# The variables of a model's formula in new data.
frame_of <- function(object, newdata, na.action, name = "newdata") {
    if (!is.data.frame(newdata) && !is.matrix(newdata)) fail(name, newdata, "a data frame")
    tryCatch(model.frame(delete.response(object$terms), as.data.frame(newdata), na.action = na.action,
                         xlev = object$xlevels),
             error = function(e) stop(name, ": ", conditionMessage(e), call. = FALSE))
}

# Predictions for scaled samples.
svm_predict <- function(object, x, decisions, probabilities) {
    if (nrow(x) == 0L) fail("newdata", "no rows without NA", "at least one")
    k <- object$nclasses
    classes <- object$type < 2L
    f <- answers(object, x, "decisions", if (classes) k * (k - 1L) / 2L else 1L, object$threads)
    if (classes) {
        f <- f * rep(object$signs, each = nrow(f))
        of <- votes(f, k)
        labels <- object$levels[object$labels]
        out <- factor(labels[of], levels = object$levels)
        pairs <- which(lower.tri(matrix(0, k, k)), arr.ind = TRUE)
        colnames(f) <- paste(labels[pairs[, 2L]], labels[pairs[, 1L]], sep = "/")
    } else {
        out <- f[, 1L]
        if (object$type == 2L) out <- out > 0
        if (!is.null(object$y.scale)) out <- out * object$y.scale$"scaled:scale" + object$y.scale$"scaled:center"
        colnames(f) <- "/"
    }
    if (decisions) attr(out, "decision.values") <- structure(f, dimnames = list(rownames_of(x), colnames(f)))
    if (probabilities) {
        p <- agreeing(answers(object, x, "probabilities", k, object$threads), of)
        attr(out, "probabilities") <- structure(p, dimnames = list(rownames_of(x), labels))
    }
    out
}

# The classes with most votes of their pairs, of equal ones the first.
votes <- function(f, k) {
    count <- matrix(0L, nrow(f), k)
    at <- 0L
    for (i in seq_len(k - 1L)) for (j in (i + 1L):k) {
        wins <- f[, at <- at + 1L] > 0
        count[, i] <- count[, i] + wins
        count[, j] <- count[, j] + !wins
    }
    max.col(count, "first")
}

# Probabilities of which that of the predicted class is the largest. Where it is not, it and the larger ones become
# their mean, which is the nearest such point.
agreeing <- function(p, of) {
    for (i in which(max.col(p, "first") != of)) {
        pool <- of[i]
        for (j in order(-p[i, ])) {
            if (p[i, j] <= mean(p[i, pool])) break
            pool <- c(pool, j)
        }
        p[i, pool] <- mean(p[i, pool])
        p[i, of[i]] <- p[i, of[i]] * (1 + .Machine$double.eps)
    }
    p
}

# Folds as e1071 draws them, so that set.seed() gives the same.
folds_of <- function(n, folds) {
    order <- seq_len(n)
    for (i in seq_len(n)) {
        j <- i + as.integer(runif(1L) * (n - i + 1L))
        order[c(i, j)] <- order[c(j, i)]
    }
    ends <- (0:folds * n) %/% folds
    lapply(seq_len(folds), function(f) order[(ends[f] + 1):ends[f + 1L]])
}

# What models of the other folds predict for each sample.
held_out <- function(x, coded, weight, means, folds) {
    means$probability <- FALSE
    out <- numeric(nrow(x))
    for (fold in folds) {
        part <- list(values = coded$values[-fold], levels = coded$levels)
        code <- coded$labels[coded$y[-fold]]
        if (means$type < 3L) {
            part$labels <- unique(code)
            part$y <- match(code, part$labels)
            if (length(part$labels) == 1L) {
                out[fold] <- part$labels
                next
            }
        }
        model <- svm_train(x[-fold, , drop = FALSE], part, weight[-fold], means)
        model <- c(model, list(type = means$type - 1L, levels = coded$levels, threads = means$threads))
        out[fold] <- as.numeric(svm_predict(model, x[fold, , drop = FALSE], FALSE, FALSE))
    }
    out
}

svm_cross <- function(x, coded, weight, means, cross, unit) {
    folds <- folds_of(nrow(x), cross)
    found <- held_out(x, coded, weight, means, folds)
    if (means$type > 3L) {
        unit <- if (is.null(unit)) 1 else unit^2
        square <- (found - coded$values)^2
        spread <- sum((found - mean(found))^2) * sum((coded$values - mean(coded$values))^2)
        return(list(MSE = vapply(folds, function(f) mean(square[f]), 0) * unit, tot.MSE = mean(square) * unit,
                    scorrcoeff = sum((found - mean(found)) * (coded$values - mean(coded$values)))^2 / spread))
    }
    right <- if (means$type == 3L) found == 1 else found == coded$labels[coded$y]
    list(accuracies = vapply(folds, function(f) 100 * mean(right[f]), 0), tot.accuracy = 100 * mean(right))
}

# The scale of a Laplace distribution of held-out residuals, as LIBSVM's.
svm_sigma <- function(x, coded, means) {
    if (nrow(x) < 5L) return(NA_real_)
    residual <- abs(coded$values - held_out(x, coded, NULL, means, folds_of(nrow(x), 5L)))
    mean(residual[residual <= 5 * sqrt(2) * mean(residual)])
}

print.sparsekm_svm <- function(x, ...) {
    cat("\nCall:", deparse(x$call, 0.8 * getOption("width")), "\n", sep = "\n")
    show <- function(name, value) cat(sprintf("%11s: ", name), value, "\n")
    cat("Parameters:\n")
    show("SVM-Type", types[x$type + 1L])
    show("SVM-Kernel", kernels[x$kernel + 1L])
    if (x$type %in% c(0L, 3L, 4L)) show("cost", x$cost)
    if (x$kernel == 1L) show("degree", x$degree)
    if (x$kernel > 0L) show("gamma", x$gamma)
    if (x$kernel %in% c(1L, 3L)) show("coef.0", x$coef0)
    if (x$type %in% c(1L, 2L, 4L)) show("nu", x$nu)
    if (x$type == 3L) show("epsilon", x$epsilon)
    if (!is.null(x$sigma)) cat("\nSigma: ", x$sigma, "\n")
    cat("\nNumber of Support Vectors: ", x$tot.nSV, "\n\n")
    if (!is.null(x$na.action)) cat(naprint(x$na.action), "\n\n", sep = "")
    invisible(x)
}

summary.sparsekm_svm <- function(object, ...) structure(object, class = c("summary.sparsekm_svm", class(object)))

print.summary.sparsekm_svm <- function(x, ...) {
    print.sparsekm_svm(x)
    if (x$type < 2L)
        cat(" (", x$nSV, ")\n\n\nNumber of Classes: ", x$nclasses, "\n\nLevels:\n", x$levels, "\n\n")
    if (x$type == 2L) cat("\nNumber of Classes: 1\n\n")
    folds <- length(x$MSE) + length(x$accuracies)
    if (folds) cat(folds, "-fold cross-validation on training data:\n\n", sep = "")
    if (!is.null(x$MSE))
        cat("Total Mean Squared Error:", x$tot.MSE, "\nSquared Correlation Coefficient:", x$scorrcoeff,
            "\nMean Squared Errors:\n", x$MSE, "\n\n")
    if (!is.null(x$accuracies))
        cat("Total Accuracy:", x$tot.accuracy, "\nSingle Accuracies:\n", x$accuracies, "\n\n")
    invisible(x)
}

coef.sparsekm_svm <- function(object, ...) {
    if (object$kernel != 0L || object$nclasses > 2L)
        stop("object: coefficients are for a linear kernel, and a regression or two classes", call. = FALSE)
    c("(Intercept)" = -object$rho, drop(as.matrix(crossprod(object$coefs, as.matrix(object$SV)))))
}

plot.sparsekm_svm <- function(x, data, formula = NULL, grid = 50, slice = list(), ...) {
    if (x$type > 1L || is.null(x$terms))
        stop("x: found no classification by a formula, which plot() shows", call. = FALSE)
    named <- all.vars(delete.response(terms(x)))
    axes <- if (!is.null(formula)) all.vars(formula) else if (length(named) == 2L) named
    if (length(axes) != 2L || !all(axes %in% named))
        fail("formula", formula, paste("two of", paste(named, collapse = ", "), "as in a ~ b"))
    if (!is.data.frame(data) || !all(named %in% names(data)))
        fail("data", data, paste("a data frame with", paste(named, collapse = ", ")))
    whole(grid, "grid", 2)
    at <- lapply(data[axes], function(v) seq(min(v), max(v), length.out = grid))
    new <- expand.grid(at)
    for (other in setdiff(named, axes)) {
        column <- data[[other]]
        v <- slice[[other]]
        if (is.null(v)) v <- if (is.numeric(column)) median(column) else as.character(column[1L])
        new[[other]] <- if (is.factor(column)) factor(v, levels(column)) else v
    }
    class <- matrix(as.integer(predict(x, new)), grid)
    colours <- hcl.colors(length(x$levels), "Pastel 1")
    strong <- hcl.colors(length(x$levels), "Dark 3")
    image(at[[2L]], at[[1L]], t(class), zlim = c(1, length(x$levels)), col = colours, xlab = axes[2L], ylab = axes[1L],
          ...)
    of <- as.integer(factor(model.response(model.frame(terms(x), data)), x$levels))
    points(data[[axes[2L]]], data[[axes[1L]]], col = strong[of], pch = ifelse(seq_along(of) %in% x$index, 4, 1))
    invisible(x)
}
