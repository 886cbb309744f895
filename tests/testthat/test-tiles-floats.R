# Layers of floating-point values.

normalised <- function(counts) {
    counts@x <- log1p(counts@x / rep(
        pmax(Matrix::colSums(counts), 1), diff(counts@p)
    ) * 1e4)
    counts
}

as_single <- function(m) {
    raw <- writeBin(m@x, raw(), size = 4)
    m@x <- readBin(raw, "double", length(m@x), size = 4)
    m
}

# An h5ad file with `x` as X, stored cell by cell, and `layer` as the layer
# "counts", stored gene by gene.
write_h5ad <- function(file, layer, x) {
    rhdf5::h5createFile(file)
    h5 <- rhdf5::H5Fopen(file)
    on.exit(rhdf5::H5Fclose(h5))
    attributes <- function(path, ...) {
        object <- rhdf5::H5Oopen(h5, path)
        values <- list(...)
        for (name in names(values)) {
            rhdf5::h5writeAttribute(values[[name]], object, name)
        }
        rhdf5::H5Oclose(object)
    }
    table <- function(group, names) {
        rhdf5::h5createGroup(h5, group)
        rhdf5::h5write(names, h5, paste0(group, "/_index"))
        attributes(group, "_index" = "_index", "encoding-type" = "dataframe")
    }
    sparse <- function(group, m, encoding) {
        rhdf5::h5createGroup(h5, group)
        rhdf5::h5write(m@x, h5, paste0(group, "/data"))
        rhdf5::h5write(m@i, h5, paste0(group, "/indices"))
        rhdf5::h5write(m@p, h5, paste0(group, "/indptr"))
        attributes(
            group, "encoding-type" = encoding, shape = c(ncol(x), nrow(x))
        )
    }
    table("obs", colnames(x))
    table("var", rownames(x))
    rhdf5::h5createGroup(h5, "layers")
    sparse("X", x, "csr_matrix")
    sparse("layers/counts", Matrix::t(layer), "csc_matrix")
}

test_that("layers come back bit for bit, in the smallest kind", {
    counts <- small_counts()
    odd <- counts
    odd@x[1:5] <- c(NaN, -Inf, -0.0, 0, NA)
    odd@x[[6]] <- 5e-324
    layers <- list(
        spliced = counts * 2, lognorm = normalised(counts),
        single = as_single(normalised(counts)), odd = odd
    )
    ds <- write_tiles(counts, temp_tiles(), layers = layers, tile_size = 20)
    kinds <- tiles_info(ds)$layers$kind
    expect_identical(
        kinds, c("count", "count", "float64", "float32", "float64")
    )
    for (name in names(layers)) {
        got <- read_cells(ds, layer = name)
        expected <- layers[[name]]
        bits <- function(x) writeBin(x, raw())
        expect_identical(got@i, expected@i)
        expect_identical(bits(got@x), bits(expected@x))
        expect_true(is.na(odd@x[[5]]) && !is.nan(odd@x[[5]]))
    }
    tile <- read_tile(ds, 2, layer = "lognorm")
    expect_same_matrix(tile, layers$lognorm[, 21:40])
    genes <- rownames(counts)[c(9, 2, 9)]
    got <- read_genes(ds, genes, layer = "lognorm")
    expect_identical(as.matrix(got), as.matrix(layers$lognorm[genes, ]))
    expect_true(all(verify_tiles(ds)$ok))
})

test_that("print tells what layers hold", {
    counts <- small_counts()
    ds <- write_tiles(
        counts, temp_tiles(), layers = list(lognorm = normalised(counts))
    )
    text <- paste(format(ds), collapse = "\n")
    expect_match(text, "layers: counts, lognorm (float64)", fixed = TRUE)
    expect_match(text, "nonzero values (", fixed = TRUE)
    one <- write_tiles(
        normalised(counts), temp_tiles(), layer = "data",
        kinds = c(data = "float64")
    )
    expect_match(
        paste(format(one), collapse = "\n"), "layer: data (float64)",
        fixed = TRUE
    )
    expect_same_matrix(read_tile(one, 1), normalised(counts))
})

test_that("sums are those of the Matrix package", {
    counts <- small_counts()
    lognorm <- normalised(counts)
    ds <- write_tiles(
        counts, temp_tiles(), layers = list(lognorm = lognorm), tile_size = 20
    )
    stats <- gene_stats(ds, layer = "lognorm")
    dense <- as.matrix(lognorm)
    expect_equal(stats$total, unname(rowSums(dense)))
    expect_equal(stats$mean, unname(rowMeans(dense)))
    expect_equal(stats$variance, unname(apply(dense, 1, stats::var)))
    expect_equal(stats$max, unname(apply(dense, 1, max)))
    expect_equal(stats$detected, unname(rowSums(dense != 0)))
    some <- cell_stats(ds, layer = "lognorm", genes = c(3, 3, 40))
    part <- dense[c(3, 3, 40), ]
    expect_equal(some$total, unname(colSums(part)))
    expect_equal(some$variance, unname(apply(part, 2, stats::var)))
    expect_equal(
        gene_totals(ds, layer = "lognorm", cells = c(5, 5, 57)),
        rowSums(dense[, c(5, 5, 57)])
    )
    two <- gene_stats(ds, layer = "lognorm", threads = 2)
    expect_identical(two, gene_stats(ds, layer = "lognorm", threads = 1))
})

