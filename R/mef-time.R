#' Times of recordings
#'
#' MEF counts time in whole microseconds since 1970-01-01 00:00 UTC, which it
#' calls *uUTC*. R has them exactly as doubles until the year 2255. A POSIXct
#' of our days is a double of seconds and as such right to a quarter of a
#' microsecond: both functions take each other's results back without loss.
#'
#' @param x `as_uutc()`: POSIXct, POSIXlt, Date, or numbers that are uUTC
#'   already, which are rounded to whole ones. `from_uutc()`: numbers.
#' @returns `as_uutc()`: a double vector of uUTC. `from_uutc()`: a POSIXct
#'   vector in UTC.
#' @section Errors:
#' `axtile_error_argument` for what is no time, `axtile_error_range` for times
#' beyond 2^53 microseconds.
#' @family mef
#' @examples
#' t <- as_uutc(as.POSIXct("2020-01-01 12:00:00", tz = "UTC"))
#' sprintf("%.0f", t)
#' from_uutc(t + 1500000)
#' @export
as_uutc <- function(x) {
    check_times(x)
}

#' @rdname as_uutc
#' @export
from_uutc <- function(x) {
    if (!is.numeric(x)) {
        abort_argument("x", "numbers of microseconds", x, rlang::current_env())
    }
    posixct(check_times(x))
}

# uUTC of times that users give.
check_times <- function(x, arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
    if (inherits(x, "integer64")) {
        # Its doubles are not what they say.
        rlang::check_installed("bit64", call = call)
        x <- bit64::as.double.integer64(x)
    }
    if (inherits(x, "POSIXlt") || inherits(x, "Date")) {
        x <- as.POSIXct(x)
    }
    is_posix <- inherits(x, "POSIXct")
    if (!is_posix && (!is.numeric(x) || is.object(x))) {
        abort_argument(
            arg, "a time: POSIXct, or microseconds since 1970 UTC", x, call
        )
    }
    uutc <- round(as.double(x) * if (is_posix) 1e6 else 1)
    wrong <- which(!is.na(uutc) & abs(uutc) > 2^53)
    if (length(wrong)) {
        axtile_abort("range", paste0(
            "`", arg, "` must be a time within 2^53 microseconds of 1970; ",
            "element ", wrong[[1L]], " is ", format(x[[wrong[[1L]]]]), "."
        ), call = call)
    }
    uutc
}

# A single time, or NULL.
check_time <- function(x, ..., null = FALSE, arg = rlang::caller_arg(x),
                       call = rlang::caller_env()) {
    if (null && is.null(x)) {
        return(NULL)
    }
    uutc <- check_times(x, arg, call)
    if (length(uutc) != 1L || is.na(uutc)) {
        abort_argument(arg, "a single time", x, call)
    }
    uutc
}

posixct <- function(uutc) {
    structure(uutc / 1e6, class = c("POSIXct", "POSIXt"), tzone = "UTC")
}

# "1 h 30 min" of microseconds.
format_duration <- function(microseconds) {
    seconds <- microseconds / 1e6
    if (is.na(seconds)) {
        return("unknown duration")
    }
    sizes <- c(d = 86400, h = 3600, min = 60, s = 1)
    if (seconds < 60) {
        return(paste(format(seconds, digits = 4), "s"))
    }
    counts <- numeric()
    for (unit in names(sizes)) {
        counts[[unit]] <- seconds %/% sizes[[unit]]
        seconds <- seconds %% sizes[[unit]]
    }
    counts <- utils::head(counts[counts > 0], 2L)
    paste(format(counts, trim = TRUE), names(counts), collapse = " ")
}
