#' The shell command
#'
#' axtile brings a command for the shell. Link it into a folder of the search
#' path to call it by name, for example
#' `ln -s "$(Rscript -e 'cat(axtile::axtile_command())')" ~/.local/bin/axtile`.
#'
#' ```
#' axtile info DATASET
#' axtile verify DATASET [--threads N]
#' axtile convert SOURCE... --output DATASET [options]
#' axtile obs info DATASET
#' axtile obs localize DATASET (--columns A,B | --all)
#' ```
#' `axtile help` lists the options. The exit status is 0 if all went well, 1 if
#' not, 2 for a wrong call.
#'
#' @returns The path of the command.
#' @family tiles
#' @examples
#' axtile_command()
#' @export
axtile_command <- function() {
    system.file("exec", "axtile", package = "axtile", mustWork = TRUE)
}

cli_usage <- c(
    "usage: axtile info DATASET",
    "       axtile verify DATASET [--threads N]",
    "       axtile convert SOURCE... --output DATASET [options]",
    "       axtile obs info DATASET",
    "       axtile obs localize DATASET (--columns A,B | --all)",
    "",
    "options of convert:",
    "  --layer NAME                h5ad: X (default), raw, or a layer",
    "  --layers A,B                h5ad: further layers",
    "  --kinds A=KIND,B=KIND       h5ad: count (default), float32 or float64",
    "  --join exact|union|intersection  genes of several files (exact)",
    "  --gene-names symbol|id      10x Genomics files (symbol)",
    "  --genome NAME               10x Genomics HDF5, version 2",
    "  --orientation genes_by_cells|cells_by_genes  Matrix Market",
    "  --obs-exclude A,B           columns to leave out",
    "  --var-exclude A,B",
    "  --format axtile|deltacells  format to write (axtile)",
    "  --tile-size N               cells a tile (the source's, or 10000)",
    "  --level N                   deltacells: zstd level (12)",
    "  --chunks N                  deltacells: chunks a tile (8)",
    "  --clusters N                axtile: clusters of cells in a tile (1)",
    "  --no-sort-genes             keep the genes' order in the tiles",
    "  --sort-genes-max-files N    files to take totals from, 0 for all (10)",
    "  --threads N                 worker threads (2)",
    "  --overwrite                 replace an earlier dataset",
    "  --resume                    go on after an interruption"
)

# Runs one command line; ends R with its exit status.
cli_main <- function(args) {
    status <- tryCatch(
        cli_run(args),
        axtile_cli_usage = function(e) {
            writeLines(c(conditionMessage(e), cli_usage), stderr())
            2L
        },
        error = function(e) {
            writeLines(paste("axtile:", conditionMessage(e)), stderr())
            1L
        },
        interrupt = function(e) {
            writeLines("axtile: interrupted", stderr())
            130L
        }
    )
    quit(save = "no", status = status)
}

# The exit status of a command line.
cli_run <- function(args) {
    command <- if (length(args)) args[[1L]] else "help"
    rest <- args[-1L]
    if (command == "obs") {
        command <- paste("obs", if (length(rest)) rest[[1L]] else "")
        rest <- rest[-1L]
    }
    run <- switch(command,
        info = cli_info,
        verify = cli_verify,
        convert = cli_convert,
        "obs info" = cli_obs_info,
        "obs localize" = cli_obs_localize,
        help = ,
        "--help" = ,
        "-h" = function(args) writeLines(cli_usage),
        "--version" = function(args) {
            writeLines(paste("axtile", utils::packageVersion("axtile")))
        },
        cli_wrong(paste0("axtile: there is no command '", command, "'"))
    )
    run(rest)
    0L
}

cli_wrong <- function(message) {
    stop(structure(
        class = c("axtile_cli_usage", "error", "condition"),
        list(message = message, call = NULL)
    ))
}

