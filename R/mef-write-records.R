#' Write records to a MEF session
#'
#' Appends notes, annotations and events, sorted by time within the files of the
#' session, a channel or a segment. In a session with passwords they are
#' encrypted.
#'
#' @inheritParams append_mef
#' @param records A data frame as [mef_records()] gives it. Needed: `time`
#'   (POSIXct or microseconds since 1970 UTC; a column `time_uutc` counts
#'   instead, where there is one) and `type`. Not needed: `text`, `duration` in
#'   seconds (of EDFA; 0 if missing), `channel` and `segment` that a record
#'   belongs to (`NA` for the session, or all of the channel), and `fields` for
#'   types other than Note, SyLg and EDFA.
#' @returns `w`, invisibly.
#' @section Errors:
#' `axtile_error_argument` for records that cannot be stored: types that are not
#' four letters, missing fields, times before 1970; for no such channel or
#' segment. `axtile_error_corrupt` for a damaged file of records,
#' `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(1, 10)
#' close(write_mef(x, path, precision = 3))
#' t0 <- attr(x, "start_uutc")
#' records <- data.frame(time = t0, type = "Epoc")
#' records$fields <- list(list(
#'     id = 1, start = t0, end = t0 + 5e6, duration = 5e6, type = "sleep",
#'     text = "N2"
#' ))
#' write_mef_records(path, records)
#' mef_records(open_mef(path))$fields[[1]]$text
#' @export
write_mef_records <- function(w, records, ..., durability = c("full", "fast"),
                              password = NULL) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    durability <- rlang::arg_match(durability)
    columns <- record_columns(records, call)
    writer <- check_writer(w, password, call)
    if (is.character(w)) {
        on.exit(close(writer))
    }
    rust(rs_mef_write_records(
        c(list(pointer = writer$pointer, durability = durability), columns)
    ))
    if (is.character(w)) {
        on.exit()
        close(writer)
    }
    invisible(w)
}

record_columns <- function(records, call) {
    if (!is.data.frame(records)) {
        abort_argument("records", "a data frame", records, call)
    }
    known <- c(
        "time", "time_uutc", "type", "text", "duration", "channel", "segment",
        "version", "is_locked", "fields"
    )
    unknown <- setdiff(names(records), known)
    if (length(unknown)) {
        axtile_abort("argument", paste0(
            "`records` has a column '", unknown[[1L]], "'; columns of records ",
            "are ", paste(known, collapse = ", "), "."
        ), call = call)
    }
    n <- nrow(records)
    time <- if (is.null(records$time_uutc)) records$time else records$time_uutc
    if (is.null(time)) {
        abort_argument("records$time", "a column of times", NULL, call)
    }
    time <- check_times(time, "records$time", call)
    type <- record_texts(records$type, n, "type", call)
    duration <- record_numbers(records$duration, n, "duration", call)
    duration <- round(duration * 1e6)
    duration[is.na(duration) & type %in% "EDFA"] <- 0
    columns <- list(
        time = time, type = type,
        text = record_texts(records$text, n, "text", call),
        duration = duration,
        channel = record_texts(records$channel, n, "channel", call),
        segment = record_numbers(records$segment, n, "segment", call),
        fields = record_fields(records$fields, n, call)
    )
    for (name in c("time", "type")) {
        missing <- which(is.na(columns[[name]]))
        if (length(missing)) {
            axtile_abort("argument", paste0(
                "`records$", name, "` is missing in row ", missing[[1L]], "."
            ), call = call)
        }
    }
    alone <- which(!is.na(columns$segment) & is.na(columns$channel))
    if (length(alone)) {
        axtile_abort("argument", paste0(
            "`records$segment` needs a channel in row ", alone[[1L]], "."
        ), call = call)
    }
    columns
}

record_texts <- function(x, n, name, call) {
    if (is.null(x) || (is.logical(x) && all(is.na(x)))) {
        return(rep(NA_character_, n))
    }
    if (is.factor(x)) {
        x <- as.character(x)
    }
    arg <- paste0("records$", name)
    if (!is.character(x)) {
        abort_argument(arg, "texts", x, call)
    }
    x[!is.na(x)] <- utf8(x[!is.na(x)], arg, call)
    x
}

record_numbers <- function(x, n, name, call) {
    if (is.null(x) || (is.logical(x) && all(is.na(x)))) {
        return(rep(NA_real_, n))
    }
    arg <- paste0("records$", name)
    x <- if (is.numeric(x) && !is.factor(x)) as.double(x) else NULL
    is_wrong <- is.null(x) || any(x < 0 | is.infinite(x), na.rm = TRUE) ||
        (name == "segment" && any(x != trunc(x), na.rm = TRUE))
    if (is_wrong) {
        abort_argument(arg, "numbers that are not negative", x, call)
    }
    x
}

record_fields <- function(x, n, call) {
    if (is.null(x)) {
        return(vector("list", n))
    }
    if (!is.list(x)) {
        abort_argument("records$fields", "a list of lists", x, call)
    }
    lapply(x, function(fields) {
        if (is.null(fields)) {
            return(NULL)
        }
        if (!is.list(fields) || is.null(names(fields))) {
            abort_argument("records$fields", "a list of lists", fields, call)
        }
        lapply(fields, function(field) {
            if (is.character(field)) {
                utf8(field, "records$fields", call)
            } else if (is.numeric(field) || is.logical(field)) {
                as.double(field)
            } else {
                field
            }
        })
    })
}
