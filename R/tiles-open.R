#' Open a tile dataset
#'
#' Reads the dataset's manifest only: opening takes milliseconds whatever the
#' size. The object holds no pointer and no connection; it can be saved, sent
#' to other processes and used in forked ones.
#'
#' @param path The dataset's folder.
#' @param ... Must be empty.
#' @param gene_order The order of genes in all that is read from the object:
#'   `"source"` as in the data that the dataset was made from, or `"stored"` as
#'   in the tiles, which is a little faster to decode.
#' @returns A `tile_dataset`. `dim()` gives genes and cells.
#' @section Errors:
#' `axtile_error_io` if there is no dataset, `axtile_error_version` or
#' `axtile_error_corrupt` if its manifest is another format's or contradicts
#' itself.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' write_tiles(synthetic_counts(100, 500), path)
#' ds <- open_tiles(path)
#' ds
#' dim(ds)
#' @export
open_tiles <- function(path, ..., gene_order = c("source", "stored")) {
    rlang::check_dots_empty()
    gene_order <- rlang::arg_match(gene_order)
    open_dataset(check_path(path), gene_order)
}

#' Close a tile dataset
#'
#' Frees the memory maps and decoded tiles that axtile keeps for a dataset, and
#' the memory of matrices that R has freed (`axtile.pool_mb` of
#' [axtile_options()]). A dataset opens again by itself when one of its objects
#' is used.
#'
#' @param x A `tile_dataset`.
#' @returns `x`, invisibly.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' close_tiles(ds)
#' @export
close_tiles <- function(x) {
    check_tiles(x)
    rust(rs_tiles_close(x$path))
    invisible(x)
}

open_dataset <- function(
    path, gene_order = "source", call = rlang::caller_env()
) {
    arguments <- list(
        path = path, identity = NULL, gene_order = gene_order,
        cache_mb = megabytes("cache_mb", call),
        pool_mb = megabytes("pool_mb", call)
    )
    info <- rust(rs_tiles_open(arguments), call = call)
    info$gene_order <- gene_order
    structure(info, class = "tile_dataset")
}

# Options are checked where they are used: a user may set anything.
megabytes <- function(option, call = rlang::caller_env()) {
    mb <- axtile_option(option)
    is_size <- is.numeric(mb) && length(mb) == 1L && !is.na(mb) && mb >= 0
    if (!is_size) {
        arg <- paste0("options(axtile.", option, ")")
        abort_argument(arg, "a size in MB", mb, call)
    }
    min(as.double(mb), 2^53)
}

cache_root <- function(call = rlang::caller_env()) {
    dir <- axtile_option("cache_dir")
    if (is.null(dir)) {
        return(NULL)
    }
    check_path(dir, arg = "options(axtile.cache_dir)", call = call)
}

# What every call about an opened dataset tells the Rust library.
handle <- function(x, ..., threads = axtile_option("threads"),
                   call = rlang::caller_env()) {
    list(
        path = x$path, identity = x$identity, gene_order = x$gene_order,
        cache_mb = megabytes("cache_mb", call),
        pool_mb = megabytes("pool_mb", call),
        threads = check_count(
            threads, arg = "threads", max = 1024, call = call
        ),
        cache_root = cache_root(call),
        ...
    )
}

# Aborts if the dataset is not the one that was opened any more.
check_current <- function(x, call = rlang::caller_env()) {
    rust(rs_tiles_open(handle(x)), call = call)
    invisible(x)
}

#' @export
dim.tile_dataset <- function(x) {
    n_cells <- x$n_cells
    if (n_cells <= .Machine$integer.max) {
        n_cells <- as.integer(n_cells)
    }
    c(x$n_genes, n_cells)
}

#' @export
dimnames.tile_dataset <- function(x) {
    list(read_gene_names(x), read_cell_names(x))
}

read_gene_names <- function(x, call = rlang::caller_env()) {
    rust(rs_tiles_gene_names(handle(x)), call = call)
}

# Names of some cells, or all; NULL where the dataset has none.
read_cell_names <- function(x, cells = NULL, call = rlang::caller_env()) {
    columns <- rust(rs_tiles_obs_fields(handle(x)), call = call)$name
    if (!"obs_names" %in% columns) {
        return(NULL)
    }
    arguments <- handle(x, columns = "obs_names", cells = cells)
    rust(rs_tiles_obs(arguments), call = call)[[1L]]
}

