#' Annotations of cells and genes
#'
#' `read_obs()` reads columns of the cells' annotations, and only those.
#' `read_var()` reads those of the genes. `obs_columns()` tells which there are.
#'
#' @param x A `tile_dataset`.
#' @param columns Names of columns; `NULL` for all but the cell names, which
#'   become row names.
#' @param cells Which cells, as in [read_cells()]; `NULL` for all.
#' @param ... Must be empty.
#' @param cell_names Whether to read the names of the cells, too.
#' @inheritParams read_cells
#' @returns `read_obs()` and `read_var()`: a data frame with the names of cells
#'   or genes as row names where they are unique (else as a first column
#'   `obs_names` or `var_names`). Types are those that were written: factor
#'   (ordered too), logical, integer, double, character; missing values are
#'   `NA`, and so is NaN. 64-bit integers are doubles; a column with one beyond
#'   2^53 comes as text, with a warning of class `axtile_warning_wide_integer`.
#'
#'   `obs_columns()`: a data frame with `name`, `type` and `localized`.
#'
#'   Checksums of obs are looked at by [verify_tiles()] and [localize_obs()],
#'   not at every reading.
#' @section Errors:
#' `axtile_error_range` for a column or cell that is not there,
#' `axtile_error_corrupt` if a file is damaged.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' obs <- data.frame(batch = factor(rep(c("a", "b"), 50)), score = rnorm(100))
#' ds <- write_tiles(synthetic_counts(100, 500), path, obs = obs)
#' obs_columns(ds)
#' head(read_obs(ds, columns = "batch"))
#' head(read_var(ds))
#' @export
read_obs <- function(x, columns = NULL, cells = NULL, ..., cell_names = TRUE,
                     threads = axtile_option("threads"),
                     progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    check_flag(cell_names)
    call <- rlang::current_env()
    fields <- obs_fields(x, call)
    all <- setdiff(fields$name, "obs_names")
    columns <- if (is.null(columns)) all else check_strings(columns)
    unknown <- setdiff(columns, fields$name)
    if (length(unknown)) {
        axtile_abort("range", paste0(
            "There is no obs column ", dQuote(unknown[[1L]], FALSE),
            " in the dataset", suggest(unknown[[1L]], fields$name)
        ))
    }
    cells <- check_positions(
        cells, x$n_cells, function() read_cell_names(x), "cell", "cells", call
    )
    n <- if (is.null(cells)) x$n_cells else length(cells)
    wanted <- columns
    if (cell_names) {
        wanted <- union(columns, intersect("obs_names", fields$name))
    }
    progress <- check_progress(progress)
    values <- rust(rs_tiles_obs(handle(
        x,
        columns = wanted, cells = cells, threads = threads,
        progress = progress_reporter(
            "Reading obs", n * length(wanted), progress
        )
    )))
    warn_text(values, call)
    names <- if (cell_names && !"obs_names" %in% columns) {
        values[["obs_names"]]
    }
    annotations(values[columns], names, n, "obs_names")
}

#' @rdname read_obs
#' @export
read_var <- function(x) {
    check_tiles(x)
    var <- rust(rs_tiles_var(handle(x)))
    warn_text(var$columns, rlang::current_env())
    columns <- var$columns
    attr(columns, "as_text") <- NULL
    annotations(columns, var$names, x$n_genes, "var_names")
}

#' @rdname read_obs
#' @export
obs_columns <- function(x) {
    check_tiles(x)
    obs_fields(x, rlang::current_env())
}

obs_fields <- function(x, call) {
    fields <- rust(rs_tiles_obs_fields(handle(x)), call = call)
    data.frame(
        name = fields$name, type = fields$type_name,
        localized = fields$localized
    )
}

warn_text <- function(values, call) {
    as_text <- attr(values, "as_text")
    if (length(as_text)) {
        axtile_warn("wide_integer", paste0(
            "Integers beyond 2^53 do not fit into doubles; as text: ",
            paste(as_text, collapse = ", "), "."
        ), columns = as_text, call = call)
    }
}

# A data frame without the copies and checks of data.frame().
annotations <- function(columns, names, n, names_column) {
    attributes(columns) <- list(names = names(columns) %||% character())
    if (!is.null(names) && anyDuplicated(names)) {
        columns <- c(stats::setNames(list(names), names_column), columns)
        names <- NULL
    }
    attr(columns, "row.names") <- names %||% .set_row_names(n)
    class(columns) <- "data.frame"
    columns
}

`%||%` <- function(x, y) if (is.null(x)) y else x

suggest <- function(name, choices) {
    if (nchar(name) < 1L || nchar(name) > 100L) {
        return(".")
    }
    near <- choices[agrepl(
        name, choices, max.distance = 0.2, ignore.case = TRUE
    )]
    if (length(near) == 0L) {
        return(".")
    }
    paste0("; did you mean ", dQuote(near[[1L]], FALSE), "?")
}

#' Keep obs columns in a local cache
#'
#' Copies columns of obs to uncompressed, memory-mapped Arrow files, so that
#' looking up some cells takes well under a millisecond. [read_obs()] and
#' [read_cells()] by name use them from then on.
#'
#' The cache lies outside the dataset, in a folder named after its content
#' (see [axtile_options()] for where); it can be deleted at any time.
#'
#' @inheritParams read_obs
#' @param columns Names of columns, `obs_names` for the cell names; `NULL` for
#'   all.
#' @returns `x`, invisibly.
#' @inheritSection read_obs Errors
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' obs <- data.frame(score = rnorm(100))
#' ds <- write_tiles(synthetic_counts(100, 500), path, obs = obs)
#' old <- options(axtile.cache_dir = tempfile())
#' localize_obs(ds, "score")
#' obs_columns(ds)
#' read_obs(ds, "score", cells = c(9, 4))
#' options(old)
#' @export
localize_obs <- function(x, columns = NULL, ...,
                         threads = axtile_option("threads"),
                         progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    names <- obs_fields(x, rlang::current_env())$name
    columns <- if (is.null(columns)) names else check_strings(columns)
    progress <- check_progress(progress)
    rust(rs_tiles_localize(handle(
        x,
        columns = columns, threads = threads,
        progress = progress_reporter(
            "Copying obs", x$n_cells * length(columns), progress
        )
    )))
    invisible(x)
}
