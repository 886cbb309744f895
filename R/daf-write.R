#' Write data in axes
#'
#' `set_*()` and `add_axis()` add to a store, or replace what it has if
#' `overwrite` says so; `delete_*()` remove. A store on the disk is whole at any
#' time: what fails leaves the old values.
#'
#' Values with names, or matrices with dimnames, are put into the order of the
#' entries; the names must be all of them. A sparse matrix stays one. Matrices
#' of other classes of the package Matrix are made a [Matrix::dgCMatrix-class],
#' a [Matrix::lgCMatrix-class] or an ordinary one first. Of a sparse vector of
#' that package, the kept values are stored.
#'
#' @param daf A DAF that can be written.
#' @param axis,rows_axis,columns_axis The name of an axis.
#' @param name The name of a scalar, vector or matrix. Names neither begin nor
#'   end with a blank, and have none of `/ \ : ,` and no control character in
#'   them.
#' @param entries The entries: texts, no two the same, none empty. Folders of
#'   files cannot hold line ends in them.
#' @param value,vec,mat The value: see [AxtileDaf] for types. Texts with line
#'   ends can only be held in memory.
#' @param overwrite Whether to replace what there is.
#' @param relayout Whether also to store the matrix with rows and columns
#'   exchanged, so that it is read as fast either way; when deleting, whether to
#'   delete it both ways.
#' @param must_exist Whether it is an error if there is nothing to delete.
#' @returns `daf`, invisibly.
#' @section Errors:
#' `axtile_error_exists` for what there is already, `axtile_error_range` for
#' what is missing, `axtile_error_argument` for a value that cannot be kept as
#' it is (`NA`, a line end, an object of another class), a wrong length, a name
#' that is not allowed, the names `name` and `index` of vectors that every axis
#' has, and for a store that can only be read.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' add_axis(d, "gene", c("g1", "g2"))
#' set_scalar(d, "organism", "human")
#' set_vector(d, "cell", "score", c(c3 = 30, c1 = 10, c2 = 20))
#' set_matrix(d, "cell", "gene", "UMIs", matrix(1:6, 3))
#' get_matrix(d, "gene", "cell", "UMIs")
#' delete_vector(d, "cell", "score")
#' try(set_vector(d, "cell", "score", c(1, NA, 3)))
#' @name daf_writers
NULL

#' @rdname daf_writers
#' @export
add_axis <- function(daf, axis, entries) {
    if (is.factor(entries)) {
        entries <- as.character(entries)
    }
    if (!is.character(entries)) {
        abort_argument(
            "entries", "a character vector", entries, rlang::current_env()
        )
    }
    ask(
        rs_daf_add_axis, daf,
        axis = check_string(axis),
        entries = texts_for_rust(entries, "entries", rlang::current_env())
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
delete_axis <- function(daf, axis, must_exist = TRUE) {
    ask(
        rs_daf_delete, daf,
        what = "axis", name = check_string(axis),
        must_exist = check_flag(must_exist)
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
set_scalar <- function(daf, name, value, overwrite = FALSE) {
    ask(
        rs_daf_set_scalar, daf,
        name = check_string(name),
        values = plain_values(value, "value", rlang::current_env()),
        overwrite = check_flag(overwrite)
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
delete_scalar <- function(daf, name, must_exist = TRUE) {
    ask(
        rs_daf_delete, daf,
        what = "scalar", name = check_string(name),
        must_exist = check_flag(must_exist)
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
set_vector <- function(daf, axis, name, vec, overwrite = FALSE) {
    arguments <- daf_vector_arguments(vec, rlang::current_env())
    arguments <- c(list(
        daf = check_daf(daf), axis = check_string(axis),
        name = check_string(name), overwrite = check_flag(overwrite)
    ), arguments)
    rust(rs_daf_set_vector(arguments))
    invisible(daf)
}

#' @rdname daf_writers
#' @export
delete_vector <- function(daf, axis, name, must_exist = TRUE) {
    ask(
        rs_daf_delete, daf,
        what = "vector", axis = check_string(axis), name = check_string(name),
        must_exist = check_flag(must_exist)
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
set_matrix <- function(daf, rows_axis, columns_axis, name, mat,
                       overwrite = FALSE, relayout = TRUE) {
    arguments <- daf_matrix_arguments(mat, rlang::current_env())
    arguments <- c(list(
        daf = check_daf(daf), axis = check_string(rows_axis),
        columns = check_string(columns_axis), name = check_string(name),
        overwrite = check_flag(overwrite), relayout = check_flag(relayout)
    ), arguments)
    rust(rs_daf_set_matrix(arguments))
    invisible(daf)
}

#' @rdname daf_writers
#' @export
delete_matrix <- function(daf, rows_axis, columns_axis, name,
                          must_exist = TRUE, relayout = TRUE) {
    ask(
        rs_daf_delete, daf,
        what = "matrix", axis = check_string(rows_axis),
        columns = check_string(columns_axis), name = check_string(name),
        must_exist = check_flag(must_exist), relayout = check_flag(relayout)
    )
    invisible(daf)
}

#' @rdname daf_writers
#' @export
relayout_matrix <- function(daf, rows_axis, columns_axis, name,
                            overwrite = FALSE) {
    ask(
        rs_daf_relayout_matrix, daf,
        axis = check_string(rows_axis), columns = check_string(columns_axis),
        name = check_string(name), overwrite = check_flag(overwrite)
    )
    invisible(daf)
}
