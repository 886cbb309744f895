#' Write matrices of counts and other values as a tile dataset
#'
#' @param x Counts, **genes x cells**: a [Matrix::dgCMatrix-class] or another
#'   matrix class of the Matrix package, an ordinary matrix, a
#'   `SummarizedExperiment`, a `SingleCellExperiment` or a `Seurat` object.
#'   Genes without names become gene1, gene2, ...; cells may be without.
#' @param path The folder to make.
#' @param ... Must be empty.
#' @param obs,var Data frames with annotations of cells and genes, row for
#'   column and row for row; `NULL` for those that `x` brings along, if any.
#'   Columns may be factors, logical, integer, double or character.
#' @param layer The assay of an experiment, or the layer (slot) of the default
#'   assay of a Seurat object, that holds the counts. It gives the first layer
#'   of the dataset its name, also where `x` is a matrix.
#' @param layers More matrices of the same genes and cells, as a named list, for
#'   example `list(unspliced = m, logcounts = n)`. The order of genes is that of
#'   the totals of the first layer. Only in the axtile format.
#' @param kinds What the values of layers are stored as, as a named character
#'   vector such as `c(counts = "float64")`: `"count"`, whole numbers;
#'   `"float32"` or `"float64"`, floating-point numbers, of which every bit
#'   comes back. A layer that is not named is of counts if it is the first.
#'   Others are of counts if all their values are whole numbers from 0 to
#'   2^31-1, else of 32-bit floats if these hold every value exactly, else of
#'   64-bit floats. Zeros among the counts are not stored, those of a
#'   floating-point layer are, if `x` stores them.
#' @inheritParams convert_tiles
#' @param tile_size Cells a tile.
#' @returns The opened dataset, as [open_tiles()] returns it.
#' @section Errors:
#' `axtile_error_exists` if `path` exists, `axtile_error_value` or
#' `axtile_error_limit` for values that are no counts or too large (the axtile
#' format holds counts up to 2^31-1; the deltacells format up to 65,536 genes
#' and counts up to 65,535) or that 32-bit floats do not hold exactly where
#' `kinds` asks for these, `axtile_error_unsupported` for several layers or
#' floating-point values in the deltacells format. Whatever goes wrong, what was
#' at `path` before is still there.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' counts <- synthetic_counts(50, 200)
#' write_tiles(counts, path, obs = data.frame(batch = gl(2, 25)))
#' @export
write_tiles <- function(x, path, ..., obs = NULL, var = NULL,
                        layer = "counts", layers = NULL, kinds = NULL,
                        format = c("axtile", "deltacells"), tile_size = 10000,
                        level = NULL, chunks = NULL, clusters = NULL,
                        sort_genes = TRUE, overwrite = FALSE,
                        threads = axtile_option("threads"),
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    path <- check_path(path)
    layer <- check_string(layer)
    options <- write_options(
        path, rlang::arg_match(format), check_tile_size(tile_size), level,
        chunks, clusters, sort_genes, overwrite,
        threads = threads
    )
    input <- matrix_arguments(x, obs, var, layer, layers)
    input$layers <- with_kinds(input$layers, kinds, first = "count")
    arguments <- c(options, input, list(
        progress = progress_reporter(
            "Writing cells", NULL, check_progress(progress)
        )
    ))
    rust(rs_tiles_write(arguments))
    open_dataset(path)
}

# Matrices and annotations as the Rust library takes them.
matrix_arguments <- function(x, obs, var, layer, layers,
                             call = rlang::caller_env()) {
    input <- tile_input(x, layer, call)
    counts <- input$counts
    if (is.null(obs)) obs <- input$obs
    if (is.null(var)) var <- input$var
    slots <- function(m) list(p = m@p, i = m@i, x = m@x)
    all <- c(
        stats::setNames(list(counts), input$layer),
        check_layers(layers, counts, call)
    )
    list(
        name = input$name,
        layers = lapply(all, slots),
        gene_names = check_names(rownames(counts), "row", call) %||%
            default_names("gene", nrow(counts)),
        cell_names = check_names(colnames(counts), "column", call),
        obs = check_columns(obs, ncol(counts), "obs", call),
        var = check_columns(var, nrow(counts), "var", call)
    )
}

# The layers with what their values are stored as: NULL is for what holds them.
with_kinds <- function(layers, kinds, first, call = rlang::caller_env()) {
    kinds <- check_kinds(kinds, names(layers), call)
    layers[[1L]]$kind <- first
    for (name in names(kinds)) {
        layers[[name]]$kind <- kinds[[name]]
    }
    layers
}

check_kinds <- function(kinds, layers, call = rlang::caller_env()) {
    if (is.null(kinds)) {
        return(character())
    }
    all <- c("count", "float32", "float64")
    is_sound <- is.character(kinds) && !is.null(names(kinds)) &&
        all(kinds %in% all)
    if (!is_sound) {
        abort_argument(
            "kinds",
            "a named character vector of \"count\", \"float32\" or \"float64\"",
            kinds, call
        )
    }
    names <- names(kinds)
    odd <- c(setdiff(names, layers), names[duplicated(names)])
    if (length(odd) > 0L) {
        axtile_abort("argument", paste0(
            "`kinds` must name each layer once at most; it names ",
            dQuote(odd[[1L]], FALSE), ", the layers are ",
            paste(dQuote(layers, FALSE), collapse = ", "), "."
        ), call = call)
    }
    kinds
}

