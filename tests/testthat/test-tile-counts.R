# Where SparseArray is installed, axtile itself makes no TileCounts.
compact_example <- function() {
    m <- small_counts()[, 1:40]
    counts <- methods::new(
        "TileCounts",
        p = m@p, i = m@i, x = as.integer(m@x), Dim = m@Dim,
        Dimnames = m@Dimnames
    )
    list(counts = counts, m = m)
}

test_that("integer counts are those of the dgCMatrix", {
    skip_if(rlang::is_installed("SparseArray"))
    ds <- write_tiles(small_counts(), temp_tiles(), tile_size = 40)
    stored <- open_tiles(ds$path, gene_order = "stored")
    for (x in list(ds, stored, open_tiles(tiny_path()))) {
        counts <- read_tile(x, 2, as = "integer")
        expect_s4_class(counts, "TileCounts")
        expect_true(methods::validObject(counts))
        expect_type(counts@x, "integer")
        expect_same_matrix(as(counts, "dgCMatrix"), read_tile(x, 2))
        bare <- read_tile(x, 2, as = "integer", dimnames = FALSE)
        expect_null(dimnames(bare))
        expect_same_matrix(
            as(bare, "dgCMatrix"), read_tile(x, 2, dimnames = FALSE)
        )
        all <- read_cells(x, as = "integer")
        expect_same_matrix(as(all, "dgCMatrix"), read_cells(x))
        some <- read_cells(x, c(7, 3, 3), c(8, 2), as = "integer")
        expect_true(methods::validObject(some))
        expect_same_matrix(
            as(some, "dgCMatrix"), read_cells(x, c(7, 3, 3), c(8, 2))
        )
        none <- read_cells(x, integer(), as = "integer")
        expect_identical(dim(none), dim(read_cells(x, integer())))
    }
    expect_lt(
        object.size(read_cells(ds, dimnames = FALSE, as = "integer")@x),
        0.6 * object.size(read_cells(ds, dimnames = FALSE)@x)
    )
    expect_error(read_tile(ds, 1, as = "float"), "must be one of")
    expect_error(read_cells(ds, as = "float"), "must be one of")
    expect_axtile_error(read_tile(ds, 9, as = "integer"), "range")
})

test_that("dimensions, names, sums and conversions are those of the matrix", {
    e <- compact_example()
    counts <- e$counts
    m <- e$m
    expect_identical(dim(counts), dim(m))
    expect_identical(nrow(counts), nrow(m))
    expect_identical(length(counts), length(m))
    expect_identical(dimnames(counts), dimnames(m))
    expect_identical(nzcount(counts), Matrix::nnzero(m))
    for (f in list(colSums, Matrix::colSums)) {
        expect_identical(f(counts), Matrix::colSums(m))
    }
    for (f in list(rowSums, Matrix::rowSums)) {
        expect_identical(f(counts), Matrix::rowSums(m))
    }
    expect_equal(colMeans(counts), Matrix::colMeans(m), tolerance = 1e-15)
    expect_equal(rowMeans(counts), Matrix::rowMeans(m), tolerance = 1e-15)
    dense <- as.matrix(counts)
    expect_type(dense, "integer")
    expect_equal(dense, as.matrix(m), tolerance = 0)
    turned <- t(counts)
    expect_true(methods::validObject(turned))
    expect_same_matrix(as(turned, "dgCMatrix"), Matrix::t(m))
    expect_identical(t(turned), counts)
    dimnames(counts) <- list(NULL, seq_len(40))
    expect_identical(colnames(counts), as.character(1:40))
    expect_null(rownames(counts))
    dimnames(counts) <- NULL
    expect_null(dimnames(counts))
    expect_identical(colSums(counts), unname(Matrix::colSums(m)))
    expect_axtile_error(dimnames(counts) <- list("a", "b"), "argument")
    expect_identical(unserialize(serialize(e$counts, NULL)), e$counts)
})

test_that("sums do not overflow", {
    largest <- .Machine$integer.max
    counts <- methods::new(
        "TileCounts",
        p = c(0L, 3L), i = 0:2, x = rep(largest, 3), Dim = c(3L, 1L)
    )
    expect_identical(colSums(counts), 3 * largest)
    expect_identical(rowSums(counts), rep(as.double(largest), 3))
    expect_identical(counts[, 1], rep(largest, 3))
})

