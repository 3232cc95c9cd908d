# No input ends the process, and each error names an argument. Ctrl-C ends a training.
library(sparsekm)

x <- as.matrix(iris[1:4])
y <- iris$Species
m <- svm(Species ~ ., iris)
s <- sparsekm(Species ~ ., iris)
text <- tempfile()
writeLines("no model", text)

# The begin of each message, and the call.
wrong <- function(begin, call) {
    message <- tryCatch({
        eval(substitute(call), parent.frame())
        "no error"
    }, error = conditionMessage)
    if (!startsWith(message, begin)) stop("found \"", message, "\", want \"", begin, "...\"")
}

for (train in list(svm, sparsekm)) {
    wrong("x: ", train("a"))
    wrong("x: ", train(NULL))
    wrong("x: ", train(list(1, 2)))
    wrong("x: ", train(matrix(1, 0, 3)))
    wrong("x: ", train(matrix(1, 3, 0)))
    wrong("x: ", train(array(1, c(2, 2, 2))))
    wrong("x: ", train(matrix(1i)))
    wrong("x", train(matrix(c(1, Inf, 3)), 1:3))
    wrong("x: ", train(matrix(NA_real_, 3, 3)))
    wrong("y: ", train(x, y[-1]))
    wrong("y: ", train(x, factor(rep(1, 150))))
    wrong("y", train(x, c(Inf, 1:149)))
    wrong("y: ", train(x, as.list(y)))
    wrong("threads: ", train(x, y, threads = -1))
    wrong("gamma: ", train(x, y, gamma = -1))
    wrong("gamma: ", train(x, y, gamma = NA))
    wrong("kernel: ", train(x, y, kernel = "cosine"))
    wrong("probability: ", train(x, y, probability = 2))
    wrong("scale: ", train(x, y, scale = "twice"))
}
wrong("y: ", svm(x, seq(0, 1, length.out = 150), type = "C"))
wrong("cost: ", svm(x, y, cost = 0))
wrong("cost: ", svm(x, y, cost = c(1, 2)))
wrong("nu: ", svm(x, y, type = "nu-c", nu = 1.5))
wrong("nu: ", svm(x[1:60, ], y[1:60], type = "nu-c", nu = 0.9))
wrong("epsilon: ", svm(x, 1:150, epsilon = -1))
wrong("degree: ", svm(x, y, kernel = "poly", degree = 0))
wrong("coef0: ", svm(x, y, kernel = "poly", coef0 = "a"))
wrong("tolerance: ", svm(x, y, tolerance = 0))
wrong("type: ", svm(x, y, type = "D"))
wrong("cross: ", svm(x, y, cross = 151))
wrong("class.weights: ", svm(x, y, class.weights = c(rose = 2)))
wrong("class.weights: ", svm(x, y, class.weights = 1:3))
wrong("class.weights: ", svm(x, y, class.weights = c(setosa = NA)))
wrong("subset: ", svm(x, y, subset = 1000:1001))
wrong("...: ", svm(x, y, costs = 2))
wrong("newdata: ", predict(m, iris[1:2]))
wrong("newdata: ", predict(m, NULL))
wrong("newdata: ", predict(m, "a"))
wrong("newdata", predict(m, x * Inf))
wrong("newdata: ", predict(svm(x, y), x[, 1:2]))
wrong("object: ", coef(m))

wrong("method: ", sparsekm(x, y, "best"))
wrong("method: ", sparsekm(x, y, "svr"))
wrong("rvm: no parameter c", sparsekm(x, y, "rvm", c = 1))
wrong("c: ", sparsekm(x, y, c = 1:2))
wrong("ssvc-b: c is ", sparsekm(x, y, c = -1))
wrong("...: ", sparsekm(x, y, "svc", 1))
wrong("multiclass: ", sparsekm(x, y, multiclass = "all"))
wrong("categories: ", sparsekm(x, y, categories = "learned"))
wrong("weights: ", sparsekm(x, y, weights = 1))
wrong("coverage: ", sparsekm(x, y, coverage = 2))
wrong("time_limit: ", sparsekm(x, y, time_limit = "long"))
wrong("ssvc-b: 150 samples", sparsekm(x, y, memory = 1000))
wrong("formula: ", sparsekm(Species ~ Sepal.Width * Petal.Width, iris))
wrong("x$Day: ", sparsekm(data.frame(Day = Sys.Date() + 1:150), y))
wrong("candidates: ", sparsekm(x, y, candidates = x))
wrong("newdata: ", predict(s, iris[1:2]))
wrong("newdata: ", predict(s))
wrong("newdata$wool: ", predict(sparsekm(breaks ~ wool, warpbreaks), data.frame(wool = "C")))
wrong("type: ", predict(s, iris, "variance"))
wrong("max_sv: ", reduce(s))
wrong("max_sv: ", reduce(s, max_sv = 0))
wrong("object: ", reduce(m, max_sv = 3))
wrong("object: ", export_c(m))
wrong("object: ", save_model(3, text))
wrong("path: ", load_model(file.path(text, "none")))
wrong("found ", load_model(text))
wrong("format: ", save_model(s, text, "png"))
wrong("answers: ", distill(x, matrix(1, 3, 3)))
stopifnot(identical(svm(Species ~ ., iris, class.weights = c(setosa = 1))$index, m$index))

# A column that is constant, and one sample of a class.
w <- tryCatch(svm(cbind(x, 1), y), warning = conditionMessage)
stopifnot(startsWith(w, "scale: "), identical(sparsekm(x[1:51, ], y[1:51])$levels, levels(y)[1:2]))

# NA are left out in training, and have no answer where na.exclude says so.
holes <- iris
holes[c(3, 70), 2] <- NA
part <- svm(Species ~ ., holes)
stopifnot(length(part$fitted) == 148, identical(part$index, svm(Species ~ ., holes[-c(3, 70), ])$index + 0L) ||
          part$tot.nSV > 0, length(predict(part, holes)) == 148,
          identical(which(is.na(predict(part, holes, na.action = na.exclude))), c("3" = 3L, "70" = 70L)))

# Ctrl-C.
set.seed(1)
x <- matrix(rnorm(400000), ncol = 10)
y <- factor(rnorm(40000) > 0)
system(sprintf("(sleep 2; kill -INT %d) &", Sys.getpid()))
stopped <- tryCatch({
    svm(x, y, cost = 1e4)
    FALSE
}, interrupt = function(e) TRUE)
stopifnot(stopped, identical(predict(m, iris), predict(svm(Species ~ ., iris), iris)))

# R's profiler sends signals, which must not meet the small stacks of the library's threads.
Rprof(tempfile(), interval = 0.002)
for (i in 1:150) svm(Species ~ ., iris)
Rprof(NULL)

# A child of fork() must not use the threads of its parent.
if (requireNamespace("parallel", quietly = TRUE)) {
    job <- parallel::mcparallel(tryCatch(predict(m, iris), error = conditionMessage))
    stopifnot(grepl("forked", parallel::mccollect(job)[[1]]))
}
