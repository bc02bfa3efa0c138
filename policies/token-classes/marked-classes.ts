// Token classes that are known by what marks them: a placeholder, a prefix, the label in front.

import { DIGITS, HAS } from '../scan/characters.ts';
import * as amount from './amount-scan.ts';
import * as name from './name-scan.ts';
import * as secret from './secret-scan.ts';
import { scanTask } from './task-scan.ts';
import { keep, type TokenClass } from './token-class.ts';

export const MARKED: readonly TokenClass[] = [
  {
    name: 'placeholder',
    put: keep,
    begins: '<',
    needs: 0,
    scan: secret.scanPlaceholder,
    examples: [['in <path> got <code:401>', 'in got <code:401>']],
  },
  {
    name: 'redacted',
    put: '<secret>',
    isSecret: true,
    begins: '[',
    needs: HAS.colon,
    scan: secret.scanRedacted,
    examples: [['key [REDACTED:github_token] expired', 'key expired']],
  },
  {
    name: 'task',
    put: '<task>',
    begins: 'word',
    needs: HAS.task,
    scan: scanTask,
    examples: [['stage of fix-login-7 failed', 'stage of failed']],
  },
  {
    name: 'shortened secret',
    put: '<secret>',
    isSecret: true,
    begins: 'word',
    needs: HAS.dot,
    scan: secret.scanShortened,
    examples: [
      [
        'received API Key = sk-...FghN, the encrypted content gAAA...Qk0= is bad',
        'received api key the encrypted content is bad',
      ],
      ['wait...done', 'wait done'],
    ],
  },
  {
    name: 'secret',
    put: '<secret>',
    isSecret: true,
    begins: 'word',
    first: ['sk', 'rk', 'gh', 'gi', 'AI', 'ya', 'xo', 'AK', 'AS', 'ey'],
    needs: 0,
    scan: secret.scanSecret,
    examples: [
      ['Incorrect API key provided: sk-pr****abcd', 'incorrect api key provided'],
      ['a task-oriented risk-free plan', 'a task-oriented risk-free plan'],
    ],
  },
  {
    name: 'bearer',
    put: '<secret>',
    isSecret: true,
    begins: 'word',
    needs: HAS.digit | HAS.reach,
    scan: secret.scanBearer,
    examples: [['Authorization: Bearer a1b2c3d4e5f6a7b8c9', 'authorization bearer']],
  },
  {
    name: 'wait',
    put: amount.bucket,
    begins: 'word',
    first: [...DIGITS],
    needs: HAS.time,
    scan: amount.scanWait,
    examples: [
      ['resets in 5s', 'resets in <wait:s>'],
      ['try again in 3 hours 12 minutes', 'try again in <wait:h>'],
      ['"retryDelay":"36.5s"', 'retrydelay <wait:s>'],
      ['total retry wait time: 60.84 seconds', 'total retry wait time'],
    ],
  },
  {
    name: 'bare wait',
    put: amount.bucket,
    begins: 'word',
    first: [...DIGITS],
    needs: HAS.label,
    scan: amount.scanBareWait,
    examples: [
      ['resets_in_seconds: 1234', 'resets_in_seconds <wait:m>'],
      ['Retry-After: 30, Retry-After: 120 seconds', 'retry-after <wait:s> retry-after <wait:m>'],
    ],
  },
  {
    name: 'trace id',
    put: '',
    begins: 'word',
    first: ['re', 'tr', 'co', 'ra', 'op', 'cf', 'x-'],
    needs: 0,
    scan: name.scanTraceId,
    examples: [
      ['failed (Request ID: 1BC7:1E58A2:641155F), cf-ray: d0f2755d033e9685-AMS', 'failed'],
      ['request id: not found', 'request id not found'],
    ],
  },
  {
    name: 'minified name',
    put: '',
    begins: 'word',
    needs: HAS.colon,
    scan: name.scanMinified,
    examples: [['e: You exceeded it', 'you exceeded it']],
  },
  {
    name: 'shell',
    put: '',
    begins: 'word',
    first: ['ba', 'sh', 'zs', 'da', 'ks', 'as'],
    needs: HAS.colon,
    scan: name.scanShell,
    examples: [['bash: line 1: codex: command not found', 'codex command not found']],
  },
  {
    name: 'labelled id',
    put: '<n>',
    begins: 'word',
    needs: HAS.label,
    scan: name.scanLabelledId,
    examples: [
      ['request id: Abc-dEf failed', 'request id failed'],
      ['{"session_id":"abcdef","ok":false}', 'session_id ok false'],
      ['traceId=abcdef', 'traceid'],
      ['session id: not found', 'session id not found'],
      ['invalid: abc', 'invalid abc'],
    ],
  },
  {
    name: 'value',
    put: '<v>',
    isSecret: true,
    begins: 'word/~.-',
    needs: HAS.equals | HAS.label,
    scan: name.scanValue,
    examples: [
      ['uid=0 user="alice smith" stage=Unknown', 'uid user stage'],
      ['error=unsupported call', 'error unsupported call'],
    ],
  },
];
