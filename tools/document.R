# Writes NAMESPACE and man/: Rscript tools/document.R [library]
# With the library that holds the installed package, roxygen sees what users
# will see. Without it the R files are sourced: the way out when a NAMESPACE
# that names a vanished function keeps the package from installing.
lib <- commandArgs(TRUE)
.libPaths(c(lib, .libPaths()))
options(cli.num_colors = 1L)
roxygen2::roxygenise(load_code = if (length(lib)) "installed" else "source")
