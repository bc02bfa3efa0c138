import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Evidence } from '../../../policies/facts/evidence.ts';
import type { Rule } from '../../../policies/rules/rule.ts';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';
import { classify } from '../../../policies/verdict/classify.ts';
import { findRow } from '../../../policies/verdict/own-row.ts';

const CLOCK = { now: new Date('2026-11-21T21:00:00.000Z'), timeZone: 'UTC' };
const NOTHING: Evidence = {
  tool: 'codex',
  ending: 'exited',
  exitCode: 1,
  signal: null,
  completed: false,
  answerChars: 0,
  failure: null,
  errors: [],
  retried: null,
  stderr: [],
  remarks: [],
  obstacle: null,
  tokens: null,
};
const judge = (evidence: Partial<Evidence>, own: readonly Rule[] = []) =>
  classify({ ...NOTHING, ...evidence }, CLOCK, own);
const because = (evidence: Partial<Evidence>) => {
  const { class: errorClass, reason, evidence: why } = judge(evidence);
  return `${errorClass}/${reason} from ${why?.source}`;
};

/** As evidence has it. */
function picked(stderr: readonly string[]): string[] {
  const selected = createErrorLines();
  for (const line of stderr) selected.push(line);
  return selected.lines();
}

const SUCCESS = { class: null, reason: null, evidence: null, retry_at: null };
const AUTH = { message: 'no', status: 401 };
const BUSY = { message: 'no', status: 503 };

test('a complete answer is a success, whatever came after it', () => {
  const done = { completed: true, answerChars: 1 };
  assert.equal(judge(done), SUCCESS);
  for (const ending of [
    'exited',
    'signalled',
    'timed_out',
    'idle',
    'max_turns',
    'retry_cut',
    'lingered',
    'cancelled',
  ] as const)
    assert.equal(judge({ ...done, ending, exitCode: 1, signal: 'SIGKILL' }), SUCCESS, ending);
  assert.equal(judge({ ...done, errors: [AUTH], stderr: ['ERROR: unexpected status 401 Unauthorized'] }), SUCCESS);
});

test('then an obstacle, then the ending, then what was said, in the order of its worth', () => {
  const obstacle = { class: 'tooling', reason: 'binary_missing', message: 'codex is not installed' } as const;
  const all: Partial<Evidence> = {
    obstacle,
    ending: 'timed_out',
    failure: AUTH,
    errors: [BUSY],
    stderr: ['Error: ENOSPC: no space left on device'],
    exitCode: 139,
  };
  assert.is(because(all), 'tooling/binary_missing from none');
  assert.is(because({ ...all, obstacle: null }), 'transient/timeout from ending');
  const said: Partial<Evidence> = { ...all, obstacle: null, ending: 'exited' };
  assert.is(because(said), 'auth/bad_credentials from failure');
  assert.is(because({ ...said, failure: null }), 'transient/overloaded from error');
  assert.is(because({ ...said, failure: null, errors: [] }), 'tooling/disk_full from stderr');
  assert.is(because({ ...said, failure: null, errors: [], stderr: [] }), 'tooling/crashed from exit_code');
  assert.is(because({}), 'unknown/unmatched from exit_code');
  assert.is(because({ exitCode: null }), 'unknown/unmatched from none');
});

test('a terminal failure that tells nothing leaves the word to the errors before it, the newest first', () => {
  const failure = { message: 'it did not work out' };
  assert.is(because({ failure, errors: [AUTH, BUSY] }), 'transient/overloaded from error');
  assert.is(because({ failure }), 'unknown/unmatched from failure');
});

test('a call that was ended for its rest had either begun or not', () => {
  assert.is(because({ ending: 'idle', exitCode: null, silent: false, errors: [AUTH] }), 'transient/idle from ending');
  assert.is(because({ ending: 'idle', exitCode: null, silent: true }), 'transient/silent_start from ending');
  assert.is(because({ ending: 'timed_out', exitCode: null, silent: true }), 'transient/timeout from ending');
});

test('a call whose end nobody saw is judged by what it said, if that tells something', () => {
  const lost: Partial<Evidence> = { ending: 'lost', exitCode: null };
  assert.is(because(lost), 'transient/interrupted from ending');
  assert.is(because({ ...lost, stderr: ['hm'], errors: [{ message: 'hm' }] }), 'transient/interrupted from ending');
  assert.is(because({ ...lost, errors: [AUTH] }), 'auth/bad_credentials from error');
  assert.is(because({ ...lost, stderr: ['Error: ENOSPC: no space left on device'] }), 'tooling/disk_full from stderr');
  assert.equal([findRow('left-lost')?.kind, findRow('ending-silent-start')?.kind], ['leftover', 'ending']);
  assert.is(because({ ...lost, completed: true }), 'transient/empty_answer from terminal');
});

test('an announced retry that was cut is judged by its cause', () => {
  assert.is(because({ ending: 'retry_cut', exitCode: null, errors: [BUSY] }), 'transient/overloaded from error');
  assert.is(because({ ending: 'retry_cut', exitCode: null, errors: [AUTH] }), 'auth/bad_credentials from error');
  assert.is(
    because({ ending: 'retry_cut', exitCode: null, errors: [{ message: 'hm' }] }),
    'transient/inner_retry from ending',
  );
});

