#' Add cells to a tile dataset
#'
#' The cells become new tiles behind those that are there, which are neither
#' read nor written: appending takes as long whatever the size of the dataset.
#' The last tile stays as full as it is.
#'
#' The dataset must be in the axtile format; [convert_tiles()] brings others to
#' it. Layers and obs columns must be those of the dataset, with the same types
#' (a matrix is taken as what the dataset has in that layer, if it holds that);
#' the levels of factors may be others. The genes must be the same, by name, in
#' any order. Annotations of the genes stay those of the dataset.
#'
#' The dataset changes in one step, when everything new is on the disk: an
#' error, an interrupt or a crash before leaves it as it was. Objects that were
#' opened before must be opened again.
#'
#' @param x A `tile_dataset`, or the path of one.
#' @param source What to add: counts as in [write_tiles()], or a `tile_dataset`.
#' @param ... Must be empty.
#' @param obs,layers As in [write_tiles()]; `NULL` for a `tile_dataset`, which
#'   brings its own.
#' @param layer As in [write_tiles()]; `NULL` for the name of the dataset's
#'   first layer.
#' @inheritParams write_tiles
#' @returns The dataset, opened anew.
#' @section Errors:
#' `axtile_error_unsupported` for a dataset in the deltacells format,
#' `axtile_error_argument` if layers, genes or obs are not those of the dataset
#' or another process is writing it, `axtile_error_value` or
#' `axtile_error_limit` for values that are no counts or too large,
#' `axtile_error_stale` if a dataset changed since it was opened.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' counts <- synthetic_counts(100, 500)
#' ds <- write_tiles(counts[, 1:60], path)
#' append_tiles(ds, counts[, 61:100])
#' @export
append_tiles <- function(x, source, ..., obs = NULL, layer = NULL,
                         layers = NULL, threads = axtile_option("threads"),
                         progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    if (!inherits(x, "tile_dataset")) {
        x <- open_dataset(check_path(x))
    }
    check_current(x)
    layer <- check_string(layer, null = TRUE) %||% x$layers$name[[1L]]
    input <- if (inherits(source, "tile_dataset")) {
        if (!is.null(obs) || !is.null(layers)) {
            axtile_abort("argument", paste0(
                "`obs` and `layers` must be NULL where `source` is a tile ",
                "dataset, which brings its own."
            ))
        }
        list(source = check_current(source)$path)
    } else {
        matrix_arguments(source, obs, NULL, layer, layers)
    }
    arguments <- c(input, list(
        target = x$path,
        obs_tiles_per_file = obs_tiles_per_file,
        threads = check_count(threads, max = 1024),
        progress = progress_reporter(
            "Appending cells", NULL, check_progress(progress)
        )
    ))
    rust(rs_tiles_append(arguments))
    open_dataset(x$path, x$gene_order)
}
