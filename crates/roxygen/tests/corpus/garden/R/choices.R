#' Pick fruit
#'
#' @description Picks what is ripe. Covers choices and examples in texts.
#' @param fruit Character string, the fruit
#' @param colors Character string, the colors
#' @param baskets Character vector, the baskets
#' @param order Which to pick first
#' @param tree Character string, the tree. Example values: \code{"old"}, \code{"young"}
#' @param branch Integer, such as \code{1} or \code{2L}. Default \code{3}
#' @param pattern Character string (e.g., `^a`)
#' @param tools Character vector, for example \code{c("knife", "net")} or `ladder`
#' @param speed Numeric, e.g. `fast`
#' @param size Character string, one of `"small"` and `"huge"`
#' @examples
#' pick("apple")
#' @keywords mcp-tool
pick <- function(fruit = c("apple", "pear"), colors = c("red", "green"),
                 baskets = c("left", "right"), order = c("top", "bottom", "top"), tree, branch,
                 pattern, tools, speed, size = c("small", "large")) {
  NULL
}
