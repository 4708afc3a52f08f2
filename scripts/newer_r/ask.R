# Writes a package and requests for the worker: `ask.R FOLDER PATH`, where PATH is the folder as the worker sees it.
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[[1L]]
dir.create(file.path(folder, "R"))
writeLines(c("Package: asked", "Version: 1.0"), file.path(folder, "DESCRIPTION"))
writeLines(c(
  "add <- function(x) x + 1",
  "nothing <- function() NULL",
  "rows <- function(n) data.frame(a = seq_len(n), b = factor(letters[seq_len(n)]), c = as.Date('2024-01-01') + seq_len(n))",
  "fail <- function(x) { warning('careful'); stop('no: ', x) }",
  "keep <- function(key, value, .state_env) { .state_env$set(key, value); .state_env$keys() }",
  "kept <- function(key, .state_env) .state_env$get(key, 'nothing')",
  "said <- function(x) { message('a message'); cat('printed\\n'); warning('first'); warning('second'); invisible(x) }",
  "text <- function(x) paste0(x, '\\u00e9\\u4e2d')",
  "mixed <- function() list(a = 1L, b = NULL, c = list(1, 'x'), d = NA, e = c(x = 1, y = 2), f = 1i, g = quote(x + y))",
  "times <- function() list(as.POSIXlt('2024-01-01', tz = 'UTC'), as.POSIXct('2024-01-01 10:00', tz = 'UTC'), as.difftime(1, units = 'hours'))",
  "grid <- function() matrix(1:6, 2L, dimnames = list(NULL, c('a', 'b', 'c')))",
  "setClass('Thing', representation(n = 'numeric'))",
  "thing <- function() new('Thing', n = 1)",
  "long <- function() as.list(strrep('x', 1:900 * 10))",
  "named <- function() stats::setNames(as.numeric(1:200000), paste0('k', 1:200000))"
), file.path(folder, "R", "functions.R"))

none <- structure(list(), names = character())
place <- arguments[[2L]]
call <- function(name, arguments = none, prints = FALSE, state = NULL) {
  list("call", paste(if (prints) "print" else "value", "asked", name, place, sep = "\n"), arguments, state)
}
requests <- list(
  call("add", list(x = 41)), call("add", list(x = 41L), TRUE), call("nothing"), call("nothing", prints = TRUE),
  call("rows", list(n = 3L)), call("rows", list(n = 3L), TRUE), call("fail", list(x = "q")), call("absent"),
  call("keep", list(key = "k", value = 1:3)), call("kept", list(key = "k")), call("kept", list(key = "k"), FALSE, raw()),
  call("said", list(x = 1)), call("text", list(x = "\u00fc")), call("mixed"), call("times"), call("grid"), call("thing"),
  call("long"), call("named"), list("show"), list("settle")
)
pipe <- file(file.path(folder, "requests"), "wb")
for (request in requests) serialize(request, pipe, xdr = FALSE, version = 2L)
close(pipe)
