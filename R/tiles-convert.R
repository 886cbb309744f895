#' Convert files of counts to a tile dataset
#'
#' Reads AnnData `.h5ad` files, 10x Genomics HDF5 files (versions 2 and 3) and
#' Matrix Market folders or files in a stream: memory is bounded by a few tiles
#' a thread, whatever the size of the files.
#'
#' The files must not change meanwhile. Counts that are not stored cell by cell
#' (h5ad in CSC, Matrix Market) are sorted on disk beside the target, which
#' takes 12 bytes a nonzero for the time of the conversion.
#'
#' Counts must be whole numbers from 0 on. Anything else is an error that names
#' cell and gene; nothing is rounded or clipped. Normalised or corrected values
#' are read where `kinds` says so.
#'
#' A tile dataset is a source, too: it is written anew in another format or with
#' another size of tiles, with all its layers and annotations. It keeps the
#' order in which it stores its genes unless `sort_genes = FALSE`.
#'
#' @param source Paths of files, folders or tile datasets, or patterns such as
#'   `"run*/counts.h5ad"`; cells are put one behind the other, in natural order
#'   of the paths that a pattern gives. Or a `tile_dataset`.
#' @param path The folder to make.
#' @param ... Must be empty.
#' @param layer For h5ad files: `"X"`, `"raw"` (raw/X with its own genes), or
#'   the name of a layer (`"layers/X"` for one that is called like these).
#' @param layers For h5ad files: names of further layers, for example
#'   `c("spliced", "unspliced")`; they become layers of the dataset.
#' @param kinds For h5ad files: what the values of `layer` and `layers` are
#'   stored as, by their names, for example `c(X = "float32")`: `"count"`, as
#'   all that are not named, `"float32"` or `"float64"` (see [write_tiles()]).
#'   The dataset's first layer is called `"counts"` if it is of counts, else
#'   as `layer` is.
#' @param join For several files: `"exact"` if they must have the same genes in
#'   the same order, `"union"` or `"intersection"` to match genes by name.
#' @param gene_names For 10x Genomics files: name genes by `"symbol"` or
#'   `"id"`; the other becomes a column of var.
#' @param genome For 10x Genomics HDF5 files of version 2 that hold several.
#' @param orientation For Matrix Market files: what their rows are.
#' @param obs_exclude,var_exclude Names of annotation columns to leave out, for
#'   example because their type is not supported.
#' @param format The format of the dataset: `"axtile"`, which holds any number
#'   of genes, counts up to 2^31-1 and several layers, and can be appended to;
#'   or `"deltacells"`, version 1, which other programs read.
#' @param tile_size Cells a tile; `NULL` for those of the source if it is a tile
#'   dataset, else 10,000.
#' @param level For the deltacells format: the zstd level, from 1 (fast) to 22
#'   (small); `NULL` for 12. 1 is often smaller than 3, and 19 about 8 % smaller
#'   than 12 at a tenth of its speed.
#' @param chunks For the deltacells format: chunks a tile, which can be decoded
#'   in parallel; `NULL` for 8.
#' @param clusters For the axtile format: clusters of cells in each tile, each
#'   with its own order of genes. 8 instead of 1 make tiles 3 to 7 % smaller and
#'   take twice as long to write; reading takes as long as before, except in
#'   stored order (see [open_tiles()]), which then takes as long as in that of
#'   the source.
#' @param sort_genes Whether to store genes by decreasing totals, which makes
#'   tiles about a quarter smaller. Reading gives the source's order anyway.
#' @param sort_genes_max_files How many files, evenly spread, to take the
#'   totals from; `Inf` for all.
#' @param overwrite Whether to replace an earlier dataset at `path`. It stays
#'   whole until the new one is.
#' @param resume Whether to go on where an earlier call with the same arguments
#'   and `resume = TRUE` was cut off, and to leave finished tiles if this one
#'   is.
#' @param threads Worker threads. The result does not depend on it.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns The opened dataset, as [open_tiles()] returns it.
#' @inheritSection write_tiles Errors
#' @family tiles
#' @examples
#' folder <- tempfile()
#' dir.create(folder)
#' counts <- synthetic_counts(100, 500)
#' Matrix::writeMM(counts, file.path(folder, "matrix.mtx"))
#' writeLines(colnames(counts), file.path(folder, "barcodes.tsv"))
#' writeLines(
#'     paste(rownames(counts), rownames(counts), sep = "\t"),
#'     file.path(folder, "genes.tsv")
#' )
#' convert_tiles(folder, tempfile(fileext = ".tiles"))
#' @export
convert_tiles <- function(source, path, ..., layer = "X", layers = NULL,
                          kinds = NULL,
                          join = c("exact", "union", "intersection"),
                          gene_names = c("symbol", "id"), genome = NULL,
                          orientation = c("genes_by_cells", "cells_by_genes"),
                          obs_exclude = NULL, var_exclude = NULL,
                          format = c("axtile", "deltacells"),
                          tile_size = NULL, level = NULL, chunks = NULL,
                          clusters = NULL,
                          sort_genes = TRUE, sort_genes_max_files = 10,
                          overwrite = FALSE, resume = FALSE,
                          threads = axtile_option("threads"),
                          progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    gene_order <- "source"
    if (inherits(source, "tile_dataset")) {
        gene_order <- source$gene_order
        paths <- check_current(source)$path
    } else {
        source <- check_strings(source)
        paths <- rust(rs_expand_paths(path.expand(source)))
    }
    if (length(source) == 0L) {
        abort_argument(
            "source", "at least one path", source, rlang::current_env()
        )
    }
    path <- check_path(path)
    if (!identical(sort_genes_max_files, Inf)) {
        check_count(sort_genes_max_files)
    }
    options <- write_options(
        path, rlang::arg_match(format),
        if (!is.null(tile_size)) check_tile_size(tile_size),
        level, chunks, clusters, sort_genes, overwrite,
        sort_genes_max_files = if (is.finite(sort_genes_max_files)) {
            as.double(sort_genes_max_files)
        } else {
            0
        },
        resume = resume, threads = threads
    )
    layer <- check_string(layer)
    layers <- check_strings(layers)
    kinds <- check_kinds(kinds, c(layer, layers))
    kind_of <- function(names) {
        found <- unname(kinds[names])
        ifelse(is.na(found), "count", found)
    }
    arguments <- c(options, list(
        source = paths,
        gene_order = gene_order,
        layer = layer,
        kind = kind_of(layer),
        layers = layers,
        layer_kinds = as.character(kind_of(layers)),
        join = rlang::arg_match(join),
        gene_names = rlang::arg_match(gene_names),
        genome = check_string(genome, null = TRUE),
        orientation = rlang::arg_match(orientation),
        obs_exclude = check_strings(obs_exclude),
        var_exclude = check_strings(var_exclude),
        progress = progress_reporter(
            "Converting", NULL, check_progress(progress)
        )
    ))
    rust(rs_tiles_convert(arguments))
    open_dataset(path)
}
