#' Tools in the shed
#'
#' Borrows and returns tools.
#' @template shed
#' @templateVar what tool
#' @return Integer, how many are left
#' @examples
#' borrow("spade")
#' @keywords mcp-tool
borrow <- function(item, quiet = FALSE) 1L

#' @describeIn borrow Brings a tool back.
#' @param clean Logical, whether it is clean
#' @keywords mcp-tool
give_back <- function(item, clean, quiet = FALSE) 1L

#' Repair a tool
#' @inheritParams borrow
#' @inheritParams utils::head
#' @param cost Numeric, the cost
#' @examples
#' repair("rake")
#' @keywords mcp-tool
repair <- function(item, quiet = FALSE, cost = 1) NULL
