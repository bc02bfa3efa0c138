// Starts a bundle with V8's code cache of it, which is made on the first run: a wrapper starts 10 ms sooner, a task 90 ms.
// build.mjs fills in the name. The cache lies beside the bundle, and counts only where nobody else could write it.
// Node's own (module.enableCompileCache, from 22.1 on) asks for no owner, and took a wrapper 8 to 15 ms more on 22.23 and 24.21.
const fs = require('node:fs');
const { Script } = require('node:vm');

// V8 takes a cache of its own version and flags alone; the bundle's own hash tells two of one length apart.
const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').trim();
const mark = flags === '' ? '' : `.${flags.replace(/[^\w-]+/g, '_').slice(0, 80)}`;

// The first starter of a process starts all bundles of its folder: to go to each by require would cost half a millisecond.
const ours = Symbol.for(`tollgate start ${__dirname}`);
globalThis[ours] ??= starting();
const start = globalThis[ours];
module.exports = start('NAME');

/** @returns what gives the exports of a bundle of this folder, by its name; each is evaluated once, as by require. */
function starting() {
  const started = {};
  return (name) => {
    if (started[name] !== undefined) return started[name].exports;
    const module = { exports: {} };
    started[name] = module;
    try {
      evaluate(`${__dirname}/${name}.body.cjs`, module);
    } catch (error) {
      delete started[name];
      throw error;
    }
    return module.exports;
  };
}

function evaluate(body, module) {
  // build.mjs makes one function of it, of nothing but ASCII, and puts its hash at the end.
  const source = fs.readFileSync(body, 'latin1');
  const cache = `${__dirname}/.${body.slice(__dirname.length + 1)}.${source.slice(-16)}.${process.versions.v8}${mark}.cache`;
  const cachedData = read(cache, body);
  const script = new Script(source, { filename: body, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) saveAtExit(script, cache);
  script.runInThisContext()(module.exports, require, module, body, __dirname, start);
}

/**
 * V8 does not look at the code in it, and a damaged one would end us by a signal. So it stands there twice, and counts
 * where both are the same: a hash of it would need node:crypto, which takes 2 ms to load.
 */
function read(cache, body) {
  let file;
  try {
    file = fs.openSync(cache, 'r');
    const { mode, uid, size } = fs.fstatSync(file);
    if ((mode & 0o022) !== 0 || !isTrusted(uid, body)) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    if (size === 0 || size % 2 !== 0 || fs.readSync(file, bytes) !== size) return undefined;
    const data = bytes.subarray(0, size / 2);
    return data.equals(bytes.subarray(size / 2)) ? data : undefined;
  } catch {
    return undefined; // The first run, or a folder that cannot be read: then it is compiled.
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Ours, root's, or that of whoever owns the bundle, and could change that. Windows has no owners here. */
function isTrusted(uid, body) {
  return uid === (process.getuid?.() ?? uid) || uid === 0 || uid === fs.statSync(body).uid;
}

/** One listener for all bundles of a process. In a folder that we may not write to, every run compiles. */
function saveAtExit(script, cache) {
  try {
    fs.accessSync(__dirname, fs.constants.W_OK);
  } catch {
    return;
  }
  const key = Symbol.for('tollgate caches');
  if (globalThis[key] === undefined) {
    globalThis[key] = [];
    process.once('exit', () => {
      for (const each of globalThis[key]) each();
    });
  }
  globalThis[key].push(() => save(script, cache));
}

function save(script, cache) {
  const temporary = `${cache}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  let file;
  try {
    const data = script.createCachedData();
    // Not by the umask, which may let everybody write.
    file = fs.openSync(temporary, 'wx', 0o644);
    fs.writeFileSync(file, Buffer.concat([data, data]));
    fs.renameSync(temporary, cache);
  } catch {
    if (file !== undefined) fs.rmSync(temporary, { force: true });
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}
