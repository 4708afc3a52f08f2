# Runs one example. `.toolcrib` has its parameters: package, folder, code, condition. Output goes to
# stdout. Facts for the caller go to stderr, one line each, as `toolcrib-NAME VALUE`: paths to be
# replaced in the output, that the example began, and its time or its error. Programs that the example
# starts may write to stderr as well, without a final newline, so each fact begins with a newline.
local({
  spec <- .toolcrib
  sourcing <- .toolcrib_sourcing
  rm(".toolcrib", ".toolcrib_sourcing", envir = globalenv())
  # Messages and warnings of R are part of the output, so stderr is redirected to stdout while the
  # example runs. Facts must bypass that.
  report <- function(...) {
    sink(type = "message")
    cat("\ntoolcrib-", ..., "\n", sep = "", file = stderr())
  }
  missing_packages <- NULL
  # The missing packages that code names: all of them, not only the first that fails to load.
  find_missing <- function(code) {
    pattern <- "\\b(library|require|requireNamespace|loadNamespace)\\(\\s*[\"']?[A-Za-z][A-Za-z0-9.]*|\\b[A-Za-z][A-Za-z0-9.]*(?=:::?[A-Za-z.])"
    named <- unlist(regmatches(code, gregexpr(pattern, code, perl = TRUE)))
    named <- setdiff(sub("^.*\\(\\s*[\"']?", "", named), spec$package)
    named[!nzchar(vapply(named, function(name) system.file(package = name), ""))]
  }
  fail <- function(problem) {
    if (inherits(problem, "packageNotFoundError")) {
      missing_packages <- c(missing_packages, problem$package, find_missing(spec$code))
    }
    report("missing ", paste(unique(missing_packages), collapse = " "))
    report("error ", gsub("[\r\n]+", " ", conditionMessage(problem)))
    quit(save = "no", status = 1, runLast = FALSE)
  }

  tryCatch({
    options(width = 80, max.print = 1000, warn = 1, device = function(...) grDevices::pdf(NULL))
    scratch <- Sys.getenv("TMPDIR", tempdir())
    setwd(scratch)
    names <- c("<tmp>", "<tmp>", "Rtmp", "<package>", "<package>/..", "<R>", rep("<library>", length(.libPaths())), "~")
    places <- c(tempdir(), scratch, basename(tempdir()), spec$folder, dirname(spec$folder), R.home(), .libPaths(), path.expand("~"))
    for (index in seq_along(places)) report("path ", names[[index]], " ", places[[index]])
    report("process ", sprintf("%x", Sys.getpid()))
    here <- new.env(parent = sourcing$load_sources(spec$package, spec$folder, function(names) missing_packages <<- names))
    # Examples attach their own package, which is loaded from source and may not be installed.
    attaching <- function(attach, attached) {
      function(package, ..., character.only = FALSE) {
        if (missing(package)) return(attach(...))
        name <- if (character.only) package else as.character(substitute(package))
        if (identical(name, spec$package)) invisible(attached) else attach(name, ..., character.only = TRUE)
      }
    }
    here$library <- attaching(base::library, spec$package)
    here$require <- attaching(base::require, TRUE)
    if (!isTRUE(eval(parse(text = spec$condition, encoding = "UTF-8"), here))) {
      report("skipped ")
      quit(save = "no", status = 0, runLast = FALSE)
    }
    code <- parse(text = spec$code, keep.source = FALSE, encoding = "UTF-8")
    report("began")
    # Makes random numbers the same in every build, so that files change only for a reason.
    set.seed(1L)
    sink(stdout(), type = "message")
    started <- Sys.time()
    withCallingHandlers(
      for (expression in code) {
        result <- withVisible(eval(expression, here))
        if (result$visible) print(result$value)
      },
      message = function(condition) {
        cat(conditionMessage(condition))
        invokeRestart("muffleMessage")
      },
      warning = function(condition) {
        cat("Warning: ", conditionMessage(condition), "\n", sep = "")
        invokeRestart("muffleWarning")
      }
    )
    report("seconds ", format(as.numeric(difftime(Sys.time(), started, units = "secs")), digits = 6, scientific = FALSE))
  }, error = fail)
})