test('our own signal is no evidence, whatever the call was ended for', () => {
  for (const tool of ['gemini', 'copilot', 'codex', 'claude'] as const)
    for (const end of [
      { signal: 'SIGTERM', exitCode: null },
      { signal: 'SIGKILL', exitCode: null },
      { exitCode: 143 },
    ]) {
      const cut = { tool, ...end, ending: 'retry_cut' } as const;
      assert.is(because({ ...cut, retried: { message: 'hm' } }), 'transient/inner_retry from ending');
      assert.is(
        because({ ...cut, remarks: ['Attempt 1 failed: hm. Retrying …'] }),
        'transient/inner_retry from ending',
      );
      assert.is(because({ ...cut, retried: BUSY }), 'transient/overloaded from error');
      const lingered = { ...cut, ending: 'lingered', failure: { message: 'hm' } } as const;
      assert.is(because(lingered), 'unknown/unmatched from failure');
      assert.is(because({ ...cut, ending: 'requirement_unmet' }), 'unknown/unmatched from none');
    }
  assert.is(because({ ending: 'signalled', signal: 'SIGKILL', exitCode: null }), 'transient/killed from exit_code');
});

test('success without an answer is none', () => {
  const empty: Partial<Evidence> = { completed: true, exitCode: 0, tokens: 18 };
  assert.is(because(empty), 'transient/empty_answer from terminal');
  assert.is(because({ ...empty, tool: 'gemini' }), 'transient/empty_answer from terminal');
  assert.is(because({ ...empty, exitCode: 139 }), 'transient/empty_answer from terminal');
  assert.is(because({ ...empty, tool: 'gemini', tokens: 0 }), 'prompt_too_large/over_limit from terminal');
  const stderr = ['Invalid configuration in /home/user/.gemini/settings.json:'];
  assert.is(because({ ...empty, tool: 'gemini', tokens: 0, stderr }), 'tooling/config from stderr');
  const aside = ['Warning: MCP server docs: spawn docs ENOENT'];
  assert.is(because({ ...empty, stderr: aside }), 'transient/empty_answer from terminal');
});

test('an end without the terminal event is a cut answer, however much was said', () => {
  assert.is(because({ exitCode: 0, answerChars: 40 }), 'transient/cut_answer from terminal');
});

test("gemini's exit code is the HTTP status modulo 256", () => {
  const codes = {
    144: 'tooling/bad_request',
    145: 'auth/bad_credentials',
    147: 'auth/not_authorised',
    173: 'transient/rate_limit',
    244: 'transient/server_error',
    255: 'transient/server_error',
    247: 'transient/overloaded',
  };
  for (const [exitCode, verdict] of Object.entries(codes))
    assert.is(because({ tool: 'gemini', exitCode: Number(exitCode) }), `${verdict} from exit_code`);
  assert.is(because({ exitCode: 145 }), 'unknown/unmatched from exit_code');
});

test('every HTTP status that refuses has a meaning, also one that nobody has seen', () => {
  const classes = new Map<string, number[]>();
  for (let status = 400; status < 600; status++) {
    const { class: errorClass } = judge({ failure: { message: 'no words', status } });
    classes.set(`${errorClass}`, [...(classes.get(`${errorClass}`) ?? []), status]);
  }
  assert.equal([...classes.keys()].sort(), ['auth', 'prompt_too_large', 'quota', 'tooling', 'transient']);
  assert.equal(classes.get('auth'), [401, 403, 407, 451]);
  assert.equal(classes.get('quota'), [402]);
  assert.equal(classes.get('prompt_too_large'), [413, 414]);
  assert.equal(
    classes.get('transient')?.filter((status) => status < 500),
    [408, 409, 421, 423, 424, 425, 429, 499],
  );
  assert.is(classes.get('transient')?.filter((status) => status >= 500).length, 100);
});

test('the prompt, the tools and the answer that codex echoes on stderr decide nothing', () => {
  const echoed = [
    'OpenAI Codex v0.169.0',
    '--------',
    'session id: 01a1ffb2-9a7f-7e02-bd60-58f6ca0c7ce5',
    '--------',
    'user',
    'Why do we get 401 Unauthorized: invalid api key?',
    'exec',
    "/bin/bash -lc 'curl -i http://localhost'",
    'HTTP/1.1 429 Too Many Requests',
    'ERROR: quota exceeded for the day',
    'codex',
    'You exceeded your current quota.',
  ];
  const end = ['ERROR: Selected model is at capacity. Please try a different model.', 'tokens used', '1,234'];
  assert.is(because({ stderr: picked([...echoed, ...end]) }), 'transient/overloaded from stderr');
  assert.is(because({ stderr: picked([...echoed, 'ERROR: something new']) }), 'unknown/unmatched from stderr');
  const silent = echoed.filter((line) => !line.startsWith('ERROR:'));
  assert.is(because({ stderr: picked(silent) }), 'unknown/unmatched from exit_code');
});

