# Sessions that other programs wrote.

# A stored zero factor is read as one, with a warning.
quietly <- function(code) with_warnings(code, "damaged")$value

test_that("sessions of all writers read to the expected samples", {
    names <- mef_fixture_names()
    expect_gt(length(names), 25)
    for (name in names) {
        fixture <- mef_fixture(name)
        s <- open_mef(fixture$path, fixture$password)
        expect_setequal(s$channels, names(fixture$case$channels))
        for (channel in s$channels) {
            if (name == "m3_negative_start_not_representable") next
            expected <- read_npy(fixture_file(fixture, channel, "grid.npy"))
            # The format's mark of a missing sample, which one writer stores.
            factor <- fixture$case$channels[[channel]]$ufact
            if (factor != 0) expected[expected %in% (-2^31 * factor)] <- NaN
            got <- quietly(read_mef(s, channel, times = "none", threads = 2))
            expect_identical(dim(got), c(length(expected), 1L), info = name)
            expect_identical(is.na(as.vector(got)), is.na(expected))
            expect_equal(
                as.vector(got), expected, tolerance = 1e-12, info = name
            )
            counts <- quietly(read_mef(s, channel, values = "counts"))
            expect_type(counts, "integer")
            stored <- read_npy(fixture_file(fixture, channel, "counts.npy"))
            expect_identical(
                counts[!is.na(counts)], stored[!is.na(stored)], info = name
            )
        }
    }
})

test_that("archives read as their folders do", {
    fixture <- mef_fixture("m3_tar")
    a <- open_mef(fixture$path)
    b <- open_mef(file.path(fixture$folder, "s.mefd.tar"))
    expect_identical(read_mef(a), read_mef(b))
    expect_identical(mef_channels(a), mef_channels(b))
    expect_identical(mef_segments(a), mef_segments(b))
})

test_that("channels, segments and blocks are as their writers said", {
    for (name in mef_fixture_names()) {
        if (name == "m3_negative_start_not_representable") next
        fixture <- mef_fixture(name)
        s <- open_mef(fixture$path, fixture$password)
        infos <- mef_channels(s)
        for (channel in s$channels) {
            written <- fixture$case$channels[[channel]]
            info <- infos[infos$name == channel, ]
            expect_equal(info$sampling_rate, written$fs, info = name)
            if (name != "pm_no_factor") {
                expect_equal(info$conversion_factor, written$ufact, info = name)
            }
            expect_equal(info$n_samples, written$n_stored, info = name)
            expected <- utils::read.csv(
                fixture_file(fixture, channel, "blocks.csv")
            )
            blocks <- mef_blocks(s, channel)
            expect_equal(blocks$start_uutc, expected$start_uutc, info = name)
            expect_equal(blocks$n_samples, expected$samples, info = name)
            expect_equal(blocks$offset, expected$file_offset, info = name)
            expect_equal(blocks$n_bytes, expected$block_bytes, info = name)
            segments <- mef_segments(s, channel)
            expect_equal(
                segments$n_samples,
                as.vector(tapply(expected$samples, expected$segment, sum)),
                info = name
            )
            expect_equal(
                segments$n_blocks, as.vector(table(expected$segment)),
                info = name
            )
            factor <- rep(segments$conversion_factor, segments$n_blocks)
            factor[factor == 0] <- 1
            is_known <- !is.na(blocks$maximum) & !is.na(blocks$minimum)
            expect_equal(
                blocks$maximum[is_known],
                (expected$max * factor)[is_known], info = name
            )
        }
    }
})

test_that("gaps are between the runs that were written", {
    for (name in c("m3_gaps_float", "m3_gaps_validmask", "m3_segments")) {
        fixture <- mef_fixture(name)
        s <- open_mef(fixture$path)
        written <- fixture$case$channels[[1L]]
        start <- vapply(written$runs, `[[`, 0, 1L)
        n <- vapply(written$runs, `[[`, 0, 2L)
        end <- start + round(n * 1e6 / written$fs)
        is_gap <- start[-1L] - end[-length(end)] > 5e5 / written$fs
        gaps <- mef_gaps(s)
        expect_equal(gaps$start_uutc, end[-length(end)][is_gap], info = name)
        expect_equal(gaps$end_uutc, start[-1L][is_gap], info = name)
    }
})

test_that("records are those that were written", {
    for (name in mef_fixture_names()) {
        fixture <- mef_fixture(name)
        if (is.null(fixture$case$records)) next
        s <- open_mef(fixture$path, fixture$password)
        records <- mef_records(s)
        scope <- ifelse(is.na(records$channel), "", records$channel)
        scope <- paste0(
            scope, ifelse(is.na(records$segment), "", "#"),
            ifelse(is.na(records$segment), "", records$segment)
        )
        expect_setequal(scope, names(fixture$case$records))
        for (number in seq_along(fixture$case$records)) {
            written <- fixture$case$records[[number]]
            got <- records[scope == names(fixture$case$records)[[number]], ]
            time <- vapply(written, `[[`, 0, "time")
            order <- order(time)
            expect_equal(got$time_uutc, time[order], info = name)
            type <- vapply(written, `[[`, "", "type")
            expect_identical(got$type, type[order], info = name)
            for (at in which(got$type %in% c("Note", "EDFA"))) {
                one <- written[[order[[at]]]]
                expect_identical(got$text[[at]], one$text)
                if (got$type[[at]] == "EDFA") {
                    expect_equal(got$duration[[at]], one$duration / 1e6)
                }
            }
        }
    }
})

