# A worker: an R process that calls functions for a server, one after the other.
#
# Requests and replies are R serializations on two named pipes in its private folder. So whatever a
# function prints, itself or through a program it starts, cannot be mistaken for a reply.
# Uses base R only. Called functions do not see anything of this script, and nothing that they define or attach masks
# base R here. The script is named, and so are its parts, because R shows the names in a crash.
# Code that runs in every call is optimized: R takes a third of a microsecond for any function call, so `.Internal`
# functions are called directly where the function of base R does nothing else.
.toolcrib_worker <- quote({
  rm(".toolcrib_worker", envir = globalenv())
  PIECE <- 1048576            # values beyond this many bytes are sent in pieces
  SNAPSHOT <- 16 * 1048576    # state beyond this many bytes is not copied out
  WARNINGS <- 50L
  PLOTS <- 16L
  FRAMES <- 12L
  DEEPEST <- 100L             # lists nested more deeply are sent as text, because not every client can parse them

  folder <- Sys.getenv("TMPDIR")
  home <- getwd()
  pictures <- file.path(folder, "plots")
  requests <- file(file.path(folder, "requests"), "rb", raw = TRUE)
  answers <- file(file.path(folder, "replies"), "wb", raw = TRUE)
  spaces <- new.env(hash = TRUE, parent = emptyenv())
  known <- new.env(hash = TRUE, parent = emptyenv())
  absent <- new.env(hash = TRUE, parent = emptyenv())
  undrawn <- NULL
  last <- NULL

  send <- function(message) {
    bytes <- .Internal(serialize(message, NULL, 3L, 2L, NULL))
    .Internal(writeBin(length(bytes), answers, NA_integer_, FALSE, FALSE))
    .Internal(writeBin(bytes, answers, NA_integer_, FALSE, FALSE))
    .Internal(flush(answers))
  }

  # The bytes before the value in a last reply. `serialize` allocates a table of shared objects first, which takes
  # longer than everything else, so the bytes for a single number, logical or NULL are prepared once.
  beginning <- function(value, is_shown) {
    bytes <- serialize(list("done", is_shown, NULL, NULL, value), NULL, xdr = FALSE, version = 2L)
    own <- if (is.null(value)) 0L else length(writeBin(value, raw()))
    c(writeBin(length(bytes), raw()), bytes[seq_len(length(bytes) - own)])
  }
  values <- list(double = 0, integer = 0L, logical = TRUE, `NULL` = NULL)
  shown <- lapply(values, beginning, TRUE)
  hidden <- lapply(values, beginning, FALSE)

  # --- State -------------------------------------------------------------------------------------

  store <- new.env(hash = TRUE, parent = emptyenv())
  is_changed <- FALSE
  # Whether a value contains an object that can change in place, which cannot be detected.
  may_change <- function(x) {
    is.environment(x) || typeof(x) %in% c("closure", "S4", "externalptr") || is.list(x) && any(vapply(unclass(x), may_change, NA))
  }

  state <- local({
    checked <- function(keys) {
      if (!is.character(keys) || anyNA(keys) || !all(nzchar(keys))) {
        stop("a key of `.state_env` must be text that is not empty", call. = FALSE)
      }
      keys
    }
    one <- function(key) {
      if (length(key) != 1L) stop("one key of `.state_env` is needed, not ", length(key), call. = FALSE)
      checked(key)
    }
    methods <- list(
      get = function(key, missing = NULL) {
        if (!exists(one(key), envir = store, inherits = FALSE)) return(missing)
        value <- get(key, envir = store, inherits = FALSE)
        if (may_change(value)) is_changed <<- TRUE
        value
      },
      set = function(key, value) {
        assign(one(key), value, envir = store)
        is_changed <<- TRUE
        invisible(value)
      },
      has = function(key) exists(one(key), envir = store, inherits = FALSE),
      remove = function(keys) {
        there <- intersect(checked(keys), ls(store, all.names = TRUE))
        rm(list = there, envir = store)
        if (length(there)) is_changed <<- TRUE
        invisible(there)
      },
      keys = function() ls(store, all.names = TRUE),
      reset = function() {
        rm(list = ls(store, all.names = TRUE), envir = store)
        is_changed <<- TRUE
        invisible(NULL)
      },
      size = function() length(store),
      as_list = function() {
        all <- mget(ls(store, all.names = TRUE), envir = store)
        if (may_change(all)) is_changed <<- TRUE
        all
      }
    )
    methods$clear <- methods$reset
    made <- list2env(methods, parent = emptyenv())
    lockEnvironment(made, bindings = TRUE)
    made
  })

  # A state from the server that replaces the current one. It is restored once the package of the function is loaded,
  # because its functions may belong to that package.
  given <- NULL
  restore <- function() {
    if (is.null(given)) return(NULL)
    rm(list = ls(store, all.names = TRUE), envir = store)
    bytes <- given
    given <<- NULL
    if (length(bytes)) list2env(unserialize(bytes), envir = store)
    is_changed <<- FALSE
  }

  save_state <- function() {
    is_changed <<- FALSE
    all <- as.list(store, all.names = TRUE)
    size <- as.numeric(object_size(all))
    bytes <- if (size <= SNAPSHOT) serialize(all, NULL, xdr = FALSE, version = 2L)
    if (length(bytes) > SNAPSHOT) bytes <- NULL
    send(list("state", bytes, size))
  }

  # --- Packages ----------------------------------------------------------------------------------

  sourcing <- .toolcrib_sourcing
  rm(".toolcrib_sourcing", envir = globalenv())
  missing_thing <- sourcing$missing_thing

  installed <- function(package) {
    if (!sourcing$is_installed(package)) {
      missing_thing("r_package_missing", "the R package `", package, "` is not installed, and no sources of it lie beside ",
                    "its definition; install it with install.packages(\"", package, "\")")
    }
    asNamespace(package)
  }

  sourced <- function(package, path) {
    sourcing$sourced(package, path, function(lacking) assign(package, lacking, envir = absent))
  }

  # Parses a target: form of the value, package, function and path of the sources, if any, one per line.
  parts_of <- function(target) {
    lines <- strsplit(target, "\n", fixed = TRUE)[[1L]]
    path <- substring(target, sum(nchar(lines[1:3])) + 4L)
    list(wanted = lines[[1L]], package = lines[[2L]], name = lines[[3L]], path = if (nzchar(path)) path)
  }

  # Looks up a function. The result is cached by target.
  prepared <- function(target) {
    parts <- parts_of(target)
    space <- spaces[[parts$package]]
    if (is.null(space)) {
      space <- if (is.null(parts$path)) installed(parts$package) else sourced(parts$package, parts$path)
      assign(parts$package, space, envir = spaces)
    }
    called <- get0(parts$name, envir = space, mode = "function", inherits = FALSE)
    if (is.null(called)) {
      missing_thing("r_function_missing", "the R package `", parts$package, "` ",
                    if (is.null(parts$path)) paste("as it is installed, version", getNamespaceVersion(space)) else paste("in", parts$path),
                    " has no function `", parts$name, "`; update the package, or build its tools again")
    }
    surroundings <- new.env(hash = FALSE, parent = globalenv())
    assign(parts$name, called, envir = surroundings)
    found <- new.env(hash = FALSE, parent = emptyenv())
    found$surroundings <- surroundings
    found$name <- as.name(parts$name)
    found$wanted <- parts$wanted
    found$takes_state <- ".state_env" %in% names(formals(args(called)))
    assign(target, found, envir = known)
    found
  }

  # The call expression, with argument names instead of values, so that tracebacks and `match.call` stay short. The
  # last one is cached together with its names in one assignment, because an interrupt can come at any time.
  call_of <- function(found, names) {
    words <- lapply(names, as.name)
    names(words) <- names
    expression <- as.call(c(found$name, words))
    found$made <- list(names, expression)
    expression
  }

  # --- Values ------------------------------------------------------------------------------------

  KEPT <- c("names", "dim", "dimnames", "class", "levels", "tzone", "row.names")

  text_of <- function(x) paste(utils::capture.output(print(x)), collapse = "\n")

  # The attributes that are sent. A one-dimensional array, as from `table` and `tapply`, becomes a named vector.
  kept <- function(attributes) {
    all <- attributes[names(attributes) %in% KEPT]
    if (length(all[["dim"]]) == 1L) {
      all[["names"]] <- all[["dimnames"]][[1L]]
      all[c("dim", "dimnames")] <- NULL
    }
    if (!is.null(all[["names"]])) all[["names"]] <- told_apart(all[["names"]])
    all
  }

  # Makes names unique, as the members of a JSON object must be. Elements without a name get their position.
  told_apart <- function(names) {
    lacks <- is.na(names) | !nzchar(names)
    if (length(names) > 0L && all(lacks)) return(NULL)
    names[lacks] <- which(lacks)
    make.unique(names)
  }

  # Class integer64 of the package bit64 stores integers in the bits of doubles. They are sent as doubles if all are
  # exact (below 2^53), else as text.
  long_integers <- function(x, attributes) {
    is_known <- !is.null(utils::getS3method("as.double", "integer64", optional = TRUE))
    numbers <- if (is_known) suppressWarnings(as.double(x)) else Inf
    if (any(abs(numbers) >= 2^53, na.rm = TRUE)) numbers <- as.character(x)
    attributes(numbers) <- kept(attributes[names(attributes) != "class"])
    numbers
  }

  # Converts a value to plain vectors and lists. Everything else (functions, S4 objects, ...) becomes text.
  plain <- function(x, depth = 0L) {
    attributes <- attributes(x)
    if (is.null(x) || is.atomic(x)) {
      if (is.complex(x)) x <- `attributes<-`(as.character(x), attributes)
      if (is.null(attributes)) return(x)
      if (inherits(x, "integer64")) return(long_integers(x, attributes))
      if (length(attributes[["dim"]]) > 2L) return(lapply(asplit(x, 1L), plain))
      attributes(x) <- kept(attributes)
      return(x)
    }
    if (inherits(x, "POSIXlt")) return(plain(as.POSIXct(x)))
    if (inherits(x, "numeric_version")) return(as.character(x))
    if (isS4(x) || !is.list(x) || depth >= DEEPEST) return(text_of(x))
    y <- lapply(if (is.pairlist(x)) as.list(x) else unclass(x), plain, depth + 1L)
    attributes(y) <- kept(attributes)
    y
  }

  object_size <- utils::object.size

  size_of <- function(x) as.numeric(object_size(x))

  # Sends a value in one message or, if it is too large, its members in slices.
  pieces <- function(x) {
    size <- size_of(x)
    by_rows <- is.data.frame(x) || is.matrix(x)
    count <- if (by_rows) nrow(x) else length(x)
    if (size <= PIECE) return(send(list("piece", x)))
    if (is.raw(x)) return(bytes(x, "raw"))
    if (is.character(x) && count == 1L && !is.na(x)) return(bytes(charToRaw(enc2utf8(x)), "text"))
    if (by_rows && count == 1L) {
      send(list("open", "array"))
      pieces(if (is.data.frame(x)) as.list(x) else as.vector(x))
      return(send(list("close")))
    }
    if (count < 2L && !is.list(x)) return(send(list("piece", x)))
    send(list("open", if (by_rows || is.null(names(x))) "array" else if (is.list(x)) "list" else "vector"))
    slices(if (is.list(x) && !by_rows) unclass(x) else x, by_rows, count, size)
    send(list("close"))
  }

  # Sends a long text or raw vector in chunks. Their size is a multiple of three, so that the base64 of the chunks can be
  # concatenated; a text is not split inside a UTF-8 character.
  bytes <- function(x, what) {
    send(list("open", what))
    from <- 1
    while (from <= length(x)) {
      to <- min(length(x), from + 3 * 262144 - 1)
      if (what == "text") while (to < length(x) && bitwAnd(as.integer(x[[to + 1]]), 0xc0L) == 0x80L) to <- to - 1
      pause()
      send(list("items", x[from:to]))
      from <- to + 1
    }
    send(list("close"))
  }

  # Lets a pending interrupt through between two chunks, because sending a long value can take long.
  pause <- function() allowInterrupts(Sys.sleep(0))

  # Members differ in size, so a slice or a single member may still be too large, and is then split again.
  slices <- function(x, by_rows, count, size) {
    step <- max(1, floor(count * PIECE / size))
    for (from in seq(1, count, by = step)) {
      pause()
      at <- from:min(count, from + step - 1)
      slice <- if (by_rows) x[at, , drop = FALSE] else x[at]
      if (length(at) > 1L && (sliced <- size_of(slice)) > 4 * PIECE) {
        slices(slice, by_rows, length(at), sliced)
      } else if (length(at) > 1L || by_rows || !is.list(x)) {
        send(list("items", slice))
      } else {
        send(list("key", names(slice)))
        pieces(slice[[1L]])
      }
    }
  }

  # The number of devices opened for plots: a function may close one and go on drawing.
  devices <- 0L
  draw <- function(...) {
    dir.create(pictures, showWarnings = FALSE)
    devices <<- devices + 1L
    file <- file.path(pictures, sprintf("%05d-%%05d.png", devices))
    tryCatch(suppressWarnings(grDevices::png(file, width = 900, height = 600, res = 96)), error = function(problem) {
      undrawn <<- paste0("the plot could not be drawn: ", conditionMessage(problem),
                         "; an R that can make PNG pictures is needed (`capabilities(\"png\")`)")
      grDevices::pdf(NULL)
    })
  }

  send_plots <- function() {
    grDevices::graphics.off()
    devices <<- 0L
    files <- list.files(pictures, full.names = TRUE)
    for (file in utils::head(files, PLOTS)) send(list("plot", readBin(file, "raw", file.size(file))))
    unlink(files)
    if (length(files) > PLOTS) undrawn <<- paste("there were", length(files), "plots, and only the first", PLOTS, "are answered")
  }

  # --- Calls -------------------------------------------------------------------------------------

  line_of <- function(call) {
    line <- deparse(call, nlines = 1L, width.cutoff = 120L)[[1L]]
    if (nchar(line) > 160L) paste0(substr(line, 1L, 160L), " ...") else line
  }

  # The call that signalled a condition. For one from the top level of the function, R reports our own `eval`, which is
  # of no use.
  OWN <- quote(eval(expression, arguments, found$surroundings))
  place_of <- function(condition) {
    call <- conditionCall(condition)
    if (!is.null(call) && !identical(call, OWN)) line_of(call)
  }

  failed <- function(problem, package, trace) {
    text <- conditionMessage(problem)
    lacking <- absent[[package]]
    if (length(lacking)) {
      text <- paste0(text, "\n(packages that `", package, "` needs are not installed; install.packages(",
                     paste(deparse(lacking), collapse = ""), ") may help)")
    }
    kind <- if (inherits(problem, "toolcrib_missing")) problem$kind else "r_error"
    list(kind, text, place_of(problem), setdiff(class(problem), "condition"), trace)
  }

  # The calls from the function on, without those of this script around it and of the error handler.
  traced <- function(calls, name) {
    is_call_of <- function(word) vapply(calls, function(call) identical(call[[1L]], word), NA)
    first <- which(is_call_of(name))
    last <- which(is_call_of(quote(.handleSimpleError)))
    last <- if (length(last)) max(last) - 1L else length(calls) - 1L
    if (!length(first) || first[[1L]] > last) return(NULL)
    vapply(utils::tail(calls[first[[1L]]:last], FRAMES), line_of, "")
  }

  # The current call, and how it ended.
  current <- NULL
  warned <- NULL
  unsaid <- 0L
  status <- "done"
  is_shown <- FALSE

  # Calls a function. Interrupts are enabled only while it runs.
  call <- function(request) {
    if (!is.null(warned)) forget()
    current <<- request
    if (!is.null(request[[4L]])) given <<- request[[4L]]
    .Internal(interruptsSuspended(FALSE))
    found <- known[[request[[2L]]]]
    if (is.null(found)) found <- prepared(request[[2L]])
    if (!is.null(given)) suspendInterrupts(restore())
    arguments <- request[[3L]]
    if (found$takes_state) arguments$.state_env <- state
    given_names <- names(arguments)
    before <- found$made
    is_as_before <- !is.null(before) && length(given_names) == length(before[[1L]]) && all(given_names == before[[1L]])
    expression <- if (is_as_before) before[[2L]] else call_of(found, given_names)
    result <- .Internal(withVisible(eval(expression, arguments, found$surroundings)))
    value <- last <<- result[[1L]]
    is_shown <<- result[[2L]]
    if (found$wanted == "print") value <- printed()
    else if (!is.null(attributes(value)) || !is.atomic(value) || is.complex(value)) value <- returned()
    .Internal(interruptsSuspended(TRUE))
    current <<- NULL
    finish(value, found$wanted)
  }

  returned <- function() {
    close_sinks()
    plain(last)
  }

  # Prints the last value as R would. For a data frame, the rows are returned as well.
  printed <- function() {
    close_sinks()
    if (is_shown) print(last)
    if (is.data.frame(last)) plain(last)
  }

  # Closes sinks that a function left open, which would hide output.
  close_sinks <- function() {
    while (.Internal(sink.number(TRUE)) > 0L) sink()
    if (.Internal(sink.number(FALSE)) != 2L) sink(type = "message")
  }

  # Cleans up after a call, however it ended, and sends the last reply.
  finish <- function(value, wanted) {
    if (.Internal(sink.number(TRUE)) > 0L || .Internal(sink.number(FALSE)) != 2L) close_sinks()
    if (!is.null(given)) restore()
    if (devices > 0L || .Device != "null device") send_plots()
    if (!length(here <- .Internal(getwd())) || here != home) setwd(home)
    if (is_changed) save_state()
    is_one <- is.null(attributes(value)) && (length(value) == 1L || is.null(value))
    if (is_one && status == "done" && is.null(warned) && is.null(undrawn)) {
      before <- (if (is_shown) shown else hidden)[[.Internal(typeof(value))]]
      if (!is.null(before)) {
        .Internal(writeBin(before, answers, NA_integer_, FALSE, FALSE))
        if (!is.null(value)) .Internal(writeBin(value, answers, NA_integer_, FALSE, FALSE))
        return(.Internal(flush(answers)))
      }
    }
    send_last(value, wanted)
  }

  # Sends the last reply to a call, after the chunks of a value that is too large for it.
  send_last <- function(value, wanted) {
    is_small <- is.null(attributes(value)) && is.numeric(value) && length(value) < 1000L
    if (status == "done" && !is_small && object_size(value) > PIECE) {
      is_sent <- tryCatch({ pieces(if (wanted == "columns" && is.data.frame(value)) as.list(value) else value); TRUE }, interrupt = function(stop) FALSE)
      status <<- if (is_sent) "pieces" else "interrupted"
      value <- NULL
    }
    send(list(status, is_shown, warned, notes(), value))
    forget()
  }

  notes <- function() {
    c(undrawn, if (unsaid > 0L) paste("there were", WARNINGS + unsaid, "warnings, and only the first", WARNINGS, "are answered"))
  }

  # Resets the status of the last call. Warnings can also occur between calls.
  forget <- function() {
    undrawn <<- NULL
    warned <<- NULL
    unsaid <<- 0L
    status <<- "done"
    is_shown <<- FALSE
  }

  # Consumes a late interrupt, which must not hit the next call: SIGINT may arrive after the function has returned.
  settle <- function() {
    repeat {
      if (tryCatch({ allowInterrupts(Sys.sleep(0.001)); TRUE }, interrupt = function(stop) FALSE)) break
    }
    send(list("settled"))
  }

  show_last <- function() {
    problem <- tryCatch({ allowInterrupts(print(last)); NULL }, error = conditionMessage, interrupt = function(stop) "interrupted")
    close_sinks()
    send_plots()
    send(list("shown", problem, warned, notes()))
    forget()
  }

  # Long output is truncated by the server, which keeps the full text as a resource.
  options(device = draw, warn = 1L, max.print = 1e7L)
  if (isTRUE(capabilities("cairo"))) options(bitmapType = "cairo")
  library <- file.path(Sys.getenv("TOOLCRIB_R_HOME"), "R", paste0(R.version$platform, "-library"),
                       paste(R.version$major, sub("[.].*", "", R.version$minor), sep = "."))
  if (nzchar(Sys.getenv("TOOLCRIB_R_HOME")) && dir.exists(library)) .libPaths(c(library, .libPaths()))

  noted <- function(warning) {
    if (length(warned) < WARNINGS) {
      place <- place_of(warning)
      warned <<- c(warned, paste0(conditionMessage(warning), if (!is.null(place)) paste0(" (in ", place, ")")))
    } else {
      unsaid <<- unsaid + 1L
    }
    tryInvokeRestart("muffleWarning")
  }

  stopped <- NULL
  note_end <- function(how, value) {
    status <<- how
    stopped <<- value
  }
  # `on.exit` code of a call that failed may fail, too. The first error counts.
  leave <- function(how, value) {
    force(value)
    if (status == "done") note_end(how, value)
    invokeRestart("toolcrib_leave")
  }

  # An error outside of a call means that the server is gone, or a bug.
  fails <- function(problem) {
    if (is.null(current)) {
      cat("R cannot go on: ", conditionMessage(problem), "\n", sep = "", file = stderr())
      quit("no", status = 70L)
    }
    parts <- parts_of(current[[2L]])
    leave("failed", failed(problem, parts$package, traced(sys.calls(), as.name(parts$name))))
  }
  stops <- function(stop) if (!is.null(current)) leave("interrupted", NULL)

  listen <- function() {
    repeat {
      request <- .Internal(unserialize(requests, NULL))
      switch(request[[1L]],
        call = call(request),
        settle = settle(),
        show = show_last()
      )
    }
  }

  # Handlers are established once for all calls, because that takes longer than most calls, and again after an error or
  # interrupt has unwound them; interrupts are disabled again then.
  left <- function() .Internal(interruptsSuspended(TRUE))
  serve <- function() {
    withRestarts(withCallingHandlers(listen(), warning = noted, error = fails, interrupt = stops), toolcrib_leave = left)
  }

  # When the stack overflows, R does not run calling handlers, but still unwinds to an exiting one.
  overflown <- function(problem) {
    left()
    note_end("failed", failed(problem, parts_of(current[[2L]])$package, NULL))
  }
  serve_on <- function() tryCatch(serve(), error = overflown)

  work <- function() {
    send(list("ready", paste(R.version$major, R.version$minor, sep = ".")))
    # Compile what every call runs before the first one comes; from now on R compiles what it finds worthwhile.
    for (name in c("send", "plain", "returned", "printed", "close_sinks", "call", "finish", "send_last", "listen", "serve", "serve_on")) {
      assign(name, compiler::cmpfun(get(name)), envir = parent.env(environment()))
    }
    .Internal(enableJIT(3L))
    repeat {
      stopped <<- NULL
      serve_on()
      current <<- NULL
      finish(stopped, "nothing")
    }
  }
  suspendInterrupts(work())
})
# In a hashed environment, unlike that of a function, because its variables are looked up all the time.
eval(.toolcrib_worker, new.env(hash = TRUE, parent = .BaseNamespaceEnv))
