# svm() of the R package beside e1071's: labels, log loss, time; Rscript svm.R [FOLDER OF SETS] [RUNS].
#
# Processor time of training and prediction in one thread, the least of the runs (one with probabilities): 70 % of each
# set, scaled by svm(), tested on the rest.

given <- commandArgs(TRUE)
folder <- if (length(given)) given[1] else "../shared/data/open"
runs <- if (length(given) > 1) as.integer(given[2]) else 3L

read <- function(name) {
    words <- strsplit(trimws(readLines(file.path(folder, name))), "[ \t]+")
    pairs <- do.call(rbind, strsplit(unlist(lapply(words, `[`, -1)), ":"))
    row <- rep(seq_along(words), lengths(words) - 1)
    x <- matrix(0, length(words), max(as.integer(pairs[, 1])))
    x[cbind(row, as.integer(pairs[, 1]))] <- as.numeric(pairs[, 2])
    list(x = x, y = factor(vapply(words, `[`, "", 1)))
}

blobs <- function(n, d, classes, width) {
    set.seed(1)
    centres <- matrix(runif(classes * d, -10, 10), classes)
    of <- sample(classes, n, TRUE)
    list(x = centres[of, ] + width * rnorm(n * d), y = factor(of))
}

waves <- function(n, d) {
    set.seed(1)
    x <- matrix(runif(n * d), n)
    list(x = x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] + rnorm(n))
}

sets <- list(iris = list(list(x = iris[1:4], y = iris$Species), 1), banana = list(read("banana.libsvm"), 1),
             german = list(read("german.libsvm"), 10), diabetis = list(read("diabetis.libsvm"), 10),
             ringnorm = list(read("ringnorm.libsvm.gz"), 1), thyroid = list(read("thyroid.libsvm"), 100),
             "blobs, 8 classes" = list(blobs(4000, 5, 8, 4), 1), "Friedman 1, regression" = list(waves(3000, 10), 10))

timed <- function(f, runs) {
    best <- Inf
    for (i in seq_len(runs)) {
        gc()
        best <- min(best, sum(system.time(out <- f(), gcFirst = FALSE)[1:2]))
    }
    list(best, out)
}

cat("set\tn\tclasses\tvectors: sparsekm\te1071\tother labels %\tms\te1071\tratio\tprobability: ms\te1071\tratio\tlog loss\te1071\n")
ratios <- sure <- NULL
for (name in names(sets)) {
    x <- sets[[name]][[1]]$x
    y <- sets[[name]][[1]]$y
    set.seed(1)
    part <- sample(length(y)) <= 0.7 * length(y)
    row <- lapply(c(sparsekm = sparsekm::svm, e1071 = e1071::svm), function(svm) {
        both <- function(probability) {
            m <- svm(x[part, ], y[part], cost = sets[[name]][[2]], probability = probability)
            list(m, predict(m, x[!part, ], probability = probability))
        }
        a <- timed(function() both(FALSE), runs)
        if (!is.factor(y)) return(list(time = a[[1]], model = a[[2]][[1]], found = a[[2]][[2]]))
        b <- timed(function() both(TRUE), 1L)
        p <- attr(b[[2]][[2]], "probabilities")
        p <- p[cbind(seq_len(nrow(p)), match(y[!part], colnames(p)))]
        list(time = a[[1]], model = a[[2]][[1]], found = a[[2]][[2]], sure = b[[1]], loss = -mean(log(p)))
    })
    a <- row$sparsekm
    b <- row$e1071
    ratios <- c(ratios, b$time / a$time)
    other <- if (is.factor(y)) sprintf("%.3g", 100 * mean(a$found != b$found))
        else sprintf("of %.2g", max(abs(a$found - b$found)) / sd(y))
    cat(name, sum(part), nlevels(y), a$model$tot.nSV, b$model$tot.nSV, other, sprintf("%.1f", 1000 * c(a$time, b$time)),
        sprintf("%.1f", b$time / a$time), sep = "\t")
    if (is.factor(y)) {
        sure <- c(sure, b$sure / a$sure)
        cat("", sprintf("%.0f", 1000 * c(a$sure, b$sure)), sprintf("%.1f", b$sure / a$sure),
            sprintf("%.4f", c(a$loss, b$loss)), sep = "\t")
    }
    cat("\n")
}
cat(sprintf("geometric means %.1f, %.1f; least %.1f, %.1f\n", exp(mean(log(ratios))), exp(mean(log(sure))), min(ratios), min(sure)))
