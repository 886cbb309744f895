# Converting files: time and peak memory, each run in a process of its own.
source("common.R")

m <- counts()
folder <- scratch("mtx")
dir.create(folder)
invisible(Matrix::writeMM(m, file.path(folder, "matrix.mtx")))
writeLines(colnames(m), file.path(folder, "barcodes.tsv"))
writeLines(paste(rownames(m), rownames(m), sep = "\t"), file.path(folder, "genes.tsv"))
inputs <- c("Matrix Market folder" = folder)
if (!is.null(settings$h5ad)) {
    inputs <- c("h5ad as given" = settings$h5ad, inputs)
} else if (has_package("rhdf5")) {
    inputs <- c("h5ad" = write_h5ad(m, scratch("input.h5ad")), inputs)
}

quoted <- function(path) encodeString(path, quote = "'")
convert <- function(what, input, threads, choices = "", repeats = 1L) {
    target <- scratch("converted.tiles")
    code <- c(
        "library(axtile)", "start <- Sys.time()",
        sprintf(
            "ds <- convert_tiles(%s, %s, threads = %d, overwrite = TRUE%s)",
            quoted(input), quoted(target), threads, choices
        ),
        "cat('seconds', as.double(Sys.time() - start, units = 'secs'), '\\n')"
    )
    runs <- lapply(seq_len(repeats), function(round) measure_process(code))
    times <- vapply(runs, `[[`, 0, "seconds")
    peaks <- apply(vapply(runs, `[[`, c(0, 0), "peak"), 1L, max)
    record(what, threads, "median", stats::median(times), "s", repeats)
    record(what, threads, "min", min(times), "s", repeats)
    record(what, threads, "peak own memory", peaks[[1]], "MB", repeats)
    record(what, threads, "peak with mapped files", peaks[[2]], "MB", repeats)
    unlink(target, recursive = TRUE)
}

idle <- measure_process(c("library(axtile)", "Sys.sleep(0.3)", "cat('seconds 0\\n')"))
record("R with axtile, idle", 1, "peak own memory", idle$peak[[1]], "MB")
formats <- c(
    axtile = "", "axtile 8 clusters" = ", clusters = 8",
    "deltacells level 12" = ", format = 'deltacells', level = 12"
)
for (k in seq_along(inputs)) {
    for (format in names(formats)) {
        for (threads in 1:2) {
            what <- paste0(names(inputs)[[k]], ", ", format)
            convert(what, inputs[[k]], threads, formats[[format]], repeats = settings$repeats)
        }
    }
}

# The same cells over and over: own memory is to stay where it is.
if (has_package("rhdf5")) {
    for (copies in c(1L, 4L, 12L)) {
        big <- write_h5ad(m, scratch("big.h5ad"), copies)
        nonzeros <- as.double(length(m@x)) * copies
        cells <- ncol(m) * copies
        shown <- format(cells, big.mark = ",", scientific = FALSE)
        what <- paste0("h5ad of ", shown, " cells")
        record(what, NA, "as a dgCMatrix", (12 * nonzeros + 4 * cells) / 1e6, "MB")
        record(what, NA, "size", file.size(big) / 1e6, "MB")
        for (threads in 1:2) convert(what, big, threads)
    }
} else {
    skip("h5ad files larger than a tile", "rhdf5 is not installed")
}
finish()
