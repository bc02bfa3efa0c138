// The real CLIs through the relay: what fails is logged as the service saw it, without keys; what goes well is as it was without.

import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { redactorOf } from '../../loops/redactor.ts';
import type { RecordedExchange } from '../../policies/api-errors/recorded-request.ts';
import { TOOLS } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { logFiles, readLog } from '../../state/api-errors/read.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { RealHome } from './real-home.ts';
import { ROUTES, type RouteName } from './routes.ts';

const test = suite<{ api: ModelApi }>('recorded requests of the real CLIs');
test.before.each(async (context) => {
  context.api = await startModelApi();
});
test.after.each(({ api }) => api.close());

const KEY = 'sk-test-000000000000';

interface Made {
  home: RealHome;
  record: CallRecord;
  code: number | null;
  out: string;
}

async function callOf(route: RouteName, url: string, flags: string[], does: (made: Made) => void): Promise<void> {
  const home = new RealHome(route, url);
  try {
    mkdirSync(path.join(home.project, '.tmp/state'), { recursive: true });
    home.write('ask.md', `Say PROMPTWORD and ${KEY}.\n`);
    const files = ['--prompt-file=ask.md', '--out=o', '--err=e', '--result=r'];
    const { command } = ADAPTERS[ROUTES[route].tool];
    const { code } = await home.start(command, [...files, '--access=full', '--trust-workspace', ...flags]).result;
    const read = (name: string) => readFileSync(path.join(home.project, name), 'utf8');
    does({ home, code, record: JSON.parse(read('r')) as CallRecord, out: code === 0 ? read('o') : '' });
    assert.equal(home.survivors(), []);
  } finally {
    await home.dispose();
  }
}

const about = ({ warnings }: CallRecord) => warnings.filter((warning) => warning.includes('record'));

for (const route of Object.keys(ROUTES) as RouteName[]) {
  test(`${route}: a 400 stands there as it was sent and answered`, async ({ api }) => {
    await callOf(route, api.url('tool-then-400'), ['--record-requests'], ({ home, record }) => {
      assert.equal([record.verdict.reason, about(record)], ['broken_history', []]);
      const folder = path.join(home.project, '.tmp/state');
      const [entry] = logFiles(folder).flatMap((file) =>
        [...readLog(file)].flatMap((one) => (one.how === 'entry' ? [one.entry] : [])),
      );
      const { request, call_id } = entry!.context;
      assert.is(request?.source, 'relay');
      const file = (request as { file: string }).file;
      assert.is(statSync(file).mode & 0o777, 0o600);
      const text = readFileSync(file, 'utf8');
      const recorded = JSON.parse(text) as RecordedExchange;
      const asked = api.paid().at(-1)!;
      assert.is(recorded.request.body, redactorOf(home.env, []).redact(asked.body));
      assert.match(recorded.request.body!, 'PROMPTWORD');
      assert.equal([recorded.call_id, recorded.request.method, recorded.request.less], [call_id, 'POST', null]);
      assert.match(recorded.request.url, asked.path.split('?')[0]!);
      assert.equal([recorded.response!.status, entry!.response.status, recorded.end], [400, 400, 'whole']);
      assert.is(entry!.response.body, recorded.response!.body!);
      assert.match(recorded.response!.body!, /number of function response parts|No tool output found|tool_use/);
      assert.match(recorded.response!.headers['content-type']!, 'application/json');
      for (const name of readdirSync(path.join(folder, 'api_errors')))
        assert.not.match(readFileSync(path.join(folder, 'api_errors', name), 'utf8'), KEY);
      assert.ok(recorded.request.left_out.length > 0, text.slice(0, 2000));
    });
  });

  // Each CLI is compared with itself once; what differs between its ways is the address that the relay takes its place of.
  const isCompared = (TOOLS as readonly string[]).includes(route);
  test(`${route}: a success ${isCompared ? 'is what it is without the relay' : 'comes through the relay'}`, async ({
    api,
  }) => {
    const bodies: string[] = [];
    for (const flags of isCompared ? [['--record-requests'], []] : [['--record-requests']]) {
      const before = api.paid().length;
      await callOf(route, api.url('ok'), flags, ({ home, code, record, out }) => {
        assert.equal([code, out, about(record)], [0, 'CANNED-ANSWER 42', []]);
        assert.is(api.paid().length, before + 1);
        assert.equal(readdirSync(path.join(home.project, '.tmp/state')), []);
        bodies.push(JSON.stringify(Object.keys(JSON.parse(api.paid().at(-1)!.body))));
      });
    }
    assert.is(new Set(bodies).size, 1);
  });
}

test.run();
