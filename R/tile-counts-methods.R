# Methods of TileCounts; the class is in tile-counts-class.R.

#' @rdname TileCounts
#' @exportMethod dim
setMethod("dim", "TileCounts", function(x) x@Dim)

#' @rdname TileCounts
#' @exportMethod length
setMethod("length", "TileCounts", function(x) {
    n <- prod(x@Dim)
    if (n <= .Machine$integer.max) as.integer(n) else n
})

#' @rdname TileCounts
#' @exportMethod dimnames
setMethod("dimnames", "TileCounts", function(x) {
    if (!all(vapply(x@Dimnames, is.null, NA))) x@Dimnames
})

#' @rdname TileCounts
#' @param value Names of rows and columns: a list of two, each a vector or
#'   `NULL`; or `NULL`.
#' @exportMethod "dimnames<-"
setMethod("dimnames<-", "TileCounts", function(x, value) {
    text <- function(names) if (length(names)) as.character(names)
    if (is.null(value)) {
        value <- list(NULL, NULL)
    }
    fits <- is.list(value) && length(value) == 2L &&
        all(lengths(value) == x@Dim | lengths(value) == 0L)
    if (!fits) {
        abort_argument(
            "value", paste0(
                "a list with ", x@Dim[[1L]], " row names and ", x@Dim[[2L]],
                " column names, or NULL for none"
            ), value, rlang::current_env()
        )
    }
    x@Dimnames <- lapply(value, text)
    x
})

#' @rdname TileCounts
#' @param object A `TileCounts`.
#' @exportMethod show
setMethod("show", "TileCounts", function(object) {
    number <- function(n) {
        format(n, big.mark = ",", scientific = FALSE, trim = TRUE)
    }
    preview <- function(names) {
        paste(c(utils::head(names, 3L), if (length(names) > 3L) "..."),
            collapse = ", "
        )
    }
    names <- object@Dimnames
    nnz <- length(object@x)
    bytes <- 8 * nnz + 4 * length(object@p)
    writeLines(c(
        paste0(
            "<TileCounts> ", number(object@Dim[[1L]]), " x ",
            number(object@Dim[[2L]]), " integer counts"
        ),
        paste0("  ", number(nnz), " nonzero, ", format_bytes(bytes)),
        if (length(names[[1L]])) paste0("  rows: ", preview(names[[1L]])),
        if (length(names[[2L]])) paste0("  columns: ", preview(names[[2L]]))
    ))
})

# Some columns, in any order.
take_columns <- function(x, columns) {
    starts <- x@p[columns]
    n <- x@p[columns + 1L] - starts
    total <- sum(as.double(n))
    if (total > .Machine$integer.max) {
        axtile_abort("limit", paste0(
            "the columns hold ", format(total), " nonzero counts; a matrix ",
            "holds at most ", .Machine$integer.max
        ))
    }
    elements <- sequence(n, starts + 1L)
    names <- x@Dimnames
    if (!is.null(names[[2L]])) {
        names[2L] <- list(names[[2L]][columns])
    }
    new_counts(
        c(0L, cumsum(n)), x@i[elements], x@x[elements],
        c(x@Dim[[1L]], length(columns)), names
    )
}

#' @rdname TileCounts
#' @param i,j Rows and columns: numbers, names or logical vectors.
#' @param ... Ignored.
#' @param drop Whether a single row or column becomes a vector.
#' @exportMethod "["
setMethod("[", "TileCounts", function(x, i, j, ..., drop = TRUE) {
    if (nargs() != 3L + !missing(drop)) {
        axtile_abort("argument", paste(
            "a TileCounts takes rows and columns, x[i, j];",
            "as(x, \"dgCMatrix\") takes more"
        ))
    }
    if (!missing(j)) {
        columns <- seq_len(x@Dim[[2L]])
        names(columns) <- x@Dimnames[[2L]]
        columns <- unname(columns[j])
        if (anyNA(columns)) {
            axtile_abort("range", "`j` holds a column that is not there")
        }
        x <- take_columns(x, columns)
    }
    if (missing(i) && !(drop && any(x@Dim == 1L))) {
        return(x)
    }
    m <- as_dgc(x)
    m <- if (missing(i)) m[, , drop = drop] else m[i, , drop = drop]
    if (is(m, "dgCMatrix")) {
        return(from_dgc(m))
    }
    storage.mode(m) <- "integer"
    m
})

#' @rdname TileCounts
#' @export
t.TileCounts <- function(x) {
    columns <- rep.int(seq_len(x@Dim[[2L]]) - 1L, diff(x@p))
    order <- order(x@i, method = "radix")
    n <- tabulate(x@i + 1L, x@Dim[[1L]])
    new_counts(
        c(0L, cumsum(n)), columns[order], x@x[order], rev(x@Dim),
        rev(x@Dimnames)
    )
}

#' @export
as.matrix.TileCounts <- function(x, ...) {
    m <- matrix(0L, x@Dim[[1L]], x@Dim[[2L]], dimnames = dimnames(x))
    columns <- rep.int(seq_len(x@Dim[[2L]]), diff(x@p))
    m[cbind(x@i + 1L, columns)] <- x@x
    m
}

counts_sums <- function(x, by_row, call = rlang::caller_env()) {
    sums <- rust(rs_counts_sums(list(
        p = x@p, i = x@i, x = x@x, n_rows = x@Dim[[1L]], by_row = by_row
    )), call = call)
    names(sums) <- x@Dimnames[[if (by_row) 1L else 2L]]
    sums
}

# Generics of the names that Matrix and BiocGenerics use, too: one method serves
# all of them. Base's functions are no generics.
setGeneric("colSums")
setGeneric("rowSums")
setGeneric("colMeans")
setGeneric("rowMeans")

#' @rdname TileCounts
#' @param na.rm,dims Ignored: counts are never missing.
#' @exportMethod colSums
setMethod(
    "colSums", "TileCounts",
    function(x, na.rm = FALSE, dims = 1L) counts_sums(x, FALSE)
)

#' @rdname TileCounts
#' @exportMethod rowSums
setMethod(
    "rowSums", "TileCounts",
    function(x, na.rm = FALSE, dims = 1L) counts_sums(x, TRUE)
)

#' @rdname TileCounts
#' @exportMethod colMeans
setMethod(
    "colMeans", "TileCounts",
    function(x, na.rm = FALSE, dims = 1L) counts_sums(x, FALSE) / x@Dim[[1L]]
)

#' @rdname TileCounts
#' @exportMethod rowMeans
setMethod(
    "rowMeans", "TileCounts",
    function(x, na.rm = FALSE, dims = 1L) counts_sums(x, TRUE) / x@Dim[[2L]]
)

# dgCMatrix is defined when Matrix is loaded, which is when anybody asks for it.
suppressMessages(
    methods::setAs("TileCounts", "dgCMatrix", function(from) as_dgc(from))
)
