# Runs the benchmarks and adds their rows to a table; README.md tells more.
#   Rscript benchmarks/run.R [--cells N] [--genes N] [--detected N]
#       [--h5ad FILE] [--topics A,B] [--repeats N] [--name NAME]
#       [--machine NAME] [--out FILE] [--daf FOLDER] [--python PROGRAM]

arguments <- commandArgs(TRUE)
known <- c(
    "cells", "genes", "detected", "h5ad", "topics", "repeats", "name",
    "machine", "out", "daf", "python"
)
# Names and values take turns.
odd <- seq_along(arguments) %% 2L == 1L
keys <- sub("^--", "", arguments[odd])
if (length(arguments) %% 2L || !all(startsWith(arguments[odd], "--")) || !all(keys %in% known)) {
    stop("options, each with a value: ", paste0("--", known, collapse = " "), call. = FALSE)
}
given <- stats::setNames(as.list(arguments[!odd]), keys)
option <- function(key, default) if (is.null(given[[key]])) default else given[[key]]
number <- function(key, default) {
    value <- suppressWarnings(as.double(option(key, default)))
    if (is.na(value) || value < 1) stop("--", key, " takes a number from 1", call. = FALSE)
    value
}

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1]]))
here <- normalizePath(here)
rscript <- file.path(R.home("bin"), "Rscript")
h5ad <- if (!is.null(given$h5ad)) normalizePath(given$h5ad, mustWork = TRUE)
n_cells <- number("cells", 10000)
n_genes <- number("genes", 20000)
detected <- number("detected", n_genes / 10)
repeats <- as.integer(number("repeats", 5))
topics <- sub("\\.R$", "", list.files(file.path(here, "cases"), "\\.R$"))
if (!is.null(given$topics)) {
    unknown <- setdiff(strsplit(given$topics, ",")[[1]], topics)
    if (length(unknown)) {
        topics <- paste(topics, collapse = ", ")
        stop("no topic ", unknown[[1]], "; there are: ", topics, call. = FALSE)
    }
    topics <- strsplit(given$topics, ",")[[1]]
}
dataset <- option("name", if (is.null(h5ad)) {
    format_size <- function(x) format(x, scientific = FALSE, trim = TRUE)
    paste0("synthetic ", format_size(n_cells), " x ", format_size(n_genes))
} else {
    sub("\\.h5ad$", "", basename(h5ad))
})

# The processor's name and the number of cores.
machine <- function() {
    model <- tryCatch(
        sub(".*: *", "", grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[[1]]),
        error = function(e) Sys.info()[["machine"]], warning = function(w) Sys.info()[["machine"]]
    )
    model <- gsub("\\(R\\)|\\(TM\\)|CPU|Processor|@.*", "", model)
    slug <- gsub("[^a-z0-9]+", "-", tolower(trimws(model)))
    paste0(sub("-+$", "", slug), "-", parallel::detectCores(), "c")
}
machine <- option("machine", machine())
date <- format(Sys.Date())
out <- option("out", file.path(
    dirname(here), "inst", "extdata", "benchmarks", paste0(date, "_", machine, ".csv")
))
peer_versions <- function(python) {
    code <- paste0(
        "from importlib.metadata import distributions as d; ",
        "names = {x.name.replace('_', '-'): x.version for x in d()}; ",
        "known = ('mef3io', 'mef-tools', 'pymef'); ",
        "print('; '.join(k + ' ' + names[k] for k in known if k in names))"
    )
    system2(python, c("-c", shQuote(code)), stdout = TRUE)
}
versions <- paste(c(
    paste("R", getRversion()),
    unlist(lapply(c("axtile", "Matrix", "rhdf5", "HDF5Array", "dafr"), function(package) {
        version <- tryCatch(utils::packageVersion(package), error = function(e) NULL)
        if (!is.null(version)) paste(package, version)
    })),
    if (!is.null(given$python)) peer_versions(given$python)
), collapse = "; ")
git <- c("-C", shQuote(here), "rev-parse", "--short", "HEAD")
commit <- suppressWarnings(tryCatch(
    system2("git", git, stdout = TRUE, stderr = FALSE),
    error = function(e) character()
))
commit <- if (length(commit)) commit[[1]] else NA

# The example that the DAF case starts from, where there are shared files.
shared <- Sys.getenv("AXTILE_SHARED", file.path(dirname(dirname(here)), "shared"))
example <- file.path(shared, "fixtures", "daf", "cells_daf")

work <- tempfile("axtile-benchmarks-")
dir.create(work)
finish <- function(status) {
    unlink(work, recursive = TRUE)
    quit(save = "no", status = status)
}
settings <- list(
    work = work, repeats = repeats, dataset = dataset, h5ad = h5ad,
    made = list(cells = n_cells, genes = n_genes, detected = detected),
    counts = file.path(work, "counts.rds"), rows = file.path(work, "rows.rds"),
    daf = option("daf", file.path(tools::R_user_dir("axtile", "cache"), "benchmarks-daf")),
    daf_example = if (dir.exists(example)) example,
    python = given$python
)
settings_file <- file.path(work, "settings.rds")
saveRDS(settings, settings_file)

setwd(here)
run <- function(script) {
    unlink(settings$rows)
    environment <- c(
        # A cache of obs columns that is this run's alone.
        paste0("DELTACELLS_CACHE=", file.path(work, "cache")),
        # R's collector is to leave the times of all alternatives alone: it
        # runs when more memory is asked for than R expects to need.
        "R_VSIZE=8G"
    )
    system2(rscript, c(shQuote(script), shQuote(settings_file)), env = environment)
}

cat("dataset:", dataset, "\nmachine:", machine, "\n")
if (!all(topics %in% c("daf", "mef")) && run("prepare.R") != 0L) finish(1L)
results <- NULL
failed <- character()
for (topic in topics) {
    cat(topic, "\n", sep = "")
    status <- run(file.path("cases", paste0(topic, ".R")))
    if (status != 0L || !file.exists(settings$rows)) {
        failed <- c(failed, topic)
        next
    }
    results <- rbind(results, readRDS(settings$rows))
}

if (!is.null(results)) {
    results <- cbind(
        results,
        date = date, machine = machine, versions = versions, commit = commit
    )
    # A later run of the same topics on the same data replaces the earlier one.
    if (file.exists(out)) {
        old <- utils::read.csv(out)
        key <- function(rows) paste(rows$dataset, rows$topic)
        again <- key(old) %in% key(results)
        results <- rbind(old[!again, ], results)
    }
    dir.create(dirname(out), showWarnings = FALSE, recursive = TRUE)
    utils::write.csv(results, out, row.names = FALSE)
    cat("written:", out, "\n")
}
if (length(failed)) cat("failed:", paste(failed, collapse = ", "), "\n")
finish(if (length(failed)) 1L else 0L)
