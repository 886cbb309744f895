test_that("traces show the extremes of every sample", {
    withr::local_pdf(NULL)
    path <- temp_mef()
    n <- 9000
    x <- small_eeg(n)
    x[4001:5000, 2] <- NaN
    w <- write_mef(x, path, precision = 3)
    write_mef_records(w, data.frame(
        time = mef_t0 + c(1e6, 2e6), type = c("Note", "SyLg"),
        text = c("eyes closed", "")
    ))
    close(w)
    s <- open_mef(path)
    before <- graphics::par("mar")
    drawn <- plot(s)
    expect_identical(graphics::par("mar"), before)
    expect_identical(drawn$source, "samples")
    # Five samples a step.
    expect_identical(nrow(drawn$traces), 2L * 1800L)
    for (channel in 1:2) {
        trace <- drawn$traces[drawn$traces$channel == s$channels[[channel]], ]
        parts <- matrix(x[, channel], 5)
        low <- suppressWarnings(apply(parts, 2, min, na.rm = TRUE))
        low[is.infinite(low)] <- NA
        high <- suppressWarnings(apply(parts, 2, max, na.rm = TRUE))
        high[is.infinite(high)] <- NA
        expect_equal(trace$minimum, low)
        expect_equal(trace$maximum, high)
        expect_equal(trace$from_uutc, mef_t0 + (0:1799) * 25000)
    }
    drawn <- plot(s, channels = "E2", from = mef_t0, to = mef_t0 + 1e6)
    expect_identical(drawn$traces$minimum, as.vector(x[1:200, 2]))
    drawn <- plot(s, max_samples = 0, scale = 50, records = "Note")
    expect_identical(drawn$source, "index")
    expect_identical(drawn$scale, 50)
    blocks <- mef_blocks(s)
    expect_identical(drawn$traces$minimum, blocks$minimum)
    expect_identical(drawn$traces$maximum, blocks$maximum)
    drawn <- plot(s,
        from = mef_t0 - 1e9, to = mef_t0 - 1e8, records = FALSE, max_samples = 0
    )
    expect_identical(nrow(drawn$traces), 0L)
    drawn <- plot(s, from = from_uutc(mef_t0 - 1e7), to = mef_t0 - 9e6)
    expect_true(all(is.nan(drawn$traces$minimum)))
})

test_that("channels of different rates share a picture", {
    withr::local_pdf(NULL)
    path <- temp_mef()
    close(write_mef(
        list(fast = sin(1:1000), slow = cos(1:100)), path,
        sampling_rate = c(1000, 100), start = mef_t0, precision = 6,
        units = c("uV", "C")
    ))
    drawn <- plot(open_mef(path), col = c("black", "red"))
    expect_identical(as.vector(table(drawn$traces$channel)), c(1000L, 100L))
})

test_that("odd arguments are refused", {
    withr::local_pdf(NULL)
    path <- temp_mef()
    write_small_mef(path)
    s <- open_mef(path)
    expect_axtile_error(plot(s, channels = "E9"), "range", "E9")
    expect_axtile_error(
        plot(s, from = mef_t0 + 5, to = mef_t0), "argument", "window"
    )
    expect_axtile_error(plot(s, from = 1:2), "argument", "`from`")
    expect_axtile_error(plot(s, scale = 0), "argument", "scale")
    expect_axtile_error(plot(s, max_samples = -1), "argument", "max_samples")
    expect_axtile_error(plot(s, records = 5), "argument", "records")
    expect_error(plot(s, main = "x"), class = "rlib_error_dots_nonempty")
})

test_that("scales are round numbers that have room", {
    trace <- function(...) data.frame(minimum = c(...), maximum = c(...))
    expect_identical(plot_scale(list(trace(-4, 0, 4)), NULL), 10)
    expect_identical(plot_scale(list(trace(0, 0)), NULL), 1)
    expect_identical(plot_scale(list(trace(NaN)), NULL), 1)
    expect_identical(plot_scale(list(trace()), 3), 3)
})
