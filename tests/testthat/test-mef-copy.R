test_that("a cut has the samples and records of its span", {
    path <- temp_mef()
    x <- write_small_mef(path)
    write_mef_records(path, data.frame(
        time = mef_t0 + c(1e6, 5e6), type = "Note", text = c("out", "in")
    ))
    target <- temp_mef()
    from <- mef_t0 + 2345 * 1e3
    to <- mef_t0 + 7e6
    cut <- cut_mef(path, target, from, from_uutc(to))
    expect_s3_class(cut, "mef_session")
    source <- open_mef(path)
    expect_identical(
        read_mef(cut, from = from, to = to),
        read_mef(source, from = from, to = to)
    )
    expect_gte(mef_channels(cut)$start_uutc[[1L]], from)
    expect_lte(mef_channels(cut)$end_uutc[[1L]], to)
    expect_identical(mef_records(cut)$text, "in")
    expect_identical(nrow(validate_mef(target)), 0L)
    expect_axtile_error(cut_mef(path, target, from, to), "exists")
    none <- temp_mef()
    expect_axtile_error(
        cut_mef(path, none, mef_t0 + 1e9, mef_t0 + 2e9), "argument", "no sample"
    )
    expect_axtile_error(cut_mef(path, none, to, from), "argument", "`to`")
    expect_axtile_error(cut_mef(path, none, from, NULL), "argument", "`to`")
    expect_axtile_error(cut_mef(path, none, 1:2, 3), "argument", "`from`")
    expect_axtile_error(
        cut_mef(path, file.path(none, "x"), from, to), "argument", "mefd"
    )
    expect_false(file.exists(none))
})

test_that("copies keep their source's passwords", {
    path <- temp_mef()
    x <- write_small_mef(path, password = c("one", "two"))
    target <- temp_mef()
    s <- open_mef(path, "two")
    cut <- cut_mef(s, target, mef_t0, mef_t0 + 1e6)
    expect_identical(bare(read_mef(cut)), bare(x)[1:200, ])
    expect_axtile_error(open_mef(target), "argument", "password")
    saved <- unserialize(serialize(cut, NULL))
    expect_axtile_error(read_mef(saved), "argument", "password")
    plain <- temp_mef()
    anonymous <- anonymize_mef(s, plain)
    expect_identical(bare(read_mef(anonymous)), bare(x))
    expect_identical(bare(read_mef(open_mef(plain))), bare(x))
    other <- temp_mef()
    anonymous <- anonymize_mef(
        path, other, password = "two", output_password = c("three", "four")
    )
    expect_identical(bare(read_mef(open_mef(other, "four"))), bare(x))
    expect_axtile_error(
        cut_mef(path, temp_mef(), mef_t0, mef_t0 + 1e6, password = "one"),
        "argument", "level 2"
    )
})

test_that("parts merge into one recording", {
    path <- temp_mef()
    x <- write_small_mef(path)
    half <- mef_t0 + 5e6
    a <- cut_mef(path, temp_mef(), mef_t0, half)
    b <- cut_mef(path, temp_mef(), half, mef_t0 + 1e7)
    target <- temp_mef()
    merged <- merge_mef(c(b$path, a$path), target)
    expect_identical(bare(read_mef(merged)), bare(x))
    expect_identical(mef_channels(merged)$n_segments, c(2, 2))
    expect_identical(nrow(validate_mef(target)), 0L)
    expect_axtile_error(
        merge_mef(c(path, a$path), temp_mef()), "argument", "fit"
    )
    expect_axtile_error(merge_mef(character(), temp_mef()), "argument", "paths")
    expect_axtile_error(merge_mef(5, temp_mef()), "argument", "paths")
    expect_axtile_error(merge_mef(tempfile(), temp_mef()), "io")
})

