#' A tile dataset as data in axes
#'
#' The dataset is not copied: its cells and genes are the axes `cell` and
#' `gene`, the columns of obs and var are their vectors, and each layer is a
#' matrix of genes x cells. Queries that reduce a layer read it in parts: for a
#' value of each cell a tile at a time, for one of each gene as many genes at a
#' time as have about 33 million values in all cells. [get_matrix()], queries
#' that change a layer before they reduce it, and those of chains and views of
#' the store read all of it.
#'
#' Factors become texts, and missing texts become empty. A missing whole number
#' or truth is refused when its column is read, since a DAF has no such value.
#'
#' @param x A `tile_dataset`, or the path of one.
#' @param name What the store is called in messages; its path by default.
#' @returns A DAF that can only be read; see [AxtileDaf].
#' @section Errors:
#' `axtile_error_unsupported` when an axis or column is read that a DAF cannot
#' have: names of cells or genes that repeat or are empty, missing numbers. The
#' errors of [open_tiles()].
#' @family daf
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' counts <- synthetic_counts(100, 50)
#' donors <- data.frame(donor = rep(c("a", "b"), 50))
#' ds <- write_tiles(counts, path, obs = donors)
#' d <- tiles_daf(ds)
#' d
#' d["@ cell : donor * donor"]
#' head(d["@ cell @ gene :: counts -/ donor >- Mean"])
#' @export
tiles_daf <- function(x, name = NULL) {
    if (!inherits(x, "tile_dataset")) {
        x <- open_dataset(check_path(x))
    }
    arguments <- handle(
        x,
        name = check_string(name, null = TRUE),
        daf_cache_mb = megabytes("daf_cache_mb")
    )
    new_daf(rust(rs_daf_tiles(arguments)))
}
