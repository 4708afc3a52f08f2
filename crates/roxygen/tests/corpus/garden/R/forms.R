#' Equals sign
#' @param x Integer, a number
#' @examples equals_sign(1L)
#' @keywords mcp-tool
equals_sign = function(x) x

#' Lambda
#' @param x Integer, a number
#' @examples lambda(1L)
#' @keywords mcp-tool
lambda <- \(x) {
  x
}

#' Comments in formals
#'
#' @param x Character string, a text
# an interruption
#' @param f Function, what to apply
#' @examples commented()
#' @keywords mcp-tool
commented <-
  function(
    x = "a", # a comment with )
    f = function(y) { y }
  ) {
    x
  }

#' Dotted name
#' @param a.b Integer, a number
#' @examples dotted.name(1L)
#' @keywords mcp-tool
dotted.name <- function(a.b) a.b

#' Not a tool: only the exact keyword counts
#' @keywords mcp-toolbox
boxed <- function(x) x

#' Made by another function
#' @keywords mcp-tool
wrapped <- Vectorize(boxed)

#' Nearly marked as dangerous
#' @examples nearly()
#' @keywords mcp-tool mcp-dangerus
nearly <- function() NULL