test_that("anonymous copies do not tell who it was", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(
        x, path,
        precision = 3,
        subject = list(
            subject_name_1 = "Jane", subject_id = "S-1",
            recording_location = "Brno"
        ),
        metadata = list(session_description = "Jane's")
    )
    write_mef_records(w, data.frame(
        time = mef_t0, type = "Note", text = "Jane woke up"
    ))
    close(w)
    target <- temp_mef()
    anonymous <- anonymize_mef(
        path, target, pseudonym = "P7", shift = as.difftime(-1, units = "days")
    )
    segments <- mef_segments(anonymous)
    expect_identical(segments$subject_id, c("P7", "P7"))
    expect_identical(segments$recording_location, c("", ""))
    expect_identical(mef_channels(anonymous)$start_uutc[[1L]], mef_t0 - 86400e6)
    expect_identical(bare(read_mef(anonymous)), bare(x))
    expect_identical(nrow(mef_records(anonymous)), 0L)
    for (file in list.files(target, recursive = TRUE, full.names = TRUE)) {
        bytes <- readBin(file, "raw", file.size(file))
        expect_length(grepRaw("Jane", bytes, fixed = TRUE), 0)
    }
    kept <- anonymize_mef(
        path, temp_mef(), keep = c("location", "descriptions")
    )
    segments <- mef_segments(kept)
    expect_identical(segments$recording_location[[1L]], "Brno")
    expect_identical(segments$session_description[[1L]], "Jane's")
    none <- temp_mef()
    refused <- function(regexp, ...) {
        expect_axtile_error(
            anonymize_mef(path, none, ...), "argument", regexp
        )
        expect_false(file.exists(none))
    }
    refused("pseudonym", pseudonym = NA)
    refused("127", pseudonym = strrep("p", 200))
    refused("shift", shift = "1 day")
    refused("shift", shift = Inf)
    refused("keep", keep = "names")
    refused("output_password", output_password = "one")
    refused("time", shift = -60 * 365.25 * 86400)
})

test_that("archives are the same session, and always the same bytes", {
    path <- temp_mef()
    x <- write_small_mef(path)
    tar <- archive_mef(path)
    expect_identical(tar, paste0(path, ".tar"))
    s <- open_mef(tar)
    expect_identical(bare(read_mef(s)), bare(x))
    sum <- tools::md5sum(tar)
    expect_axtile_error(archive_mef(path), "exists")
    expect_identical(archive_mef(paste0(path, "/"), overwrite = TRUE), tar)
    expect_identical(tools::md5sum(tar), sum)
    expect_axtile_error(extract_mef(tar), "exists")
    target <- temp_mef()
    expect_identical(extract_mef(tar, target), target)
    expect_identical(bare(read_mef(open_mef(target))), bare(x))
    files <- list.files(path, recursive = TRUE)
    expect_identical(list.files(target, recursive = TRUE), files)
    expect_axtile_error(archive_mef(tempfile()), "argument", "folder")
    expect_axtile_error(extract_mef(path, temp_mef()), "argument", "archive")
    expect_axtile_error(archive_mef(path, overwrite = 1), "argument")
})

test_that("sessions get other names", {
    folder <- withr::local_tempdir()
    path <- file.path(folder, "before.mefd")
    x <- write_small_mef(path)
    write_mef_records(path, data.frame(
        time = mef_t0, type = "Note", text = "still here"
    ))
    renamed <- rename_mef(path, "after")
    expect_identical(list.files(folder), "after.mefd")
    expect_identical(basename(renamed), "after.mefd")
    s <- open_mef(renamed)
    expect_identical(s$name, "after")
    expect_identical(unique(mef_segments(s)$session_name), "after")
    expect_identical(mef_records(s)$text, "still here")
    expect_identical(bare(read_mef(s)), bare(x))
    expect_identical(nrow(validate_mef(renamed)), 0L)
    other <- write_small_mef(file.path(folder, "other.mefd"))
    expect_axtile_error(rename_mef(renamed, "other"), "exists")
    for (name in c("a/b", "..", "a:b")) {
        expect_axtile_error(rename_mef(renamed, name), "argument", "name")
    }
    expect_axtile_error(rename_mef(renamed, ""), "argument", "name")
    expect_axtile_error(
        rename_mef(archive_mef(renamed), "x"), "unsupported"
    )
    expect_identical(open_mef(renamed)$name, "after")
})
