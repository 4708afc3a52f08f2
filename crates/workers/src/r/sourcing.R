# Loads a package that is not installed from its sources into a namespace, with base R only. The
# script that follows takes `.toolcrib_sourcing` and removes the variable.
.toolcrib_sourcing <- local({
  missing_thing <- function(kind, ...) {
    stop(structure(class = c("toolcrib_missing", "error", "condition"),
                   list(message = paste0(...), call = NULL, kind = kind)))
  }

  is_installed <- function(package) {
    isNamespaceLoaded(package) || length(find.package(package, quiet = TRUE)) > 0L
  }

  # An environment that R takes for the namespace of a package that is not installed.
  namespace_for <- function(package, version, path) {
    imports <- new.env(hash = TRUE, parent = .BaseNamespaceEnv)
    attr(imports, "name") <- paste0("imports:", package)
    space <- new.env(hash = TRUE, parent = imports)
    info <- new.env(hash = TRUE, parent = baseenv())
    info$spec <- c(name = package, version = version)
    assign(".__NAMESPACE__.", info, envir = space)
    setNamespaceInfo(space, "exports", new.env(hash = TRUE, parent = baseenv()))
    setNamespaceInfo(space, "imports", list(base = TRUE))
    setNamespaceInfo(space, "path", path)
    setNamespaceInfo(space, "dynlibs", NULL)
    setNamespaceInfo(space, "S3methods", matrix(NA_character_, 0L, 4L))
    assign(".__S3MethodsTable__.", new.env(hash = TRUE, parent = baseenv()), envir = space)
    assign(".packageName", package, envir = space)
    space
  }

  import_into <- function(space, package, wanted) {
    imports <- parent.env(space)
    lacking <- NULL
    for (import in wanted) {
      from <- import[[1L]]
      if (!is_installed(from)) {
        lacking <- c(lacking, from)
        next
      }
      there <- asNamespace(from)
      all <- if (from == "base") NULL else getNamespaceExports(there)
      is_some <- is.list(import) && is.null(import$except) && length(import) > 1L
      names <- if (is_some) intersect(import[[2L]], all) else setdiff(all, if (is.list(import)) import$except)
      for (name in names) assign(name, getExportedValue(from, name), envir = imports)
    }
    lacking
  }

  # The names of the R files in a folder, in the order of their bytes, whatever the locale.
  code_in <- function(folder) {
    files <- list.files(folder, pattern = "[.][RrSsQq]$", all.files = FALSE)
    files[order(vapply(files, function(name) paste(sprintf("%02x", as.integer(charToRaw(name))), collapse = ""), ""))]
  }

  # The R files of a package, in the order of `Collate` if there is one.
  source_files <- function(path, description) {
    # Files for one operating system come last, as in R CMD INSTALL.
    system <- .Platform$OS.type
    files <- c(code_in(file.path(path, "R")), file.path(system, code_in(file.path(path, "R", system))))
    for (field in c("Collate.unix", "Collate")) {
      if (field %in% colnames(description) && !is.na(description[, field])) {
        named <- scan(text = gsub("\n", " ", description[, field]), what = "", quiet = TRUE, strip.white = TRUE)
        return(file.path(path, "R", named))
      }
    }
    file.path(path, "R", files)
  }

  # Attaches the packages in `Depends`, as `library(package)` would do. Returns those that are not installed.
  attach_depends <- function(description) {
    if (!"Depends" %in% colnames(description)) return(NULL)
    named <- trimws(gsub("[(][^)]*[)]", "", strsplit(description[, "Depends"], ",")[[1L]]))
    named <- setdiff(named[nzchar(named)], "R")
    there <- vapply(named, is_installed, NA)
    for (one in named[there]) suppressPackageStartupMessages(library(one, character.only = TRUE))
    named[!there]
  }

  # `system.file` for the package itself: an installed package has the files of `inst/` at its top.
  own_system_file <- function(own, path) {
    function(..., package = "base", lib.loc = NULL, mustWork = FALSE) {
      if (!identical(package, own)) return(base::system.file(..., package = package, lib.loc = lib.loc, mustWork = mustWork))
      if (...length() == 0L) return(path)
      places <- c(file.path(path, "inst", ...), file.path(path, ...))
      found <- places[file.exists(places)]
      if (length(found)) return(found[[1L]])
      if (mustWork) stop("no file found", call. = FALSE)
      ""
    }
  }

  # Makes the data sets in `data/` available; each is read on first use. The names in an .rda file must be
  # looked up in it; for a very large one, the name of the file is assumed.
  offer_data <- function(space, package, path) {
    offered <- new.env(hash = TRUE, parent = emptyenv())
    setNamespaceInfo(space, "lazydata", offered)
    files <- list.files(file.path(path, "data"), "[.](R|r|rda|RData|rdata|csv|CSV|tab|txt|TXT)([.](gz|bz2|xz))?$")
    offer <- function(name, set) {
      force(set)
      value <- function() {
        read <- new.env()
        utils::data(list = set, package = package, envir = read)
        get(name, envir = read)
      }
      delayedAssign(name, value(), assign.env = offered)
      delayedAssign(name, get(name, envir = offered), assign.env = parent.env(space))
    }
    for (file in files) {
      set <- sub("[.].*$", "", file)
      whole <- file.path(path, "data", file)
      is_opened <- grepl("[.](rda|rdata)$", tolower(file)) && file.size(whole) < 16 * 1048576
      for (name in if (is_opened) load(whole, new.env()) else set) offer(name, set)
    }
  }

  # R's parser rejects a byte order mark.
  parsed <- function(file) {
    if (!identical(readBin(file, "raw", 3L), as.raw(c(0xef, 0xbb, 0xbf)))) {
      return(parse(file, keep.source = FALSE, encoding = "UTF-8"))
    }
    lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
    lines[[1L]] <- sub("^\ufeff", "", lines[[1L]])
    parse(text = lines, keep.source = FALSE, encoding = "UTF-8")
  }

  # Registers S3 methods by their names, for packages without a NAMESPACE file.
  register_by_name <- function(space) {
    is_generic <- function(name) {
      found <- get0(name, envir = space, mode = "function")
      is.primitive(found) || is.function(found) && utils::isS3stdGeneric(found)
    }
    for (name in grep("[^.].*[.].", ls(space), value = TRUE)) {
      parts <- strsplit(name, ".", fixed = TRUE)[[1L]]
      for (count in seq_len(length(parts) - 1L)) {
        generic <- paste(utils::head(parts, count), collapse = ".")
        class <- paste(utils::tail(parts, -count), collapse = ".")
        if (is.function(space[[name]]) && is_generic(generic)) registerS3method(generic, class, space[[name]], envir = space)
      }
    }
  }

  # Loads a package and returns its namespace. Calls `tell_lacking` with the required packages that are not
  # installed before any code runs that could fail because of them.
  sourced <- function(package, path, tell_lacking) {
    description <- read.dcf(file.path(path, "DESCRIPTION"))
    version <- if ("Version" %in% colnames(description)) description[, "Version"][[1L]] else "0.0.0"
    wanted <- if (file.exists(file.path(path, "NAMESPACE"))) parseNamespaceFile(basename(path), dirname(path))
    if (NROW(wanted$dynlibs) > 0L) {
      if (is_installed(package)) return(asNamespace(package))
      missing_thing("r_package_missing", "the R package `", package, "` has compiled code, so that its sources alone cannot be ",
                    "used; install it with R CMD INSTALL ", shQuote(path))
    }
    space <- namespace_for(package, version, path)
    # Package code may refer to its own package, even while it is loaded.
    if (!isNamespaceLoaded(package)) {
      .Internal(registerNamespace(package, space))
      on.exit(.Internal(unregisterNamespace(package)))
    }
    tell_lacking(c(attach_depends(description), import_into(space, package, c(wanted$imports, wanted$importMethods))))
    assign("system.file", own_system_file(package, path), envir = parent.env(space))
    offer_data(space, package, path)
    data <- file.path(path, "R", "sysdata.rda")
    if (file.exists(data)) load(data, envir = space)
    for (file in source_files(path, description)) {
      for (expression in parsed(file)) eval(expression, space)
    }
    if (is.null(wanted)) register_by_name(space)
    if (NROW(wanted$S3methods) > 0L) registerS3methods(wanted$S3methods, package, space)
    all <- ls(space, all.names = TRUE)
    exports <- getNamespaceInfo(space, "exports")
    for (name in all[!startsWith(all, ".__")]) assign(name, name, envir = exports)
    if (is.function(space$.onLoad)) space$.onLoad(dirname(path), package)
    on.exit()
    space
  }

  list(missing_thing = missing_thing, is_installed = is_installed, sourced = sourced)
  # The parent is base R, so that nothing that packages attach can mask it here.
}, new.env(parent = .BaseNamespaceEnv))
