#' Read data in axes
#'
#' The names of what there is, and the values. Names come in the order of their
#' bytes. Vectors are named by the entries of their axis, matrices by those of
#' rows and columns.
#'
#' Every axis has two vectors that are not stored: `name`, its entries, and
#' `index`, their positions counted from 1. A matrix that is only stored with
#' rows and columns exchanged is exchanged when it is read, and kept so.
#'
#' What is read is kept with the store for the next time, until it changes; see
#' [empty_cache()].
#'
#' @param daf A DAF.
#' @param axis,rows_axis,columns_axis The name of an axis.
#' @param name The name of a scalar, vector or matrix.
#' @param default What to give if there is no such thing, instead of an error:
#'   for a vector a single value or one for each entry, for a matrix a single
#'   value or a matrix; `NULL` for `NULL`.
#' @param relayout Whether a matrix that is stored with rows and columns
#'   exchanged counts as well.
#' @param null_if_missing Whether to give `NULL` if there is no such axis.
#' @param indices Positions of entries, counted from 1; `NULL` for all.
#' @param entries Entries of the axis.
#' @param allow_empty Whether the empty text stands for no entry, with the
#'   position 0: `axis_entries()` then gives `""` for positions up to 0.
#' @param allow_missing Whether to give 0 for what is no entry.
#' @returns `has_*()`: `TRUE` or `FALSE`. `*_set()`: a character vector of
#'   names. `axis_length()`: a number. `axis_vector()`, `axis_entries()`: a
#'   character vector. `axis_indices()`: an integer vector. `axis_dict()`: an
#'   environment with the position of each entry. `get_*()`: the value; see
#'   [AxtileDaf] for types. `*_version_counter()`: how often the vector or
#'   matrix was set, or the axis deleted, in this session.
#' @section Errors:
#' `axtile_error_range` if there is no such axis, entry, scalar, vector or
#' matrix; `axtile_error_limit` for values that R cannot hold;
#' `axtile_error_corrupt` or `axtile_error_io` if a file cannot be read.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' axes_set(d)
#' axis_indices(d, "cell", c("c3", "c1"))
#' vectors_set(d, "cell")
#' get_vector(d, "cell", "score")
#' get_vector(d, "cell", "weight", default = 1)
#' @name daf_readers
NULL

# A question to the store about something of a name.
ask <- function(rust_function, daf, ..., call = rlang::caller_env()) {
    rust(
        rust_function(list(daf = check_daf(daf, call = call), ...)),
        call = call
    )
}

#' @rdname daf_readers
#' @export
has_axis <- function(daf, axis) {
    ask(rs_daf_has, daf, what = "axis", name = check_string(axis))
}

#' @rdname daf_readers
#' @export
axes_set <- function(daf) ask(rs_daf_names, daf, what = "axis")

#' @rdname daf_readers
#' @export
axis_length <- function(daf, axis) {
    ask(rs_daf_axis_length, daf, axis = check_string(axis))
}

#' @rdname daf_readers
#' @export
axis_vector <- function(daf, axis, null_if_missing = FALSE) {
    ask(
        rs_daf_entries, daf,
        axis = check_string(axis), optional = check_flag(null_if_missing)
    )
}

#' @rdname daf_readers
#' @export
axis_entries <- function(daf, axis, indices = NULL, allow_empty = FALSE) {
    check_flag(allow_empty)
    if (is.null(indices)) {
        return(axis_vector(daf, axis))
    }
    if (!is.numeric(indices) || anyNA(indices) ||
        any(indices != trunc(indices))) {
        abort_argument(
            "indices", "whole numbers without NA", indices,
            rlang::current_env()
        )
    }
    ask(
        rs_daf_entries_at, daf,
        axis = check_string(axis), indices = as.double(indices),
        allow_empty = allow_empty
    )
}

#' @rdname daf_readers
#' @export
axis_indices <- function(daf, axis, entries, allow_empty = FALSE,
                         allow_missing = FALSE) {
    if (is.factor(entries)) {
        entries <- as.character(entries)
    }
    ask(
        rs_daf_positions_of, daf,
        axis = check_string(axis), entries = check_strings(entries),
        allow_empty = check_flag(allow_empty),
        allow_missing = check_flag(allow_missing)
    )
}

