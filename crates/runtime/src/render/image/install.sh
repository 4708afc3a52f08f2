# Installs what the base image lacks of all that rendering needs. What is there already is left alone, so that a base
# image that has everything needs no network.
set -eu

has_package() {
  Rscript --vanilla -e "quit(status = !requireNamespace('$1', quietly = TRUE))" >/dev/null 2>&1
}

if ! command -v pandoc >/dev/null; then
  apt-get update
  apt-get install -y --no-install-recommends pandoc ca-certificates perl wget xz-utils
  rm -rf /var/lib/apt/lists/*
fi

for package in rmarkdown knitr tinytex ggplot2; do
  has_package "$package" || Rscript --no-save -e "if (identical(getOption('repos')[['CRAN']], '@CRAN@'))
    options(repos = 'https://cloud.r-project.org')
  install.packages('$package')
  stopifnot(requireNamespace('$package'))"
done

# TeX itself, and what R Markdown's template asks for: nothing can be installed later.
if ! command -v pdflatex >/dev/null; then
  Rscript --vanilla -e "tinytex::install_tinytex(dir = '/opt/TinyTeX', bundle = 'TinyTeX', add_path = FALSE, force = TRUE)"
  ln -s "$(ls -d /opt/TinyTeX/bin/*/ | head -n 1)" /opt/TinyTeX/bin/linux
  chmod -R a+rX /opt/TinyTeX
fi

# Whoever renders writes here, whichever way it is mounted.
mkdir -p /job
chmod 1777 /job
