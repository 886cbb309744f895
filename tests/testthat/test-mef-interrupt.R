# Work that goes on for long enough is stopped by the user and by progress
# functions, and leaves nothing behind.

test_that("an interrupt stops reading and writing", {
    skip_on_os("windows")
    skip_on_cran()
    folder <- withr::local_tempdir()
    path <- file.path(folder, "x.mefd")
    result <- file.path(folder, "result")
    script <- file.path(folder, "script.R")
    writeLines(c(
        paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")"),
        "library(axtile)",
        paste0("path <- ", deparse(path)),
        "x <- matrix(rnorm(1e6), 1.2e7, 2, dimnames = list(NULL, c('a', 'b')))",
        "outcome <- function(code) {",
        "    tryCatch({code; done <<- TRUE; Sys.sleep(5); 'missed'},",
        "        interrupt = function(e) if (done) 'done' else 'interrupted')",
        "}",
        # A signal to itself, which comes while the Rust library works.
        "later <- function() system(paste0(",
        "    '(sleep 0.1; kill -INT ', Sys.getpid(), ') &'",
        "))",
        "write <- function() write_mef(",
        "    x, path, sampling_rate = 1000, start = 1.7e15, precision = 8,",
        "    threads = 1, overwrite = TRUE",
        ")",
        "done <- FALSE",
        "later()",
        "first <- outcome(write())",
        "left <- file.exists(path)",
        "close(write())",
        "s <- open_mef(path)",
        "done <- FALSE",
        # Wherever in a call it comes, it is not lost.
        "second <- unique(vapply(1:8, function(k) {",
        "    later()",
        "    outcome(for (k in 1:50) read_mef(s, threads = 1))",
        "}, ''))",
        "whole <- identical(dim(read_mef(s)), dim(x))",
        paste0("result <- ", deparse(result)),
        "writeLines(c(first, left, second, whole), result)"
    ), script)
    # With job control: a background process would ignore the signal.
    system2("bash", c("-mc", shQuote(paste(
        shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script)
    ))), stdout = FALSE, stderr = FALSE)
    got <- readLines(result)
    skip_if(got[[1L]] == "done", "the signal was not delivered in time")
    expect_identical(got, c("interrupted", "FALSE", "interrupted", "TRUE"))
    expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), c(
        "x.mefd", "result", "script.R"
    ))
})

test_that("a progress function is told of the samples and can stop", {
    path <- temp_mef()
    n <- 1e7
    x <- matrix(
        round(stats::rnorm(1e6) * 1e6), n, 1, dimnames = list(NULL, "a")
    )
    samples <- mef_samples(x, rlang::current_env())
    arguments <- c(samples_for_rust(
        with_rates(samples, 1000, NULL, rlang::current_env()), mef_t0, 0, NULL,
        NULL, rlang::current_env()
    ), list(
        description = NULL, subject = NULL, path = path, passwords = NULL,
        overwrite = FALSE, new_segment = FALSE, durability = "full",
        threads = 1, progress = function(done) FALSE
    ))
    stopped <- rs_mef_create(arguments)
    # On a fast machine there may be nothing left to stop.
    skip_if(typeof(stopped) == "externalptr", "it was done before")
    expect_identical(stopped$kind, "interrupt")
    expect_false(file.exists(path))
    seen <- numeric()
    arguments$progress <- function(done) {
        seen <<- c(seen, done)
        TRUE
    }
    rs_mef_close(list(pointer = rs_mef_create(arguments)))
    expect_true(all(seen >= 0 & seen <= n))
    expect_false(is.unsorted(seen))
    s <- open_mef(path)
    again <- read_mef(s, progress = TRUE)
    expect_identical(as.vector(again), as.vector(x))
})

test_that("a progress function cannot use the writer that calls it", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    n <- 1e7
    counts <- list(E1 = rep(as.integer(stats::rnorm(1e6) * 1e6), 10))
    samples <- mef_samples(counts, rlang::current_env())
    arguments <- c(samples_for_rust(
        with_rates(samples, 200, NULL, rlang::current_env()), mef_t0 + 2e7,
        "automatic", 0.001, NULL, rlang::current_env()
    ), list(
        description = NULL, pointer = w$pointer, new_segment = FALSE,
        durability = "full", threads = 1
    ))
    refused <- NULL
    arguments$progress <- function(done) {
        refused <<- rs_mef_flush(list(pointer = w$pointer))
        TRUE
    }
    rust(rs_mef_write(arguments))
    close(w)
    skip_if(is.null(refused), "it was done before")
    expect_match(refused$message, "writing already")
    expect_identical(mef_channels(open_mef(path))$n_samples[[1L]], n + 2000)
})
