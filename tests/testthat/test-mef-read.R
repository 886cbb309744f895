test_that("windows are rows of the whole", {
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    whole <- read_mef(s)
    expect_identical(bare(whole), bare(x))
    expect_identical(colnames(whole), c("E1", "E2"))
    expect_identical(attr(whole, "sampling_rate"), 200)
    expect_identical(attr(whole, "start_uutc"), mef_t0)
    expect_identical(attr(whole, "units"), c(E1 = "uV", E2 = "uV"))
    time <- mef_t0 + (0:1999) * 5000
    expect_identical(attr(whole, "time"), from_uutc(time))
    uutc <- read_mef(s, times = "uUTC")
    expect_identical(attr(uutc, "time"), time)
    expect_null(attr(read_mef(s, times = "none"), "time"))
    set.seed(5)
    for (k in 1:30) {
        from <- sample(-50:2000, 1)
        n <- sample(1:300, 1)
        got <- read_mef(
            s, "E2", mef_t0 + from * 5000, mef_t0 + (from + n) * 5000
        )
        rows <- from + seq_len(n)
        rows[rows < 1 | rows > 2000] <- NA
        expect_identical(as.vector(got), ifelse(
            is.na(rows), NaN, x[rows, 2]
        ))
    }
    part <- read_mef(
        s, c(2, 1), from = from_uutc(mef_t0 + 1e6), to = from_uutc(mef_t0 + 2e6)
    )
    expect_identical(bare(part), bare(x[201:400, 2:1]))
    expect_identical(bare(read_mef(s, to = mef_t0 + 1e6)), bare(x[1:200, ]))
    expect_identical(
        bare(read_mef(s, from = mef_t0 + 9e6)), bare(x[1801:2000, ])
    )
    for (threads in 1:3) {
        expect_identical(read_mef(s, threads = threads), whole)
    }
})

test_that("counts are integers with their factors", {
    path <- temp_mef()
    x <- write_small_mef(path)
    x[5:10, 1] <- NaN
    append_mef(path, x, start = mef_t0 + 1e7, new_segment = TRUE)
    s <- open_mef(path)
    counts <- read_mef(s, values = "counts")
    expect_type(counts, "integer")
    expect_identical(which(is.na(counts)), 2005:2010)
    expect_equal(
        counts * 0.001, read_mef(s),
        tolerance = 1e-14, ignore_attr = TRUE
    )
    factors <- attr(counts, "conversion_factor")
    expect_identical(factors, data.frame(
        channel = rep(c("E1", "E2"), each = 2), segment = c(0, 1, 0, 1),
        factor = rep(0.001, 4)
    ))
})

test_that("an empty window has no rows", {
    path <- temp_mef()
    write_small_mef(path)
    s <- open_mef(path)
    got <- read_mef(s, from = mef_t0, to = mef_t0)
    expect_identical(dim(got), c(0L, 2L))
    expect_length(attr(got, "time"), 0)
    got <- read_mef(s, from = mef_t0 - 1e9, to = mef_t0 - 9e8)
    expect_true(all(is.nan(got)))
    expect_identical(nrow(got), 20000L)
})

test_that("several windows give a list", {
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    got <- read_mef(s, "E1",
        from = mef_t0 + c(0, 1e6), to = mef_t0 + c(1e6, 3e6)
    )
    expect_length(got, 2)
    expect_identical(as.vector(got[[1L]]), as.vector(x[1:200, 1]))
    expect_identical(as.vector(got[[2L]]), as.vector(x[201:600, 1]))
    expect_axtile_error(
        read_mef(s, from = mef_t0 + 0:1, to = mef_t0 + 5), "argument", "many"
    )
})

test_that("channels of different rates come as a list", {
    path <- temp_mef()
    close(write_mef(
        list(fast = sin(1:1000), slow = cos(1:100)), path,
        sampling_rate = c(1000, 100), start = mef_t0, precision = 6
    ))
    s <- open_mef(path)
    error <- expect_axtile_error(read_mef(s), "argument", "as_list")
    expect_match(conditionMessage(error), "'fast' 1000 Hz and 'slow' 100 Hz")
    got <- read_mef(s, as_list = TRUE)
    expect_identical(names(got), c("fast", "slow"))
    expect_equal(as.vector(got$fast), sin(1:1000), tolerance = 1e-5)
    expect_identical(attr(got$slow, "sampling_rate"), 100)
    windows <- read_mef(
        s, as_list = TRUE, from = mef_t0 + c(0, 5e5), to = mef_t0 + c(5e5, 1e6)
    )
    expect_identical(dim(windows[[2L]]$slow), c(50L, 1L))
})

test_that("odd arguments are refused and say which", {
    path <- temp_mef()
    write_small_mef(path)
    s <- open_mef(path)
    expect_axtile_error(read_mef(path), "argument", "open_mef")
    expect_axtile_error(read_mef(s, "E3"), "range", "E3")
    expect_axtile_error(read_mef(s, 0), "range", "channels")
    expect_axtile_error(read_mef(s, NA), "range", "channels")
    expect_axtile_error(read_mef(s, character()), "argument", "channels")
    expect_axtile_error(read_mef(s, from = "noon"), "argument", "`from`")
    expect_axtile_error(read_mef(s, to = NA), "argument", "`to`")
    expect_axtile_error(
        read_mef(s, from = as.POSIXct(NA)), "argument", "`from`"
    )
    error <- expect_axtile_error(
        read_mef(s, from = mef_t0 + 5, to = mef_t0), "argument"
    )
    expect_match(conditionMessage(error), "1577836800000005")
    expect_axtile_error(read_mef(s, from = mef_t0 + 2e7), "argument", "before")
    expect_axtile_error(read_mef(s, lenient = NA), "argument", "lenient")
    expect_axtile_error(read_mef(s, as_list = 1), "argument", "as_list")
    expect_axtile_error(read_mef(s, threads = 0), "argument", "threads")
    expect_error(read_mef(s, values = "volts"), class = "rlang_error")
    expect_error(
        read_mef(s, 1, mef_t0, mef_t0 + 5, "counts"),
        class = "rlib_error_dots_nonempty"
    )
})

test_that("results are bounded before they are made", {
    path <- temp_mef()
    write_small_mef(path)
    s <- open_mef(path)
    # 1e9 rows of 2 channels.
    error <- expect_axtile_error(
        read_mef(s, from = mef_t0 - 5e12), "limit", "mef_max_mb"
    )
    expect_match(conditionMessage(error), "shorter windows")
    # More rows than a matrix has, whatever the option says.
    withr::with_options(list(axtile.mef_max_mb = 1e12), expect_axtile_error(
        read_mef(s, from = 10), "limit", "2147483647"
    ))
    withr::with_options(list(axtile.mef_max_mb = 0.03), {
        expect_axtile_error(read_mef(s), "limit", "0.000")
        expect_identical(
            dim(read_mef(s, values = "counts")), c(2000L, 2L)
        )
    })
    withr::with_options(list(axtile.mef_max_mb = "x"), expect_axtile_error(
        read_mef(s), "argument", "mef_max_mb"
    ))
})

test_that("reading keeps R's garbage collector out of results", {
    withr::local_options(axtile.pool_mb = 0)
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    gctorture2(5)
    got <- read_mef(s, values = "counts")
    infos <- mef_channels(s)
    gctorture2(0)
    expect_identical(as.vector(got), as.integer(round(as.vector(x) * 1000)))
    expect_identical(infos$name, c("E1", "E2"))
})
