# Timing alternatives of which some are asked of another process.

# Milliseconds of wall clock and of the processor of a call, in the mean of
# `n` measurements of `batch` calls. R's collector runs between them, not in
# them: other processes free their results at once.
timed <- function(f, n, batch) {
    taken <- c(wall = 0, cpu = 0)
    for (k in seq_len(n)) {
        gc(FALSE)
        clock <- proc.time()
        start <- Sys.time()
        for (call in seq_len(batch)) f()
        wall <- as.double(difftime(Sys.time(), start, units = "secs"))
        clock <- proc.time() - clock
        taken <- taken + c(wall, clock[["user.self"]] + clock[["sys.self"]])
    }
    taken * 1000 / (n * batch)
}

# How many measurements of how many calls, so that the clock's tick of 1 ms does
# not matter and neither do single calls.
plan_calls <- function(f) {
    f()
    took <- timed(f, 1, 1)[["wall"]]
    batch <- ceiling(20 / max(took, 0.02))
    list(n = max(1, min(20, ceiling(150 / max(took * batch, 1)))), batch = batch)
}

# A function that does it here, or asks for it: what `measure()` takes.
here <- function(f) {
    plan <- plan_calls(f)
    function() timed(f, plan$n, plan$batch)
}

there <- function(..., n = 5) {
    arguments <- list(peer, ...)
    once <- function() do.call(ask_peer, arguments)$seconds
    once()
    function() {
        all <- vapply(seq_len(n), function(k) once(), numeric(2))
        stats::setNames(rowMeans(all) * 1000, c("wall", "cpu"))
    }
}

# Rows of alternatives by library, taking turns in random order.
measure <- function(topic, what, asked, threads = 1L, dataset = "mef",
                    repeats = settings$repeats) {
    times <- lapply(asked, function(f) matrix(0, 2, repeats))
    for (round in seq_len(repeats)) {
        for (name in sample(names(asked))) {
            times[[name]][, round] <- asked[[name]]()
        }
    }
    for (name in names(asked)) {
        record_times(topic, name, what, times[[name]], threads, dataset)
    }
    invisible(times)
}

record_times <- function(topic, library, what, times, threads = 1L,
                         dataset = "mef") {
    row <- function(metric, value) {
        record(
            paste0(library, ": ", what), threads, metric, value, "ms",
            ncol(times), dataset = dataset, topic = topic
        )
    }
    row("median", stats::median(times[1, ]))
    row("min", min(times[1, ]))
    row("cpu median", stats::median(times[2, ]))
    row("cpu min", min(times[2, ]))
}

folder_bytes <- function(path) {
    files <- list.files(path, recursive = TRUE, full.names = TRUE)
    sum(file.size(c(files, if (!dir.exists(path)) path)))
}

# Asks the system to forget the files' content; whether it could be asked.
drop_files <- function(path) {
    if (Sys.info()[["sysname"]] != "Linux" || !nzchar(Sys.which("dd"))) {
        return(FALSE)
    }
    files <- if (dir.exists(path)) {
        list.files(path, recursive = TRUE, full.names = TRUE)
    } else {
        path
    }
    # Only what is on the disk can be forgotten.
    list_file <- scratch("files")
    writeLines(files, list_file)
    command <- sprintf(
        "sync; xargs -d '\\n' -I{} dd if={} iflag=nocache count=0 status=none < %s",
        shQuote(list_file)
    )
    system(command) == 0L
}
