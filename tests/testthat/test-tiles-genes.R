# Tiles of unequal size, and two layers where the format has them.
gene_dataset <- function(m, path, format = "axtile", sort_genes = TRUE) {
    if (format == "deltacells") {
        return(write_tiles(
            m, path,
            format = format, tile_size = 13, chunks = 3,
            sort_genes = sort_genes, overwrite = TRUE
        ))
    }
    first <- seq_len(20)
    write_tiles(
        m[, first], path,
        layers = list(twice = m[, first] * 2), tile_size = 9,
        sort_genes = sort_genes, overwrite = TRUE
    )
    append_tiles(path, m[, -first], layers = list(twice = m[, -first] * 2))
}

# Every kind of dataset, as it is opened.
each_dataset <- function(m, check) {
    path <- temp_tiles()
    for (format in c("axtile", "deltacells")) {
        for (sort_genes in c(TRUE, FALSE)) {
            gene_dataset(m, path, format, sort_genes)
            for (order in c("source", "stored")) {
                ds <- open_tiles(path, gene_order = order)
                check(ds, m[rownames(ds), ])
            }
        }
    }
}

# A gene without any count, and one in every cell.
gene_counts <- function() {
    m <- small_counts()
    m[11, ] <- 0
    m[12, ] <- 1 + seq_len(ncol(m)) %% 3
    Matrix::drop0(m)
}

# Statistics of the rows of a matrix.
expect_stats <- function(got, m) {
    m <- as.matrix(m)
    expected <- data.frame(
        total = rowSums(m), mean = rowMeans(m), variance = apply(m, 1, var),
        detected = as.double(rowSums(m > 0)), max = apply(m, 1, max)
    )
    expect_equal(got, expected, tolerance = 1e-14)
    expect_identical(got$total, expected$total)
}

test_that("genes read as a matrix gives them", {
    each_dataset(gene_counts(), function(ds, m) {
        set.seed(3)
        some <- sample(83, 20)
        for (threads in 1:2) {
            read <- function(...) read_genes(ds, ..., threads = threads)
            for (gene in list(1, 11, 12, "gene83", c(7, 7), some, 83:1)) {
                expect_same_matrix(read(gene), m[gene, , drop = FALSE])
            }
            expect_same_matrix(
                read(some, cells = c(57, 3, 3, 1)), m[some, c(57, 3, 3, 1)]
            )
        }
        expect_same_matrix(
            read_genes(ds, seq_len(83) == 4), m[4, , drop = FALSE]
        )
        expect_identical(dim(read_genes(ds, character())), c(0L, 57L))
        expect_identical(dim(read_genes(ds, 1, cells = integer())), c(1L, 0L))
        expect_same_matrix(read_cells(ds, genes = some), m[some, ])
        bare <- read_genes(ds, 12, dimnames = FALSE)
        expect_identical(dimnames(bare), list(NULL, NULL))
        compact <- read_genes(ds, some, as = "integer")
        expect_equal(as(compact, "dgCMatrix"), m[some, ])
        if ("twice" %in% ds$layers$name) {
            expect_same_matrix(
                read_genes(ds, some, layer = "twice"), m[some, ] * 2
            )
        }
    })
})

test_that("genes that are not there are refused", {
    path <- temp_tiles()
    ds <- write_tiles(small_counts(), path)
    for (genes in list(84, 0, -1, 1.5, NA_real_, "gene999", TRUE)) {
        expect_axtile_error(read_genes(ds, genes), "range")
    }
    expect_axtile_error(read_genes(ds, c("gene1", "x")), "range", "\"x\"")
    expect_axtile_error(read_genes(ds, NULL), "argument", "genes")
    expect_axtile_error(read_genes(ds, list(1)), "argument")
    expect_axtile_error(read_genes(ds, 1, cells = 58), "range")
    expect_axtile_error(read_genes(ds, 1, layer = "x"), "range")
    expect_axtile_error(read_genes(ds, 1, threads = 0), "argument")
    expect_axtile_error(read_genes(1, 1), "argument", "tile dataset")
    m <- small_counts()
    rownames(m)[2:3] <- "twice"
    other <- write_tiles(m, path, overwrite = TRUE)
    expect_axtile_error(read_genes(ds, 1), "stale")
    expect_axtile_error(read_genes(other, "twice"), "range", "more than one")
    expect_same_matrix(read_genes(other, 2:3), m[2:3, ])
})

