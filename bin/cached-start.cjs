// Starts a bundle with V8's code cache of it, which is made on the first run: a wrapper starts 10 ms sooner, a task 90 ms.
// build.mjs fills in the names. The cache lies beside the bundle, so whoever could forge it could change the bundle too.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

const body = `${__dirname}/BODY`;
// V8 compares versions, flags and lengths; the bundle's own hash tells two bundles of one length apart.
const cache = `${__dirname}/.BODY.BUILD.${process.versions.v8}.cache`;

let cachedData;
try {
  cachedData = readFileSync(cache);
} catch {
  // The first run, or a folder that cannot be read: then it is compiled.
}
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(body, 'utf8')}\n})`;
const script = new Script(source, { filename: body, cachedData });
if (cachedData === undefined || script.cachedDataRejected) process.once('exit', save);
script.runInThisContext()(exports, require, module, body, __dirname);

function save() {
  try {
    const temporary = `${cache}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, cache);
  } catch {
    // A folder that we may not write to: every run compiles.
  }
}
