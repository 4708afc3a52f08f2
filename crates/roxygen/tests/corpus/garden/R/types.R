#' Plan a bed
#'
#' @description Lays out a bed. Covers the types that a text can begin with.
#' @param name Character string, the name of the bed
#' @param owner Character or NULL, the person who looks after it
#' @param plants Character vector, the plants to grow
#' @param rows Integer. How many rows the bed has
#' @param widths Numeric vector of row widths
#' @param depth Double: the depth in meters
#' @param shaded Logical, whether a tree list shades the bed
#' @param frost Boolean[] nights with frost
#' @param ph A number between 0 and 14
#' @param notes List of strings
#' @param options List, further options
#' @param soil Data frame, one row for each sample
#' @param grid Numeric matrix of plant heights
#' @param start Date. The first day
#' @param kind Factor, the kind of bed
#' @param tags Vector of things
#' @param count \code{integer} the number of seeds
#' @param counts \code{integer[]} the numbers of seeds
#' @param limit NULL or integer
#' @param rotate Function, picks the next crop
#' @param label Something without a type
#' @param spacing The spacing as a numeric value
#' @return Nothing
#' @examples
#' plan_bed("north")
#' @keywords mcp-tool
plan_bed <- function(name, owner, plants, rows, widths, depth, shaded, frost, ph, notes, options,
                     soil, grid, start, kind, tags, count, counts, limit, rotate, label, spacing) {
  NULL
}
