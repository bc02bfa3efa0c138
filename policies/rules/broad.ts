// Defines broad rules, in unforeseen wordings: things, and nearby statements about them.

import { near, type RuleRow } from './rule.ts';

const UNSAID = ['none'] as const;

export const BROAD_RULES = [
  // Spent budgets, prompts that are too large, and refused content.
  {
    id: 'broad-budget',
    status: UNSAID,
    text: near(
      'quotas?|budgets?|allowance|credits?|prepa(?:id|yment)s?|billing|payments?|invoices?|balance|spend(?:ing)?|free (?:tier|plan)|premium (?:requests?|interactions?)|usage limits?|plan limits?',
      'reached|exceed(?:s|ed)?|exhausted|depleted|used up|used all|runs? out|ran out|out of|no (?:more|remaining)|insufficient|consumed|spent|overdue|past due|declined|unpaid|failed|inactive|not active|check|top up|add more|0 left|none left|too low|zero',
    ),
    class: 'quota',
    reason: 'plan',
    proof: [{ message: 'The balance of this workspace is too low' }],
  },
  {
    id: 'broad-size',
    status: UNSAID,
    text: near(
      'context|prompt|inputs?|tokens|history|conversation|payload|messages|attachments?',
      'too (?:long|large|big|many|much)|exceed(?:s|ed|ing)?|overflow(?:s|ed)?|(?:larger|longer|more|bigger) than|no longer fits?|(?:does not|doesn.t|cannot|won.t) fit|over the|limit is|above the',
    ),
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      { message: "messages resulted in 150000 tokens, model's limit is 128000" },
      { message: 'Failed to compact the conversation: it no longer fits' },
    ],
  },
  {
    id: 'broad-content',
    status: UNSAID,
    text: near(
      'content|prompt|request|response|output|message',
      'flagged|filtered|moderat(?:ed|ion)|harmful|unsafe|inappropriate|prohibited|violat(?:es|ed|ing|ion)|sensitive|safety',
    ),
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [{ message: 'The response was withheld by moderation' }],
  },
  // This machine, its installation and its settings.
  {
    id: 'broad-session',
    status: UNSAID,
    text: near(
      'sessions?|threads?|conversations?|rollouts?|transcripts?|checkpoints?',
      'not found|corrupt(?:ed)?|unknown|no such|no longer exists?|(?:could not|cannot|unable to|failed to) (?:be )?(?:load|loaded|resume|resumed|parse|parsed|read|find|found|open|opened)|locked|in use',
    ),
    class: 'tooling',
    reason: 'session_id',
    proof: [{ message: 'Could not load the transcript of yesterday' }],
  },
  {
    id: 'broad-certificate',
    status: UNSAID,
    text: near(
      'certificates?|certs?|x509|altnames|TLS|SSL(?: routines)?|root CA|CA (?:bundle|file)|OpenSSL',
      'invalid|expired|mismatch|does not match|not (?:trusted|valid|match)|verif(?:y|ication)|unknown|self[- ]signed|wrong version number|untrusted|bad|alert|issuer',
    ),
    class: 'tooling',
    reason: 'certificate',
    proof: [{ message: 'the CA bundle is invalid' }],
  },
  {
    id: 'broad-sandbox',
    status: UNSAID,
    text: near(
      'sandbox(?:ing|-exec|ed)?|seccomp|landlock|bubblewrap|bwrap|(?:user )?namespaces?|containers?|docker|podman|seatbelt|apparmor',
      'fail(?:ed|ure|s)?|not (?:supported|found|permitted|available|running|installed|enabled)|denied|cannot|unable|missing|unavailable|error',
    ),
    class: 'tooling',
    reason: 'sandbox',
    proof: [{ message: 'landlock is not supported by this kernel' }],
  },
  {
    id: 'broad-install',
    status: UNSAID,
    text: near(
      'GLIBC(?:XX)?(?:_[\\d.]+)?|musl|libc|shared (?:library|libraries|object)|\\.so(?:\\.\\d+)?|dylib|node(?:\\.js)?(?: version)?|runtime|native (?:module|binding|binary)|optional dependency|architecture|ELF',
      'not found|missing|unsupported|not supported|incompatible|mismatch|requires?|required|too old|wrong|cannot (?:open|load)|failed to load|invalid|update|upgrade',
    ),
    class: 'tooling',
    reason: 'broken_install',
    proof: [
      { message: "libc.so.6: version `GLIBC_2.34' not found" },
      { message: 'Please update your Node.js to run this' },
    ],
  },
  {
    id: 'broad-old-runtime',
    code: ['SyntaxError'],
    class: 'tooling',
    reason: 'broken_install',
    proof: [{ message: "Unexpected token '?'", type: 'SyntaxError' }],
  },
  {
    id: 'broad-processes',
    status: UNSAID,
    text: near('processes|file descriptors|fork', 'limit|too many|exhausted|resource temporarily unavailable'),
    class: 'tooling',
    reason: 'too_many_files',
    proof: [{ message: 'The limit of processes is exhausted' }],
  },
  {
    id: 'broad-flag',
    status: UNSAID,
    text: near(
      'arguments?|options?|flags?|subcommands?|a value|values?|--[a-z][\\w-]*',
      'cannot (?:be used|use)|requires?|missing|too many|(?:is |are )?required|unknown|invalid|unexpected|none was supplied|not supplied|must be|not recogni[sz]ed|ambiguous|conflicts? with|mutually exclusive|not allowed|deprecated',
    ),
    class: 'tooling',
    reason: 'bad_flag',
    proof: [{ message: "the argument '--json' cannot be used with '--foo'" }],
  },
  {
    id: 'broad-config',
    status: UNSAID,
    text: near(
      'API version|config(?:uration)?|settings(?:\\.json)?|[^\\s"]{1,60}\\.(?:toml|ya?ml|jsonc?)|environment variables?|profile|(?:prompt |rules )?files?|extensions?|plugins?|skills?|hooks?|\\.env',
      'invalid|pars(?:e|ing)|syntax|expected|unexpected|unknown|missing|must be|could not|failed|malformed|duplicate|unsupported|not supported|not found|not set|unresolved',
    ),
    class: 'tooling',
    reason: 'config',
    proof: [{ message: "Expected property name or '}' in JSON at position 12 of /home/u/.gemini/settings.json" }],
  },
  {
    id: 'broad-package-manager',
    status: UNSAID,
    text: /\bnpm (?:err!|error)\b|\b(?:yarn|pnpm|bun|brew|nix|apt)(?:-get)?: error\b|\bERR_PNPM_\w+|\bunfree licen[cs]e\b|\bpackage manager\b/i,
    class: 'tooling',
    reason: 'broken_install',
    proof: [{ message: 'npm error code EUSAGE' }],
  },
  {
    id: 'broad-invalid-url',
    code: ['ERR_INVALID_URL', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE'],
    class: 'tooling',
    reason: 'config',
    proof: [{ message: 'Invalid URL', code: 'ERR_INVALID_URL' }],
  },
  {
    id: 'broad-bug',
    status: UNSAID,
    text: /\bis not (?:a (?:function|constructor)|an object)\b|\bcannot read propert|\bis not (?:defined|iterable)\b|\bmaximum call stack\b|\bassertion failed\b|\bunreachable code\b/i,
    class: 'tooling',
    reason: 'crashed',
    proof: [{ message: 'HttpsProxyAgent is not a constructor' }],
  },
  // Credentials, permissions and what they give access to.
  {
    id: 'broad-credential',
    status: UNSAID,
    text: near(
      '(?:api|access|secret|license)[ _-]?keys?|(?:(?:access|refresh|auth|oauth|bearer|id|github|session|personal access|security) )?token(?! (?:count|limit|budget|usage|\'|"|<))|credentials?|password|log(?:ged)? ?in|sign(?:ed)?[- ]?(?:in|on)|authenticat(?:e|ed|ion)|authori[sz]ation|oauth|keychain|keyring',
      "missing|required|requires?|invalid|incorrect|expired?|revoked|denied|rejected|malformed|not (?:valid|found|set|provided|configured|recogni[sz]ed|have)|no|(?:could|can) ?not|couldn.t|can't|didn.t provide|fail(?:ed|ure|s)?|unable|must|bad|wrong|leaked|disabled|already used|does not|first|again|please|error",
    ),
    class: 'auth',
    reason: 'bad_credentials',
    proof: [{ message: "You didn't provide an API key" }],
  },
  {
    id: 'broad-permission',
    status: UNSAID,
    text: near(
      'permissions?|admin(?:istrator)?(?: rights)?|scopes?|roles?|privileges?|licen[cs]es?|seats?|subscriptions?|organi[sz]ations?|enterprise|accounts?|polic(?:y|ies)|SAML|SSO|member|entitlements?|access|API(?! Error)',
      'denied|not (?:assigned|have|allowed|enabled|granted|available|eligible|authori[sz]ed|permitted|(?:yet )?been (?:used|assigned|granted|enabled)|included|a member)|does(?:n.t| not)|lacks?|missing|required|requires?|must (?:be|have|grant)|disabled|expired|inactive|restrict(?:s|ed|ion)|verified|suspended|blocked|forbidden|enforcement|ineligible|prohibits?|eligible|permission',
    ),
    class: 'auth',
    reason: 'not_authorised',
    proof: [
      { message: 'Your Copilot subscription has expired or is inactive' },
      { message: 'The caller does not have permission' },
    ],
  },
  {
    id: 'broad-model',
    status: UNSAID,
    text: near(
      'models?',
      'not (?:found|exist|available|supported|enabled|accessible|recogni[sz]ed|valid)|unknown|invalid|no (?:such|access)|deprecated|retired|unsupported|does not|doesn.t|removed|decommissioned',
    ),
    class: 'tooling',
    reason: 'model_not_found',
    proof: [{ message: 'Invalid choice of model' }],
  },
  {
    // codex writes a refused request (HTTP 400) as the service's own text, without the status. The same request fails again.
    id: 'broad-refused',
    status: UNSAID,
    code: [
      'invalid_request_error',
      'unknown_parameter',
      'unsupported_parameter',
      'unsupported_value',
      'missing_required_parameter',
      'invalid_value',
      'invalid_type',
      'array_above_max_length',
    ],
    class: 'tooling',
    reason: 'bad_request',
    proof: [
      { message: "Invalid 'tools': array too long.", code: 'array_above_max_length', type: 'invalid_request_error' },
      { message: "Unknown parameter: 'reasoning.foo'.", code: 'unknown_parameter' },
    ],
  },
  {
    // The same from a service whose text has no code, if nothing is said beside it.
    id: 'broad-refused-detail',
    tool: 'codex',
    status: UNSAID,
    text: /^(?:\{\s*"detail":\s*\[|(?=([^\n"\\]{1,40}))[\s\S]*\n\{\s*"detail":\s*"\1)/,
    class: 'tooling',
    reason: 'bad_request',
    proof: [{ message: 'Instructions are not valid', details: '{"detail":"Instructions are not valid"}' }],
  },
  // The connection and the service behind it.
  {
    id: 'broad-gave-up',
    status: UNSAID,
    text: /\bretried \d+ times|\bafter \d+ (?:attempts|retries|tries)|\bmax(?:imum)?(?: number of)? (?:retries|attempts)|\bretry (?:limit|budget)|\bgiving up\b|\bgave up\b/i,
    class: 'transient',
    reason: 'inner_retry',
    proof: [{ message: 'Failed to get response from the AI model; retried 5 times' }],
  },
  {
    id: 'broad-network',
    status: UNSAID,
    text: near(
      'networks?|connections?|sockets?|DNS|proxy|streams?|internet|websockets?|http[/ ]?2|requests?|fetch',
      'failed|fail(?:s|ure)|refused|reset|closed|lost|unreachable|disconnected|interrupted|aborted|time(?:d)?[ -]?out|terminated|dropped|hung up|unresponsive|no response|offline|errors?|goaway|before|ended',
    ),
    class: 'transient',
    reason: 'network',
    proof: [{ message: 'Client network socket disconnected before secure TLS connection was established' }],
  },
  {
    id: 'broad-service',
    status: UNSAID,
    text: near(
      'servers?|services?|models?|backends?|upstream|providers?|endpoint|engine',
      '(?<!API )errors?|overload(?:ed)?|busy|unavailable|capacity|internal|down|maintenance|degraded|outage|try(?: \\w+)? again|later|shortly|not respond(?:ing)?|unhealthy|trouble|problems|difficult(?:y|ies)',
    ),
    class: 'transient',
    reason: 'server_error',
    proof: [{ message: 'The backend is down for maintenance' }],
  },
] as const satisfies readonly RuleRow[];
