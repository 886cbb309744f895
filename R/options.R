#' Options of axtile
#'
#' The options that functions of axtile take their defaults from, and their
#' values now. Set them with [options()].
#'
#' | option | default | meaning |
#' |---|---|---|
#' | `axtile.threads` | 2, or the number of cores if that is less | worker threads |
#' | `axtile.cache_mb` | 512 | memory for decoded tiles that are kept for later look-ups, in MB (10^6 bytes) |
#' | `axtile.cache_dir` | `NULL` | folder for [localize_obs()]; `NULL` for `$DELTACELLS_CACHE`, `$XDG_CACHE_HOME/deltacells` or `~/.cache/deltacells` |
#' | `axtile.progress` | `NULL` | progress bars: `TRUE`, `FALSE`, or `NULL` for only in an interactive session |
#'
#' @returns A named list.
#' @examples
#' axtile_options()
#' old <- options(axtile.threads = 1)
#' axtile_options()$axtile.threads
#' options(old)
#' @export
axtile_options <- function() {
    list(
        axtile.threads = getOption("axtile.threads", default_threads()),
        axtile.cache_mb = getOption("axtile.cache_mb", 512),
        axtile.cache_dir = getOption("axtile.cache_dir"),
        axtile.progress = getOption("axtile.progress")
    )
}

# Counting cores starts a process on some systems: once a session is enough.
session <- new.env(parent = emptyenv())

default_threads <- function() {
    if (is.null(session$threads)) {
        cores <- parallel::detectCores()
        session$threads <- min(2L, cores, na.rm = TRUE)
    }
    session$threads
}

axtile_option <- function(name) {
    axtile_options()[[paste0("axtile.", name)]]
}