test_that("cells are appended in the dataset's kinds", {
    counts <- small_counts()
    lognorm <- normalised(counts)
    ds <- write_tiles(
        counts, temp_tiles(), layers = list(lognorm = lognorm), tile_size = 20
    )
    # Whole numbers now, still of a float64 layer.
    ds <- append_tiles(ds, counts, layers = list(lognorm = counts))
    expect_identical(tiles_info(ds)$layers$kind, c("count", "float64"))
    got <- read_cells(ds, layer = "lognorm", dimnames = FALSE)
    expect_same_matrix(got, cbind(lognorm, counts), dimnames = FALSE)
    single <- write_tiles(
        as_single(lognorm), temp_tiles(), layer = "data",
        kinds = c(data = "float32")
    )
    expect_axtile_error(append_tiles(single, lognorm), "value", "32-bit float")
    single <- append_tiles(single, counts)
    expect_identical(single$n_cells, 2 * 57)
})

test_that("a dataset with float layers is written anew and materialised", {
    counts <- small_counts()
    lognorm <- normalised(counts)
    ds <- write_tiles(
        counts, temp_tiles(), layers = list(lognorm = lognorm), tile_size = 20
    )
    copy <- convert_tiles(ds, temp_tiles(), tile_size = 31)
    expect_same_matrix(read_cells(copy, layer = "lognorm"), lognorm)
    expect_axtile_error(
        convert_tiles(ds, temp_tiles(), format = "deltacells"), "unsupported"
    )
    expect_axtile_error(
        convert_tiles(ds, temp_tiles(), kinds = c(X = "float32")), "argument"
    )
    folder <- withr::local_tempdir()
    materialize_tiles(ds, folder, layer = "lognorm")
    mapped <- read_tile(ds, 2, layer = "lognorm", mmap = folder)
    expect_same_matrix(mapped, lognorm[, 21:40])
})

test_that("h5ad files are read as floats where kinds says so", {
    skip_if_not_installed("rhdf5")
    counts <- small_counts()
    lognorm <- normalised(counts)
    file <- withr::local_tempfile(fileext = ".h5ad")
    write_h5ad(file, counts, lognorm)
    expect_axtile_error(
        convert_tiles(file, temp_tiles()), "value", "whole number"
    )
    ds <- convert_tiles(
        file, temp_tiles(),
        kinds = c(X = "float64"), layers = "counts", tile_size = 20
    )
    expect_identical(tiles_info(ds)$layers$name, c("X", "counts"))
    expect_same_matrix(read_cells(ds), lognorm)
    expect_same_matrix(read_cells(ds, layer = "counts"), counts)
    expect_axtile_error(
        convert_tiles(file, temp_tiles(), kinds = c(X = "float32")), "value"
    )
})

test_that("the shell command takes kinds", {
    expect_identical(
        axtile:::cli_named("X=float32,a=b=c", "kinds"),
        c(X = "float32", a = "b=c")
    )
    expect_error(axtile:::cli_named("X", "kinds"), "NAME=VALUE")
})

test_that("what makes no sense is refused", {
    counts <- small_counts()
    lognorm <- normalised(counts)
    path <- temp_tiles()
    expect_axtile_error(write_tiles(lognorm, path), "value", "whole number")
    wrong <- list(
        "float64", c(counts = "double"), 1, c(other = "count"),
        c(counts = "count", counts = "count")
    )
    for (kinds in wrong) {
        expect_axtile_error(
            write_tiles(counts, path, kinds = kinds), "argument", "kinds"
        )
    }
    expect_axtile_error(
        write_tiles(lognorm, path, kinds = c(counts = "float32")), "value",
        "32-bit float"
    )
    expect_axtile_error(
        write_tiles(
            lognorm, path, kinds = c(counts = "float64"), format = "deltacells"
        ),
        "unsupported"
    )
    expect_false(dir.exists(path))
    ds <- write_tiles(lognorm, path, kinds = c(counts = "float64"))
    expect_axtile_error(read_tile(ds, 1, as = "integer"), "unsupported")
    expect_axtile_error(read_cells(ds, 1:3, as = "integer"), "unsupported")
    expect_axtile_error(read_genes(ds, 1:3, as = "integer"), "unsupported")
})
