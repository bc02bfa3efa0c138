// Plays the part of an agent CLI: reads the prompt, prints a recorded kind of event stream, exits. No key, no network.
const { readFileSync, existsSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const [tool, flag] = process.argv.slice(2);
if (flag === '--version') {
  const copilot = 'GitHub Copilot CLI 1.0.102.';
  console.log({ gemini: '0.61.0', codex: 'codex-cli 0.169.0', copilot, claude: '2.1.330 (Claude Code)' }[tool]);
  process.exit();
}
const prompt = readFileSync(0, 'utf8');
// The first gemini call of an example meets an overloaded model, to show what the dispatcher does about it.
const first = path.join(process.env.TOLLGATE_EXAMPLE_STATE ?? '.', 'outputs/.first-call-made');
const overloaded = tool === 'gemini' && process.env.TOLLGATE_EXAMPLE_STATE && !existsSync(first);
const words = prompt.split(/\s+/).filter(Boolean).length;
/** What stands under a heading that the prompt asks for; any other gets a sentence. */
const SECTIONS = {
  Plan: '1. Look at the request.\n2. Say what it asks for.',
  'Updated Context Pack': 'Nothing was changed, and nothing need be known.',
  'Verification Commands': '```sh\ntrue\n```',
  'Test Cases': '- The request is met: its words are found again.\n- Nothing else has changed.',
  'Changed Files': '- replayed.md: written by a stand-in, to have changed something',
  Steps: '1. Look at replayed.md.\n2. Keep it, or remove it.',
  Findings: `- The prompt has ${words} words.\n- This answer was replayed by a stand-in for ${tool}.`,
  Verdict: 'PASS\nRun it again with the real CLI.',
};
const asked = prompt.split('It must have these sections').at(1) ?? '';
const headings = [...asked.matchAll(/^- `## (.+)`$/gm)].map(([, heading]) => heading);
const replayed = `The prompt has ${words} words. This answer was replayed by a stand-in for ${tool}.`;
// Who is to change files changes one.
if (headings.includes('Changed Files')) writeFileSync('replayed.md', `The prompt had ${words} words.\n`);
// Who is to say the next step of a supervised task finds it done.
const reasons = /^# Iteration \d+: the current instruction$/m.test(prompt);
const answer = reasons
  ? JSON.stringify({ action: 'done', summary: replayed })
  : headings.length
    ? headings.map((heading) => `## ${heading}\n\n${SECTIONS[heading] ?? replayed}\n`).join('\n')
    : `${replayed}\n`;

const print = (...events) => process.stdout.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));

const PLAY = {
  gemini() {
    print({ type: 'init', session_id: '11111111-2222-4333-8444-555555555555', model: 'replay' });
    if (overloaded) {
      writeFileSync(first, '');
      const message =
        '[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]';
      process.stderr.write(
        'Error when talking to Gemini API RetryableQuotaError: The model is overloaded. Please try again later.\n',
      );
      print({ type: 'result', status: 'error', error: { type: 'unknown', message }, stats: { total_tokens: 0 } });
      process.exitCode = 247;
      return;
    }
    print(
      { type: 'message', role: 'user', content: prompt },
      { type: 'message', role: 'assistant', content: answer, delta: true },
      {
        type: 'result',
        status: 'success',
        stats: { total_tokens: 120, input_tokens: 80, output_tokens: 40, cached: 0 },
      },
    );
  },
  codex() {
    print(
      { type: 'thread.started', thread_id: '01900000-0000-7000-8000-000000000001' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: answer } },
      { type: 'turn.completed', usage: { input_tokens: 80, cached_input_tokens: 0, output_tokens: 40 } },
    );
  },
  copilot() {
    print(
      { type: 'assistant.message', data: { messageId: 'm1', content: answer, toolRequests: [] } },
      { type: 'result', sessionId: '22222222-2222-4333-8444-555555555555', exitCode: 0, usage: {} },
    );
  },
  claude() {
    const session_id = '33333333-2222-4333-8444-555555555555';
    const usage = { input_tokens: 80, cache_read_input_tokens: 0, output_tokens: 40 };
    print(
      { type: 'system', subtype: 'init', session_id, model: 'replay', mcp_servers: [] },
      {
        type: 'assistant',
        session_id,
        message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: answer }], usage },
      },
      { type: 'result', subtype: 'success', is_error: false, session_id, num_turns: 1, result: answer, usage },
    );
  },
};

PLAY[tool]();
