// What is wrong on this side: the binary, a flag, the configuration, the model, the session, the machine.

import type { Rule } from './rule.ts';

const HERE = ['none'] as const;

export const SETUP_RULES = [
  {
    id: 'setup-trust',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bnot (?:running )?(?:in|inside) a trusted (?:directory|folder|workspace)|untrusted (?:workspace|folder)/i,
    },
    class: 'tooling',
    reason: 'untrusted',
  },
  {
    id: 'setup-flag',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bunknown (?:argument|option|flag|subcommand|command)s?\b|\bunexpected argument|\bunrecogni[sz]ed (?:option|argument|subcommand)|\binvalid values?(?: '[^']*' for|:)|\binvalid command format|\brequired arguments? (?:was|were) not provided|\bmissing required (?:argument|option)|\bbad option:|\btry '?[\w -]{0,20}--help/i,
    },
    class: 'tooling',
    reason: 'bad_flag',
  },
  {
    id: 'setup-config',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\berror loading config|\binvalid (?:configuration|config|settings)\b|\bfix the configuration|\berror in \S*settings\.json|\bproviders? requires? an explicit model|requires a (?:local )?model provider|\bmodel provider\b.{0,40}\bnot found|\b(?:toml|yaml) parse error|\bunknown (?:field|configuration|variant)\b/i,
    },
    class: 'tooling',
    reason: 'config',
  },
  {
    id: 'setup-session-busy',
    tool: 'any',
    source: 'any',
    match: { status: HERE, text: /\bactive writer\b|\bsession\b.{0,60}\b(?:is (?:locked|in use)|already in use)/i },
    class: 'tooling',
    reason: 'session_busy',
  },
  {
    id: 'setup-session',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bno rollout found|\berror (?:resuming|starting) session|\binvalid session identifier|\bno previous sessions? found|\bno session, task,? or name matched|\b(?:session|thread|conversation)(?: id)?\b.{0,60}\b(?:not found|already exists|does not exist)/i,
    },
    class: 'tooling',
    reason: 'session_id',
  },
  {
    id: 'setup-prompt',
    tool: 'any',
    source: 'any',
    match: { status: HERE, text: /\bno (?:input|prompt) (?:was )?provided|\bprompt (?:is|was) empty/i },
    class: 'tooling',
    reason: 'no_prompt',
  },
  {
    id: 'setup-disk',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bENOSPC\b|\bEDQUOT\b|\bno_space_left\b|no space left|disk (?:is )?full|disk quota exceeded/i,
    },
    class: 'tooling',
    reason: 'disk_full',
  },
  {
    id: 'setup-memory',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bENOMEM\b|\bout of memory\b|cannot allocate memory|\bheap limit\b|\bbad_alloc\b|\boom-?kill/i,
    },
    class: 'tooling',
    reason: 'out_of_memory',
  },
  {
    id: 'setup-crash',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /segmentation fault|core dumped|illegal instruction|\bbus error\b|\bpanicked at\b|fatal runtime error|agent loop died|\bSIG(?:SEGV|ILL|BUS|ABRT|FPE|SYS)\b/i,
    },
    class: 'tooling',
    reason: 'crashed',
  },
  {
    id: 'setup-certificate',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bCERT_\w+|\w*SELF_SIGNED_CERT\w*|\bUNABLE_TO_(?:VERIFY|GET)_\w+|ERR_TLS_CERT\w*|\bcertificate (?:has expired|verify failed|is not (?:trusted|valid))|\bself[- ]signed certificate|\b(?:unable to|could not) (?:verify|get)\b.{0,40}\b(?:certificate|issuer)|\b(?:invalid|unknown|untrusted)\b.{0,20}\b(?:certificate|\bCA\b|issuer)/i,
    },
    class: 'tooling',
    reason: 'certificate',
  },
  {
    id: 'setup-binary',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bcommand not found\b|\bspawn \S+ ENOENT|\benv: .{0,40}no such file|not recognized as an internal or external command|\bexec format error|cannot execute(?: binary)?|\bENOEXEC\b|^\S*(?:sh|bash|dash|zsh): .{0,80}: not found/i,
    },
    class: 'tooling',
    reason: 'binary_missing',
  },
  {
    id: 'setup-install',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bcannot find (?:module|package)\b|MODULE_NOT_FOUND|error while loading shared libraries|\bGLIBC\w* .{0,10}not found|\bunsupported engine|\brequires node|\bnode(?:\.js)? version\b.{0,40}\b(?:required|or (?:higher|newer)|not supported)|\b(?:cli|client) version\b.{0,30}\b(?:outdated|deprecated|no longer supported)/i,
    },
    class: 'tooling',
    reason: 'broken_install',
  },
  {
    id: 'setup-sandbox',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\bbwrap: |\bfailed to (?:start|create|launch|set up)\b.{0,20}\bsandbox|\bsandbox\b.{0,40}\b(?:was required|not (?:found|available|supported)|failed to start)|FatalSandboxError|cannot connect to the docker daemon/i,
    },
    class: 'tooling',
    reason: 'sandbox',
  },
  {
    id: 'setup-permission',
    tool: 'any',
    source: 'any',
    match: {
      status: HERE,
      text: /\b(?:EACCES|EPERM|EROFS)\b|\bpermission denied\b|\boperation not permitted\b|read-only file system|\baccess is denied\b/i,
    },
    class: 'tooling',
    reason: 'permission',
  },
  {
    id: 'setup-files',
    tool: 'any',
    source: 'any',
    match: { status: HERE, text: /\b(?:EMFILE|ENFILE)\b|too many open files|no file descriptors available/i },
    class: 'tooling',
    reason: 'too_many_files',
  },
] as const satisfies readonly Rule[];
