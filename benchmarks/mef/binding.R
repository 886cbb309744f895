# What R adds to the Rust library: the same sessions opened and read by both, one
# thread. The library is timed by its own bench, into memory that is used again.

manifest <- file.path("..", "src", "rust", "Cargo.toml")
paths <- c(
    "8 channels x 10 segments" = scratch("small.mefd"),
    "EEG, 1 channel x 20 minutes" = scratch("eeg.mefd"),
    "EEG, 64 channels x 10 seconds" = scratch("short.mefd")
)
write_eeg <- function(path, n_channels, n) {
    x <- with_random(6, function() {
        trace <- as.integer(round(eeg(n) / adc_step))
        matrix(trace, n, n_channels)
    })
    colnames(x) <- sprintf("c%02d", seq_len(n_channels) - 1L)
    close(write_mef(
        x, path, sampling_rate = mef_rate, start = mef_start, units = "uV",
        conversion_factor = adc_step
    ))
}
write_eeg(paths[[2]], 1, 1200 * mef_rate)
write_eeg(paths[[3]], 64, 10 * mef_rate)

for (what in names(paths)) {
    path <- paths[[what]]
    session <- open_mef(path)
    measure("mef binding", paste0("open ", what), list(
        R = here(open_here(path, FALSE))
    ))
    measure("mef binding", paste0("read ", what), list(
        R = here(function() read_mef(session, times = "none"))
    ))
}
if (nzchar(Sys.which("cargo")) && file.exists(manifest)) {
    table <- scratch("reading.csv")
    status <- system2("cargo", c(
        "bench", "--quiet", "--manifest-path", shQuote(manifest),
        "--package", "axtile-mef", "--bench", "reading", "--",
        "--csv", shQuote(table), shQuote(paths)
    ), stdout = FALSE)
    if (status != 0L) stop("cargo bench failed")
    results <- utils::read.csv(table)
    names <- stats::setNames(names(paths), sub("\\.mefd$", "", basename(paths)))
    for (k in seq_len(nrow(results))) {
        row <- results[k, ]
        for (metric in c("median", "min")) {
            record(
                paste0("Rust: ", row$what, " ", names[[row$session]]), 1L, metric,
                row[[metric]], "ms", 9L, dataset = "mef", topic = "mef binding"
            )
        }
    }
} else {
    skip(
        "the Rust library alone", "cargo or its source is not there",
        dataset = "mef", topic = "mef binding"
    )
}