test_that("records of all types have their fields", {
    fixture <- mef_fixture("pm_records_all_types")
    s <- open_mef(fixture$path)
    records <- mef_records(s)
    records <- records[is.na(records$channel), ]
    fields <- stats::setNames(records$fields, records$type)
    expect_identical(fields$LNTP$template, c(1, -2, 300000))
    expect_identical(fields$CSti, list(
        task = "beerdrink", duration = 1e6, stimulus = "pint",
        response = "hmmm"
    ))
    expect_identical(fields$ESti, list(
        amplitude = 1.5, frequency = 250.5, pulse_width = 100, unit_code = 1L,
        mode_code = 2L, waveform = "nice", anode = "pos", cathode = "neg"
    ))
    expect_identical(fields$Seiz$channels, c("ch1", "ch2"))
    expect_identical(
        fields$Seiz$channel_offsets, c(1577836800000800, 1577836800900000)
    )
    expect_identical(fields$Seiz$onset_code, 2L)
    expect_identical(fields$Curs$value, -3.25)
    expect_identical(fields$Epoc$text, "N2")
    expect_identical(fields$Epoc$end, 1577836800001901)
    expect_null(fields$Note)
    expect_equal(records$duration[records$type == "Seiz"], 0.8993)
    # And they can be written again.
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3)
    write_mef_records(w, records)
    close(w)
    again <- mef_records(open_mef(path))
    rownames(records) <- NULL
    expect_identical(again, records)
})

test_that("passwords open what is theirs", {
    fixture <- mef_fixture("m3_encrypted_l1_l2")
    samples <- read_mef(open_mef(fixture$path, "level2!"))
    level_1 <- open_mef(fixture$path, "level one")
    expect_identical(read_mef(level_1), samples)
    records <- mef_records(level_1)
    expect_true(records$is_locked)
    expect_identical(records$text, NA_character_)
    expect_identical(mef_segments(level_1)$subject_id, NA_character_)
    expect_identical(
        mef_records(open_mef(fixture$path, "level2!"))$text, "secret note"
    )
    expect_axtile_error(open_mef(fixture$path), "argument", "password")
    expect_axtile_error(open_mef(fixture$path, "wrong"), "argument", "password")
})

test_that("a missing conversion factor is told", {
    fixture <- mef_fixture("pm_no_factor")
    s <- open_mef(fixture$path)
    read <- with_warnings(read_mef(s), "damaged")
    expect_length(read$warnings, 1)
    expect_match(conditionMessage(read$warnings[[1L]]), "conversion factor")
    expect_identical(mef_segments(s)$conversion_factor, 0)
})

test_that("damage is found and brought in order", {
    expected <- c(
        dmg_bad_block_crc = "crc.block", dmg_bad_tmet_crc = "crc.metadata",
        dmg_data_ahead_of_index = "index", dmg_index_ahead_of_data = "index",
        dmg_lost_tidx = "files.missing"
    )
    expect_setequal(mef_fixture_names(damaged = TRUE), names(expected))
    for (name in names(expected)) {
        fixture <- mef_fixture(name)
        path <- copy_fixture(fixture)
        findings <- validate_mef(path)
        is_error <- findings$severity == "error"
        expect_true(
            any(startsWith(findings$check[is_error], expected[[name]])),
            info = paste(name, toString(findings$check))
        )
        files <- list.files(path, recursive = TRUE, full.names = TRUE)
        before <- tools::md5sum(files)
        plan <- recover_mef(path)
        expect_identical(tools::md5sum(files), before, info = name)
        done <- recover_mef(path, apply = TRUE)
        expect_identical(plan$action, done$action)
        stored <- read_npy(fixture_file(fixture, "ch1", "counts.npy"))
        if (name == "dmg_bad_block_crc") {
            # The block's samples are gone, and are not made up.
            expect_axtile_error(read_mef(open_mef(path)), "corrupt", "ch1")
            next
        }
        if (name == "dmg_bad_tmet_crc") {
            expect_true(any(done$is_refused))
            next
        }
        expect_true(dir.exists(attr(done, "backup")), info = name)
        expect_identical(nrow(recover_mef(path)), 0L)
        errors <- validate_mef(path)
        expect_false(any(errors$severity == "error"), info = name)
        counts <- read_mef(open_mef(path), values = "counts")
        counts <- counts[!is.na(counts)]
        expect_identical(counts, stored[seq_along(counts)])
        expect_gte(length(counts), 5000)
        if (name != "dmg_index_ahead_of_data") {
            expect_identical(counts, stored)
        }
    }
})

test_that("lenient reads leave a damaged block missing", {
    fixture <- mef_fixture("dmg_bad_block_crc")
    s <- open_mef(fixture$path)
    error <- expect_axtile_error(read_mef(s), "corrupt")
    expect_match(error$path, "ch1-000000.tdat", fixed = TRUE)
    read <- with_warnings(
        read_mef(s, values = "counts", lenient = TRUE), "damaged"
    )
    expect_length(read$warnings, 1)
    expect_identical(read$warnings[[1L]]$notices$block, 1)
    stored <- read_npy(fixture_file(fixture, "ch1", "counts.npy"))
    stored[2501:5000] <- NA
    expect_identical(as.vector(read$value), stored)
})
