# Files that are too large for the package live in a folder "shared" beside
# the repository, or where AXTILE_SHARED says. Tests skip when it is absent.

shared_dir <- function() {
    dir <- Sys.getenv("AXTILE_SHARED")
    if (nzchar(dir)) {
        return(if (dir.exists(dir)) normalizePath(dir))
    }
    at <- normalizePath(".")
    repeat {
        dir <- file.path(at, "shared")
        if (dir.exists(file.path(dir, "fixtures"))) {
            return(dir)
        }
        if (dirname(at) == at) {
            return(NULL)
        }
        at <- dirname(at)
    }
}

# The path of a shared file or folder; skips the test if it is not there.
shared_path <- function(...) {
    dir <- shared_dir()
    testthat::skip_if(is.null(dir), "no shared folder")
    path <- file.path(dir, ...)
    testthat::skip_if_not(file.exists(path), paste("no", file.path(...)))
    path
}
