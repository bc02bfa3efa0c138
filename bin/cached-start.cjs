// Starts a bundle with V8's code cache, which the first run makes: a wrapper starts 10 ms sooner, a task 90 ms.

// build/build.mjs fills in the names of the command, of the bundle and of the module in it. The caches are in the user's cache folder.
// A cache counts only if no other user could write to it. If there is no such folder, each run compiles. Nothing is written to
// the package or into a working tree. Node's own cache (module.enableCompileCache, since 22.1) does not check the owner. It took
// a wrapper 8 to 15 ms more on 22.23 and 24.21.
const fs = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

// A cache contains what a run has compiled, so each command has its own cache. V8 accepts only a cache of its own version and
// flags. The hash of a bundle distinguishes it from a bundle of the same length.
const [, , word = ''] = process.argv;
const name = 'NAME'; // A comparison with the literal itself would be computed before build/build.mjs fills the name in.
const command = name === 'tollgate' && /^[a-z]{1,20}$/.test(word) ? `tollgate-${word}` : name;
const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').trim();
const mark = flags === '' ? '' : `.${flags.replace(/[^\w-]+/g, '_').slice(0, 80)}`;

/** Twice the code of a bundle is a few MB. */
const LARGEST = 64 * 1024 * 1024;

// The first starter of a process starts all bundles of its folder: a require for each of them would take half a millisecond.
const ours = Symbol.for(`tollgate start ${__dirname}`);
globalThis[ours] ??= starting();
const start = globalThis[ours];
const file = 'MODULE';
module.exports = start('BUNDLE')[file]();

/**
 * @returns a function that returns the exports of a bundle of this folder, by its name. It evaluates each bundle once, as require
 * does.
 */
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
  // build/build.mjs makes one function of the bundle, in ASCII only, and puts its hash at the end.
  const source = fs.readFileSync(body, 'latin1');
  const folder = cacheFolder();
  const kept = `${path.basename(body, '.body.cjs')}.${command}.${source.slice(-16)}.${process.versions.v8}${mark}.cache`;
  const cache = folder === null ? null : path.join(folder, kept);
  const cachedData = cache === null ? undefined : read(cache);
  const script = new Script(source, { filename: body, cachedData });
  if (cache !== null && (cachedData === undefined || script.cachedDataRejected)) saveAtExit(script, cache);
  const url = `file://${encodeURI(body).replace(/[?#]/g, encodeURIComponent)}`;
  script.runInThisContext()(module.exports, require, module, body, __dirname, url, start);
}

/** @returns the folder of the caches; null if no absolute path leads to one. */
function cacheFolder() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const base = XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : HOME && path.join(HOME, '.cache');
  return base && path.isAbsolute(base) ? path.join(base, 'tollgate', 'code') : null;
}

/**
 * V8 does not check the code in a cache, and a damaged cache would end this process by a signal. So the file contains the code
 * twice, and counts only if both copies are equal. A hash would need node:crypto, which takes 2 ms to load.
 */
function read(cache) {
  let file;
  try {
    if (!isOurs(fs.lstatSync(path.dirname(cache)))) return undefined;
    file = fs.openSync(cache, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(file);
    const { size } = found;
    if (!found.isFile() || !isOurs(found) || size === 0 || size % 2 !== 0 || size > LARGEST) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    if (fs.readSync(file, bytes) !== size) return undefined;
    const data = bytes.subarray(0, size / 2);
    return data.equals(bytes.subarray(size / 2)) ? data : undefined;
  } catch {
    return undefined; // The first run, or an unreadable folder: then the bundle is compiled.
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Whether it belongs to the user, and no other user can write to it. Windows has no owners here. */
function isOurs({ uid, mode }) {
  return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0;
}

/** One listener serves all bundles of a process. */
function saveAtExit(script, cache) {
  const key = Symbol.for('tollgate caches');
  if (globalThis[key] === undefined) {
    globalThis[key] = [];
    process.once('exit', () => {
      for (const each of globalThis[key]) each();
    });
  }
  globalThis[key].push(() => save(script, cache));
}

/** If the folder cannot be made or written to, nothing is saved or reported: the result of the run does not change. */
function save(script, cache) {
  const folder = path.dirname(cache);
  const temporary = `${cache}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  let file;
  try {
    if (isInWorkingTree(realOf(folder))) return;
    makeFolder(folder);
    if (![path.dirname(folder), folder].every((each) => isOurs(fs.lstatSync(each)))) return;
    const data = script.createCachedData();
    // The mode must not depend on the umask, which may let every user write.
    file = fs.openSync(temporary, 'wx', 0o600);
    fs.writeFileSync(file, Buffer.concat([data, data]));
    fs.renameSync(temporary, cache);
    removeOld(folder);
  } catch {
    if (file !== undefined) fs.rmSync(temporary, { force: true });
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Finds the real path of a folder, even if it does not exist yet: a link above it may lead into a checkout. */
function realOf(folder) {
  try {
    return fs.realpathSync(folder);
  } catch (error) {
    if (error.code !== 'ENOENT' || folder === path.dirname(folder)) throw error;
    return path.join(realOf(path.dirname(folder)), path.basename(folder));
  }
}

/** A file there could count as an agent's change. The environment may have moved HOME or XDG_CACHE_HOME into the checkout. */
function isInWorkingTree(folder) {
  if (`${folder}/`.startsWith(`${process.cwd()}/`)) return true;
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, '.git'))) return true;
    if (at === path.dirname(at)) return false;
  }
}

/** Makes the user's cache folder and the folders in it, but not a missing home. */
function makeFolder(folder) {
  const tollgate = path.dirname(folder);
  for (const each of [path.dirname(tollgate), tollgate, folder])
    try {
      fs.mkdirSync(each, 0o700);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
}

/** Removes caches that another version of Tollgate or Node left behind. A cache in use is made again once in these 30 days. */
function removeOld(folder) {
  const before = Date.now() - 30 * 86_400_000;
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    if (fs.lstatSync(file).mtimeMs < before) fs.rmSync(file, { force: true });
  }
}
