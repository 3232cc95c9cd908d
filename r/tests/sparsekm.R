# Models of all kinds: what they predict, files, smaller ones, categories, missing values.
library(sparsekm)

right <- function(m, data = iris, of = data$Species) mean(predict(m, data) == of)

# Classes. Decision values are sums over the support vectors that summary() shows.
m <- sparsekm(Species ~ ., iris, method = "svc", c = 10, gamma = 0.1, scale = "none", kernel = "rbf")
s <- summary(m)
x <- as.matrix(iris[1:4])
k <- exp(-0.1 * outer(rowSums(x^2), rowSums(s$support_vectors^2), "+") + 0.2 * x %*% t(s$support_vectors))
f <- k %*% s$coefs + rep(s$bias, each = 150)
stopifnot(max(abs(f - predict(m, iris, "decision"))) < 1e-9, identical(s$positive, levels(iris$Species)),
          all(unname(x[s$index, ]) == s$support_vectors), right(m) > 0.95, m$report$status == "optimal")

few <- sparsekm(iris[1:4], iris$Species, c = 10, probability = TRUE)
p <- predict(few, iris[1:4], "probability")
stopifnot(few$tot.nSV < 30, right(few) > 0.95, abs(rowSums(p) - 1) < 1e-12,
          identical(colnames(p), levels(iris$Species)))
stopifnot(identical(unname(predict(few, iris[1:4])), factor(colnames(p)[max.col(predict(few, iris, "decision"))])))

# Texts and flags as classes; a model of one thread and of two is the same.
two <- sparsekm(mpg ~ wt + hp, mtcars, threads = 2)
stopifnot(identical(predict(two, mtcars), predict(sparsekm(mpg ~ wt + hp, mtcars), mtcars)))
stopifnot(identical(levels(predict(sparsekm(mtcars[c("mpg", "wt")], mtcars$am == 1), mtcars)), c("FALSE", "TRUE")))

# Every method learns its task.
for (i in seq_len(nrow(all <- sparsekm_methods()))) {
    method <- all$method[i]
    if (grepl("classify", all$tasks[i]))
        stopifnot(right(suppressWarnings(sparsekm(iris[1:4], iris$Species, method))) > 0.8)
    if (grepl("regress", all$tasks[i])) {
        r <- suppressWarnings(sparsekm(dist ~ speed, cars, method, target_scale = TRUE))
        stopifnot(cor(predict(r, cars), cars$dist) > 0.7)
    }
}
o <- sparsekm(iris[1:50, 1:4], method = "one-class", nu = 0.1)
stopifnot(abs(mean(predict(o, iris[1:50, ])) - 0.9) < 0.1, !any(predict(o, iris[51:150, ])))
d <- sparsekm(faithful, method = "skde")
stopifnot(predict(d, faithful[1, ]) > predict(d, data.frame(eruptions = 10, waiting = 200)))

# Variances, sets, intervals.
v <- predict(sparsekm(mpg ~ ., mtcars, method = "rvm"), mtcars, "variance")
stopifnot(v > 0, identical(names(v), rownames(mtcars)))
sets <- predict(sparsekm(Species ~ ., iris, coverage = 0.9), iris, "set")
stopifnot(is.logical(sets), mean(sets[cbind(1:150, iris$Species)]) > 0.8)
ends <- predict(sparsekm(mpg ~ ., mtcars, coverage = 0.8), mtcars, "interval")
stopifnot(ends[, "lower"] <= ends[, "upper"], mean(ends[, 1] <= mtcars$mpg & mtcars$mpg <= ends[, 2]) > 0.6)

# Categories by their own columns, or learned; rows with NA have no prediction.
w <- transform(warpbreaks, wool = as.character(wool))
for (categories in list(NULL, "learned", "learned-2")) {
    m <- sparsekm(breaks ~ wool + tension, w, method = "direct", max_sv = 4, categories = categories)
    means <- predict(m, w)
    stopifnot(cor(means, ave(w$breaks, w$wool, w$tension)) > 0.9)
    stopifnot(all.equal(predict(m, w[c(54, 1), ]), means[c(54, 1)]))
}
w$tension[2] <- NA
stopifnot(identical(is.na(unname(predict(m, w))), 1:54 == 2))
stopifnot(identical(unname(is.na(predict(m, w[2, ]))), TRUE))

# Weights: 0 leaves a sample out.
half <- rep(c(1, 0), 75)
stopifnot(all.equal(predict(sparsekm(iris[1:4], iris$Species, weights = half), iris),
                    predict(sparsekm(iris[half == 1, 1:4], iris$Species[half == 1]), iris)))

# Files, other processes, C.
for (format in c("skm", "json")) {
    file <- tempfile(fileext = paste0(".", format))
    save_model(few, file)
    same <- load_model(file)
    stopifnot(identical(predict(same, iris[1:4], "decision"), predict(few, iris, "decision")),
              identical(same$levels, levels(iris$Species)))
}
file <- tempfile(fileext = c(".rds", ".R", ".rds"))
saveRDS(list(few, svm(Species ~ ., iris)), file[1])
writeLines(c("library(sparsekm)", "file <- commandArgs(TRUE)",
             "saveRDS(lapply(readRDS(file[1]), predict, iris), file[2])"), file[2])
stopifnot(system2(file.path(R.home("bin"), "Rscript"), file[c(2, 1, 3)]) == 0)
p <- readRDS(file[3])
stopifnot(identical(p[[1]], predict(few, iris)), identical(p[[2]], predict(svm(Species ~ ., iris), iris)))

c_code <- export_c(few, name = "flower")
stopifnot(grepl("int *flower_predict\\(", c_code), nchar(export_c(few, float = TRUE)) > 1000)

# Smaller models.
full <- sparsekm(Species ~ ., iris, method = "svc", c = 1)
small <- reduce(full, iris, iris$Species, max_sv = 6)
stopifnot(small$tot.nSV <= 6, full$tot.nSV > 40, right(small) > 0.93, reduce(full, max_sv = 20)$tot.nSV <= 20)
answers <- attr(predict(svm(Species ~ ., iris, probability = TRUE), iris, probability = TRUE), "probabilities")
student <- distill(iris[1:4], answers, max_sv = 4)
stopifnot(student$tot.nSV <= 4, right(student) > 0.93)
stopifnot(cor(predict(distill(mtcars[c("wt", "hp")], mtcars$mpg, max_sv = 5), mtcars), mtcars$mpg) > 0.8)

# Sparse samples.
if (requireNamespace("Matrix", quietly = TRUE)) {
    dense <- as.matrix(iris[1:4]) * (iris[1:4] > 2)
    rows <- Matrix::Matrix(dense, sparse = TRUE)
    a <- svm(rows, iris$Species, tolerance = 1e-6)
    b <- svm(dense, iris$Species, scale = FALSE, tolerance = 1e-6)
    stopifnot(identical(a$index, b$index), max(abs(a$coefs - b$coefs)) < 1e-4, predict(a, rows) == predict(b, dense))
    a <- sparsekm(rows, iris$Species, method = "svc", scale = "none")
    b <- sparsekm(dense, iris$Species, method = "svc", scale = "none")
    stopifnot(predict(a, rows) == predict(b, dense))
}
