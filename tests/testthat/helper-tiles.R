# A small matrix of counts with awkward cells: an empty one, a full one, and
# the largest count that the format holds.
small_counts <- function(n_cells = 57, n_genes = 83) {
    m <- synthetic_counts(n_cells, n_genes, detected = 20, seed = 7)
    m[, 3] <- 0
    m[, 5] <- seq_len(n_genes)
    m[2, 7] <- 65535
    Matrix::drop0(m)
}

temp_tiles <- function(env = parent.frame()) {
    path <- tempfile(fileext = ".tiles")
    withr::defer(unlink(path, recursive = TRUE), envir = env)
    path
}

# The fixture `tiny.tiles`, which the format's own package wrote.
tiny_path <- function() test_path("fixtures", "tiny.tiles")

# Genes x cells from a file that lists cells x genes.
read_mm <- function(path) {
    m <- as(Matrix::t(Matrix::readMM(path)), "CsparseMatrix")
    m@x <- as.double(m@x)
    as(m, "generalMatrix")
}

expect_same_matrix <- function(got, expected, dimnames = TRUE) {
    if (!dimnames) {
        got@Dimnames <- list(NULL, NULL)
        expected@Dimnames <- list(NULL, NULL)
    }
    expect_s4_class(got, "dgCMatrix")
    expect_true(methods::validObject(got))
    expect_identical(got@Dim, expected@Dim)
    expect_identical(got@p, expected@p)
    expect_identical(got@i, expected@i)
    expect_identical(got@x, as.double(expected@x))
    expect_identical(dimnames(got), dimnames(expected))
}

expect_axtile_error <- function(code, kind, regexp = NULL) {
    expect_error(code, regexp, class = paste0("axtile_error_", kind))
}