#' @rdname daf_readers
#' @export
axis_dict <- function(daf, axis) {
    entries <- axis_vector(daf, axis)
    positions <- stats::setNames(as.list(seq_along(entries)), entries)
    list2env(positions, hash = TRUE, parent = emptyenv())
}

#' @rdname daf_readers
#' @export
has_scalar <- function(daf, name) {
    ask(rs_daf_has, daf, what = "scalar", name = check_string(name))
}

#' @rdname daf_readers
#' @export
scalars_set <- function(daf) ask(rs_daf_names, daf, what = "scalar")

#' @rdname daf_readers
#' @export
get_scalar <- function(daf, name, default) {
    found <- ask(
        rs_daf_scalar, daf,
        name = check_string(name), optional = !missing(default)
    )
    if (is.null(found)) default else found
}

#' @rdname daf_readers
#' @export
has_vector <- function(daf, axis, name) {
    ask(
        rs_daf_has, daf,
        what = "vector", axis = check_string(axis), name = check_string(name)
    )
}

#' @rdname daf_readers
#' @export
vectors_set <- function(daf, axis) {
    ask(rs_daf_names, daf, what = "vector", axis = check_string(axis))
}

#' @rdname daf_readers
#' @export
get_vector <- function(daf, axis, name, default) {
    found <- ask(
        rs_daf_vector, daf,
        axis = check_string(axis), name = check_string(name), named = TRUE,
        optional = !missing(default)
    )
    if (!is.null(found) || is.null(default)) {
        return(found)
    }
    entries <- axis_vector(daf, axis)
    if (!is.atomic(default) || !length(default) %in% c(1L, length(entries))) {
        abort_argument("default", paste0(
            "a single value or one for each of the ", length(entries),
            " entries"
        ), default, rlang::current_env())
    }
    stats::setNames(rep_len(default, length(entries)), entries)
}

#' @rdname daf_readers
#' @export
has_matrix <- function(daf, rows_axis, columns_axis, name, relayout = TRUE) {
    ask(
        rs_daf_has, daf,
        what = "matrix", axis = check_string(rows_axis),
        columns = check_string(columns_axis), name = check_string(name),
        relayout = check_flag(relayout)
    )
}

#' @rdname daf_readers
#' @export
matrices_set <- function(daf, rows_axis, columns_axis, relayout = TRUE) {
    ask(
        rs_daf_names, daf,
        what = "matrix", axis = check_string(rows_axis),
        columns = check_string(columns_axis), relayout = check_flag(relayout)
    )
}

#' @rdname daf_readers
#' @export
get_matrix <- function(daf, rows_axis, columns_axis, name, default) {
    load_matrix()
    found <- ask(
        rs_daf_matrix, daf,
        axis = check_string(rows_axis), columns = check_string(columns_axis),
        name = check_string(name), optional = !missing(default),
        threads = option_threads()
    )
    if (!is.null(found) || is.null(default)) {
        return(found)
    }
    names <- list(axis_vector(daf, rows_axis), axis_vector(daf, columns_axis))
    dim <- lengths(names)
    is_full <- length(dim(default)) == 2L && all(dim(default) == dim)
    if (is_full) {
        dimnames(default) <- names
        return(default)
    }
    if (!is.atomic(default) || length(default) != 1L) {
        abort_argument("default", paste0(
            "a single value or a matrix of ", dim[[1L]], " x ", dim[[2L]]
        ), default, rlang::current_env())
    }
    matrix(default, dim[[1L]], dim[[2L]], dimnames = names)
}

#' @rdname daf_readers
#' @export
axis_version_counter <- function(daf, axis) {
    ask(rs_daf_version, daf, what = "axis", name = check_string(axis))
}

#' @rdname daf_readers
#' @export
vector_version_counter <- function(daf, axis, name) {
    ask(
        rs_daf_version, daf,
        what = "vector", axis = check_string(axis), name = check_string(name)
    )
}

#' @rdname daf_readers
#' @export
matrix_version_counter <- function(daf, rows_axis, columns_axis, name) {
    ask(
        rs_daf_version, daf,
        what = "matrix", axis = check_string(rows_axis),
        columns = check_string(columns_axis), name = check_string(name)
    )
}
