test_that("appends extend channels and add segments", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    append_mef(w, x, start = mef_t0 + 1e7)
    append_mef(w, x, start = mef_t0 + 3e7, durability = "fast")
    append_mef(w, x, start = mef_t0 + 4e7, new_segment = TRUE)
    # Written samples are there at once, closed or not.
    s <- open_mef(path)
    expect_identical(mef_channels(s)$n_samples, c(8000, 8000))
    close(w)
    s <- open_mef(path)
    expect_identical(mef_segments(s, 1)$segment, c(0, 1))
    expect_identical(mef_segments(s, 1)$start_sample, c(0, 6000))
    gaps <- mef_gaps(s)
    expect_identical(gaps$start_uutc, rep(mef_t0 + 2e7, 2))
    expect_identical(gaps$end_uutc, rep(mef_t0 + 3e7, 2))
    got <- bare(read_mef(s))
    expect_identical(got, rbind(
        bare(x), bare(x), matrix(NaN, 2000, 2), bare(x), bare(x)
    ))
    expect_identical(nrow(validate_mef(path)), 0L)
})

test_that("a path is opened, appended to and closed", {
    path <- temp_mef()
    x <- write_small_mef(path)
    expect_identical(append_mef(path, x, start = mef_t0 + 1e7), path)
    counts <- list(E2 = c(1L, 2L, 3L), new = c(7L, 8L))
    append_mef(
        path, counts,
        start = mef_t0 + 2e7, sampling_rate = c(200, 10),
        conversion_factor = c(0.001, 2)
    )
    s <- open_mef(path)
    expect_identical(s$channels, c("E1", "E2", "new"))
    expect_identical(mef_channels(s)$n_samples, c(4000, 4003, 2))
    expect_identical(
        as.vector(read_mef(s, "E2", mef_t0 + 2e7)), c(1, 2, 3) * 0.001
    )
    # Factor and rate of the channel, where none are given.
    append_mef(path, list(E1 = 5L), start = mef_t0 + 2e7)
    expect_identical(
        as.vector(read_mef(open_mef(path), "E1", mef_t0 + 2e7)), 0.005
    )
})

test_that("what does not fit is refused and changes nothing", {
    path <- temp_mef()
    x <- write_small_mef(path)
    files <- list.files(path, recursive = TRUE, full.names = TRUE)
    before <- tools::md5sum(files)
    w <- mef_writer(path)
    later <- mef_t0 + 2e7
    refused <- function(code, regexp, kind = "argument") {
        expect_axtile_error(code, kind, regexp)
    }
    refused(append_mef(w, x, start = mef_t0 + 5e6), "ends at")
    refused(append_mef(w, x, start = mef_t0 - 5e6, new_segment = TRUE), "ends")
    refused(append_mef(w, x, start = later, sampling_rate = 100), "200 Hz")
    refused(append_mef(w, x, start = later, precision = 2), "factor")
    refused(
        append_mef(w, list(E1 = 1:5), start = later, conversion_factor = 3),
        "factor"
    )
    refused(append_mef(w, list(F1 = 1:5), start = later), "sampling_rate")
    refused(append_mef(w, list(E1 = 1:5)), "start")
    y <- x
    y[3, 1] <- 1e9
    refused(append_mef(w, y, start = later), "'E1', sample 2", "range")
    refused(append_mef(w, x, start = later, units = "mV"), "\"uV\"")
    refused(
        append_mef(w, x, start = later, metadata = list(notch = 50)), "metadata"
    )
    refused(append_mef(w, x, start = later, new_segment = NA), "new_segment")
    refused(append_mef(w, x, start = later, password = "a"), "password")
    refused(append_mef(5, x, start = later), "`w`")
    refused(append_mef(tempfile(), x, start = later), "", "unsupported")
    expect_error(
        append_mef(w, x, start = later, durability = "slow"),
        class = "rlang_error"
    )
    # A part that fits does not save one that does not.
    refused(
        append_mef(w, list(E1 = 1, E2 = Inf), start = later), "E2", "range"
    )
    expect_identical(tools::md5sum(files), before)
    close(w)
    expect_identical(tools::md5sum(files), before)
    expect_identical(
        list.files(path, recursive = TRUE, full.names = TRUE), files
    )
})

