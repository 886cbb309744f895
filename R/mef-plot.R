#' Plot a MEF session
#'
#' Draws channels below each other against time. Short windows are drawn from
#' the samples, of which each step of the picture shows the smallest and the
#' largest; long ones from the index, which has the extremes of each block, so
#' that no sample is decoded. Gaps are shaded, records marked.
#'
#' @param x A `mef_session`.
#' @param y Not used.
#' @param channels Names or numbers of channels; by default the first 16.
#' @param from,to Start and end of the window, POSIXct or microseconds since
#'   1970 UTC; by default from the earliest start to the latest end.
#' @param ... Must be empty.
#' @param scale How many units the height of one channel stands for; by default
#'   as many as most of the samples need.
#' @param max_samples For windows of more samples, all channels together, the
#'   index is drawn.
#' @param records Whether to mark records: `TRUE`, `FALSE`, or types of records.
#' @param col Colours, recycled over channels.
#' @inheritParams read_mef
#' @returns A list, invisibly: `source`, `"samples"` or `"index"`; `scale`; and
#'   `traces`, a data frame of what was drawn: `channel`, `from_uutc`,
#'   `to_uutc`, `minimum`, `maximum`.
#' @section Errors:
#' Those of [read_mef()]; `axtile_error_argument` for a window without length.
#' @section Warnings:
#' Those of [read_mef()] and [mef_records()].
#' @family mef
#' @examples
#' path <- tempfile(fileext = ".mefd")
#' x <- synthetic_eeg(4, 30)
#' x[3000:4000, 2] <- NaN
#' w <- write_mef(x, path, precision = 3)
#' t0 <- attr(x, "start_uutc")
#' write_mef_records(w, data.frame(
#'     time = t0 + 14e6, type = "Note", text = "eyes closed"
#' ))
#' close(w)
#' s <- open_mef(path)
#' plot(s, from = t0 + 10e6, to = t0 + 18e6)
#' plot(s, max_samples = 0)
#' @importFrom graphics plot
#' @export
plot.mef_session <- function(x, y, channels = NULL, from = NULL, to = NULL,
                             ..., scale = NULL, max_samples = 5e6,
                             records = TRUE, col = "black", lenient = FALSE,
                             threads = axtile_option("threads")) {
    rlang::check_dots_empty()
    call <- rlang::current_env()
    if (is.null(channels)) {
        channels <- utils::head(seq_along(x$channels), 16L)
    }
    channels <- check_channels(channels, x)
    infos <- mef_channels(x, channels)
    window <- c(
        c(check_time(from, null = TRUE), min(infos$start_uutc))[[1L]],
        c(check_time(to, null = TRUE), max(infos$end_uutc))[[1L]]
    )
    if (is.na(window[[1L]]) || is.na(window[[2L]]) || diff(window) <= 0) {
        axtile_abort("argument", paste0(
            "The window ends at ", format(window[[2L]], digits = 16),
            ", not after it starts at ", format(window[[1L]], digits = 16), "."
        ), call = call)
    }
    is_scale <- is.null(scale) || (is.numeric(scale) && length(scale) == 1L &&
        is.finite(scale) && scale > 0)
    if (!is_scale) {
        abort_argument("scale", "a positive number of units", scale, call)
    }
    max_samples <- check_count(max_samples, min = 0)
    check_flag(lenient)
    marks <- plotted_records(x, records, window, lenient, call)
    n_samples <- sum(diff(window) / 1e6 * infos$sampling_rate)
    use_samples <- n_samples <= max_samples
    trace <- function(at) {
        if (use_samples) {
            sample_trace(x, channels[[at]], window, lenient, threads)
        } else {
            block_trace(x, channels[[at]], window)
        }
    }
    traces <- lapply(seq_along(channels), trace)
    scale <- plot_scale(traces, scale)
    draw_traces(
        x, infos, traces, use_samples, window, scale, marks,
        rep_len(col, length(traces))
    )
    rows <- vapply(traces, nrow, 1L)
    traces <- cbind(
        channel = rep(infos$name, rows), do.call(rbind, traces)
    )
    invisible(list(
        source = if (use_samples) "samples" else "index", scale = scale,
        traces = traces
    ))
}

