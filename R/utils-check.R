# Checks of arguments: each returns the argument in the form that the Rust
# library takes, or aborts naming it.

abort_argument <- function(arg, expected, x, call) {
    got <- if (is.null(x)) {
        "NULL"
    } else if (is.atomic(x) && length(x) == 1L) {
        if (is.character(x)) dQuote(x, FALSE) else format(x)
    } else {
        paste0("an object of class ", class(x)[[1L]], " and length ", length(x))
    }
    axtile_abort(
        "argument", paste0(
            "`", arg, "` must be ", expected, ", not ", got, "."
        ),
        call = call
    )
}

# Text as the Rust library takes it: UTF-8, and valid.
utf8 <- function(x, arg, call) {
    x <- as.vector(x)
    # enc2utf8() would replace what is not valid in the session's encoding.
    wrong <- which(!validEnc(x))
    if (length(wrong) == 0L) {
        x <- enc2utf8(x)
        wrong <- which(!validUTF8(x))
    }
    if (length(wrong)) {
        axtile_abort("argument", paste0(
            "`", arg, "` holds text that is not valid in its encoding: ",
            "element ", wrong[[1L]], "."
        ), call = call)
    }
    x
}

check_string <- function(x, ..., null = FALSE, arg = rlang::caller_arg(x),
                         call = rlang::caller_env()) {
    if (null && is.null(x)) {
        return(NULL)
    }
    if (!is.character(x) || length(x) != 1L || is.na(x) || !nzchar(x)) {
        abort_argument(arg, "a single text", x, call)
    }
    utf8(x, arg, call)
}

check_path <- function(x, ..., arg = rlang::caller_arg(x),
                       call = rlang::caller_env()) {
    path.expand(check_string(x, arg = arg, call = call))
}

check_flag <- function(x, ..., arg = rlang::caller_arg(x),
                       call = rlang::caller_env()) {
    if (!is.logical(x) || length(x) != 1L || is.na(x)) {
        abort_argument(arg, "TRUE or FALSE", x, call)
    }
    as.vector(x)
}

check_count <- function(x, ..., min = 1, max = 2^53,
                        arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
    is_count <- is.numeric(x) && length(x) == 1L && is.finite(x) &&
        x == trunc(x) && x >= min && x <= max
    if (!is_count) {
        limits <- paste0(
            " from ", format(min), " to ", format(max, digits = 16)
        )
        abort_argument(arg, paste0("a whole number", limits), x, call)
    }
    as.double(x)
}

check_strings <- function(x, ..., arg = rlang::caller_arg(x),
                          call = rlang::caller_env()) {
    if (is.null(x)) {
        return(character())
    }
    if (!is.character(x) || anyNA(x)) {
        abort_argument(arg, "a character vector without NA", x, call)
    }
    utf8(x, arg, call)
}

check_tiles <- function(x, ..., arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
    if (!inherits(x, "tile_dataset")) {
        abort_argument(arg, "a tile dataset (see `open_tiles()`)", x, call)
    }
    x
}

check_progress <- function(x, ..., arg = rlang::caller_arg(x),
                           call = rlang::caller_env()) {
    if (is.null(x)) {
        return(rlang::is_interactive())
    }
    check_flag(x, arg = arg, call = call)
}

# Positions as doubles counted from 1; NULL for all. `names` is a function that
# gives the names of all `n` things.
check_positions <- function(x, n, names, what, arg, call) {
    if (is.null(x)) {
        return(NULL)
    }
    if (is.factor(x)) {
        x <- as.character(x)
    }
    if (is.character(x)) {
        return(match_names(x, names(), what, arg, call))
    }
    if (is.logical(x)) {
        if (length(x) != n || anyNA(x)) {
            axtile_abort("range", paste0(
                "`", arg, "` is logical: it must have one TRUE or FALSE for ",
                "each of the ", format(n), " ", what, "s, without NA; it has ",
                length(x), "."
            ), call = call)
        }
        return(as.double(which(x)))
    }
    if (!is.numeric(x)) {
        abort_argument(arg, "names, numbers or a logical vector", x, call)
    }
    x <- as.double(x)
    wrong <- which(is.na(x) | x != trunc(x) | x < 1 | x > n)
    if (length(wrong)) {
        axtile_abort("range", paste0(
            "`", arg, "` must hold numbers from 1 to ", format(n), "; element ",
            wrong[[1L]], " is ", format(x[[wrong[[1L]]]], digits = 16), "."
        ), call = call)
    }
    x
}

match_names <- function(x, names, what, arg, call) {
    if (is.null(names)) {
        axtile_abort("range", paste0(
            "`", arg, "` holds names, but the dataset has no ", what, " names."
        ), call = call)
    }
    found <- match(x, names)
    missing <- unique(x[is.na(found)])
    if (length(missing)) {
        shown <- paste(dQuote(utils::head(missing, 3L), FALSE), collapse = ", ")
        more <- length(missing) - 3L
        axtile_abort("range", paste0(
            "There is no ", what, " ", shown,
            if (more > 0L) paste0(" (and ", more, " more)"), "."
        ), missing = missing, call = call)
    }
    repeated <- unique(names[duplicated(names)])
    ambiguous <- intersect(x, repeated)
    if (length(ambiguous)) {
        axtile_abort("range", paste0(
            "The name ", dQuote(ambiguous[[1L]], FALSE),
            " is that of more than one ", what, "; give its number instead."
        ), call = call)
    }
    as.double(found)
}
