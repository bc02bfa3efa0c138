// The real CLIs as clients of tollgate mcp, registered as its page says: what their models read of it, and that a client which gives up loses nothing.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { type ModelApi, startModelApi } from '../rig/model-api.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { speak } from './real-cli.ts';
import { RealHome } from './real-home.ts';

interface ClientRow {
  /** How its model calls a tool of the server. */
  tool(name: string): string;
  /** A person who asks it once, and lets it use the server's tools. */
  argv: readonly string[];
  /** Lets it wait two seconds for a tool. */
  impatient(home: RealHome): Record<string, string>;
}

const CLIENTS: Record<BuiltIn, ClientRow> = {
  gemini: {
    tool: (name) => `mcp_tollgate_${name}`,
    argv: ['--yolo', '-m', 'gemini-2.5-flash', '-p', 'Look.'],
    impatient: (home) => {
      edit(path.join(home.project, '.gemini/settings.json'), '"command"', '"timeout": 8000, "command"');
      return { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    },
  },
  copilot: {
    tool: (name) => `tollgate-${name}`,
    argv: ['--allow-all-tools', '-p', 'Look.'],
    impatient: (home) => {
      edit(path.join(home.home, '.copilot/mcp-config.json'), '"command"', '"timeout": 2000, "command"');
      return {};
    },
  },
  codex: {
    tool: (name) => `mcp__tollgate/${name}`,
    argv: ['exec', '--skip-git-repo-check', 'Look.'],
    impatient: (home) => {
      const table = '[mcp_servers.tollgate]';
      const [allow] = /^default_tools_approval_mode = .*$/m.exec(PAGE)!;
      edit(
        path.join(home.home, '.codex/config.toml'),
        table,
        `${table}\nrequired = true\ntool_timeout_sec = 2\n${allow}`,
      );
      return {};
    },
  },
  claude: {
    tool: (name) => `mcp__tollgate__${name}`,
    argv: ['-p', '--allowedTools', 'mcp__tollgate', '--', 'Look.'],
    impatient: () => ({ MCP_TOOL_TIMEOUT: '2000' }),
  },
};

const PAGE = readFileSync('docs/mcp.md', 'utf8');
const QUESTION = { cli: 'codex', prompt: 'Where is the login?' };
const ANSWER = 'It is in login.ts, said once.';

/** A home of this CLI, with `tollgate` and the rig's fakes before the real ones, and the server registered. */
async function register(tool: BuiltIn, api: ModelApi, rig: TestRig): Promise<RealHome> {
  const home = new RealHome(tool, api.url('ok'));
  symlinkSync(path.resolve('dist/tollgate.cjs'), path.join(rig.bin, 'tollgate'));
  home.env.PATH = `${rig.bin}:${home.env.PATH}`;
  const line = new RegExp(`^${tool} (mcp add .*)$`, 'm').exec(PAGE)?.[1];
  if (line === undefined) {
    const [, file, json] = new RegExp(`^${tool} reads \`~/([^\`]+)\`:\\n\\n\`\`\`json\\n(.*?)\`\`\``, 'ms').exec(PAGE)!;
    mkdirSync(path.dirname(path.join(home.home, file!)), { recursive: true });
    writeFileSync(path.join(home.home, file!), json!);
  } else assert.is((await speak(home, tool, line.split(' '))).code, 0);
  return home;
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes(from), file);
  writeFileSync(file, text.replace(from, to));
}

/** With the quotes of what a tool said as it said them, however often it was quoted on its way. */
const unquoted = (body: string): string => body.replace(/\\+"/g, '"');

for (const tool of TOOLS)
  test(`${tool}: its model reads what a tool says, and what was paid for after the client gave up`, async () => {
    const rig = await TestRig.open({ tools: ['codex'] });
    const { tool: named, argv, impatient } = CLIENTS[tool];
    const calls = (name: string, given: object) => `callnext=${named(name)}:${JSON.stringify(given)}`;
    /** What the model was sent, from question to question. */
    const heard: string[] = [];
    const choose = (sent: string): string => {
      const body = unquoted(sent);
      heard.push(body);
      if (heard.length === 1) return calls('run_task', { task: 'none' });
      if (heard.length === 2) return calls('ask', { ...QUESTION, wait_ms: 45_000 });
      if (heard.length === 3) return calls('status', {});
      if (heard.length === 4) void rig.call().then((fake) => fake.tell(...answerWith('codex', ANSWER)));
      const run_id = /"run_id":"([^"]+)"/.exec(body)?.[1];
      return body.includes(ANSWER) || heard.length > 40 ? 'ok' : calls('wait', { run_id, wait_ms: 1000 });
    };
    const api = await startModelApi({ choose });
    const home = await register(tool, api, rig);
    try {
      const { code, said } = await speak(home, tool, argv, impatient(home));
      assert.is(code, 0, said);
      const [, refused, gaveUp, status] = heard;
      assert.match(
        refused!,
        /"class":"tooling","reason":"bad_input".*"next_actions":\[{"text":"see which tasks there are".*fix what the message names/,
      );
      assert.match(gaveUp!, /timed out/);
      assert.match(status!, /"runs":\[\{"run_id":"ask\.codex-[^"]+","since":"[^"]+","state":"running"\}\]/);
      assert.match(heard.at(-1)!, `"state":"done","answer":"${ANSWER}"`);
      assert.is(rig.calls.length, 1);
      assert.equal(home.survivors(), []);
    } finally {
      await home.dispose();
      await rig.dispose();
      await api.close();
    }
  });

test.run();
