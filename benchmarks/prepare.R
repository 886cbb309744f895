# Makes the counts that the cases of this run share: counts.rds.
source("common.R")

if (is.null(settings$h5ad)) {
    made <- settings$made
    m <- synthetic_counts(made$cells, made$genes, detected = made$detected)
} else {
    folder <- scratch("prepare.tiles")
    ds <- convert_tiles(
        settings$h5ad, folder,
        format = "deltacells", level = 1
    )
    m <- read_cells(ds)
    unlink(folder, recursive = TRUE)
}
saveRDS(m, settings$counts, compress = FALSE)
cat(
    "cells: ", ncol(m), ", genes: ", nrow(m), ", nonzeros: ", length(m@x), "\n",
    sep = ""
)
