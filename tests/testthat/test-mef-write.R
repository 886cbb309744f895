test_that("samples come back as they were rounded", {
    path <- temp_mef()
    set.seed(3)
    x <- matrix(
        rnorm(3000, 0, 50), 1000, 3, dimnames = list(NULL, c("a", "b", "c"))
    )
    for (precision in c(0, 2, 5)) {
        w <- write_mef(
            x, path,
            sampling_rate = 100, start = mef_t0, units = "uV",
            precision = precision, overwrite = TRUE
        )
        close(w)
        expect_identical(nrow(validate_mef(path)), 0L)
        got <- read_mef(open_mef(path))
        expect_lte(max(abs(got - x)), 0.5 * 10^-precision * (1 + 1e-9))
    }
    close(write_mef(
        x, path, sampling_rate = 100, start = mef_t0, overwrite = TRUE
    ))
    got <- read_mef(open_mef(path))
    expect_lt(max(abs(got - x)), 0.01)
    steps <- round(x * 3) * 0.195
    close(write_mef(
        steps, path,
        sampling_rate = 100, start = mef_t0, precision = "step",
        overwrite = TRUE
    ))
    s <- open_mef(path)
    expect_equal(mef_channels(s)$conversion_factor, rep(0.195, 3))
    expect_equal(read_mef(s), steps, ignore_attr = TRUE, tolerance = 1e-13)
})

test_that("integers are stored as they are", {
    path <- temp_mef()
    counts <- c(
        0L, .Machine$integer.max, -.Machine$integer.max, NA, 1L, -1L, NA, NA,
        5L
    )
    w <- write_mef(
        list(a = counts), path,
        sampling_rate = 50, start = from_uutc(mef_t0), conversion_factor = 0.25,
        units = "mV"
    )
    close(w)
    s <- open_mef(path)
    got <- read_mef(s, values = "counts")
    expect_identical(as.vector(got), counts)
    expect_identical(as.vector(read_mef(s)), ifelse(
        is.na(counts), NaN, counts * 0.25
    ))
    expect_identical(mef_gaps(s)$duration, c(0.02, 0.04))
    # What was read is written as it is.
    again <- temp_mef()
    close(write_mef(got, again))
    other <- read_mef(open_mef(again), values = "counts")
    expect_identical(other, got)
})

test_that("lists have lengths, rates and starts of their own", {
    path <- temp_mef()
    x <- list(a = as.double(1:300), b = 5:1, c = matrix(c(1.5, NaN, 2.5)))
    close(write_mef(
        x, path,
        sampling_rate = c(100, 10, 1), start = mef_t0 + c(0, 1e6, 2e6),
        units = c("uV", "C", ""), precision = 1
    ))
    s <- open_mef(path)
    infos <- mef_channels(s)
    expect_identical(infos$sampling_rate, c(100, 10, 1))
    expect_identical(infos$start_uutc, mef_t0 + c(0, 1e6, 2e6))
    expect_identical(infos$units, c("uV", "C", ""))
    expect_identical(infos$conversion_factor, c(0.1, 1, 0.1))
    got <- read_mef(s, as_list = TRUE)
    expect_equal(got$a, matrix(x$a), ignore_attr = TRUE)
    expect_identical(as.vector(got$b), c(5, 4, 3, 2, 1))
    expect_identical(as.vector(got$c), c(1.5, NaN, 2.5))
    again <- temp_mef()
    close(write_mef(got, again, precision = 1))
    expect_equal(read_mef(open_mef(again), as_list = TRUE), got)
    frame <- temp_mef()
    close(write_mef(
        data.frame(u = 1:3, v = c(0.5, 1, 1.5)), frame,
        sampling_rate = 1, start = mef_t0
    ))
    expect_identical(open_mef(frame)$channels, c("u", "v"))
})

test_that("passwords are both or none", {
    path <- temp_mef()
    x <- write_small_mef(path, password = c("level one", "level two"))
    expect_axtile_error(open_mef(path), "argument", "password")
    expect_identical(bare(read_mef(open_mef(path, "level one"))), bare(x))
    s <- open_mef(path, "level two")
    expect_identical(bare(read_mef(s)), bare(x))
    expect_axtile_error(mef_writer(path, "level one"), "argument", "level 2")
    w <- mef_writer(path, "level two")
    append_mef(w, x, start = mef_t0 + 2e7)
    write_mef_records(w, data.frame(
        time = mef_t0, type = "Note", text = "hidden words"
    ))
    close(w)
    file <- list.files(path, "rdat$", full.names = TRUE)
    bytes <- readBin(file, "raw", file.size(file))
    expect_length(grepRaw("hidden words", bytes, fixed = TRUE), 0)
    expect_identical(
        mef_records(open_mef(path, "level two"))$text, "hidden words"
    )
    expect_true(mef_records(open_mef(path, "level one"))$is_locked)
    other <- temp_mef()
    for (password in list("one", c("a", NA), c("a", ""), 1:2, letters[1:3])) {
        expect_axtile_error(
            write_mef(x, other, password = password), "argument", "password"
        )
    }
    expect_axtile_error(
        write_mef(x, other, password = c("same", "same")), "argument", "same"
    )
    expect_false(file.exists(other))
})

