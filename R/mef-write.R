#' Write MEF 3.0 sessions
#'
#' `write_mef()` makes a session of samples, which mef3io, pymef and mef_tools
#' read as well, and `append_mef()` adds to one. `mef_writer()` opens a session
#' that exists, to append to it several times; one call of `append_mef()` or
#' [write_mef_records()] can take its path instead.
#'
#' All of a call is checked and encoded before any file is touched: what is
#' refused changes nothing. A new session, and a new segment, appears whole. An
#' append costs the same however long the recording is, and a power cut can
#' damage nothing but the append in flight, which [recover_mef()] brings in
#' order. While a writer is open, no other can write to the session; any number
#' of processes can read it.
#'
#' @param x The samples: a matrix of doubles or integers, time x channel, with
#'   the channels' names as column names; or a list of vectors (or matrices of
#'   one column, or a data frame), by channel, which may be of different lengths
#'   and rates. What [read_mef()] gives can be written as it is. Doubles are in
#'   the channel's unit, integers are counts. `NA` and `NaN` are gaps, which are
#'   not stored.
#' @param path The session's folder, `NAME.mefd`.
#' @param ... Must be empty.
#' @param sampling_rate Samples per second, one for all channels or one for
#'   each. Default: the attribute of `x` of that name; when appending, that of
#'   the channel.
#' @param start The first sample's time, one for all channels or one for each:
#'   POSIXct, or microseconds since 1970 UTC (see [as_uutc()]). After 1970.
#'   Default: the attribute `start_uutc` of `x`.
#' @param units The unit, as `"uV"`: one for all channels or one for each. That
#'   of a channel that exists must be the same. Default: the attribute of `x` of
#'   that name; else none for new channels.
#' @param precision How doubles become counts. A number: so many decimals, 0 to
#'   9. `"automatic"`: so many that a typical step between neighbours is 1000
#'   counts or more, if they fit in 32 bits; in a channel that exists, those
#'   that it has. `"step"`: the amplifier's own step, where all samples are
#'   multiples of one number, which takes the least space.
#' @param conversion_factor Units per count of integer samples, one for all
#'   channels or one for each. Default: that of the attribute of `x`, that of
#'   the channel when appending, or 1.
#' @param password Passwords of a new session, of level 1 and 2; to open one,
#'   that of level 2. They are kept in the memory of the process, not in R's
#'   objects.
#' @param metadata Further metadata of new channels, a list, each element with
#'   one value for all channels or one for each: `channel_description`,
#'   `session_description`, `reference_description`, `acquisition_channel`,
#'   `high_pass`, `low_pass`, `notch` and `line_frequency` in Hz.
#' @param subject The subject of a new session, a list: `subject_name_1`,
#'   `subject_name_2`, `subject_id`, `recording_location`, `gmt_offset` in
#'   seconds, `recording_time_offset` in microseconds.
#' @param overwrite Whether to replace a session that has the name, once the new
#'   one is whole.
#' @param w A `mef_writer`, or the path of a session that exists.
#' @param con A `mef_writer`.
#' @param new_segment Whether to start a new segment even where the last one
#'   could be extended.
#' @param durability `"full"`: all is on the disk when the call returns.
#'   `"fast"`: when `flush()` or `close()` returns, which is faster for many
#'   appends one after the other.
#' @param threads Worker threads.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns `write_mef()` and `mef_writer()`: a `mef_writer`, which can be
#'   written to until `close()`. `append_mef()` and `flush()`: `w`, invisibly.
#'   `close()`: the session's path, invisibly. A writer that is not closed is
#'   when R ends or collects it; only `close()` tells of an error then.
#' @section Errors:
#' `axtile_error_argument` for names, rates, factors, precisions and times that
#' do not fit the format or what is there, for a session that another writer has
#' open, and where `overwrite` would replace what is no session,
#' `axtile_error_range` for a sample that cannot be stored (its message has the
#' channel and the sample's number from 0), `axtile_error_exists` if something
#' is at `path`, `axtile_error_corrupt` for a session that needs
#' [recover_mef()], `axtile_error_stale` if its files changed meanwhile,
#' `axtile_error_unsupported` for an archive, `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(2, 10, 256)
#' t0 <- as.POSIXct("2024-05-01 10:00:00", tz = "UTC")
#' w <- write_mef(x, path,
#'     sampling_rate = 256, start = t0, units = "uV", precision = 3,
#'     password = c("level one", "level two")
#' )
#' append_mef(w, synthetic_eeg(2, 10, 256, seed = 2), start = t0 + 20)
#' close(w)
#' s <- open_mef(path, "level two")
#' mef_gaps(s)
#' range(read_mef(s)[1:2560, ] - x)
#'
#' counts <- list(a = 1:1000, b = 1:500)
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(counts, path,
#'     sampling_rate = c(1000, 500), start = t0, conversion_factor = 0.5
#' ))
#' append_mef(path, list(a = 1:1000), start = t0 + 1)
#' mef_channels(open_mef(path))
#' @export
write_mef <- function(x, path, ..., sampling_rate = NULL, start = NULL,
                      units = NULL, precision = "automatic",
                      conversion_factor = NULL, password = NULL,
                      metadata = list(), subject = list(), overwrite = FALSE,
                      threads = axtile_option("threads"),
                      progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    path <- check_path(path)
    password <- check_passwords(password)
    samples <- mef_samples(x, call)
    samples <- with_rates(samples, sampling_rate, NULL, call)
    arguments <- c(
        samples_for_rust(
            samples, start, precision, conversion_factor, NULL, call
        ),
        list(
            description = descriptions_for_rust(
                samples, units, metadata, call
            ),
            subject = check_subject(subject, call),
            path = path, passwords = password,
            overwrite = check_flag(overwrite), new_segment = FALSE,
            durability = "full", threads = check_count(threads, max = 1024),
            progress = writing_progress(samples, progress)
        )
    )
    pointer <- rust(rs_mef_create(arguments))
    writer <- new_writer(pointer, path)
    remember(writer, arguments)
    writer
}

#' @rdname write_mef
#' @export
append_mef <- function(w, x, ..., start = NULL, sampling_rate = NULL,
                       units = NULL, precision = "automatic",
                       conversion_factor = NULL, metadata = list(),
                       new_segment = FALSE, durability = c("full", "fast"),
                       password = NULL, threads = axtile_option("threads"),
                       progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    durability <- rlang::arg_match(durability)
    samples <- mef_samples(x, call)
    writer <- check_writer(w, password, call)
    if (is.character(w)) {
        on.exit(close(writer))
    }
    samples <- with_rates(samples, sampling_rate, writer$known$rates, call)
    check_known_channels(samples, units, metadata, writer$known$units, call)
    arguments <- c(
        samples_for_rust(
            samples, start, precision, conversion_factor,
            writer$known$factors, call
        ),
        list(
            description = descriptions_for_rust(
                samples, units, metadata, call
            ),
            pointer = writer$pointer, new_segment = check_flag(new_segment),
            durability = durability,
            threads = check_count(threads, max = 1024),
            progress = writing_progress(samples, progress)
        )
    )
    rust(rs_mef_write(arguments))
    remember(writer, arguments)
    if (is.character(w)) {
        on.exit()
        close(writer)
    }
    invisible(w)
}

#' @rdname write_mef
#' @export
mef_writer <- function(path, password = NULL) {
    open_writer(
        check_path(path), check_password(password), rlang::current_env()
    )
}

open_writer <- function(path, password, call) {
    arguments <- list(path = path, password = password)
    writer <- new_writer(
        rust(rs_mef_writer_open(arguments), call = call), path
    )
    channels <- mef_channels(open_session(path, password, NULL, call))
    of_channels <- function(values) stats::setNames(values, channels$name)
    writer$known$rates <- of_channels(channels$sampling_rate)
    writer$known$factors <- of_channels(channels$conversion_factor)
    writer$known$units <- of_channels(channels$units)
    writer
}

new_writer <- function(pointer, path) {
    # What appends take from the channels that are there.
    known <- new.env(parent = emptyenv())
    known$rates <- known$factors <- stats::setNames(numeric(), character())
    known$units <- stats::setNames(character(), character())
    structure(
        list(pointer = pointer, path = normalizePath(path), known = known),
        class = "mef_writer"
    )
}

# What a call wrote that succeeded. The factor of doubles is the Rust library's
# choice and not known here.
remember <- function(writer, arguments) {
    factors <- arguments$conversion_factor
    factors[!is_counts(arguments)] <- NA
    units <- arguments$description$units
    if (is.null(units)) {
        units <- rep("", length(factors))
    }
    is_new <- !arguments$channels %in% names(writer$known$rates)
    new <- arguments$channels[is_new]
    writer$known$rates[new] <- arguments$sampling_rate[is_new]
    writer$known$factors[new] <- factors[is_new]
    writer$known$units[new] <- units[is_new]
}

# The writer of `w`, which may be a path.
check_writer <- function(w, password, call) {
    if (inherits(w, "mef_writer")) {
        if (!is.null(password)) {
            axtile_abort("argument", paste0(
                "`password` goes with a path; an open writer has its own."
            ), call = call)
        }
        return(w)
    }
    if (!is.character(w)) {
        abort_argument(
            "w", "a MEF writer (see `write_mef()`) or a path", w, call
        )
    }
    open_writer(
        check_path(w, arg = "w", call = call),
        check_password(password, "password", call), call
    )
}

writing_progress <- function(samples, progress, env = parent.frame()) {
    progress <- check_progress(progress, call = env)
    progress_reporter("Writing", max(1, samples$n), progress, env)
}

#' @rdname write_mef
#' @export
flush.mef_writer <- function(con) {
    rust(rs_mef_flush(list(pointer = con$pointer)))
    invisible(con)
}

#' @rdname write_mef
#' @export
close.mef_writer <- function(con, ...) {
    rust(rs_mef_close(list(pointer = con$pointer)))
    invisible(con$path)
}

#' @export
format.mef_writer <- function(x, ...) {
    is_open <- rust(rs_mef_is_writable(list(pointer = x$pointer)))
    paste0(
        "<MEF 3.0 writer> ", basename(x$path), if (!is_open) ", closed"
    )
}

#' @export
print.mef_writer <- function(x, ...) {
    writeLines(format(x, ...))
    invisible(x)
}
