test_that("times go to microseconds and back without loss", {
    uutc <- mef_t0 + c(0, 1, 2, 499999, 123456789)
    expect_identical(as_uutc(from_uutc(uutc)), uutc)
    expect_identical(as_uutc(uutc), uutc)
    expect_identical(
        as_uutc(as.POSIXct("2020-01-01", tz = "UTC")), mef_t0
    )
    expect_identical(as_uutc(as.Date("2020-01-01")), mef_t0)
    expect_identical(
        as_uutc(as.POSIXlt("2020-01-01 01:00", tz = "Europe/Prague")), mef_t0
    )
    expect_identical(as_uutc(mef_t0 + 0.4), mef_t0)
    expect_identical(as_uutc(NA_real_), NA_real_)
    expect_identical(attr(from_uutc(0), "tzone"), "UTC")
    skip_if_not_installed("bit64")
    expect_identical(
        as_uutc(bit64::as.integer64("1577836800000001")), mef_t0 + 1
    )
})

test_that("what is no time is refused", {
    expect_axtile_error(as_uutc("2020-01-01"), "argument", "`x`")
    expect_axtile_error(as_uutc(factor("a")), "argument", "`x`")
    expect_axtile_error(
        as_uutc(as.difftime(5, units = "secs")), "argument", "`x`"
    )
    expect_axtile_error(as_uutc(c(0, Inf)), "range", "element 2")
    expect_axtile_error(as_uutc(1e16), "range", "2\\^53")
    expect_axtile_error(from_uutc("a"), "argument", "`x`")
})

test_that("durations are written for people", {
    expect_identical(format_duration(2.5e6), "2.5 s")
    expect_identical(format_duration(61e6), "1 min 1 s")
    expect_identical(format_duration(90000e6), "1 d 1 h")
    expect_identical(format_duration(NA), "unknown duration")
})
