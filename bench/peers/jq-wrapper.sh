#!/usr/bin/env bash
# The least that a wrapper of gemini must do, in bash with jq; `npm run bench` compares the wrapper with it.
# jq-wrapper.sh PROMPT OUT ERR STATS: exits 0, 12 (the CLI failed or said nothing), 13 (no CLI), 40 (bad input).
set -u
prompt=$1 out=$2 err=$3 stats=$4
[[ -s $prompt ]] || exit 40
command -v gemini >/dev/null || exit 13
raw=$out.raw
setsid timeout --kill-after=2 1800 gemini --output-format stream-json <"$prompt" >"$raw" 2>"$err"
code=$?
answer=$(jq -rj 'select(.type == "message" and .role == "assistant") | .content' "$raw")
status=$(jq -r 'select(.type == "result") | .status' "$raw")
class=ok signature=
if [[ $code -ne 0 || $status != success || -z $answer ]]; then
  class=unknown
  grep -qiE '429|quota|rate.?limit' "$err" && class=quota
  grep -qiE '401|403|api.?key' "$err" && class=auth
  signature=$(grep -iE 'error|fail|[45][0-9][0-9]' "$err" | sed -E 's/[0-9a-f]{8,}|[0-9]+/N/g; s#/[^ ]+#PATH#g' | sha256sum | cut -c1-16)
fi
printf '%s' "$answer" >"$out.tmp" && mv "$out.tmp" "$out"
# One writer at a time, and a reader never sees half a file.
exec 9>"$stats.lock"
flock 9
[[ -s $stats ]] || echo '{"calls":0,"failures":{}}' >"$stats"
jq --arg class "$class" --arg signature "$signature" \
  '.calls += 1 | if $class == "ok" then . else .failures[$signature] += 1 end' "$stats" >"$stats.tmp" && sync "$stats.tmp" && mv "$stats.tmp" "$stats"
[[ $class == ok ]] || exit 12