test_that("a session has one writer at a time", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    expect_axtile_error(mef_writer(path), "argument", "another process")
    expect_axtile_error(recover_mef(path, apply = TRUE), "argument")
    expect_axtile_error(rename_mef(path, "other"), "argument")
    close(w)
    close(mef_writer(path))
    w <- mef_writer(path)
    rm(w)
    gc()
    # A writer that nobody has any more is closed.
    close(mef_writer(path))
})

test_that("archives cannot be appended to", {
    path <- temp_mef()
    x <- write_small_mef(path)
    tar <- archive_mef(path)
    expect_axtile_error(
        append_mef(tar, x, start = mef_t0 + 2e7), "unsupported", "extract"
    )
})

test_that("a forked process leaves its parent's writer alone", {
    skip_on_os("windows")
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    job <- parallel::mcparallel({
        error <- tryCatch(
            append_mef(w, x, start = mef_t0 + 2e7), error = identity
        )
        rm(w)
        gc()
        conditionMessage(error)
    })
    refused <- parallel::mccollect(job)[[1L]]
    expect_match(refused, "forked")
    append_mef(w, x, start = mef_t0 + 1e7)
    expect_axtile_error(mef_writer(path), "argument", "another process")
    close(w)
    expect_identical(mef_channels(open_mef(path))$n_samples, c(4000, 4000))
})

# Runs code in another R and waits.
run_r <- function(...) {
    script <- tempfile(fileext = ".R")
    writeLines(c(
        paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")"),
        "library(axtile)", ...
    ), script)
    suppressWarnings(system2(
        file.path(R.home("bin"), "Rscript"), shQuote(script),
        stdout = TRUE, stderr = TRUE
    ))
}

test_that("a second process appends while the first one reads", {
    skip_on_cran()
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    read_mef(s)
    input <- withr::local_tempfile(fileext = ".rds")
    saveRDS(x, input)
    append <- c(
        paste0("x <- readRDS(", deparse(input), ")"),
        paste0("w <- mef_writer(", deparse(path), ")"),
        paste0("append_mef(w, x, start = ", mef_t0 + 1e7, ")"),
        "cat('appended')"
    )
    # It ends without closing.
    out <- run_r(append)
    expect_match(paste(out, collapse = "\n"), "appended")
    expect_identical(bare(read_mef(s)), bare(x))
    expect_identical(
        bare(read_mef(open_mef(path))), rbind(bare(x), bare(x))
    )
    expect_identical(nrow(validate_mef(path)), 0L)
    w <- mef_writer(path)
    out <- run_r(append)
    expect_match(paste(out, collapse = "\n"), "another process")
    close(w)
})

test_that("a writer that is killed leaves what it appended", {
    skip_on_os("windows")
    skip_on_cran()
    path <- temp_mef()
    x <- write_small_mef(path)
    out <- run_r(
        paste0("path <- ", deparse(path)),
        "s <- open_mef(path)",
        "x <- read_mef(s)",
        "w <- mef_writer(path)",
        "for (k in 1:5) {",
        "    append_mef(w, x, start = mef_channels(s)$end_uutc[1] + 1e7 * k)",
        "}",
        "tools::pskill(Sys.getpid(), tools::SIGKILL)"
    )
    expect_identical(mef_channels(open_mef(path))$n_samples, c(12000, 12000))
    expect_identical(nrow(validate_mef(path)), 0L)
    append_mef(path, x, start = mef_t0 + 1e9)
    expect_identical(mef_channels(open_mef(path))$n_samples, c(14000, 14000))
})
