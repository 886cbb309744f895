#' Ask data in axes
#'
#' `get_query(daf, query)`, or `daf[query]`, gives what a query written in the
#' query language says: values, or something computed of them. The other
#' functions tell about a query without an answer.
#'
#' Queries go from left to right: `@ cell` is an axis, `@ cell : age` a vector
#' of it, `@ cell [ age > 60 ]` some of its entries, `@ cell : age / sex >>
#' Mean` the mean for each group, `@ cell @ gene :: UMIs >| Sum` the sum of each
#' row of a matrix. They are read and evaluated by the Rust library, by several
#' threads where there is much to do (see [set_num_threads()]), and results are
#' kept for as long as what they were made of stays as it was.
#'
#' @param daf A DAF.
#' @param query,query_string A query: a single text, or one that is made by
#'   functions.
#' @param value A text: a name, or a value to compare with.
#' @returns `get_query()`: a single value, a named vector, a matrix, or names or
#'   entries as a character vector; see [AxtileDaf] for types. `has_query()`:
#'   whether the store has all that the query looks up, which it computes for
#'   that. `query_requires_relayout()`: whether the query needs a matrix that is
#'   only stored with rows and columns exchanged. `parse_query()`: the query as
#'   an object of class `axtile_query`. `canonical_query()`: the one text of all
#'   queries that do the same. `is_axis_query()`: whether it gives entries of an
#'   axis. `query_axis_name()`: the axis, `NA` unless there is exactly one
#'   outside of masks. `query_result_dimensions()`: 0 for a single value, 1 for
#'   a vector, entries or names, 2 for a matrix. `escape_value()`,
#'   `unescape_value()`: the text as queries write it, and back.
#' @section Errors:
#' `axtile_error_argument` for a query that makes no sense: the message shows
#' the place in the query, says what was expected there, and which names are
#' near. `axtile_error_range` for what the store does not have.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' set_vector(d, "cell", "type", c("A", "B", "A"))
#' d["@ cell : score / type >> Mean"]
#' d["@ cell [ score > 10 ]"]
#' has_query(d, "@ cell : age")
#' try(d["@ cell : scroe"])
#' canonical_query("@cell:score # a comment")
#' paste("@ cell = ", escape_value("a b"))
#' @export
get_query <- function(daf, query_string) {
    load_matrix()
    ask_query(rs_daf_query, daf, query_string)
}

# The text of a query.
query_text <- function(query, call = rlang::caller_env()) {
    if (inherits(query, "axtile_query")) {
        query <- as.character(query)
    }
    check_string(query, arg = "query", call = call)
}

ask_query <- function(rust_function, daf, query, call = rlang::caller_env()) {
    arguments <- list(
        daf = check_daf(daf, call = call),
        query = query_text(query, call),
        threads = option_threads(call),
        threshold = check_count(
            axtile_option("kernel_threshold"), min = 0,
            arg = "options(axtile.kernel_threshold)", call = call
        ),
        custom = registered$custom, registrations = registered$n
    )
    rust(rust_function(arguments), call = call)
}

query_info <- function(query, is_whole = FALSE, call = rlang::caller_env()) {
    rust(rs_daf_query_info(list(
        query = query_text(query, call), is_whole = is_whole,
        custom = registered$custom
    )), call = call)
}

#' @rdname get_query
#' @export
has_query <- function(daf, query_string) {
    ask_query(rs_daf_has_query, daf, query_string)
}

#' @rdname get_query
#' @export
query_requires_relayout <- function(daf, query_string) {
    ask_query(rs_daf_query_flips, daf, query_string)
}

#' @rdname get_query
#' @export
parse_query <- function(query_string) {
    structure(query_info(query_string)$canonical, class = "axtile_query")
}

#' @rdname get_query
#' @export
canonical_query <- function(query) query_info(query)$canonical

#' @rdname get_query
#' @export
is_axis_query <- function(query) query_info(query)$is_axis

#' @rdname get_query
#' @export
query_axis_name <- function(query) {
    axis <- query_info(query)$axis
    if (is.null(axis)) NA_character_ else axis
}

#' @rdname get_query
#' @export
query_result_dimensions <- function(query) {
    query_info(query, is_whole = TRUE)$n_dimensions
}

#' @rdname get_query
#' @export
escape_value <- function(value) {
    rust(rs_daf_query_values(list(
        values = check_strings(value), escape = TRUE
    )))
}

#' @rdname get_query
#' @export
unescape_value <- function(value) {
    rust(rs_daf_query_values(list(
        values = check_strings(value), escape = FALSE
    )))
}