# Steps over the width of a picture: more than most have pixels.
n_plot_steps <- 2000

# The extremes of the samples of each step, or the samples where there are
# fewer.
sample_trace <- function(x, channel, window, lenient, threads) {
    samples <- read_mef(
        x, channel, window[[1L]], window[[2L]],
        times = "none", lenient = lenient, threads = threads, progress = FALSE
    )
    rate <- attr(samples, "sampling_rate")
    n <- length(samples)
    each <- max(1, ceiling(n / n_plot_steps))
    n_steps <- ceiling(n / each)
    extremes <- step_extremes(as.vector(samples), each, n_steps)
    step <- 1e6 / rate * each
    from <- window[[1L]] + (seq_len(n_steps) - 1) * step
    data.frame(
        from_uutc = from,
        to_uutc = if (each == 1) from else from + step,
        minimum = extremes$minimum, maximum = extremes$maximum
    )
}

# NaN where a step has no sample.
step_extremes <- function(samples, each, n_steps) {
    if (each == 1) {
        return(list(minimum = samples, maximum = samples))
    }
    length(samples) <- each * n_steps
    dim(samples) <- c(each, n_steps)
    rows <- lapply(seq_len(each), function(row) samples[row, ])
    list(
        minimum = do.call(pmin, c(rows, list(na.rm = TRUE))),
        maximum = do.call(pmax, c(rows, list(na.rm = TRUE)))
    )
}

block_trace <- function(x, channel, window) {
    blocks <- mef_blocks(x, channel)
    is_seen <- blocks$end_uutc > window[[1L]] &
        blocks$start_uutc < window[[2L]] & blocks$n_samples > 0
    blocks <- blocks[is_seen, ]
    data.frame(
        from_uutc = pmax(blocks$start_uutc, window[[1L]]),
        to_uutc = pmin(blocks$end_uutc, window[[2L]]),
        minimum = pmin(blocks$minimum, blocks$maximum),
        maximum = pmax(blocks$minimum, blocks$maximum)
    )
}

plotted_records <- function(x, records, window, lenient, call) {
    if (isFALSE(records)) {
        return(NULL)
    }
    types <- if (isTRUE(records)) NULL else check_strings(records, call = call)
    all <- mef_records(x, types = types, lenient = lenient)
    is_seen <- all$time_uutc >= window[[1L]] & all$time_uutc < window[[2L]]
    all[is_seen %in% TRUE, ]
}

# Where a trace is drawn around.
trace_middle <- function(trace) {
    middle <- stats::median((trace$minimum + trace$maximum) / 2, na.rm = TRUE)
    if (is.finite(middle)) middle else 0
}

plot_scale <- function(traces, scale) {
    if (!is.null(scale)) {
        return(scale)
    }
    needed <- vapply(traces, function(trace) {
        middle <- trace_middle(trace)
        distance <- pmax(
            abs(trace$minimum - middle), abs(trace$maximum - middle)
        )
        if (all(is.na(distance))) {
            return(0)
        }
        2 * stats::quantile(distance, 0.98, na.rm = TRUE, names = FALSE)
    }, 0)
    largest <- max(needed)
    if (largest <= 0) {
        return(1)
    }
    # One, two or five times a power of ten.
    power <- 10^floor(log10(largest))
    power * c(1, 2, 5, 10)[[which(largest <= power * c(1, 2, 5, 10))[[1L]]]]
}

