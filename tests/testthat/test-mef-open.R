test_that("sessions are described without reading samples", {
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    text <- format(s)
    expect_match(text[[1L]], sub(".mefd", "", basename(path), fixed = TRUE))
    expect_match(text[[2L]], "2 channels: E1, E2", fixed = TRUE)
    expect_match(text[[3L]], "200 Hz; uV; 2 segments", fixed = TRUE)
    expect_match(
        text[[4L]], "2020-01-01 00:00:00.000 to .*10.000 UTC \\(10 s\\)"
    )
    expect_output(expect_identical(print(s), s), "MEF 3.0 session")
    infos <- mef_channels(s)
    expect_identical(infos$name, c("E1", "E2"))
    expect_identical(infos$start_uutc, rep(mef_t0, 2))
    expect_identical(infos$end_uutc, rep(mef_t0 + 1e7, 2))
    expect_identical(infos$start[[1L]], as.POSIXct("2020-01-01", tz = "UTC"))
    expect_identical(infos$n_samples, rep(2000, 2))
    expect_identical(infos$conversion_factor, rep(0.001, 2))
    expect_identical(summary(s)$coverage, c(1, 1))
    expect_identical(summary(s)$duration, c(10, 10))
    expect_identical(mef_channels(s, "E2")$name, "E2")
    expect_identical(mef_channels(s, 2:1)$name, c("E2", "E1"))
    expect_identical(nrow(mef_gaps(s)), 0L)
    expect_identical(mef_blocks(s, 1)$minimum[[1L]], min(x[, 1]))
})

test_that("metadata come back as they were written", {
    path <- temp_mef()
    close(write_mef(
        small_eeg(), path,
        precision = 3, units = c("uV", "mV"),
        metadata = list(
            channel_description = c("first", "zweiter é"),
            session_description = "a session", reference_description = "Cz",
            acquisition_channel = c(7, NA), high_pass = 0.1, low_pass = 70,
            notch = 50, line_frequency = c(50, 60)
        ),
        subject = list(
            subject_name_1 = "A", subject_name_2 = "B", subject_id = "S-1",
            recording_location = "Brno", gmt_offset = 3600
        )
    ))
    segments <- mef_segments(open_mef(path))
    expect_identical(segments$units, c("uV", "mV"))
    expect_identical(segments$channel_description, c("first", "zweiter é"))
    expect_identical(segments$session_description, rep("a session", 2))
    expect_identical(segments$reference_description, rep("Cz", 2))
    expect_identical(segments$acquisition_channel, c(7, NA))
    expect_identical(segments$high_pass, c(0.1, 0.1))
    expect_identical(segments$low_pass, c(70, 70))
    expect_identical(segments$notch, c(50, 50))
    expect_identical(segments$line_frequency, c(50, 60))
    expect_identical(segments$subject_name_1, c("A", "A"))
    expect_identical(segments$subject_id, rep("S-1", 2))
    expect_identical(segments$recording_location, rep("Brno", 2))
    expect_identical(segments$gmt_offset, c(3600, 3600))
    expect_identical(unique(nchar(segments$file_uuid)), 32L)
    expect_true(all(segments$n_discontinuities == 1))
})

test_that("extremes of -1 are not taken for unknown", {
    path <- temp_mef()
    close(write_mef(
        list(a = c(-1L, -3L, -1L)), path,
        sampling_rate = 1, start = mef_t0, conversion_factor = -1
    ))
    segments <- mef_segments(open_mef(path))
    expect_identical(segments$conversion_factor, -1)
    expect_identical(c(segments$minimum, segments$maximum), c(1, 3))
})

test_that("saved sessions open again unless they need a password", {
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- unserialize(serialize(open_mef(path), NULL))
    expect_identical(bare(read_mef(s)), bare(x))
    secret <- temp_mef()
    write_small_mef(secret, password = c("one", "two words"))
    opened <- open_mef(secret, "two words")
    bytes <- serialize(opened, NULL)
    expect_length(grepRaw("two words", bytes, fixed = TRUE), 0)
    s <- unserialize(bytes)
    expect_axtile_error(read_mef(s), "argument", "password is not known")
    expect_identical(bare(read_mef(opened)), bare(x))
    shown <- c(format(opened), utils::capture.output(utils::str(opened)))
    expect_false(any(grepl("two words", shown, fixed = TRUE)))
})

