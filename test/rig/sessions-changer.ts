// Stores COUNT sessions in sessions.json one by one, as a separate process: `node sessions-changer.ts STATE TAG COUNT`.

import { changeSessions } from '../../loops/session/change-sessions.ts';

const [stateFolder, tag, count] = process.argv.slice(2) as [string, string, string];
for (let n = 1; n <= Number(count); n++)
  await changeSessions({ stateFolder, taskId: tag, clock: () => new Date() }, (all) =>
    all.with(`${tag}.${n}`, 'codex', {
      session_id: `${tag}-${n}`,
      last_used: new Date().toISOString(),
      error_count: 0,
      total_tokens: 0,
      context_tokens: null,
      feature_id: `${tag}.${n}`,
      cwd: '/p',
    }),
  );