#' @export
format.tile_dataset <- function(x, ...) {
    number <- function(n) {
        format(n, big.mark = ",", scientific = FALSE, trim = TRUE)
    }
    n_layers <- length(x$layers$name)
    share <- 100 * x$nnz / (x$n_cells * x$n_genes * n_layers)
    # A dgCMatrix takes 12 bytes a nonzero and 4 a cell.
    ratio <- (12 * x$nnz + 4 * x$n_cells * n_layers) / x$tile_bytes
    is_count <- x$layers$kind == "count"
    described <- paste0(
        x$layers$name, ifelse(is_count, "", paste0(" (", x$layers$kind, ")"))
    )
    obs <- tryCatch(obs_columns(x), axtile_error = function(e) NULL)
    shown <- utils::head(obs$name, 6L)
    more <- nrow(obs) - length(shown)
    c(
        paste0("<tile dataset> ", basename(x$path)),
        paste0(
            "  ", number(x$n_cells), " cells x ",
            number(x$n_genes), " genes in ", number(x$n_tiles),
            if (x$n_tiles == 1) " tile" else " tiles",
            " of up to ", number(x$tile_size), " cells"
        ),
        paste0(
            "  ", number(x$nnz), if (all(is_count)) {
                " nonzero counts ("
            } else {
                " nonzero values ("
            }, format(share, digits = 2),
            " %), ", number(round(x$nnz / x$n_cells / n_layers)), " a cell",
            if (n_layers > 1) " and layer"
        ),
        if (n_layers > 1 || !is_count) paste0(
            if (n_layers > 1) "  layers: " else "  layer: ",
            paste0(utils::head(described, 6L), collapse = ", "),
            if (n_layers > 6L) paste0(", and ", n_layers - 6L, " more")
        ),
        paste0(
            "  ", format_bytes(x$tile_bytes), " of tiles",
            if (x$nnz > 0) paste0(
                ": ", format(8 * x$tile_bytes / x$nnz, digits = 3),
                " bits a nonzero, ", format(ratio, digits = 3),
                " times smaller than a dgCMatrix"
            )
        ),
        if (!is.na(x$obs_bytes)) {
            paste0("  ", format_bytes(x$obs_bytes), " of obs")
        },
        paste0(
            "  format ", x$format,
            if (!is.na(x$level)) paste0(", zstd level ", x$level), ", genes ",
            if (x$has_gene_order) "stored by decreasing totals, read ",
            "in ", x$gene_order, " order"
        ),
        if (length(shown)) paste0(
            "  obs: ", paste0(shown, collapse = ", "),
            if (more > 0) paste0(", and ", more, " more")
        )
    )
}

#' @export
print.tile_dataset <- function(x, ...) {
    writeLines(format(x, ...))
    invisible(x)
}

format_bytes <- function(n) {
    units <- c("B", "kB", "MB", "GB", "TB")
    step <- if (n > 0) min(floor(log(n, 1000)), length(units) - 1) else 0
    paste(format(n / 1000^step, digits = 3), units[[step + 1]])
}

#' What is in a tile dataset
#'
#' @param x A `tile_dataset`, or the path of one.
#' @returns A list: `path`, `format`, `n_cells`, `n_genes`, `n_tiles`,
#'   `tile_size` (cells of a full tile), `nnz` (nonzero counts), `tile_bytes`,
#'   `obs_bytes` (`NA` without obs), `level` and `n_chunks` (`NA` in the axtile
#'   format), `has_gene_order`, `identity` (16 hex digits that change with the
#'   manifest), `layers`, a data frame with `name`, `kind`, `nnz` and `bytes` of
#'   each layer, and `tiles`, one with `n_cells`, `nnz` and `bytes` of each
#'   tile. Where there are several layers, numbers of the dataset and of tiles
#'   are those of all layers together.
#' @inheritSection open_tiles Errors
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' write_tiles(synthetic_counts(100, 500), path, tile_size = 50)
#' str(tiles_info(path))
#' @export
tiles_info <- function(x) {
    if (!inherits(x, "tile_dataset")) {
        x <- open_dataset(check_path(x))
    }
    info <- unclass(x)
    info$gene_order <- NULL
    info$layers <- as.data.frame(info$layers)
    info$tiles <- as.data.frame(info$tiles)
    info
}
