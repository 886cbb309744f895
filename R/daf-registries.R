#' Operations of your own in queries
#'
#' Registers an R function under a name that queries can use as an operation: a
#' reduction, which makes one value of many (`>> Range`), or an element-wise
#' one, which changes each value (`% Squash by 3`).
#'
#' A reduction gets a double vector: all values, a row, a column or a group,
#' with the zeros that a sparse matrix does not keep. An element-wise function
#' gets a vector or a matrix and returns as many values. The parameters that a
#' query may give are the further arguments of the function; numbers come as
#' doubles, other values as texts. Functions run one call after the other, on
#' R's own thread.
#'
#' @param name The name: letters, digits and `_`, beginning with a letter.
#' @param fn A function whose first argument takes the values.
#' @param overwrite Whether to replace an operation that was registered before.
#' @param source Where the registration comes from, for messages; by default the
#'   environment of the function.
#' @param kind `"reduction"` or `"eltwise"`.
#' @param ... Passed on.
#' @returns `register_*()`: `NULL`, invisibly. `get_reduction()`,
#'   `get_eltwise()`: the registered function, or, for an operation that needs
#'   no registration, a function that does it. `registered_*()`: the names of
#'   all operations, in the order of their bytes.
#' @section Errors:
#' `axtile_error_exists` if there is such an operation already and not
#' `overwrite`, or always for one that needs no registration;
#' `axtile_error_range` if there is none. A query whose function fails, or
#' returns something else than numbers, or not as many as it must, ends with
#' `axtile_error_argument` and the function's message.
#' @family daf
#' @examples
#' register_reduction("Range", function(x) max(x) - min(x), overwrite = TRUE)
#' register_eltwise("Squash", function(x, by = 2) x / by, overwrite = TRUE)
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' d["@ cell : score >> Range"]
#' d["@ cell : score % Squash by 10"]
#' get_reduction("Quantile")(c(1, 2, 4), p = 0.5)
#' @export
register_reduction <- function(name, fn, overwrite = FALSE, source = NULL) {
    register("reduction", name, fn, overwrite, source)
}

#' @rdname register_reduction
#' @export
register_eltwise <- function(name, fn, overwrite = FALSE, source = NULL) {
    register("eltwise", name, fn, overwrite, source)
}

#' @rdname register_reduction
#' @export
register_query_operation <- function(kind = c("reduction", "eltwise"), name,
                                     fn, ...) {
    kind <- rlang::arg_match(kind)
    switch(kind,
        reduction = register_reduction(name, fn, ...),
        eltwise = register_eltwise(name, fn, ...)
    )
}

#' @rdname register_reduction
#' @export
get_reduction <- function(name) get_operation("reduction", name)

#' @rdname register_reduction
#' @export
get_eltwise <- function(name) get_operation("eltwise", name)

#' @rdname register_reduction
#' @export
registered_reductions <- function() operation_names("reduction")

#' @rdname register_reduction
#' @export
registered_eltwise <- function() operation_names("eltwise")

# What the Rust library gets with every query: NULL while nothing is
# registered. `n` grows with every registration, so that it knows which results
# were made with other functions.
registered <- new.env(parent = emptyenv())
registered$custom <- NULL
registered$n <- 0

register <- function(kind, name, fn, overwrite, source,
                     call = rlang::caller_env()) {
    name <- check_string(name, arg = "name", call = call)
    if (!grepl("^[A-Za-z][A-Za-z0-9_]*$", name)) {
        abort_argument(
            "name", "letters, digits and `_`, beginning with a letter", name,
            call
        )
    }
    parameters <- if (is.function(fn)) names(formals(args(fn)))
    if (length(parameters) == 0L) {
        abort_argument("fn", "a function of the values", fn, call)
    }
    check_flag(overwrite, arg = "overwrite", call = call)
    if (is.null(source)) {
        source <- environmentName(topenv(environment(fn) %||% baseenv()))
    }
    source <- check_string(source, arg = "source", call = call)
    known <- registered$custom[[kind]][[name]]
    is_own <- name %in% rust(rs_daf_operations(kind))
    if (is_own || (!is.null(known) && !overwrite)) {
        axtile_abort("exists", paste0(
            "conflicting registrations of the ", kind, ": ", name,
            "; first in: ", if (is_own) "axtile" else known$source,
            "; second in: ", source
        ), call = call)
    }
    custom <- registered$custom
    if (is.null(custom)) {
        custom <- list(call = call_operation, reduction = list(),
                       eltwise = list())
    }
    custom[[kind]][[name]] <- list(
        fn = fn, parameters = setdiff(parameters[-1L], "..."), source = source
    )
    registered$custom <- custom
    registered$n <- registered$n + 1
    invisible()
}

operation_names <- function(kind) {
    names <- c(rust(rs_daf_operations(kind)), names(registered$custom[[kind]]))
    sort(names, method = "radix")
}

get_operation <- function(kind, name, call = rlang::caller_env()) {
    name <- check_string(name, arg = "name", call = call)
    known <- registered$custom[[kind]][[name]]
    if (!is.null(known)) {
        return(known$fn)
    }
    if (!name %in% operation_names(kind)) {
        axtile_abort("range", paste0(
            "There is no ", kind, " '", name, "'; there are: ",
            paste(operation_names(kind), collapse = ", "), "."
        ), call = call)
    }
    sign <- switch(kind, reduction = ">>", eltwise = "%")
    function(x, ...) {
        given <- list(...)
        values <- vapply(given, function(value) {
            escape_value(format(value, digits = 17, trim = TRUE))
        }, "")
        parameters <- paste(names(given), values, collapse = " ")
        daf <- memory_daf(name)
        add_axis(daf, "x", as.character(seq_along(x)))
        set_vector(daf, "x", "value", unname(x))
        result <- daf[paste("@ x : value", sign, name, parameters)]
        if (length(result) > 1L) stats::setNames(result, names(x)) else result
    }
}

# Calls a registered function in the middle of a query. What goes wrong becomes
# a value: no jump of R's may cross the Rust library.
call_operation <- function(fn, x, parameters, is_reduction) {
    tryCatch(
        {
            value <- do.call(fn, c(list(x), parameters))
            is_number <- is.numeric(value) || is.logical(value)
            n <- if (is_reduction) 1L else length(x)
            if (!is_number || length(value) != n) {
                stop(
                    "it returned ", class(value)[[1L]], " of length ",
                    length(value), " instead of ", n, " number",
                    if (n != 1L) "s", call. = FALSE
                )
            }
            list(value = as.double(value))
        },
        error = function(problem) list(error = utf8_message(problem)),
        interrupt = function(problem) list()
    )
}

utf8_message <- function(problem) {
    iconv(enc2utf8(conditionMessage(problem)), "UTF-8", "UTF-8", sub = "byte")
}
