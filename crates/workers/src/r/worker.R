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
  MAX_MESSAGE_BYTES <- 1048576            # values beyond this many bytes are sent in pieces
  MAX_STATE_BYTES <- 16 * 1048576    # state beyond this many bytes is not copied out
  MAX_WARNINGS <- 50L
  MAX_PLOTS <- 16L
  MAX_FRAMES <- 12L
  MAX_DEPTH <- 100L             # lists nested more deeply are sent as text, because not every client can parse them

  # The server sets TMPDIR to the private folder, in which it has created the pipes.
  folder <- Sys.getenv("TMPDIR")
  home <- getwd()
  plot_folder <- file.path(folder, "plots")
  requests <- file(file.path(folder, "requests"), "rb", raw = TRUE)
  replies <- file(file.path(folder, "replies"), "wb", raw = TRUE)
  namespaces <- new.env(hash = TRUE, parent = emptyenv())
  targets <- new.env(hash = TRUE, parent = emptyenv())
  missing_packages <- new.env(hash = TRUE, parent = emptyenv())
  plot_note <- NULL
  last_value <- NULL

  send <- function(message) {
    bytes <- .Internal(serialize(message, NULL, 3L, 2L, NULL))
    .Internal(writeBin(length(bytes), replies, NA_integer_, FALSE, FALSE))
    .Internal(writeBin(bytes, replies, NA_integer_, FALSE, FALSE))
    # The server waits for whole messages, so each must leave R's buffer at once.
    .Internal(flush(replies))
  }

  # The bytes before the value in a last reply. `serialize` allocates a table of shared objects first, which takes
  # longer than everything else, so the bytes for a single number, logical or NULL are prepared once.
  serialize_prefix <- function(value, is_visible) {
    bytes <- serialize(list("done", is_visible, NULL, NULL, value), NULL, xdr = FALSE, version = 2L)
    value_bytes <- if (is.null(value)) 0L else length(writeBin(value, raw()))
    c(writeBin(length(bytes), raw()), bytes[seq_len(length(bytes) - value_bytes)])
  }
  sample_values <- list(double = 0, integer = 0L, logical = TRUE, `NULL` = NULL)
  visible_prefixes <- lapply(sample_values, serialize_prefix, TRUE)
  invisible_prefixes <- lapply(sample_values, serialize_prefix, FALSE)

  # --- State -------------------------------------------------------------------------------------

  store <- new.env(hash = TRUE, parent = emptyenv())
  is_changed <- FALSE
  # Whether a value contains an object that can change in place, which cannot be detected.
  # Such a value counts as changed whenever a function has got it: copying too often is slow, but
  # losing a change is wrong.
  may_change <- function(x) {
    is.environment(x) || typeof(x) %in% c("closure", "S4", "externalptr") || is.list(x) && any(vapply(unclass(x), may_change, NA))
  }

  state <- local({
    check_keys <- function(keys) {
      if (!is.character(keys) || anyNA(keys) || !all(nzchar(keys))) {
        stop("a key of `.state_env` must be text that is not empty", call. = FALSE)
      }
      keys
    }
    check_key <- function(key) {
      if (length(key) != 1L) stop("`.state_env` takes one key here, not ", length(key), call. = FALSE)
      check_keys(key)
    }
    methods <- list(
      get = function(key, missing = NULL) {
        if (!exists(check_key(key), envir = store, inherits = FALSE)) return(missing)
        value <- get(key, envir = store, inherits = FALSE)
        # The function may change the object in place after this, without calling `set`.
        if (may_change(value)) is_changed <<- TRUE
        value
      },
      set = function(key, value) {
        assign(check_key(key), value, envir = store)
        is_changed <<- TRUE
        invisible(value)
      },
      has = function(key) exists(check_key(key), envir = store, inherits = FALSE),
      remove = function(keys) {
        present <- intersect(check_keys(keys), ls(store, all.names = TRUE))
        rm(list = present, envir = store)
        if (length(present)) is_changed <<- TRUE
        invisible(present)
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
    object <- list2env(methods, parent = emptyenv())
    # A function that replaced a method would break the state of every later call.
    lockEnvironment(object, bindings = TRUE)
    object
  })

  # A state from the server that replaces the current one. It is restored once the package of the function is loaded,
  # because its functions may belong to that package.
  pending_state <- NULL
  restore_state <- function() {
    if (is.null(pending_state)) return(NULL)
    rm(list = ls(store, all.names = TRUE), envir = store)
    bytes <- pending_state
    pending_state <<- NULL
    if (length(bytes)) list2env(unserialize(bytes), envir = store)
    is_changed <<- FALSE
  }

  save_state <- function() {
    is_changed <<- FALSE
    all <- as.list(store, all.names = TRUE)
    # Measured before serializing: serializing gigabytes only to discard them would stall the
    # session.
    size <- as.numeric(object_size(all))
    bytes <- if (size <= MAX_STATE_BYTES) serialize(all, NULL, xdr = FALSE, version = 2L)
    if (length(bytes) > MAX_STATE_BYTES) bytes <- NULL
    send(list("state", bytes, size))
  }

  # --- Packages ----------------------------------------------------------------------------------

  sourcing <- .toolcrib_sourcing
  rm(".toolcrib_sourcing", envir = globalenv())
  stop_missing <- sourcing$stop_missing

  load_installed <- function(package) {
    if (!sourcing$is_installed(package)) {
      stop_missing("r_package_missing", "the R package `", package, "` is not installed, and its sources are not next to ",
                    "its definition; install it with install.packages(\"", package, "\")")
    }
    asNamespace(package)
  }

  load_sourced <- function(package, path) {
    sourcing$load_sources(package, path, function(missing) assign(package, missing, envir = missing_packages))
  }

  # Parses a target: form of the value, package, function and path of the sources, if any, one per line.
  parse_target <- function(target) {
    lines <- strsplit(target, "\n", fixed = TRUE)[[1L]]
    # The path comes last because it may contain anything, a line break too.
    path <- substring(target, sum(nchar(lines[1:3])) + 4L)
    list(form = lines[[1L]], package = lines[[2L]], name = lines[[3L]], path = if (nzchar(path)) path)
  }

  # Looks up a function. The result is cached by target.
  find_function <- function(target) {
    parts <- parse_target(target)
    space <- namespaces[[parts$package]]
    if (is.null(space)) {
      space <- if (is.null(parts$path)) load_installed(parts$package) else load_sourced(parts$package, parts$path)
      assign(parts$package, space, envir = namespaces)
    }
    definition <- get0(parts$name, envir = space, mode = "function", inherits = FALSE)
    if (is.null(definition)) {
      stop_missing("r_function_missing", "the R package `", parts$package, "` ",
                    if (is.null(parts$path)) paste("as it is installed, version", getNamespaceVersion(space)) else paste("in", parts$path),
                    " has no function `", parts$name, "`; update the package, or build its tools again")
    }
    # The function is bound to its name here, so that the call reads as its author writes it; the
    # parent is the global environment, as for a call at the prompt.
    call_env <- new.env(hash = FALSE, parent = globalenv())
    assign(parts$name, definition, envir = call_env)
    found <- new.env(hash = FALSE, parent = emptyenv())
    found$call_env <- call_env
    found$name <- as.name(parts$name)
    found$form <- parts$form
    found$takes_state <- ".state_env" %in% names(formals(args(definition)))
    assign(target, found, envir = targets)
    found
  }

  # The call expression, with argument names instead of values, so that tracebacks and `match.call` stay short. The
  # last one is cached together with its names in one assignment, because an interrupt can come at any time.
  build_call <- function(found, names) {
    words <- lapply(names, as.name)
    names(words) <- names
    expression <- as.call(c(found$name, words))
    found$cached_call <- list(names, expression)
    expression
  }

  # --- Values ------------------------------------------------------------------------------------

  SENT_ATTRIBUTES <- c("names", "dim", "dimnames", "class", "levels", "tzone", "row.names")

  format_printed <- function(x) paste(utils::capture.output(print(x)), collapse = "\n")

  # The attributes that are sent. A one-dimensional array, as from `table` and `tapply`, becomes a named vector.
  filter_attributes <- function(attributes) {
    # Other attributes may hold functions, models or whole environments, which the server cannot
    # decode.
    all <- attributes[names(attributes) %in% SENT_ATTRIBUTES]
    if (length(all[["dim"]]) == 1L) {
      all[["names"]] <- all[["dimnames"]][[1L]]
      all[c("dim", "dimnames")] <- NULL
    }
    if (!is.null(all[["names"]])) all[["names"]] <- make_names_unique(all[["names"]])
    all
  }

  # Makes names unique, as the members of a JSON object must be. Elements without a name get their position.
  make_names_unique <- function(names) {
    is_unnamed <- is.na(names) | !nzchar(names)
    if (length(names) > 0L && all(is_unnamed)) return(NULL)
    names[is_unnamed] <- which(is_unnamed)
    make.unique(names)
  }

  # Class integer64 of the package bit64 stores integers in the bits of doubles. They are sent as doubles if all are
  # exact (below 2^53), else as text.
  convert_integer64 <- function(x, attributes) {
    has_bit64 <- !is.null(utils::getS3method("as.double", "integer64", optional = TRUE))
    numbers <- if (has_bit64) suppressWarnings(as.double(x)) else Inf
    if (any(abs(numbers) >= 2^53, na.rm = TRUE)) numbers <- as.character(x)
    attributes(numbers) <- filter_attributes(attributes[names(attributes) != "class"])
    numbers
  }

  # Converts a value to plain vectors and lists. Everything else (functions, S4 objects, ...) becomes text.
  to_plain <- function(x, depth = 0L) {
    attributes <- attributes(x)
    if (is.null(x) || is.atomic(x)) {
      if (is.complex(x)) x <- `attributes<-`(as.character(x), attributes)
      if (is.null(attributes)) return(x)
      if (inherits(x, "integer64")) return(convert_integer64(x, attributes))
      # JSON has no arrays with more than two dimensions, so they become arrays of arrays.
      if (length(attributes[["dim"]]) > 2L) return(lapply(asplit(x, 1L), to_plain))
      attributes(x) <- filter_attributes(attributes)
      return(x)
    }
    # POSIXlt is a list of fields (`sec`, `min`, ...), which is not what callers expect of a time.
    if (inherits(x, "POSIXlt")) return(to_plain(as.POSIXct(x)))
    if (inherits(x, "numeric_version")) return(as.character(x))
    if (isS4(x) || !is.list(x) || depth >= MAX_DEPTH) return(format_printed(x))
    y <- lapply(if (is.pairlist(x)) as.list(x) else unclass(x), to_plain, depth + 1L)
    attributes(y) <- filter_attributes(attributes)
    y
  }

  object_size <- utils::object.size

  size_in_bytes <- function(x) as.numeric(object_size(x))

  # Sends a value in one message or, if it is too large, its members in slices.
  send_value <- function(x) {
    size <- size_in_bytes(x)
    by_rows <- is.data.frame(x) || is.matrix(x)
    count <- if (by_rows) nrow(x) else length(x)
    if (size <= MAX_MESSAGE_BYTES) return(send(list("piece", x)))
    if (is.raw(x)) return(send_bytes(x, "raw"))
    if (is.character(x) && count == 1L && !is.na(x)) return(send_bytes(charToRaw(enc2utf8(x)), "text"))
    # A single row cannot be split by rows, only by its cells.
    if (by_rows && count == 1L) {
      send(list("open", "array"))
      send_value(if (is.data.frame(x)) as.list(x) else as.vector(x))
      return(send(list("close")))
    }
    if (count < 2L && !is.list(x)) return(send(list("piece", x)))
    send(list("open", if (by_rows || is.null(names(x))) "array" else if (is.list(x)) "list" else "vector"))
    send_slices(if (is.list(x) && !by_rows) unclass(x) else x, by_rows, count, size)
    send(list("close"))
  }

  # Sends a long text or raw vector in chunks. Their size is a multiple of three, so that the base64 of the chunks can be
  # concatenated; a text is not split inside a UTF-8 character.
  send_bytes <- function(x, what) {
    send(list("open", what))
    from <- 1
    while (from <= length(x)) {
      to <- min(length(x), from + 3 * 262144 - 1)
      if (what == "text") while (to < length(x) && bitwAnd(as.integer(x[[to + 1]]), 0xc0L) == 0x80L) to <- to - 1
      allow_interrupt()
      send(list("items", x[from:to]))
      from <- to + 1
    }
    send(list("close"))
  }

  # Lets a pending interrupt through between two chunks, because sending a long value can take long.
  allow_interrupt <- function() allowInterrupts(Sys.sleep(0))

  # Members differ in size, so a slice or a single member may still be too large, and is then split again.
  send_slices <- function(x, by_rows, count, size) {
    step <- max(1, floor(count * MAX_MESSAGE_BYTES / size))
    for (from in seq(1, count, by = step)) {
      allow_interrupt()
      at <- from:min(count, from + step - 1)
      slice <- if (by_rows) x[at, , drop = FALSE] else x[at]
      if (length(at) > 1L && (slice_size <- size_in_bytes(slice)) > 4 * MAX_MESSAGE_BYTES) {
        send_slices(slice, by_rows, length(at), slice_size)
      } else if (length(at) > 1L || by_rows || !is.list(x)) {
        send(list("items", slice))
      } else {
        send(list("key", names(slice)))
        send_value(slice[[1L]])
      }
    }
  }

  # The number of devices opened for plots: a function may close one and go on drawing.
  device_count <- 0L
  open_plot_device <- function(...) {
    dir.create(plot_folder, showWarnings = FALSE)
    device_count <<- device_count + 1L
    file <- file.path(plot_folder, sprintf("%05d-%%05d.png", device_count))
    tryCatch(suppressWarnings(grDevices::png(file, width = 900, height = 600, res = 96)), error = function(problem) {
      plot_note <<- paste0("the plot could not be drawn: ", conditionMessage(problem),
                         "; an R that can make PNG pictures is needed (`capabilities(\"png\")`)")
      # A device that draws nowhere, so that the function itself does not fail.
      grDevices::pdf(NULL)
    })
  }

  send_plots <- function() {
    # Devices write their last page when they are closed.
    grDevices::graphics.off()
    device_count <<- 0L
    files <- list.files(plot_folder, full.names = TRUE)
    for (file in utils::head(files, MAX_PLOTS)) send(list("plot", readBin(file, "raw", file.size(file))))
    unlink(files)
    if (length(files) > MAX_PLOTS) plot_note <<- paste("there were", length(files), "plots, and only the first", MAX_PLOTS, "are returned")
  }

  # --- Calls -------------------------------------------------------------------------------------

  format_call <- function(call) {
    line <- deparse(call, nlines = 1L, width.cutoff = 120L)[[1L]]
    if (nchar(line) > 160L) paste0(substr(line, 1L, 160L), " ...") else line
  }

  # The call that signalled a condition. For one from the top level of the function, R reports our own `eval`, which is
  # of no use.
  OWN_CALL <- quote(eval(expression, arguments, found$call_env))
  find_signaller <- function(condition) {
    call <- conditionCall(condition)
    if (!is.null(call) && !identical(call, OWN_CALL)) format_call(call)
  }

  build_error <- function(problem, package, trace) {
    text <- conditionMessage(problem)
    missing <- missing_packages[[package]]
    if (length(missing)) {
      text <- paste0(text, "\n(packages that `", package, "` needs are not installed; install.packages(",
                     paste(deparse(missing), collapse = ""), ") may help)")
    }
    kind <- if (inherits(problem, "toolcrib_missing")) problem$kind else "r_error"
    list(kind, text, find_signaller(problem), setdiff(class(problem), "condition"), trace)
  }

  # The calls from the function on, without those of this script around it and of the error handler.
  format_traceback <- function(calls, name) {
    is_call_of <- function(word) vapply(calls, function(call) identical(call[[1L]], word), NA)
    from <- which(is_call_of(name))
    handler <- which(is_call_of(quote(.handleSimpleError)))
    to <- if (length(handler)) max(handler) - 1L else length(calls) - 1L
    if (!length(from) || from[[1L]] > to) return(NULL)
    vapply(utils::tail(calls[from[[1L]]:to], MAX_FRAMES), format_call, "")
  }

  # The current call, and how it ended.
  current_request <- NULL
  warning_texts <- NULL
  dropped_warnings <- 0L
  status <- "done"
  is_visible <- FALSE

  # Calls a function. Interrupts are enabled only while it runs.
  handle_call <- function(request) {
    if (!is.null(warning_texts)) reset_status()
    current_request <<- request
    # Kept in a variable until it is restored, so that an interrupt in between does not lose it.
    if (!is.null(request[[4L]])) pending_state <<- request[[4L]]
    # From here on SIGINT stops the call; loading the package may take long, too.
    .Internal(interruptsSuspended(FALSE))
    found <- targets[[request[[2L]]]]
    if (is.null(found)) found <- find_function(request[[2L]])
    # Half a state would be worse than none, so an interrupt waits until it is complete.
    if (!is.null(pending_state)) suspendInterrupts(restore_state())
    arguments <- request[[3L]]
    if (found$takes_state) arguments$.state_env <- state
    given_names <- names(arguments)
    cached <- found$cached_call
    is_cached <- !is.null(cached) && length(given_names) == length(cached[[1L]]) && all(given_names == cached[[1L]])
    expression <- if (is_cached) cached[[2L]] else build_call(found, given_names)
    result <- .Internal(withVisible(eval(expression, arguments, found$call_env)))
    value <- last_value <<- result[[1L]]
    is_visible <<- result[[2L]]
    if (is.list(value) && !is.null(error <- find_reported_failure(value))) {
      status <<- "failed"
      value <- error
    }
    else if (found$form == "print") value <- print_value()
    else if (!is.null(attributes(value)) || !is.atomic(value) || is.complex(value)) value <- convert_value()
    # Cleaning up and replying must not be interrupted: the server waits for exactly one last reply.
    .Internal(interruptsSuspended(TRUE))
    current_request <<- NULL
    finish_call(value, found$form)
  }

  # The failure that a value reports by the convention `list(success = FALSE, error = "...")`, as an error list.
  find_reported_failure <- function(value) {
    if (is.data.frame(value) || !identical(unclass(value)[["success"]], FALSE)) return(NULL)
    texts <- unclass(value)[c("error", "message")]
    is_text <- vapply(texts, function(text) is.character(text) && length(text) > 0L, NA)
    if (!any(is_text)) return(NULL)
    text <- paste(texts[[which(is_text)[[1L]]]], collapse = "\n")
    list("r_error", text, NULL, NULL, NULL, if (object_size(value) < 65536) convert_value())
  }

  convert_value <- function() {
    close_sinks()
    to_plain(last_value)
  }

  # Prints the last value as R would. For a data frame, the rows are returned as well.
  print_value <- function() {
    close_sinks()
    if (is_visible) print(last_value)
    if (is.data.frame(last_value)) to_plain(last_value)
  }

  # Closes sinks that a function left open, which would hide output.
  close_sinks <- function() {
    while (.Internal(sink.number(TRUE)) > 0L) sink()
    # Connection 2 is stderr, where messages belong.
    if (.Internal(sink.number(FALSE)) != 2L) sink(type = "message")
  }

  # Cleans up after a call, however it ended, and sends the last reply.
  finish_call <- function(value, form) {
    if (.Internal(sink.number(TRUE)) > 0L || .Internal(sink.number(FALSE)) != 2L) close_sinks()
    if (!is.null(pending_state)) restore_state()
    if (device_count > 0L || .Device != "null device") send_plots()
    # `getwd` returns nothing if the function has removed the folder it changed to.
    if (!length(here <- .Internal(getwd())) || here != home) setwd(home)
    if (is_changed) save_state()
    is_one <- is.null(attributes(value)) && (length(value) == 1L || is.null(value))
    if (is_one && status == "done" && is.null(warning_texts) && is.null(plot_note)) {
      prefix <- (if (is_visible) visible_prefixes else invisible_prefixes)[[.Internal(typeof(value))]]
      if (!is.null(prefix)) {
        .Internal(writeBin(prefix, replies, NA_integer_, FALSE, FALSE))
        if (!is.null(value)) .Internal(writeBin(value, replies, NA_integer_, FALSE, FALSE))
        return(.Internal(flush(replies)))
      }
    }
    send_last_reply(value, form)
  }

  # Sends the last reply to a call, after the chunks of a value that is too large for it.
  send_last_reply <- function(value, form) {
    is_small <- is.null(attributes(value)) && is.numeric(value) && length(value) < 1000L
    if (status == "done" && !is_small && object_size(value) > MAX_MESSAGE_BYTES) {
      is_sent <- tryCatch({ send_value(if (form == "columns" && is.data.frame(value)) as.list(value) else value); TRUE }, interrupt = function(condition) FALSE)
      status <<- if (is_sent) "pieces" else "interrupted"
      value <- NULL
    }
    send(list(status, is_visible, warning_texts, collect_notes(), value))
    reset_status()
  }

  collect_notes <- function() {
    c(plot_note, if (dropped_warnings > 0L) paste("there were", MAX_WARNINGS + dropped_warnings, "warnings, and only the first", MAX_WARNINGS, "are returned"))
  }

  # Resets the status of the last call. Warnings can also occur between calls.
  reset_status <- function() {
    plot_note <<- NULL
    warning_texts <<- NULL
    dropped_warnings <<- 0L
    status <<- "done"
    is_visible <<- FALSE
  }

  # Consumes a late interrupt, which must not hit the next call: SIGINT may arrive after the function has returned.
  settle <- function() {
    repeat {
      if (tryCatch({ allowInterrupts(Sys.sleep(0.001)); TRUE }, interrupt = function(condition) FALSE)) break
    }
    send(list("settled"))
  }

  show_last <- function() {
    problem <- tryCatch({ allowInterrupts(print(last_value)); NULL }, error = conditionMessage, interrupt = function(condition) "interrupted")
    close_sinks()
    send_plots()
    send(list("shown", problem, warning_texts, collect_notes()))
    reset_status()
  }

  # Long output is truncated by the server, which keeps the full text as a resource.
  # A function that draws opens the default device. Warnings are signalled at once, so that they
  # belong to the call that caused them.
  options(device = open_plot_device, warn = 1L, max.print = 1e7L)
  if (isTRUE(capabilities("cairo"))) options(bitmapType = "cairo")
  user_library <- file.path(Sys.getenv("TOOLCRIB_R_HOME"), "R", paste0(R.version$platform, "-library"),
                       paste(R.version$major, sub("[.].*", "", R.version$minor), sep = "."))
  if (nzchar(Sys.getenv("TOOLCRIB_R_HOME")) && dir.exists(user_library)) .libPaths(c(user_library, .libPaths()))

  record_warning <- function(warning) {
    if (length(warning_texts) < MAX_WARNINGS) {
      place <- find_signaller(warning)
      warning_texts <<- c(warning_texts, paste0(conditionMessage(warning), if (!is.null(place)) paste0(" (in ", place, ")")))
    } else {
      dropped_warnings <<- dropped_warnings + 1L
    }
    # Otherwise R would print it to stderr as well.
    tryInvokeRestart("muffleWarning")
  }

  end_value <- NULL
  record_end <- function(how, value) {
    status <<- how
    end_value <<- value
  }
  # `on.exit` code of a call that failed may fail, too. The first error counts.
  abort_call <- function(how, value) {
    # The error is described before the stack unwinds, because the traceback is gone afterwards.
    force(value)
    if (status == "done") record_end(how, value)
    invokeRestart("toolcrib_leave")
  }

  # An error outside of a call means that the server is gone, or a bug.
  handle_error <- function(problem) {
    if (is.null(current_request)) {
      cat("the R worker cannot continue: ", conditionMessage(problem), "\n", sep = "", file = stderr())
      # 70 is EX_SOFTWARE of sysexits.h: an internal error, not a failed call.
      quit("no", status = 70L)
    }
    parts <- parse_target(current_request[[2L]])
    abort_call("failed", build_error(problem, parts$package, format_traceback(sys.calls(), as.name(parts$name))))
  }
  handle_interrupt <- function(condition) if (!is.null(current_request)) abort_call("interrupted", NULL)

  listen <- function() {
    repeat {
      # Blocks until a request comes, and fails when the server has closed the pipe.
      request <- .Internal(unserialize(requests, NULL))
      switch(request[[1L]],
        call = handle_call(request),
        settle = settle(),
        show = show_last()
      )
    }
  }

  # Handlers are established once for all calls, because that takes longer than most calls, and again after an error or
  # interrupt has unwound them; interrupts are disabled again then.
  disable_interrupts <- function() .Internal(interruptsSuspended(TRUE))
  serve <- function() {
    withRestarts(withCallingHandlers(listen(), warning = record_warning, error = handle_error, interrupt = handle_interrupt), toolcrib_leave = disable_interrupts)
  }

  # When the stack overflows, R does not run calling handlers, but still unwinds to an exiting one.
  handle_overflow <- function(problem) {
    disable_interrupts()
    record_end("failed", build_error(problem, parse_target(current_request[[2L]])$package, NULL))
  }
  serve_until_error <- function() tryCatch(serve(), error = handle_overflow)

  run_worker <- function() {
    send(list("ready", paste(R.version$major, R.version$minor, sep = ".")))
    # Compile what every call runs before the first one comes; from now on R compiles what it finds worthwhile.
    for (name in c("send", "to_plain", "convert_value", "print_value", "close_sinks", "handle_call", "finish_call",
                   "send_last_reply", "listen", "serve", "serve_until_error")) {
      assign(name, compiler::cmpfun(get(name)), envir = parent.env(environment()))
    }
    .Internal(enableJIT(3L))
    repeat {
      end_value <<- NULL
      serve_until_error()
      current_request <<- NULL
      finish_call(end_value, "nothing")
    }
  }
  # Interrupts are enabled for calls only: a late SIGINT must not end the worker.
  suspendInterrupts(run_worker())
})
# In a hashed environment, unlike that of a function, because its variables are looked up all the time.
eval(.toolcrib_worker, new.env(hash = TRUE, parent = .BaseNamespaceEnv))
