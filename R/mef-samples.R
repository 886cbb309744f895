# Samples that users give, checked and as the Rust library takes them.

# Names of channels, values (a matrix or a list of vectors) and what `x` says of
# itself.
mef_samples <- function(x, call) {
    if (is.matrix(x) && is.numeric(x)) {
        channels <- colnames(x)
        check_samples(x, "`x`", call)
        values <- x
        n_rows <- nrow(x)
    } else if (is.list(x)) {
        channels <- names(x)
        for (at in seq_along(x)) {
            check_samples(x[[at]], paste0("Element ", at, " of `x`"), call)
        }
        values <- unname(as.list(x))
        n_rows <- if (length(x)) max(lengths(x)) else 0L
    } else {
        abort_argument("x", paste0(
            "a numeric matrix, time x channel, or a list of numeric vectors"
        ), x, call)
    }
    n <- if (is.list(values)) length(values) else ncol(values)
    if (n == 0L || n_rows == 0L) {
        axtile_abort("argument", "`x` holds no sample.", call = call)
    }
    if (is.null(channels) || anyNA(channels) || !all(nzchar(channels))) {
        axtile_abort("argument", paste0(
            "`x` must name its channels: ",
            if (is.list(x)) "an element" else "a column", " has no name."
        ), call = call)
    }
    channels <- utf8(channels, "x", call)
    twice <- channels[duplicated(channels)]
    if (length(twice)) {
        axtile_abort("argument", paste0(
            "`x` has the channel '", twice[[1L]], "' twice."
        ), call = call)
    }
    each <- function(name) {
        if (!is.list(values)) {
            return(attr(x, name))
        }
        own <- lapply(values, attr, name)
        if (all(lengths(own) == 1L)) unlist(own, use.names = FALSE)
    }
    list(
        channels = channels, values = values,
        n = if (is.list(values)) sum(lengths(values)) else length(values),
        sampling_rate = each("sampling_rate"),
        start = each("start_uutc"), units = each("units"),
        conversion_factor = known_factors(x, values, channels)
    )
}

check_samples <- function(x, what, call) {
    is_plain <- is.numeric(x) && !is.factor(x) && !inherits(x, "integer64") &&
        !inherits(x, "Date") && !inherits(x, "POSIXct") &&
        !inherits(x, "difftime")
    is_column <- is.null(dim(x)) || length(dim(x)) == 2L
    if (!is_plain || !is_column) {
        axtile_abort("argument", paste0(
            what, " must hold doubles or integers, not ",
            if (is.atomic(x)) typeof(x) else class(x)[[1L]],
            if (is.object(x)) paste0(" of class ", class(x)[[1L]]), "."
        ), call = call)
    }
    if (startsWith(what, "Element") && !is.null(dim(x)) && ncol(x) != 1L) {
        axtile_abort("argument", paste0(
            what, " must be a vector or have one column; it has ", ncol(x), "."
        ), call = call)
    }
}

# The factors that counts of `read_mef()` came with, where each channel has
# one.
known_factors <- function(x, values, channels) {
    tables <- if (is.list(values)) {
        lapply(values, attr, "conversion_factor")
    } else {
        list(attr(x, "conversion_factor"))
    }
    table <- do.call(rbind, Filter(is.data.frame, tables))
    if (is.null(table)) {
        return(NULL)
    }
    factors <- lapply(
        channels, function(name) unique(table$factor[table$channel == name])
    )
    if (all(lengths(factors) == 1L)) unlist(factors)
}

# One value for each of n channels.
recycle <- function(x, n, arg, call) {
    if (!length(x) %in% c(1L, n)) {
        axtile_abort("argument", paste0(
            "`", arg, "` must have one value, or one for each of the ", n,
            " channels; it has ", length(x), "."
        ), call = call)
    }
    rep_len(unname(x), n)
}

