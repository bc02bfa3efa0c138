// The ways in which `node-wrapper.cjs` and `node-run.cjs` write: whole files by a rename, lines that are synced, folders of their own.

'use strict';

const fs = require('node:fs');

/** Half a file is never seen. `into` gets the same bytes by a second name. */
function replace(file, text, { isSynced = false, into = null } = {}) {
  const part = `${file}.${process.pid}.part`;
  const fd = fs.openSync(part, 'wx', 0o600);
  fs.writeSync(fd, text);
  if (isSynced) fs.fsyncSync(fd);
  fs.closeSync(fd);
  if (into !== null) {
    fs.linkSync(part, `${into}.part`);
    fs.renameSync(`${into}.part`, into);
  }
  fs.renameSync(part, file);
}

/** A line, synced where `isSynced`. */
function append(file, fact, { isSynced }) {
  const fd = fs.openSync(file, 'a', 0o600);
  fs.writeSync(fd, `${JSON.stringify({ v: 1, at: new Date().toISOString(), ...fact })}\n`);
  if (isSynced) fs.fdatasyncSync(fd);
  fs.closeSync(fd);
}

/** The facts of a journal that is there, or none. */
function factsOf(file) {
  try {
    return fs.readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
  } catch {
    return [];
  }
}

function syncFolder(folder) {
  const fd = fs.openSync(folder, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

const makeFolder = (folder) => fs.mkdirSync(folder, { recursive: true, mode: 0o700 });

/** How much of each queue was read. */
const read = new Map();

/** A place in a queue, which other processes would see: one line to come, what others have written since, one line to leave. */
function standIn(queue, act) {
  const id = `${process.pid}-${Math.random()}`;
  append(queue, { ticket: { id, owner: process.pid } }, { isSynced: false });
  const text = readFrom(queue, read.get(queue) ?? 0);
  read.set(queue, (read.get(queue) ?? 0) + text.length);
  text.trimEnd().split('\n').map(JSON.parse);
  const leave = () => append(queue, { left: id }, { isSynced: false });
  if (act === undefined) return leave;
  act();
  return leave();
}

function readFrom(file, offset) {
  const fd = fs.openSync(file, 'r');
  const bytes = Buffer.alloc(fs.fstatSync(fd).size - offset);
  fs.readSync(fd, bytes, 0, bytes.length, offset);
  fs.closeSync(fd);
  return bytes.toString();
}

module.exports = { append, factsOf, makeFolder, replace, standIn, syncFolder };
