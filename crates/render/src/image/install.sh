# Installs the components of rendering that the base image lacks, and the R packages in its arguments. A base image with all of them needs no network.
set -eu

fail() {
  echo "$1" >&2
  exit 1
}

has() {
  for program in "$@"; do
    command -v "$program" >/dev/null || return 1
  done
}

# Documents are rendered with --vanilla, so packages must be found without a profile.
has_package() {
  Rscript --vanilla -e "quit(status = !requireNamespace('$1', quietly = TRUE))" >/dev/null 2>&1
}

install_debian() {
  has apt-get || fail "the base image lacks some of: $*; it has no apt-get, so use one that has them"
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
  rm -rf /var/lib/apt/lists/*
}

# Uses the repository of the profile of the base image; installs to a library that R finds without that profile.
install_package() {
  library=$(Rscript --vanilla -e "cat(.libPaths()[[1]])")
  Rscript --no-save -e "repos <- getOption('repos')
    if (!length(repos) || '@CRAN@' %in% repos) options(repos = c(CRAN = 'https://cloud.r-project.org'))
    install.packages('$1', lib = '$library')"
  has_package "$1" || fail "the R package $1 could not be installed"
}

has Rscript || fail "the base image has no R"
has pandoc || install_debian pandoc

for package in rmarkdown knitr tinytex ggplot2 "$@"; do
  has_package "$package" || install_package "$package"
done

if ! has pdflatex; then
  # Needed to download, unpack and manage TinyTeX.
  has perl wget xz || install_debian ca-certificates perl wget xz-utils
  Rscript --vanilla -e "tinytex::install_tinytex(dir = '/opt/TinyTeX', bundle = 'TinyTeX', add_path = FALSE, force = TRUE)"
  # Its programs lie in a folder that is named after the machine.
  for programs in /opt/TinyTeX/bin/*-*/; do
    ln -sfn "$programs" /opt/TinyTeX/bin/linux
  done
  PATH=/opt/TinyTeX/bin/linux:$PATH
  has pdflatex || fail "TinyTeX could not be installed"
  # One PDF while there is a network: whatever LaTeX package it lacks is installed now, because nothing can be later.
  sample=$(mktemp -d)
  cat >"$sample/sample.Rmd" <<'END'
---
title: Sample
---

# Heading

Text with `code`, $x^2$ and a [link](https://example.org).

```{r}
knitr::kable(head(cars), booktabs = TRUE, longtable = TRUE)
plot(cars)
```
END
  Rscript --vanilla -e "rmarkdown::render('$sample/sample.Rmd', 'pdf_document', quiet = TRUE)"
  rm -rf "$sample"
  chmod -R a+rX /opt/TinyTeX
fi

# Any user may render and writes here, whichever way it is mounted.
mkdir -p /job
chmod 1777 /job
