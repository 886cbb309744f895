#' Cut, merge and anonymize MEF sessions
#'
#' New sessions from others. Blocks are copied as they are; only those at the
#' edges of a cut are encoded anew. A copy appears whole or not at all, and its
#' sources stay as they are.
#'
#' `anonymize_mef()` leaves out the subject's names and identifier, the
#' location, descriptions, regions for the use of other programs, and records of
#' free text. Names of channels stay, and so do times unless `shift` moves them.
#'
#' @param x The path of a session or archive, or a `mef_session`.
#' @param paths The paths of sessions that are parts of one recording.
#' @param target The new session's folder, `NAME.mefd`.
#' @param from,to Start and end of the span that is kept: POSIXct, or
#'   microseconds since 1970 UTC.
#' @param ... Must be empty.
#' @param password The password of level 2, for paths.
#' @param pseudonym What stands for the subject.
#' @param shift Seconds, or a difftime, that are added to all times.
#' @param keep What to keep all the same: `"location"`, `"descriptions"`.
#' @param output_password Passwords of the copy, of level 1 and 2; `NULL` for
#'   none.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns The new session, open: a `mef_session`.
#' @section Errors:
#' Those of [open_mef()]; `axtile_error_exists` if something is at `target`,
#' `axtile_error_argument` for a name or times that do not fit, a span without
#' samples, a missing level 2 password, and sessions that do not fit together
#' (different subjects, rates, units or offsets of times, or samples of the
#' same time), `axtile_error_corrupt` for a damaged block, `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(2, 60)
#' close(write_mef(x, path, precision = 3, subject = list(subject_id = "S7")))
#' t0 <- attr(x, "start_uutc")
#' a <- cut_mef(path, tempfile(fileext = ".mefd"), t0, t0 + 20e6)
#' b <- cut_mef(path, tempfile(fileext = ".mefd"), t0 + 20e6, t0 + 60e6)
#' merged <- merge_mef(c(a$path, b$path), tempfile(fileext = ".mefd"))
#' all.equal(read_mef(merged), read_mef(open_mef(path)))
#' anonymous <- anonymize_mef(path, tempfile(fileext = ".mefd"), shift = -86400)
#' mef_segments(anonymous)$subject_id
#' @export
cut_mef <- function(x, target, from, to, ..., password = NULL,
                    progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    source <- mef_source(x, password)
    target <- check_path(target)
    from <- check_time(from)
    to <- check_time(to)
    if (from > to) {
        axtile_abort("argument", paste0(
            "`to` must not be before `from`; they are ",
            format(to, digits = 16), " and ", format(from, digits = 16), "."
        ))
    }
    rust(rs_mef_cut(c(source, list(
        target = target, from = from, to = to,
        progress = copying_progress(source$path, progress)
    ))))
    open_copy(target, source, x)
}

#' @rdname cut_mef
#' @export
merge_mef <- function(paths, target, ..., password = NULL,
                      progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    if (!is.character(paths) || length(paths) == 0L) {
        abort_argument(
            "paths", "the paths of sessions", paths, rlang::current_env()
        )
    }
    paths <- path.expand(check_strings(paths))
    target <- check_path(target)
    password <- check_password(password)
    rust(rs_mef_merge(list(
        paths = paths, target = target, password = password,
        progress = copying_progress(paths, progress)
    )))
    open_session(target, password, NULL)
}

