#' Data frames of an axis
#'
#' `get_dataframe()` and `get_dataframe_query()` give vectors of an axis as the
#' columns of a data frame, one row for each entry; `get_tidy()` gives them one
#' below the other.
#'
#' @param daf A DAF.
#' @param axis The name of an axis, or a query for some entries of one.
#' @param query A query for entries of an axis.
#' @param columns `NULL` for all vectors of the axis; the names of some; or a
#'   list of queries by the names of columns, as in
#'   `list(age = ": donor : age")`. A query goes on where the one for the
#'   entries ends. In `get_tidy()` they become texts if one of them is.
#' @param cache Whether the store keeps what it looks up for the next time.
#' @returns `get_dataframe()`, `get_dataframe_query()`: a data frame whose rows
#'   are named by the entries. `get_tidy()`: a data frame of the columns `name`,
#'   `key` and `value`.
#' @section Errors:
#' As [get_vector()] and [get_query()]; `axtile_error_argument` if a query gives
#' something else than a value for each of the entries.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' set_vector(d, "cell", "type", c("A", "B", "A"))
#' get_dataframe(d, "cell")
#' get_dataframe(d, "@ cell [ score > 10 ]", columns = "type")
#' get_dataframe(d, "cell", list(share = ": score % Fraction"))
#' get_tidy(d, "cell", "score")
#' @export
get_dataframe <- function(daf, axis, columns = NULL, cache = TRUE) {
    check_flag(cache)
    frame <- axis_frame(daf, axis, columns)
    if (!cache) {
        empty_cache(daf)
    }
    entries <- frame$entries
    structure(
        frame$columns,
        row.names = if (length(entries)) as.vector(entries) else integer(),
        class = "data.frame"
    )
}

#' @rdname get_dataframe
#' @export
get_dataframe_query <- function(daf, query, columns = NULL, cache = TRUE) {
    if (!is_axis_query(query)) {
        abort_argument(
            "query", "a query for entries of an axis", query_text(query),
            rlang::current_env()
        )
    }
    get_dataframe(daf, query_text(query), columns, cache)
}

#' @rdname get_dataframe
#' @export
get_tidy <- function(daf, axis, columns = NULL) {
    frame <- axis_frame(daf, axis, columns)
    keys <- names(frame$columns)
    n <- length(frame$entries)
    data.frame(
        name = rep(as.vector(frame$entries), length(keys)),
        key = rep(keys, each = n),
        value = unlist(lapply(frame$columns, as.vector), use.names = FALSE) %||%
            logical(),
        stringsAsFactors = FALSE
    )
}

# The entries, and the columns without names.
axis_frame <- function(daf, axis, columns, call = rlang::caller_env()) {
    axis <- query_text(axis, call)
    is_query <- grepl("@", axis, fixed = TRUE)
    name <- if (is_query) query_axis_name(axis) else axis
    if (is_query && (is.na(name) || !is_axis_query(axis))) {
        abort_argument(
            "axis", "an axis, or a query for entries of one", axis, call
        )
    }
    start <- if (is_query) axis else paste("@", escape_value(axis))
    entries <- if (is_query) get_query(daf, axis) else axis_vector(daf, axis)
    if (is.null(columns)) {
        columns <- vectors_set(daf, name)
    }
    if (is.list(columns)) {
        keys <- names(columns)
        if (length(columns) && (is.null(keys) || !all(nzchar(keys)))) {
            abort_argument("columns", "a list with names", columns, call)
        }
        queries <- vapply(columns, query_text, "", call = call)
    } else {
        keys <- check_strings(columns, arg = "columns", call = call)
        queries <- if (length(keys)) paste(":", escape_value(keys))
    }
    is_plain <- !is_query && !is.list(columns)
    values <- lapply(seq_along(keys), function(at) {
        if (is_plain) {
            return(plain_vector(daf, axis, keys[[at]], call))
        }
        query <- queries[[at]]
        # A query of its own begins with an axis.
        own <- startsWith(trimws(query), "@")
        value <- get_query(daf, if (own) query else paste(start, query))
        if (is.array(value) || !identical(names(value), as.vector(entries))) {
            axtile_abort("argument", paste0(
                "The query of the column '", keys[[at]],
                "' does not give a value for each of the ", length(entries),
                " entries: ", query
            ), call = call)
        }
        unname(value)
    })
    list(entries = entries, columns = stats::setNames(values, keys))
}

# A vector without names.
plain_vector <- function(daf, axis, name, call) {
    rust(rs_daf_vector(list(
        daf = check_daf(daf), axis = axis, name = name, named = FALSE,
        optional = FALSE
    )), call = call)
}
