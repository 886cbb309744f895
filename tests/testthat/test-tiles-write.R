test_that("all classes of matrices are written alike", {
    path <- temp_tiles()
    m <- small_counts()
    integers <- as.matrix(m)
    storage.mode(integers) <- "integer"
    inputs <- list(
        m, as(m, "TsparseMatrix"), as(m, "RsparseMatrix"), as.matrix(m),
        integers,
        as(as(as(as.matrix(m), "dMatrix"), "generalMatrix"), "unpackedMatrix")
    )
    for (x in inputs) {
        ds <- write_tiles(x, path, overwrite = TRUE)
        expect_same_matrix(read_tile(ds, 1), m)
    }
    pattern <- m > 0
    ones <- as(as(pattern, "dMatrix"), "generalMatrix")
    for (x in list(pattern, as(pattern, "nMatrix"), as.matrix(pattern))) {
        ds <- write_tiles(x, path, overwrite = TRUE)
        expect_same_matrix(read_tile(ds, 1), Matrix::drop0(ones))
    }
    explicit <- m
    explicit@x[1:10] <- 0
    ds <- write_tiles(explicit, path, overwrite = TRUE)
    expect_same_matrix(read_tile(ds, 1), Matrix::drop0(explicit))
})

test_that("experiments and Seurat objects are written with annotations", {
    path <- temp_tiles()
    m <- small_counts()
    m[2, 7] <- 100
    obs <- data.frame(batch = gl(3, 19), row.names = colnames(m))
    var <- data.frame(length = seq_len(83), row.names = rownames(m))
    if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
        x <- SingleCellExperiment::SingleCellExperiment(
            list(counts = m, other = m * 2),
            colData = obs, rowData = var
        )
        ds <- write_tiles(x, path)
        expect_same_matrix(read_tile(ds, 1), m)
        expect_identical(read_obs(ds), obs)
        expect_identical(read_var(ds), var)
        ds <- write_tiles(x, path, layer = "other", overwrite = TRUE)
        expect_same_matrix(read_tile(ds, 1), m * 2)
        expect_axtile_error(
            write_tiles(x, path, layer = "none"), "argument", "counts"
        )
    }
    skip_if_not_installed("SeuratObject")
    x <- SeuratObject::CreateSeuratObject(m, meta.data = obs)
    ds <- write_tiles(x, path, overwrite = TRUE)
    expect_same_matrix(read_tile(ds, 1), m)
    expect_identical(read_obs(ds)$batch, obs$batch)
})

test_that("values that are no counts are refused by cell and gene", {
    path <- temp_tiles()
    m <- small_counts()
    for (value in list(0.5, -1, NaN, NA_real_, Inf, 2^33)) {
        bad <- m
        bad["gene4", "cell6"] <- value
        error <- expect_axtile_error(write_tiles(bad, path), "value", "cell6")
        expect_match(conditionMessage(error), "gene4")
        dense <- as.matrix(bad)
        expect_axtile_error(write_tiles(dense, path), "value", "gene4")
    }
    bad <- m
    bad["gene4", "cell6"] <- 65536
    expect_axtile_error(
        write_tiles(bad, path, format = "deltacells"), "limit",
        "'cell6'.*'gene4'.*65,?536"
    )
    bad["gene4", "cell6"] <- 2^31
    expect_axtile_error(
        write_tiles(bad, path), "limit", "'cell6'.*'gene4'.*2147483648"
    )
    wide <- Matrix::sparseMatrix(i = 65537, j = 1, x = 1, dims = c(65537, 2))
    expect_axtile_error(
        write_tiles(wide, path, format = "deltacells"), "limit",
        "65,?536 genes"
    )
    expect_axtile_error(write_tiles(m[, 0], path), "limit", "no cells")
    expect_axtile_error(write_tiles(m[0, ], path), "limit", "genes")
    expect_axtile_error(write_tiles("a", path), "argument")
    expect_axtile_error(write_tiles(list(m), path), "argument")
    expect_identical(
        list.files(dirname(path), basename(path), all.files = TRUE), character()
    )
})

