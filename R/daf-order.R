#' Change the order of axes
#'
#' Puts the entries of axes into another order, and all vectors and matrices
#' along them with them. Types and layouts stay as they are, and each file is
#' written once.
#'
#' If R ends in the middle of it, a store in files is put right when it is next
#' opened to be written, or by `reset_reorder_axes()`; until then it is not
#' opened to be read.
#'
#' @param daf A DAF that can be written and is not made of others, or a list of
#'   them, whose axes have the same entries. For `reset_reorder_axes()` a DAF in
#'   files, or its folder.
#' @param ... For each axis, by its name, the positions that its entries had, in
#'   the new order: each once, counted from 1.
#' @returns `daf`, invisibly.
#' @section Errors:
#' `axtile_error_range` for an axis that is missing, `axtile_error_argument` if
#' positions are not each there once, entries of several stores differ, or a
#' store is made of others. `axtile_error_io` if a file cannot be written: what
#' was done is then undone.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' reorder_axes(d, cell = c(3L, 1L, 2L))
#' get_vector(d, "cell", "score")
#' @export
reorder_axes <- function(daf, ...) {
    orders <- list(...)
    axes <- names(orders)
    if (length(orders) == 0L || is.null(axes) || !all(nzchar(axes)) ||
        anyDuplicated(axes)) {
        axtile_abort("argument", paste0(
            "Orders must be given by the names of axes, each once, as in ",
            "`reorder_axes(daf, cell = 3:1)`."
        ))
    }
    orders <- Map(function(order, axis) {
        is_positions <- is.numeric(order) && !anyNA(order) &&
            all(order == trunc(order)) && all(order >= 1)
        if (!is_positions) {
            abort_argument(
                axis, "positions, counted from 1", order,
                parent.frame(3L)
            )
        }
        as.double(order)
    }, orders, axes)
    rust(rs_daf_reorder_axes(list(dafs = check_dafs(daf), orders = orders)))
    invisible(daf)
}

#' @rdname reorder_axes
#' @export
reset_reorder_axes <- function(daf) {
    path <- if (is_daf(daf)) daf_info(daf)$path else check_path(daf)
    if (!is.na(path)) {
        rust(rs_daf_reset_reorder(path))
    }
    invisible(daf)
}
