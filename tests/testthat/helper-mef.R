# Sessions of MEF 3.0 and what is expected of them.

temp_mef <- function(env = parent.frame()) {
    path <- tempfile("session", fileext = ".mefd")
    withr::defer(unlink(c(path, paste0(path, c(
        ".tar", ".axtile-backup-1", ".axtile-backup-2"
    ))), recursive = TRUE), envir = env)
    path
}

mef_t0 <- 1577836800000000

# A small session, closed. Returns what was written.
write_small_mef <- function(path, ..., n = 2000, rate = 200, seed = 1) {
    x <- small_eeg(n, rate, seed)
    close(write_mef(x, path, precision = 3, ...))
    x
}

# Two channels of whole counts of a thousandth, as they are read back.
small_eeg <- function(n = 2000, rate = 200, seed = 1) {
    x <- synthetic_eeg(2, n / rate, rate, seed)
    x[] <- round(1000 * x) * 0.001
    attr(x, "start_uutc") <- mef_t0
    x
}

# Numbers alone.
bare <- function(x) unname(matrix(as.vector(x), nrow(x)))

mef_fixture <- function(name) {
    testthat::skip_if_not_installed("jsonlite")
    folder <- shared_path("fixtures", "mef3", name)
    case <- jsonlite::read_json(file.path(folder, "case.json"))
    password <- c(case$password2, case$password1)
    password <- password[nzchar(password)]
    list(
        name = name, folder = folder, path = file.path(folder, "s.mefd"),
        case = case, password = if (length(password)) password[[1L]]
    )
}

mef_fixture_names <- function(damaged = FALSE) {
    names <- list.dirs(
        shared_path("fixtures", "mef3"), full.names = FALSE, recursive = FALSE
    )
    is_damaged <- startsWith(names, "dmg_")
    names[is_damaged == damaged]
}

# The copy of a fixture that a test may change.
copy_fixture <- function(fixture, env = parent.frame()) {
    folder <- withr::local_tempdir(.local_envir = env)
    file.copy(fixture$path, folder, recursive = TRUE)
    file.path(folder, "s.mefd")
}

# One-dimensional arrays of numpy's, version 1.
read_npy <- function(path) {
    file <- file(path, "rb")
    on.exit(close(file))
    readBin(file, "raw", 8)
    n <- readBin(file, "integer", 1, 2, signed = FALSE, endian = "little")
    header <- rawToChar(readBin(file, "raw", n))
    n <- as.integer(sub(".*\\((\\d+),\\).*", "\\1", header))
    if (grepl("<i4", header, fixed = TRUE)) {
        readBin(file, "integer", n, 4, endian = "little")
    } else {
        readBin(file, "double", n, 8, endian = "little")
    }
}

fixture_file <- function(fixture, channel, what) {
    stem <- fixture$case$channels[[channel]]$file_stem
    file.path(fixture$folder, "expected", paste0(stem, ".", what))
}

# What `code` gives, with the warnings of a kind that it gave.
with_warnings <- function(code, kind) {
    warnings <- list()
    value <- withCallingHandlers(code, warning = function(w) {
        if (inherits(w, paste0("axtile_warning_", kind))) {
            warnings[[length(warnings) + 1L]] <<- w
            rlang::cnd_muffle(w)
        }
    })
    list(value = value, warnings = warnings)
}
