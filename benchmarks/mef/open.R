# Opening sessions and asking what their channels are, and opening them to read
# 10 seconds of a channel: folders and archives, with snapshots, with files in the
# page cache and without.

build_session <- function(path, n_channels, n_segments, n) {
    counts <- with_random(2, function() cumsum(sample(-40:40, n, TRUE)))
    x <- matrix(as.integer(counts), n, n_channels)
    colnames(x) <- sprintf("c%02d", seq_len(n_channels) - 1L)
    step <- 1e6 * max(10, ceiling(n / mef_rate))
    writer <- write_mef(
        x, path, sampling_rate = mef_rate, start = mef_start, units = "uV",
        conversion_factor = adc_step
    )
    for (number in seq_len(n_segments - 1)) {
        append_mef(
            writer, x, start = mef_start + number * step, new_segment = TRUE,
            durability = "fast"
        )
    }
    close(writer)
    path
}

# What opening is, by kind of session: a path and a cache.
open_here <- function(path, cache) {
    force(path)
    force(cache)
    function() mef_channels(open_mef(path, cache = cache))
}
first_here <- function(path, cache) {
    force(path)
    force(cache)
    function() {
        session <- open_mef(path, cache = cache)
        read_mef(session, 1, mef_start, mef_start + 10e6, times = "none")
    }
}

compare_opening <- function(what, path, with_mef_tools = TRUE, first = TRUE) {
    # A snapshot is not made of what has just changed.
    Sys.sleep(3)
    is_folder <- dir.exists(path)
    for (snapshot in c(FALSE, TRUE)) {
        cache <- if (snapshot) scratch("snapshots") else FALSE
        their_cache <- if (snapshot) scratch("snapshot-mef3io") else ""
        row <- paste0(
            what, if (is_folder) ", folder" else ", archive",
            if (snapshot) ", snapshot"
        )
        kinds <- list(open = list(open_here(path, cache), "open"))
        if (first) {
            kinds[["first data"]] <- list(first_here(path, cache), "first_data")
        }
        for (kind in names(kinds)) {
            libraries <- if (has_library(peer, "mef3io")) "mef3io"
            if (with_mef_tools && !snapshot && is_folder) {
                libraries <- c(
                    libraries, if (has_library(peer, "mef_tools")) "mef_tools"
                )
            }
            window <- if (kind == "first data") {
                list(mef_start, mef_start + 10e6)
            }
            asked <- list(axtile = here(kinds[[kind]][[1]]))
            for (library in libraries) {
                cache_argument <- if (library == "mef3io") their_cache else ""
                asked[[library]] <- do.call(there, c(
                    list(kinds[[kind]][[2]], library, path, cache_argument), window
                ))
            }
            measure(paste("mef", kind), row, asked)
            if (first) cold(kind, row, path, kinds[[kind]], libraries, their_cache, window)
        }
    }
}

# The same with files that are not in the page cache. Names and sizes of files
# may still be in memory.
cold <- function(kind, what, path, ways, libraries, cache, window) {
    once <- list(axtile = function() {
        start <- Sys.time()
        ways[[1]]()
        as.double(difftime(Sys.time(), start, units = "secs"))
    })
    for (library in libraries) {
        request <- c(
            list(peer, ways[[2]], library, path, if (library == "mef3io") cache else ""),
            window
        )
        once[[library]] <- local({
            request <- request
            function() do.call(ask_peer, request)$seconds[[1]]
        })
    }
    times <- lapply(once, function(f) numeric(settings$repeats))
    for (round in seq_len(settings$repeats)) {
        for (library in sample(names(once))) {
            if (!drop_files(path)) {
                return(invisible())
            }
            times[[library]][[round]] <- once[[library]]() * 1000
        }
    }
    for (library in names(once)) {
        record(
            paste0(library, ": ", what), 1L, "median", stats::median(times[[library]]),
            "ms", settings$repeats, dataset = "mef", topic = paste("mef", kind, "cold")
        )
    }
}

path <- build_session(scratch("small.mefd"), 8, 10, 5120)
compare_opening("8 channels x 10 segments", path)
archive <- archive_mef(path, scratch("small.mefd.tar"))
compare_opening("8 channels x 10 segments", archive)

path <- build_session(scratch("large.mefd"), 64, 600, 64)
compare_opening(
    "64 channels x 600 segments", path, with_mef_tools = FALSE, first = FALSE
)
unlink(path, recursive = TRUE)
