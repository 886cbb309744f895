#' A MEF session as data in axes
#'
#' What is known about a session's channels and segments, as a DAF in memory
#' (see [memory_daf()]), for queries.
#'
#' @param x A `mef_session`.
#' @param name What the store is called; by default as the session.
#' @returns A DAF with the axes `channel` and `segment` (entries
#'   `CHANNEL-000000`). Vectors are the columns of [mef_channels()] and
#'   [mef_segments()], times as microseconds since 1970 UTC in `start_uutc` and
#'   `end_uutc`; `segment` has `channel` and `number`. Unknown numbers are NaN,
#'   unknown texts empty. Scalars: `format`, `session`, `start_uutc`,
#'   `end_uutc`.
#' @inheritSection mef_channels Errors
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(synthetic_eeg(3, 10), path, precision = 3))
#' m <- mef_daf(open_mef(path))
#' m
#' m["@ channel : sampling_rate"]
#' m["@ segment [ n_samples > 1000 ] : channel"]
#' @export
mef_daf <- function(x, name = NULL) {
    check_mef(x)
    name <- check_string(name, null = TRUE)
    channels <- mef_channels(x)
    segments <- mef_segments(x)
    daf <- memory_daf(if (is.null(name)) x$name else name)
    set_scalar(daf, "format", "MEF 3.0")
    set_scalar(daf, "session", x$name)
    set_scalar(daf, "start_uutc", min(channels$start_uutc, na.rm = TRUE))
    set_scalar(daf, "end_uutc", max(channels$end_uutc, na.rm = TRUE))
    add_axis(daf, "channel", channels$name)
    set_columns(
        daf, "channel", channels, setdiff(
            names(channels), c("name", "start", "end")
        )
    )
    add_axis(
        daf, "segment", sprintf("%s-%06.0f", segments$channel, segments$segment)
    )
    segments$number <- segments$segment
    set_columns(
        daf, "segment", segments, setdiff(
            names(segments), c("segment", "start", "end")
        )
    )
    daf
}

# Columns of a data frame as vectors of an axis. A DAF has no missing values.
set_columns <- function(daf, axis, frame, columns) {
    for (column in columns) {
        values <- frame[[column]]
        values[is.na(values)] <- if (is.character(values)) "" else NaN
        set_vector(daf, axis, column, values)
    }
}
