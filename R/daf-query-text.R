# Pieces of a query as text, written as the query language writes them itself.

new_query <- function(text, reduction = NULL) {
    structure(text, reduction = reduction, class = "axtile_query")
}

is_query <- function(x) inherits(x, "axtile_query")

# The piece that `...` holds, if it does, and what else it holds. A pipe puts
# the query so far before the arguments as they are written.
piped <- function(arguments, call) {
    queries <- which(vapply(arguments, is_query, logical(1)))
    if (length(queries) > 1L) {
        axtile_abort("argument", paste0(
            "One query can be continued, not ", length(queries), "."
        ), call = call)
    }
    list(
        before = if (length(queries)) arguments[[queries]],
        arguments = if (length(queries)) arguments[-queries] else arguments
    )
}

# `before`, if there is something, and `text`.
continued <- function(before, text, reduction = NULL) {
    if (is.null(before)) {
        return(new_query(text, reduction))
    }
    new_query(paste(as.character(before), text))
}

# An operator and its value; `optional` if it may stand without.
with_value <- function(sign, arguments, optional = FALSE, arg = "value",
                       call = rlang::caller_env()) {
    found <- piped(arguments, call)
    values <- Filter(Negate(is.null), found$arguments)
    if (length(values) > 1L) {
        axtile_abort("argument", paste0(
            "`", arg, "` must be a single value; ", length(values),
            " are given."
        ), call = call)
    }
    if (length(values) == 0L) {
        if (!optional) {
            abort_argument(arg, "a single value", NULL, call)
        }
        return(continued(found$before, sign))
    }
    value <- escaped(query_value(values[[1L]], arg, call))
    continued(found$before, paste(sign, value))
}

# An operator that stands alone.
with_no_value <- function(sign, arguments, call = rlang::caller_env()) {
    found <- piped(arguments, call)
    if (length(found$arguments)) {
        axtile_abort(
            "argument", "Nothing but the query so far can be given.",
            call = call
        )
    }
    continued(found$before, sign)
}

# A single value as the text that a query holds, without escapes.
query_value <- function(x, arg, call) {
    if (is.factor(x)) {
        x <- as.character(x)
    }
    is_value <- (is.character(x) || is.numeric(x) || is.logical(x)) &&
        length(x) == 1L && (!is.na(x) || is.nan(x))
    if (!is_value) {
        abort_argument(arg, "a single text, number, TRUE or FALSE", x, call)
    }
    if (inherits(x, "integer64")) {
        # Its method is bit64's: without it the bits would be read as a double.
        rlang::check_installed("bit64")
        return(as.character(x))
    }
    if (is.character(x)) {
        return(utf8(x, arg, call))
    }
    if (is.logical(x)) {
        return(if (x) "true" else "false")
    }
    number_text(as.vector(x))
}

# The shortest text that gives the same number.
number_text <- function(x) {
    if (is.nan(x)) {
        return("nan")
    }
    if (is.infinite(x)) {
        return(if (x > 0) "inf" else "-inf")
    }
    for (digits in 15:17) {
        text <- format(
            x,
            digits = digits, scientific = FALSE, decimal.mark = "."
        )
        if (identical(as.double(text), as.double(x))) {
            break
        }
    }
    text
}

# `value` so that a query reads it as one value: characters with a meaning are
# preceded by a backslash, and the empty text is ''.
escaped <- function(value) {
    if (!nzchar(value)) {
        return("''")
    }
    if (value == ".") {
        return("\\.")
    }
    points <- utf8ToInt(value)
    # Letters, digits and _.+-, and all beyond ASCII but Latin-1's controls
    # and blanks.
    is_bare <- points %in% utf8ToInt(bare_ascii) | points > 0xa0L
    signs <- intToUtf8(points, multiple = TRUE)
    paste0(ifelse(is_bare, "", "\\"), signs, collapse = "")
}

bare_ascii <- paste0(c(LETTERS, letters, 0:9, "_.+-"), collapse = "")

# Whether a query would read the text as a number or a truth.
looks_like_value <- function(text) {
    number <- "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
    text %in% c("true", "false", "e", "pi") || grepl(number, text) ||
        grepl("^[+-]?(inf|infinity|nan)$", text, ignore.case = TRUE)
}

#' @export
as.character.axtile_query <- function(x, ...) {
    as.vector(unclass(x))
}

#' @export
format.axtile_query <- function(x, ...) {
    as.character(x)
}

#' @export
print.axtile_query <- function(x, ...) {
    cat("<query> ", format(x), "\n", sep = "")
    invisible(x)
}
