#' Views of stores
#'
#' A view shows a store in another way: axes under other names or with some of
#' their entries only, and data that queries give. Nothing is copied: what a
#' view shows is looked up in the store when it is asked for.
#'
#' @param daf A DAF.
#' @param name What the view is called in messages; by default the name of the
#'   store and `.view`.
#' @param axes A list of items `list(name, query)`, the name of an axis of the
#'   view and a query for its entries; `NULL` for all axes of the store.
#' @param data A list of items `list(key, query)`. The key is the name of a
#'   scalar, `c(axis, vector)` or `c(rows, columns, matrix)`, by the names of
#'   the view. A query for a vector or matrix may leave out its axes. `NULL` for
#'   all data of the axes that are shown.
#' @details
#' A name `"*"` stands for all there are. The query `"="` shows a thing as it
#' is, `NULL` hides it; with `"*"`, only these two make sense. Of several items
#' for the same thing, the last one counts. The constants `ALL_*` are keys and
#' `VIEW_ALL_*` items for all of a kind.
#' @returns A DAF that can only be read.
#' @section Errors:
#' `axtile_error_argument` for a query that does not give what it is for, or
#' items of another form; `axtile_error_range` for an axis that is missing.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' v <- viewer(
#'     d,
#'     axes = list(list("obs", "@ cell [ score > 10 ]")),
#'     data = list(list(c("obs", "percent"), ": score % Fraction"))
#' )
#' get_vector(v, "obs", "percent")
#' viewer(d, data = list(VIEW_ALL_VECTORS, list(c("cell", "score"), NULL)))
#' @export
viewer <- function(daf, name = NULL, axes = NULL, data = NULL) {
    pointer <- rust(rs_daf_viewer(list(
        daf = check_daf(daf), name = check_string(name, null = TRUE),
        axes = view_items(axes, "axes", 1L),
        data = view_items(data, "data", 1:3),
        cache_mb = megabytes("daf_cache_mb")
    )))
    new_daf(pointer)
}

# Items of a view, each with its key of as many names as `lengths` says.
view_items <- function(items, arg, lengths, call = rlang::caller_env()) {
    if (is.null(items)) {
        return(NULL)
    }
    if (!is.list(items)) {
        abort_argument(arg, "a list of items `list(key, query)`", items, call)
    }
    lapply(unname(flat_items(items)), function(item) {
        key <- if (is.list(item) && length(item) == 2L) item[[1L]]
        if (!is.character(key) || !length(key) %in% lengths || anyNA(key)) {
            abort_argument(
                paste0("each item of ", arg), paste0(
                    "`list(key, query)` with a key of ",
                    paste(range(lengths), collapse = " to "), " names"
                ), item, call
            )
        }
        query <- item[[2L]]
        list(
            key = utf8(key, arg, call),
            query = if (!is.null(query)) query_text(query, call)
        )
    })
}

# VIEW_ALL_DATA is a list of items: it may stand among them.
flat_items <- function(items) {
    is_items <- vapply(items, function(item) {
        is.list(item) && length(item) > 0L && is.list(item[[1L]])
    }, NA)
    items[!is_items] <- lapply(items[!is_items], list)
    do.call(c, c(list(list()), lapply(items, unname)))
}

#' @rdname viewer
#' @format NULL
#' @export
ALL_AXES <- "*"

#' @rdname viewer
#' @format NULL
#' @export
ALL_SCALARS <- "*"

#' @rdname viewer
#' @format NULL
#' @export
ALL_VECTORS <- c("*", "*")

#' @rdname viewer
#' @format NULL
#' @export
ALL_MATRICES <- c("*", "*", "*")

#' @rdname viewer
#' @format NULL
#' @export
VIEW_ALL_AXES <- list(ALL_AXES, "=")

#' @rdname viewer
#' @format NULL
#' @export
VIEW_ALL_SCALARS <- list(ALL_SCALARS, "=")

#' @rdname viewer
#' @format NULL
#' @export
VIEW_ALL_VECTORS <- list(ALL_VECTORS, "=")

#' @rdname viewer
#' @format NULL
#' @export
VIEW_ALL_MATRICES <- list(ALL_MATRICES, "=")

#' @rdname viewer
#' @format NULL
#' @export
VIEW_ALL_DATA <- list(VIEW_ALL_SCALARS, VIEW_ALL_VECTORS, VIEW_ALL_MATRICES)