check_reals <- function(x, n, arg, call) {
    if (!is.numeric(x) || is.factor(x)) {
        abort_argument(arg, "a number, or one for each channel", x, call)
    }
    recycle(as.double(x), n, arg, call)
}

with_rates <- function(samples, sampling_rate, known, call) {
    n <- length(samples$channels)
    if (is.null(sampling_rate)) {
        rates <- unname(known[samples$channels])
        if (length(rates) == n && !anyNA(rates)) {
            own <- samples$sampling_rate
            differs <- !is.null(own) && any(recycle(own, n, "x", call) != rates)
            samples$sampling_rate <- if (differs) own else rates
        }
        sampling_rate <- samples$sampling_rate
    }
    if (is.null(sampling_rate)) {
        axtile_abort("argument", paste0(
            "`sampling_rate` is needed: samples per second."
        ), call = call)
    }
    samples$sampling_rate <- check_reals(
        sampling_rate, n, "sampling_rate", call
    )
    wrong <- which(
        !is.finite(samples$sampling_rate) | samples$sampling_rate <= 0
    )
    if (length(wrong)) {
        abort_argument(
            "sampling_rate", "a positive number of Hz",
            samples$sampling_rate[[wrong[[1L]]]], call
        )
    }
    samples
}

samples_for_rust <- function(samples, start, precision, conversion_factor,
                             known, call) {
    n <- length(samples$channels)
    if (is.null(start)) {
        start <- samples$start
    }
    if (is.null(start)) {
        axtile_abort("argument", paste0(
            "`start` is needed: the time of the first sample."
        ), call = call)
    }
    start <- recycle(check_times(start, "start", call), n, "start", call)
    if (anyNA(start)) {
        abort_argument("start", "a time without NA", NA, call)
    }
    list(
        channels = samples$channels, values = samples$values, start = start,
        sampling_rate = samples$sampling_rate,
        precision = check_precision(precision, samples, call),
        conversion_factor = check_factors(
            conversion_factor, samples, known, call
        )
    )
}

is_counts <- function(samples) {
    if (is.list(samples$values)) {
        vapply(samples$values, is.integer, NA)
    } else {
        rep(is.integer(samples$values), length(samples$channels))
    }
}

check_precision <- function(precision, samples, call) {
    expected <- "\"automatic\", \"step\", or a number of decimals from 0 to 9"
    if (identical(precision, "automatic")) {
        return("automatic")
    }
    if (all(is_counts(samples))) {
        axtile_abort("argument", paste0(
            "`precision` is for doubles; `x` holds integers, which are ",
            "stored as they are."
        ), call = call)
    }
    if (identical(precision, "step")) {
        return("step")
    }
    is_digit <- is.numeric(precision) && length(precision) == 1L &&
        precision %in% 0:9
    if (!is_digit) {
        abort_argument("precision", expected, precision, call)
    }
    format(precision)
}

check_factors <- function(conversion_factor, samples, known, call) {
    n <- length(samples$channels)
    is_count <- is_counts(samples)
    if (!is.null(conversion_factor)) {
        if (!any(is_count)) {
            axtile_abort("argument", paste0(
                "`conversion_factor` is for integers; `x` holds doubles, for ",
                "which `precision` chooses one."
            ), call = call)
        }
        factors <- check_reals(
            conversion_factor, n, "conversion_factor", call
        )
        wrong <- which(!is.finite(factors) | factors == 0)
        if (length(wrong)) {
            abort_argument(
                "conversion_factor", "a finite number other than 0",
                factors[[wrong[[1L]]]], call
            )
        }
        return(factors)
    }
    factors <- samples$conversion_factor
    if (is.null(factors)) {
        factors <- rep(NA_real_, n)
    }
    there <- unname(known[samples$channels])
    if (length(there) == n) {
        factors[is.na(factors)] <- there[is.na(factors)]
    }
    unknown <- is_count & is.na(factors) & samples$channels %in% names(known)
    if (any(unknown)) {
        axtile_abort("argument", paste0(
            "`conversion_factor` is needed: channel '",
            samples$channels[unknown][[1L]], "' has samples that were ",
            "written as doubles."
        ), call = call)
    }
    factors[is.na(factors)] <- 1
    factors
}

