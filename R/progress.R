# Progress bars. The Rust library calls a function with the work done so far;
# before that, a negative number tells how much there is in all.

# It goes on for TRUE, stops the work for FALSE, and calls no more otherwise.

# NULL if no bar is wanted. The bar ends with the function whose frame `env` is.
progress_reporter <- function(label, total, progress, env = parent.frame()) {
    if (!progress) {
        return(NULL)
    }
    id <- NULL
    start <- function(total) {
        id <<- cli::cli_progress_bar(
            label,
            total = total, clear = TRUE, .envir = env
        )
    }
    if (!is.null(total)) {
        start(total)
    }
    show <- function(done) {
        if (done < 0) {
            start(-done)
        } else if (!is.null(id)) {
            cli::cli_progress_update(set = done, id = id, .envir = env)
        }
        TRUE
    }
    function(done) {
        tryCatch(
            show(done),
            interrupt = function(e) FALSE,
            error = function(e) NULL
        )
    }
}
