#' Read samples of a MEF session
#'
#' Decodes a window of some channels, in parallel, straight into a matrix. Row
#' `i` is at `from + (i - 1) / sampling_rate`; a stored block takes the rows
#' from the one nearest to its start on (the earlier of two that are as near).
#' Times without samples are `NaN`, in counts `NA`. Where blocks overlap, the
#' later stored one counts.
#'
#' @param x A `mef_session`.
#' @param channels Names or numbers of channels; `NULL` for all.
#' @param from,to Start and end of the window, which has its start and not its
#'   end: POSIXct, or microseconds since 1970 UTC (see [as_uutc()]). `NULL`:
#'   the earliest start, or latest end, of the channels. Several of each, as
#'   many starts as ends, for as many windows.
#' @param ... Must be empty.
#' @param values `"scaled"` for doubles in the channel's unit, `"counts"` for
#'   the integers that are stored.
#' @param times What the attribute `time` holds: `"POSIXct"`, `"uUTC"`
#'   (microseconds since 1970 as doubles), or `"none"` for no such attribute.
#' @param as_list Whether to give a list with one matrix for each channel, which
#'   may then be of different rates.
#' @param lenient Whether to leave the samples of damaged blocks missing, with a
#'   warning, rather than to fail.
#' @param threads Worker threads.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns A matrix of doubles or integers, time x channel, with the channels'
#'   names. Attributes: `time`, the rows' times; `sampling_rate` in Hz;
#'   `start_uutc`, the first row's time in microseconds; `units`, by channel.
#'   For counts also `conversion_factor`: a data frame with the units per count
#'   of each `channel` in each `segment` that the window touches. In counts,
#'   `NA` is the format's own mark of a missing sample: `!is.na(result)` is the
#'   mask of valid ones.
#'
#'   For several windows, a list of these. With `as_list`, each is a list of
#'   matrices with one column, by channel.
#' @section Errors:
#' `axtile_error_range` for no such channel, `axtile_error_argument` for a
#' window that ends before it starts and for channels of different rates in one
#' matrix, `axtile_error_unsupported` for a channel whose segments have
#' different rates in the window, `axtile_error_limit` for a window that R has
#' no room for or that is larger than the option `axtile.mef_max_mb` allows
#' (see [axtile_options()]), `axtile_error_corrupt` for a damaged block unless
#' `lenient`, `axtile_error_io`.
#' @section Warnings:
#' `axtile_warning_damaged` for blocks that were passed over, and for segments
#' without a conversion factor, of which counts are read as they are; its field
#' `notices` is a data frame of them.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(synthetic_eeg(4, 20), path, precision = 3))
#' s <- open_mef(path)
#' t0 <- mef_channels(s)$start[1]
#' x <- read_mef(s, c("E1", "E3"), from = t0 + 5, to = t0 + 10)
#' dim(x)
#' x[1:3, ]
#' attr(x, "time")[1:3]
#' counts <- read_mef(s, "E1", values = "counts", times = "none")
#' str(counts)
#' windows <- read_mef(s, from = t0 + c(0, 10), to = t0 + c(1, 11))
#' length(windows)
#' @export
read_mef <- function(x, channels = NULL, from = NULL, to = NULL, ...,
                     values = c("scaled", "counts"),
                     times = c("POSIXct", "uUTC", "none"), as_list = FALSE,
                     lenient = FALSE, threads = axtile_option("threads"),
                     progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    check_mef(x)
    channels <- check_channels(channels, x)
    windows <- check_windows(from, to, call)
    times <- rlang::arg_match(times)
    options <- list(
        counts = rlang::arg_match(values) == "counts",
        lenient = check_flag(lenient),
        with_times = times != "none", seconds = times == "POSIXct",
        max_bytes = megabytes("mef_max_mb") * 1e6,
        threads = check_count(threads, max = 1024),
        pointer = mef_pointer(x)
    )
    as_list <- check_flag(as_list)
    progress <- check_progress(progress)
    infos <- mef_channels(x, channels)
    if (!as_list) {
        check_one_rate(infos, call)
    }
    read_window <- function(window) {
        if (!as_list) {
            return(read_samples(
                infos, channels, window, options, progress, call
            ))
        }
        each <- lapply(seq_along(channels), function(at) {
            read_samples(
                infos[at, ], channels[at], window, options, progress, call
            )
        })
        stats::setNames(each, infos$name)
    }
    if (length(windows) == 1L) {
        return(read_window(windows[[1L]]))
    }
    lapply(windows, read_window)
}

# A list of windows, each a list of `from` and `to` in uUTC or NULL.
check_windows <- function(from, to, call) {
    several <- function(times, arg) {
        if (is.null(times)) {
            return(NULL)
        }
        uutc <- check_times(times, arg, call)
        if (anyNA(uutc) || length(uutc) == 0L) {
            abort_argument(arg, "times without NA, or NULL", times, call)
        }
        uutc
    }
    from <- several(from, "from")
    to <- several(to, "to")
    n <- max(1L, length(from), length(to))
    if (n > 1L && length(from) != length(to)) {
        axtile_abort("argument", paste0(
            "`from` and `to` must have as many times; they have ",
            length(from), " and ", length(to), "."
        ), call = call)
    }
    lapply(seq_len(n), function(at) list(from = from[at], to = to[at]))
}

check_one_rate <- function(infos, call) {
    other <- which(infos$sampling_rate != infos$sampling_rate[[1L]])
    if (length(other)) {
        of <- function(at) {
            paste0(
                "'", infos$name[[at]], "' ", format(
                    infos$sampling_rate[[at]], digits = 15
                ), " Hz"
            )
        }
        axtile_abort("argument", paste0(
            "The channels have different sampling rates, ", of(1L), " and ",
            of(other[[1L]]), ": read those of one rate at a time, or with ",
            "`as_list = TRUE`."
        ), call = call)
    }
}

read_samples <- function(infos, channels, window, options, progress, call) {
    window <- lapply(window, function(time) if (length(time)) time)
    total <- NULL
    if (progress) {
        from <- c(window$from, min(infos$start_uutc))[[1L]]
        to <- c(window$to, max(infos$end_uutc))[[1L]]
        total <- max(1, sum((to - from) / 1e6 * infos$sampling_rate))
    }
    reporter <- progress_reporter("Reading", total, progress)
    read <- rust(rs_mef_read(c(list(
        channels = channels, names = infos$name,
        dimnames = list(NULL, infos$name),
        units = stats::setNames(infos$units, infos$name), progress = reporter
    ), window, options)), call = call)
    warn_of_notices(read$notices, "block", call)
    read$samples
}
