#' Move a plant
#'
#' @description Digs up a plant and plants it elsewhere. Covers required, hidden and useless
#'   parameters.
#' @param plant Character string, the plant
#' @param to Character string, an optional place
#' @param month Character string. Defaults to the current month
#' @param depth Numeric. If NULL, the depth is measured
#' @param spade Character string, a non-optional spade
#' @param row,column Integer, the position
#' @param ... Passed on
#' @param .dry_run Whether to only pretend
#' @param helper Character string, first text
#' @param helper Character string, second text
#' @param ghost Character string, not a formal
#' @examples
#' \dontrun{
#' move_plant("rose")
#' }
#' @keywords mcp-tool mcp-dangerous mcp-category-plants
#' @keywords mcp-requires-approval mcp-category-moving
move_plant <- function(plant, to, month, depth, spade, row, column, ..., .dry_run = FALSE,
                       .token, .state_env, helper, undocumented = 1L) {
  NULL
}