test_that("subsets are those of the matrix", {
    e <- compact_example()
    counts <- e$counts
    m <- e$m
    names <- colnames(m)
    same <- function(got, expected) {
        if (is(got, "TileCounts")) {
            expect_true(methods::validObject(got))
            expect_same_matrix(as(got, "dgCMatrix"), expected)
        } else {
            expect_type(got, "integer")
            expect_equal(got, expected, tolerance = 0)
        }
    }
    expect_s4_class(counts[3:1, ], "TileCounts")
    expect_s4_class(counts[, 1, drop = FALSE], "TileCounts")
    same(counts[, ], m[, ])
    same(counts[3:1, ], m[3:1, ])
    same(counts[, c(7, 7, 5)], m[, c(7, 7, 5)])
    same(counts[, -1], m[, -1])
    same(counts[, names[3:2]], m[, names[3:2]])
    same(counts[c(TRUE, FALSE), rep(c(TRUE, FALSE), 20)], m[
        rep_len(c(TRUE, FALSE), nrow(m)), rep(c(TRUE, FALSE), 20)
    ])
    same(counts["gene2", ], m["gene2", ])
    same(counts["gene2", , drop = FALSE], m["gene2", , drop = FALSE])
    same(counts[, 5], m[, 5])
    same(counts[4, 5], m[4, 5])
    expect_identical(dim(counts[integer(), ]), c(0L, 40L))
    expect_identical(dim(counts[, integer()]), c(83L, 0L))
    same(counts[2:3, 4, drop = FALSE], m[2:3, 4, drop = FALSE])
    expect_axtile_error(counts[, 41], "range")
    expect_axtile_error(counts[, "none"], "range")
    expect_axtile_error(counts[, NA_integer_], "range")
    expect_error(counts[84, ])
    expect_axtile_error(counts[1], "argument", "rows and columns")
    expect_axtile_error(counts[1, drop = TRUE], "argument")
    expect_axtile_error(nzcount(m), "argument")
})

test_that("TileCounts objects are valid or refused", {
    make <- function(...) {
        slots <- utils::modifyList(list(
            p = c(0L, 2L, 2L, 3L), i = c(0L, 2L, 1L), x = c(1L, 2L, 3L),
            Dim = c(3L, 3L)
        ), list(...))
        do.call(methods::new, c("TileCounts", slots))
    }
    expect_identical(colSums(make()), c(3, 0, 3))
    expect_true(methods::validObject(methods::new("TileCounts")))
    expect_error(make(p = c(0L, 2L, 1L, 3L)), "p must ascend")
    expect_error(make(p = c(1L, 2L, 2L, 3L)), "p must ascend")
    expect_error(make(p = c(0L, 3L)), "p must ascend")
    expect_error(make(x = 1:2), "equally long")
    expect_error(make(x = c(1L, NA, 2L)), "counts")
    expect_error(make(x = c(1L, -1L, 2L)), "counts")
    expect_error(make(i = c(0L, 3L, 1L)), "numbers of rows")
    expect_error(make(i = c(0L, -1L, 1L)), "numbers of rows")
    expect_error(make(i = c(2L, 2L, 1L)), "i must ascend")
    expect_error(make(i = c(2L, 1L, 1L)), "i must ascend")
    expect_error(make(Dim = 3L), "Dim")
    expect_error(make(Dimnames = list("a", NULL)), "Dimnames")
    expect_error(make(Dimnames = list(NULL)), "Dimnames")
    broken <- make()
    broken@i[2] <- 9L
    expect_axtile_error(rowSums(broken), "argument", "slot i")
    broken <- make()
    broken@p[2] <- 9L
    expect_axtile_error(colSums(broken), "argument", "slot p")
    expect_error(as(broken, "dgCMatrix"))
})

test_that("show() tells size and names", {
    e <- compact_example()
    shown <- utils::capture.output(e$counts)
    expect_match(shown[[1]], "<TileCounts> 83 x 40 integer counts")
    expect_match(shown[[2]], "nonzero, [0-9.]+ kB")
    expect_match(shown[[3]], "rows: gene1, gene2, gene3, ...", fixed = TRUE)
    expect_length(shown, 4L)
    expect_length(utils::capture.output(methods::new("TileCounts")), 2L)
})

test_that("axtile loads without Matrix", {
    code <- paste(
        "library(axtile, warn.conflicts = FALSE);",
        "cat('Matrix' %in% loadedNamespaces(), '');",
        "x <- new('TileCounts', p = 0:1, i = 0L, x = 7L, Dim = c(1L, 1L));",
        "cat(colSums(x), Matrix::colSums(x), as(x, 'dgCMatrix')@x)"
    )
    rscript <- file.path(R.home("bin"), "Rscript")
    out <- system2(
        rscript, c("-e", shQuote(code)), stdout = TRUE, stderr = TRUE
    )
    expect_identical(out, "FALSE 7 7 7")
})

test_that("SparseArray gets an SVT_SparseMatrix of integers", {
    skip_if_not_installed("SparseArray")
    ds <- write_tiles(small_counts(), temp_tiles(), tile_size = 40)
    counts <- read_tile(ds, 1, as = "integer")
    expect_s4_class(counts, "SVT_SparseMatrix")
    expect_type(as.matrix(counts), "integer")
    expect_equal(as.matrix(counts), as.matrix(read_tile(ds, 1)))
    none <- read_cells(ds, integer(), as = "integer")
    expect_identical(dim(none), c(83L, 0L))
})
