#' What stores keep for the next time
#'
#' A store keeps, in memory, results of queries and R's objects of what was
#' read, until what they were made of changes, or until they are more than the
#' option `axtile.daf_cache_mb` of [axtile_options()] allows, which is looked at
#' when a store is opened. The ones not used for longest go first.
#' `empty_cache()` lets all of it go at once.
#'
#' @param daf A DAF.
#' @param clear,keep What to let go, or what to keep, as names: `"mapped"`
#'   (`MAPPED_DATA`), R's objects of vectors, matrices and entries that were
#'   read, whose values are mapped from files where they can be; `"memory"`
#'   (`MEMORY_DATA`), matrices that were exchanged; `"query"` (`QUERY_DATA`),
#'   results of queries. By default, all go.
#' @returns `daf`, invisibly.
#' @section Errors:
#' `axtile_error_argument` for other names, or both `clear` and `keep`.
#' @family daf
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' d["@ cell : index >> Sum"]
#' empty_cache(d)
#' empty_cache(d, clear = QUERY_DATA)
#' @export
empty_cache <- function(daf, clear = NULL, keep = NULL) {
    if (!is.null(clear) && !is.null(keep)) {
        axtile_abort("argument", "Give `clear` or `keep`, not both.")
    }
    kinds <- c(MAPPED_DATA, MEMORY_DATA, QUERY_DATA)
    chosen <- function(names, arg) {
        short <- tolower(sub("Data$", "", names))
        if (!is.character(names) || !all(short %in% kinds)) {
            abort_argument(
                arg, "one or more of \"mapped\", \"memory\" and \"query\"",
                names, rlang::caller_env()
            )
        }
        short
    }
    gone <- if (!is.null(clear)) {
        chosen(clear, "clear")
    } else if (!is.null(keep)) {
        setdiff(kinds, chosen(keep, "keep"))
    } else {
        kinds
    }
    ask(
        rs_daf_empty_cache, daf,
        mapped = MAPPED_DATA %in% gone, memory = MEMORY_DATA %in% gone,
        query = QUERY_DATA %in% gone
    )
    invisible(daf)
}

#' @rdname empty_cache
#' @format NULL
#' @export
MAPPED_DATA <- "mapped"

#' @rdname empty_cache
#' @format NULL
#' @export
MEMORY_DATA <- "memory"

#' @rdname empty_cache
#' @format NULL
#' @export
QUERY_DATA <- "query"
