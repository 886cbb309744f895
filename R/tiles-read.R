#' Read a tile
#'
#' Decodes one tile straight into the slots of a sparse matrix.
#'
#' @param x A `tile_dataset`.
#' @param tile The number of the tile, from 1.
#' @param ... Must be empty.
#' @param layer The name of a layer; `NULL` for the first.
#' @param dimnames Whether to read the names of genes and cells, too.
#' @param threads Worker threads.
#' @returns A [Matrix::dgCMatrix-class], genes x cells.
#' @section Errors:
#' `axtile_error_range` if there is no such tile or layer,
#' `axtile_error_corrupt` if it is damaged, `axtile_error_limit` if it has more
#' than 2^31-1 nonzeros, `axtile_error_stale` if the dataset changed since it
#' was opened.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path, tile_size = 50)
#' m <- read_tile(ds, 2)
#' dim(m)
#' @export
read_tile <- function(x, tile, ..., layer = NULL, dimnames = TRUE,
                      threads = axtile_option("threads")) {
    rlang::check_dots_empty()
    check_tiles(x)
    tile <- check_count(tile, max = .Machine$integer.max)
    layer <- check_string(layer, null = TRUE)
    check_flag(dimnames)
    load_matrix()
    matrix <- rust(rs_tiles_tile(handle(
        x,
        tile = tile, layer = layer, threads = threads
    )))
    if (dimnames) {
        first <- sum(utils::head(x$tiles$n_cells, tile - 1))
        cells <- first + seq_len(ncol(matrix))
        matrix@Dimnames <- list(
            read_gene_names(x), read_cell_names(x, as.double(cells))
        )
    }
    matrix
}

#' Read cells
#'
#' Reads any cells and genes. Only the parts of tiles that hold one of the
#' cells are decoded; they are kept in memory for the next call, up to the
#' option `axtile.cache_mb`.
#'
#' @param x A `tile_dataset`.
#' @param cells,genes Names, numbers from 1, or a logical vector with one
#'   element for each; in any order and with repeats. `NULL` for all.
#' @param ... Must be empty.
#' @inheritParams read_tile
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns A [Matrix::dgCMatrix-class], genes x cells, in the order asked for.
#' @section Errors:
#' `axtile_error_range` for a cell or gene that is not there, or a name that
#' several have; else as [read_tile()].
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' read_cells(ds, cells = c(7, 3, 3), genes = c("gene2", "gene1"))
#' @export
read_cells <- function(x, cells = NULL, genes = NULL, ..., layer = NULL,
                       dimnames = TRUE,
                       threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    layer <- check_string(layer, null = TRUE)
    check_flag(dimnames)
    call <- rlang::current_env()
    cells <- check_positions(
        cells, x$n_cells, function() read_cell_names(x), "cell", "cells", call
    )
    all_genes <- NULL
    names <- function() {
        if (is.null(all_genes)) {
            all_genes <<- read_gene_names(x, call = call)
        }
        all_genes
    }
    genes <- check_positions(genes, x$n_genes, names, "gene", "genes", call)
    total <- if (is.null(cells)) x$n_cells else length(cells)
    progress <- check_progress(progress)
    load_matrix()
    matrix <- rust(rs_tiles_cells(handle(
        x,
        cells = cells, genes = genes, layer = layer, threads = threads,
        progress = progress_reporter("Reading cells", total, progress)
    )))
    if (dimnames) {
        rows <- names()
        if (!is.null(genes)) {
            rows <- rows[genes]
        }
        matrix@Dimnames <- list(rows, read_cell_names(x, cells))
    }
    matrix
}

# Matrix takes most of a second to load: it is not imported, so that
# library(axtile) is quick, but must be there before one of its objects is made.
load_matrix <- function() {
    loadNamespace("Matrix")
}
