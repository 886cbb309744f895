# Calls of the Rust library. An error comes back as a value and is raised here,
# so that no jump of R's crosses Rust frames.

# The value of `result`, or the condition it stands for, raised as if by the
# function that the user called.
rust <- function(result, call = rlang::caller_env()) {
    if (!inherits(result, "axtile_rust_error")) {
        return(result)
    }
    if (identical(result$kind, "interrupt")) {
        rlang::interrupt()
    }
    axtile_abort(
        result$kind, result$message,
        path = result$path, place = result$place, call = call
    )
}
