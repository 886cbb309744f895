#' Compact matrices of integer counts
#'
#' What [read_tile()] and [read_cells()] return for `as = "integer"` where the
#' SparseArray package is not installed: the columns of a
#' [Matrix::dgCMatrix-class] with integer values, in two thirds of its memory (8
#' bytes a nonzero count instead of 12).
#'
#' It is a form to **keep** counts in, not one to compute with: there are the
#' methods below and no others. `as(x, "dgCMatrix")` gives the matrix that all
#' else takes.
#'
#' \describe{
#'   \item{`dim()`, `nrow()`, `ncol()`, `length()`, `dimnames()`,
#'     `dimnames<-()`}{as for any matrix.}
#'   \item{`x[i, j]`}{a `TileCounts`; an integer vector if only one row or
#'     column is left and `drop` is `TRUE`. Goes through a dgCMatrix of the
#'     columns `j`.}
#'   \item{`t()`}{a `TileCounts`.}
#'   \item{`colSums()`, `rowSums()`, `colMeans()`, `rowMeans()`}{doubles with
#'     names, as of a dgCMatrix, without making one.}
#'   \item{`as(x, "dgCMatrix")`, `as.matrix()`}{a sparse matrix of doubles, an
#'     ordinary matrix of integers.}
#'   \item{`nzcount()`}{the number of nonzero counts.}
#' }
#'
#' @slot p,i,Dim,Dimnames As in a dgCMatrix.
#' @slot x The counts: integer, not negative, not `NA`.
#' @param x A `TileCounts`.
#' @returns `nzcount()`: a number.
#' @section Errors:
#' `axtile_error_argument` for `x[i]` without a comma, and for an object whose
#' slots contradict each other.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' counts <- read_tile(ds, 1, as = "integer")
#' counts
#' if (is(counts, "TileCounts")) {
#'     nzcount(counts)
#'     counts[1:3, c("cell1", "cell2")]
#' }
#' @name TileCounts
#' @aliases TileCounts-class
#' @exportClass TileCounts
NULL

setClass("TileCounts", slots = c(
    p = "integer", i = "integer", x = "integer", Dim = "integer",
    Dimnames = "list"
), prototype = list(p = 0L, Dim = c(0L, 0L), Dimnames = list(NULL, NULL)))

setValidity("TileCounts", function(object) {
    dim <- object@Dim
    if (length(dim) != 2L || anyNA(dim) || any(dim < 0L)) {
        return("Dim must be two numbers")
    }
    p <- object@p
    n <- length(object@i)
    if (length(p) != dim[[2L]] + 1 || anyNA(p) || p[[1L]] != 0L ||
        is.unsorted(p) || p[[length(p)]] != n) {
        return("p must ascend from 0 to the number of elements")
    }
    if (length(object@x) != n) {
        return("x and i must be equally long")
    }
    if (anyNA(object@x) || any(object@x < 0L)) {
        return("x must hold counts")
    }
    i <- object@i
    if (anyNA(i) || any(i < 0L) || any(i >= dim[[1L]])) {
        return("i must hold numbers of rows, from 0")
    }
    is_first <- logical(n)
    is_first[p[-length(p)][diff(p) > 0L] + 1L] <- TRUE
    if (any(diff(i) <= 0L & !is_first[-1L])) {
        return("i must ascend in each column")
    }
    lengths <- lengths(object@Dimnames)
    if (length(lengths) != 2L ||
        !all(lengths == dim | vapply(object@Dimnames, is.null, NA))) {
        return("Dimnames do not fit Dim")
    }
    TRUE
})

# Without a look at every element, unlike methods::new() with slots.
new_counts <- function(p, i, x, dim, dimnames) {
    counts <- methods::new("TileCounts")
    counts@p <- p
    counts@i <- i
    counts@x <- x
    counts@Dim <- dim
    counts@Dimnames <- dimnames
    counts
}

# A matrix of integer counts from the slots that the Rust library read.
compact_counts <- function(slots, dimnames) {
    if (rlang::is_installed("SparseArray")) {
        return(svt_counts(slots, dimnames))
    }
    new_counts(slots$p, slots$i, slots$x, slots$dim, dimnames)
}

# By way of coordinates: the form that all versions of SparseArray take.
svt_counts <- function(slots, dimnames) {
    columns <- rep.int(seq_along(slots$p[-1L]), diff(slots$p))
    if (all(vapply(dimnames, is.null, NA))) {
        dimnames <- NULL
    }
    coordinates <- SparseArray::COO_SparseArray(
        slots$dim, cbind(slots$i + 1L, columns, deparse.level = 0L), slots$x,
        dimnames = dimnames
    )
    as(coordinates, "SVT_SparseMatrix")
}

as_dgc <- function(x) {
    load_matrix()
    methods::new(
        "dgCMatrix",
        p = x@p, i = x@i, x = as.double(x@x), Dim = x@Dim,
        Dimnames = x@Dimnames
    )
}

from_dgc <- function(m) {
    new_counts(m@p, m@i, as.integer(m@x), m@Dim, m@Dimnames)
}

#' @rdname TileCounts
#' @export
nzcount <- function(x) {
    if (!is(x, "TileCounts")) {
        abort_argument("x", "a TileCounts", x, rlang::current_env())
    }
    sum(x@x != 0L)
}
