test_that("a dataset says what it is", {
    path <- temp_tiles()
    m <- small_counts()
    ds <- write_tiles(m, path, tile_size = 20, obs = data.frame(a = 1:57))
    expect_identical(dim(ds), c(83L, 57L))
    expect_identical(dimnames(ds), dimnames(m))
    shown <- capture.output(print(ds))
    expect_lte(length(shown), 12L)
    expect_match(shown[[2]], "57 cells x 83 genes in 3 tiles")
    info <- tiles_info(path)
    expect_identical(info$nnz, as.double(length(m@i)))
    expect_identical(info$tiles$n_cells, c(20, 20, 17))
    expect_identical(info, tiles_info(ds))
})

test_that("what is no dataset is refused", {
    expect_axtile_error(open_tiles(tempfile("none")), "io")
    folder <- withr::local_tempdir()
    expect_axtile_error(open_tiles(folder), "io", "no manifest.json")
    writeLines("{}", file.path(folder, "manifest.json"))
    expect_axtile_error(open_tiles(folder), "version")
    expect_axtile_error(open_tiles(1), "argument")
    expect_axtile_error(open_tiles(NA_character_), "argument")
    expect_axtile_error(open_tiles(character()), "argument")
    expect_error(
        open_tiles(folder, "stored"), class = "rlib_error_dots_nonempty"
    )
    expect_axtile_error(read_tile(folder, 1), "argument")
})

test_that("paths with odd characters work, also in messages", {
    folder <- withr::local_tempdir()
    path <- file.path(folder, "a %s %n {x} \u00e9.tiles")
    m <- small_counts()
    expect_same_matrix(read_tile(write_tiles(m, path), 1), m)
    error <- expect_axtile_error(
        write_tiles(m, path), "exists", "%s %n [{]x[}]"
    )
    expect_identical(basename(error$path), basename(path))
    expect_axtile_error(
        open_tiles(file.path(folder, "no %n%s")), "io", "no %n%s"
    )
})

test_that("an object can be saved and knows when its dataset changed", {
    path <- temp_tiles()
    m <- small_counts()
    m[2, 7] <- 100
    ds <- write_tiles(m, path)
    file <- withr::local_tempfile()
    saveRDS(ds, file)
    again <- readRDS(file)
    expect_same_matrix(read_tile(again, 1), m)
    write_tiles(m * 2, path, overwrite = TRUE)
    expect_axtile_error(read_tile(again, 1), "stale")
    expect_axtile_error(read_var(again), "stale")
    expect_same_matrix(read_tile(open_tiles(path), 1), m * 2)
    unlink(path, recursive = TRUE)
    expect_axtile_error(read_tile(again, 1), "io")
})

test_that("a dataset can be read in forked processes", {
    skip_on_os("windows")
    path <- temp_tiles()
    m <- small_counts()
    ds <- write_tiles(m, path, tile_size = 20)
    read_tile(ds, 1, threads = 2)
    totals <- parallel::mclapply(1:3, function(tile) {
        sum(read_tile(ds, tile, threads = 2)@x)
    }, mc.cores = 2)
    expect_identical(Reduce(`+`, totals), sum(m@x))
})
