#' Write queries with functions
#'
#' Each function gives a piece of a query, or continues the query that a pipe
#' puts before its value. `Axis("cell") |> LookupVector("age")` is the query
#' `@ cell : age`. Operations are in [query_operations].
#'
#' | function | query | |
#' |---|---|---|
#' | `Axis("cell")` | `@ cell` | entries of an axis, or the axis of one entry |
#' | `AsAxis("type")` | `=@ type` | values are entries of this axis |
#' | `AsAxis()` | `=@` | or of the one that the vector is named after |
#' | `LookupScalar("organism")` | `. organism` | a scalar |
#' | `LookupVector("age")` | `: age` | a vector of the axis, or of the values |
#' | `LookupMatrix("UMIs")` | `:: UMIs` | a matrix, or a slice of one |
#' | `Names()` | `?` | the names there are, after a look-up without a name |
#' | `IfMissing(0)` | `\|\| 0` | if missing, or nothing to reduce |
#' | `IfNot("none")` | `?? none` | instead of looking up an empty text |
#' | `IfNot()` | `??` | to drop empty texts |
#' | `BeginMask("age")` | `[ age` | the first term of a mask |
#' | `BeginNegatedMask("age")` | `[ ! age` | |
#' | `AndMask("age")` | `& age` | a further term |
#' | `AndNegatedMask("age")` | `& ! age` | |
#' | `OrMask("age")` | `\| age` |  |
#' | `OrNegatedMask("age")` | `\| ! age` | |
#' | `XorMask("age")` | `^ age` |  |
#' | `XorNegatedMask("age")` | `^ ! age` | |
#' | `EndMask()` | `]` | |
#' | `IsEqual(1)`, `IsNotEqual(1)` | `= 1`, `!= 1` | comparisons |
#' | `IsLess(1)`, `IsLessEqual(1)` | `< 1`, `<= 1` | |
#' | `IsGreater(1)`, `IsGreaterEqual(1)` | `> 1`, `>= 1` | |
#' | `IsMatch("^A")` | `~ \^A` | with a regular expression |
#' | `IsNotMatch("^A")` | `!~ \^A` | |
#' | `SquareColumnIs("M1")` | `@\| M1` | a column of a matrix of one axis |
#' | `SquareRowIs("M1")` | `@- M1` | a row of it |
#' | `GroupBy("type")` | `/ type` | groups of a vector, before a reduction |
#' | `GroupRowsBy("type")` | `-/ type` | groups of rows |
#' | `GroupColumnsBy("type")` | `\|/ type` | groups of columns |
#' | `CountBy("type")` | `* type` | how often each pair of values occurs |
#' | `ReduceToRow(Sum())` | `>- Sum` | one value for each column of a matrix |
#' | `ReduceToColumn(Sum())` | `>\| Sum` | one value for each row |
#'
#' Texts are written so that they are read as they are, whatever characters
#' they hold. A text given to `IfMissing()` stays a text, even if it looks like
#' a number.
#'
#' @param value A name or value, a single text, number, `TRUE` or `FALSE`; or
#'   the query so far, if the name or value comes in `...`.
#' @param ... The query so far or, after it, the value.
#' @param type The type of the value: `"Bool"`, `"Int8"` to `"Int64"`,
#'   `"UInt8"` to `"UInt64"`, `"Float32"`, `"Float64"` or `"String"`.
#' @param reduction A reduction such as [Sum()], or the name of a registered
#'   one.
#' @returns A query, an object of class `axtile_query`: a single text, which
#'   `as.character()` gives.
#' @section Errors:
#' `axtile_error_argument` if there is not one value of the right kind. Whether
#' the pieces make sense together is seen when the query is asked.
#' @family queries
#' @name query_builders
#' @examples
#' Axis("cell") |> LookupVector("age")
#' Axis("donor") |> BeginMask("age") |> IsGreater(60) |> EndMask()
#' Axis("cell") |> Axis("gene") |> LookupMatrix("UMIs") |>
#'     GroupRowsBy("experiment") |> ReduceToRow(Mean())
#' Axis() |> Names()
NULL

