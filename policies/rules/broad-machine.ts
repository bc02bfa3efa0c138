// Defines broad rules, in unforeseen wordings, for this machine, its installation and its settings.

import { near } from './near.ts';
import type { Rule } from './rule.ts';

const UNSAID = ['none'] as const;

export const BROAD_MACHINE = [
  {
    id: 'broad-session',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'sessions?|threads?|conversations?|rollouts?|transcripts?|checkpoints?',
        'not found|corrupt(?:ed)?|unknown|no such|no longer exists?|(?:could not|cannot|unable to|failed to) (?:be )?(?:load|loaded|resume|resumed|parse|parsed|read|find|found|open|opened)|locked|in use',
      ),
    },
    class: 'tooling',
    reason: 'session_id',
    proof: [{ message: 'Could not load the transcript of yesterday' }],
  },
  {
    id: 'broad-certificate',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'certificates?|certs?|x509|altnames|TLS|SSL(?: routines)?|root CA|CA (?:bundle|file)|OpenSSL',
        'invalid|expired|mismatch|does not match|not (?:trusted|valid|match)|verif(?:y|ication)|unknown|self[- ]signed|wrong version number|untrusted|bad|alert|issuer',
      ),
    },
    class: 'tooling',
    reason: 'certificate',
    proof: [{ message: 'the CA bundle is invalid' }],
  },
  {
    id: 'broad-sandbox',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'sandbox(?:ing|-exec|ed)?|seccomp|landlock|bubblewrap|bwrap|(?:user )?namespaces?|containers?|docker|podman|seatbelt|apparmor',
        'fail(?:ed|ure|s)?|not (?:supported|found|permitted|available|running|installed|enabled)|denied|cannot|unable|missing|unavailable|error',
      ),
    },
    class: 'tooling',
    reason: 'sandbox',
    proof: [{ message: 'landlock is not supported by this kernel' }],
  },
  {
    id: 'broad-install',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'GLIBC(?:XX)?(?:_[\\d.]+)?|musl|libc|shared (?:library|libraries|object)|\\.so(?:\\.\\d+)?|dylib|node(?:\\.js)?(?: version)?|runtime|native (?:module|binding|binary)|optional dependency|architecture|ELF',
        'not found|missing|unsupported|not supported|incompatible|mismatch|requires?|required|too old|wrong|cannot (?:open|load)|failed to load|invalid|update|upgrade',
      ),
    },
    class: 'tooling',
    reason: 'broken_install',
    proof: [
      { message: "libc.so.6: version `GLIBC_2.34' not found" },
      { message: 'Please update your Node.js to run this' },
    ],
  },
  {
    id: 'broad-old-runtime',
    tool: 'any',
    source: 'any',
    match: { code: ['SyntaxError'] },
    class: 'tooling',
    reason: 'broken_install',
    proof: [{ message: "Unexpected token '?'", type: 'SyntaxError' }],
  },
  {
    id: 'broad-processes',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near('processes|file descriptors|fork', 'limit|too many|exhausted|resource temporarily unavailable'),
    },
    class: 'tooling',
    reason: 'too_many_files',
    proof: [{ message: 'The limit of processes is exhausted' }],
  },
  {
    id: 'broad-flag',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'arguments?|options?|flags?|subcommands?|a value|values?|--[a-z][\\w-]*',
        'cannot (?:be used|use)|requires?|missing|too many|(?:is |are )?required|unknown|invalid|unexpected|none was supplied|not supplied|must be|not recogni[sz]ed|ambiguous|conflicts? with|mutually exclusive|not allowed|deprecated',
      ),
    },
    class: 'tooling',
    reason: 'bad_flag',
    proof: [{ message: "the argument '--json' cannot be used with '--foo'" }],
  },
  {
    id: 'broad-config',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: near(
        'API version|config(?:uration)?|settings(?:\\.json)?|[^\\s"]{1,60}\\.(?:toml|ya?ml|jsonc?)|environment variables?|profile|(?:prompt |rules )?files?|extensions?|plugins?|skills?|hooks?|\\.env',
        'invalid|pars(?:e|ing)|syntax|expected|unexpected|unknown|missing|must be|could not|failed|malformed|duplicate|unsupported|not supported|not found|not set|unresolved',
      ),
    },
    class: 'tooling',
    reason: 'config',
    proof: [{ message: "Expected property name or '}' in JSON at position 12 of /home/u/.gemini/settings.json" }],
  },
  {
    id: 'broad-package-manager',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: /\bnpm (?:err!|error)\b|\b(?:yarn|pnpm|bun|brew|nix|apt)(?:-get)?: error\b|\bERR_PNPM_\w+|\bunfree licen[cs]e\b|\bpackage manager\b/i,
    },
    class: 'tooling',
    reason: 'broken_install',
    proof: [{ message: 'npm error code ETARGET' }],
  },
  {
    id: 'broad-invalid-url',
    tool: 'any',
    source: 'any',
    match: { code: ['ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE'] },
    class: 'tooling',
    reason: 'config',
    proof: [{ message: 'Invalid URL', code: 'ERR_INVALID_URL' }],
  },
  {
    id: 'broad-bug',
    tool: 'any',
    source: 'any',
    match: {
      status: UNSAID,
      text: /\bis not a (?:function|constructor)\b|\bcannot read propert|\bis not (?:defined|iterable)\b|\bmaximum call stack\b|\bassertion failed\b|\bunreachable code\b/i,
    },
    class: 'tooling',
    reason: 'crashed',
    proof: [{ message: 'HttpsProxyAgent is not a constructor' }],
  },
] as const satisfies readonly Rule[];
