// Defines the rules for requests that cannot be done: a flag, the configuration, the session's id, a full disk.

import type { Rule } from './rule.ts';

const HERE = ['none'] as const;

export const SETUP_RULES = [
  {
    id: 'setup-trust',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: ['trusted '],
      text: /\bnot (?:running )?(?:in|inside) a trusted (?:directory|folder|workspace)|untrusted (?:workspace|folder)/i,
    },
    class: 'tooling',
    reason: 'untrusted',
    proof: [{ message: 'Not inside a trusted directory and --skip-git-repo-check was not specified.' }],
  },
  {
    id: 'setup-flag',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: ['argument', 'option', 'flag', 'command', 'invalid value', '--help', 'usage: ', 'is not valid'],
      text: /\bunknown (?:argument|option|flag|subcommand|command)s?\b|\bunexpected argument|\bunrecogni[sz]ed (?:option|argument|subcommand)|\binvalid values?(?: '[^']*' for|:)|\binvalid command format|\brequired arguments? (?:was|were) not provided|\bmissing required (?:argument|option)|\btoo many arguments\b|\boption\b.{0,60}\bargument missing|\bbad option:|\btry '?[\w -]{0,20}--help|^usage: |--[a-z][\w-]{1,40} is not valid\b/i,
    },
    class: 'tooling',
    reason: 'bad_flag',
    proof: [
      { message: "error: unknown option '--foo'" },
      { message: 'Error: --json-schema is not valid JSON: JSON Parse error: Unexpected EOF' },
    ],
  },
  {
    id: 'setup-config',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: [
        'config',
        'settings',
        'provider',
        'invalid json',
        'proxy',
        'error in:',
        '.toml',
        '.json',
        '.yaml',
        '.yml',
        'received',
        'failed to parse',
        'failed to load',
        'failed to read',
        'parse error',
        'mcp',
        'unknown field',
        'unknown variant',
      ],
      text: /\berror loading config|\binvalid (?:configuration|config|settings)\b|\bfix the configuration|\berror in \S*settings\.json|\bproviders? requires? an explicit model|requires a (?:local )?model provider|\bmodel provider\b.{0,40}\bnot found|\binvalid json in -|\b(?:unknown|invalid|unsupported) proxy (?:url|scheme)|\berror in: \S+|\bconfiguration (?:file at|error in) \S+|\bconfigParseError\b|\.claude\.json\b.{0,80}\b(?:corrupt(?:ed)?|invalid|parse error)|\bparse error\b.{0,80}\.claude\.json\b|\.(?:toml|jsonc?|ya?ml):\d+:\d+:|\bexpected \w{3,10}, received \w|\bfailed to (?:parse|load|read) (?:the )?(?:\w+ ){0,3}file\b|\b(?:toml|yaml) parse error|\bfailed to (?:parse|load|read) (?:the )?MCP (?:server )?config|\bmcp_?servers\.[\w-]{1,80}|\bunknown (?:field|configuration|variant)\b|(?:settings|config)\.(?:json|toml|ya?ml)\b.{0,20}\b(?:unexpected|invalid|expected|malformed)|\b(?:parse|parsing|reading|loading)\b.{0,60}\b(?:settings|config)\.(?:json|toml|ya?ml)/i,
    },
    class: 'tooling',
    reason: 'config',
    proof: [{ message: 'Error loading config.toml: invalid type: string "x", expected a boolean' }],
  },
  {
    id: 'setup-session-busy',
    tool: 'any',
    source: 'any',
    match: { status: HERE, text: /\bactive writer\b|\bsession\b.{0,60}\b(?:is (?:locked|in use)|already in use)/i },
    class: 'tooling',
    reason: 'session_busy',
    proof: [{ message: 'thread/resume failed: thread 0199 already has an active writer (code -32600)' }],
  },
  {
    id: 'setup-session',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: ['rollout', 'session', 'thread', 'conversation', 'task'],
      text: /\bno rollout found|\bno (?:saved )?(?:session|thread|conversation|task)s?\b.{0,30}\b(?:with id|matched)|\bsession file\b.{0,30}\bcorrupt|\bfailed to resume session|\bthread\/resume\b|\bfailed to read thread|\berror (?:resuming|starting) session|\binvalid session identifier|\bno previous sessions? found|\bno session, task,? or name matched|\b(?:session|thread|conversation)(?: id)?\b.{0,60}\b(?:not found|already exists|does not exist)|\bno such (?:session|thread|conversation)|\bno conversation found\b/i,
    },
    class: 'tooling',
    reason: 'session_id',
    proof: [
      { message: 'Error resuming session: No previous sessions found for this project.' },
      { message: 'No saved session found with ID 0199. Run --resume without an ID to choose from existing sessions.' },
    ],
  },
  {
    id: 'setup-schema',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', 400, 422],
      text: /\binvalid (?:json )?schema\b|\binvalid \w+ schema\b|\bschema (?:is|was) (?:invalid|rejected)/i,
    },
    class: 'tooling',
    reason: 'bad_request',
    proof: [{ message: "Invalid schema for function 'f': array schema missing items.", status: 400 }],
  },
  {
    id: 'setup-git',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: ['dubious ownership', 'git', 'safe.directory', 'unsafe repository'],
      text: /\bdubious ownership\b|\bnot a git repository\b|\bsafe\.directory\b|\bunsafe repository\b|\.git\/(?:[\w.-]{1,80}\/){0,8}[\w.-]{1,80}\.lock\b|\banother git process\b/i,
    },
    class: 'tooling',
    reason: 'git',
    proof: [{ message: "detected dubious ownership in repository at '/x'" }],
  },
  {
    id: 'setup-prompt',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bno (?:input|prompt) (?:was )?provided|\bprompt (?:is|was) empty|\binput (?:must be provided|contained only whitespace)/i,
    },
    class: 'tooling',
    reason: 'no_prompt',
    proof: [{ message: 'No prompt provided via stdin.' }],
  },
  {
    // Linux reports these with the code of a full disk, or of too many open files.
    id: 'setup-watchers',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      needs: ['watch', 'inotify', 'max_user_'],
      text: /\bfile watch(?:er)?s?\b.{0,40}\b(?:limit|reached|exhausted)|\blimit\b.{0,30}\bfile watch(?:er)?s?\b|\bmax_user_(?:watches|instances)\b|\b(?:ENOSPC|EMFILE)\b[^\n]{0,120}\bwatch\b|\bwatch (?:ENOSPC|EMFILE)\b|\binotify\w*\b[^\n]{0,80}\b(?:limit|too many open files|no space left|exhausted|ENOSPC|EMFILE)\b/i,
    },
    class: 'tooling',
    reason: 'watchers_exhausted',
    proof: [
      { message: "ENOSPC: System limit for number of file watchers reached, watch '/x'", code: 'ENOSPC' },
      { message: "EMFILE: too many open files, watch '/x'", code: 'EMFILE' },
    ],
  },
  {
    id: 'setup-disk',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bENOSPC\b|\bEDQUOT\b|\bno_space_left\b|no space left|disk (?:is )?full|disk quota exceeded|\bos error (?:28|112|122)\b/i,
    },
    class: 'tooling',
    reason: 'disk_full',
    proof: [{ message: 'ENOSPC: no space left on device, write', code: 'ENOSPC' }],
  },
] as const satisfies readonly Rule[];