# Refuses what would be said of channels that are there and say it already.
check_known_channels <- function(samples, units, metadata, known, call) {
    n <- length(samples$channels)
    there <- unname(known[samples$channels])
    if (is.null(units)) {
        units <- samples$units
    }
    if (!is.null(units)) {
        units <- check_strings(units, arg = "units", call = call)
        units <- recycle(units, n, "units", call)
        other <- which(!is.na(there) & there != units)
        if (length(other)) {
            axtile_abort("argument", paste0(
                "Channel '", samples$channels[[other[[1L]]]], "' has the unit ",
                dQuote(there[[other[[1L]]]], FALSE), ", the samples have ",
                dQuote(units[[other[[1L]]]], FALSE), "."
            ), call = call)
        }
    }
    if (length(metadata) && !all(is.na(there))) {
        axtile_abort("argument", paste0(
            "`metadata` is for new channels; channel '",
            samples$channels[[which(!is.na(there))[[1L]]]], "' exists."
        ), call = call)
    }
}

descriptions_for_rust <- function(samples, units, metadata, call) {
    n <- length(samples$channels)
    texts <- c(
        "channel_description", "session_description", "reference_description"
    )
    reals <- c("high_pass", "low_pass", "notch", "line_frequency")
    check_fields(
        metadata, c(texts, reals, "acquisition_channel"), "metadata", call
    )
    if (is.null(units)) {
        units <- samples$units
    }
    text <- function(x, arg) {
        if (is.null(x)) {
            return(NULL)
        }
        recycle(check_strings(x, arg = arg, call = call), n, arg, call)
    }
    real <- function(x, arg) {
        if (is.null(x)) NULL else check_reals(x, n, arg, call)
    }
    arg <- function(name) paste0("metadata$", name)
    fields <- c(
        list(units = text(units, "units")),
        lapply(
            stats::setNames(texts, texts),
            function(name) text(metadata[[name]], arg(name))
        ),
        lapply(
            stats::setNames(reals, reals),
            function(name) {
                values <- real(metadata[[name]], arg(name))
                replace(values, is.na(values), -1)
            }
        ),
        list(acquisition_channel = real(
            metadata$acquisition_channel, arg("acquisition_channel")
        ))
    )
    whole <- fields$acquisition_channel
    if (!is.null(whole) && any(whole != trunc(whole), na.rm = TRUE)) {
        abort_argument(
            arg("acquisition_channel"), "whole numbers", whole, call
        )
    }
    Filter(length, fields)
}

check_subject <- function(subject, call) {
    texts <- c(
        "subject_name_1", "subject_name_2", "subject_id", "recording_location"
    )
    check_fields(
        subject, c(texts, "gmt_offset", "recording_time_offset"), "subject",
        call
    )
    for (name in intersect(texts, names(subject))) {
        subject[[name]] <- check_string(
            subject[[name]], arg = paste0("subject$", name), call = call
        )
    }
    whole <- function(name, max) {
        if (!is.null(subject[[name]])) {
            check_count(
                subject[[name]], min = -max, max = max,
                arg = paste0("subject$", name), call = call
            )
        }
    }
    subject$gmt_offset <- whole("gmt_offset", 86400)
    subject$recording_time_offset <- whole("recording_time_offset", 2^53)
    subject
}

check_fields <- function(x, known, arg, call) {
    if (!is.list(x) || (length(x) && is.null(names(x)))) {
        abort_argument(arg, "a list with names", x, call)
    }
    unknown <- setdiff(names(x), known)
    if (length(unknown)) {
        axtile_abort("argument", paste0(
            "`", arg, "` has no field '", unknown[[1L]], "'; it has ",
            paste(known, collapse = ", "), "."
        ), call = call)
    }
}