#' @rdname cut_mef
#' @export
anonymize_mef <- function(x, target, ..., pseudonym = "", shift = 0,
                          keep = character(), output_password = NULL,
                          password = NULL,
                          progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    source <- mef_source(x, password)
    target <- check_path(target)
    if (!is.character(pseudonym) || length(pseudonym) != 1L ||
        is.na(pseudonym)) {
        abort_argument("pseudonym", "a single text", pseudonym, call)
    }
    if (inherits(shift, "difftime")) {
        shift <- as.double(shift, units = "secs")
    }
    is_shift <- is.numeric(shift) && length(shift) == 1L && is.finite(shift) &&
        abs(shift) * 1e6 <= 2^53
    if (!is_shift) {
        abort_argument("shift", "a number of seconds", shift, call)
    }
    keep <- check_strings(keep)
    unknown <- setdiff(keep, c("location", "descriptions"))
    if (length(unknown)) {
        abort_argument(
            "keep", "of \"location\" and \"descriptions\"", unknown[[1L]], call
        )
    }
    output_password <- check_passwords(output_password)
    rust(rs_mef_anonymize(c(source, list(
        target = target, pseudonym = utf8(pseudonym, "pseudonym", call),
        shift = round(shift * 1e6),
        keep_location = "location" %in% keep,
        keep_descriptions = "descriptions" %in% keep,
        output_passwords = output_password,
        progress = copying_progress(source$path, progress)
    ))))
    open_session(target, output_password[2L], NULL)
}

copying_progress <- function(paths, progress, env = parent.frame()) {
    total <- sum(vapply(paths, mef_bytes, 0))
    progress <- check_progress(progress, call = env)
    progress_reporter("Copying", total, progress, env)
}

# A copy with its source's password, which for an open session only the Rust
# library knows.
open_copy <- function(target, source, x, call = rlang::caller_env()) {
    opened <- open_session(
        target, source$password, NULL, call, like = source$pointer
    )
    if (inherits(x, "mef_session")) {
        opened$handle$has_password <- x$handle$has_password
    }
    opened
}

#' Archive a MEF session, or rename it
#'
#' `archive_mef()` makes one file of a session's folder: an uncompressed tar
#' archive, which [open_mef()] reads in place. The same session always gives the
#' same bytes. `extract_mef()` makes the folder again. `rename_mef()` gives a
#' session another name, in all its files; it can be interrupted at any point,
#' and the same call then goes on.
#'
#' @param path The session's folder; for `extract_mef()` its archive.
#' @param target Where to write: for `archive_mef()` the archive, for
#'   `extract_mef()` the folder, `NAME.mefd`. Default: the same name with the
#'   ending `.tar`, or without.
#' @param ... Must be empty.
#' @param overwrite Whether to replace an archive that is there.
#' @param name The new name, without the ending `.mefd`.
#' @param progress Whether to show a progress bar; `NULL` for only in an
#'   interactive session.
#' @returns The path of the archive or the folder, invisibly.
#' @section Errors:
#' `axtile_error_exists` if something is there, `axtile_error_argument` for a
#' name that does not fit, what is no session, and while another process writes
#' it, `axtile_error_unsupported` to rename an archive and for folders with
#' links or devices in them, `axtile_error_limit` for names that are too long
#' for the archive, `axtile_error_corrupt` for a damaged header,
#' `axtile_error_io`.
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' close(write_mef(synthetic_eeg(2, 10), path, precision = 3))
#' tar <- archive_mef(path)
#' open_mef(tar)
#' extract_mef(tar, tempfile(fileext = ".mefd"))
#' basename(rename_mef(path, "subject-7"))
#' @export
archive_mef <- function(path, target = paste0(path, ".tar"), ...,
                        overwrite = FALSE,
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    path <- sub("(?<=.)/+$", "", check_path(path), perl = TRUE)
    target <- check_path(target)
    rust(rs_mef_archive(list(
        path = path, target = target, overwrite = check_flag(overwrite),
        progress = copying_progress(path, progress)
    )))
    invisible(target)
}

#' @rdname archive_mef
#' @export
extract_mef <- function(path, target = sub("[.]tar$", "", path), ...,
                        progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    path <- check_path(path)
    target <- check_path(target)
    rust(rs_mef_extract(list(
        path = path, target = target,
        progress = copying_progress(path, progress)
    )))
    invisible(target)
}

#' @rdname archive_mef
#' @export
rename_mef <- function(path, name, ...) {
    rlang::check_dots_empty()
    arguments <- list(path = check_path(path), name = check_string(name))
    invisible(rust(rs_mef_rename(arguments)))
}