# More layers of the same genes and cells as `counts`, as dgCMatrices.
check_layers <- function(layers, counts, call) {
    if (is.null(layers)) {
        return(NULL)
    }
    names <- names(layers)
    has_names <- is.list(layers) && length(names) == length(layers) &&
        !anyNA(names) && all(nzchar(names))
    if (!has_names) {
        abort_argument("layers", "a named list of matrices", layers, call)
    }
    names(layers) <- utf8(names, "names of layers", call)
    Map(function(layer, name) {
        m <- as_counts(layer, call)
        is_same <- identical(dim(m), dim(counts)) &&
            same_or_null(rownames(m), rownames(counts)) &&
            same_or_null(colnames(m), colnames(counts))
        if (!is_same) {
            axtile_abort("argument", paste0(
                "Layer ", dQuote(name, FALSE), " of `layers` must have the ",
                "dimensions and names of `x`, in the same order."
            ), call = call)
        }
        m
    }, layers, names(layers))
}

same_or_null <- function(x, expected) {
    is.null(x) || identical(x, expected)
}

check_names <- function(x, what, call = rlang::caller_env()) {
    if (is.null(x)) {
        return(NULL)
    }
    arg <- paste(what, "names")
    if (anyNA(x)) {
        axtile_abort(
            "argument", paste0("The ", arg, " of `x` hold NA."),
            call = call
        )
    }
    utf8(x, arg, call)
}

default_names <- function(prefix, n) {
    sprintf("%s%d", prefix, seq_len(n))
}

# `tile_size` is checked already; NULL is for the source, or the usual one.
write_options <- function(path, format, tile_size, level, chunks, clusters,
                          sort_genes, overwrite, ..., sort_genes_max_files = 10,
                          resume = FALSE, threads, call = rlang::caller_env()) {
    others <- switch(format,
        axtile = list(level = level, chunks = chunks),
        deltacells = list(clusters = clusters)
    )
    for (arg in names(Filter(Negate(is.null), others))) {
        axtile_abort("argument", paste0(
            "`", arg, "` is not for the ", format, " format, which has no ",
            "such choice."
        ), call = call)
    }
    list(
        target = path,
        format = format,
        tile_size = tile_size,
        level = check_count(
            level %||% 12,
            min = -131072, max = 22, arg = "level", call = call
        ),
        chunks = check_count(
            chunks %||% 8, max = 65536, arg = "chunks", call = call
        ),
        clusters = check_count(
            clusters %||% 1, max = 16, arg = "clusters", call = call
        ),
        sort_genes = check_flag(sort_genes, arg = "sort_genes", call = call),
        sort_genes_max_files = sort_genes_max_files,
        obs_tiles_per_file = obs_tiles_per_file,
        overwrite = check_flag(overwrite, arg = "overwrite", call = call),
        resume = check_flag(resume, arg = "resume", call = call),
        threads = check_count(threads, max = 1024, arg = "threads", call = call)
    )
}

obs_tiles_per_file <- 1000

check_tile_size <- function(x, call = rlang::caller_env()) {
    check_count(x, max = 2^31 - 1, arg = "tile_size", call = call)
}

# Columns as plain vectors of types that can be stored.
check_columns <- function(x, n, arg, call = rlang::caller_env()) {
    if (is.null(x)) {
        return(structure(list(), names = character()))
    }
    if (!is.data.frame(x) && !is(x, "DataFrame")) {
        abort_argument(arg, "a data frame", x, call)
    }
    x <- as.data.frame(x, optional = TRUE)
    if (nrow(x) != n) {
        axtile_abort("argument", paste0(
            "`", arg, "` has ", nrow(x), " rows, expected ", n, "."
        ), call = call)
    }
    names <- utf8(
        names(x) %||% character(), paste("names of", arg), call
    )
    has_names <- length(names) == length(x) && !anyNA(names)
    if (!has_names || anyDuplicated(names) || any(!nzchar(names))) {
        axtile_abort("argument", paste0(
            "The columns of `", arg, "` must have names, all different."
        ), call = call)
    }
    columns <- lapply(seq_along(x), function(k) {
        plain_column(x[[k]], names[[k]], arg, call)
    })
    stats::setNames(columns, names)
}

plain_column <- function(column, name, arg, call) {
    if (is.factor(column)) {
        return(structure(
            as.integer(column),
            levels = utf8(levels(column) %||% character(), name, call),
            class = class(column)
        ))
    }
    is_plain <- is.null(dim(column)) && !is.object(column) &&
        typeof(column) %in% c("logical", "integer", "double", "character")
    if (!is_plain) {
        axtile_abort("argument", paste0(
            "Column ", dQuote(name, FALSE), " of `", arg, "` is of class ",
            class(column)[[1L]], "; convert it to a factor, or to logical, ",
            "integer, double or character values, or leave it out."
        ), column = name, call = call)
    }
    column <- as.vector(column)
    if (is.character(column)) utf8(column, name, call) else column
}