test("the errors of gemini's tools decide nothing", () => {
  const stderr = [
    'Error executing tool run_shell_command: Command failed',
    'HTTP/1.1 401 Unauthorized',
    '{"error":"invalid api key"}',
  ];
  assert.is(because({ tool: 'gemini', stderr }), 'unknown/unmatched from exit_code');
  const last = '[ERROR] Model stream ended without a finish reason.';
  assert.is(because({ tool: 'gemini', stderr: [...stderr, last] }), 'transient/cut_answer from stderr');
});

test('on stderr the last error decides, before plain words, and those before warnings and retries', () => {
  const retry = 'Attempt 1 failed with status 503. Retrying with backoff... _ApiError: busy';
  const quota = 'Error when talking to Gemini API Full report available at: /t/r.json TerminalQuotaError: daily quota';
  assert.is(because({ tool: 'gemini', stderr: [retry, quota] }), 'quota/period from stderr');
  assert.is(
    because({ tool: 'gemini', stderr: [quota, 'MCP server docs: connect ECONNREFUSED'] }),
    'quota/period from stderr',
  );
  assert.is(because({ tool: 'gemini', stderr: [retry] }), 'transient/overloaded from stderr');
  assert.is(
    because({
      stderr: ['ERROR: unexpected status 503 Service Unavailable', 'ERROR: unexpected status 401 Unauthorized'],
    }),
    'auth/bad_credentials from stderr',
  );
});

test('a dump of several lines is one failure', () => {
  const stderr = [
    'Error when talking to Gemini API Full report available at: /t/r.json RetryableQuotaError: You exceeded your current quota, please check your plan and billing details.',
    'Suggested retry after 34s.',
    '    at classifyGoogleError (file:///x/chunk.js:1:2) {',
    '  cause: {',
    '    code: 429,',
    "    message: 'You exceeded your current quota, please check your plan and billing details.',",
    '  }',
    '}',
    'An unexpected critical error occurred:[object Object]',
  ];
  const { reason, evidence, retry_at } = judge({ tool: 'gemini', stderr });
  assert.equal([reason, evidence?.rule, retry_at], ['rate_limit', 'quota-passing', '2026-11-21T21:00:34.000Z']);
});

test("of gemini's last words an error of the system is heard, and nothing else", () => {
  const last = (said: string) => because({ tool: 'gemini', stderr: [`An unexpected critical error occurred:${said}`] });
  assert.is(last('Error: EROFS: read-only file system, open'), 'tooling/permission from stderr');
  for (const said of ['[object Object]', '', "TypeError: Cannot read properties of undefined (reading 'map')"])
    assert.is(last(said), 'unknown/unmatched from exit_code');
});

test('only what may pass by itself says when to try again', () => {
  const message = 'no; try again in 2 hours';
  const at = (failure: Evidence['failure']) => judge({ failure }).retry_at;
  assert.is(at({ message: `limit reached, ${message}`, status: 429 }), '2026-11-21T23:00:00.000Z');
  assert.is(at({ message, status: 503 }), '2026-11-21T23:00:00.000Z');
  assert.is(at({ message, status: 401 }), null);
  const told = judge({ failure: { message: 'limit', status: 429 }, errors: [{ message: 'Retry-After: 60' }] });
  assert.is(told.retry_at, '2026-11-21T21:01:00.000Z');
});

test('the evidence is the text that decided, cut to a readable length', () => {
  const message = `unexpected status 503: ${'x'.repeat(5000)}`;
  const { evidence } = judge({ failure: { message, status: 503 } });
  assert.equal(evidence, { source: 'failure', text: message.slice(0, 1000), rule: 'service-overloaded' });
});

test("a user's own rows are tried before ours", () => {
  const own: Rule = {
    id: 'own-proxy',
    tool: 'any',
    source: 'any',
    match: { text: /corporate proxy/ },
    class: 'tooling',
    reason: 'proxy',
    proof: [{ message: 'the corporate proxy is down' }],
  };
  const failure = { message: 'unexpected status 503: the corporate proxy is down', status: 503 };
  assert.is(judge({ failure }, [own]).reason, 'proxy');
  assert.is(judge({ failure }, [{ ...own, source: 'stderr' }]).reason, 'overloaded');
  assert.is(judge({ failure }, [{ ...own, tool: 'gemini' }]).reason, 'overloaded');
});

test('the verdict is the same each time', () => {
  const evidence: Partial<Evidence> = { stderr: ['ERROR: rate limit exceeded: please try again in 1.5s.'] };
  assert.equal(judge(evidence), judge(evidence));
});

test('a limit that lasts an hour is a quota, a shorter one passes by itself', () => {
  const limited = (wait: string) =>
    judge({ failure: { message: `Rate limit reached. Please try again in ${wait}.`, status: 429 } }).class;
  assert.equal(['59m59s', '1h0m0s', '3 hours'].map(limited), ['transient', 'quota', 'quota']);
});

test.run();
