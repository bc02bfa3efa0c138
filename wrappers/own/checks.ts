// What preflight asks about a CLI that a project describes.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';
import {
  askedVersion,
  checkFound,
  checkPath,
  checkStartable,
  isStrange,
  notStarted,
  type ToolPlace,
} from '../checks.ts';
import { versionOfPackage } from '../cli-version.ts';
import { brokenInstall } from '../startable.ts';
import { missingOwn } from './missing.ts';

export function checkOwnFound(place: ToolPlace): CheckAnswer {
  const { adapter, cli, environment } = place;
  if (adapter.prefix !== undefined) return checkFound(place);
  const { row } = adapter.described!;
  if (cli === null) return say('fail', `${row.binary} is not found`, missingOwn(row));
  return checkStartable(adapter, cli, environment.PATH) ?? checkPath(cli);
}

export async function checkOwnVersion(place: ToolPlace): Promise<CheckAnswer> {
  const { adapter, cli, environment, versionOf } = place;
  const { row } = adapter.described!;
  if (cli === null || brokenInstall(adapter, cli.file, environment.PATH) !== null) return null;
  const packaged =
    row.packageName === null || row.prefix !== undefined ? null : versionOfPackage(cli.file, row.packageName);
  if (packaged !== null) return say('ok', packaged);
  if (row.version === null) return null;
  if (versionOf === null) return say('note', 'not known without starting it', 'run tollgate preflight without --quick');
  if (isStrange(cli, place)) return notStarted(cli);
  const version = await askedVersion(place, row.version);
  if (version !== null) return say('ok', version);
  return say(
    'fail',
    `\`${[cli.file, ...row.version].join(' ')}\` reports no version`,
    `fix tools.${row.name}.version of tollgate.yaml`,
  );
}
