#' Operations of queries
#'
#' Reductions of many values to one, and operations on each value. By
#' themselves, reductions give a single value (`>>`), or one for each group
#' after [GroupBy()]; within [ReduceToRow()] and [ReduceToColumn()] they give
#' one for each column or row of a matrix.
#'
#' `Significant` makes 0 of what is nearer to 0 than `low`, and of all values of
#' a vector or column in which none is as far from it as `high`. `Fraction` is
#' that of the total of the vector or column.
#'
#' `type` is the type of the result: `"Int8"` to `"Int64"`, `"UInt8"` to
#' `"UInt64"`, `"Float32"` or `"Float64"`; for means, variances, quantiles and
#' logarithms one of the last two. `p` is from 0 to 1, `eps` not negative.
#'
#' | reduction | parameters | |
#' |---|---|---|
#' | `Sum`, `Mean` | `type` | |
#' | `Min`, `Max` | | |
#' | `Count` | `type` | the number of values, texts too |
#' | `Mode` | | the most frequent value, texts too; of equals the first |
#' | `Median` | `type` | |
#' | `Quantile` | `p` (0.5), `type` | linear between the two nearest values |
#' | `Var`, `Std` | `type` | variance (divided by the number) and its root |
#' | `VarN`, `StdN` | `eps` (0), `type` | the same by the mean + `eps` |
#' | `GeoMean` | `eps` (0), `type` | `exp(mean(log(x + eps))) - eps` |
#'
#' | operation | parameters | |
#' |---|---|---|
#' | `Abs` | `type` | absolute value |
#' | `Round` | `type` | to whole numbers, halves to the even one |
#' | `Clamp` | `min` (-Inf), `max` (Inf), `type` | within bounds |
#' | `Convert` | `type` | the same number as another type |
#' | `Fraction` | `type` | of the total |
#' | `Log` | `base` (e), `eps` (0), `type` | `log(x + eps, base)` |
#' | `Significant` | `high`, `low` (`high`) | small values become 0 |
#' | `Exp`, `Sqrt` | `type` | |
#'
#' @param ... The query so far, which a pipe puts here, and the parameters, by
#'   name or in the order of the table.
#' @returns As for [query_builders].
#' @section Errors:
#' `axtile_error_argument` for a parameter that the operation does not have or
#' that is out of its range.
#' @family queries
#' @name query_operations
#' @examples
#' Axis("donor") |> LookupVector("age") |> Log(base = 2, eps = 1)
#' Axis("donor") |> LookupVector("age") |> GroupBy("sex") |> Mean()
#' Axis("cell") |> Axis("gene") |> LookupMatrix("UMIs") |>
#'     ReduceToColumn(Quantile(0.9))
NULL

element_types <- c(
    "Bool", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32",
    "UInt64", "Float32", "Float64", "String"
)
number_types <- setdiff(element_types, c("Bool", "String"))
float_types <- c("Float32", "Float64")

#' @rdname query_operations
#' @export
Abs <- function(...) {
    eltwise("Abs", list(...), list(type = number_types))
}

#' @rdname query_operations
#' @export
Clamp <- function(...) {
    eltwise("Clamp", list(...), list(
        min = one_number("a number", -Inf),
        max = one_number(
            "a number above `min`", Inf,
            function(x, given) x > given$min
        ),
        type = number_types
    ))
}

#' @rdname query_operations
#' @export
Convert <- function(...) {
    eltwise(
        "Convert", list(...), list(type = c("Bool", number_types)),
        needed = "type"
    )
}

#' @rdname query_operations
#' @export
Exp <- function(...) {
    eltwise("Exp", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
Fraction <- function(...) {
    eltwise("Fraction", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
Log <- function(...) {
    eltwise("Log", list(...), list(
        base = one_number(
            "a number above 0 other than 1", exp(1),
            function(x, given) x > 0 && x != 1 && is.finite(x)
        ),
        eps = eps_number(),
        type = float_types
    ))
}

#' @rdname query_operations
#' @export
Round <- function(...) {
    eltwise("Round", list(...), list(type = number_types))
}

#' @rdname query_operations
#' @export
Significant <- function(...) {
    eltwise("Significant", list(...), needed = "high", list(
        high = one_number("a number above 0", NULL, function(x, given) x > 0),
        low = one_number(
            "a number from 0 to `high`", function(given) given$high,
            function(x, given) x >= 0 && x <= given$high
        )
    ))
}

#' @rdname query_operations
#' @export
Sqrt <- function(...) {
    eltwise("Sqrt", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
Count <- function(...) {
    reduction("Count", list(...), list(type = number_types))
}

#' @rdname query_operations
#' @export
GeoMean <- function(...) {
    reduction(
        "GeoMean", list(...), list(eps = eps_number(), type = float_types)
    )
}

#' @rdname query_operations
#' @export
Max <- function(...) {
    reduction("Max", list(...))
}

#' @rdname query_operations
#' @export
Mean <- function(...) {
    reduction("Mean", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
Median <- function(...) {
    reduction("Median", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
Min <- function(...) {
    reduction("Min", list(...))
}

#' @rdname query_operations
#' @export
Mode <- function(...) {
    reduction("Mode", list(...))
}

#' @rdname query_operations
#' @export
Quantile <- function(...) {
    reduction("Quantile", list(...), list(
        p = one_number(
            "a number from 0 to 1", NULL, function(x, given) x >= 0 && x <= 1
        ),
        type = float_types
    ), given = list(p = 0.5))
}

#' @rdname query_operations
#' @export
Std <- function(...) {
    reduction("Std", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
StdN <- function(...) {
    reduction("StdN", list(...), list(eps = eps_number(), type = float_types))
}

#' @rdname query_operations
#' @export
Sum <- function(...) {
    reduction("Sum", list(...), list(type = number_types))
}

#' @rdname query_operations
#' @export
Var <- function(...) {
    reduction("Var", list(...), list(type = float_types))
}

#' @rdname query_operations
#' @export
VarN <- function(...) {
    reduction("VarN", list(...), list(eps = eps_number(), type = float_types))
}