# Splits arguments into options and the rest. `with_value` and `flags` name the
# options there are, without the dashes.
cli_parse <- function(args, with_value = character(), flags = character()) {
    options <- list()
    others <- character()
    while (length(args)) {
        arg <- args[[1L]]
        args <- args[-1L]
        if (!startsWith(arg, "--")) {
            others <- c(others, arg)
            next
        }
        name <- sub("=.*", "", substring(arg, 3L))
        if (name %in% flags && !grepl("=", arg, fixed = TRUE)) {
            options[[name]] <- TRUE
        } else if (name %in% with_value) {
            if (grepl("=", arg, fixed = TRUE)) {
                value <- sub("^[^=]*=", "", arg)
            } else if (length(args)) {
                value <- args[[1L]]
                args <- args[-1L]
            } else {
                cli_wrong(paste0("axtile: --", name, " needs a value"))
            }
            options[[name]] <- value
        } else {
            cli_wrong(paste0("axtile: there is no option '", arg, "'"))
        }
    }
    list(options = options, others = others)
}

cli_dataset <- function(parsed) {
    if (length(parsed$others) != 1L) {
        cli_wrong("axtile: one dataset is needed")
    }
    open_tiles(parsed$others)
}

cli_number <- function(text, name) {
    number <- suppressWarnings(as.numeric(text))
    if (is.na(number)) {
        cli_wrong(
            paste0("axtile: --", name, " takes a number, not '", text, "'")
        )
    }
    number
}

cli_list <- function(text) {
    if (is.null(text)) NULL else strsplit(text, ",", fixed = TRUE)[[1L]]
}

# "a=1,b=2" as a named vector.
cli_named <- function(text, name) {
    parts <- regmatches(
        cli_list(text), regexpr("=", cli_list(text), fixed = TRUE),
        invert = TRUE
    )
    if (length(parts) == 0L || any(lengths(parts) != 2L)) {
        cli_wrong(paste0("axtile: --", name, " takes NAME=VALUE,..."))
    }
    part <- function(k) vapply(parts, `[[`, "", k)
    stats::setNames(part(2L), part(1L))
}

cli_info <- function(args) {
    print(cli_dataset(cli_parse(args)))
}

cli_verify <- function(args) {
    parsed <- cli_parse(args, with_value = "threads")
    threads <- parsed$options$threads
    dataset <- cli_dataset(parsed)
    report <- if (is.null(threads)) {
        verify_tiles(dataset)
    } else {
        verify_tiles(dataset, threads = cli_number(threads, "threads"))
    }
    writeLines(paste0(dataset$path, ": ", nrow(report), " files are whole"))
}

cli_convert <- function(args) {
    texts <- c(
        "layer", "join", "gene-names", "genome", "orientation", "format"
    )
    lists <- c("layers", "obs-exclude", "var-exclude")
    numbers <- c(
        "tile-size", "level", "chunks", "clusters", "threads",
        "sort-genes-max-files"
    )
    parsed <- cli_parse(
        args,
        with_value = c("output", "kinds", texts, lists, numbers),
        flags = c("no-sort-genes", "overwrite", "resume")
    )
    options <- parsed$options
    if (is.null(options$output) || length(parsed$others) == 0L) {
        cli_wrong("axtile: convert needs sources and --output")
    }
    given <- function(names) intersect(names, names(options))
    arguments <- c(
        options[given(texts)],
        lapply(options[given(lists)], cli_list),
        Map(cli_number, options[given(numbers)], given(numbers))
    )
    names(arguments) <- gsub("-", "_", names(arguments), fixed = TRUE)
    if (!is.null(options$kinds)) {
        arguments$kinds <- cli_named(options$kinds, "kinds")
    }
    if (identical(arguments$sort_genes_max_files, 0)) {
        arguments$sort_genes_max_files <- Inf
    }
    arguments <- c(
        list(parsed$others, options$output), arguments,
        sort_genes = is.null(options[["no-sort-genes"]]),
        overwrite = !is.null(options$overwrite),
        resume = !is.null(options$resume)
    )
    print(do.call(convert_tiles, arguments))
}

cli_obs_info <- function(args) {
    dataset <- cli_dataset(cli_parse(args))
    print(obs_columns(dataset), row.names = FALSE)
}

cli_obs_localize <- function(args) {
    parsed <- cli_parse(args, with_value = "columns", flags = "all")
    columns <- cli_list(parsed$options$columns)
    if (is.null(columns) == is.null(parsed$options$all)) {
        cli_wrong("axtile: obs localize needs either --columns or --all")
    }
    dataset <- cli_dataset(parsed)
    localize_obs(dataset, columns)
    fields <- obs_columns(dataset)
    writeLines(
        paste0(
            "localized: ", paste(fields$name[fields$localized], collapse = ", ")
        )
    )
}
