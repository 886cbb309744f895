# Signals that the benchmarks of MEF sessions are of, as counts. The same each
# time, whatever the state of R's random numbers.

mef_start <- 1577836800000000
mef_rate <- 512
# Of counts of the amplifier, and of 3 decimals, in microvolts.
adc_step <- 0.195

# Noise whose power falls with frequency, in microvolts: five filtered noises.
eeg <- function(n) {
    keep <- 1 - 0.4^(1:5)
    rowSums(vapply(keep, function(keep) {
        noise <- stats::rnorm(n) * sqrt(1 - keep) * 12
        as.double(stats::filter(noise, keep, method = "recursive"))
    }, numeric(n)))
}

with_random <- function(seed, work) {
    old <- RNGkind("Mersenne-Twister", "Inversion", "Rejection")
    on.exit(do.call(RNGkind, as.list(old)))
    set.seed(seed)
    work()
}

# `scale`: units per count; `decimals` where it is so many.
mef_signals <- function(n) {
    with_random(1, function() {
        traces <- eeg(n)
        noise <- stats::filter(
            0.2 * stats::rnorm(n), 0.999, method = "recursive"
        )
        list(
            "EEG, counts of 0.195 uV" = list(
                counts = as.integer(round(traces / adc_step)), scale = adc_step
            ),
            "EEG, 3 decimals" = list(
                counts = as.integer(round(traces * 1000)), scale = 1e-3,
                decimals = 3
            ),
            "smooth, 3 decimals" = list(
                counts = as.integer(round(noise * 1000)), scale = 1e-3,
                decimals = 3
            ),
            "quiet, steps within 3" = list(
                counts = as.integer(cumsum(sample(-3:3, n, TRUE))), scale = adc_step
            )
        )
    })
}

# Values as users have them, of one channel.
signal_values <- function(signal) {
    if (is.null(signal$decimals)) {
        signal$counts * signal$scale
    } else {
        signal$counts / 10^signal$decimals
    }
}

one_channel <- function(values) {
    matrix(values, dimnames = list(NULL, "a"))
}
