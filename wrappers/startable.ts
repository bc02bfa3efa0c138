// Checks, without starting a file, whether the system can start it and whether its folder lets a call start it.

import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { isRemote } from '../policies/rules/command-prefix.ts';
import { partOf } from '../policies/text/json.ts';
import { tried } from '../policies/text/tried.ts';
import { isWithin } from '../state/disk/real-folder.ts';
import type { Adapter, FolderRequest, Ignored } from './adapter.ts';
import { isPublished } from './cli-version.ts';
import { absoluteFolders, findBinary, isProgram } from './find-binary.ts';

/** The machine that is to start the file. */
interface Starter {
  platform: NodeJS.Platform;
  /** Node's name for the processor. */
  arch: string;
  /** Where `env` looks for an interpreter. */
  searchPath: string | undefined;
  /** Whether the kernel passes programs of other machines to an emulator. */
  emulates(): boolean;
}

interface Unstartable {
  /** A sentence without a subject. */
  why: string;
  /** What to do if installing the CLI again does not help. */
  fix?: string;
}

/** What is wrong with a CLI that the system cannot start, and what to do; null if it may start. */
export function brokenInstall(
  { binary, packageName }: { binary: string; packageName: string },
  file: string,
  searchPath: string | undefined,
): { what: string; fix: string } | null {
  const broken = unstartable(file, searchPath);
  if (broken === null) return null;
  const what = `${file} cannot be started: it ${broken.why}`;
  if (broken.fix !== undefined) return { what, fix: broken.fix };
  const again = packageName === '' ? `install ${binary} again` : `install it again (npm install -g ${packageName})`;
  const other = otherStartable(binary, file, searchPath);
  const removed = other === null ? '' : `, or remove it: ${other} can be started, and comes later on the PATH`;
  return { what, fix: `${again}${removed}` };
}

const unstartable = (file: string, searchPath: string | undefined): Unstartable | null =>
  judge(file, { platform: process.platform, arch: process.arch, searchPath, emulates: hasEmulators });

/** The first other program of that name on the PATH that can be started; null if there is none. */
function otherStartable(name: string, broken: string, searchPath: string | undefined): string | null {
  const files = absoluteFolders(searchPath).map((folder) => path.join(folder, name));
  return files.find((file) => file !== broken && isProgram(file) && unstartable(file, searchPath) === null) ?? null;
}

/** Why that machine cannot start this file; null if it may start it. */
export function judge(file: string, starter: Starter): Unstartable | null {
  const head = readHead(file);
  if (head === null) return null;
  if (head.length === 0) return { why: 'is empty (0 bytes), as an interrupted update leaves it' };
  if (head.length < HEAD_BYTES && head.toString('latin1').trim() === '')
    return { why: 'holds nothing but white space, as an interrupted update leaves it' };
  if (head.toString('latin1', 0, 2) === '#!') return judgeScript(head, starter);
  const format = formatOf(head);
  if (format === null)
    return head.subarray(0, 256).includes(0) ? { why: 'is not a program: its format is unknown to the system' } : null;
  const broken = format === NATIVE[starter.platform] ? judgeNative(file, head, format, starter) : foreign(format);
  return broken !== null && starter.emulates() ? null : broken;
}

