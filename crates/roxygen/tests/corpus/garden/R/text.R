#' Describe the garden with \code{code}, \link{plan_bed}, \emph{style} and 100\% markup
#'
#' @description
#' Writes a report with **bold**, *italic* and `code`, see [water()] and [the page](http://x.org).
#'
#' A second paragraph with a list:
#' \itemize{
#'   \item one \eqn{x^2}{x squared}
#'   \item two
#' }
#' And another:
#' - three
#' - four
#'
#' @details Not part of the description.
#' @param title Character string, the title.
#'
#'   It may have a second paragraph.
#' @param author - Character string, after a dash
#' @param footer Character string, with an open \code{brace
#' @return A list:
#' \describe{
#'   \item{ok}{Logical, whether it worked}
#'   \item{\code{pages}}{Integer. The number of pages}
#'   \item{beds}{Data frame, one row for each bed}
#'   \item{`sizes`}{Numeric vector of sizes}
#'   \item{cover}{List with:
#'     \describe{
#'       \item{width}{Numeric}
#'       \item{color}{The color}
#'     }}
#' }
#' Everything else is lost.
#' @examples
#' # The title
#' report("Roses")
#'
#' plot@slot
#' \donttest{
#' report("Slow")
#' }
#' \dontshow{set.seed(1)}
#' @keywords mcp-tool mcp-read-only mcp-network
report <- function(title, author = "me", footer = "") {
  NULL
}

#' Is it ripe?
#' @param fruit Character string, the fruit
#' @returns \code{TRUE} if it is ripe, \code{FALSE} otherwise
#' @examplesIf interactive()
#' is_ripe("apple")
#' @keywords mcp-tool
is_ripe <- function(fruit) TRUE

#' Name the plants
#' @return
#' Invisibly, a character vector of names
#' @example inst/examples/names.R
#' @keywords mcp-tool
plant_names <- function() character()