test_that("sums are those of the matrix", {
    each_dataset(gene_counts(), function(ds, m) {
        for (threads in 1:2) {
            expect_identical(
                gene_totals(ds, threads = threads), Matrix::rowSums(m)
            )
            expect_identical(
                cell_totals(ds, threads = threads), Matrix::colSums(m)
            )
            expect_stats(gene_stats(ds, threads = threads), m)
            expect_stats(cell_stats(ds, threads = threads), Matrix::t(m))
        }
        cells <- c(50, 3, 3, 21)
        expect_stats(gene_stats(ds, cells = cells), m[, cells])
        named <- gene_totals(ds, cells = colnames(m)[cells])
        expect_identical(named, Matrix::rowSums(m[, cells]))
        genes <- c(12, 80, 11, 12)
        expect_stats(cell_stats(ds, genes = genes), Matrix::t(m[genes, ]))
        expect_identical(
            cell_totals(ds, genes = rownames(m)[genes]),
            Matrix::colSums(m[genes, ])
        )
        expect_identical(Matrix::colSums(ds), Matrix::colSums(m))
        expect_identical(Matrix::rowSums(ds), Matrix::rowSums(m))
        expect_identical(colMeans(ds), Matrix::colMeans(m))
        expect_identical(rowMeans(ds), Matrix::rowMeans(m))
        if ("twice" %in% ds$layers$name) {
            expect_stats(gene_stats(ds, layer = "twice"), m * 2)
            expect_identical(
                cell_totals(ds, layer = "twice"), 2 * Matrix::colSums(m)
            )
        }
    })
})

test_that("sums of nothing, of one, and without names", {
    path <- temp_tiles()
    m <- gene_counts()
    ds <- write_tiles(m, path)
    none <- gene_stats(ds, cells = integer())
    expect_identical(none$total, rep(0, 83))
    expect_true(all(is.nan(none$mean)))
    expect_true(all(is.na(none$variance) & is.na(none$max)))
    one <- gene_stats(ds, cells = 5)
    expect_identical(one$mean, as.double(m[, 5]))
    expect_true(all(is.na(one$variance)))
    expect_identical(
        cell_stats(ds, genes = character())$detected, rep(0, 57)
    )
    expect_null(names(gene_totals(ds, names = FALSE)))
    expect_null(names(cell_totals(ds, names = FALSE)))
    expect_identical(
        attr(cell_stats(ds, names = FALSE), "row.names"), seq_len(57)
    )
    rownames(m)[2:3] <- "twice"
    ds <- write_tiles(m, path, overwrite = TRUE)
    expect_identical(gene_stats(ds)$var_names, rownames(m))
    expect_identical(gene_totals(ds), Matrix::rowSums(m))
    dimnames(m) <- NULL
    ds <- write_tiles(m, path, overwrite = TRUE)
    expect_identical(cell_totals(ds), Matrix::colSums(m))
})

test_that("what cannot be summed up is refused", {
    path <- temp_tiles()
    ds <- write_tiles(small_counts(), path)
    expect_axtile_error(gene_stats(ds, cells = 58), "range")
    expect_axtile_error(cell_stats(ds, genes = "x"), "range")
    expect_axtile_error(gene_totals(ds, layer = "x"), "range")
    expect_axtile_error(cell_totals(ds, names = NA), "argument", "names")
    expect_axtile_error(cell_totals(1), "argument", "tile dataset")
    expect_axtile_error(gene_totals(ds, threads = 0), "argument")
    expect_error(base::colSums(ds))
    tile <- file.path(path, "layers", "0", "tile_000000.axt")
    bytes <- readBin(tile, "raw", 1e6)
    unlink(tile)
    writeBin(replace(bytes, 900, xor(bytes[900], as.raw(4))), tile)
    expect_axtile_error(gene_stats(ds), "corrupt", "tile_000000")
    expect_axtile_error(Matrix::colSums(ds), "corrupt")
})
