#' Open a MEF 3.0 session
#'
#' Opens a recording in the Multiscale Electrophysiology Format, version 3.0: a
#' folder `NAME.mefd`, or an uncompressed tar archive of one. Opening lists
#' names and reads the metadata of one segment; everything else is read when it
#' is asked for, so that sessions of many channels and segments open in
#' milliseconds.
#'
#' A session shows what was there when it was first looked at. After appending
#' to it, open it again.
#'
#' The object points to the open session and holds no password. One that was
#' saved, or sent to another process, opens by itself if it needs no password;
#' with one, it has to be opened again. Forked processes use it as it is.
#'
#' @param path The session's folder or archive.
#' @param password The password of level 1 or 2, if the session has them. Level
#'   1 opens the recording's metadata and the samples, level 2 also the subject
#'   and encrypted records.
#' @param ... Must be empty.
#' @param cache Whether to keep a snapshot of what opening finds, which makes it
#'   faster the next time: `TRUE` for a folder of axtile's in the user's cache
#'   (`tools::R_user_dir()`), or a folder. Snapshots of what changed since are
#'   not used; sessions with passwords have none.
#' @param x A `mef_session`.
#' @param object A `mef_session`.
#' @returns A `mef_session`. `summary()`: a data frame with a row for each
#'   channel: `channel`, `sampling_rate` in Hz, `units`, `n_segments`,
#'   `n_samples`, `start`, `duration` in seconds, and `coverage`, the share of
#'   that time that has samples. `print()`: `x`, invisibly. `format()`: lines of
#'   text.
#' @section Errors:
#' `axtile_error_io` if there is no session, `axtile_error_argument` if a
#' password is missing or wrong or there is no channel of samples,
#' `axtile_error_corrupt`, `axtile_error_version` or `axtile_error_unsupported`
#' if its metadata cannot be read.
#' @seealso [mef_channels()] for what there is in a session, [read_mef()] for
#'   its samples, [write_mef()] to write one.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(synthetic_eeg(4, 20), path, precision = 3))
#' s <- open_mef(path)
#' s
#' summary(s)
#' @export
open_mef <- function(path, password = NULL, ...,
                     cache = axtile_option("mef_cache")) {
    rlang::check_dots_empty()
    path <- check_path(path)
    password <- check_password(password)
    open_session(path, password, mef_cache_dir(cache))
}

# `like`: the pointer of a session that has the same password.
open_session <- function(path, password, cache, call = rlang::caller_env(),
                         like = NULL) {
    opened <- rust(rs_mef_open(list(
        path = path, password = password, cache = cache, pointer = like
    )), call = call)
    # An environment: a session that opens again stays the same object.
    handle <- new.env(parent = emptyenv())
    handle$pointer <- opened$pointer
    handle$has_password <- !is.null(password)
    structure(
        list(
            path = normalizePath(path), name = opened$name,
            channels = opened$channels,
            skipped = as.data.frame(opened$skipped),
            cache = cache, handle = handle
        ),
        class = "mef_session"
    )
}

check_password <- function(x, arg = rlang::caller_arg(x),
                           call = rlang::caller_env()) {
    if (is.null(x)) {
        return(NULL)
    }
    if (!is.character(x) || length(x) != 1L || is.na(x) || !nzchar(x)) {
        # The message must not show it.
        axtile_abort("argument", paste0(
            "`", arg, "` must be a single text that is not empty, or NULL."
        ), call = call)
    }
    utf8(x, arg, call)
}

# Passwords of level 1 and 2, or NULL.
check_passwords <- function(x, arg = rlang::caller_arg(x),
                            call = rlang::caller_env()) {
    if (is.null(x)) {
        return(NULL)
    }
    if (!is.character(x) || length(x) != 2L || anyNA(x) || !all(nzchar(x))) {
        axtile_abort("argument", paste0(
            "`", arg, "` must be two texts, the passwords of level 1 and 2, ",
            "or NULL."
        ), call = call)
    }
    utf8(x, arg, call)
}

mef_cache_dir <- function(cache, call = rlang::caller_env()) {
    if (is.null(cache) || isFALSE(cache)) {
        return(NULL)
    }
    if (isTRUE(cache)) {
        return(file.path(tools::R_user_dir("axtile", "cache"), "mef"))
    }
    check_path(cache, arg = "cache", call = call)
}

check_mef <- function(x, ..., arg = rlang::caller_arg(x),
                      call = rlang::caller_env()) {
    if (!inherits(x, "mef_session")) {
        abort_argument(arg, "a MEF session (see `open_mef()`)", x, call)
    }
    x
}

