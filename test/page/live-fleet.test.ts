// The view of a fleet, over the console itself and a real database: tasks, workers and commands; a database that is away; no flag.

import * as assert from 'uvu/assert';
import { FleetRig } from '../rig/fleet-rig.ts';
import { startConsole } from './rig/console-process.ts';
import { liveSuite } from './rig/live-suite.ts';

const live = liveSuite('live-fleet');

live.test('without --database there is no view of a fleet', async ({ page, go }) => {
  await page.evaluate(() => {
    location.hash = '#/fleet';
  });
  await page.getByRole('heading', { name: 'No such view' }).waitFor();
  assert.is(await page.locator('.views a', { hasText: 'Fleet' }).count(), 0);
  assert.is(await page.evaluate(async () => (await fetch('/api/fleet')).status), 404);
  await go('now');
});

live.test('tasks, workers and limits are shown and followed, and a lost task has its commands', async ({ visit }) => {
  const fleet = await FleetRig.open();
  const { rig, postgres } = fleet;
  try {
    const sql = (text: string) => fleet.rows(text);
    await sql("CREATE ROLE viewer LOGIN PASSWORD 'pass-of-the-viewer'");
    await sql('GRANT tollgate_reader TO viewer');
    fleet.task('fine');
    await fleet.submit('fine');
    await fleet.worker('a', '--until-empty').succeeds();
    fleet.task('waits');
    await fleet.submit('waits');
    await fleet.tollgate('fleet', 'limits', '--day', '500', '--at-once', 'codex=3').succeeds();
    const url = postgres.url('fleet', 'viewer:pass-of-the-viewer');
    const served = await startConsole(
      { project: rig.project, env: { ...rig.env, TOLLGATE_DATABASE: url } },
      '--database',
      '-',
    );
    const { page, complaints } = await visit(served.url);
    await page.locator('.views a', { hasText: 'Fleet' }).click();
    const tasks = page.getByRole('group', { name: 'Tasks of the fleet' });
    await tasks.getByRole('row', { name: /^fine .* done/ }).waitFor();
    await tasks.getByRole('row', { name: /^waits .* queued/ }).waitFor();
    await page.getByText('No worker is at work').waitFor();
    await page.getByRole('row', { name: /^codex 0 at once 3 at once/ }).waitFor();
    await page.getByRole('row', { name: /^calls, day \d 500/ }).waitFor();
    assert.is(await page.getByText('is lost').count(), 0);
    // It is found without a reload.
    await sql("UPDATE tollgate.tasks SET state = 'lost' WHERE name = 'waits'");
    const lost = page.getByRole('region', { name: 'waits is lost' });
    await lost.getByText('tollgate submit waits --again').waitFor();
    await lost.getByText(/^tollgate fleet cancel \d+$/).waitFor();
    await lost.getByRole('button', { name: 'Copy command' }).first().click();
    await lost.getByRole('button', { name: 'Copied command' }).first().waitFor();
    await postgres.crash();
    await page.getByText(/^The database 127\.0\.0\.1:\d+\/fleet cannot be reached/).waitFor();
    await page.getByText('What is shown is the fleet as it was before.').waitFor();
    await postgres.start();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    for (const text of [
      await page.content(),
      JSON.stringify(complaints),
      await page.evaluate(async () => (await fetch('/api/fleet')).text()),
    ])
      assert.not.match(text, 'pass-of-the-viewer');
    await served.end();
  } finally {
    await fleet.dispose();
  }
});

live.run();
