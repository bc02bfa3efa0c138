// What preflight asks about a CLI that a project describes.

import { type CheckAnswer, say } from '../../policies/facts/finding.ts';
import type { Adapter } from '../adapter.ts';
import { checkPath, checkStartable, isStrange, notStarted, type ToolPlace } from '../checks.ts';
import { versionOfPackage } from '../cli-version.ts';
import { brokenInstall } from '../startable.ts';
import { missingOwn } from './missing.ts';

type OwnPlace = Omit<ToolPlace, 'tool'> & { adapter: Adapter };

export function checkOwnFound({ adapter, cli, environment }: OwnPlace): CheckAnswer {
  const { row } = adapter.described!;
  if (cli === null) return say('fail', `${row.binary} is not found`, missingOwn(row));
  return checkStartable(adapter, cli, environment.PATH) ?? checkPath(cli);
}

export async function checkOwnVersion(place: OwnPlace): Promise<CheckAnswer> {
  const { adapter, cli, environment, versionOf } = place;
  const { row } = adapter.described!;
  if (cli === null || brokenInstall(adapter, cli.file, environment.PATH) !== null) return null;
  const packaged = row.packageName === null ? null : versionOfPackage(cli.file, row.packageName);
  if (packaged !== null) return say('ok', packaged);
  if (row.version === null) return null;
  if (versionOf === null) return say('note', 'not known without starting it', 'run tollgate preflight without --quick');
  if (isStrange(cli, place)) return notStarted(cli);
  const version = await versionOf(cli.file, row.version);
  if (version !== null) return say('ok', version);
  return say(
    'fail',
    `\`${[cli.file, ...row.version].join(' ')}\` reports no version`,
    `fix tools.${row.name}.version of tollgate.yaml`,
  );
}
