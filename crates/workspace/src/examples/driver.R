# Runs one example. `.toolcrib` says which: package, folder, code, condition. Output goes to standard output; standard
# error has one line a fact for the caller: seconds, paths to be replaced, or the error.
local({
  spec <- .toolcrib
  rm(".toolcrib", envir = globalenv())
  tell <- function(...) cat("toolcrib-", ..., "\n", sep = "", file = stderr())
  fail <- function(problem) {
    tell("error ", gsub("[\r\n]+", " ", conditionMessage(problem)))
    quit(save = "no", status = 1, runLast = FALSE)
  }

  # A namespace made of sources, so that `package::name` works without installing anything.
  namespace <- function(name, folder) {
    about <- read.dcf(file.path(folder, "DESCRIPTION"))[1, ]
    if (dir.exists(file.path(folder, "src")) && requireNamespace(name, quietly = TRUE)) return(asNamespace(name))
    imports <- new.env(parent = .BaseNamespaceEnv)
    attr(imports, "name") <- paste0("imports:", name)
    space <- new.env(parent = imports)
    info <- new.env(parent = baseenv())
    assign(".__NAMESPACE__.", info, envir = space)
    assign("spec", c(name = name, version = about[["Version"]]), envir = info)
    setNamespaceInfo(space, "exports", new.env(parent = baseenv()))
    setNamespaceInfo(space, "imports", list(base = TRUE))
    setNamespaceInfo(space, "path", folder)
    setNamespaceInfo(space, "dynlibs", NULL)
    setNamespaceInfo(space, "S3methods", matrix(NA_character_, 0L, 4L))
    assign(".packageName", name, envir = space)
    assign(".__S3MethodsTable__.", new.env(parent = baseenv()), envir = space)
    declared <- if (file.exists(file.path(folder, "NAMESPACE"))) parseNamespaceFile(basename(folder), dirname(folder))
    for (import in declared$imports) {
      if (is.character(import)) namespaceImport(space, loadNamespace(import))
      else namespaceImportFrom(space, loadNamespace(import[[1L]]), import[[2L]])
    }
    .Internal(registerNamespace(name, space))
    data <- file.path(folder, "R", "sysdata.rda")
    if (file.exists(data)) load(data, space)
    files <- if ("Collate" %in% names(about)) scan(text = about[["Collate"]], what = "", quiet = TRUE)
             else sort(list.files(file.path(folder, "R"), "[.][RrSsq]$"), method = "radix")
    for (file in files) {
      for (expression in parse(file.path(folder, "R", file), keep.source = FALSE, encoding = "UTF-8")) eval(expression, space)
    }
    everything <- ls(space, all.names = TRUE)
    everything <- everything[!startsWith(everything, ".__")]
    patterns <- unlist(lapply(declared$exportPatterns, function(pattern) grep(pattern, everything, value = TRUE)))
    exports <- if (is.null(declared)) everything else intersect(c(declared$exports, patterns), everything)
    namespaceExport(space, exports)
    if (!is.null(declared) && length(declared$S3methods)) registerS3methods(declared$S3methods, name, space)
    if (is.function(space$.onLoad)) space$.onLoad(dirname(folder), name)
    space
  }

  tryCatch({
    options(width = 80, max.print = 1000, warn = 1, device = function(...) grDevices::pdf(NULL))
    scratch <- Sys.getenv("TMPDIR", tempdir())
    setwd(scratch)
    known <- c("<tmp>", "<tmp>", "<package>", "<R>", rep("<library>", length(.libPaths())), "~")
    places <- c(tempdir(), scratch, spec$folder, R.home(), .libPaths(), path.expand("~"))
    for (index in seq_along(places)) tell("path ", known[[index]], " ", places[[index]])
    here <- new.env(parent = namespace(spec$package, spec$folder))
    if (!isTRUE(eval(parse(text = spec$condition, encoding = "UTF-8"), here))) {
      tell("skipped ")
      quit(save = "no", status = 0, runLast = FALSE)
    }
    code <- parse(text = spec$code, keep.source = FALSE, encoding = "UTF-8")
    started <- Sys.time()
    withCallingHandlers(
      for (expression in code) {
        result <- withVisible(eval(expression, here))
        if (result$visible) print(result$value)
      },
      message = function(said) {
        cat(conditionMessage(said))
        invokeRestart("muffleMessage")
      },
      warning = function(said) {
        cat("Warning: ", conditionMessage(said), "\n", sep = "")
        invokeRestart("muffleWarning")
      }
    )
    tell("seconds ", format(as.numeric(difftime(Sys.time(), started, units = "secs")), digits = 6, scientific = FALSE))
  }, error = fail)
})
