// Starts a bundle with V8's code cache of it, which is made on the first run: a wrapper starts 10 ms sooner, a task 90 ms.
// build.mjs fills in the names. The cache lies beside the bundle, and counts only where nobody else could write it.
// Node's own (module.enableCompileCache, from 22.1 on) asks for no owner, and took a wrapper 8 to 15 ms more on 22.23 and 24.21.
const fs = require('node:fs');
const { Script } = require('node:vm');

const body = `${__dirname}/BODY`;
// V8 takes a cache of its own version and flags alone; the bundle's own hash tells two of one length apart.
const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').trim();
const mark = flags === '' ? '' : `.${flags.replace(/[^\w-]+/g, '_').slice(0, 80)}`;
const cache = `${__dirname}/.BODY.BUILD.${process.versions.v8}${mark}.cache`;

const cachedData = read();
// build.mjs leaves nothing but ASCII in it.
const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(body, 'latin1')}\n})`;
const script = new Script(source, { filename: body, cachedData });
if (cachedData === undefined || script.cachedDataRejected) saveAtExit();
script.runInThisContext()(exports, require, module, body, __dirname);

/**
 * V8 does not look at the code in it, and a damaged one would end us by a signal. So it stands there twice, and counts
 * where both are the same: a hash of it would need node:crypto, which takes 2 ms to load.
 */
function read() {
  let file;
  try {
    file = fs.openSync(cache, 'r');
    const { mode, uid, size } = fs.fstatSync(file);
    if ((mode & 0o022) !== 0 || !isTrusted(uid)) return undefined;
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
function isTrusted(uid) {
  return uid === (process.getuid?.() ?? uid) || uid === 0 || uid === fs.statSync(body).uid;
}

/** One listener for all bundles of a process. In a folder that we may not write to, every run compiles. */
function saveAtExit() {
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
  globalThis[key].push(save);
}

function save() {
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
