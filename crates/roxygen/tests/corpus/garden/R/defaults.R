#' Water the garden
#'
#' @description Opens the valves. Covers the defaults of formals.
#' @param liters Numeric, how much water
#' @param valves Integer, how many valves
#' @param quiet Whether to stay quiet
#' @param hose Character string, the hose
#' @param times Numeric vector, the hours
#' @param limits Numeric, the lowest and the highest pressure
#' @param settings The settings of the pump
#' @param until Character string, when to stop
#' @param share Numeric, the share of rain water
#' @param most Numeric, the most water
#' @param gap The hours between two rounds
#' @param missing Numeric vector, the sensors, with NA for broken ones
#' @param stage Integer, the stage between 1 and 5
#' @param volume Character string, the volume
#' @param ids The sensors
#' @examples
#' water(2)
#' @keywords mcp-tool mcp-category-water
water <- function(liters = -1.5, valves = 2, quiet = TRUE, hose = "it's \"blue\"",
                  times = c(6, 18.5), limits = c(1L, 3L), settings = list(pump = 1, on = FALSE),
                  until = NULL, share = 1/3, most = Inf, gap = seq_len(3), missing = NA,
                  stage = 2L, volume = 10, ids = character(0)) {
  NULL
}
