// Token classes with figures: times, the codes that are kept, amounts.

import { DIGITS, HAS } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import * as amount from './amount-scan.ts';
import * as code from './code-scan.ts';
import * as time from './time-scan.ts';
import { keep, type TokenClass } from './token-class.ts';

const keepCode = (cursor: Cursor, at: number, end: number): string => `<code:${keep(cursor, at, end)}>`;

export const FIGURES: readonly TokenClass[] = [
  {
    name: 'date',
    put: '<time>',
    begins: 'word',
    first: [...DIGITS],
    needs: [HAS.joined, HAS.slash],
    scan: time.scanDate,
    examples: [
      ['2026-11-21T20:16:49.882Z 2026-11-21 20:16:49,882 2026-11-21T20-16-49-882Z', ''],
      ['11/21/2026, 8:30 PM', ''],
    ],
  },
  {
    name: 'month',
    put: '<time>',
    begins: 'word',
    first: ['ja', 'fe', 'ma', 'ap', 'ju', 'au', 'se', 'oc', 'no', 'de'],
    needs: HAS.digitNext,
    scan: time.scanMonth,
    examples: [
      ['Nov 21 20:16:49 host', 'host'],
      ['try again at Sep 18th, 2026 12:04 AM.', 'try again at'],
      ['you may do so', 'you may do so'],
    ],
  },
  {
    name: 'day of month',
    put: '<time>',
    begins: 'word',
    first: [...DIGITS],
    needs: [HAS.half, HAS.joined],
    scan: time.scanDayOfMonth,
    examples: [['21 Nov 2026 20:16:49 GMT, 21-Nov-2026', '']],
  },
  {
    name: 'day',
    put: '<time>',
    begins: 'word',
    first: ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'],
    needs: 0,
    scan: time.scanDay,
    examples: [
      ['Fri, 21 Nov 2026 20:16:49 GMT', ''],
      ['[Sun Dec 04 04:47:44 2005] resets Monday at 9:00 AM', 'resets'],
      ['the sun, on mondays', 'the sun on mondays'],
    ],
  },
  {
    name: 'clock',
    put: '<time>',
    begins: 'word',
    first: [...DIGITS],
    needs: [HAS.colon, HAS.half],
    scan: time.scanClock,
    examples: [['20:16:49.882 resets at 8pm (America/Los_Angeles), at 8:30', 'resets at at']],
  },
  {
    name: 'negative code',
    put: (cursor, at, end) => (code.isOfSystem(cursor) ? '' : keepCode(cursor, at, end)),
    begins: '-',
    needs: HAS.digit,
    scan: code.scanNegativeCode,
    examples: [['(code -32600) code: -104, errno: -104, but -7', 'code <code:-32600> code <code:-104> errno but']],
  },
  {
    name: 'code',
    put: keepCode,
    begins: 'word',
    first: [...DIGITS],
    needs: HAS.digit,
    scan: code.scanCode,
    examples: [
      [
        'exited with code 1; exit status 2; (os error 104)',
        'exited with code <code:1> exit status <code:2> os error <code:104>',
      ],
      ['{"code":401,"status":"UNAUTHENTICATED"}', 'code <code:401> status unauthenticated'],
      ['Last error: 429 You exceeded', 'last <code:429> you exceeded'],
      ['502 Bad Gateway', '<code:502> bad gateway'],
      [
        'upstream got 503, answered with 404; started with 500 workers',
        'upstream got <code:503> answered with <code:404> started with workers',
      ],
      ['exited with status 255', 'exited with status <code:255>'],
      ['CreateProcessW failed: 1312, tests failed: 13', 'createprocessw failed <code:1312> tests failed'],
      ['line 401, 450 items, limit: 429 requests, status: 200', 'line items limit requests status'],
      [
        '"GET /a HTTP/1.1" status: 404 len: 176 time: 0.01; "POST /a HTTP/1.1" 429',
        'get http status len time post http <code:429>',
      ],
    ],
  },
  {
    name: 'named code',
    put: keepCode,
    begins: 'word',
    first: ['0x', 'E', 'AA', 'CS', 'CV', 'TS', 'MS', 'OR', 'HT', 'PG', 'SQ'],
    needs: HAS.digit,
    scan: code.scanNamedCode,
    examples: [
      [
        'error[E0425], TS2304, npm ERR! code E401, AADSTS50020',
        'error <code:e0425> <code:ts2304> npm err code <code:e401> <code:aadsts50020>',
      ],
    ],
  },
  {
    name: 'duration',
    put: '<n>',
    begins: 'word',
    first: [...DIGITS],
    needs: HAS.time,
    scan: amount.scanDuration,
    examples: [['took 14.61 seconds, 1h 2m 3s, 5099ms in all', 'took in all']],
  },
  {
    name: 'size',
    put: (cursor) => (amount.isGloss(cursor) ? 'kb' : ''),
    begins: 'word',
    first: [...DIGITS],
    needs: HAS.size,
    scan: amount.scanSize,
    examples: [
      ['truncated to 8388608 bytes of 1.5 GiB', 'truncated to of'],
      ['close, 1165 bytes (1.13 KB) sent, 403 bytes received, lifetime <1 sec', 'close kb sent received lifetime'],
    ],
  },
];
