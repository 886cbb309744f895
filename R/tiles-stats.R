#' Sums over genes and cells
#'
#' One pass over the tiles, in memory for the result alone: no matrix is made.
#' Sums are exact (they are of integers, rounded to doubles once) and do not
#' depend on the number of threads.
#'
#' With a `tile_dataset`, `colSums()`, `rowSums()`, `colMeans()` and
#' `rowMeans()` work as with a matrix of genes x cells, where the call reaches
#' the generics of Matrix (`Matrix::colSums(x)`, or `colSums(x)` once axtile or
#' Matrix is attached). `base::colSums(x)` reaches no method, and is an error.
#'
#' @param x A `tile_dataset`.
#' @param ... Must be empty.
#' @param cells,genes What to sum over, as in [read_cells()]: the statistics of
#'   genes are over these cells, those of cells over these genes, each as often
#'   as it comes. `NULL` for all.
#' @param names Whether the result has the names of genes or cells.
#' @inheritParams read_cells
#' @returns `gene_totals()` and `cell_totals()`: doubles with names, one for
#'   each gene or cell.
#'
#'   `gene_stats()` and `cell_stats()`: a data frame of doubles, with the names
#'   as row names where they are unique (else as a first column `var_names` or
#'   `obs_names`): `total`, `mean` and `variance` over all values, those of 0
#'   among them (the variance with the denominator n - 1; `NA` for fewer than
#'   two); `detected`, the number of values that are not 0; `max`, the largest
#'   (`NA` of none).
#' @section Errors:
#' `axtile_error_range` if there is no such cell, gene or layer,
#' `axtile_error_corrupt` if a tile is damaged, `axtile_error_limit` if there is
#' no memory for the sums, `axtile_error_stale` if the dataset changed since it
#' was opened.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' head(gene_totals(ds))
#' head(Matrix::colSums(ds))
#' head(gene_stats(ds, cells = 1:50))
#' head(cell_stats(ds, genes = c("gene1", "gene2")))
#' @export
gene_totals <- function(x, ..., cells = NULL, layer = NULL, names = TRUE,
                        threads = axtile_option("threads"),
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    stats <- stats_of_genes(
        x, cells, layer, names, threads, progress, rlang::current_env()
    )
    stats::setNames(stats$columns$total, stats$names)
}

#' @rdname gene_totals
#' @export
cell_totals <- function(x, ..., genes = NULL, layer = NULL, names = TRUE,
                        threads = axtile_option("threads"),
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    stats <- stats_of_cells(
        x, genes, layer, names, threads, progress, rlang::current_env()
    )
    stats::setNames(stats$columns$total, stats$names)
}

#' @rdname gene_totals
#' @export
gene_stats <- function(x, ..., cells = NULL, layer = NULL, names = TRUE,
                       threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    stats <- stats_of_genes(
        x, cells, layer, names, threads, progress, rlang::current_env()
    )
    annotations(stats$columns, stats$names, x$n_genes, "var_names")
}

#' @rdname gene_totals
#' @export
cell_stats <- function(x, ..., genes = NULL, layer = NULL, names = TRUE,
                       threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    stats <- stats_of_cells(
        x, genes, layer, names, threads, progress, rlang::current_env()
    )
    annotations(stats$columns, stats$names, x$n_cells, "obs_names")
}

stats_of_genes <- function(x, cells, layer, names, threads, progress, call) {
    check_tiles(x, arg = "x", call = call)
    layer <- check_string(layer, null = TRUE, arg = "layer", call = call)
    check_flag(names, arg = "names", call = call)
    cells <- cell_positions(x, cells, call)
    progress <- check_progress(progress, arg = "progress", call = call)
    arguments <- handle(
        x,
        cells = cells, layer = layer, threads = threads, call = call,
        progress = progress_reporter(
            "Summing up", cells_to_read(x, cells), progress
        )
    )
    columns <- rust(rs_tiles_gene_stats(arguments), call = call)
    list(columns = columns, names = if (names) read_gene_names(x, call))
}

stats_of_cells <- function(x, genes, layer, names, threads, progress, call) {
    check_tiles(x, arg = "x", call = call)
    layer <- check_string(layer, null = TRUE, arg = "layer", call = call)
    check_flag(names, arg = "names", call = call)
    genes <- gene_positions(x, genes, call)
    progress <- check_progress(progress, arg = "progress", call = call)
    arguments <- handle(
        x,
        genes = genes, layer = layer, threads = threads, call = call,
        progress = progress_reporter("Summing up", x$n_cells, progress)
    )
    columns <- rust(rs_tiles_cell_stats(arguments), call = call)
    list(
        columns = columns, names = if (names) read_cell_names(x, call = call)
    )
}

# The number of cells in the tiles that hold one of `cells`.
cells_to_read <- function(x, cells) {
    if (is.null(cells)) {
        return(x$n_cells)
    }
    ends <- cumsum(x$tiles$n_cells)
    tiles <- unique(findInterval(cells, ends, left.open = TRUE)) + 1L
    sum(x$tiles$n_cells[tiles])
}

# The generics are those of tile-counts-methods.R.
setOldClass("tile_dataset")

#' @rdname gene_totals
#' @param na.rm,dims Ignored: counts are never missing.
#' @exportMethod colSums
setMethod(
    "colSums", "tile_dataset",
    function(x, na.rm = FALSE, dims = 1L) cell_totals(x)
)

#' @rdname gene_totals
#' @exportMethod rowSums
setMethod(
    "rowSums", "tile_dataset",
    function(x, na.rm = FALSE, dims = 1L) gene_totals(x)
)

#' @rdname gene_totals
#' @exportMethod colMeans
setMethod(
    "colMeans", "tile_dataset",
    function(x, na.rm = FALSE, dims = 1L) cell_totals(x) / x$n_genes
)

#' @rdname gene_totals
#' @exportMethod rowMeans
setMethod(
    "rowMeans", "tile_dataset",
    function(x, na.rm = FALSE, dims = 1L) gene_totals(x) / x$n_cells
)
