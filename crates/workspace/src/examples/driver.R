# Runs one example. `.toolcrib` says which: package, folder, code, condition. Output goes to standard output. Standard
# error has one line a fact for the caller: paths to be replaced, that the example began, its seconds or the error. What
# programs say there that the example starts is output, too; a fact that follows begins a new line.
local({
  spec <- .toolcrib
  sourcing <- .toolcrib_sourcing
  rm(".toolcrib", ".toolcrib_sourcing", envir = globalenv())
  # What the example says to R's standard error is output as well; facts are not.
  tell <- function(...) {
    sink(type = "message")
    cat("\ntoolcrib-", ..., "\n", sep = "", file = stderr())
  }
  lacking <- NULL
  fail <- function(problem) {
    tell("error ", gsub("[\r\n]+", " ", conditionMessage(problem)),
         if (length(lacking)) paste0(" (not installed: ", paste(lacking, collapse = ", "), ")"))
    quit(save = "no", status = 1, runLast = FALSE)
  }

  tryCatch({
    options(width = 80, max.print = 1000, warn = 1, device = function(...) grDevices::pdf(NULL))
    scratch <- Sys.getenv("TMPDIR", tempdir())
    setwd(scratch)
    known <- c("<tmp>", "<tmp>", "Rtmp", "<package>", "<package>/..", "<R>", rep("<library>", length(.libPaths())), "~")
    places <- c(tempdir(), scratch, basename(tempdir()), spec$folder, dirname(spec$folder), R.home(), .libPaths(), path.expand("~"))
    for (index in seq_along(places)) tell("path ", known[[index]], " ", places[[index]])
    tell("process ", sprintf("%x", Sys.getpid()))
    here <- new.env(parent = sourcing$sourced(spec$package, spec$folder, function(names) lacking <<- names))
    # Examples attach their own package, which is there already, and perhaps not installed.
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
      tell("skipped ")
      quit(save = "no", status = 0, runLast = FALSE)
    }
    code <- parse(text = spec$code, keep.source = FALSE, encoding = "UTF-8")
    tell("began")
    sink(stdout(), type = "message")
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