# The pointer of a session, which is opened again where it was saved.
mef_pointer <- function(x, call = rlang::caller_env()) {
    handle <- x$handle
    if (rust(rs_mef_is_open(list(pointer = handle$pointer)), call = call)) {
        return(handle$pointer)
    }
    if (handle$has_password) {
        axtile_abort("argument", paste0(
            "The MEF session '", x$path, "' was saved or sent to another ",
            "process, where its password is not known; open it again."
        ), path = x$path, call = call)
    }
    again <- open_session(x$path, NULL, x$cache, call)
    if (!identical(again$channels, x$channels)) {
        axtile_abort("stale", paste0(
            "'", x$path, "' has other channels than when it was opened; open ",
            "it again."
        ), path = x$path, call = call)
    }
    handle$pointer <- again$handle$pointer
    handle$pointer
}

# A session as functions take it that look at its files: an open one, or its
# path and password.
mef_source <- function(x, password, arg = rlang::caller_arg(x),
                       call = rlang::caller_env()) {
    if (!inherits(x, "mef_session")) {
        return(list(
            path = check_path(x, arg = arg, call = call),
            password = check_password(password, "password", call)
        ))
    }
    if (!is.null(password)) {
        axtile_abort("argument", paste0(
            "`password` goes with a path; an open session has its own."
        ), call = call)
    }
    list(path = x$path, pointer = mef_pointer(x, call))
}

# Numbers of channels from 1; those of all for NULL.
check_channels <- function(channels, x, arg = rlang::caller_arg(channels),
                           call = rlang::caller_env()) {
    if (is.null(channels)) {
        return(as.double(seq_along(x$channels)))
    }
    numbers <- check_positions(
        channels, length(x$channels), function() x$channels, "channel", arg,
        call
    )
    if (length(numbers) == 0L) {
        abort_argument(arg, "one channel or more", channels, call)
    }
    numbers
}

#' @rdname open_mef
#' @export
format.mef_session <- function(x, ...) {
    shown <- utils::head(x$channels, 6L)
    more <- length(x$channels) - length(shown)
    channels <- tryCatch(mef_channels(x), axtile_error = function(e) e)
    c(
        paste0("<MEF 3.0 session> ", x$name),
        paste0(
            "  ", length(x$channels),
            if (length(x$channels) == 1L) " channel: " else " channels: ",
            paste(shown, collapse = ", "),
            if (more > 0L) paste0(", and ", more, " more")
        ),
        if (inherits(channels, "error")) {
            paste0("  ", strsplit(conditionMessage(channels), "\n")[[1L]])
        } else {
            describe_channels(channels)
        },
        if (nrow(x$skipped)) paste0(
            "  ", nrow(x$skipped),
            if (nrow(x$skipped) == 1L) " part" else " parts",
            " not read: ", x$skipped$path[[1L]], " (", x$skipped$reason[[1L]],
            ")"
        )
    )
}

describe_channels <- function(channels) {
    counted <- function(values) {
        counts <- table(values)
        texts <- names(counts)
        if (length(counts) > 1L) {
            texts <- paste0(texts, " (", counts, ")")
        }
        paste(utils::head(texts, 6L), collapse = ", ")
    }
    start <- min(channels$start_uutc, na.rm = TRUE)
    end <- max(channels$end_uutc, na.rm = TRUE)
    units <- ifelse(nzchar(channels$units), channels$units, "no unit")
    c(
        paste0(
            "  ", counted(paste(format(
                channels$sampling_rate, trim = TRUE, digits = 7,
                drop0trailing = TRUE
            ), "Hz")), "; ", counted(units), "; ",
            format(sum(channels$n_segments), big.mark = ","),
            if (sum(channels$n_segments) == 1) " segment" else " segments"
        ),
        paste0(
            "  ", format(posixct(start), "%Y-%m-%d %H:%M:%OS3"), " to ",
            format(posixct(end), "%Y-%m-%d %H:%M:%OS3"), " UTC (",
            format_duration(end - start), ")"
        )
    )
}

#' @rdname open_mef
#' @export
print.mef_session <- function(x, ...) {
    writeLines(format(x, ...))
    invisible(x)
}

#' @rdname open_mef
#' @export
summary.mef_session <- function(object, ...) {
    channels <- mef_channels(object)
    duration <- (channels$end_uutc - channels$start_uutc) / 1e6
    data.frame(
        channel = channels$name,
        sampling_rate = channels$sampling_rate,
        units = channels$units,
        n_segments = channels$n_segments,
        n_samples = channels$n_samples,
        start = channels$start,
        duration = duration,
        coverage = channels$n_samples / (duration * channels$sampling_rate)
    )
}