test_that("wrong options are refused", {
    m <- small_counts()
    path <- temp_tiles()
    write_old <- function(...) write_tiles(m, path, format = "deltacells", ...)
    expect_axtile_error(write_old(level = 23), "argument", "level")
    expect_axtile_error(write_old(chunks = NA), "argument", "chunks")
    expect_axtile_error(write_tiles(m, path, level = 3), "argument", "level")
    expect_axtile_error(write_tiles(m, path, chunks = 3), "argument", "chunks")
    expect_axtile_error(
        write_tiles(m, path, tile_size = 0), "argument", "tile_size"
    )
    expect_axtile_error(
        write_tiles(m, path, overwrite = NA), "argument", "overwrite"
    )
    expect_axtile_error(
        write_tiles(m, path, progress = "yes"), "argument", "progress"
    )
    expect_axtile_error(write_tiles(m, file.path(path, "a", "b")), "io")
})

test_that("bytes do not depend on the number of threads", {
    m <- small_counts()
    obs <- data.frame(a = seq_len(57))
    contents <- lapply(1:3, function(threads) {
        path <- temp_tiles()
        write_tiles(m, path, tile_size = 10, obs = obs, threads = threads)
        files <- list.files(path, recursive = TRUE)
        stats::setNames(tools::md5sum(file.path(path, files)), files)
    })
    expect_identical(contents[[1]], contents[[2]])
    expect_identical(contents[[1]], contents[[3]])
})

test_that("only datasets are overwritten, and only when asked", {
    path <- temp_tiles()
    m <- small_counts()
    write_tiles(m, path)
    expect_axtile_error(write_tiles(m * 2, path), "exists", "overwrite")
    expect_same_matrix(read_tile(open_tiles(path), 1), m)
    bad <- m
    bad@x[9] <- 0.5
    expect_axtile_error(write_tiles(bad, path, overwrite = TRUE), "value")
    expect_same_matrix(read_tile(open_tiles(path), 1), m)
    folder <- withr::local_tempdir()
    writeLines("precious", file.path(folder, "a.txt"))
    expect_axtile_error(write_tiles(m, folder, overwrite = TRUE), "argument")
    expect_true(file.exists(file.path(folder, "a.txt")))
    writeLines("{\"name\": \"an app\"}", file.path(folder, "manifest.json"))
    expect_axtile_error(write_tiles(m, folder, overwrite = TRUE), "argument")
    expect_true(file.exists(file.path(folder, "a.txt")))
})

test_that("text that is not valid in its encoding is refused", {
    path <- temp_tiles()
    m <- small_counts()
    bad <- rawToChar(as.raw(c(0x63, 0xe9)))
    Encoding(bad) <- "UTF-8"
    latin <- "\xe9t\xe9"
    Encoding(latin) <- "latin1"
    frames <- list(
        data.frame(a = rep(bad, 57)), data.frame(a = factor(rep(bad, 57))),
        stats::setNames(data.frame(1:57), bad)
    )
    for (obs in frames) {
        expect_axtile_error(
            write_tiles(m, path, obs = obs), "argument", "valid"
        )
    }
    named <- m
    rownames(named)[4] <- bad
    expect_axtile_error(write_tiles(named, path), "argument", "row names")
    expect_axtile_error(write_tiles(m, bad), "argument", "path")
    rownames(named)[4] <- latin
    ds <- write_tiles(named, path, obs = data.frame(a = rep(latin, 57)))
    expect_identical(rownames(read_tile(ds, 1))[4], "\u00e9t\u00e9")
    expect_identical(read_obs(ds)$a[1], "\u00e9t\u00e9")
    rownames(named)[4] <- "a\nb"
    expect_axtile_error(
        write_tiles(named, path, overwrite = TRUE), "argument", "line"
    )
})

