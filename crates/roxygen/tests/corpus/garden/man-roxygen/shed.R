#' @param item Character string, the <%= what %>
#'   in the shed
#' @param quiet Logical, whether to stay quiet