test_that("a saved session whose channels changed is refused", {
    path <- temp_mef()
    write_small_mef(path)
    s <- unserialize(serialize(open_mef(path), NULL))
    append_mef(path, list(other = c(1, 2, 3)),
        start = mef_t0, sampling_rate = 10, precision = 1
    )
    expect_axtile_error(read_mef(s), "stale", "other channels")
})

test_that("forked processes read the same session", {
    skip_on_os("windows")
    path <- temp_mef()
    x <- write_small_mef(path)
    s <- open_mef(path)
    read <- parallel::mclapply(1:2, function(channel) {
        as.vector(read_mef(s, channel))
    }, mc.cores = 2)
    expect_identical(read, list(as.vector(x[, 1]), as.vector(x[, 2])))
    expect_identical(bare(read_mef(s)), bare(x))
})

test_that("snapshots are used while nothing changed", {
    path <- temp_mef()
    x <- write_small_mef(path)
    # Of what changed just now there is none: it may change once more in the
    # same tick of the clock.
    age <- function(path) {
        files <- list.files(
            path, recursive = TRUE, full.names = TRUE, include.dirs = TRUE
        )
        Sys.setFileTime(c(files, path), Sys.time() - 3600)
    }
    age(path)
    cache <- withr::local_tempdir()
    expect_identical(bare(read_mef(open_mef(path, cache = cache))), bare(x))
    expect_length(list.files(cache), 1)
    expect_identical(bare(read_mef(open_mef(path, cache = cache))), bare(x))
    append_mef(path, x, start = mef_t0 + 20e6)
    s <- open_mef(path, cache = cache)
    expect_identical(nrow(read_mef(s)), 6000L)
    withr::local_options(axtile.mef_cache = file.path(cache, "other"))
    age(path)
    open_mef(path)
    expect_length(list.files(file.path(cache, "other")), 1)
    secret <- temp_mef()
    write_small_mef(secret, password = c("one", "two"))
    age(secret)
    open_mef(secret, "two")
    expect_length(list.files(file.path(cache, "other")), 1)
})

test_that("what is no session is refused", {
    folder <- withr::local_tempdir()
    expect_axtile_error(open_mef(folder), "argument", "no channel")
    missing <- file.path(folder, "missing.mefd")
    error <- expect_axtile_error(open_mef(missing), "io")
    expect_match(conditionMessage(error), "missing.mefd", fixed = TRUE)
    expect_axtile_error(open_mef(NA_character_), "argument", "path")
    expect_axtile_error(open_mef(5), "argument", "path")
    path <- temp_mef()
    write_small_mef(path)
    expect_axtile_error(open_mef(path, 5), "argument", "`password`")
    error <- expect_axtile_error(open_mef(path, c("a", "b")), "argument")
    expect_false(grepl("\"a\"", conditionMessage(error)))
    expect_axtile_error(open_mef(path, cache = 7), "argument", "cache")
    expect_error(open_mef(path, NULL, 3), class = "rlib_error_dots_nonempty")
    expect_axtile_error(mef_channels(path), "argument", "open_mef")
    s <- open_mef(path)
    expect_axtile_error(mef_channels(s, "E9"), "range", "E9")
    expect_axtile_error(mef_segments(s, 3), "range", "channels")
    expect_axtile_error(mef_blocks(s, TRUE), "range", "logical")
    expect_axtile_error(mef_gaps(s, list()), "argument", "channels")
    expect_axtile_error(mef_blocks(s, character()), "argument", "channels")
    expect_axtile_error(mef_channels(s, FALSE & 1:2), "argument", "channels")
})

test_that("a channel that cannot be read says where", {
    path <- temp_mef()
    write_small_mef(path)
    file <- file.path(path, "E2.timd", "E2-000000.segd", "E2-000000.tmet")
    bytes <- readBin(file, "raw", 16384)
    bytes[[9000]] <- xor(bytes[[9000]], as.raw(0x40))
    writeBin(bytes, file)
    s <- open_mef(path)
    error <- expect_axtile_error(mef_channels(s), "corrupt")
    expect_match(error$path, "E2-000000.tmet", fixed = TRUE)
    # Printing says it and does not fail.
    expect_output(print(s), "E2-000000.tmet", fixed = TRUE)
    expect_identical(dim(read_mef(s, "E1")), c(2000L, 1L))
})
