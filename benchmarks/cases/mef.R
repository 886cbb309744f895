# MEF 3.0 sessions: reading, writing, opening, appending and their sizes, beside
# mef3io and mef_tools where `--python` names a Python that has them.
source("common.R")
source("mef/signals.R")
source("mef/peer.R")
source("mef/measure.R")

set_num_threads(1)
peer <- start_peer(settings$python)
if (is.null(peer)) {
    skip("mef3io and mef_tools", "no --python was given")
} else {
    cat("  beside", peer$versions, "\n")
}
for (part in c("codec", "open", "append", "windows", "binding")) {
    source(file.path("mef", paste0(part, ".R")))
}
stop_peer(peer)
finish()
