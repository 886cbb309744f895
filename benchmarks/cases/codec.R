# The codecs themselves, without R and files: `cargo bench --bench codecs` of the
# codec crate, on the cells of one tile.
source("common.R")

manifest <- file.path("..", "src", "rust", "Cargo.toml")
if (!nzchar(Sys.which("cargo")) || !file.exists(manifest)) {
    skip("codecs", "cargo or the source of the codecs is not there")
    finish()
    quit(save = "no")
}

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
# Genes as tiles store them.
order <- base::order(-rowSums(m), seq_len(nrow(m)))
stored <- m[order, ]
file <- scratch("counts.bin")
write_numbers <- function(connection, x) {
    writeBin(as.integer(x), connection, size = 4, endian = "little")
}
connection <- file(file, "wb")
write_numbers(connection, c(rev(dim(m)), length(m@x)))
for (numbers in list(stored@p, stored@i, stored@x, order - 1L)) {
    write_numbers(connection, numbers)
}
close(connection)

table <- scratch("codecs.csv")
status <- system2("cargo", c(
    "bench", "--quiet", "--manifest-path", shQuote(manifest),
    "--package", "axtile-codec", "--bench", "codecs", "--",
    shQuote(file), "--csv", shQuote(table)
), stdout = FALSE)
if (status != 0L) stop("cargo bench failed")
results <- utils::read.csv(table)
for (k in seq_len(nrow(results))) {
    row <- results[k, ]
    record(row$what, row$threads, row$metric, row$value, row$unit, row$n)
}
# As multiples of the axtile format's: by what is decoded to, and by how.
medians <- results[results$metric == "median", ]
parts <- strsplit(medians$what, ", ", fixed = TRUE)
numbers <- vapply(parts, `[[`, "", 1L)
how <- ifelse(
    grepl("fresh memory$|other order$", medians$what),
    sub(".*, ", "", medians$what), "reused memory"
)
group <- paste(numbers, how, medians$threads)
is_reference <- grepl("^[^,]+, axtile(, (fresh memory|other order))?$", medians$what)
reference <- medians$value[is_reference]
names(reference) <- group[is_reference]
for (k in which(group %in% names(reference))) {
    record(
        medians$what[[k]], medians$threads[[k]], "ratio",
        medians$value[[k]] / reference[[group[[k]]]], "times", medians$n[[k]]
    )
}
finish()
