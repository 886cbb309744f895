# The stores that the DAF case asks, made once and kept in a folder. Each
# function takes the folder and gives the path of a store.

# `make` writes to a path that is renamed when all is written.
made_once <- function(folder, name, make) {
    path <- file.path(folder, name)
    if (!file.exists(path)) {
        cat("  making", name, "\n")
        dir.create(folder, showWarnings = FALSE, recursive = TRUE)
        part <- tempfile(paste0(name, "-"), folder)
        make(part)
        if (!file.rename(part, path)) stop("cannot rename ", part)
    }
    path
}

copy_folder <- function(from, to) {
    dir.create(to)
    files <- list.files(from, full.names = TRUE, all.files = TRUE, no.. = TRUE)
    if (!all(file.copy(files, to, recursive = TRUE))) stop("cannot copy ", from)
}

# 856 cells of 95 donors in 23 experiments with the counts of 683 genes: the
# example that comes with the shared files, or one of the same size and kind.
cells_daf <- function(folder, example) {
    made_once(folder, "cells_daf", function(path) {
        if (is.null(example)) made_up_cells(path) else copy_folder(example, path)
    })
}

made_up_cells <- function(path) {
    set.seed(9000)
    d <- files_daf(path, mode = "w")
    n <- c(cell = 856, gene = 683, donor = 95, experiment = 23)
    for (axis in names(n)) {
        add_axis(d, axis, sprintf("%s_%03d", axis, seq_len(n[[axis]])))
    }
    pick <- function(axis) sample(axis_vector(d, axis), n[["cell"]], TRUE)
    set_vector(d, "cell", "donor", pick("donor"))
    set_vector(d, "cell", "experiment", pick("experiment"))
    set_vector(d, "donor", "age", sample(30:95, n[["donor"]], TRUE))
    sexes <- sample(c("female", "male"), n[["donor"]], TRUE)
    set_vector(d, "donor", "sex", sexes)
    set_vector(d, "gene", "is_lateral", stats::runif(n[["gene"]]) < 0.64)
    counts <- stats::rnbinom(n[["cell"]] * n[["gene"]], size = 0.5, mu = 2)
    set_matrix(d, "cell", "gene", "UMIs", matrix(counts, n[["cell"]]))
    set_scalar(d, "organism", "human")
    set_scalar(d, "reference", "made-up")
}

# Two empty stores on top of the cells; the path of the last one. The stores
# note each other's paths, so they are made where they stay.
chain_triple <- function(folder, base) {
    paths <- file.path(folder, c("chain_mid", "chain_leaf"))
    if (!all(file.exists(paths))) {
        cat("  making chain_triple\n")
        unlink(paths, recursive = TRUE)
        under <- files_daf(base)
        for (path in paths) {
            d <- files_daf(path, mode = "w")
            under <- complete_chain(under, d, absolute = TRUE)
        }
    }
    paths[[2]]
}

# 10,000 rows and columns, 5,000,000 nonzeros, in both layouts; two vectors
# with groups of rows. The recipe and its seed are those of dafr's benchmarks.
big_sparse <- function(folder) {
    made_once(folder, "big_sparse", function(path) {
        n <- 10000
        nnz <- 5e6
        set.seed(9001)
        at <- numeric()
        while (length(at) < nnz) {
            more <- nnz - length(at)
            i <- sample.int(n, more, replace = TRUE)
            j <- sample.int(n, more, replace = TRUE)
            at <- unique(c(at, (j - 1) * n + i - 1))
        }
        m <- Matrix::sparseMatrix(
            i = at %% n + 1, j = at %/% n + 1, x = stats::runif(nnz, 0.1, 10),
            dims = c(n, n)
        )
        d <- files_daf(path, mode = "w")
        add_axis(d, "row", sprintf("row_%05d", seq_len(n)))
        add_axis(d, "col", sprintf("col_%05d", seq_len(n)))
        set_matrix(d, "row", "col", "value", m)
        groups <- function(format, n_groups) {
            sprintf(format, sample.int(n_groups, n, replace = TRUE))
        }
        set_vector(d, "row", "group_100", groups("g100_%03d", 100))
        set_vector(d, "row", "group_1000", groups("g1000_%04d", 1000))
    })
}

# A million cells with five vectors.
million_cells <- function(folder) {
    made_once(folder, "million_cells", function(path) {
        n <- 1e6
        set.seed(9002)
        d <- files_daf(path, mode = "w")
        add_axis(d, "cell", sprintf("cell_%07d", seq_len(n)))
        set_vector(d, "cell", "x", stats::runif(n))
        set_vector(d, "cell", "flag", stats::runif(n) < 0.3)
        set_vector(d, "cell", "g", sprintf("g%03d", sample.int(100, n, TRUE)))
        set_vector(d, "cell", "i", sprintf("i%02d", sample.int(20, n, TRUE)))
    })
}

# A dense matrix of 80 MB.
dense_matrix <- function(folder) {
    made_once(folder, "dense", function(path) {
        set.seed(9003)
        d <- files_daf(path, mode = "w")
        add_axis(d, "row", sprintf("row_%04d", 1:5000))
        add_axis(d, "col", sprintf("col_%04d", 1:2000))
        values <- round(stats::runif(1e7, 0, 10), 1)
        set_matrix(
            d, "row", "col", "value", matrix(values, 5000),
            relayout = FALSE
        )
    })
}