const judgeNative = (file: string, head: Buffer, format: Format, starter: Starter): Unstartable | null =>
  format === 'ELF'
    ? judgeElf(head, statSync(file, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY, starter)
    : null;

const foreign = (format: Format): Unstartable => ({
  why: `is a program for ${SYSTEM_OF[format]}, and not for this system`,
});

type Format = 'ELF' | 'Mach-O' | 'PE';

const NATIVE: Partial<Record<NodeJS.Platform, Format>> = {
  linux: 'ELF',
  freebsd: 'ELF',
  darwin: 'Mach-O',
  win32: 'PE',
};
const SYSTEM_OF: Record<Format, string> = { ELF: 'Linux', 'Mach-O': 'macOS', PE: 'Windows' };
const MACH_O: ReadonlySet<number> = new Set([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe, 0xbebafeca]);

function formatOf(head: Buffer): Format | null {
  if (head.toString('latin1', 0, 4) === '\x7fELF') return 'ELF';
  if (head.toString('latin1', 0, 2) === 'MZ') return 'PE';
  return head.length >= 4 && MACH_O.has(head.readUInt32BE(0)) ? 'Mach-O' : null;
}

/** Reads the first line as the kernel does: an interpreter, and one argument. */
function judgeScript(head: Buffer, { searchPath }: Starter): Unstartable | null {
  const [line = ''] = head.toString('latin1', 2, 258).split('\n');
  // The kernel reads the CR as part of the last word.
  if (line.endsWith('\r'))
    return { why: 'begins with a line that ends in CR LF, so that its interpreter is not found' };
  const [interpreter = '', ...words] = line.trim().split(/\s+/);
  if (!path.isAbsolute(interpreter)) return null;
  if (!existsSync(interpreter)) return { why: `needs ${interpreter}, which is not there` };
  if (path.basename(interpreter) !== 'env') return null;
  const wanted = words.find((word) => !word.startsWith('-') && !word.includes('='));
  if (wanted === undefined || wanted.includes('/') || findBinary(wanted, searchPath) !== null) return null;
  return { why: `needs ${wanted}, which is not on the PATH`, fix: `put the folder of ${wanted} on the PATH` };
}

/** ELF's machine numbers. A machine that is not listed is not checked. A 64-bit system starts 32-bit programs of its kind. */
const MACHINES: Readonly<Record<string, readonly number[]>> = {
  x64: [62, 3],
  ia32: [3],
  arm64: [183, 40],
  arm: [40],
  riscv64: [243],
  s390x: [22],
};
const MACHINE_NAMES: Readonly<Record<number, string>> = {
  3: 'x86',
  22: 's390x',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv',
};
const PT_LOAD = 1;
const PT_INTERP = 3;

function judgeElf(head: Buffer, fileBytes: number, { arch }: Starter): Unstartable | null {
  if (head.length < 64) return { why: 'is cut off: it has no whole header' };
  const little = head[5] === 1;
  const number = (at: number, bytes: 2 | 4 | 8): number =>
    bytes === 8
      ? Number(little ? head.readBigUInt64LE(at) : head.readBigUInt64BE(at))
      : little
        ? head.readUIntLE(at, bytes)
        : head.readUIntBE(at, bytes);
  const machine = number(18, 2);
  const fits = MACHINES[arch];
  if (fits !== undefined && !fits.includes(machine))
    return { why: `is a program for ${MACHINE_NAMES[machine] ?? `machine ${machine}`}, and this machine is ${arch}` };
  const wide = head[4] === 2;
  const [table, size, count] = wide
    ? [number(32, 8), number(54, 2), number(56, 2)]
    : [number(28, 4), number(42, 2), number(44, 2)];
  for (let at = table; at < table + size * count && at + size <= head.length; at += size) {
    const [from, length] = wide ? [number(at + 8, 8), number(at + 32, 8)] : [number(at + 4, 4), number(at + 16, 4)];
    if (number(at, 4) === PT_LOAD && from + length > fileBytes)
      return { why: `is cut off: it has ${fileBytes} bytes, and loads ${from + length}` };
    if (number(at, 4) !== PT_INTERP) continue;
    const loader = head.toString('latin1', from, Math.min(from + length, head.length)).split('\0')[0]!;
    if (path.isAbsolute(loader) && from + length <= head.length && !existsSync(loader))
      return { why: `needs ${loader}, which is not there: it was built for another C library` };
  }
  return null;
}

/** Large enough for a header, its table, and the name of a loader. */
const HEAD_BYTES = 4096;

/** Returns null for a file that cannot be read: the system may still be able to start it. */
function readHead(file: string): Buffer | null {
  let fd: number | null = null;
  try {
    fd = openSync(file, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** qemu and the Windows Subsystem for Linux register themselves here. */
const hasEmulators = (): boolean =>
  tried(() => readdirSync('/proc/sys/fs/binfmt_misc').some((name) => name !== 'register' && name !== 'status')) ??
  false;

/**
 * Why a call is refused because its folder is not trusted, as a sentence without its full stop; null if it is not refused. A
 * script that replaces the CLI may handle trust by itself, so it is started.
 */
export const untrustedCall = (
  { distrusts, refusesFolder, packageName, entries }: Adapter,
  request: Parameters<Adapter['distrusts']>[0],
  binary: string,
): string | null => distrusts(request) ?? (isPublished(binary, packageName, entries) ? refusesFolder(request) : null);

/** A CLI within a prefix may have other files than those of this machine. A container has those of the working folder. */
export function ignoredBy({ prefix, ignores }: Pick<Adapter, 'prefix' | 'ignores'>, request: FolderRequest): Ignored[] {
  if (prefix === undefined) return ignores(request);
  const isThere = (one: Ignored) => one.what !== 'server' && isWithin(request.cwd, one.file);
  return isRemote(prefix) ? [] : ignores(request).filter(isThere);
}

/** The servers of a CLI's configuration with none of these keys: it starts none of them, without a message. @param isOff The user does not use it. */
export const unstartableServers = (
  servers: unknown,
  keys: readonly string[],
  where: string,
  isOff = (_name: string) => false,
): Ignored[] =>
  Object.entries(partOf(servers) ?? {})
    .filter(([name, one]) => !isOff(name) && keys.every((key) => partOf(one)?.[key] === undefined))
    .map(([name]) => ({ what: 'server', name, why: `its settings in ${where} have no ${keys.join(' or ')}` }));

/** The advice that a call and preflight print. */
export const TRUST_FOLDER = 'if you trust it, add --trust-workspace, or run `tollgate trust` in that folder once';
