# What the cases share. A case is a script that run.R starts in a fresh R
# process, as `Rscript cases/<topic>.R <settings.rds>`, in the folder
# `benchmarks`; its rows go to the file that the settings name.

library(axtile)
library(Matrix)

settings <- readRDS(commandArgs(TRUE)[[1]])
topic <- sub("\\.R$", "", basename(sub(
    "^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1]]
)))
rows <- list()

# A file or folder of this case; finish() deletes them.
scratch <- function(name) {
    folder <- file.path(settings$work, topic)
    dir.create(folder, showWarnings = FALSE)
    file.path(folder, name)
}

counts <- function() readRDS(settings$counts)

# Functions that write a matrix as tiles: in the axtile format, in the smaller
# form with clusters of cells, and in the deltacells format at some zstd levels.
ways_to_write <- function(levels) {
    deltacells <- function(level) {
        force(level)
        function(m, path, ...) {
            write_tiles(m, path, format = "deltacells", level = level, ...)
        }
    }
    ways <- lapply(stats::setNames(levels, paste("deltacells level", levels)), deltacells)
    c(list(
        axtile = function(m, path, ...) write_tiles(m, path, ...),
        "axtile 8 clusters" = function(m, path, ...) {
            write_tiles(m, path, clusters = 8, ...)
        }
    ), ways)
}

# `dataset` and `topic` where they are not those of the run and the case.
record <- function(what, threads, metric, value, unit, n = 1L,
                   dataset = settings$dataset, topic = get("topic", globalenv())) {
    rows[[length(rows) + 1L]] <<- data.frame(
        dataset = dataset, topic = topic, what = what, threads = threads,
        metric = metric, value = signif(value, 5), unit = unit, n = n
    )
    cat(sprintf(
        "  %-46s %s threads  %-10s %10.4g %s\n", what,
        if (is.na(threads)) "-" else threads, metric, value, unit
    ))
}

skip <- function(what, why, dataset = settings$dataset,
                 topic = get("topic", globalenv())) {
    cat(sprintf("  %-46s skipped: %s\n", what, why))
    rows[[length(rows) + 1L]] <<- data.frame(
        dataset = dataset, topic = topic, what = what, threads = NA,
        metric = "skipped", value = NA, unit = gsub("[\n,\"]+", " ", why), n = 0L
    )
}

finish <- function() {
    saveRDS(do.call(rbind, rows), settings$rows)
    unlink(file.path(settings$work, topic), recursive = TRUE)
}

# Seconds of wall clock of a call; the garbage of earlier ones is not its fault.
seconds <- function(f) {
    gc()
    start <- Sys.time()
    f()
    as.double(difftime(Sys.time(), start, units = "secs"))
}

# Times alternatives in turns, so that a disturbance of the machine meets all of
# them: `repeats` rounds in random order. Each runs twice in a row, and the second
# time counts, since what ran before not only leaves files in the page cache but
# takes memory from the system or gives it back, which is dear. Records median,
# minimum and the median as a multiple of that of the first alternative, which
# is the reference. `inner` calls are timed as one where a call is short.
compare <- function(alternatives, threads = 1L, inner = 1L,
                    repeats = settings$repeats) {
    threads <- rep_len(threads, length(alternatives))
    many <- function(f) if (inner == 1L) f else function() for (k in seq_len(inner)) f()
    alternatives <- lapply(alternatives, many)
    times <- matrix(0, length(alternatives), repeats)
    for (round in seq_len(repeats)) {
        for (k in sample(length(alternatives))) {
            alternatives[[k]]()
            times[k, round] <- seconds(alternatives[[k]]) * 1000 / inner
        }
    }
    medians <- apply(times, 1L, stats::median)
    for (k in seq_along(alternatives)) {
        what <- names(alternatives)[[k]]
        record(what, threads[[k]], "median", medians[[k]], "ms", repeats)
        record(what, threads[[k]], "min", min(times[k, ]), "ms", repeats)
        record(what, threads[[k]], "ratio", medians[[k]] / medians[[1]], "times", repeats)
    }
    invisible(stats::setNames(medians, names(alternatives)))
}

