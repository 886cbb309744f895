#' A tile dataset as data in axes
#'
#' The dataset is not copied: its cells and genes are the axes `cell` and
#' `gene`, the columns of obs and var are their vectors, and each layer is a
#' matrix of genes x cells. Queries that reduce a layer read one tile after the
#' other, also through chains and views: most of them once, variances twice,
#' medians, quantiles and modes of genes more often, with about 17 million
#' values of genes at a time. [get_matrix()], and queries that change a layer
#' before they reduce it, have all that is asked for in memory.
#'
#' Names of cells or genes that repeat get `-1`, `-2`, ... after them, and empty
#' ones become their number; all names as they are are then the vector
#' `original_name`. Factors become texts, and missing texts become empty.
#' Numbers and truths become doubles where some are missing, which are NaN then:
#' a DAF has no missing values.
#'
#' @param x A `tile_dataset`, or the path of one.
#' @param name What the store is called in messages; its path by default.
#' @returns A DAF that can only be read; see [AxtileDaf].
#' @section Errors:
#' The errors of [open_tiles()]; `axtile_error_limit` for more than 2^32 - 1
#' cells; `axtile_error_range` when a column is read that has whole numbers
#' beyond 2^53 beside missing ones.
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
