// A real CLI with the skill alone: it runs a task, reads its failure, and does what the skill says of that class. Its model knows nothing but
// what it is sent: each line that it types comes out of the skill's text.

import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startModelApi } from '../rig/model-api.ts';
import { linesToType, rowOfClass } from '../rig/skill.ts';
import { failWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { speak } from './real-cli.ts';
import { RealHome } from './real-home.ts';

/** What it was sent, as text: a string of JSON, its line ends and quotes as they were. */
const plain = (body: string): string => body.replace(/\\+n/g, '\n').replace(/\\+"/g, '"');

for (const [said, status, errorClass, then] of [
  ['The model `x` does not exist or you do not have access to it.', 404, 'tooling', /codex command/],
  ['Incorrect API key provided', 401, 'auth', /codex sign-in/],
] as const)
  test(`claude, a task that fails with ${errorClass}`, async () => {
    const rig = await TestRig.open({ tools: ['codex'] });
    /** What the model typed, in order. */
    const typed: string[] = [];
    const types = (line: string) => {
      typed.push(line);
      return `callnext=Bash:${JSON.stringify({ command: line, description: 'what the skill says' })}`;
    };
    const heard: string[] = [];
    const choose = (body: string): string => {
      const text = plain(body);
      heard.push(text);
      if (heard.length === 1) return 'callnext=Skill:{"skill":"tollgate"}';
      const line = /^(tollgate run TASK --json[^#\n]*?) *(?:#.*)?$/m.exec(text)?.[1];
      if (heard.length === 2) return types(line!.replace('TASK', 'fix'));
      const found = /"failure":\{.*?"class":"(\w+)"/s.exec(text)?.[1];
      if (heard.length === 3) return types(linesToType(rowOfClass(found!, text))[0]!.replace('TASK', 'fix'));
      return 'ok';
    };
    const api = await startModelApi({ choose });
    const home = new RealHome('claude', api.url('ok'));
    try {
      const folder = path.join(home.project, '.claude/skills/tollgate');
      mkdirSync(folder, { recursive: true });
      copyFileSync('skills/tollgate/SKILL.md', path.join(folder, 'SKILL.md'));
      symlinkSync(path.resolve('dist/tollgate.cjs'), path.join(rig.bin, 'tollgate'));
      home.env.PATH = `${rig.bin}:${home.env.PATH}`;
      home.write(
        '.tmp/task/fix/manifest.json',
        JSON.stringify({ task_id: 'fix', goal: 'Look.', stages: [{ tool: 'codex', role: 'review' }] }),
      );
      rig.answer(() => failWith('codex', said, status));
      const argv = [
        '-p',
        '--allowedTools',
        'Bash(tollgate:*)',
        'Skill',
        '--',
        'Run the task fix, and act on what comes of it.',
      ];
      const { code, said: printed } = await speak(home, 'claude', argv);
      assert.is(code, 0, printed);
      assert.equal(typed, ['tollgate run fix --json --deadline 8m', 'tollgate preflight']);
      assert.match(heard.at(-1)!, then);
      assert.is(rig.calls.length, 1);
      assert.equal(home.survivors(), []);
    } finally {
      await home.dispose();
      await rig.dispose();
      await api.close();
    }
  });

test.run();
