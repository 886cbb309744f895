test_that("a tile dataset is a DAF", {
    counts <- small_counts()
    obs <- data.frame(
        donor = factor(rep(c("a", "b", NA), length.out = 57)),
        depth = Matrix::colSums(counts),
        kept = rep(c(TRUE, FALSE), length.out = 57)
    )
    var <- data.frame(length = seq_len(83))
    lognorm <- counts
    lognorm@x <- log1p(lognorm@x)
    ds <- write_tiles(
        counts, temp_tiles(), obs = obs, var = var,
        layers = list(lognorm = lognorm), tile_size = 20
    )
    d <- tiles_daf(ds, name = "tiles!")
    expect_s3_class(d, "AxtileDaf")
    expect_identical(daf_name(d), "tiles!")
    expect_identical(axes_set(d), c("cell", "gene"))
    expect_identical(axis_entries(d, "gene"), rownames(counts))
    expect_identical(axis_entries(d, "cell"), colnames(counts))
    expect_identical(vectors_set(d, "cell"), c("depth", "donor", "kept"))
    expect_identical(matrices_set(d, "cell", "gene"), c("counts", "lognorm"))
    donor <- as.character(obs$donor)
    donor[is.na(donor)] <- ""
    expect_identical(unname(get_vector(d, "cell", "donor")), donor)
    expect_identical(
        get_vector(d, "gene", "length"),
        stats::setNames(var$length, rownames(counts))
    )
    expect_same_matrix(get_matrix(d, "gene", "cell", "counts"), counts)
    expect_same_matrix(
        get_matrix(d, "cell", "gene", "counts"), Matrix::t(counts)
    )
    expect_equal(
        d["@ cell @ gene :: counts >- Sum"], Matrix::rowSums(counts)
    )
    expect_equal(
        d["@ cell @ gene :: lognorm >- Var"],
        apply(as.matrix(lognorm), 1, function(x) mean(x^2) - mean(x)^2)
    )
    by_donor <- d["@ cell [ donor ] @ gene :: counts -/ donor >- Sum"]
    expected <- t(rowsum(as.matrix(Matrix::t(counts)), donor))[, c("a", "b")]
    expect_equal(unname(as.matrix(by_donor)), unname(t(expected)))
    expect_axtile_error(
        set_vector(d, "cell", "x", 1:57), "argument", "read-only"
    )
})

test_that("names that repeat and missing numbers have a form in a DAF", {
    counts <- small_counts()
    names <- rownames(counts)
    rownames(counts)[2] <- names[1]
    obs <- data.frame(n = c(NA, 1:56))
    d <- tiles_daf(write_tiles(counts, temp_tiles(), obs = obs))
    expect_identical(
        axis_entries(d, "gene"), replace(names, 2, paste0(names[1], "-1"))
    )
    expect_identical(
        unname(get_vector(d, "gene", "original_name")), rownames(counts)
    )
    n <- unname(get_vector(d, "cell", "n"))
    expect_identical(n, c(NaN, 1:56))
})

test_that("what is no tile dataset is refused", {
    expect_axtile_error(tiles_daf(tempfile()), "io")
    expect_axtile_error(tiles_daf(1), "argument")
})
