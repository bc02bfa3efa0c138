// What a run of one stage must do on disk whoever makes it, by Node's builtins alone: the floor that `npm run bench` measures a run and a batch of ours beside.
// It does all that is promised to be there: a journal, its folders and each line of it synced; the prompt as it was composed; a
// place in the line for the tree and for the session; what judges the stage kept aside, and compared after it; the call by a guardian of its own
// (`node-wrapper.cjs`), which outlives this process; the session, the gate's record, the marker of the stage, the summary, the counts. A stage that
// is done is not run again. It leaves out all that is no writing: schemas, templates, git, the tree before and after, retries, what others left.
// node-run.cjs LANES TASK…: each TASK is a folder with a manifest.json of one stage; says what became of each, and of one alone its summary.

'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { append, factsOf, makeFolder, replace, standIn, syncFolder } = require('./promised.cjs');

const [lanes, ...tasks] = process.argv.slice(2);
const isOne = tasks.length === 1;
const guardianOf = path.join(__dirname, 'node-wrapper.cjs');
const judges = path.join(process.env.XDG_STATE_HOME, 'peer/judges');
const project = path.resolve('.tmp/state');

// Node's own end would take longer.
Promise.all(Array.from({ length: Number(lanes) }, lane)).then(() => process.exit());

async function lane() {
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await run(path.resolve(task));
}

async function run(task) {
  const text = fs.readFileSync(path.join(task, 'manifest.json'), 'utf8');
  const manifest = JSON.parse(text);
  const journal = path.join(task, 'state/journal.jsonl');
  const facts = factsOf(journal);
  const tell = (fact) => append(journal, fact, { isSynced: true });
  if (facts.length === 0) {
    makeFolder(path.join(task, 'state'));
    fs.closeSync(fs.openSync(journal, 'a', 0o600));
    for (const folder of [path.dirname(journal), task]) syncFolder(folder);
    tell({ fact: 'budget', calls: 10, from: 'manifest' });
  }
  tell({ fact: 'claimed', owner: process.pid });
  if (!facts.some(({ fact }) => fact === 'done')) await stage(task, { text, manifest, tell });
  const summary = `# Task ${manifest.task_id}: done\n\nGoal: ${manifest.goal}\n\n| stage | state |\n|---|---|\n| only | done |\n`;
  replace(path.join(task, 'outputs/_summary.md'), summary);
  tell({ fact: 'released', exit_code: 0, state: 'done' });
  replace(path.join(task, 'state/stats.json'), JSON.stringify({ paid_calls_used: 1, lines: factsOf(journal).length }));
  process[isOne ? 'stdout' : 'stderr'].write(isOne ? summary : `${manifest.task_id}: done\n`);
}

async function stage(task, { text, manifest, tell }) {
  const { createHash, randomUUID } = require('node:crypto');
  const id = randomUUID();
  for (const folder of ['inputs/prompt', 'outputs', 'done']) makeFolder(path.join(task, folder));
  for (const folder of ['trees', 'sessions']) makeFolder(path.join(project, folder));
  const tool = manifest.stages[0].tool;
  const composed = `# Rules\n\n- ${'Do what your part asks for. '.repeat(90)}\n\n# Goal\n\n${manifest.goal}\n`;
  const prompt = path.join(task, 'inputs/prompt/only.md');
  replace(prompt, composed);
  const leaveTree = standIn(path.join(project, 'trees/here.jsonl'));
  const leaveSession = standIn(path.join(project, 'sessions', `${manifest.task_id}.jsonl`));
  const kept = path.join(judges, id);
  makeFolder(kept);
  fs.writeFileSync(path.join(kept, 'pack'), text, { mode: 0o600 });
  fs.writeFileSync(
    path.join(kept, 'kept.json'),
    JSON.stringify({ manifest: text, prompt: createHash('sha256').update(composed).digest('hex') }),
    { mode: 0o600 },
  );
  replace(path.join(kept, 'call.json'), JSON.stringify({ task, id }));

  const name = path.join(task, 'outputs', `only.${tool}`);
  const files = [prompt, `${name}.out`, `${name}.err`, `${name}.call.json`];
  const env = { ...process.env, PEER_BEFORE: `[Feature: ${manifest.task_id}]\n\n` };
  const argv = [guardianOf, tool, ...files, task, id];
  const guardian = spawn(process.execPath, argv, { detached: true, stdio: 'ignore', env });
  const code = await new Promise((resolve) => guardian.on('exit', resolve));
  if (code !== 0) throw new Error(`the guardian of ${manifest.task_id} exited ${code}`);

  if (fs.readFileSync(path.join(task, 'manifest.json'), 'utf8') !== text) throw new Error('the manifest was changed');
  for (const file of ['call.json', 'kept.json', 'pack']) fs.unlinkSync(path.join(kept, file));
  fs.rmdirSync(kept);
  const record = JSON.parse(fs.readFileSync(`${name}.call.json`, 'utf8'));
  tell({ fact: 'session', tag: manifest.task_id, tool });
  standIn(path.join(project, 'sessions/file.jsonl'), () => keepSession(manifest.task_id, tool));
  const passed = fs.readFileSync(`${name}.out`, 'utf8').trim() !== '';
  replace(path.join(task, 'outputs/only.gate.json'), JSON.stringify({ call_id: id, passed }));
  tell({ fact: 'gate', call_id: id, passed });
  fs.unlinkSync(path.join(task, 'state/attempts', id, 'answer'));
  leaveSession();
  const sha256 = createHash('sha256').update(composed).digest('hex');
  tell({ fact: 'done', call_id: record.id, prompt_sha256: sha256 });
  replace(path.join(task, 'done/only.done'), JSON.stringify({ call_id: id, prompt_sha256: sha256 }));
  leaveTree();
}

/** All sessions of a project stand in one file. */
function keepSession(tag, tool) {
  const file = path.join(project, 'sessions.json');
  const sessions = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  replace(file, JSON.stringify({ ...sessions, [tag]: { tool, at: Date.now() } }, null, 2));
}
