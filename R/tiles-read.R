#' Read a tile
#'
#' Decodes one tile straight into the slots of a sparse matrix, or maps it where
#' it was decoded before.
#'
#' @param x A `tile_dataset`.
#' @param tile The number of the tile, from 1.
#' @param ... Must be empty.
#' @param layer The name of a layer; `NULL` for the first.
#' @param dimnames Whether to read the names of genes and cells, too.
#' @param as The result's form: `"dgCMatrix"`, or `"integer"` for a compact one
#'   with integer counts, which takes two thirds of the memory and is not for
#'   layers of floating-point values.
#' @param mmap `TRUE` for the tile as [materialize_tiles()] keeps it in the
#'   cache, where it is put if it is not there; or the folder that
#'   `materialize_tiles()` was given.
#' @param threads Worker threads.
#' @returns A [Matrix::dgCMatrix-class], genes x cells; for `as = "integer"` an
#'   `SVT_SparseMatrix` if the SparseArray package is installed, else a
#'   [TileCounts].
#' @section Errors:
#' `axtile_error_range` if there is no such tile or layer,
#' `axtile_error_unsupported` for floating-point values `as = "integer"`,
#' `axtile_error_corrupt` if it is damaged, `axtile_error_limit` if it has more
#' than 2^31-1 nonzeros, `axtile_error_stale` if the dataset changed since it
#' was opened; with `mmap`, `axtile_error_argument` if the folder holds another
#' dataset's tile, or one in another gene order, and the errors of
#' [mmap_dgCMatrix()].
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path, tile_size = 50)
#' m <- read_tile(ds, 2)
#' dim(m)
#' @export
read_tile <- function(x, tile, ..., layer = NULL, dimnames = TRUE,
                      as = c("dgCMatrix", "integer"), mmap = FALSE,
                      threads = axtile_option("threads")) {
    rlang::check_dots_empty()
    check_tiles(x)
    tile <- check_count(tile, max = .Machine$integer.max)
    layer <- check_string(layer, null = TRUE)
    check_flag(dimnames)
    compact <- rlang::arg_match(as) == "integer"
    if (!isFALSE(mmap)) {
        return(read_mapped(
            x, tile, layer, mmap, dimnames, compact, threads,
            rlang::current_env()
        ))
    }
    load_matrix()
    matrix <- rust(rs_tiles_tile(handle(
        x,
        tile = tile, layer = layer, threads = threads, as_integer = compact
    )))
    with_names(matrix, compact, dimnames, function() {
        n_cells <- length(if (compact) matrix$p else matrix@p) - 1L
        first <- sum(utils::head(x$tiles$n_cells, tile - 1))
        cells <- first + seq_len(n_cells)
        list(read_gene_names(x), read_cell_names(x, as.double(cells)))
    })
}

# What was read, as the user gets it. `names` is a function that gives the names
# of genes and cells.
with_names <- function(matrix, compact, dimnames, names) {
    names <- if (dimnames) names() else list(NULL, NULL)
    if (compact) {
        return(compact_counts(matrix, names))
    }
    if (dimnames) {
        matrix@Dimnames <- names
    }
    matrix
}

#' Read cells or genes
#'
#' `read_cells()` reads any cells, and of them all genes or some; `read_genes()`
#' reads some genes of all cells or some. They differ in the order of their
#' arguments only.
#'
#' Only the parts of tiles that hold one of the cells are decoded; they are kept
#' in memory for the next call, up to the option `axtile.cache_mb`. Datasets of
#' the axtile format keep genes apart, too: where a few genes are wanted, only
#' the parts that hold them are decoded, which takes a tenth of the time or
#' less for a single gene. Such parts are not kept, nor is anything when genes
#' of all cells are read.
#'
#' @param x A `tile_dataset`.
#' @param cells,genes Names, numbers from 1, or a logical vector with one
#'   element for each; in any order and with repeats. `NULL` for all.
#' @param ... Must be empty.
#' @inheritParams read_tile
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns As of [read_tile()], genes x cells in the order asked for.
#' @section Errors:
#' `axtile_error_range` for a cell or gene that is not there, or a name that
#' several have; `axtile_error_argument` for `read_genes()` without genes; else
#' as [read_tile()].
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' read_cells(ds, cells = c(7, 3, 3), genes = c("gene2", "gene1"))
#' markers <- read_genes(ds, c("gene5", "gene40"))
#' Matrix::rowSums(markers)
#' @export
read_cells <- function(x, cells = NULL, genes = NULL, ..., layer = NULL,
                       dimnames = TRUE, as = c("dgCMatrix", "integer"),
                       threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    layer <- check_string(layer, null = TRUE)
    check_flag(dimnames)
    compact <- rlang::arg_match(as) == "integer"
    progress <- check_progress(progress)
    read_selected(
        x, cells, genes, layer, dimnames, compact, threads,
        progress, "Reading cells", rlang::current_env()
    )
}

#' @rdname read_cells
#' @export
read_genes <- function(x, genes, ..., cells = NULL, layer = NULL,
                       dimnames = TRUE, as = c("dgCMatrix", "integer"),
                       threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    if (is.null(genes)) {
        abort_argument(
            "genes", "names, numbers or a logical vector", genes,
            rlang::current_env()
        )
    }
    layer <- check_string(layer, null = TRUE)
    check_flag(dimnames)
    compact <- rlang::arg_match(as) == "integer"
    progress <- check_progress(progress)
    read_selected(
        x, cells, genes, layer, dimnames, compact, threads,
        progress, "Reading genes", rlang::current_env()
    )
}

read_selected <- function(x, cells, genes, layer, dimnames, compact, threads,
                          progress, label, call) {
    cells <- cell_positions(x, cells, call)
    # Names are read once, and only if they are needed.
    all_genes <- NULL
    names <- function() {
        if (is.null(all_genes)) {
            all_genes <<- read_gene_names(x, call = call)
        }
        all_genes
    }
    genes <- check_positions(genes, x$n_genes, names, "gene", "genes", call)
    load_matrix()
    total <- if (is.null(cells)) x$n_cells else length(cells)
    arguments <- handle(
        x,
        cells = cells, genes = genes, layer = layer, threads = threads,
        as_integer = compact,
        progress = progress_reporter(label, total, progress), call = call
    )
    matrix <- if (is.null(cells) && !is.null(genes)) {
        rust(rs_tiles_genes(arguments), call = call)
    } else {
        rust(rs_tiles_cells(arguments), call = call)
    }
    with_names(matrix, compact, dimnames, function() {
        rows <- names()
        if (!is.null(genes)) {
            rows <- rows[genes]
        }
        list(rows, read_cell_names(x, cells, call))
    })
}

cell_positions <- function(x, cells, call) {
    check_positions(
        cells, x$n_cells, function() read_cell_names(x, call = call), "cell",
        "cells", call
    )
}

gene_positions <- function(x, genes, call) {
    check_positions(
        genes, x$n_genes, function() read_gene_names(x, call), "gene",
        "genes", call
    )
}

# Matrix takes most of a second to load: it is not imported, so that
# library(axtile) is quick, but must be there before one of its objects is made.
load_matrix <- function() {
    loadNamespace("Matrix")
}
