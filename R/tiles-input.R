# What write_tiles() takes: counts as a dgCMatrix, and the annotations that the
# object brings along.

tile_input <- function(x, layer, call = rlang::caller_env()) {
    load_matrix()
    if (inherits(x, "SummarizedExperiment")) {
        return(experiment_input(x, layer, call))
    }
    if (inherits(x, "Seurat")) {
        return(seurat_input(x, layer, call))
    }
    list(
        counts = as_counts(x, call), name = "x", layer = layer, obs = NULL,
        var = NULL
    )
}

# A dgCMatrix whose values may still be no counts: the writer looks at each.
as_counts <- function(x, call) {
    if (is(x, "Matrix")) {
        # Its conversions trust the slots, and so does the writer.
        tryCatch(methods::validObject(x), error = function(e) {
            axtile_abort("argument", paste0(
                "`x` is not a valid ", class(x)[[1L]], ": ", conditionMessage(e)
            ), parent = e, call = call)
        })
    }
    if (is(x, "DelayedMatrix")) {
        check_known(x, call)
    }
    if (is(x, "dgCMatrix")) {
        return(x)
    }
    is_matrix <- is(x, "Matrix") || is(x, "DelayedMatrix") ||
        (is.matrix(x) && (is.numeric(x) || is.logical(x)))
    if (!is_matrix) {
        axtile_abort("argument", paste0(
            "`x` must be a matrix of counts (genes x cells), an experiment or ",
            "a Seurat object, not an object of class ", class(x)[[1L]], "."
        ), call = call)
    }
    tryCatch(
        general_sparse(x),
        error = function(e) {
            axtile_abort("argument", paste0(
                "`x`, of class ", class(x)[[1L]],
                ", cannot be made a dgCMatrix: ", conditionMessage(e)
            ), parent = e, call = call)
        }
    )
}

# The conversion of delayed matrices makes zeros of missing values.
check_known <- function(x, call) {
    if (!anyNA(x)) {
        return(invisible())
    }
    for (first in seq(1L, ncol(x), by = 1000L)) {
        cells <- first:min(first + 999L, ncol(x))
        block <- as.matrix(x[, cells, drop = FALSE])
        if (anyNA(block)) break
    }
    at <- which(is.na(block), arr.ind = TRUE)[1L, ] + c(0L, first - 1L)
    label <- function(k) {
        names <- dimnames(x)[[k]]
        if (is.null(names)) {
            return(paste("number", at[[k]]))
        }
        sQuote(names[at[[k]]], FALSE)
    }
    axtile_abort("value", paste0(
        "`x`: cell ", label(2L), ", gene ", label(1L), ": the value NA is not ",
        "a count."
    ), call = call)
}

general_sparse <- function(x) {
    if (is(x, "DelayedMatrix")) {
        return(as(x, "dgCMatrix"))
    }
    if (is.matrix(x)) {
        # A missing value is not to become a nonzero pattern silently; the
        # writer refuses it by name.
        storage.mode(x) <- "double"
        return(as(x, "dgCMatrix"))
    }
    as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

experiment_input <- function(x, layer, call) {
    rlang::check_installed("SummarizedExperiment", "to read experiments.")
    assays <- SummarizedExperiment::assayNames(x)
    if (!layer %in% assays) {
        axtile_abort("argument", paste0(
            "`x` has no assay ", dQuote(layer, FALSE), "; it has: ",
            paste(dQuote(assays, FALSE), collapse = ", "), "."
        ), call = call)
    }
    counts <- as_counts(SummarizedExperiment::assay(x, layer), call)
    dimnames(counts) <- dimnames(x)
    list(
        counts = counts, name = layer, layer = layer,
        obs = as.data.frame(SummarizedExperiment::colData(x), optional = TRUE),
        var = as.data.frame(SummarizedExperiment::rowData(x), optional = TRUE)
    )
}

seurat_input <- function(x, layer, call) {
    rlang::check_installed("SeuratObject", "to read Seurat objects.")
    assay <- x[[SeuratObject::DefaultAssay(x)]]
    # SeuratObject 5 speaks of layers, 4 of slots.
    is_new <- utils::packageVersion("SeuratObject") >= "5.0.0"
    counts <- if (is_new) {
        getExportedValue("SeuratObject", "LayerData")(assay, layer = layer)
    } else {
        tryCatch(
            SeuratObject::GetAssayData(assay, slot = layer),
            error = function(e) NULL
        )
    }
    if (length(counts) == 0L) {
        axtile_abort("argument", paste0(
            "The default assay of `x` has no layer ", dQuote(layer, FALSE), "."
        ), call = call)
    }
    features <- assay[[]]
    list(
        counts = as_counts(counts, call), name = layer, layer = layer,
        obs = x[[]],
        var = if (ncol(features)) features[rownames(counts), , drop = FALSE]
    )
}
