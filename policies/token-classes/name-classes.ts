// Token classes that name something: things, users, programs, libraries; and last any word with a digit left.

import { DIGITS, HAS } from '../scan/characters.ts';
import * as name from './name-scan.ts';
import type { TokenClass } from './token-class.ts';
import { scanUser, userPut } from './user-scan.ts';

export const NAMES: readonly TokenClass[] = [
  {
    name: 'name',
    put: '<name>',
    begins: 'word',
    needs: HAS.quote,
    scan: name.scanName,
    examples: [
      ["Model 'x-y' not found; the 'nope' model", 'model not found the model'],
      ["invalid value 'nope', MCP server 'docs' failed", 'invalid value nope mcp server docs failed'],
    ],
  },
  {
    name: 'user',
    put: userPut,
    begins: 'word',
    first: ['us', 'fo', 'ac'],
    needs: 0,
    scan: scanUser,
    examples: [
      [
        'Failed password for invalid user jo from 10.0.0.1, for root from 10.0.0.2',
        'failed password for invalid username from for from',
      ],
      [
        'session opened for user kim by (uid=0), session closed for user kim',
        'session opened for username by uid session closed for username',
      ],
      [
        'invalid user admin [preauth]; login denied for user kim.',
        'invalid username preauth login denied for user kim',
      ],
      [
        'waiting for user input, for user confirmation; invalid user name',
        'waiting for user input for user confirmation invalid user name',
      ],
    ],
  },
  {
    name: 'model',
    put: '<name>',
    begins: 'word',
    needs: HAS.slash,
    scan: name.scanModel,
    examples: [['models/nope is not found', 'models is not found']],
  },
  {
    name: 'spawned',
    put: name.spawnedName,
    begins: 'word',
    first: ['sp'],
    needs: 0,
    scan: name.scanSpawned,
    examples: [
      ['spawn gemini ENOENT, spawn C:\\x\\codex.exe ENOENT', 'spawn gemini enoent spawn codex enoent'],
      ['spawn failed', 'spawn failed'],
    ],
  },
  {
    name: 'level',
    put: '',
    begins: 'word',
    first: ['er', 'fa'],
    needs: 0,
    scan: name.scanLevel,
    examples: [
      ['[ERROR] ERROR: x failed', 'x failed'],
      ['ERROR x failed', 'x failed'],
      ['Error when asking', 'error when asking'],
    ],
  },
  {
    name: 'hex',
    put: '<n>',
    begins: 'word',
    first: [...DIGITS, ...'abcdef'],
    needs: HAS.length,
    scan: name.scanHex,
    examples: [['at deadbeef', 'at']],
  },
  {
    name: 'random',
    put: '<n>',
    isSecret: true,
    begins: 'word',
    needs: HAS.great,
    scan: name.scanRandom,
    examples: [['token aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFg', 'token']],
  },
  {
    name: 'library',
    put: name.libraryName,
    begins: 'word',
    needs: HAS.digit | HAS.joined,
    scan: name.scanLibrary,
    examples: [
      ["version `GLIBC_2.39' not found, `CXXABI_1.3.15' not found", 'version glibc not found cxxabi not found'],
    ],
  },
  {
    name: 'versioned name',
    put: '<name>',
    begins: 'word',
    needs: HAS.digit,
    scan: name.scanVersioned,
    examples: [['of package Base-Drivers-Package~31bf38ad~amd64~~6.1.0.7, skipped', 'of package skipped']],
  },
  {
    name: 'number',
    put: '<n>',
    begins: 'word',
    needs: HAS.digit,
    scan: name.scanNumber,
    examples: [['pid 4880, attempt 3/10, blk_-160899, gpt-5.1-codex, OAuth2', 'pid attempt oauth2']],
  },
];
