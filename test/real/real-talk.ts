// A conversation with a real CLI through our own commands: what is asked, what is done to it, and what its model was sent.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { ModelApi } from '../rig/model-api.ts';
import type { RealHome } from './real-home.ts';

export interface RealTalk {
  /** Of the session that it goes on in now. */
  id(): string;
  /** Goes on in it. @returns what the model was sent. */
  ask(prompt: string): Promise<string[]>;
  /** Runs one of our commands about it. */
  does(command: string, ...words: string[]): Promise<void>;
  /** Of the last request that asked the model, the prompts and answers in their order. */
  sent(): string[];
}

/** Begins it with PROMPT-A. */
export async function beginTalk(home: RealHome, tool: BuiltIn, api: ModelApi): Promise<RealTalk> {
  const sent = () =>
    [
      ...api
        .paid()
        .at(-1)!
        .body.matchAll(/PROMPT-[A-Z]|CANNED-ANSWER 42/g),
    ].map(([said]) => said);
  let id = (await callReal(home, tool, 'PROMPT-A', [])).session_id!;
  return {
    id: () => id,
    sent,
    async ask(prompt) {
      await callReal(home, tool, prompt, ['--resume-session', id]);
      return sent();
    },
    async does(command, ...words) {
      const { code, stdout, stderr } = await home.start('tollgate', [command, id, '--json', ...words]).result;
      assert.equal([code, stderr], [0, '']);
      id = (JSON.parse(stdout) as { session_id: string }).session_id;
    },
  };
}

export async function callReal(home: RealHome, tool: BuiltIn, prompt: string, flags: string[]): Promise<CallRecord> {
  const [out, err, result] = ['out', 'err', 'record.json'].map((name) => path.join(home.root, name)) as [
    string,
    string,
    string,
  ];
  const files = ['--prompt-file', home.write('prompt.md', prompt), '--out', out, '--err', err, '--result', result];
  const { code, stderr } = await home.start(ADAPTERS[tool].command, [...files, ...flags, '--trust-workspace']).result;
  assert.is(code, 0, stderr);
  return JSON.parse(readFileSync(result, 'utf8')) as CallRecord;
}
