# Compares the responses in two folders: `compare.R OWN OTHER`.
answers <- function(folder) {
  pipe <- file(file.path(folder, "replies"), "rb")
  on.exit(close(pipe))
  all <- list()
  while (length(length <- readBin(pipe, "integer", 1L, endian = "little"))) {
    all[[length(all) + 1L]] <- unserialize(readBin(pipe, "raw", length))
  }
  all
}
# Chunk sizes depend on the pointer size of the platform, so join the chunks before comparing.
joined <- function(answers) {
  Reduce(function(all, answer) {
    last <- length(all)
    is_more <- last > 0L && all[[last]][[1L]] == "items" && answer[[1L]] == "items"
    if (is_more) all[[last]][[2L]] <- c(all[[last]][[2L]], answer[[2L]]) else all[[last + 1L]] <- answer
    all
  }, answers, list())
}
# Normalizes what may differ: the R version, the path of the package, and the reported size of a state.
same <- function(answer, folder) {
  if (answer[[1L]] == "state") answer <- list("state", unserialize(answer[[2L]]))
  rapply(answer, function(text) gsub(folder, "FOLDER", text, fixed = TRUE), "character", how = "replace")
}
folders <- commandArgs(trailingOnly = TRUE)
own <- answers(folders[[1L]])
other <- answers(folders[[2L]])
versions <- c(own[[1L]][[2L]], other[[1L]][[2L]])
own <- lapply(joined(own[-1L]), same, folders[[1L]])
other <- lapply(joined(other[-1L]), same, "/crib")
if (length(own) < 20L || length(own) != length(other)) stop("got ", length(own), " and ", length(other), " responses")
differing <- Filter(function(at) !identical(own[[at]], other[[at]]), seq_along(own))
for (at in differing) {
  cat("response", at, "from R", versions[[1L]], "\n")
  str(own[[at]])
  cat("from R", versions[[2L]], "\n")
  str(other[[at]])
}
if (length(differing)) quit("no", status = 1L)
cat("newer-r: ", length(own), " responses are the same in R ", versions[[1L]], " and R ", versions[[2L]], "\n", sep = "")
