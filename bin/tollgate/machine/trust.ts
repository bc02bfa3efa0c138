// Implements tollgate trust: lists permanently trusted folders. A checkout or an agent within a call cannot change the list.

import path from 'node:path';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { listTrusted, revokeFolder, trustFolder } from '../../../state/trusted-folders.ts';
import { readArguments } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { badInputOf, type Ran } from '../../ran.ts';

const SPEC: CommandSpec = {
  name: 'tollgate trust',
  usage: '[DIR] [--revoke] | --list',
  about:
    'Trusts a folder permanently: each command there works as with --trust-workspace, so the CLIs use its hooks, MCP servers and settings. It covers the folders below, but no other git repository in them. The list is kept in your own state folder, never in a checkout.',
  flags: {
    list: { takes: 'nothing', about: 'show the trusted folders' },
    revoke: { takes: 'nothing', about: 'remove the folder from the list' },
  },
  words: { min: 0, max: 1, called: 'DIR' },
  examples: [
    ['tollgate trust', 'this folder and those below it'],
    ['tollgate trust ~/work/shop', 'another one'],
    ['tollgate trust --list', 'all of them, and those that were replaced since'],
    ['tollgate trust --revoke', 'this folder no longer'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'done'],
    [TOLLGATE_EXIT.badInput, 'usage, a folder that cannot be trusted or is not in the list, or called within a call'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given, words } = read.args;
  if (given.has('list')) {
    if (given.has('revoke') || words.length > 0) return invalid('--list takes no folder, and no --revoke');
    return listed(listTrusted(process.env), given.has('json'));
  }
  const folder = path.resolve(words[0] ?? '.');
  const changed = given.has('revoke')
    ? revokeFolder(folder, process.env)
    : trustFolder(folder, process.env, new Date());
  if (changed.how === 'refused') return invalid(changed.message);
  const state = given.has('revoke') ? 'revoked' : 'trusted';
  if (given.has('json'))
    return { exit: 0, out: `${JSON.stringify({ schema: 1, state, folder: changed.folder }, null, 2)}\n` };
  return { exit: 0, out: `${visible(changed.folder)} is ${WORDS[state]}.\n` };
}

const WORDS = { trusted: 'trusted now (--revoke takes it off the list)', revoked: 'no longer trusted' } as const;

function listed(folders: ReturnType<typeof listTrusted>, json: boolean): Ran {
  if (json) return { exit: 0, out: `${JSON.stringify({ schema: 1, folders }, null, 2)}\n` };
  const lines = folders.map(
    ({ state, folder, trusted_at }) => `${state.padEnd(8)}  ${trusted_at.slice(0, 10)}  ${visible(folder)}\n`,
  );
  return { exit: 0, out: lines.join('') || 'No folder is trusted; `tollgate trust` trusts this one.\n' };
}

const invalid = badInputOf('tollgate trust');