test_that("broken matrices and missing values in delayed ones are refused", {
    path <- temp_tiles()
    m <- small_counts()
    broken <- list(m, m, m, m)
    broken[[1]]@Dimnames <- list(NULL, letters[1:3])
    broken[[2]]@Dim <- c(83L, 3L)
    broken[[3]]@i[1] <- 1000L
    broken[[4]] <- as(m, "RsparseMatrix")
    broken[[4]]@j[1] <- 1000L
    for (x in broken) {
        expect_axtile_error(write_tiles(x, path), "argument", "not a valid")
    }
    frames <- list(1:57, mean, globalenv(), matrix(1:57, ncol = 1))
    for (obs in frames) {
        expect_axtile_error(write_tiles(m, path, obs = obs), "argument", "obs")
    }
    bad <- data.frame(a = rep("caf\xe9", 57))
    expect_axtile_error(write_tiles(m, path, obs = bad), "argument", "valid")
    skip_if_not_installed("HDF5Array")
    dense <- matrix(c(1L, NA, 3L, 4L), 2)
    dimnames(dense) <- list(c("g1", "g2"), c("c1", "c2"))
    delayed <- DelayedArray::DelayedArray(dense)
    expect_axtile_error(write_tiles(delayed, path), "value", "c1.*g2")
    expect_false(file.exists(path))
    dense[2, 1] <- 0L
    ds <- write_tiles(DelayedArray::DelayedArray(dense), path)
    expect_identical(as.matrix(read_tile(ds, 1)), dense + 0)
})

test_that("many genes and large counts are held", {
    m <- Matrix::sparseMatrix(
        i = c(1, 70000, 65537), j = c(1, 1, 3), x = c(2^31 - 1, 65536, 2),
        dims = c(70000, 3)
    )
    ds <- write_tiles(m, temp_tiles())
    expect_same_matrix(read_tile(ds, 1), m, dimnames = FALSE)
    expect_same_matrix(
        read_cells(ds, 1, "gene70000"), m[70000, 1, drop = FALSE],
        dimnames = FALSE
    )
})

test_that("layers are written and read by name", {
    m <- small_counts()
    path <- temp_tiles()
    more <- list(spliced = m * 2, unspliced = as.matrix(m[, 57:1]))
    dimnames(more[[2]]) <- NULL
    ds <- write_tiles(m, path, layers = more, tile_size = 20)
    layers <- tiles_info(ds)$layers
    expect_identical(layers$name, c("counts", "spliced", "unspliced"))
    expect_identical(layers$kind, rep("count", 3))
    expect_identical(tiles_info(ds)$nnz, sum(layers$nnz))
    expect_match(format(ds), "layers: counts, spliced", all = FALSE)
    expect_same_matrix(read_cells(ds), m)
    expect_same_matrix(read_cells(ds, layer = "spliced"), m * 2)
    expect_same_matrix(
        read_tile(ds, 2, layer = "unspliced"), m[, 37:18],
        dimnames = FALSE
    )
    expect_true(all(verify_tiles(ds)$ok))
    expect_axtile_error(
        read_tile(ds, 1, layer = "none"), "range", "counts, spliced"
    )
    expect_axtile_error(read_cells(ds, layer = 2), "argument", "layer")
    write_more <- function(more) write_tiles(m, temp_tiles(), layers = more)
    expect_axtile_error(write_more(list(m)), "argument", "layers")
    expect_axtile_error(write_more(m), "argument", "layers")
    expect_axtile_error(write_more(list(a = m[, 1:3])), "argument", "\"a\"")
    expect_axtile_error(write_more(list(a = m[, 57:1])), "argument", "\"a\"")
    expect_axtile_error(write_more(list(counts = m)), "argument", "counts")
    expect_axtile_error(
        write_tiles(m, path, layers = more, format = "deltacells"),
        "unsupported", "one layer"
    )
})
