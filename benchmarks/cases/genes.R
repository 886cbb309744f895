# Some genes of all cells, and sums over genes and cells: from tiles of both
# formats, from an h5ad file, and from a matrix in memory.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
# By how many cells have the gene: a frequent, a middling and a rare one.
detected <- tabulate(m@i + 1L, nrow(m))
by_rank <- order(detected, decreasing = TRUE)
present <- sum(detected > 0)
one <- by_rank[round(present * c(0.02, 0.3, 0.9))]
names(one) <- c("frequent", "middling", "rare")
set.seed(1)
twenty <- sample(by_rank[seq_len(present)], 20)

formats <- c("axtile", "deltacells")
datasets <- lapply(formats, function(format) {
    write_tiles(m, scratch(paste0(format, ".tiles")), format = format, threads = 1)
})
names(datasets) <- formats
h5ad <- NULL
if (has_package("rhdf5")) {
    h5ad <- settings$h5ad
    # A file of the user is read as it is; only one of few cells is the same.
    if (is.null(h5ad) || ncol(m) != ncol(counts())) {
        h5ad <- write_h5ad(m, scratch("counts.h5ad"))
    }
} else {
    skip("h5ad, rhdf5", "rhdf5 is not installed")
}

# Nothing is kept from one read to the next.
options(axtile.cache_mb = 0)
reads <- function(genes) {
    read <- function(ds) function() read_genes(ds, genes, dimnames = FALSE, threads = 1)
    c(
        lapply(stats::setNames(datasets, paste("tiles,", formats)), read),
        if (!is.null(h5ad)) list("h5ad, rhdf5, then m[genes, ]" = function() {
            read_h5ad_rhdf5(h5ad)[genes, , drop = FALSE]
        }),
        list("dgCMatrix in memory, m[genes, ]" = function() m[genes, , drop = FALSE])
    )
}
label <- function(what, alternatives) {
    stats::setNames(alternatives, paste0(what, ": ", names(alternatives)))
}

whole <- lapply(datasets, function(ds) {
    function() read_tile(ds, 1, dimnames = FALSE, threads = 1)
})
compare(label("all genes, read_tile()", whole))
for (kind in names(one)) {
    expected <- m[one[[kind]], , drop = FALSE]
    for (ds in datasets) stopifnot(identical(read_genes(ds, one[[kind]])@x, expected@x))
    compare(label(paste("one gene,", kind), reads(one[[kind]])))
}
for (ds in datasets) stopifnot(identical(read_genes(ds, twenty)@x, m[twenty, ]@x))
compare(label("20 genes", reads(twenty)))

totals <- function(of_tiles, of_matrix) {
    c(
        lapply(stats::setNames(datasets, paste("tiles,", formats)), function(ds) {
            function() of_tiles(ds)
        }),
        if (!is.null(h5ad)) list("h5ad, rhdf5, then Matrix" = function() {
            of_matrix(read_h5ad_rhdf5(h5ad))
        }),
        list("dgCMatrix in memory, Matrix" = function() of_matrix(m))
    )
}
of_genes <- function(ds) gene_totals(ds, names = FALSE, threads = 1)
of_cells <- function(ds) cell_totals(ds, names = FALSE, threads = 1)
for (ds in datasets) {
    stopifnot(identical(of_genes(ds), unname(Matrix::rowSums(m))))
    stopifnot(identical(of_cells(ds), unname(Matrix::colSums(m))))
}
compare(label("totals of genes", totals(of_genes, Matrix::rowSums)))
compare(label("totals of cells", totals(of_cells, Matrix::colSums)))
variances <- function(m) {
    n <- ncol(m)
    means <- Matrix::rowMeans(m)
    m@x <- m@x^2
    (Matrix::rowSums(m) - n * means^2) / (n - 1)
}
statistics <- function(ds) gene_stats(ds, names = FALSE, threads = 1)
compare(label("statistics of genes", totals(statistics, variances)))
finish()
