# Conditions of axtile. Messages are passed as data, never as a format: a path
# may hold braces or percent signs.

axtile_abort <- function(kind, message, ..., call = rlang::caller_env()) {
    rlang::abort(
        message,
        class = c(paste0("axtile_error_", kind), "axtile_error"),
        ...,
        call = call,
        use_cli_format = FALSE
    )
}

axtile_warn <- function(kind, message, ..., call = rlang::caller_env()) {
    rlang::warn(
        message,
        class = c(paste0("axtile_warning_", kind), "axtile_warning"),
        ...,
        call = call,
        use_cli_format = FALSE
    )
}
