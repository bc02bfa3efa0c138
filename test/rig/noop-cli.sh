#!/bin/sh
# A CLI that only succeeds, in the event stream of the tool that its name begins with: used to time the start of a wrapper.
case "${0##*/}" in
gemini*)
  [ "$1" = --version ] && echo 0.61.0 && exit
  printf '%s\n' \
    '{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"00000000-0000-4000-8000-000000000001","model":"test-model"}' \
    '{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"assistant","content":"done","delta":true}' \
    '{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"success","stats":{"total_tokens":18,"input_tokens":11,"output_tokens":7,"cached":0,"input":11,"duration_ms":1,"tool_calls":0,"models":{}}}'
  ;;
codex*)
  [ "$1" = --version ] && echo codex-cli 0.169.0 && exit
  printf '%s\n' \
    '{"type":"thread.started","thread_id":"00000000-0000-7000-8000-000000000001"}' \
    '{"type":"turn.started"}' \
    '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}' \
    '{"type":"turn.completed","usage":{"input_tokens":11,"cached_input_tokens":0,"output_tokens":7,"reasoning_output_tokens":0}}'
  ;;
copilot*)
  [ "$1" = --version ] && echo GitHub Copilot CLI 1.0.102. && exit
  printf '%s\n' \
    '{"type":"assistant.message","data":{"messageId":"00000000-0000-4000-8000-000000000002","content":"done","toolRequests":[]},"id":"00000000-0000-4000-8000-000000000003","timestamp":"2026-01-01T00:00:00.000Z","parentId":null}' \
    '{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"00000000-0000-4000-8000-000000000001","exitCode":0,"usage":{"premiumRequests":0,"totalApiDurationMs":1,"sessionDurationMs":1,"codeChanges":{"linesAdded":0,"linesRemoved":0,"filesModified":[]}}}'
  ;;
claude*)
  [ "$1" = --version ] && echo '2.1.330 (Claude Code)' && exit
  printf '%s\n' \
    '{"type":"system","subtype":"init","cwd":"/","session_id":"00000000-0000-4000-8000-000000000001","model":"test-model","tools":[],"mcp_servers":[],"permissionMode":"default"}' \
    '{"type":"assistant","message":{"id":"msg_1","model":"test-model","role":"assistant","type":"message","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"},"parent_tool_use_id":null,"session_id":"00000000-0000-4000-8000-000000000001"}' \
    '{"type":"result","subtype":"success","is_error":false,"result":"done","stop_reason":"end_turn","terminal_reason":"completed","num_turns":1,"session_id":"00000000-0000-4000-8000-000000000001","usage":{"input_tokens":11,"output_tokens":7}}'
  ;;
esac
