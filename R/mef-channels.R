#' What there is in a MEF session
#'
#' `mef_channels()` describes channels by their first and last segment,
#' `mef_segments()` gives all that the metadata of segments say, and
#' `mef_blocks()` the index: where samples are, and their extremes, without
#' decoding any. `mef_gaps()` gives the times within channels that have no
#' samples, longer than half a sample.
#'
#' @param x A `mef_session`.
#' @param channels Names or numbers of channels; `NULL` for all.
#' @returns A data frame. Times come as POSIXct and, exactly, as microseconds
#'   since 1970 UTC in columns that end with `_uutc`; ends are those of the
#'   first sample that is not there. `NA` is for unknown.
#'
#'   `mef_channels()`: `name`, `sampling_rate` in Hz, `start`, `end`,
#'   `start_uutc`, `end_uutc`, `n_samples` (stored ones, without gaps), `units`,
#'   `conversion_factor` (of the first segment: units per count),
#'   `n_segments`.
#'
#'   `mef_segments()`: `channel`, `segment` (its number), `start`, `end`,
#'   `start_uutc`, `end_uutc`, `n_samples`, `start_sample` (in the channel, from
#'   0), `sampling_rate`, `units`, `conversion_factor` (0: none is stored, and
#'   counts are read as they are), `n_blocks`, `data_bytes`, `minimum` and
#'   `maximum` in the channel's unit, `n_discontinuities`; the declared
#'   `recording_duration` and `block_interval` in microseconds and the sizes
#'   `maximum_*`; `channel_description`, `session_description`,
#'   `reference_description`, `acquisition_channel`, `high_pass`, `low_pass`,
#'   `notch` and `line_frequency` in Hz; `subject_name_1`, `subject_name_2`,
#'   `subject_id`, `recording_location`, `gmt_offset` in seconds,
#'   `recording_time_offset`, `dst_start`, `dst_end` (as stored; `NA` without
#'   the password that opens them); `session_name`, `channel_name`,
#'   `anonymized_name`, `level_uuid`, `file_uuid` and `provenance_uuid` of the
#'   metadata's header.
#'
#'   `mef_blocks()`: `channel`, `segment`, `start`, `end`, `start_uutc`,
#'   `end_uutc`, `n_samples`, `minimum` and `maximum` in the channel's unit,
#'   `is_discontinuity`, `offset` and `n_bytes` in the data file.
#'
#'   `mef_gaps()`: `channel`, `start`, `end`, `start_uutc`, `end_uutc`,
#'   `duration` in seconds.
#' @section Errors:
#' `axtile_error_range` for no such channel, and for stored numbers that no
#' double holds exactly; `axtile_error_corrupt` for damaged metadata or indexes,
#' `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(2, 20)
#' x[1001:2000, ] <- NaN
#' close(write_mef(x, path, precision = 3))
#' s <- open_mef(path)
#' mef_channels(s)
#' mef_gaps(s, 1)
#' head(mef_blocks(s, 1))
#' mef_segments(s)[, 1:10]
#' @export
mef_channels <- function(x, channels = NULL) {
    check_mef(x)
    channels <- check_channels(channels, x)
    infos <- rust(rs_mef_channels(
        list(pointer = mef_pointer(x), channels = channels)
    ))
    columns <- with_times(infos)
    order <- c(
        "name", "sampling_rate", "start", "end", "start_uutc", "end_uutc",
        "n_samples", "units", "conversion_factor", "n_segments"
    )
    list2DF(columns[order])
}

#' @rdname mef_channels
#' @export
mef_segments <- function(x, channels = NULL) {
    of_channels(rs_mef_segments, x, channels)
}

#' @rdname mef_channels
#' @export
mef_blocks <- function(x, channels = NULL) {
    of_channels(rs_mef_blocks, x, channels)
}

#' @rdname mef_channels
#' @export
mef_gaps <- function(x, channels = NULL) {
    gaps <- of_channels(rs_mef_gaps, x, channels)
    gaps$duration <- (gaps$end_uutc - gaps$start_uutc) / 1e6
    gaps
}

# What a function of the Rust library says about each of some channels.
of_channels <- function(rust_function, x, channels,
                        call = rlang::caller_env()) {
    check_mef(x, call = call)
    numbers <- check_channels(channels, x, "channels", call)
    pointer <- mef_pointer(x, call)
    one <- function(number) {
        columns <- rust(
            rust_function(list(pointer = pointer, channel = number)),
            call = call
        )
        columns <- with_times(columns)
        n <- length(columns[[1L]])
        list2DF(c(list(channel = rep(x$channels[[number]], n)), columns))
    }
    do.call(rbind, c(lapply(numbers, one), list(make.row.names = FALSE)))
}

# Columns `start` and `end` as POSIXct, and as they are under another name.
with_times <- function(columns) {
    uutc <- columns[c("start", "end")]
    columns[c("start", "end")] <- lapply(uutc, posixct)
    at <- match("end", names(columns))
    names(uutc) <- c("start_uutc", "end_uutc")
    append(columns, uutc, at)
}
