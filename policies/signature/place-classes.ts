// Token classes that say where: URLs, paths, hosts, and identifiers with a shape of their own.

import * as address from './address-scan.ts';
import { HAS } from './characters.ts';
import * as name from './name-scan.ts';
import * as path from './path-scan.ts';
import type { TokenClass } from './token-class.ts';

export const PLACES: readonly TokenClass[] = [
  {
    name: 'url',
    put: '<url>',
    begins: 'word',
    needs: HAS.slash | HAS.colon,
    scan: address.scanUrl,
    examples: [['at http://127.0.0.1:18080/r/x?a=1 (HTTP 401).', 'at <url> http <code:401>']],
  },
  {
    name: 'mail',
    put: '<mail>',
    begins: 'word',
    needs: HAS.at,
    scan: address.scanMail,
    examples: [['signed in as jo.doe@example.com.', 'signed in as <mail>']],
  },
  {
    name: 'quoted path',
    put: '<path>',
    begins: 'word/~.\\',
    needs: HAS.slash,
    scan: path.scanQuotedPath,
    examples: [["open '/a b/c d.txt'", 'open <path>']],
  },
  {
    name: 'windows path',
    put: '<path>',
    begins: 'word',
    needs: HAS.slash | HAS.colon,
    scan: path.scanWindowsPath,
    examples: [
      ['open C:\\Users\\Jo Doe\\x.ts:3:5 failed', 'open <path> failed'],
      ['"path":"C:\\\\new\\\\table"', 'path <path>'],
    ],
  },
  {
    name: 'unc path',
    put: '<path>',
    begins: '\\',
    needs: HAS.slash,
    scan: path.scanUncPath,
    examples: [['open \\\\server\\share\\x failed', 'open <path> failed']],
  },
  {
    name: 'module path',
    put: '<path>',
    begins: 'word',
    needs: HAS.colon,
    scan: path.scanModulePath,
    examples: [['in node:internal/timers:95:5 or file:///a/b.js:1:2', 'in <path> or <path>']],
  },
  {
    name: 'posix path',
    put: '<path>',
    begins: '/~.',
    needs: HAS.slash,
    scan: path.scanPosixPath,
    examples: [
      ["ENOENT: no such file, open '/home/jo/x.json'", 'enoent no such file open <path>'],
      ['~/.codex/config.toml:3 ../a ./b', '<path>'],
      ['</title> and/or // note', 'title and or note'],
    ],
  },
  {
    name: 'relative path',
    put: '<path>',
    begins: 'word',
    needs: HAS.slash,
    scan: path.scanRelativePath,
    examples: [['src/a/b and src/app.ts:403:11, turn/start', '<path> and <path> turn start']],
  },
  {
    name: 'file name',
    put: '<path>',
    begins: 'word',
    needs: HAS.dot,
    scan: path.scanFileName,
    examples: [['settings.json, app.ts:403:11, Node.js', '<path> node.js']],
  },
  {
    name: 'package',
    put: '<name>',
    begins: '@',
    needs: HAS.at | HAS.slash,
    scan: name.scanPackage,
    examples: [['cannot load @google/gemini-cli', 'cannot load <name>']],
  },
  {
    name: 'uuid',
    put: '<n>',
    begins: 'word',
    needs: HAS.digit,
    scan: address.scanUuid,
    examples: [['thread 01A1FFB2-9D5A-71B2-B2A5-E8392FC06A26 is busy', 'thread <n> is busy']],
  },
  {
    name: 'prefixed id',
    put: '<n>',
    begins: 'word',
    first: 'orctmpsetb',
    needs: HAS.length,
    scan: name.scanPrefixedId,
    examples: [
      ['organization org-fake, req_aBcDeFgHi', 'organization <n>'],
      ['call_stack', 'call_stack'],
    ],
  },
  {
    name: 'hex groups',
    put: '<host>',
    begins: 'word:[',
    needs: HAS.colon,
    scan: address.scanHexGroups,
    examples: [
      ['fe80::1 and [::1]:8080 and 00:1a:2b:3c:4d:5e', '<host> and <host> and <host>'],
      ['ABCD:12AB:1234567:89ABCDE:66F1A2B3', '<host>'],
      ['std::panic', 'std panic'],
    ],
  },
  {
    name: 'ipv4',
    put: '<host>',
    begins: 'word',
    needs: HAS.digit | HAS.dot,
    scan: address.scanIpv4,
    examples: [['connect ECONNREFUSED 127.0.0.1:9', 'connect econnrefused <host>']],
  },
  {
    name: 'host',
    put: '<host>',
    begins: 'word',
    needs: HAS.dot,
    scan: address.scanHost,
    examples: [
      ['getaddrinfo ENOTFOUND api.example.com', 'getaddrinfo enotfound <host>'],
      ['org.apache.Task general.maxAttempts', 'org.apache.task general.maxattempts'],
    ],
  },
  {
    name: 'localhost',
    put: '<host>',
    begins: 'word',
    first: 'l',
    needs: HAS.length,
    scan: address.scanLocalhost,
    examples: [['localhost:3000/x', '<host>']],
  },
];
