# JSON as the library reads and writes it: options and reports.

# Numbers keep all their bits. A list must have names, else it is an array; I() keeps a vector of one element one.
to_json <- function(v) {
    if (is.list(v) && !is.null(names(v))) {
        v <- v[!vapply(v, is.null, NA)]
        if (!length(v)) return("{}")
        return(paste0("{", paste0(quoted(names(v)), ":", vapply(v, to_json, ""), collapse = ","), "}"))
    }
    each <- if (is.list(v)) vapply(v, to_json, "")
        else if (is.character(v)) quoted(v)
        else if (is.logical(v)) ifelse(v, "true", "false")
        else if (is.numeric(v)) sprintf(ifelse(v == floor(v) & abs(v) < 1e15, "%.0f", "%.17g"), v)
        else stop("found a ", class(v)[1L], " among the arguments, want numbers, texts or flags", call. = FALSE)
    if (length(each) == 1L && !is.list(v) && !inherits(v, "AsIs")) return(each)
    paste0("[", paste(each, collapse = ","), "]")
}

quoted <- function(s) {
    s <- gsub("([\"\\\\])", "\\\\\\1", enc2utf8(s))
    s <- gsub("\n", "\\n", gsub("\t", "\\t", gsub("\r", "\\r", s, fixed = TRUE), fixed = TRUE), fixed = TRUE)
    paste0("\"", s, "\"")
}

# An object is a list with names; an array of numbers, texts or flags a vector, any other a list.
from_json <- function(s) {
    tokens <- regmatches(s, gregexpr("\"(?:[^\"\\\\]|\\\\.)*\"|[^][{}:,\"[:space:]]+|[][{}]", s, perl = TRUE))[[1L]]
    at <- 0L
    value <- function() {
        at <<- at + 1L
        token <- tokens[at]
        if (token == "{") object() else if (token == "[") array() else scalar(token)
    }
    object <- function() {
        found <- list()
        while (tokens[at + 1L] != "}") {
            name <- unquoted(tokens[at <<- at + 1L])
            found[name] <- list(value())
        }
        at <<- at + 1L
        found
    }
    array <- function() {
        found <- list()
        while (tokens[at + 1L] != "]") found[length(found) + 1L] <- list(value())
        at <<- at + 1L
        plain <- vapply(found, function(v) is.atomic(v) && length(v) == 1L, NA)
        if (length(found) && all(plain) && length(unique(vapply(found, class, ""))) == 1L) unlist(found) else found
    }
    value()
}

scalar <- function(token)
    switch(token, true = TRUE, false = FALSE, null = NULL,
           if (startsWith(token, "\"")) unquoted(token) else as.numeric(token))

unquoted <- function(token) {
    s <- substr(token, 2L, nchar(token) - 1L)
    if (!grepl("\\", s, fixed = TRUE)) return(s)
    for (code in unique(regmatches(s, gregexpr("\\\\u[0-9a-fA-F]{4}", s))[[1L]]))
        s <- gsub(code, intToUtf8(strtoi(substr(code, 3L, 6L), 16L)), s, fixed = TRUE)
    s <- gsub("\\n", "\n", gsub("\\t", "\t", gsub("\\r", "\r", s, fixed = TRUE), fixed = TRUE), fixed = TRUE)
    gsub("\\\\(.)", "\\1", s, perl = TRUE)
}
