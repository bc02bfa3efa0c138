// How gemini is sent to a relay: an address in the environment, and the sign-in that it would take otherwise.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CallRequest, NO_OVERLAY, type Overlay } from '../../../wrappers/adapter.ts';
import { route } from '../../../wrappers/gemini/route.ts';

const test = suite<{ home: string }>('the route of gemini');
test.before.each((context) => {
  context.home = mkdtempSync(path.join(tmpdir(), 'home-'));
});
test.after.each(({ home }) => rmSync(home, { recursive: true, force: true }));

const RELAY = 'http://127.0.0.1:1/x';

function requestIn(home: string, environment: Record<string, string>): CallRequest {
  return {
    model: null,
    resumeSession: null,
    newSession: '',
    access: 'read',
    maxTurns: null,
    innerRetries: 'cut',
    trustWorkspace: false,
    cwd: home,
    environment: { HOME: home, GEMINI_CLI_SYSTEM_SETTINGS_PATH: path.join(home, 'none'), ...environment },
    own: {},
  };
}

const directed = (request: CallRequest) => {
  const found = route(request);
  if (found.how === 'fixed') throw new Error(found.because);
  return found;
};

test('a key that the environment alone names is named in the settings of the call, whatever else stands there', ({
  home,
}) => {
  const file = path.join(home, 'overlay.json');
  const settings = {
    general: { maxAttempts: 1 },
    security: { folderTrust: { enabled: true }, auth: { useExternal: false } },
  };
  writeFileSync(file, JSON.stringify(settings));
  const { upstream, through } = directed(requestIn(home, { GEMINI_API_KEY: 'k' }));
  assert.is(upstream, 'https://generativelanguage.googleapis.com/');
  const overlay: Overlay = { ...NO_OVERLAY, environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file } };
  assert.equal(through(RELAY, overlay).environment, {
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: file,
    GOOGLE_GEMINI_BASE_URL: RELAY,
  });
  assert.equal(JSON.parse(readFileSync(file, 'utf8')), {
    ...settings,
    security: { folderTrust: { enabled: true }, auth: { useExternal: false, selectedType: 'gemini-api-key' } },
  });
});

test('without settings of the call it is left alone, with a warning', ({ home }) => {
  const { through } = directed(requestIn(home, { GEMINI_API_KEY: 'k' }));
  const { environment, warnings } = through(RELAY, NO_OVERLAY);
  assert.equal(environment, {});
  assert.match(warnings.join(), /no request is recorded: gemini takes another address only with/);
});

test('a sign-in that settings name needs the address alone', ({ home }) => {
  mkdirSync(path.join(home, '.gemini'));
  const chosen = { security: { auth: { selectedType: 'gemini-api-key' } } };
  writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify(chosen));
  const own = { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'http://mine/x' };
  const { upstream, through } = directed(requestIn(home, own));
  assert.equal(
    [upstream, through(RELAY, NO_OVERLAY).environment],
    ['http://mine/x', { GOOGLE_GEMINI_BASE_URL: RELAY }],
  );
});

test('Vertex AI by a key alone has one address', ({ home }) => {
  const vertex = { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_API_KEY: 'k' };
  assert.is(directed(requestIn(home, vertex)).upstream, 'https://aiplatform.googleapis.com/');
  assert.throws(() => directed(requestIn(home, { ...vertex, GOOGLE_CLOUD_LOCATION: 'eu' })), /project and region/);
});

test.run();
