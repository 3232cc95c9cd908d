# svm() beside e1071's: what e1071 1.7-13 found is in e1071.txt (SPARSEKM_RECORD=1 writes it again), and e1071 itself is
# asked where it is installed. The tolerance of 1e-6 leaves no freedom to either; unique() leaves none to equal samples.
library(sparsekm)

flowers <- unique(iris)
two <- droplevels(flowers[flowers$Species != "setosa", ])
mixed <- transform(mtcars, gear = factor(gear), am = factor(am))
cases <- list()
for (kernel in c("linear", "polynomial", "radial", "sigmoid")) {
    cases[[paste("C", kernel)]] <- list(Species ~ ., flowers, kernel = kernel, cost = 2)
    cases[[paste("eps", kernel)]] <- list(mpg ~ ., mtcars, kernel = kernel, epsilon = 0.2)
}
cases[["nu"]] <- list(Species ~ ., flowers, type = "nu-classification", nu = 0.3)
cases[["nu, regression"]] <- list(dist ~ speed, unique(cars), type = "nu-regression", cost = 3)
cases[["one class"]] <- list(~ ., flowers[1:4], type = "one-classification", nu = 0.2)
cases[["two classes"]] <- list(Species ~ ., two, gamma = 0.1)
cases[["weights"]] <- list(Species ~ ., flowers, class.weights = c(virginica = 5, setosa = 0.5))
cases[["inverse weights"]] <- list(Species ~ ., flowers[-(1:30), ], class.weights = "inverse", cost = 50)
cases[["factors"]] <- list(am ~ ., mixed)
cases[["factors, regression"]] <- list(mpg ~ ., mixed)
cases[["unscaled"]] <- list(Species ~ ., flowers, scale = FALSE)
cases[["some scaled"]] <- list(Species ~ ., flowers, scale = c(TRUE, FALSE, TRUE, TRUE))
cases[["degree"]] <- list(Species ~ ., flowers, kernel = "polynomial", degree = 2, coef0 = 1, gamma = 0.5)
cases[["numbers as classes"]] <- list(cyl ~ ., mtcars, type = "C")

# Of what is recorded the decisions are left out, and predictions of one class where they are 0 but for rounding.
of <- function(m) {
    decisions <- m$decision.values
    if (m$type == 2) m$fitted <- ifelse(abs(decisions) < 1e-4, "near 0", m$fitted)
    list(index = as.integer(m$index), nSV = m$nSV, labels = m$labels, levels = if (m$type < 2) m$levels,
         coefs = unname(m$coefs), rho = m$rho, fitted = if (m$type < 2) as.integer(m$fitted) else as.vector(m$fitted),
         named = names(m$fitted), decisions = as.vector(decisions), pairs = colnames(decisions),
         tot.nSV = m$tot.nSV, nclasses = m$nclasses)
}

# Sigmoid kernels are not positive definite: the library says that it has no proof of an optimum.
run <- function(svm, case) {
    fit <- function() do.call(svm, c(case, list(tolerance = 1e-6)))
    if (identical(case$kernel, "sigmoid")) suppressWarnings(fit()) else fit()
}

loss <- function(svm) {
    set.seed(1)
    p <- attr(predict(svm(Species ~ ., iris, probability = TRUE), iris, probability = TRUE), "probabilities")
    -mean(log(p[cbind(seq_len(150), match(iris$Species, colnames(p)))]))
}

folds <- function(svm, formula, data) {
    set.seed(3)
    m <- suppressWarnings(svm(formula, data, cross = 7, tolerance = 1e-6))
    lapply(m[c("accuracies", "tot.accuracy", "MSE", "tot.MSE", "scorrcoeff")], as.vector)
}

results <- function(svm)
    c(lapply(cases, function(case) of(run(svm, case))),
      list(loss = loss(svm), accuracy = folds(svm, Species ~ ., iris), error = folds(svm, mpg ~ ., mtcars)))

if (nzchar(Sys.getenv("SPARSEKM_RECORD"))) {
    short <- lapply(results(e1071::svm), function(r) {
        if (is.list(r)) r[c("named", "decisions")] <- NULL
        rapply(as.list(r), function(v) signif(v, 6), "double", how = "replace")
    })
    dput(short, "e1071.txt", control = c("keepNA", "keepInteger", "niceNames"))
    quit()
}

# Numbers within the tolerance, relative to the largest; everything else equal.
same <- function(ours, theirs, where) {
    for (name in names(theirs)) {
        a <- ours[[name]]
        b <- theirs[[name]]
        good <- if (is.double(b) && is.double(a)) length(a) == length(b) && all(abs(a - b) <= 1e-4 * max(1, abs(b)))
            else identical(as.vector(a), as.vector(b))
        if (!isTRUE(good)) {
            print(a)
            print(b)
            stop(where, ": ", name, " differs from that of e1071")
        }
    }
}

compare <- function(ours, theirs) {
    for (name in names(cases)) same(ours[[name]], theirs[[name]], name)
    same(ours$accuracy, theirs$accuracy, "folds")
    same(ours$error, theirs$error, "folds")
    stopifnot(ours$loss <= 1.05 * theirs$loss[[1]])
}

ours <- results(svm)
compare(ours, dget("e1071.txt"))
if (requireNamespace("e1071", quietly = TRUE)) {
    compare(ours, results(e1071::svm))
    for (name in names(cases)) { # e1071 evaluates our vectors, coefficients and rho as we do
        m <- run(svm, cases[[name]])
        evaluate <- getS3method("predict", "svm", envir = asNamespace("e1071"))
        theirs <- evaluate(m, cases[[name]][[2]], decision.values = TRUE)
        f <- attr(predict(m, cases[[name]][[2]], decision.values = TRUE), "decision.values")
        stopifnot(identical(dimnames(f), dimnames(attr(theirs, "decision.values"))),
                  all(abs(f - attr(theirs, "decision.values")) <= 1e-9 * max(1, abs(f))))
    }
}
