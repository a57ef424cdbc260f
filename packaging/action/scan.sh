#!/usr/bin/env bash
# Runs the scan for the action. Its own exit code is always 0: the verdict comes after the upload.
set -uo pipefail

binary="${SCAN_BINARY:-}"
if [[ -z "$binary" ]]; then
  binary="$(command -v portcullis || true)"
fi
if [[ -z "$binary" ]]; then
  home="${RUNNER_TEMP:-/tmp}/portcullis"
  cargo install --locked --quiet --root "$home" --path "$ACTION_FOLDER/../../crates/cli" || {
    echo "::error title=portcullis::portcullis could not be built"
    echo "exit-code=3" >>"$GITHUB_OUTPUT"
    exit 0
  }
  binary="$home/bin/portcullis"
fi

paths=()
flags=()
while IFS= read -r line; do
  # A path is never a flag, whatever it begins with.
  [[ "$line" == -* ]] && line="./$line"
  [[ -n "$line" ]] && paths+=("$line")
done <<<"${SCAN_PATHS:-}"
if [[ ${#paths[@]} -eq 0 ]]; then
  # Without a path the clients of this machine would be searched, and a runner has none.
  echo "::error title=portcullis::name what to scan with \`paths\`"
  echo "exit-code=2" >>"$GITHUB_OUTPUT"
  exit 0
fi
while IFS= read -r line; do
  [[ -n "$line" ]] && flags+=("$line")
done <<<"${SCAN_FLAGS:-}"
[[ -n "${SCAN_BASELINE:-}" ]] && flags+=(--baseline "$SCAN_BASELINE")
[[ -n "${SCAN_RULES_VERSION:-}" ]] && flags+=(--rules-version "$SCAN_RULES_VERSION")
sarif="${SCAN_SARIF:-portcullis.sarif}"
summary="$(mktemp)"
# What an earlier step left there is not ours to upload.
rm -f "$sarif"

"$binary" scan \
  --format github \
  --format sarif --output "$sarif" \
  --format markdown --output "$summary" \
  --fail-on "${SCAN_FAIL_ON:-hard}" --persona "${SCAN_PERSONA:-regular}" \
  ${flags[@]+"${flags[@]}"} ${paths[@]+"${paths[@]}"}
code=$?

cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
rm -f "$summary"
{
  echo "exit-code=$code"
  [[ -s "$sarif" ]] && echo "sarif=$sarif"
} >>"$GITHUB_OUTPUT"
exit 0
