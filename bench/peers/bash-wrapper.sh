#!/usr/bin/env bash
# What a careful user writes in 40 lines: a deadline, the answer alone, one class of failure, a second try.
# bash-wrapper.sh PROMPT OUT: runs codex; exits 0, 75 (a limit), 77 (sign in), 124 (time is over), 1 (any other failure).
set -u
prompt=$1 out=$2
limit=${LIMIT_SEC:-600}
[[ -s $prompt ]] || { echo "no prompt: $prompt" >&2; exit 2; }
command -v codex >/dev/null || { echo 'codex is not installed' >&2; exit 2; }
raw=$(mktemp) err=$(mktemp)
trap 'rm -f "$raw" "$err"' EXIT

run_once() {
  timeout --kill-after=2 "$limit" codex exec --json --skip-git-repo-check - <"$prompt" >"$raw" 2>"$err"
}

read_answer() {
  jq -rj 'select(.type == "item.completed" and .item.type == "agent_message") | .item.text' "$raw" 2>/dev/null
}

failure() {
  jq -r 'select(.type == "turn.failed") | .error.message' "$raw" 2>/dev/null
  cat "$err"
}

for try in 1 2; do
  run_once
  code=$?
  if [[ $code -eq 0 ]]; then
    read_answer >"$out"
    exit 0
  fi
  [[ $code -eq 124 || $code -eq 137 ]] && exit 124
  failure | grep -qiE '429|quota|rate.?limit' && exit 75
  failure | grep -qiE '401|403|api.?key' && exit 77
  failure | grep -qiE '50[0-9]|overloaded|timeout' || break
  sleep 1
done
failure | tail -3 >&2
exit 1
