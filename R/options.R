#' Options of axtile
#'
#' The options that functions of axtile take their defaults from, and their
#' values now. Set them with [options()].
#'
#' \describe{
#'   \item{`axtile.threads`}{Worker threads. Default: 2, or the number of cores
#'     if that is less.}
#'   \item{`axtile.cache_mb`}{Memory for decoded tiles that are kept for later
#'     look-ups, in MB (10^6 bytes). Default: 512.}
#'   \item{`axtile.pool_mb`}{On Linux, memory of large matrices that R has freed
#'     is kept for the next ones, up to this many MB, and R's garbage collector
#'     runs when so much more waits for it, rather than at every allocation.
#'     Reading many tiles one after the other is two to three times faster with
#'     it. Memory that matrices of axtile take is not counted by [gc()]. 0 for
#'     R's own allocation. Default: 1024.}
#'   \item{`axtile.cache_dir`}{Folder for [localize_obs()] and
#'     [materialize_tiles()]. Default, `NULL`: `$DELTACELLS_CACHE`,
#'     `$XDG_CACHE_HOME/deltacells`, or `~/.cache/deltacells`.}
#'   \item{`axtile.daf_cache_mb`}{Memory for results and objects that each DAF
#'     keeps, in MB; see [empty_cache()]. Default: 1024.}
#'   \item{`axtile.kernel_threshold`}{How many values an operation of a query
#'     must look at for more than one thread to work on it. Default: 100,000.}
#'   \item{`axtile.mef_cache`}{Whether, or in which folder, [open_mef()] keeps
#'     snapshots of sessions. Default: `FALSE`.}
#'   \item{`axtile.mef_max_mb`}{How many MB [read_mef()] may read into one
#'     result. Default: 16,000.}
#'   \item{`axtile.progress`}{Progress bars: `TRUE`, `FALSE`, or `NULL`, the
#'     default, for only in an interactive session.}
#' }
#'
#' @returns A named list.
#' @family options
#' @examples
#' axtile_options()
#' old <- options(axtile.threads = 1)
#' axtile_options()$axtile.threads
#' options(old)
#' @export
axtile_options <- function() {
    names <- c(
        "threads", "cache_mb", "pool_mb", "cache_dir", "daf_cache_mb",
        "kernel_threshold", "mef_cache", "mef_max_mb", "progress"
    )
    options <- lapply(names, axtile_option)
    stats::setNames(options, paste0("axtile.", names))
}

axtile_option <- function(name) {
    # Only the default that is needed: that of threads takes time.
    switch(name,
        threads = getOption("axtile.threads", default_threads()),
        cache_mb = getOption("axtile.cache_mb", 512),
        pool_mb = getOption("axtile.pool_mb", 1024),
        daf_cache_mb = getOption("axtile.daf_cache_mb", 1024),
        kernel_threshold = getOption("axtile.kernel_threshold", 1e5),
        mef_cache = getOption("axtile.mef_cache", FALSE),
        mef_max_mb = getOption("axtile.mef_max_mb", 16000),
        getOption(paste0("axtile.", name))
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
