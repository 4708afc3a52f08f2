#!/usr/bin/env bash
# Runs the commands of the GitHub Action, all of them even if one fails.
#
# Variables: FOLDER, COMMANDS, CLIENTS, BASE; see action.yml.
set -uo pipefail
cd "$FOLDER" || exit 2
failed=0

for command in $COMMANDS; do
  echo "::group::toolcrib $command"
  case $command in
    check)
      clients=()
      for client in ${CLIENTS:-}; do clients+=(--client "$client"); done
      toolcrib check --format github "${clients[@]}"
      ;;
    lock)
      if [ -e toolcrib.lock ]; then
        toolcrib lock --check
      else
        echo "there is no toolcrib.lock; run \`toolcrib lock\` to pin the tools"
      fi
      ;;
    diff)
      # A shallow clone lacks the revision: actions/checkout needs `fetch-depth: 0`.
      if git rev-parse --quiet --verify "$BASE^{commit}" >/dev/null; then
        toolcrib diff "$BASE:$(git rev-parse --show-prefix)" .
      else
        echo "::warning::there is no revision $BASE here to compare with; use \`fetch-depth: 0\` in actions/checkout"
      fi
      ;;
    *)
      echo "::error::unknown command \`$command\`; use check, lock or diff"
      false
      ;;
  esac || failed=1
  echo "::endgroup::"
done
exit "$failed"
