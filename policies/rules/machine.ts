// Defines the rules for problems of the machine or the installation.

import type { RuleRow } from './rule.ts';

const HERE = ['none'] as const;

export const MACHINE_RULES = [
  {
    id: 'machine-memory',
    status: HERE,
    text: /\bENOMEM\b|\bout of memory\b|cannot allocate memory|\bheap limit\b|memory allocation of \d+ bytes failed|\bos error (?:8|12)\b|\bbad_alloc\b|\boom-?kill/i,
    class: 'tooling',
    reason: 'out_of_memory',
    proof: [{ message: 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' }],
  },
  {
    // A server of models on this machine.
    id: 'machine-memory-server',
    status: ['none', '5xx'],
    needs: ['requires more', 'cudamalloc'],
    text: /\brequires more (?:system |gpu |video )?memory\b.{0,40}\bthan is available\b|\bcudaMalloc failed\b/i,
    class: 'tooling',
    reason: 'out_of_memory',
    proof: [{ message: 'model requires more system memory (5.3 GiB) than is available (3.3 GiB)', status: 500 }],
  },
  {
    id: 'machine-crash',
    status: HERE,
    text: /segmentation fault|core dumped|illegal instruction|\bbus error\b|\bpanicked at\b|fatal runtime error|agent loop died|\bSIG(?:SEGV|ILL|BUS|ABRT|FPE|SYS)\b/i,
    class: 'tooling',
    reason: 'crashed',
    proof: [{ message: "thread 'main' panicked at core/src/lib.rs:10:5:" }],
  },
  {
    id: 'machine-certificate',
    status: HERE,
    text: /\bCERT_\w+|\bCERTIFICATE_VERIFY_FAILED\b|SELF_SIGNED_CERT|\bUNABLE_TO_(?:VERIFY|GET)_\w+|ERR_TLS_CERT\w*|\bcertificate (?:has expired|verify failed|is not (?:trusted|valid))|\bself[- ]signed certificate|\baltnames?\b|\b(?:SSL|TLS) certificate\b.{0,30}\b(?:verification|verify|hostname|mismatch|error|problem)|\bno CA certificates found\b|\bwrong version number\b|\berror:[0-9a-f]{8}:(?:STORE|PEM|x509 certificate) routines:|\bunsupported protocol\b|\bno protocols available\b|\b(?:unable to|could not) (?:verify|get)\b.{0,40}\b(?:certificate|issuer)|\b(?:invalid|unknown|untrusted)\b.{0,20}\b(?:certificate|\bCA\b|issuer)/i,
    class: 'tooling',
    reason: 'certificate',
    proof: [{ message: 'self-signed certificate in certificate chain', code: 'SELF_SIGNED_CERT_IN_CHAIN' }],
  },
  {
    id: 'machine-binary',
    status: HERE,
    text: /\bcommand not found\b|\bspawn \S+ ENOENT|\benv: .{0,40}no such file|not recognized as an internal or external command|\bexec format error|\bunknown system error -8\b|\bCommandNotFoundException\b|\brequires (?:git[- ]bash|git for windows|powershell|pwsh)\b|\bnot (?:found )?(?:on|in) (?:your |the |\$)?PATH\b(?! ?['"/~\w])|cannot execute(?: binary)?|\bENOEXEC\b|\bno version is set for (?:command|shim)\b|\brosetta error\b|\bcould not (?:find|start dynamically linked) executable\b|^\S*(?:sh|bash|dash|zsh): .{0,80}: not found/i,
    class: 'tooling',
    reason: 'binary_missing',
    proof: [{ message: 'bash: codex: command not found' }, { message: 'Claude Code on Windows requires git-bash' }],
  },
  {
    id: 'machine-install',
    // A service refuses a version that is too old; npm reports a package that its registry lacks.
    status: ['none', 400, 404, 426],
    text: /\bcannot find (?:module|package|native binding)\b|\b(?:native|platform|prebuilt)(?:-specific)? (?:binary|executable|package)\b.{0,40}\b(?:not (?:installed|found|available|downloaded)|missing|unavailable)|\bpostinstall(?: script)? (?:did not|didn.t|failed|was (?:not|never|skipped))|\boptional dependency\b.{0,80}\b(?:not (?:downloaded|installed|found)|missing|unsupported)|\bmissing optional dependency\b|\binstalled (?:\S+ ){0,3}for another (?:platform|architecture)\b|\b(?:unable to|could not|cannot|failed to) find (?:the |a )?\S{1,80} package\b|\brequires a newer version\b|\bnewer version\b[^\n]{0,60}\bis required\b|\b(?:symbol not found|undefined symbol|syntax error near unexpected token)\b|\bnpm (?:err!|error) (?:code E(?:404|TARGET|INTEGRITY|NOVERSIONS)|404)\b|\bno (?:platform|native|prebuilt) (?:package|binary|binding)\b|MODULE_NOT_FOUND|\bERR_UNKNOWN_BUILTIN_MODULE\b|\brequire\(\) of ES Module\b|\bno such built-?in module\b|\b(?:File|WebSocket|CustomEvent|navigator) is not defined\b|\bmarkAsUncloneable is not a function\b|\b(?:Array\.fromAsync|Error\.isError|(?:Map|Object)\.groupBy|Promise\.(?:try|withResolvers)|RegExp\.escape|URL\.(?:canParse|parse)|Iterator\.\w{1,40}) is not a function\b|error while loading shared libraries|\bGLIBC\w* .{0,10}not found|\bunsupported engine|\brequires node|\bnode(?:\.js)? version\b.{0,40}\b(?:required|or (?:higher|newer)|not supported)|\b(?:cli|client) version\b.{0,30}\b(?:outdated|deprecated|no longer supported)/i,
    class: 'tooling',
    reason: 'broken_install',
    proof: [
      { message: "Cannot find module '@google/gemini-cli-core'" },
      { message: "The 'm' model requires a newer version of Codex.", status: 400 },
      { message: '/usr/bin/x: line 1: syntax error near unexpected token `newline' },
    ],
  },
  {
    id: 'machine-sandbox',
    status: HERE,
    text: /\bbwrap: |\bsandbox (?:image|container|command)\b.{0,200}\b(?:missing|not found|could not|failed)|\bmissing sandbox command|\bfailed to (?:start|create|launch|set up)\b.{0,20}\bsandbox|\bsandbox\b.{0,40}\b(?:was required|not (?:found|available|supported)|failed to start)|FatalSandboxError|cannot connect to the docker daemon/i,
    class: 'tooling',
    reason: 'sandbox',
    proof: [{ message: 'bwrap: setting up uid map: Permission denied' }],
  },
  {
    id: 'machine-permission',
    status: HERE,
    text: /\b(?:EACCES|EPERM|EROFS)\b|\bpermission denied\b|\boperation not permitted\b|read-only file system|\baccess is denied\b|\bos error (?:1|5|13|30)\b|running scripts is disabled|\bPSSecurityException\b/i,
    class: 'tooling',
    reason: 'permission',
    proof: [{ message: "EACCES: permission denied, mkdir '/home/user/.gemini'", code: 'EACCES' }],
  },
  {
    id: 'machine-missing-file',
    status: HERE,
    text: /\bENOENT\b|\bno such file or directory\b|\b(?:current|working|home) directory (?:no longer exists|(?:was|has been|is) (?:deleted|removed|gone)|(?:was )?not found|does not exist)\b|\b(?:could not|cannot|unable to|failed to) find (?:the |a |your )?home directory\b|\bos error [23]\b/i,
    class: 'tooling',
    reason: 'missing_file',
    proof: [{ message: 'No such file or directory (os error 2)' }],
  },
  {
    id: 'machine-files',
    status: HERE,
    text: /\b(?:EMFILE|ENFILE)\b|too many open files|\bfork\b.{0,80}\bresource temporarily unavailable|no file descriptors available|\bos error (?:11|24)\b|\bcan't spawn\b/i,
    class: 'tooling',
    reason: 'too_many_files',
    proof: [{ message: 'EMFILE: too many open files, open', code: 'EMFILE' }],
  },
  {
    id: 'machine-database',
    status: HERE,
    text: /\bdatabase (?:is locked|disk image is malformed|schema has changed)|\berror returned from database\b|\bunable to open (?:the )?database\b|\bSQLITE_[A-Z]+|\bSQLite (?:metadata|state|database|file)\b|\bmigration \d{1,6} was previously applied\b/i,
    class: 'tooling',
    reason: 'state_database',
    proof: [{ message: 'error returned from database: (code: 5) database is locked' }],
  },
  {
    id: 'machine-file-system',
    status: HERE,
    text: /\bE(?:BUSY|NOTEMPTY|EXIST|NOTDIR|ISDIR|IO|LOOP|XDEV|NAMETOOLONG|TXTBSY|NXIO|NODEV|STALE)\b|\bos error (?:16|17|18|20|21|26|36|39|40|116)\b|\b(?:input\/output error|stale file handle|too many levels of symbolic links|text file busy|(?:device or )?resource busy|file name too long|not a directory|is a directory|directory not empty)\b/i,
    class: 'tooling',
    reason: 'file_system',
    proof: [{ message: 'EBUSY: resource busy or locked, rename' }],
  },
] as const satisfies readonly RuleRow[];
