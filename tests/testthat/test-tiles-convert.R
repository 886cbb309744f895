write_10x <- function(m, folder, names = rownames(m), gz = FALSE) {
    dir.create(folder, showWarnings = FALSE, recursive = TRUE)
    Matrix::writeMM(m, file.path(folder, "matrix.mtx"))
    writeLines(colnames(m), file.path(folder, "barcodes.tsv"))
    features <- paste(rownames(m), names, "Gene Expression", sep = "\t")
    writeLines(features, file.path(folder, "features.tsv"))
    if (gz) {
        for (file in list.files(folder, full.names = TRUE)) {
            lines <- readLines(file)
            con <- gzfile(paste0(file, ".gz"))
            writeLines(lines, con)
            close(con)
            unlink(file)
        }
    }
    folder
}

test_that("Matrix Market folders are converted", {
    m <- small_counts()
    path <- temp_tiles()
    for (gz in c(FALSE, TRUE)) {
        folder <- withr::local_tempdir()
        write_10x(m, folder, names = toupper(rownames(m)), gz = gz)
        ds <- convert_tiles(folder, path, tile_size = 10, overwrite = TRUE)
        expected <- m
        rownames(expected) <- toupper(rownames(m))
        expect_same_matrix(read_cells(ds), expected)
        expect_identical(read_var(ds)$id, rownames(m))
        ds <- convert_tiles(folder, path, gene_names = "id", overwrite = TRUE)
        expect_same_matrix(read_cells(ds), m)
    }
})

test_that("several inputs are put together in natural order", {
    m <- small_counts()
    folder <- withr::local_tempdir()
    parts <- list(1:20, 21:40, 41:57)
    for (k in 1:3) {
        write_10x(
            m[, parts[[k]]], file.path(folder, c("run2", "run9", "run10")[[k]])
        )
    }
    path <- temp_tiles()
    ds <- convert_tiles(file.path(folder, "run*"), path, tile_size = 15)
    expect_same_matrix(read_cells(ds), m)
    expect_true(all(verify_tiles(ds)$ok))

    write_10x(m[5:60, 1:20], file.path(folder, "run2"))
    sources <- file.path(folder, c("run2", "run9", "run10"))
    expect_axtile_error(
        convert_tiles(sources, path, overwrite = TRUE), "argument", "gene"
    )
    expect_same_matrix(read_cells(open_tiles(path)), m)
    both <- convert_tiles(
        sources, path, join = "intersection", overwrite = TRUE
    )
    expect_same_matrix(read_cells(both)[rownames(m)[5:60], ], m[5:60, ])
    all <- convert_tiles(sources, path, join = "union", overwrite = TRUE)
    expected <- m
    expected[-(5:60), 1:20] <- 0
    expect_same_matrix(
        read_cells(all, genes = rownames(m)), Matrix::drop0(expected)
    )
})

test_that("names with a zero byte are refused", {
    m <- small_counts()
    folder <- write_10x(m, withr::local_tempdir())
    barcodes <- file.path(folder, "barcodes.tsv")
    bytes <- readBin(barcodes, "raw", 1e5)
    writeBin(replace(bytes, 2, as.raw(0)), barcodes)
    path <- temp_tiles()
    expect_axtile_error(convert_tiles(folder, path), "unsupported", "zero byte")
    expect_false(file.exists(path))
})

test_that("an unfinished conversion is not resumed with other choices", {
    m <- small_counts()
    folder <- write_10x(m, withr::local_tempdir(), names = toupper(rownames(m)))
    path <- temp_tiles()
    partial <- file.path(
        dirname(path), paste0(".", basename(path), ".axtile-partial")
    )
    features <- file.path(folder, "features.tsv")
    lines <- readLines(features)
    # Unsupported names stop it after the first note was written.
    writeLines(sub("GENE9\t", "GENE\u20289\t", lines), features)
    expect_error(convert_tiles(folder, path, resume = TRUE))
    expect_true(dir.exists(partial))
    writeLines(lines, features)
    expect_error(convert_tiles(
        folder, path,
        resume = TRUE, format = "deltacells", level = 30
    ))
    ds <- convert_tiles(folder, path, resume = TRUE, gene_names = "id")
    expect_same_matrix(read_cells(ds), m)
    expect_false(dir.exists(partial))
})

test_that("what cannot be imported is refused", {
    path <- temp_tiles()
    folder <- withr::local_tempdir()
    expect_axtile_error(
        convert_tiles(file.path(folder, "none.h5ad"), path), "argument",
        "none.h5ad"
    )
    text <- file.path(folder, "counts.txt")
    writeLines("gene,cell", text)
    expect_axtile_error(convert_tiles(text, path), "unsupported")
    expect_axtile_error(convert_tiles(character(), path), "argument")
    expect_axtile_error(
        convert_tiles(text, path, sort_genes_max_files = 0), "argument"
    )
    m <- small_counts()
    write_10x(m, folder)
    mtx <- file.path(folder, "matrix.mtx")
    lines <- readLines(mtx)
    writeLines(replace(lines, 10, "1 1 -3"), mtx)
    expect_axtile_error(convert_tiles(folder, path), "value")
    writeLines(replace(lines, 10, "84 1 3"), mtx)
    expect_axtile_error(convert_tiles(folder, path), "corrupt", "line 10")
    writeLines(utils::head(lines, -3), mtx)
    expect_axtile_error(convert_tiles(folder, path), "corrupt")
    expect_false(file.exists(path))
})

test_that("tile datasets are converted into each other", {
    m <- small_counts()
    path <- temp_tiles()
    other <- temp_tiles()
    obs <- data.frame(batch = gl(3, 19), row.names = colnames(m))
    ds <- write_tiles(m, path, tile_size = 20, obs = obs)
    old <- convert_tiles(ds, other, format = "deltacells", chunks = 2)
    expect_match(tiles_info(old)$format, "deltacells")
    expect_identical(tiles_info(old)$tile_size, 20)
    expect_identical(tiles_info(old)$n_chunks, 2)
    expect_same_matrix(read_cells(old), m)
    expect_identical(read_obs(old), obs)
    back <- convert_tiles(other, path, tile_size = 7, overwrite = TRUE)
    expect_identical(tiles_info(back)$n_tiles, 9L)
    expect_same_matrix(read_cells(back), m)
    expect_identical(read_obs(back), obs)
    # In the place of itself.
    again <- convert_tiles(back, path, tile_size = 30, overwrite = TRUE)
    expect_same_matrix(read_cells(again), m)
    both <- convert_tiles(c(path, other), temp_tiles())
    expect_same_matrix(read_cells(both), cbind(m, m))
    expect_axtile_error(
        convert_tiles(again, temp_tiles(), obs_exclude = "batch"), "argument",
        "as it is"
    )
    expect_axtile_error(
        convert_tiles(again, temp_tiles(), level = 3), "argument", "level"
    )
})