test_that("a session is replaced only when it is asked for", {
    path <- temp_mef()
    x <- write_small_mef(path)
    error <- expect_axtile_error(write_mef(x, path), "exists")
    expect_match(conditionMessage(error), basename(path), fixed = TRUE)
    expect_identical(bare(read_mef(open_mef(path))), bare(x))
    bad <- x
    bad[7, 2] <- Inf
    expect_axtile_error(write_mef(bad, path, overwrite = TRUE), "range", "E2")
    expect_identical(bare(read_mef(open_mef(path))), bare(x))
    y <- x + 1
    attributes(y) <- attributes(x)
    close(write_mef(y, path, precision = 3, overwrite = TRUE))
    expect_equal(bare(read_mef(open_mef(path))), bare(y))
    folder <- withr::local_tempdir()
    writeLines("mine", file.path(folder, "a.txt"))
    target <- file.path(folder, "x.mefd")
    dir.create(target)
    writeLines("mine", file.path(target, "a.txt"))
    expect_axtile_error(write_mef(x, target, overwrite = TRUE), "argument")
    expect_true(file.exists(file.path(target, "a.txt")))
})

test_that("values that cannot be stored are refused with their place", {
    path <- temp_mef()
    x <- small_eeg()
    for (value in c(Inf, -Inf, 3e6)) {
        y <- x
        y[18, 2] <- value
        error <- expect_axtile_error(write_mef(y, path, precision = 3), "range")
        expect_match(conditionMessage(error), "'E2', sample 17", fixed = TRUE)
    }
    y <- x
    y[] <- NaN
    expect_axtile_error(write_mef(y, path), "argument", "without any sample")
    expect_false(file.exists(path))
    expect_length(
        list.files(dirname(path), basename(path), all.files = TRUE), 0
    )
})

test_that("odd arguments are refused before anything is made", {
    folder <- withr::local_tempdir()
    path <- file.path(folder, "x.mefd")
    x <- small_eeg()
    plain <- matrix(1:4, 2, dimnames = list(NULL, c("a", "b")))
    refused <- function(code, regexp) {
        expect_axtile_error(code, "argument", regexp)
        expect_length(list.files(folder, all.files = TRUE, no.. = TRUE), 0)
    }
    refused(write_mef(1:5, path), "`x`")
    refused(write_mef("a", path), "`x`")
    refused(write_mef(NULL, path), "`x`")
    refused(write_mef(list(), path), "no sample")
    refused(write_mef(list(1:5), path), "name")
    refused(write_mef(list(a = "b"), path), "Element 1")
    refused(write_mef(list(a = 1:5, b = Sys.time()), path), "Element 2")
    refused(write_mef(list(a = factor("b")), path), "Element 1")
    refused(write_mef(list(a = matrix(1, 2, 2)), path), "one column")
    refused(write_mef(list(a = TRUE), path), "Element 1")
    refused(write_mef(unname(plain), path), "name")
    refused(write_mef(plain[0, ], path), "no sample")
    refused(write_mef(cbind(a = 1:2, a = 3:4), path), "twice")
    refused(write_mef(plain, path), "sampling_rate")
    refused(write_mef(plain, path, sampling_rate = 5), "start")
    write <- function(...) {
        arguments <- utils::modifyList(
            list(plain, path, sampling_rate = 5, start = mef_t0), list(...)
        )
        do.call(write_mef, arguments)
    }
    refused(write(sampling_rate = 0), "sampling_rate")
    refused(write(sampling_rate = NA), "sampling_rate")
    refused(write(sampling_rate = c(1, 2, 3)), "one for each")
    refused(write(sampling_rate = "5"), "sampling_rate")
    refused(write(start = "now"), "start")
    refused(write(start = NA_real_), "start")
    refused(write(start = 0), "1970|time")
    refused(write(start = -5e6), "time")
    refused(write(precision = 3), "integers")
    refused(write(conversion_factor = 0), "conversion_factor")
    refused(write(conversion_factor = Inf), "conversion_factor")
    refused(write(units = 5), "units")
    refused(write(units = strrep("u", 200)), "unit")
    refused(write(metadata = 5), "metadata")
    refused(write(metadata = list(colour = "red")), "colour")
    refused(write(metadata = list(notch = "50")), "notch")
    refused(write(metadata = list(acquisition_channel = 1.5)), "whole")
    refused(write(subject = list(age = 5)), "age")
    refused(write(subject = list(subject_id = 5)), "subject_id")
    refused(write(subject = list(gmt_offset = 1e9)), "gmt_offset")
    refused(write(overwrite = NA), "overwrite")
    refused(write(threads = 0), "threads")
    refused(write_mef(x, path, precision = 10), "precision")
    refused(write_mef(x, path, precision = 1.5), "precision")
    refused(write_mef(x, path, precision = "best"), "precision")
    noise <- synthetic_eeg(1, 5)
    refused(write_mef(noise, path, precision = "step"), "step")
    refused(write_mef(x, path, conversion_factor = 1), "precision")
    refused(write_mef(x, file.path(folder, "x")), ".mefd")
    refused(write_mef(x, file.path(folder, ".mefd")), "name")
    for (name in c("a/b", "..", "a\\b", "x:y")) {
        bad <- stats::setNames(list(1:3), name)
        refused(
            write_mef(bad, path, sampling_rate = 1, start = mef_t0), "name"
        )
    }
    expect_axtile_error(
        write_mef(x, file.path(folder, "none", "x.mefd")), "io"
    )
})

test_that("writers print, flush and close once", {
    path <- temp_mef()
    w <- write_mef(small_eeg(), path, precision = 3)
    expect_output(print(w), "MEF 3.0 writer.*mefd$")
    expect_identical(flush(w), w)
    expect_identical(close(w), w$path)
    expect_output(print(w), "closed")
    expect_identical(close(w), w$path)
    expect_axtile_error(flush(w), "argument", "closed")
    expect_axtile_error(
        append_mef(w, small_eeg(), start = mef_t0 + 2e7), "argument", "closed"
    )
    expect_axtile_error(
        write_mef_records(w, data.frame(time = mef_t0, type = "Note")),
        "argument", "closed"
    )
    saved <- unserialize(serialize(w, NULL))
    expect_axtile_error(flush(saved), "argument", "saved")
    expect_output(print(saved), "closed")
})
