# The query language once more: an evaluator over stores held as lists, as
# plain as can be, that tests compare with the real one. A store is
# list(axes, scalars, vectors, matrices): entries by axis, values by scalar,
# values by axis and vector, and matrices by "rows,columns" and name. A query is
# a list, too; naive_text() gives its text and naive_answer() what it must give,
# or an error of class "naive_error" where there is no answer.

naive_stop <- function(...) {
    stop(errorCondition(paste0(...), class = "naive_error"))
}

# Values and their element type; the type decides about that of a result.
typed <- function(x, type = NULL) {
    if (is.null(type)) {
        type <- switch(typeof(x),
            logical = "Bool",
            integer = "Int32",
            double = "Float64",
            "String"
        )
    }
    if (type == "Float32") {
        single <- writeBin(as.double(x), raw(), size = 4L)
        x[] <- readBin(single, "double", length(x), size = 4L)
    }
    list(x = x, type = type)
}

float_of <- function(type) {
    if (type %in% c("Int64", "UInt64", "Float64")) "Float64" else "Float32"
}

is_text <- function(values) values$type == "String"

bytewise <- function(x) sort(unique(x), method = "radix")

# Literals ---------------------------------------------------------------

literal <- function(text) {
    if (text %in% c("true", "false")) {
        return(typed(text == "true"))
    }
    if (grepl("^-?[0-9]+$", text)) {
        return(typed(as.double(text), "Int64"))
    }
    number <- suppressWarnings(as.double(text))
    if (!is.na(number) || text == "nan") typed(number) else typed(text)
}

literal_as <- function(text, type) {
    if (type == "String") {
        return(text)
    }
    if (type == "Bool") {
        if (!text %in% c("0", "1", "true", "false")) {
            naive_stop(text, " is no truth")
        }
        return(text %in% c("1", "true"))
    }
    found <- literal(text)
    if (is_text(found) || found$type == "Bool") {
        naive_stop(text, " is no number")
    }
    is_float <- type %in% c("Float32", "Float64")
    if (!is_float && found$type != "Int64") {
        naive_stop(text, " is not whole")
    }
    if (startsWith(type, "U") && found$x < 0) {
        naive_stop(text, " is negative")
    }
    typed(found$x, type)$x
}

# Comparisons ------------------------------------------------------------

naive_compare <- function(values, sign, text) {
    x <- values$x
    if (sign %in% c("~", "!~")) {
        if (!is_text(values)) {
            naive_stop("not texts")
        }
        found <- grepl(text, x, perl = TRUE)
        passes <- if (sign == "~") found else !found
    } else if (is_text(values)) {
        # R compares texts by the language; their ranks are by their bytes.
        ranks <- match(c(x, text), bytewise(c(x, text)))
        passes <- by_sign(sign, ranks[seq_along(x)], ranks[[length(ranks)]])
    } else {
        other <- if (values$type == "Bool") {
            literal_as(text, "Bool")
        } else {
            as.double(literal_as(text, "Float64"))
        }
        passes <- by_sign(sign, as.double(x), as.double(other))
        # What is no number equals nothing.
        passes[is.na(passes)] <- sign == "!="
    }
    x <- array(passes, if (is.null(dim(x))) length(x) else dim(x))
    typed(if (is.null(dim(values$x))) as.vector(x) else x)
}

by_sign <- function(sign, x, other) {
    switch(sign,
        "<" = x < other,
        "<=" = x <= other,
        "=" = x == other,
        "!=" = x != other,
        ">=" = x >= other,
        ">" = x > other
    )
}

truths <- function(values) {
    x <- values$x
    if (is_text(values)) nzchar(x) else !is.na(x) & x != 0
}

# Reductions and operations ------------------------------------------------

reduced_type <- function(name, params, type) {
    if (!is.null(params$type)) {
        return(params$type)
    }
    switch(name,
        Min = ,
        Max = ,
        Mode = type,
        Count = "UInt32",
        Sum = switch(type,
            Bool = "UInt32",
            Int8 = ,
            Int16 = "Int32",
            UInt8 = ,
            UInt16 = "UInt32",
            type
        ),
        float_of(type)
    )
}