# Runs R code in a fresh process. Returns the seconds that it says it took
# (`cat("seconds", s, "\n")`) and, where there is a /proc, its peak memory in
# MB: of its own (anonymous), and with the mapped files, which the system may
# drop whenever it needs the room.
measure_process <- function(code) {
    files <- file.path(tempdir(), c("code.R", "pid", "out"))
    unlink(files)
    quoted <- encodeString(files[[2]], quote = "'")
    writeLines(c(
        sprintf("writeLines(format(Sys.getpid()), %s)", quoted),
        "tryCatch({", code,
        "}, error = function(e) cat('error', conditionMessage(e), '\\n'),",
        "finally = cat('ended\\n'))"
    ), files[[1]])
    rscript <- file.path(R.home("bin"), "Rscript")
    system2(rscript, shQuote(files[[1]]), stdout = files[[3]], wait = FALSE)
    read <- function(path) {
        suppressWarnings(tryCatch(readLines(path), error = function(e) ""))
    }
    peak <- c(anonymous = NA_real_, all = NA_real_)
    repeat {
        output <- read(files[[3]])
        pid <- c(read(files[[2]]), "")[[1]]
        lines <- if (nzchar(pid)) read(file.path("/proc", pid, "status"))
        kb <- function(key) {
            c(as.double(sub("\\D*(\\d+) kB", "\\1", grep(key, lines, value = TRUE))), NA)[[1]]
        }
        peak <- pmax(peak, c(kb("^RssAnon"), kb("^VmHWM")) / 1000, na.rm = TRUE)
        if (any(output == "ended")) break
        gone <- dir.exists("/proc/self") && nzchar(pid) && is.na(kb("^VmHWM"))
        if (gone && !any(read(files[[3]]) == "ended")) stop("the process was killed")
        Sys.sleep(0.01)
    }
    wrong <- grep("^error ", output, value = TRUE)
    if (length(wrong)) stop(wrong[[1]])
    line <- grep("^seconds ", output, value = TRUE)
    list(seconds = as.double(sub("seconds ", "", line)), peak = peak)
}

has_package <- function(name) requireNamespace(name, quietly = TRUE)

# A gzipped vector in an HDF5 file, as often as `copies` says.
write_vector <- function(values, path, name, type, copies = 1L) {
    rhdf5::h5createDataset(
        path, name, length(values) * copies,
        H5type = type, chunk = min(65536L, length(values)), level = 4
    )
    for (copy in seq_len(copies)) {
        rhdf5::h5write(
            values, path, name,
            start = (copy - 1) * length(values) + 1, count = length(values)
        )
    }
}

# The matrix of a 10x Genomics file, without names.
write_10x <- function(m, path) {
    unlink(path)
    rhdf5::h5createFile(path)
    rhdf5::h5createGroup(path, "matrix")
    write_vector(m@x, path, "matrix/data", "H5T_STD_I32LE")
    write_vector(m@i, path, "matrix/indices", "H5T_STD_I32LE")
    write_vector(m@p, path, "matrix/indptr", "H5T_STD_I32LE")
    rhdf5::h5write(dim(m), path, "matrix/shape")
    rhdf5::h5closeAll()
}

# An AnnData file with X in compressed sparse rows, as anndata writes it.
# `copies` puts the cells several times behind each other.
write_h5ad <- function(m, path, copies = 1L) {
    unlink(path)
    rhdf5::h5createFile(path)
    for (group in c("X", "obs", "var")) rhdf5::h5createGroup(path, group)
    n <- length(m@x)
    write_vector(m@x, path, "X/data", "H5T_IEEE_F32LE", copies)
    write_vector(m@i, path, "X/indices", "H5T_STD_I32LE", copies)
    starts <- outer(m@p[-1], (seq_len(copies) - 1) * n, `+`)
    rhdf5::h5createDataset(path, "X/indptr", length(starts) + 1L, H5type = "H5T_STD_I64LE")
    rhdf5::h5write(c(0, starts), path, "X/indptr")
    rhdf5::h5write(paste0("cell", seq_len(ncol(m) * copies)), path, "obs/_index")
    rhdf5::h5write(rownames(m), path, "var/_index")
    file <- rhdf5::H5Fopen(path)
    on.exit(rhdf5::h5closeAll())
    describe <- function(name, ...) {
        group <- rhdf5::H5Gopen(file, name)
        values <- list(...)
        for (key in names(values)) {
            value <- values[[key]]
            rhdf5::h5writeAttribute(value, group, key, asScalar = length(value) == 1L)
        }
        rhdf5::H5Gclose(group)
    }
    describe("X",
        "encoding-type" = "csr_matrix", "encoding-version" = "0.1.0",
        shape = c(ncol(m) * copies, nrow(m))
    )
    for (group in c("obs", "var")) {
        describe(group,
            "encoding-type" = "dataframe", "encoding-version" = "0.2.0",
            "_index" = "_index"
        )
    }
    path
}

# The counts of such a file as a dgCMatrix, genes x cells, with rhdf5 alone.
read_h5ad_rhdf5 <- function(path) {
    read <- function(name) {
        as.vector(rhdf5::h5read(path, name, bit64conversion = "double"))
    }
    shape <- rhdf5::h5readAttributes(path, "X")$shape
    Matrix::sparseMatrix(
        i = read("X/indices"), p = read("X/indptr"), x = as.double(read("X/data")),
        dims = rev(as.integer(shape)), index1 = FALSE
    )
}
