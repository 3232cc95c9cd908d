# Times kernlab's relevance vector machine of real values and prints what it finds, as JSON.
#
# rvm.R FILE SIGMA: FILE is CSV with a header, the value last; the kernel is exp(-SIGMA |x-z|^2).
suppressMessages(library(kernlab))
arg <- commandArgs(trailingOnly = TRUE)
d <- as.matrix(read.csv(arg[1]))
x <- d[, -ncol(d), drop = FALSE]
y <- d[, ncol(d)]
t <- system.time(m <- rvm(x, y, type = "regression", kernel = "rbfdot", kpar = list(sigma = as.numeric(arg[2])), var = 0.1, iterations = 1000))
list <- function(v) paste0("[", paste(format(v, digits = 15, trim = TRUE), collapse = ","), "]")
cat(sprintf('{"source": "kernlab %s, %s, by bench/peers/peer/rvm.R", "seconds": %g,\n"variance": %.12g, "vectors": %s,\n"fitted": %s}\n',
  packageVersion("kernlab"), R.version.string, t[["user.self"]], nvar(m), list(RVindex(m) - 1), list(as.numeric(predict(m, x)))))
