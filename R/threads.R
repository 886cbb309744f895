#' Number of threads
#'
#' `set_num_threads()` sets the option `axtile.threads` of [axtile_options()],
#' `get_num_threads()` gives it. Results do not depend on it.
#'
#' @param n The number of threads, at least 1.
#' @returns `set_num_threads()`: the number before, invisibly.
#'   `get_num_threads()`: the number.
#' @section Errors:
#' `axtile_error_argument` for what is no such number.
#' @family options
#' @examples
#' old <- set_num_threads(1)
#' get_num_threads()
#' set_num_threads(old)
#' @export
set_num_threads <- function(n) {
    n <- as.integer(check_count(n, max = 1024))
    old <- get_num_threads()
    options(axtile.threads = n)
    invisible(old)
}

#' @rdname set_num_threads
#' @export
get_num_threads <- function() axtile_option("threads")

# The number of threads of functions that have no argument for it.
option_threads <- function(call = rlang::caller_env()) {
    check_count(
        axtile_option("threads"), arg = "options(axtile.threads)", max = 1024,
        call = call
    )
}
