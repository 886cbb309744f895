# 64 windows of 5 minutes of all of 64 channels, one after the other, two threads:
# what training on a recording does.

n_channels <- 64
hour_rate <- 256
path <- scratch("hour.mefd")
x <- with_random(4, function() {
    trace <- as.integer(round(eeg(3600 * hour_rate) / adc_step))
    vapply(seq_len(n_channels), function(k) {
        trace[(seq_along(trace) + k * 7919L) %% length(trace) + 1L]
    }, integer(length(trace)))
})
colnames(x) <- sprintf("c%02d", seq_len(n_channels) - 1L)
close(write_mef(
    x, path, sampling_rate = hour_rate, start = mef_start, units = "uV",
    conversion_factor = adc_step
))
starts <- with_random(5, function() {
    mef_start + 1e6 * sort(sample(0:3299, 64, TRUE))
})
session <- open_mef(path)
first_of <- function(start) {
    row <- (start - mef_start) / 1e6 * hour_rate + 1
    x[row, 1] * adc_step
}
total <- sum(first_of(starts))
threads <- 2L
all_windows <- function() {
    sum(vapply(starts, function(start) {
        read_mef(session, NULL, start, start + 300e6, times = "none", threads = threads)[[1]]
    }, 0))
}
stopifnot(all.equal(all_windows(), total))
asked <- list(axtile = function() timed(all_windows, 1, 1))
if (has_library(peer, "mef3io")) {
    request <- c(list(peer, "windows", path, threads, 300e6), as.list(starts))
    theirs <- do.call(ask_peer, request)
    stopifnot(all.equal(as.double(theirs$value), total))
    asked$mef3io <- function() do.call(ask_peer, request)$seconds * 1000
}
measure("mef windows", "64 windows of 5 minutes, 64 channels", asked, threads)
rm(x)
unlink(path, recursive = TRUE)
