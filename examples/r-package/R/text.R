#' Count words
#'
#' @description
#' Counts how often each word occurs in a text. Use it for questions about
#' frequency; for anything else, read the text.
#'
#' @param text Character string, the text to analyze.
#'   Example values: \code{"to be or not to be"}
#' @param by Character string, the column to sort by
#' @param n Integer, the maximum number of words to return
#' @param .state_env Environment. The session's state
#' @return Data frame, the words and their counts
#' @examples
#' mcp_tool_text_count("to be or not to be", n = 2)
#' @keywords mcp-tool mcp-category-text mcp-read-only
mcp_tool_text_count <- function(text, by = c("count", "word"), n = 10L, .state_env = NULL) {
  by <- match.arg(by)
  words <- strsplit(tolower(text), "[^[:alpha:]]+")[[1]]
  counts <- table(words[nzchar(words)])
  found <- data.frame(word = names(counts), count = as.integer(counts))
  order <- if (by == "count") order(-found$count, found$word) else order(found$word)
  found <- utils::head(found[order, ], n)
  rownames(found) <- NULL
  if (!is.null(.state_env)) .state_env$set("last", text)
  found
}

#' Get the text that was counted last
#'
#' @param missing Character string, the value to return if there is no text yet
#' @param .state_env Environment. The session's state
#' @return Character string, the text
#' @examples
#' mcp_tool_text_last()
#' @keywords mcp-tool mcp-category-text mcp-read-only
mcp_tool_text_last <- function(missing = "nothing yet", .state_env = NULL) {
  if (is.null(.state_env)) missing else .state_env$get("last", missing)
}
