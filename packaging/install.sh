#!/bin/sh
# Installs toolcrib for the current user: downloads a release, verifies its checksum and copies the program.
#
#   curl -fsSL https://github.com/toolcrib/toolcrib/releases/latest/download/install.sh | sh
#
# Needs no root and changes no other file. Settings, as variables:
#   TOOLCRIB_VERSION      a version such as 0.1.0; default: the newest
#   TOOLCRIB_INSTALL_DIR  where the program goes; default: ~/.local/bin
#   TOOLCRIB_TARGET       a target such as x86_64-unknown-linux-musl; default: that of this machine
#   TOOLCRIB_RELEASES     where releases are; default: https://github.com/toolcrib/toolcrib/releases
set -eu

releases=${TOOLCRIB_RELEASES:-https://github.com/toolcrib/toolcrib/releases}
folder=${TOOLCRIB_INSTALL_DIR:-$HOME/.local/bin}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Prints the target of this machine. Musl systems have no loader of glibc.
find_target() {
  case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no release for the processor $(uname -m); build from source" ;;
  esac
  case $(uname -s) in
    Darwin) echo "$machine-apple-darwin" ;;
    Linux)
      if has getconf && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
        echo "$machine-unknown-linux-gnu"
      else
        echo "$machine-unknown-linux-musl"
      fi
      ;;
    *) fail "there is no release for $(uname -s); build from source" ;;
  esac
}

# download URL FILE
download() {
  if has curl; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif has wget; then
    wget -q -O "$2" "$1"
  else
    fail "install curl or wget first"
  fi || fail "cannot download $1"
}

# digest FILE: prints its SHA-256.
digest() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "install sha256sum or shasum first: nothing is installed without its checksum"
  fi
}

# Prints the newest version: the text of one small file of the newest release.
find_version() {
  download "$releases/latest/download/version.txt" "$work/version.txt"
  version=$(head -n 1 "$work/version.txt")
  case $version in
    [0-9]*) echo "$version" ;;
    *) fail "$releases/latest/download/version.txt does not have a version" ;;
  esac
}

main() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  target=${TOOLCRIB_TARGET:-$(find_target)}
  version=${TOOLCRIB_VERSION:-$(find_version)}
  version=${version#v}
  name=toolcrib-$version-$target
  archive=$name.tar.gz

  download "$releases/download/v$version/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "release $version has no $archive"
  download "$releases/download/v$version/$archive" "$work/$archive"
  found=$(digest "$work/$archive")
  [ "$found" = "$expected" ] || fail "$archive has the checksum $found, expected $expected; nothing was installed"

  tar -xzf "$work/$archive" -C "$work"
  mkdir -p "$folder"
  # Renamed, because a running program cannot be overwritten.
  cp "$work/$name/toolcrib" "$folder/.toolcrib.new"
  chmod 755 "$folder/.toolcrib.new"
  "$folder/.toolcrib.new" version >/dev/null || {
    rm -f "$folder/.toolcrib.new"
    fail "the program does not run here; try TOOLCRIB_TARGET=$(uname -m)-unknown-linux-musl"
  }
  mv "$folder/.toolcrib.new" "$folder/toolcrib"
  echo "toolcrib $version is in $folder/toolcrib"
  case :$PATH: in
    *:"$folder":*) echo "next: run \`toolcrib init\` in a folder of yours" ;;
    *) echo "next: add $folder to your PATH, then run \`toolcrib init\` in a folder of yours" ;;
  esac
}

# In a function, so that a download that breaks off runs nothing.
main