#' @rdname query_builders
#' @export
Axis <- function(value = NULL, ...) {
    with_value("@", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
AsAxis <- function(value = NULL, ...) {
    with_value("=@", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
LookupScalar <- function(value = NULL, ...) {
    with_value(".", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
LookupVector <- function(value = NULL, ...) {
    with_value(":", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
LookupMatrix <- function(value = NULL, ...) {
    with_value("::", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
Names <- function(...) {
    with_no_value("?", list(...))
}

#' @rdname query_builders
#' @export
IfMissing <- function(value = NULL, ..., type = NULL) {
    call <- rlang::current_env()
    found <- piped(list(value, ...), call)
    values <- Filter(Negate(is.null), found$arguments)
    if (length(values) != 1L) {
        abort_argument("value", "a single value", NULL, call)
    }
    value <- values[[1L]]
    text <- query_value(value, "value", call)
    if (is.null(type) && is.character(value) && looks_like_value(text)) {
        type <- "String"
    }
    type <- check_type(type, element_types, null = TRUE, call = call)
    continued(found$before, paste(c("||", escaped(text), type), collapse = " "))
}

#' @rdname query_builders
#' @export
IfNot <- function(value = NULL, ...) {
    with_value("??", list(value, ...), optional = TRUE)
}

#' @rdname query_builders
#' @export
BeginMask <- function(value = NULL, ...) {
    with_value("[", list(value, ...))
}

#' @rdname query_builders
#' @export
BeginNegatedMask <- function(value = NULL, ...) {
    with_value("[ !", list(value, ...))
}

#' @rdname query_builders
#' @export
EndMask <- function(...) {
    with_no_value("]", list(...))
}

#' @rdname query_builders
#' @export
AndMask <- function(value = NULL, ...) {
    with_value("&", list(value, ...))
}

#' @rdname query_builders
#' @export
AndNegatedMask <- function(value = NULL, ...) {
    with_value("& !", list(value, ...))
}

#' @rdname query_builders
#' @export
OrMask <- function(value = NULL, ...) {
    with_value("|", list(value, ...))
}

#' @rdname query_builders
#' @export
OrNegatedMask <- function(value = NULL, ...) {
    with_value("| !", list(value, ...))
}

#' @rdname query_builders
#' @export
XorMask <- function(value = NULL, ...) {
    with_value("^", list(value, ...))
}

#' @rdname query_builders
#' @export
XorNegatedMask <- function(value = NULL, ...) {
    with_value("^ !", list(value, ...))
}

#' @rdname query_builders
#' @export
IsEqual <- function(value = NULL, ...) {
    with_value("=", list(value, ...))
}

#' @rdname query_builders
#' @export
IsNotEqual <- function(value = NULL, ...) {
    with_value("!=", list(value, ...))
}

#' @rdname query_builders
#' @export
IsLess <- function(value = NULL, ...) {
    with_value("<", list(value, ...))
}

#' @rdname query_builders
#' @export
IsLessEqual <- function(value = NULL, ...) {
    with_value("<=", list(value, ...))
}

#' @rdname query_builders
#' @export
IsGreater <- function(value = NULL, ...) {
    with_value(">", list(value, ...))
}

#' @rdname query_builders
#' @export
IsGreaterEqual <- function(value = NULL, ...) {
    with_value(">=", list(value, ...))
}

#' @rdname query_builders
#' @export
IsMatch <- function(value = NULL, ...) {
    with_value("~", list(value, ...))
}

#' @rdname query_builders
#' @export
IsNotMatch <- function(value = NULL, ...) {
    with_value("!~", list(value, ...))
}

#' @rdname query_builders
#' @export
SquareRowIs <- function(value = NULL, ...) {
    with_value("@-", list(value, ...))
}

#' @rdname query_builders
#' @export
SquareColumnIs <- function(value = NULL, ...) {
    with_value("@|", list(value, ...))
}

#' @rdname query_builders
#' @export
GroupBy <- function(value = NULL, ...) {
    with_value("/", list(value, ...))
}

#' @rdname query_builders
#' @export
GroupRowsBy <- function(value = NULL, ...) {
    with_value("-/", list(value, ...))
}

#' @rdname query_builders
#' @export
GroupColumnsBy <- function(value = NULL, ...) {
    with_value("|/", list(value, ...))
}

#' @rdname query_builders
#' @export
CountBy <- function(value = NULL, ...) {
    with_value("*", list(value, ...))
}

#' @rdname query_builders
#' @export
ReduceToRow <- function(reduction = NULL, ...) {
    reduced_to(">-", list(reduction, ...))
}

#' @rdname query_builders
#' @export
ReduceToColumn <- function(reduction = NULL, ...) {
    reduced_to(">|", list(reduction, ...))
}
