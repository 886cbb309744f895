#' Check a MEF session and bring it in order
#'
#' `validate_mef()` reads all of a session and tells what is wrong with it: the
#' checksums of headers, bodies, blocks and records, and whether data, indexes,
#' headers and metadata say the same. `recover_mef()` brings a session in order
#' after a power cut, a crash or damage to an index. Blocks with right checksums
#' are what counts there: indexes, the headers' counts and what metadata declare
#' are made anew from them. No whole block is ever dropped, and whatever is
#' replaced or cut off is kept in a folder beside the session.
#'
#' @param x The path of a session, or a `mef_session`.
#' @param password The password, for a path: that of level 2 to recover.
#' @param ... Must be empty.
#' @param blocks Whether to read all blocks, or only headers, indexes and
#'   metadata, which is fast.
#' @param apply Whether to do it, or only to tell what would be done.
#' @param threads Worker threads.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns `validate_mef()`: a data frame of the class `mef_validation` with a
#'   row for each finding, none if all is well: `severity` (`"error"`: samples,
#'   records or metadata are damaged or will be read wrong; `"warning"`: some
#'   program may show something wrong; `"info"`), `check`, `channel`, `segment`,
#'   `entry` (the block or record in its file, from 0), `path` in the session,
#'   `problem`.
#'
#'   `recover_mef()`: a data frame of the class `mef_recovery` with a row for
#'   each segment and pair of record files that is not in order: `path` in the
#'   session, `action`, `n_recovered` (blocks that had no right entry in the
#'   index), `n_dropped` (entries that had no whole block), `is_refused` (`TRUE`
#'   where nothing can be done; `action` says why). The attributes `applied` and
#'   `backup` say whether it was done, and where replaced files are.
#' @section Errors:
#' Damage is a result, not an error. `axtile_error_argument` where a password is
#' missing or wrong, or another process writes the session,
#' `axtile_error_unsupported` to recover an archive, `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(synthetic_eeg(1, 60), path, precision = 3))
#' validate_mef(path)
#' index <- list.files(path, "tidx$", recursive = TRUE, full.names = TRUE)
#' file.remove(index)
#' validate_mef(path)
#' recover_mef(path)
#' recover_mef(path, apply = TRUE)
#' validate_mef(path)
#' @export
validate_mef <- function(x, password = NULL, ..., blocks = TRUE,
                         threads = axtile_option("threads"),
                         progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    source <- mef_source(x, password)
    reporter <- progress_reporter(
        "Validating", mef_bytes(source$path), check_progress(progress)
    )
    findings <- rust(rs_mef_validate(c(source, list(
        blocks = check_flag(blocks), progress = reporter,
        threads = check_count(threads, max = 1024)
    ))))
    findings <- list2DF(findings)
    structure(
        findings,
        class = c("mef_validation", "data.frame"), session = source$path
    )
}

#' @rdname validate_mef
#' @export
recover_mef <- function(x, password = NULL, ..., apply = FALSE,
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    source <- mef_source(x, password)
    apply <- check_flag(apply)
    reporter <- progress_reporter(
        "Reading", mef_bytes(source$path), check_progress(progress)
    )
    report <- rust(rs_mef_recover(
        c(source, list(apply = apply, progress = reporter))
    ))
    backup <- report$backup
    report$backup <- NULL
    structure(
        list2DF(report),
        class = c("mef_recovery", "data.frame"), session = source$path,
        applied = apply, backup = if (length(backup)) backup
    )
}

# About how many bytes a session has, for progress bars.
mef_bytes <- function(path) {
    files <- if (dir.exists(path)) {
        list.files(path, "[.]tdat$", recursive = TRUE, full.names = TRUE)
    } else {
        path
    }
    max(1, sum(file.size(files), na.rm = TRUE))
}

#' @export
format.mef_validation <- function(x, ...) {
    # A part of the columns is an ordinary data frame.
    needed <- c("severity", "check", "path", "problem", "entry")
    if (!all(needed %in% names(x))) {
        return(NextMethod())
    }
    name <- basename(c(attr(x, "session"), "")[[1L]])
    if (nrow(x) == 0L) {
        return(paste0("<MEF validation> ", name, ": nothing is wrong"))
    }
    counts <- table(factor(x$severity, c("error", "warning", "info")))
    counts <- counts[counts > 0]
    shown <- utils::head(order(match(x$severity, names(counts))), 10L)
    more <- nrow(x) - length(shown)
    place <- ifelse(is.na(x$entry), "", paste0(", entry ", x$entry))
    c(
        paste0(
            "<MEF validation> ", name, ": ",
            paste(counts, paste0(
                names(counts), ifelse(counts > 1 & names(counts) != "info",
                    "s", ""
                )
            ), collapse = ", ")
        ),
        paste0(
            "  ", x$severity, " ", x$check, " in ", x$path, place, ": ",
            x$problem
        )[shown],
        if (more > 0L) paste0("  and ", more, " more")
    )
}

#' @export
print.mef_validation <- function(x, ...) {
    print_report(x, ...)
}

#' @export
format.mef_recovery <- function(x, ...) {
    if (!all(c("path", "action", "is_refused") %in% names(x))) {
        return(NextMethod())
    }
    name <- basename(c(attr(x, "session"), "")[[1L]])
    if (nrow(x) == 0L) {
        return(paste0("<MEF recovery> ", name, ": all is in order"))
    }
    applied <- isTRUE(attr(x, "applied"))
    lead <- ifelse(x$is_refused, "cannot", if (applied) "done" else "to do")
    shown <- seq_len(min(10L, nrow(x)))
    c(
        paste0(
            "<MEF recovery> ", name,
            if (!applied) ": `apply = TRUE` does the following"
        ),
        paste0("  ", lead, ": ", x$path, ": ", x$action)[shown],
        if (nrow(x) > 10L) paste0("  and ", nrow(x) - 10L, " more"),
        if (!is.null(attr(x, "backup"))) {
            paste0("  replaced files are in ", attr(x, "backup"))
        }
    )
}

#' @export
print.mef_recovery <- function(x, ...) {
    print_report(x, ...)
}

print_report <- function(x, ...) {
    lines <- format(x, ...)
    # Of some of the columns, format() gives a data frame.
    if (is.character(lines)) writeLines(lines) else print(lines, ...)
    invisible(x)
}
