#!/usr/bin/env bash
# The same in bash without jq: it trusts that each event stands on a line of its own, and that no answer holds an escape.
# plain-wrapper.sh PROMPT OUT ERR STATS: exits 0, 12 (the CLI failed or said nothing), 13 (no CLI), 40 (bad input).
set -u
prompt=$1 out=$2 err=$3 stats=$4
[[ -s $prompt ]] || exit 40
command -v gemini >/dev/null || exit 13
raw=$out.raw
setsid timeout --kill-after=2 1800 gemini --output-format stream-json <"$prompt" >"$raw" 2>"$err"
code=$? answer='' status='' class=ok signature=''
while IFS= read -r line; do
  [[ $line == *'"role":"assistant"'* && $line =~ \"content\":\"([^\"]*)\" ]] && answer+=${BASH_REMATCH[1]}
  [[ $line == *'"type":"result"'* && $line =~ \"status\":\"([a-z]+)\" ]] && status=${BASH_REMATCH[1]}
done <"$raw"
if [[ $code -ne 0 || $status != success || -z $answer ]]; then
  class=unknown
  said=$(<"$err")
  [[ ${said,,} =~ 429|quota|rate.?limit ]] && class=quota
  [[ ${said,,} =~ 401|403|api.?key ]] && class=auth
  signature=$(sed -E '/error|fail|[45][0-9][0-9]/I!d; s/[0-9a-f]{8,}|[0-9]+/N/g; s#/[^ ]+#PATH#g' "$err" | sha256sum)
  signature=${signature:0:16}
fi
printf '%s' "$answer" >"$out.tmp" && mv "$out.tmp" "$out"
exec 9>"$stats.lock"
flock 9
printf '%s %s\n' "$class" "$signature" >>"$stats"
sync "$stats"
[[ $class == ok ]] || exit 12
