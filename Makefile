# What a developer does with axtile; `make help` lists it. BUILD_DIR holds the
# library that tests and the demo use, so that R's own libraries stay as they
# are; CARGO_TARGET_DIR moves Cargo's output (default: src/rust/target).
BUILD_DIR ?= .build
LIB = $(BUILD_DIR)/library
export BUILD_DIR
export PATH := $(PATH):$(HOME)/.cargo/bin
export LC_ALL ?= $(if $(findstring UTF-8,$(LANG)),$(LANG),C.UTF-8)
TARBALL = axtile_$$(sed -n 's/^Version: //p' DESCRIPTION).tar.gz

# Targets share the source tree, so that only their own work runs in parallel.
.NOTPARALLEL:
.PHONY: help install test demo benchmark document authors tarball check \
  format lint portability clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1 \2/p' Makefile | \
	  while read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

install: ## install into R's default library
	@tools/setup.sh run
	@tools/install.sh "$$(Rscript --vanilla -e 'cat(.libPaths()[1])')"

test: ## Rust and R tests
	@tools/setup.sh test
	@tools/test.sh $(LIB)

demo: ## convert and check real counts; H5AD=file for your own
	@tools/setup.sh demo
	@tools/install.sh $(LIB)
	@R_LIBS=$(LIB) Rscript tools/demo.R $${H5AD:+"$$H5AD"}

benchmark: ## run benchmarks/run.R; ARGS="..." for its arguments
	@tools/setup.sh test
	@tools/install.sh $(LIB)
	@R_LIBS=$(LIB) Rscript benchmarks/run.R $(ARGS)

document: ## write NAMESPACE, man/, R/extendr-wrappers.R and inst/AUTHORS
	@tools/setup.sh document
	@tools/install.sh $(LIB) || \
	  { grep -q 'undefined exports' $(BUILD_DIR)/install.log && \
	  Rscript tools/document.R && tools/install.sh $(LIB); }
	@Rscript tools/wrappers.R $(LIB)
	@Rscript tools/document.R $(LIB)
	@Rscript tools/authors.R

tarball: ## build the source package that installs without a network
	@tools/setup.sh test
	@tools/tarball.sh

check: tarball ## R CMD check --as-cran of the source package
	@tools/setup.sh check
	@tools/check.sh "$(TARBALL)" $(BUILD_DIR)/check

format: ## format the Rust code
	@cargo fmt --manifest-path src/rust/Cargo.toml --all

portability: ## clippy for Windows, macOS and Linux on ARM
	@tools/setup.sh lint
	@tools/portability.sh

lint: ## clippy and lintr
	@tools/setup.sh lint
	@cargo clippy --manifest-path src/rust/Cargo.toml --workspace \
	  --all-targets --locked --quiet -- -D warnings
	@Rscript tools/lint.R

clean: ## remove what builds leave in the tree
	@./cleanup
	@rm -rf $(BUILD_DIR) src/rust/target axtile_*.tar.gz axtile.Rcheck
