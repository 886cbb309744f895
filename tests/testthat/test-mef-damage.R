# Whatever a session's bytes are, functions give a result or an error of axtile
# that says where, and R goes on.

use_all <- function(path, password) {
    kinds <- character()
    attempt <- function(code) {
        tryCatch(
            suppressWarnings(code),
            axtile_error = function(e) {
                kinds[[length(kinds) + 1L]] <<- class(e)[[1L]]
            }
        )
    }
    attempt({
        s <- open_mef(path, password)
        attempt(format(s))
        attempt(read_mef(s))
        attempt(read_mef(s, lenient = TRUE, values = "counts"))
        attempt(mef_segments(s))
        attempt(mef_blocks(s))
        attempt(mef_gaps(s))
        attempt(mef_records(s))
        attempt(mef_records(s, lenient = TRUE))
        attempt(mef_daf(s))
    })
    attempt(validate_mef(path, password))
    attempt(recover_mef(path, password))
    kinds
}

test_that("damaged sessions give results or errors with a place", {
    withr::local_options(axtile.mef_max_mb = 100)
    set.seed(11)
    n_refused <- 0
    for (password in list(NULL, c("one", "two"))) {
        path <- temp_mef()
        x <- write_small_mef(path, n = 400, password = password)
        write_mef_records(path, data.frame(
            time = mef_t0 + 1:3, type = c("Note", "EDFA", "SyLg"), text = "x"
        ), password = password[2L])
        files <- list.files(path, recursive = TRUE)
        files <- files[!grepl("E2", files, fixed = TRUE)]
        for (file in file.path(path, files)) {
            bytes <- readBin(file, "raw", file.size(file))
            # Headers are short: half of the damage is there.
            for (k in 1:24) {
                damaged <- bytes
                if (k %% 6 == 0) {
                    damaged <- utils::head(
                        damaged, sample(length(bytes), 1L) - 1L
                    )
                } else {
                    n <- if (k %% 2) length(bytes) else min(1400, length(bytes))
                    at <- sample(n, sample(1:4, 1L))
                    damaged[at] <- as.raw(sample(
                        c(0:255, 0, 127, 128, 255), length(at)
                    ))
                }
                writeBin(damaged, file)
                kinds <- use_all(path, password[2L])
                n_refused <- n_refused + (length(kinds) > 0)
                expect_false("axtile_error_internal" %in% kinds, info = file)
            }
            writeBin(bytes, file)
        }
        s <- open_mef(path, password[2L])
        expect_identical(bare(read_mef(s)), bare(x))
    }
    expect_gt(n_refused, 50)
})

test_that("missing and strange files are told", {
    path <- temp_mef()
    x <- write_small_mef(path)
    dir.create(file.path(path, "V.vidd"))
    dir.create(file.path(path, "E1.timd", "stranger.segd"))
    writeLines("?", file.path(path, "notes.txt"))
    s <- open_mef(path)
    expect_identical(nrow(s$skipped), 2L)
    expect_output(print(s), "2 parts not read")
    expect_identical(bare(read_mef(s)), bare(x))
    expect_true("files.skipped" %in% validate_mef(path)$check)
    unlink(file.path(path, "E1.timd"), recursive = TRUE)
    # An open session's files are gone.
    expect_axtile_error(read_mef(s, lenient = TRUE), "io", "E1")
    expect_identical(open_mef(path)$channels, "E2")
})
