cut_file <- function(path, n) {
    bytes <- readBin(path, "raw", file.size(path))
    writeBin(utils::head(bytes, n), path)
}

find_file <- function(path, ending) {
    files <- list.files(
        path, paste0("E1.*", ending, "$"), recursive = TRUE, full.names = TRUE
    )
    files[[1L]]
}

test_that("whole sessions have no findings", {
    path <- temp_mef()
    x <- write_small_mef(path)
    found <- validate_mef(path)
    expect_s3_class(found, c("mef_validation", "data.frame"), exact = TRUE)
    expect_identical(nrow(found), 0L)
    expect_identical(names(found), c(
        "severity", "check", "channel", "segment", "entry", "path", "problem"
    ))
    expect_output(expect_identical(print(found), found), "nothing is wrong")
    expect_identical(nrow(validate_mef(open_mef(path))), 0L)
    expect_identical(nrow(validate_mef(archive_mef(path))), 0L)
    report <- recover_mef(path)
    expect_identical(nrow(report), 0L)
    expect_output(print(report), "all is in order")
    expect_null(attr(report, "backup"))
})

test_that("a zeroed end is found and cut off", {
    path <- temp_mef()
    x <- write_small_mef(path, n = 6000)
    data <- find_file(path, "tdat")
    bytes <- readBin(data, "raw", file.size(data))
    last <- utils::tail(mef_blocks(open_mef(path), 1), 1L)
    bytes[(last$offset + 1):length(bytes)] <- as.raw(0)
    writeBin(bytes, data)
    found <- validate_mef(path)
    expect_true(any(found$severity == "error"))
    expect_identical(unique(found$channel[found$severity == "error"]), "E1")
    expect_output(print(found), "[0-9] errors?.*E1-000000")
    expect_identical(nrow(validate_mef(path, blocks = FALSE)), 0L)
    plan <- recover_mef(path)
    expect_output(print(plan), "apply = TRUE")
    expect_false(attr(plan, "applied"))
    done <- recover_mef(path, apply = TRUE)
    expect_true(attr(done, "applied"))
    expect_output(print(done), "replaced files are in")
    expect_identical(nrow(validate_mef(path)), 0L)
    got <- read_mef(open_mef(path))
    expect_identical(bare(got)[1:4000, ], bare(x)[1:4000, ])
    expect_true(all(is.nan(got[4001:6000, 1])))
    expect_identical(as.vector(got[, 2]), as.vector(x[, 2]))
    # What was there is kept.
    kept <- list.files(attr(done, "backup"), "tdat", recursive = TRUE)
    expect_gt(length(kept), 0)
})

test_that("samples survive the loss of any file but the data", {
    for (ending in c("tidx", "rdat", "ridx")) {
        path <- temp_mef()
        x <- write_small_mef(path, n = 6000)
        write_mef_records(path, data.frame(
            time = mef_t0 + 1:2, type = "Note", text = c("a", "b"),
            channel = "E1"
        ))
        if (ending == "rdat") {
            cut_file(find_file(path, ending), 1024 + 50)
        } else {
            unlink(find_file(path, ending))
        }
        expect_true(any(validate_mef(path)$severity == "error"), info = ending)
        recover_mef(path, apply = TRUE)
        found <- validate_mef(path)
        expect_false(any(found$severity == "error"), info = ending)
        s <- open_mef(path)
        expect_identical(bare(read_mef(s)), bare(x))
        expect_identical(mef_records(s)$text[[1L]], "a")
    }
})

test_that("sessions with passwords are checked with them", {
    path <- temp_mef()
    write_small_mef(path, password = c("one", "two"))
    expect_identical(nrow(validate_mef(path, "two")), 0L)
    expect_identical(nrow(validate_mef(open_mef(path, "two"))), 0L)
    unlink(find_file(path, "tidx"))
    done <- recover_mef(path, "two", apply = TRUE)
    expect_identical(done$n_recovered, 1)
    expect_identical(nrow(validate_mef(path, "two")), 0L)
    expect_axtile_error(validate_mef(path, "three"), "argument", "password")
})

test_that("parts of reports are data frames", {
    path <- temp_mef()
    write_small_mef(path)
    unlink(find_file(path, "tidx"))
    found <- validate_mef(path)
    expect_output(print(found[, c("check", "problem")]), "files.missing")
    expect_output(print(found[found$severity == "info", ]), "nothing|info")
    plan <- recover_mef(path)
    expect_output(print(plan["action"]), "action")
})

test_that("what cannot be checked is refused", {
    path <- temp_mef()
    x <- write_small_mef(path)
    expect_axtile_error(validate_mef(tempfile()), "io")
    expect_axtile_error(validate_mef(7), "argument", "`x`")
    expect_axtile_error(validate_mef(path, blocks = 2), "argument", "blocks")
    s <- open_mef(path)
    expect_axtile_error(validate_mef(s, "a"), "argument", "password")
    expect_axtile_error(recover_mef(path, apply = NA), "argument", "apply")
    tar <- archive_mef(path)
    expect_axtile_error(recover_mef(tar), "unsupported", "extract")
    expect_error(
        validate_mef(path, NULL, FALSE), class = "rlib_error_dots_nonempty"
    )
})