draw_traces <- function(x, infos, traces, use_samples, window, scale, marks,
                        col) {
    n <- length(traces)
    # Seconds from the window's start: the picture's own coordinates.
    seconds <- function(uutc) (uutc - window[[1L]]) / 1e6
    old <- graphics::par(mar = c(4, 6, 3, 5))
    on.exit(graphics::par(old))
    graphics::plot.new()
    graphics::plot.window(c(0, seconds(window[[2L]])), c(n + 0.6, 0.4))
    time_axis(window)
    graphics::axis(2, seq_len(n), infos$name, las = 1, tick = FALSE)
    for (at in seq_len(n)) {
        draw_gaps(x, infos, at, window, seconds)
    }
    for (at in seq_len(n)) {
        trace <- traces[[at]]
        middle <- trace_middle(trace)
        lane <- function(value) at - (value - middle) / scale
        if (use_samples) {
            # Through the extremes of each step: a step has no more width.
            graphics::lines(
                rep(seconds(trace$from_uutc), each = 2),
                lane(as.vector(rbind(trace$minimum, trace$maximum))),
                col = col[[at]]
            )
        } else {
            graphics::rect(
                seconds(trace$from_uutc), lane(trace$minimum),
                seconds(trace$to_uutc), lane(trace$maximum),
                col = grDevices::adjustcolor(col[[at]], 0.4),
                border = col[[at]], lwd = 0.5
            )
        }
    }
    draw_marks(marks, seconds)
    units <- unique(infos$units)
    right <- graphics::par("usr")[[2L]]
    graphics::segments(right, n + 0.5, right, n - 0.5, lwd = 3, xpd = NA)
    graphics::mtext(
        paste(format(scale), if (length(units) == 1L) units else "units"),
        side = 4, at = n, las = 1, line = 0.5, cex = 0.8
    )
    graphics::title(x$name)
    graphics::box()
}

draw_gaps <- function(x, infos, at, window, seconds) {
    gaps <- mef_gaps(x, infos$name[[at]])
    start <- c(-Inf, gaps$start_uutc, infos$end_uutc[[at]])
    end <- c(infos$start_uutc[[at]], gaps$end_uutc, Inf)
    start <- pmax(start, window[[1L]])
    end <- pmin(end, window[[2L]])
    is_seen <- end > start
    if (any(is_seen)) {
        graphics::rect(
            seconds(start[is_seen]), at - 0.5, seconds(end[is_seen]), at + 0.5,
            col = "grey92", border = NA
        )
    }
}

draw_marks <- function(marks, seconds) {
    if (is.null(marks) || nrow(marks) == 0L) {
        return(invisible())
    }
    at <- seconds(marks$time_uutc)
    graphics::abline(v = at, lty = 3, col = "firebrick")
    text <- ifelse(is.na(marks$text) | !nzchar(marks$text), marks$type,
        marks$text
    )
    # More labels than that hide each other.
    shown <- seq_len(min(length(at), 40L))
    graphics::text(
        at[shown], graphics::par("usr")[[4L]], strtrim(text[shown], 24),
        adj = c(-0.05, 1.3), cex = 0.7, col = "firebrick", xpd = NA
    )
}

time_axis <- function(window) {
    span <- diff(window) / 1e6
    start <- posixct(window[[1L]])
    if (span < 60) {
        graphics::axis(1)
        graphics::title(xlab = paste0(
            "seconds after ", format(start, "%Y-%m-%d %H:%M:%OS3"), " UTC"
        ))
        return(invisible())
    }
    ticks <- pretty(posixct(window), 6)
    ticks <- ticks[ticks >= start & ticks <= posixct(window[[2L]])]
    same_day <- format(start, "%F") == format(posixct(window[[2L]]), "%F")
    labels <- format(ticks, if (same_day) "%H:%M:%S" else "%m-%d %H:%M")
    graphics::axis(1, as.double(ticks) - window[[1L]] / 1e6, labels)
    graphics::title(xlab = paste(format(start, "%Y-%m-%d"), "UTC"))
}
