// Preloaded into a command (`--require`): records in order what it loads, opens, reads, writes, syncs and starts.

// Only the outermost call counts: the calls that Node makes within readFileSync, for example, are one read of one file.

const childProcess = require('node:child_process');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const folder = process.env.COUNT_INTO;
if (folder !== undefined && /[\\/](?:dist|bench[\\/]peers)[\\/]/.test(process.argv[1] ?? '')) count(folder);

function count(into) {
  const { writeFileSync } = fs;
  const events = [];
  const names = new Map();
  let within = 0;

  const note = (what, file, bytes, holds) => events.push({ what, file, bytes, holds, ms: performance.now() });
  const sought = process.env.COUNT_TEXT;
  /** How often the written data contain the sought text. */
  const holdsOf = (data) =>
    sought === undefined ? undefined : Buffer.from(data).toString('latin1').split(sought).length - 1;
  const nameOf = (target) => (typeof target === 'number' ? (names.get(target) ?? `${target}`) : `${target}`);

  /** Wraps a function: `told` receives its arguments and its result. */
  const around = (owner, name, told) => {
    const original = owner[name];
    if (typeof original !== 'function') return;
    owner[name] = function counted(...given) {
      const isOutermost = within === 0;
      within += 1;
      try {
        const result = Reflect.apply(original, this, given);
        if (isOutermost) told(given, result);
        return result;
      } finally {
        within -= 1;
      }
    };
    Object.setPrototypeOf(owner[name], original);
    Object.defineProperty(owner[name], 'name', { value: name });
  };

  const lengthOf = (data) => (typeof data === 'string' ? Buffer.byteLength(data) : (data?.byteLength ?? 0));
  const seen = {
    openSync: ([file], fd) => {
      names.set(fd, `${file}`);
      note('open', `${file}`);
    },
    readSync: ([fd], bytes) => note('read', nameOf(fd), bytes),
    writeSync: ([fd, data], bytes) => note('write', nameOf(fd), bytes ?? lengthOf(data), holdsOf(data)),
    readFileSync: ([file], data) => {
      if (typeof file !== 'number') note('open', nameOf(file));
      note('read', nameOf(file), lengthOf(data));
    },
    writeFileSync: ([file, data]) => {
      if (typeof file !== 'number') note('open', nameOf(file));
      note('write', nameOf(file), lengthOf(data), holdsOf(data));
    },
    fsyncSync: ([fd]) => note('sync', nameOf(fd)),
    fdatasyncSync: ([fd]) => note('sync', nameOf(fd)),
  };
  seen.appendFileSync = seen.writeFileSync;
  for (const name of ['fsync', 'fdatasync']) seen[name] = ([fd]) => note('background sync', nameOf(fd));
  for (const [name, told] of Object.entries(seen)) around(fs, name, told);
  for (const [names, what] of [
    [['statSync', 'lstatSync', 'fstatSync', 'existsSync', 'accessSync', 'realpathSync', 'readlinkSync'], 'look'],
    [['readdirSync', 'opendirSync'], 'list'],
    [
      ['mkdirSync', 'mkdtempSync', 'renameSync', 'unlinkSync', 'rmSync', 'rmdirSync', 'linkSync', 'chmodSync'],
      'change',
    ],
  ])
    for (const name of names) around(fs, name, ([target]) => note(what, nameOf(target)));
  // The same for promises: an open file is an object, whose own calls are counted.
  for (const [name, what] of [
    ['readFile', 'read'],
    ['writeFile', 'write'],
    ['appendFile', 'write'],
  ])
    around(fs.promises, name, ([file, data]) =>
      note(what, nameOf(file), ...(what === 'write' ? [lengthOf(data), holdsOf(data)] : [])),
    );
  around(fs.promises, 'open', ([file], opening) => {
    note('open', nameOf(file));
    opening.then(
      (handle) => {
        for (const name of ['sync', 'datasync']) around(handle, name, () => note('sync', nameOf(file)));
        for (const name of ['write', 'writeFile', 'appendFile'])
          around(handle, name, ([data]) => note('write', nameOf(file), lengthOf(data), holdsOf(data)));
        for (const name of ['read', 'readFile']) around(handle, name, () => note('read', nameOf(file)));
      },
      () => {},
    );
  });

  around(childProcess.ChildProcess.prototype, 'spawn', ([{ file }]) => note('spawn', file));
  around(childProcess, 'spawnSync', ([file]) => note('spawn', file));

  // Parts of Node that are loaded on request; most are not loaded before, and take Node up to 2 ms.
  const { _load } = Module;
  Module._load = function counted(request, ...rest) {
    if (Module.isBuiltin(request)) note('builtin', request.replace(/^node:/, ''));
    return Reflect.apply(_load, this, [request, ...rest]);
  };
  around(process, 'getBuiltinModule', ([request]) => note('builtin', request.replace(/^node:/, '')));

  // What is evaluated: a module that Node compiles, or a script of tollgate's starter.
  const { _compile } = Module.prototype;
  Module.prototype._compile = function counted(content, file, ...rest) {
    note('evaluate', file, lengthOf(content));
    return Reflect.apply(_compile, this, [content, file, ...rest]);
  };
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      note('evaluate', options?.filename ?? 'a script', lengthOf(code));
      super(code, options);
    }
  };

  // Recorded before Node finishes its background compilation and garbage collection.
  process.once('beforeExit', () => note('drain', 'the event loop'));
  process.once('exit', () => {
    const told = { script: path.basename(process.argv[1]), pid: process.pid, events };
    writeFileSync(path.join(into, `${process.pid}.json`), JSON.stringify(told));
  });
}
