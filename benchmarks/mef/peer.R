# mef3io and mef_tools in a process of their own (`peer.py`), which is asked by a
# connection and times itself.

# Starts `python`; NULL without one. `libraries`: what it has of the two.
start_peer <- function(python) {
    if (is.null(python)) {
        return(NULL)
    }
    port <- 20000L + Sys.getpid() %% 20000L
    socket <- NULL
    for (port in port + 0:20) {
        socket <- tryCatch(serverSocket(port), error = function(e) NULL)
        if (!is.null(socket)) break
    }
    stopifnot("no port is free" = !is.null(socket))
    script <- normalizePath(file.path("mef", "peer.py"))
    system2(python, c(shQuote(script), port), wait = FALSE)
    connection <- socketAccept(socket, blocking = TRUE, open = "r+", timeout = 3600)
    close(socket)
    peer <- list(connection = connection)
    peer$versions <- ask_peer(peer, "libraries")$value
    known <- sub(" .*", "", strsplit(peer$versions, "; ")[[1]])
    peer$libraries <- sub("-", "_", setdiff(known, "pymef"))
    peer
}

# Seconds of wall clock and of the processor, and a value.
ask_peer <- function(peer, ...) {
    # Numbers with all their digits.
    words <- vapply(list(...), function(x) {
        if (is.character(x)) x else format(x, digits = 15, scientific = FALSE)
    }, "")
    writeLines(paste(words, collapse = "\t"), peer$connection)
    answer <- readLines(peer$connection, 1L)
    if (length(answer) == 0L) stop("the Python process has ended")
    fields <- strsplit(answer, "\t", fixed = TRUE)[[1]]
    if (fields[[1]] == "error") stop(fields[[2]], call. = FALSE)
    list(
        seconds = as.double(fields[1:2]), value = paste(fields[-(1:2)], collapse = "")
    )
}

stop_peer <- function(peer) if (!is.null(peer)) close(peer$connection)

has_library <- function(peer, library) library %in% peer$libraries
