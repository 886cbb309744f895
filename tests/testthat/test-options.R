test_that("options have defaults and are checked where they are used", {
    withr::local_options(axtile.threads = NULL, axtile.cache_mb = NULL)
    expect_lte(axtile_options()$axtile.threads, 2)
    path <- temp_tiles()
    ds <- write_tiles(small_counts(), path)
    for (mb in list(-1, "a", NA, NULL, c(1, 2))) {
        withr::local_options(axtile.cache_mb = mb)
        if (is.null(mb)) {
            expect_no_error(open_tiles(path))
        } else {
            expect_axtile_error(read_tile(ds, 1), "argument", "axtile.cache_mb")
        }
    }
    withr::local_options(axtile.cache_mb = Inf)
    expect_no_error(read_cells(ds))
    withr::local_options(axtile.threads = "many")
    expect_axtile_error(read_tile(ds, 1), "argument", "threads")
    withr::local_options(axtile.threads = 1, axtile.cache_dir = 5)
    expect_axtile_error(read_obs(ds), "argument", "axtile.cache_dir")
})

test_that("progress bars count up, stop on an interrupt, and may fail", {
    seen <- double()
    show <- progress_reporter("Testing", NULL, TRUE)
    expect_true(show(-10))
    expect_true(show(4))
    expect_null(progress_reporter("Testing", 10, FALSE))
    m <- synthetic_counts(3000, 2000, seed = 3)
    arguments <- function(path, progress) {
        options <- write_options(
            path, "deltacells", 100, 15, 8, NULL, TRUE, FALSE,
            threads = 1
        )
        c(
            options, matrix_arguments(unname(m), NULL, NULL, "counts", NULL),
            list(progress = progress)
        )
    }
    path <- temp_tiles()
    stopped <- rs_tiles_write(arguments(path, function(done) {
        seen <<- c(seen, done)
        done < 0
    }))
    expect_identical(stopped$kind, "interrupt")
    expect_false(file.exists(path))
    expect_identical(seen[[1]], -6000)
    n_calls <- 0
    failing <- rs_tiles_write(arguments(path, function(done) {
        n_calls <<- n_calls + 1
        stop("no bar")
    }))
    expect_null(failing)
    expect_lte(n_calls, 2)
    expect_same_matrix(read_cells(open_tiles(path)), m, dimnames = FALSE)
})

test_that("synthetic counts depend on the seed alone", {
    set.seed(5)
    before <- .Random.seed
    m <- synthetic_counts(20, 30)
    expect_identical(.Random.seed, before)
    withr::local_seed(1, .rng_kind = "Wichmann-Hill")
    expect_identical(synthetic_counts(20, 30), m)
    expect_false(identical(synthetic_counts(20, 30, seed = 2), m))
    expect_axtile_error(synthetic_counts(0, 5), "argument", "n_cells")
    expect_axtile_error(synthetic_counts(5, 5, detected = "a"), "argument")
})
