# Renders one document in a private copy of its folder.
#
#   Rscript --vanilla render.R FOLDER
#
# FOLDER/job.json names what to render: `file` below FOLDER/source, `format`, `params` and a `token`. The output is in
# FOLDER/out: the document as `document.EXT`, and `result.json`, which exists unless R was killed. Progress is reported on
# stderr, in lines that start with the random token, so that nothing a document prints is mistaken for it.
# Missing components are detected before anything runs or loads.
# The script and the document do not see each other's names: a document must behave as in a plain R session.
local(envir = new.env(parent = baseenv()), {
  # The sandbox hides the user's home, but not the packages in it.
  home <- Sys.getenv("TOOLCRIB_R_HOME")
  if (nzchar(home)) {
    minor <- sub("\\..*", "", R.version$minor)
    own <- file.path(home, "R", paste0(R.version$platform, "-library"), paste(R.version$major, minor, sep = "."))
    .libPaths(c(own[dir.exists(own)], .libPaths()))
  }

  folder <- normalizePath(commandArgs(trailingOnly = TRUE)[[1]])
  out <- file.path(folder, "out")
  dir.create(out, showWarnings = FALSE)

  # Writes JSON for strings, booleans, NULL and lists of them; works before jsonlite is known to be installed.
  json <- function(x) {
    if (is.null(x)) return("null")
    if (is.logical(x)) return(if (isTRUE(x)) "true" else "false")
    if (!is.list(x)) return(quoted(x))
    members <- vapply(x, json, "")
    if (is.null(names(x))) return(paste0("[", paste(members, collapse = ","), "]"))
    paste0("{", paste0(quoted(names(x)), ":", members, collapse = ","), "}")
  }

  quoted <- function(text) {
    text <- iconv(enc2utf8(as.character(text)), "UTF-8", "UTF-8", sub = "byte")
    text <- gsub("([\"\\\\])", "\\\\\\1", text)
    for (code in if (any(grepl("[[:cntrl:]]", text))) 1:31) {
      text <- gsub(intToUtf8(code), sprintf("\\u%04x", code), text, fixed = TRUE)
    }
    paste0("\"", text, "\"")
  }

  finish <- function(result) {
    # R would take longer to load its compiler and compile what follows than to run it.
    .Internal(enableJIT(0L))
    writeLines(json(result), file.path(out, "result.json"), useBytes = TRUE)
    quit(save = "no", status = if (isTRUE(result$ok)) 0L else 1L)
  }

  missing <- function(component) finish(list(ok = FALSE, kind = "missing", component = component))

  for (package in c("jsonlite", "knitr", "rmarkdown")) {
    if (!requireNamespace(package, quietly = TRUE)) missing(package)
  }

  job <- jsonlite::fromJSON(
    file.path(folder, "job.json"),
    simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE
  )
  source <- file.path(folder, "source", job$file)
  extension <- c(html = "html", pdf = "pdf", word = "docx")[[job$format]]
  is_quarto <- grepl("\\.qmd$", source, ignore.case = TRUE)

  if (is_quarto) {
    if (!nzchar(Sys.which("quarto"))) missing("quarto")
  } else {
    if (!rmarkdown::pandoc_available("1.14")) missing("pandoc")
  }
  if (job$format == "pdf" && !any(nzchar(Sys.which(c("pdflatex", "xelatex", "lualatex"))))) missing("tex")

  # Mutable state of the hooks below.
  seen <- new.env()
  seen$warnings <- list()
  seen$chunk <- NULL
  seen$is_wrapped <- FALSE

  report_progress <- function(...) {
    cat(job$token, " ", sprintf(...), "\n", sep = "", file = stderr())
  }

  warn <- function(message, label = NULL) {
    if (length(seen$warnings) < 100L) {
      seen$warnings[[length(seen$warnings) + 1L]] <- list(message = message, label = label)
    }
  }

  # knitr writes the warnings of a chunk into the document only, and drops them if the chunk fails. Intercept them where
  # chunks are evaluated.
  record_chunk_warnings <- function() {
    evaluate <- knitr::knit_hooks$get("evaluate")
    knitr::knit_hooks$set(evaluate = function(..., output_handler) {
      pass_on <- output_handler$warning
      output_handler$warning <- function(condition) {
        warn(conditionMessage(condition), seen$chunk)
        pass_on(condition)
      }
      evaluate(..., output_handler = output_handler)
    })
  }

  # The only hook that knitr calls for every chunk, regardless of its options.
  knitr::opts_hooks$set(label = function(options) {
    if (!seen$is_wrapped) {
      seen$is_wrapped <- TRUE
      record_chunk_warnings()
    }
    labels <- knitr::all_labels()
    seen$chunk <- options$label
    report_progress("%d/%d %s", match(options$label, labels, nomatch = 0L), length(labels), options$label)
    options
  })

  versions <- function() {
    list(
      R = as.character(getRversion()),
      rmarkdown = as.character(utils::packageVersion("rmarkdown")),
      knitr = as.character(utils::packageVersion("knitr")),
      pandoc = as.character(rmarkdown::pandoc_version())
    )
  }

  render_rmarkdown <- function() {
    options(tinytex.install_packages = FALSE)
    rmarkdown::render(
      source,
      output_format = c(html = "html_document", pdf = "pdf_document", word = "word_document")[[job$format]],
      output_file = paste0("document.", extension),
      output_dir = out,
      params = if (length(job$params)) job$params,
      envir = new.env(parent = globalenv()),
      quiet = TRUE
    )
  }

  render_quarto <- function() {
    words <- c("render", basename(source), "--to", c(html = "html", pdf = "pdf", word = "docx")[[job$format]])
    words <- c(words, "--output", paste0("document.", extension))
    if (length(job$params)) {
      params <- tempfile(fileext = ".yml")
      yaml::write_yaml(job$params, params)
      words <- c(words, "--execute-params", params)
    }
    if (job$format == "html") words <- c(words, "-M", "embed-resources:true")
    home <- setwd(dirname(source))
    on.exit(setwd(home))
    if (system2("quarto", shQuote(words)) != 0L) stop("quarto could not render the document")
    made <- file.path(dirname(source), paste0("document.", extension))
    if (!file.rename(made, file.path(out, basename(made)))) stop("quarto made no document")
  }

  failure <- NULL
  withCallingHandlers(
    tryCatch(
      if (is_quarto) render_quarto() else render_rmarkdown(),
      error = function(e) failure <<- e
    ),
    warning = function(w) {
      warn(conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )

  if (is.null(failure)) {
    finish(list(
      ok = TRUE,
      warnings = seen$warnings,
      versions = versions(),
      # R creates the seed when any code draws random numbers for the first time.
      random = exists(".Random.seed", envir = globalenv(), inherits = FALSE),
      packages = lapply(setdiff(loadedNamespaces(), "base"), find.package)
    ))
  }
  call <- conditionCall(failure)
  finish(list(
    ok = FALSE,
    kind = "error",
    message = conditionMessage(failure),
    call = if (!is.null(call)) substr(paste(deparse(call), collapse = " "), 1L, 200L),
    chunk = seen$chunk,
    warnings = seen$warnings,
    versions = versions()
  ))
})
