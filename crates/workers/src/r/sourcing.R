# Loads a package that is not installed from its sources into a namespace, with base R only. The
# script that follows takes `.toolcrib_sourcing` and removes the variable.
.toolcrib_sourcing <- local({
  stop_missing <- function(kind, ...) {
    stop(structure(class = c("toolcrib_missing", "error", "condition"),
                   list(message = paste0(...), call = NULL, kind = kind)))
  }

  is_installed <- function(package) {
    isNamespaceLoaded(package) || length(find.package(package, quiet = TRUE)) > 0L
  }

  # An environment that R takes for the namespace of a package that is not installed.
  create_namespace <- function(package, version, path) {
    imports <- new.env(hash = TRUE, parent = .BaseNamespaceEnv)
    attr(imports, "name") <- paste0("imports:", package)
    space <- new.env(hash = TRUE, parent = imports)
    # The fields that R's own `makeNamespace` sets; `asNamespace`, `::` and `registerS3methods` read
    # them.
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

  import_packages <- function(space, wanted_imports) {
    imports <- parent.env(space)
    missing <- NULL
    for (import in wanted_imports) {
      from <- import[[1L]]
      if (!is_installed(from)) {
        missing <- c(missing, from)
        next
      }
      all <- if (from == "base") NULL else getNamespaceExports(asNamespace(from))
      # `import(a)` is a name, `importFrom(a, b)` a list, and `import(a, except = b)` a list with
      # that field.
      is_some <- is.list(import) && is.null(import$except) && length(import) > 1L
      names <- if (is_some) intersect(import[[2L]], all) else setdiff(all, if (is.list(import)) import$except)
      for (name in names) assign(name, getExportedValue(from, name), envir = imports)
    }
    missing
  }

  # The names of the R files in a folder, in the order of their bytes, whatever the locale.
  list_code_files <- function(folder) {
    files <- list.files(folder, pattern = "[.][RrSsQq]$", all.files = FALSE)
    files[order(vapply(files, function(name) paste(sprintf("%02x", as.integer(charToRaw(name))), collapse = ""), ""))]
  }

  # The R files of a package, in the order of `Collate` if there is one.
  list_source_files <- function(path, description) {
    # Files for one operating system come last, as in R CMD INSTALL.
    system <- .Platform$OS.type
    files <- c(list_code_files(file.path(path, "R")), file.path(system, list_code_files(file.path(path, "R", system))))
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
    # Without version requirements such as `(>= 4.1)`.
    named <- trimws(gsub("[(][^)]*[)]", "", strsplit(description[, "Depends"], ",")[[1L]]))
    named <- setdiff(named[nzchar(named)], "R")
    is_there <- vapply(named, is_installed, NA)
    for (one in named[is_there]) suppressPackageStartupMessages(library(one, character.only = TRUE))
    named[!is_there]
  }

  # `system.file` for the package itself: an installed package has the files of `inst/` at its top.
  make_system_file <- function(own, path) {
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
  register_data <- function(space, package, path) {
    data_sets <- new.env(hash = TRUE, parent = emptyenv())
    setNamespaceInfo(space, "lazydata", data_sets)
    files <- list.files(file.path(path, "data"), "[.](R|r|rda|RData|rdata|csv|CSV|tab|txt|TXT)([.](gz|bz2|xz))?$")
    register <- function(name, set) {
      force(set)
      value <- function() {
        read <- new.env()
        utils::data(list = set, package = package, envir = read)
        get(name, envir = read)
      }
      # Data sets can be large, and most calls need none of them.
      delayedAssign(name, value(), assign.env = data_sets)
      delayedAssign(name, get(name, envir = data_sets), assign.env = parent.env(space))
    }
    for (file in files) {
      set <- sub("[.].*$", "", file)
      whole <- file.path(path, "data", file)
      is_loaded <- grepl("[.](rda|rdata)$", tolower(file)) && file.size(whole) < 16 * 1048576
      for (name in if (is_loaded) load(whole, new.env()) else set) register(name, set)
    }
  }

  # R's parser rejects a byte order mark.
  parse_file <- function(file) {
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
      # `t.test.data.frame` can be split in several places; only the generic tells which is right.
      for (count in seq_len(length(parts) - 1L)) {
        generic <- paste(utils::head(parts, count), collapse = ".")
        class <- paste(utils::tail(parts, -count), collapse = ".")
        if (is.function(space[[name]]) && is_generic(generic)) registerS3method(generic, class, space[[name]], envir = space)
      }
    }
  }

  # Loads a package and returns its namespace. Calls `report_missing` with the required packages that are not
  # installed before any code runs that could fail because of them.
  load_sources <- function(package, path, report_missing) {
    description <- read.dcf(file.path(path, "DESCRIPTION"))
    version <- if ("Version" %in% colnames(description)) description[, "Version"][[1L]] else "0.0.0"
    namespace <- if (file.exists(file.path(path, "NAMESPACE"))) parseNamespaceFile(basename(path), dirname(path))
    if (NROW(namespace$dynlibs) > 0L) {
      # The installed version has the compiled code, even if its R code may be older than the
      # sources.
      if (is_installed(package)) return(asNamespace(package))
      stop_missing("r_package_missing", "the R package `", package, "` has compiled code, so it cannot be loaded ",
                    "from its sources; install it with R CMD INSTALL ", shQuote(path))
    }
    space <- create_namespace(package, version, path)
    # Package code may refer to its own package, even while it is loaded.
    if (!isNamespaceLoaded(package)) {
      .Internal(registerNamespace(package, space))
      on.exit(.Internal(unregisterNamespace(package)))
    }
    report_missing(c(attach_depends(description), import_packages(space, c(namespace$imports, namespace$importMethods))))
    assign("system.file", make_system_file(package, path), envir = parent.env(space))
    register_data(space, package, path)
    data <- file.path(path, "R", "sysdata.rda")
    if (file.exists(data)) load(data, envir = space)
    for (file in list_source_files(path, description)) {
      for (expression in parse_file(file)) eval(expression, space)
    }
    if (is.null(namespace)) register_by_name(space)
    if (NROW(namespace$S3methods) > 0L) registerS3methods(namespace$S3methods, package, space)
    all <- ls(space, all.names = TRUE)
    exports <- getNamespaceInfo(space, "exports")
    # Everything is exported: tools may be internal functions, and their definitions name them.
    for (name in all[!startsWith(all, ".__")]) assign(name, name, envir = exports)
    if (is.function(space$.onLoad)) space$.onLoad(dirname(path), package)
    # Everything worked, so the namespace stays registered.
    on.exit()
    space
  }

  list(stop_missing = stop_missing, is_installed = is_installed, load_sources = load_sources)
  # The parent is base R, so that nothing that packages attach can mask it here.
}, new.env(parent = .BaseNamespaceEnv))