# One value of many.
naive_reduce <- function(values, name, params = list()) {
    x <- values$x
    if (is_text(values) && !name %in% c("Mode", "Count")) {
        naive_stop(name, " of texts")
    }
    if (name == "Count") {
        return(length(x))
    }
    if (!is_text(values) && anyNA(x)) {
        return(NaN)
    }
    if (name == "Mode") {
        found <- unique(as.vector(x))
        return(found[[which.max(tabulate(match(x, found)))]])
    }
    if (values$type == "Bool" && name %in% c("Min", "Max")) {
        return(if (name == "Min") all(x) else any(x))
    }
    x <- as.double(x)
    eps <- if (is.null(params$eps)) 0 else params$eps
    var <- mean((x - mean(x))^2)
    switch(name,
        Sum = sum(x),
        Mean = mean(x),
        Min = min(x),
        Max = max(x),
        Median = stats::quantile(x, 0.5, type = 7, names = FALSE),
        Quantile = stats::quantile(x, params$p, type = 7, names = FALSE),
        Var = var,
        Std = sqrt(var),
        VarN = var / (mean(x) + eps),
        StdN = sqrt(var) / (mean(x) + eps),
        GeoMean = {
            if (any(x + eps < 0)) {
                naive_stop("logarithm of a negative number")
            }
            exp(mean(log(x + eps))) - eps
        }
    )
}

# `sets` are lists of positions of values; each becomes one value.
naive_reduce_sets <- function(values, sets, red, default) {
    type <- reduced_type(red$name, red$params, values$type)
    found <- lapply(sets, function(set) {
        if (length(set)) {
            one <- typed(values$x[set], values$type)
            return(naive_reduce(one, red$name, red$params))
        }
        if (is.null(default)) {
            naive_stop("nothing to reduce")
        }
        literal_as(default, type)
    })
    empty <- switch(type, Bool = logical(), String = character(), double())
    typed(if (length(found)) unlist(found) else empty, type)
}

naive_eltwise <- function(values, name, params = list()) {
    x <- values$x
    if (is_text(values)) {
        naive_stop(name, " of texts")
    }
    type <- values$type
    is_float <- type %in% c("Float32", "Float64")
    get <- function(name, default) {
        if (is.null(params[[name]])) default else params[[name]]
    }
    by_column <- function(f) {
        if (is.null(dim(x))) {
            x[] <- f(as.double(x))
            return(x)
        }
        storage.mode(x) <- "double"
        for (column in seq_len(ncol(x))) x[, column] <- f(x[, column])
        x
    }
    result <- switch(name,
        Abs = switch(type,
            Int32 = "UInt32",
            Int64 = "UInt64",
            type
        ),
        Round = switch(type,
            Float32 = "Int32",
            Float64 = "Int64",
            type
        ),
        Clamp = {
            bounds <- c(get("min", -Inf), get("max", Inf))
            whole <- is.infinite(bounds) | bounds == trunc(bounds)
            if (is_float || all(whole)) type else float_of(type)
        },
        Convert = params$type,
        Significant = type,
        float_of(type)
    )
    if (!is.null(params$type)) {
        result <- params$type
    }
    y <- switch(name,
        Abs = abs(x),
        Round = round(x),
        Clamp = pmin(pmax(x, get("min", -Inf)), get("max", Inf)),
        Convert = x,
        Fraction = by_column(function(column) {
            total <- sum(column)
            if (is.na(total) || total != 0) column / total else column * 0
        }),
        Log = {
            eps <- get("eps", 0)
            if (any(x + eps < 0, na.rm = TRUE)) naive_stop("logarithm")
            log(x + eps) / log(get("base", exp(1)))
        },
        Significant = by_column(function(column) {
            reaches <- any(abs(column) >= params$high, na.rm = TRUE)
            low <- get("low", params$high)
            is_zero <- !is.na(column) & (!reaches | abs(column) < low)
            ifelse(is_zero, 0, column)
        }),
        Exp = exp(x),
        Sqrt = {
            if (any(x < 0, na.rm = TRUE)) naive_stop("root")
            sqrt(x)
        }
    )
    if (grepl("Int", result)) {
        least <- if (startsWith(result, "U")) 0 else -2^31
        if (anyNA(y) || any(y != trunc(y)) || any(y < least)) {
            naive_stop("no ", result)
        }
    }
    dim(y) <- dim(x)
    typed(y, result)
}
