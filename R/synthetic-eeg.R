#' Samples that look like an EEG
#'
#' A made-up recording for examples, tests and benchmarks: in each channel noise
#' whose power falls with frequency, an alpha rhythm near 10 Hz that comes and
#' goes, stronger in later channels, and some of the noise in common.
#'
#' @param n_channels Number of channels, named `E1`, `E2`, ...
#' @param seconds How long it is.
#' @param sampling_rate Samples per second.
#' @param seed Makes the result reproducible; the session's random numbers are
#'   left as they are.
#' @returns A matrix, time x channel, in microvolts, as [read_mef()] gives it:
#'   with the attributes `sampling_rate`, `start_uutc` (2024-01-01 00:00 UTC)
#'   and `units`, so that [write_mef()] takes it as it is.
#' @section Errors:
#' `axtile_error_argument` for sizes that are no positive numbers.
#' @family mef
#' @examples
#' x <- synthetic_eeg(2, 5)
#' dim(x)
#' plot(x[1:512, "E2"], type = "l", ylab = "uV")
#' @export
synthetic_eeg <- function(n_channels = 8, seconds = 10, sampling_rate = 256,
                          seed = 1) {
    n_channels <- check_count(n_channels, max = 1e6)
    for (arg in c("seconds", "sampling_rate")) {
        value <- get(arg)
        is_positive <- is.numeric(value) && length(value) == 1L &&
            is.finite(value) && value > 0
        if (!is_positive) {
            abort_argument(
                arg, "a positive number", value, rlang::current_env()
            )
        }
    }
    n <- max(1, round(seconds * sampling_rate))
    time <- (seq_len(n) - 1) / sampling_rate
    with_seed(check_count(seed, min = 0, max = 2^31 - 1), {
        common <- slow_noise(n)
        samples <- vapply(seq_len(n_channels), function(channel) {
            waxing <- 0.5 + 0.5 * sin(
                2 * pi * (0.1 * time + stats::runif(1))
            )
            alpha <- sin(2 * pi * (stats::runif(1, 9.5, 10.5) * time))
            noise <- slow_noise(n) + 0.5 * common + stats::rnorm(n, 0, 2)
            noise + 20 * channel / n_channels * waxing * alpha
        }, numeric(n))
    })
    channels <- default_names("E", n_channels)
    structure(
        array(samples, c(n, n_channels), list(NULL, channels)),
        sampling_rate = sampling_rate, start_uutc = 1704067200000000,
        units = stats::setNames(rep("uV", n_channels), channels)
    )
}

# Noise of about 15 around 0, most of it at low frequencies.
slow_noise <- function(n) {
    fast <- stats::filter(stats::rnorm(n, 0, 3), 0.9, "recursive")
    slow <- stats::filter(stats::rnorm(n, 0, 1), 0.995, "recursive")
    as.vector(fast) + as.vector(slow)
}
