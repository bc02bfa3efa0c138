// Tests the model API: every scenario in every dialect, what it counts as paid, and that it never outlives its test.

import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANSWER, SCENARIO_NAMES } from './model-api/scenario.ts';
import { type ModelApi, startModelApi } from './model-api.ts';

const test = suite<{ api: ModelApi }>('model API');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

/** The request of a client in each dialect, and the mark of a complete answer. */
const DIALECTS = [
  { name: 'gemini', path: '/v1beta/models/m:streamGenerateContent?alt=sse', done: '"finishReason":"STOP"' },
  { name: 'responses', path: '/v1/responses', done: '"type":"response.completed"' },
  { name: 'chat', path: '/v1/chat/completions', done: 'data: [DONE]' },
  { name: 'anthropic', path: '/v1/messages', done: '"type":"message_stop"' },
];
const TOOLS = {
  gemini: [{ functionDeclarations: [{ name: 'run_shell_command' }] }],
  responses: [{ name: 'exec_command' }],
  chat: [{ function: { name: 'bash' } }],
  anthropic: [{ name: 'bash' }],
} as Record<string, unknown[]>;

/** The shortest conversation of each dialect, by its path. */
const PROMPTS: [path: RegExp, prompt: object][] = [
  [/enerateContent/, { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }],
  [/responses/, { input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }] }],
  [/messages|completions/, { messages: [{ role: 'user', content: 'hello' }] }],
];

/** What a client sees: the status, whether the answer is complete, or how the connection fails. */
const ROWS: [scenario: string, status: number | 'reset' | 'silent', complete: boolean][] = [
  ['ok', 200, true],
  ['refusal', 200, true],
  ['empty', 200, true],
  ['repeat', 200, true],
  ['answer-429', 200, true],
  ['tool', 200, true],
  ['toolloop', 200, true],
  ['long=5000', 200, true],
  ['says=any words', 200, true],
  ['nodone', 200, false],
  ['garbage', 200, false],
  ['quota-event', 200, false],
  ['reset', 'reset', false],
  ['resetearly', 'reset', false],
  ['slow', 'silent', false],
  ['slowstream', 'silent', false],
  ['html502', 502, false],
  ['401', 401, false],
  ['429daily', 429, false],
  ['529', 529, false],
  ['toolong', 400, false],
];

for (const { name, path, done } of DIALECTS) {
  for (const [scenario, status, complete] of ROWS) {
    test(`${name} ${scenario}`, async ({ api }) => {
      const isHeard = () => api.paid('a run').length > 0;
      const body = { stream: true, tools: TOOLS[name] };
      const seen = await ask(api.url(scenario, 'a run') + path, body, patience(status), isHeard);
      assert.is(seen.status, status);
      assert.is(seen.text.includes(done), complete, seen.text);
      const [request] = api.paid('a run');
      assert.is(request?.dialect, name);
      assert.is(request?.scenario, scenario);
      assert.is(api.paid().length, 1);
    });
  }

  test(`${name} answers whole where no stream is asked for`, async ({ api }) => {
    const seen = await ask(api.url('ok') + path.replace('streamG', 'g').split('?')[0], { stream: false });
    assert.match(seen.text, ANSWER);
    assert.type(JSON.parse(seen.text), 'object');
  });
}

test('every named scenario can be asked for, and no other', ({ api }) => {
  for (const scenario of SCENARIO_NAMES) assert.type(api.url(scenario), 'string');
  assert.throws(() => api.url('nope'), 'no scenario "nope"');
});

test('a script outranks the URL, in order, for its run alone', async ({ api }) => {
  api.script(['503', '401'], 'scripted');
  const path = '/v1/responses';
  const statuses = [];
  for (const run of ['other', 'scripted', 'scripted', 'scripted']) {
    statuses.push((await ask(api.url('ok', run) + path, {})).status);
  }
  assert.equal(statuses, [200, 503, 401, 200]);
});

test('a tool is called until its result comes back', async ({ api }) => {
  const url = `${api.url('tool-then-400')}/v1/chat/completions`;
  const first = await ask(url, { stream: true, tools: TOOLS.chat, messages: CALLED.slice(0, 1) });
  assert.match(first.text, 'echo tool-ran-ok');
  const second = await ask(url, { stream: true, tools: TOOLS.chat, messages: CALLED });
  assert.is(second.status, 400);
  assert.match(second.text, 'No tool output found for function call call_1.');
});

const CALLED = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function' }] },
  { role: 'tool', tool_call_id: 'call_1', content: '' },
];

test('a conversation that the service would refuse is refused in its words, unless it is asked to be lax', async ({
  api,
}) => {
  const path = '/v1/chat/completions';
  const broken = { messages: CALLED.slice(0, 2) };
  const refused = await ask(api.url('ok') + path, broken);
  assert.is(refused.status, 400);
  assert.match(refused.text, 'The following tool_call_ids did not have response messages: call_1');
  assert.is((await ask(api.url('lax=ok') + path, broken)).status, 200);
  assert.is((await ask(api.url('401') + path, broken)).status, 401, 'a key is looked at first');
});

test('listing models and counting tokens is not paid', async ({ api }) => {
  assert.is((await ask(`${api.url('500')}/v1/models`, null)).status, 200);
  assert.is((await ask(`${api.url('500')}/v1beta/models/m:countTokens`, {})).status, 200);
  assert.is(api.requests().length, 2);
  assert.is(api.paid().length, 0);
});

test('an open server keeps no process alive', () => {
  const module = new URL('./model-api.ts', import.meta.url).href;
  const source = `import(${JSON.stringify(module)}).then((m) => m.startModelApi()).then((api) => console.log(api.port))`;
  const child = spawnSync(process.execPath, ['--import', 'tsx', '-e', source], { encoding: 'utf8', timeout: 200_000 });
  assert.is(child.status, 0, child.stderr);
  assert.match(child.stdout, /^\d+\n$/);
});

test.run();

/** How long the client waits before it reports silence: short only if silence is expected. */
const patience = (status: number | 'reset' | 'silent') => (status === 'silent' ? 100 : 60_000);

/** Disconnects after a silence, but not before the server has received the request: a busy machine connects slowly. */
async function ask(url: string, body: object | null, silentMs = 60_000, isHeard = () => true) {
  const hangUp = new AbortController();
  let text = '';
  let watch: NodeJS.Timeout | undefined;
  const listen = () => {
    clearTimeout(watch);
    watch = setTimeout(() => (isHeard() ? hangUp.abort() : listen()), silentMs);
  };
  listen();
  try {
    const prompt = PROMPTS.find(([path]) => path.test(url))?.[1];
    const init = body ? { method: 'POST', body: JSON.stringify({ ...prompt, ...body }) } : {};
    const response = await fetch(url, { ...init, signal: hangUp.signal });
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk);
      listen();
    }
    return { status: response.status, text };
  } catch {
    return { status: hangUp.signal.aborted ? 'silent' : 'reset', text };
  } finally {
    clearTimeout(watch);
  }
}
