# Appending a block of 10 seconds to each channel, again and again: the libraries
# take turns, so that what else uses the disk meets all of them. "full": on the
# disk when the call returns (mef3io: wait_for_disk=True). "fast": when the writer
# is closed.

append_case <- function(n_channels, durability, n_appends) {
    block <- with_random(3, function() {
        as.integer(cumsum(sample(-40:40, 10 * mef_rate, TRUE)))
    })
    libraries <- c("axtile", if (!is.null(peer)) peer$libraries)
    # mef_tools reads all metadata again at each append and never waits.
    if (durability == "full" || n_channels > 4) {
        libraries <- setdiff(libraries, "mef_tools")
    }
    path <- function(library) scratch(paste0(library, "-append.mefd"))
    x <- matrix(block, length(block), n_channels)
    colnames(x) <- sprintf("c%02d", seq_len(n_channels) - 1L)
    start_of <- function(number) mef_start + number * 10e6
    writer <- NULL
    append_here <- function(number) {
        clock <- proc.time()
        start <- Sys.time()
        if (number == 0) {
            writer <<- write_mef(
                x, path("axtile"), sampling_rate = mef_rate, start = mef_start,
                conversion_factor = adc_step, units = "uV", overwrite = TRUE
            )
        } else {
            append_mef(writer, x, start = start_of(number), durability = durability)
        }
        wall <- as.double(difftime(Sys.time(), start, units = "secs"))
        clock <- proc.time() - clock
        c(wall, clock[["user.self"]] + clock[["sys.self"]])
    }
    if (!is.null(peer)) {
        file <- scratch("block.bin")
        writeBin(block, file, size = 4)
        ask_peer(peer, "load", "block", file, "<i4")
    }
    for (library in setdiff(libraries, "axtile")) {
        ask_peer(peer, "start_writer", library, path(library), durability)
    }
    append_there <- function(library, number) {
        ask_peer(
            peer, "append", library, path(library), "block", n_channels,
            start_of(number), mef_rate, adc_step
        )$seconds
    }
    times <- lapply(stats::setNames(nm = libraries), function(library) {
        matrix(0, 2, n_appends)
    })
    # The first one makes the session and is not counted.
    for (number in 0:n_appends) {
        for (library in sample(libraries)) {
            taken <- if (library == "axtile") {
                append_here(number)
            } else {
                append_there(library, number)
            }
            if (number > 0) times[[library]][, number] <- taken * 1000
        }
    }
    close(writer)
    for (library in setdiff(libraries, "axtile")) {
        ask_peer(peer, "end_writer", library, path(library))
    }
    read <- read_mef(open_mef(path("axtile")), 1, values = "counts", times = "none")
    stopifnot(identical(as.vector(read), rep(block, n_appends + 1)))
    unlink(vapply(libraries, path, ""), recursive = TRUE)
    times
}

growth <- function(times) {
    n <- length(times)
    part <- max(1, n %/% 6)
    stats::median(utils::tail(times, part)) / stats::median(utils::head(times, part))
}

# A day in ten-minute parts: 144 appends, of which the last are to cost what the
# first did.
for (durability in c("full", "fast")) {
    for (n_channels in c(1, 4)) {
        what <- paste0("144 appends to ", n_channels, " channels, ", durability)
        times <- append_case(n_channels, durability, 144)
        for (library in names(times)) {
            record_times("mef append", library, what, times[[library]])
            record(
                paste0(library, ": ", what), 1L, "growth", growth(times[[library]][1, ]),
                "last 24 / first 24", 144L, dataset = "mef", topic = "mef append"
            )
        }
    }
}
for (durability in c("full", "fast")) {
    for (n_channels in c(1, 4, 16, 64)) {
        what <- paste0(n_channels, " channels, ", durability)
        times <- append_case(n_channels, durability, 15)
        for (library in names(times)) {
            record_times("mef append scaling", library, what, times[[library]])
        }
    }
}
