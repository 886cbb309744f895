#' Records of a MEF session
#'
#' Notes, annotations and events of the session, its channels and segments.
#'
#' @param x A `mef_session`.
#' @param ... Must be empty.
#' @param types Types to give, as `"Note"`; `NULL` for all.
#' @param lenient Whether to leave damaged records out, with a warning, rather
#'   than to fail.
#' @returns A data frame, sorted by time: `time` and `time_uutc`; `type`;
#'   `text`, the record's text or what is most like one; `duration` in seconds
#'   (`NA` where the type has none); `channel` and `segment` that it belongs to
#'   (`NA` for the session or all of the channel); `version`; `is_locked`,
#'   `TRUE` where the password does not open it; and `fields`, a list with all
#'   fields of a record that has more than text and duration, else `NULL`.
#' @section Types:
#' What `fields` holds:
#'
#' * Note, SyLg, EDFA: nothing; they have text, EDFA also a duration.
#' * Seiz, a seizure: `onset`, `offset`, `duration`, `onset_code` (0 unknown, 1
#'   focal, 2 generalized, 3 propagated, 4 mixed), `marker_1`, `marker_2`,
#'   `annotation`, `channels`, `channel_onsets`, `channel_offsets`.
#' * Epoc, a span with a type: `id`, `start`, `end`, `duration`, `type`, `text`.
#' * Curs, a cursor: `id`, `time`, `latency`, `value`, `name`.
#' * CSti, a stimulus of a task: `task`, `duration`, `stimulus`, `response`.
#' * ESti, an electric stimulus: `amplitude`, `frequency` in Hz, `pulse_width`,
#'   `unit_code` (0 unknown, 1 mA, 2 V), `mode_code` (0 unknown, 1 current, 2
#'   voltage), `waveform`, `anode`, `cathode`.
#' * LNTP, line noise: `template`, counts.
#' * Others: `body`, raw bytes.
#'
#' Times in fields are microseconds since 1970 UTC, durations microseconds, and
#' `NA` is for unknown.
#' @section Errors:
#' Unless `lenient`: `axtile_error_corrupt` for a damaged record,
#' `axtile_error_range` for one with a number that no double holds exactly.
#' @section Warnings:
#' `axtile_warning_damaged` for records that were left out; its field `notices`
#' is a data frame of them.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(2, 10)
#' w <- write_mef(x, path, precision = 3)
#' t0 <- attr(x, "start_uutc")
#' write_mef_records(w, data.frame(
#'     time = t0 + c(1, 4) * 1e6, type = c("Note", "EDFA"),
#'     text = c("eyes closed", "artifact"), duration = c(NA, 0.5),
#'     channel = c(NA, "E1")
#' ))
#' close(w)
#' mef_records(open_mef(path))
#' @export
mef_records <- function(x, ..., types = NULL, lenient = FALSE) {
    rlang::check_dots_empty()
    check_mef(x)
    check_flag(lenient)
    if (!is.null(types)) {
        types <- check_strings(types)
    }
    records <- rust(rs_mef_records(
        list(pointer = mef_pointer(x), lenient = lenient)
    ))
    warn_of_notices(records$notices, "record", rlang::current_env())
    records$notices <- NULL
    records$duration <- records$duration / 1e6
    records$time_uutc <- records$time
    records$time <- posixct(records$time)
    order <- c(
        "time", "time_uutc", "type", "text", "duration", "channel", "segment",
        "version", "is_locked", "fields"
    )
    records <- list2DF(records[order])
    if (!is.null(types)) {
        records <- records[records$type %in% types, ]
    }
    records <- records[order(records$time_uutc), ]
    rownames(records) <- NULL
    records
}

# Tells what a read passed over.
warn_of_notices <- function(notices, what, call) {
    n <- length(notices$problem)
    if (n == 0L) {
        return(invisible())
    }
    notices <- list2DF(notices)
    shown <- utils::head(notices, 3L)
    place <- paste0(
        ifelse(
            nzchar(shown$channel), paste0("channel '", shown$channel, "', "), ""
        ),
        "segment ", shown$segment,
        ifelse(is.na(shown$block), "", paste0(", ", what, " ", shown$block))
    )
    axtile_warn("damaged", paste0(
        paste0(place, ": ", shown$problem, collapse = "\n"),
        if (n > 3L) paste0("\nand ", n - 3L, " more")
    ), notices = notices, call = call)
}
