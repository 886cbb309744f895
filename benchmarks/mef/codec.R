# Reading and writing one channel of 1.2 million samples, one thread, and the
# sizes of the sessions.

n_samples <- 1200000
libraries <- c("axtile", if (!is.null(peer)) peer$libraries)
fixed <- function(x) format(x, digits = 15, scientific = FALSE)

# A signal as users have it: counts, or values of so many decimals.
samples_of <- function(signal) {
    one_channel(
        if (is.null(signal$decimals)) signal$counts else signal_values(signal)
    )
}

write_here <- function(x, path, precision, scale = NULL) {
    unlink(path, recursive = TRUE)
    close(write_mef(
        x, path, sampling_rate = mef_rate, start = mef_start, units = "uV",
        precision = if (is.integer(x)) "automatic" else precision,
        conversion_factor = if (is.integer(x)) scale
    ))
    path
}

# The blocks, without the file's header.
blocks_of <- function(path) {
    file <- list.files(path, "\\.tdat$", recursive = TRUE, full.names = TRUE)
    bytes <- readBin(file, "raw", file.size(file))
    bytes[-(1:1024)]
}

signals <- mef_signals(n_samples)
for (name in names(signals)) {
    signal <- signals[[name]]
    path <- function(library) scratch(paste0(library, "-codec.mefd"))
    scale <- if (is.null(signal$decimals)) {
        paste0("x", fixed(signal$scale))
    } else {
        fixed(signal$decimals)
    }
    x <- samples_of(signal)
    # Writing. mef_tools takes doubles only.
    asked <- list(axtile = here(function() {
        write_here(x, path("axtile"), signal$decimals, signal$scale)
    }))
    if (!is.null(peer)) {
        file <- scratch("signal.bin")
        if (is.null(signal$decimals)) {
            writeBin(as.vector(x), file, size = 4)
            ask_peer(peer, "load", "signal", file, "<i4")
        } else {
            writeBin(as.vector(x), file, size = 8)
            ask_peer(peer, "load", "signal", file, "<f8")
        }
    }
    for (library in setdiff(libraries, "axtile")) {
        if (library == "mef_tools" && is.null(signal$decimals)) next
        asked[[library]] <- there(
            "write", library, path(library), "signal", scale, mef_start,
            mef_rate, n = 3
        )
    }
    measure("mef write", name, asked)
    for (library in names(asked)) {
        record(
            paste0(library, ": ", name), NA, "size",
            folder_bytes(path(library)) / n_samples, "bytes a sample",
            dataset = "mef", topic = "mef size"
        )
    }
    if ("mef3io" %in% names(asked)) {
        same <- identical(blocks_of(path("axtile")), blocks_of(path("mef3io")))
        record(
            paste0("axtile: blocks as mef3io's, ", name), NA, "same",
            as.integer(same), "1 for yes", dataset = "mef", topic = "mef size"
        )
    }

    # Reading, all libraries the session that axtile wrote.
    session <- open_mef(path("axtile"))
    stopifnot(identical(
        as.vector(read_mef(session, values = "counts", times = "none")),
        signal$counts
    ))
    asked <- list(
        axtile = here(function() read_mef(session, times = "none")),
        "axtile, with times" = here(function() read_mef(session)),
        "axtile, counts" = here(function() {
            read_mef(session, values = "counts", times = "none")
        })
    )
    total <- sum(read_mef(session, times = "none"))
    for (library in setdiff(libraries, "axtile")) {
        request <- list("read", library, path("axtile"), 1)
        theirs <- do.call(ask_peer, c(list(peer), request))$value
        stopifnot(all.equal(as.double(theirs), total))
        asked[[library]] <- do.call(there, request)
    }
    measure("mef read", name, asked)
}

# The amplifier's step, found in values.
signal <- signals[[1]]
values <- signal_values(signal)
file <- scratch("signal.bin")
writeBin(values, file, size = 8)
if (has_library(peer, "mef3io")) ask_peer(peer, "load", "signal", file, "<f8")
for (precision in list(3, "step")) {
    what <- paste0("EEG of an amplifier, precision ", precision)
    path <- write_here(one_channel(values), scratch("step.mefd"), precision)
    sizes <- c(axtile = folder_bytes(path))
    if (has_library(peer, "mef3io")) {
        path <- scratch("step-mef3io.mefd")
        ask_peer(
            peer, "write", "mef3io", path, "signal", format(precision),
            mef_start, mef_rate
        )
        sizes[["mef3io"]] <- folder_bytes(path)
    }
    for (library in names(sizes)) {
        record(
            paste0(library, ": ", what), NA, "size",
            sizes[[library]] / n_samples, "bytes a sample", dataset = "mef",
            topic = "mef size"
        )
    }
}
rm(signals, signal, values, x)
