test_that("records come back sorted by time", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    written <- data.frame(
        time = mef_t0 + c(3e6, 1e6, 2e6, 4e6),
        type = c("Note", "EDFA", "SyLg", "EDFA"),
        text = c("třetí 🙂", "first", "", "whole segment"),
        duration = c(NA, 0.25, NA, NA),
        channel = c(NA, "E1", "E1", "E2"), segment = c(NA, NA, NA, 0)
    )
    expect_identical(write_mef_records(w, written), w)
    write_mef_records(w, data.frame(
        time = from_uutc(mef_t0 + 5e5), type = factor("Note"), text = "later"
    ), durability = "fast")
    write_mef_records(w, written[0, ])
    close(w)
    records <- mef_records(open_mef(path))
    expect_identical(records$time_uutc, mef_t0 + c(0.5, 1, 2, 3, 4) * 1e6)
    expect_identical(records$time, from_uutc(records$time_uutc))
    expect_identical(
        records$text, c("later", "first", "", "třetí 🙂", "whole segment")
    )
    expect_identical(records$duration, c(NA, 0.25, NA, NA, 0))
    expect_identical(records$channel, c(NA, "E1", "E1", NA, "E2"))
    expect_identical(records$segment, c(NA, NA, NA, NA, 0))
    expect_identical(nrow(validate_mef(path)), 0L)
    s <- open_mef(path)
    expect_identical(nrow(mef_records(s, types = "EDFA")), 2L)
    expect_identical(nrow(mef_records(s, types = c("Epoc", "Curs"))), 0L)
    again <- temp_mef()
    write_small_mef(again)
    write_mef_records(again, records)
    expect_identical(mef_records(open_mef(again)), records)
})

test_that("a session without records has none", {
    path <- temp_mef()
    write_small_mef(path)
    records <- mef_records(open_mef(path))
    expect_identical(nrow(records), 0L)
    expect_s3_class(records$time, "POSIXct")
    expect_type(records$fields, "list")
})

test_that("records that cannot be stored are refused", {
    path <- temp_mef()
    write_small_mef(path)
    files <- list.files(path, recursive = TRUE)
    w <- mef_writer(path)
    refused <- function(regexp, ...) {
        records <- list(time = mef_t0, type = "Note", ...)
        expect_axtile_error(
            write_mef_records(w, list2DF(utils::modifyList(
                records, list(...)
            ))), "argument", regexp
        )
    }
    expect_axtile_error(write_mef_records(w, 5), "argument", "data frame")
    refused("fields", type = "Epoc")
    refused("fields", type = "Epoc", fields = list(5))
    refused("'id'", type = "Epoc", fields = list(list(start = 1)))
    refused("'body'", type = "XxXx", fields = list(list(body = "a")))
    refused("four", type = "Notes", fields = list(list(body = as.raw(1))))
    refused("row 1", type = NA_character_)
    refused("row 1", time = NA_real_)
    refused("time", time = "now")
    refused("1970|time", time = -5)
    refused("E9", channel = "E9")
    refused("segment", channel = "E1", segment = 7)
    refused("channel", segment = 0)
    refused("segment", channel = "E1", segment = 0.5)
    refused("name", channel = "a/b")
    refused("duration", duration = -1)
    refused("text", text = 5)
    refused("colour", colour = "red")
    long <- list(
        id = 1, start = mef_t0, end = mef_t0, duration = 0,
        type = strrep("x", 40), text = "a"
    )
    refused("31 bytes", type = "Epoc", fields = list(long))
    expect_axtile_error(
        write_mef_records(w, data.frame(type = "Note")), "argument", "time"
    )
    close(w)
    expect_identical(list.files(path, recursive = TRUE), files)
})

test_that("damaged records are refused, or left out with a warning", {
    path <- temp_mef()
    write_small_mef(path)
    write_mef_records(path, data.frame(
        time = mef_t0 + 1:3, type = "Note", text = c("one", "two", "three")
    ))
    file <- list.files(path, "rdat$", full.names = TRUE)
    bytes <- readBin(file, "raw", file.size(file))
    at <- grepRaw("two", bytes, fixed = TRUE)
    bytes[[at]] <- as.raw(0)
    writeBin(bytes, file)
    s <- open_mef(path)
    error <- expect_axtile_error(mef_records(s), "corrupt")
    expect_identical(basename(error$path), basename(file))
    read <- with_warnings(mef_records(s, lenient = TRUE), "damaged")
    expect_identical(read$value$text, c("one", "three"))
    expect_length(read$warnings, 1)
    expect_true(any(validate_mef(path)$severity == "error"))
})

test_that("times that no double holds are refused, or left out", {
    path <- temp_mef()
    write_small_mef(path)
    write_mef_records(path, data.frame(
        time = mef_t0 + 1:2, type = c("Note", "SyLg"), text = c("one", "two"),
        channel = "E1"
    ))
    file <- file.path(path, "E1.timd", "E1.rdat")
    bytes <- readBin(file, "raw", file.size(file))
    start <- grepRaw("SyLg", bytes, fixed = TRUE) - 4L
    # A checksum of zero was never computed.
    bytes[start + 0:3] <- as.raw(0)
    bytes[start + 16:23] <- as.raw(c(1, 0, 0, 0, 0, 0, 0, 0x70))
    writeBin(bytes, file)
    s <- open_mef(path)
    expect_axtile_error(mef_records(s), "range", "'SyLg' of channel 'E1'")
    read <- with_warnings(mef_records(s, lenient = TRUE), "damaged")
    expect_identical(read$value$text, "one")
    expect_identical(read$warnings[[1L]]$notices$channel, "E1")
})
