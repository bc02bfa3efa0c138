// Fetches a commit into the worker's mirror of a remote, and checks it out into a repository of the task's own.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isCommit } from '../../loops/tree/repository.ts';
import { complaintOf, type GitRan, gitWith } from '../../loops/tree/run-git.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { isFolder } from '../../state/disk/regular-file.ts';
import { hashOf } from './bundle.ts';
import { type Origin, remoteMistake } from './origin.ts';
import { hideUrls, TravelRefusal } from './refusal.ts';

export interface CheckoutPlace {
  /** The worker's own folder; it keeps one mirror for each remote. */
  workFolder: string;
  environment: NodeJS.ProcessEnv;
  halt: AbortSignal;
}

const FETCH_MS = 30 * 60_000;

/** Nothing of it is trusted: git must not take it for an option, nor as the name of a program. */
function refuseHostile({ remote, commit, refs }: Origin): void {
  const mistake = remoteMistake(remote);
  if (mistake !== null) throw new TravelRefusal(`the remote ${hideUrls(remote)} ${mistake}`);
  if (!isCommit(commit)) throw new TravelRefusal(`"${commit}" is not the id of a commit`);
  for (const [name, id] of Object.entries(refs))
    if (
      !/^refs\/(?:heads|tags|remotes|tollgate)\/[^\s~^:?*[\\\0-\x1f\x7f-]/.test(name) ||
      /\.\.|@\{|\/\.|\.lock(?:\/|$)/.test(name) ||
      !isCommit(id)
    )
      throw new TravelRefusal(`"${name}" is not the name of a reference, or "${id}" not the id of its commit`);
}

/** Makes `folder`, whose repository borrows its objects from the mirror: an agent that commits there changes no other task. */
export async function checkOut(origin: Origin, folder: string, place: CheckoutPlace): Promise<void> {
  refuseHostile(origin);
  const { remote, commit, refs } = origin;
  const mirror = await fetchedMirror(origin, place);
  makeFolders(folder);
  const git = gitIn(folder, place);
  makeRepository(path.join(folder, '.git'), mirror, remote);
  for (const [name, id] of Object.entries(refs))
    await must(git(['update-ref', '--', name, id]), `${name} cannot be written`);
  // A filter of the user, such as that of `git lfs`, may fetch.
  const checkout = git(['checkout', '--quiet', '--detach', commit, '--'], { network: 'used' });
  await must(checkout, `commit ${commit.slice(0, 12)} cannot be checked out`);
}

/** As `git init` would, with the mirror's format of objects; it would take as long as the rest of the checkout. */
function makeRepository(own: string, mirror: string, remote: string): void {
  for (const name of ['info', 'objects/info', 'refs']) makeFolders(path.join(own, name));
  for (const name of ['HEAD', 'config']) copyFileSync(path.join(mirror, name), path.join(own, name));
  const more = `[core]\n\tbare = false\n\tlogallrefupdates = true\n[remote "origin"]\n\turl = ${JSON.stringify(remote)}\n`;
  appendFileSync(path.join(own, 'config'), more);
  writeFileSync(path.join(own, 'info/exclude'), '.tmp/\n');
  writeFileSync(path.join(own, 'objects/info/alternates'), `${path.join(mirror, 'objects')}\n`);
}

const gitIn = (cwd: string, { environment, halt }: CheckoutPlace) =>
  gitWith({ cwd, timeoutMs: FETCH_MS, environment, halt });

async function must(running: Promise<GitRan>, what: string): Promise<GitRan> {
  const ran = await running;
  if (ran.code !== 0) throw new TravelRefusal(`${what}: ${hideUrls(complaintOf(ran))}`);
  return ran;
}

async function fetchedMirror({ remote, commit, refs }: Origin, place: CheckoutPlace): Promise<string> {
  const mirror = path.join(place.workFolder, 'mirrors', `${hashOf(Buffer.from(remote)).slice(0, 16)}.git`);
  await makeMirror(mirror, place);
  const git = gitIn(mirror, place);
  const wanted = [...new Set([commit, ...Object.values(refs)])];
  const lacking = async () => {
    // A fetch writes the reference after all objects.
    const unsure = wanted.filter((id) => !existsSync(path.join(mirror, 'refs/tollgate', id)));
    const looked = await Promise.all(unsure.map((id) => git(['cat-file', '-e', `${id}^{commit}`])));
    return unsure.filter((_, i) => looked[i]!.code !== 0);
  };
  const fetch = (refspecs: string[]) =>
    git(
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-auto-gc',
        '--no-write-fetch-head',
        '--end-of-options',
        remote,
        ...refspecs,
      ],
      { network: 'used' },
    );
  const missing = await lacking();
  if (missing.length === 0) return mirror;
  // The reference keeps the commit, whatever becomes of the branch.
  const exactly = await fetch(missing.map((id) => `+${id}:refs/tollgate/${id}`));
  if (exactly.code === 0) return mirror;
  // An old server gives only what its branches and tags name.
  const all = await fetch(['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']);
  const [still] = await lacking();
  if (still === undefined) return mirror;
  const why = complaintsOf(all.code === 0 ? exactly : all);
  throw new TravelRefusal(
    `commit ${still.slice(0, 12)} cannot be fetched from ${remote} (${why}); push it, and see that this worker may read the remote`,
  );
}

/** The cause comes before the last line, which often only reports that nothing was read. */
function complaintsOf({ stderr, code }: GitRan): string {
  const lines = stderr
    .split('\n')
    .filter((line) => !/^$|^Please make sure|^and the repository exists/.test(line.trim()));
  return hideUrls(lines.slice(0, 2).join(' ')) || `exit code ${code}`;
}

/** Complete or absent: workers that share a folder may make it at the same time. */
async function makeMirror(mirror: string, place: CheckoutPlace): Promise<void> {
  if (isFolder(mirror)) return;
  makeFolders(path.dirname(mirror));
  const fresh = mkdtempSync(path.join(path.dirname(mirror), 'new-'));
  try {
    const settings = [['init.defaultRefFormat', 'files']] as const;
    const made = gitIn(fresh, place)(['init', '--quiet', '--bare', '--template='], { settings });
    await must(made, `${mirror} cannot be made`);
    mkdirSync(path.join(fresh, 'info'), { recursive: true });
    renameSync(fresh, mirror);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!isFolder(mirror)) throw error;
  }
}
