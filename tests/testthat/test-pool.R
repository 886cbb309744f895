# Large results lie in memory that axtile keeps for the next ones.

large_dataset <- function(env = parent.frame()) {
    withr::local_options(axtile.pool_mb = 200, .local_envir = env)
    m <- synthetic_counts(3000, 8000, detected = 900)
    expect_gt(length(m@x), 2e6)
    list(m = m, ds = write_tiles(m, temp_tiles(env)))
}

is_pooled <- function(x) {
    any(grepl("axtile memory", utils::capture.output(.Internal(inspect(x)))))
}

test_that("results in the pool are ordinary matrices to all who use them", {
    skip_on_os(c("windows", "mac", "solaris"))
    data <- large_dataset()
    m <- data$m
    x <- read_tile(data$ds, 1)
    expect_true(is_pooled(x@x))
    expect_true(is_pooled(x@i))
    expect_true(methods::validObject(x))
    expect_identical(x, m)
    expect_identical(Matrix::colSums(x), Matrix::colSums(m))
    expect_identical(x[5:9, 20:1], m[5:9, 20:1])
    expect_identical(Matrix::t(x), Matrix::t(m))
    file <- tempfile()
    withr::defer(unlink(file))
    saveRDS(x, file)
    expect_identical(readRDS(file), m)
    y <- x
    y@x[[1]] <- 1e6
    expect_identical(x, m)
    expect_identical(y@x[[1]], 1e6)
    forked <- parallel::mclapply(1:2, function(k) {
        sum(read_tile(data$ds, 1)@x) + sum(x@x)
    })
    expect_identical(forked, rep(list(2 * sum(m@x)), 2))
    expect_identical(read_cells(data$ds, seq_len(ncol(m))), m)
})

test_that("memory goes round, and goes back", {
    skip_on_os(c("windows", "mac", "solaris"))
    data <- large_dataset()
    own <- function() {
        status <- readLines("/proc/self/status")
        line <- grep("^RssAnon", status, value = TRUE)
        skip_if(length(line) == 0L, "RssAnon is not there")
        as.numeric(gsub("\\D", "", line)) / 1000
    }
    invisible(gc())
    before <- own()
    # One result takes 12 bytes a nonzero; twenty of them would be ten times
    # what may wait for the garbage collector.
    each <- 12 * length(data$m@x) / 1e6
    for (k in 1:40) x <- read_tile(data$ds, 1, threads = 1)
    expect_lt(own() - before, 400 + 2 * each)
    # The results before were not overwritten while they are in use.
    all <- lapply(1:4, function(k) read_tile(data$ds, 1, threads = 1))
    for (y in all) expect_identical(y@x, data$m@x)
    rm(all, x, y)
    invisible(gc())
    close_tiles(data$ds)
    expect_lt(own() - before, 150)
})

test_that("without a pool, R allocates", {
    data <- large_dataset()
    withr::local_options(axtile.pool_mb = 0)
    x <- read_tile(data$ds, 1)
    expect_false(is_pooled(x@x))
    expect_identical(x, data$m)
    options(axtile.pool_mb = "much")
    expect_axtile_error(read_tile(data$ds, 1), "argument", "pool_mb")
})
