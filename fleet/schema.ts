// The tables of a fleet, as SQL in numbered steps, and the roles that may use them.

/** Each step is run once, in order, and is never changed after a release. */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE tollgate.workers (
  id uuid PRIMARY KEY,
  machine text NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz NOT NULL,
  draining boolean NOT NULL DEFAULT false,
  ended_at timestamptz
);
CREATE TABLE tollgate.tasks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  project text NOT NULL,
  pool text NOT NULL,
  priority int NOT NULL,
  tools text[] NOT NULL,
  queue text NOT NULL,
  job uuid,
  state text NOT NULL CHECK (state IN ('queued', 'running', 'stopped', 'lost', 'done', 'failed', 'cancelled')),
  on_lost text NOT NULL CHECK (on_lost IN ('stop', 'retry')),
  epoch int NOT NULL DEFAULT 0,
  worker uuid REFERENCES tollgate.workers,
  machine text,
  calls_budget int NOT NULL,
  calls_used int NOT NULL DEFAULT 0,
  cancel_requested boolean NOT NULL DEFAULT false,
  meta jsonb NOT NULL,
  bundle bytea,
  result_meta jsonb,
  result bytea,
  exit_code int,
  message text,
  submitted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz
);
CREATE UNIQUE INDEX tasks_open ON tollgate.tasks (project, name) WHERE state IN ('queued', 'running', 'stopped', 'lost');
CREATE INDEX tasks_queued ON tollgate.tasks (queue) WHERE state = 'queued';
CREATE INDEX tasks_worker ON tollgate.tasks (worker) WHERE state = 'running';
CREATE TABLE tollgate.reservations (
  call_id text PRIMARY KEY,
  task bigint NOT NULL REFERENCES tollgate.tasks,
  epoch int NOT NULL,
  worker uuid NOT NULL REFERENCES tollgate.workers,
  machine text NOT NULL,
  stage text NOT NULL,
  prompt text NOT NULL,
  attempt int NOT NULL,
  tool text NOT NULL,
  account text NOT NULL,
  model text,
  state text NOT NULL CHECK (state IN ('reserved', 'settled', 'late', 'abandoned', 'lost')),
  day date NOT NULL,
  reserved_at timestamptz NOT NULL,
  settled_at timestamptz,
  class text,
  reason text,
  tokens bigint,
  usd numeric
);
CREATE UNIQUE INDEX reservations_once ON tollgate.reservations (task, stage, prompt, attempt) WHERE state <> 'abandoned';
CREATE INDEX reservations_now ON tollgate.reservations (tool, account) WHERE state = 'reserved';
CREATE INDEX reservations_recent ON tollgate.reservations (tool, account, reserved_at);
CREATE INDEX reservations_task ON tollgate.reservations (task);
-- A scope is 'day' or 'pool:NAME'; calls is null without a limit.
CREATE TABLE tollgate.budgets (
  scope text PRIMARY KEY,
  calls int,
  used int NOT NULL DEFAULT 0,
  day date
);
CREATE TABLE tollgate.limits (
  tool text NOT NULL,
  account text NOT NULL,
  at_once int,
  per_minute int,
  hold_until timestamptz,
  hold_reason text,
  PRIMARY KEY (tool, account)
);

-- One round trip and one transaction for each paid call. Rows are locked in one order: limit, task, budgets.
CREATE FUNCTION tollgate.reserve(
  p_call text, p_task bigint, p_epoch int, p_worker uuid, p_stage text, p_prompt text, p_attempt int,
  p_tool text, p_account text, p_model text
) RETURNS TABLE (outcome text, wait_ms double precision, detail text) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lim tollgate.limits; t tollgate.tasks; w tollgate.workers; b tollgate.budgets;
  at timestamptz; today date; n int; oldest timestamptz; tried int;
BEGIN
  INSERT INTO tollgate.limits (tool, account) VALUES (p_tool, p_account) ON CONFLICT DO NOTHING;
  SELECT * INTO lim FROM tollgate.limits WHERE tool = p_tool AND account = p_account FOR UPDATE;
  SELECT * INTO t FROM tollgate.tasks WHERE id = p_task FOR UPDATE;
  SELECT * INTO w FROM tollgate.workers WHERE id = p_worker;
  at := clock_timestamp();
  today := (at AT TIME ZONE 'UTC')::date;
  IF t.id IS NULL OR t.epoch <> p_epoch OR t.worker IS DISTINCT FROM p_worker OR t.state <> 'running'
     OR w.ended_at IS NOT NULL OR w.lease_until <= at THEN
    RETURN QUERY SELECT 'fenced', 0::double precision, NULL::text; RETURN;
  END IF;
  -- The answer to the first request was lost.
  IF EXISTS (SELECT 1 FROM tollgate.reservations r WHERE r.call_id = p_call AND r.state = 'reserved' AND r.epoch = p_epoch) THEN
    RETURN QUERY SELECT 'reserved', 0::double precision, NULL::text; RETURN;
  END IF;
  IF t.cancel_requested THEN
    RETURN QUERY SELECT 'cancelled', 0::double precision, NULL::text; RETURN;
  END IF;
  IF lim.hold_until > at THEN
    RETURN QUERY SELECT 'held', extract(epoch FROM lim.hold_until - at)::double precision * 1000, lim.hold_reason; RETURN;
  END IF;
  IF lim.at_once IS NOT NULL THEN
    SELECT count(*) INTO n FROM tollgate.reservations r WHERE r.tool = p_tool AND r.account = p_account AND r.state = 'reserved';
    IF n >= lim.at_once THEN
      RETURN QUERY SELECT 'at_once', 0::double precision, NULL::text; RETURN;
    END IF;
  END IF;
  IF lim.per_minute IS NOT NULL THEN
    SELECT count(*), min(r.reserved_at) INTO n, oldest FROM (
      SELECT reserved_at FROM tollgate.reservations
      WHERE tool = p_tool AND account = p_account AND state <> 'abandoned' AND reserved_at > at - interval '1 minute'
      ORDER BY reserved_at DESC LIMIT lim.per_minute) r;
    IF n >= lim.per_minute THEN
      RETURN QUERY SELECT 'per_minute', extract(epoch FROM oldest + interval '1 minute' - at)::double precision * 1000, NULL::text; RETURN;
    END IF;
  END IF;
  IF t.calls_used >= t.calls_budget THEN
    RETURN QUERY SELECT 'budget', 0::double precision, format('the task has used its %s calls', t.calls_budget); RETURN;
  END IF;
  INSERT INTO tollgate.budgets (scope) VALUES ('day'), ('pool:' || t.pool) ON CONFLICT DO NOTHING;
  FOR b IN SELECT * FROM tollgate.budgets WHERE scope IN ('day', 'pool:' || t.pool) ORDER BY scope FOR UPDATE LOOP
    n := CASE WHEN b.scope = 'day' AND b.day IS DISTINCT FROM today THEN 0 ELSE b.used END;
    IF b.calls IS NOT NULL AND n >= b.calls THEN
      RETURN QUERY SELECT 'budget', 0::double precision, format('%s has used its %s calls',
        CASE WHEN b.scope = 'day' THEN 'the day (UTC)' ELSE 'the pool ' || t.pool END, b.calls); RETURN;
    END IF;
  END LOOP;
  -- Another machine does not know the attempts that were lost with this one's predecessor.
  SELECT count(*) INTO tried FROM tollgate.reservations r
    WHERE r.task = p_task AND r.stage = p_stage AND r.prompt = p_prompt AND r.machine <> w.machine AND r.state <> 'abandoned';
  INSERT INTO tollgate.reservations (call_id, task, epoch, worker, machine, stage, prompt, attempt, tool, account, model, state, day, reserved_at)
    VALUES (p_call, p_task, p_epoch, p_worker, w.machine, p_stage, p_prompt, p_attempt + tried, p_tool, p_account, p_model, 'reserved', today, at)
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'duplicate', 0::double precision, NULL::text; RETURN;
  END IF;
  UPDATE tollgate.tasks SET calls_used = calls_used + 1 WHERE id = p_task;
  UPDATE tollgate.budgets SET
    used = CASE WHEN scope = 'day' AND day IS DISTINCT FROM today THEN 1 ELSE used + 1 END,
    day = CASE WHEN scope = 'day' THEN today END
    WHERE scope IN ('day', 'pool:' || t.pool);
  RETURN QUERY SELECT 'reserved', 0::double precision, NULL::text;
END $$;

-- Books the end of a call once. A call that was not made is given back to its budgets.
CREATE FUNCTION tollgate.settle(
  p_call text, p_epoch int, p_made boolean, p_class text, p_reason text, p_tokens bigint, p_usd numeric, p_hold_ms double precision
) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE r tollgate.reservations; t tollgate.tasks; now_state text;
BEGIN
  SELECT * INTO r FROM tollgate.reservations WHERE call_id = p_call;
  IF r.call_id IS NULL THEN RETURN 'unknown'; END IF;
  IF r.epoch <> p_epoch THEN RETURN 'wrong_epoch'; END IF;
  PERFORM 1 FROM tollgate.limits WHERE tool = r.tool AND account = r.account FOR UPDATE;
  SELECT * INTO t FROM tollgate.tasks WHERE id = r.task FOR UPDATE;
  SELECT * INTO r FROM tollgate.reservations WHERE call_id = p_call FOR UPDATE;
  IF r.state NOT IN ('reserved', 'lost') THEN RETURN 'already'; END IF;
  now_state := CASE WHEN NOT p_made THEN 'abandoned' WHEN r.state = 'reserved' AND r.epoch = t.epoch THEN 'settled' ELSE 'late' END;
  UPDATE tollgate.reservations SET state = now_state, settled_at = clock_timestamp(), class = p_class, reason = p_reason,
    tokens = p_tokens, usd = p_usd WHERE call_id = p_call;
  IF NOT p_made THEN
    UPDATE tollgate.tasks SET calls_used = calls_used - 1 WHERE id = r.task;
    PERFORM 1 FROM tollgate.budgets WHERE scope IN ('day', 'pool:' || t.pool) ORDER BY scope FOR UPDATE;
    UPDATE tollgate.budgets SET used = used - 1
      WHERE scope = 'pool:' || t.pool OR (scope = 'day' AND day = r.day);
  END IF;
  IF p_hold_ms > 0 THEN
    UPDATE tollgate.limits SET hold_reason = p_reason,
      hold_until = greatest(hold_until, clock_timestamp() + p_hold_ms * interval '1 millisecond')
      WHERE tool = r.tool AND account = r.account;
  END IF;
  RETURN now_state;
END $$;

-- A lease that was not renewed is over, and so are those of its tasks: their epoch is raised. A reservation refers to its
-- worker, and must not wait for this.
CREATE FUNCTION tollgate.expire() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE dead uuid;
BEGIN
  FOR dead IN SELECT id FROM tollgate.workers WHERE ended_at IS NULL AND lease_until < clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED LOOP
    UPDATE tollgate.workers SET ended_at = clock_timestamp() WHERE id = dead;
    UPDATE tollgate.tasks SET epoch = epoch + 1, worker = NULL, job = NULL,
      state = CASE WHEN cancel_requested THEN 'cancelled' WHEN on_lost = 'retry' THEN 'queued' ELSE 'lost' END,
      message = 'the lease of its worker ended; a call of it may have been paid'
      WHERE worker = dead AND state = 'running';
    UPDATE tollgate.reservations SET state = 'lost' WHERE worker = dead AND state = 'reserved';
  END LOOP;
END $$;

-- Renews a lease. No row: the lease is over, and its tasks may be another worker's.
CREATE FUNCTION tollgate.renew(p_worker uuid, p_seconds double precision)
RETURNS TABLE (draining boolean, unsent boolean, tasks jsonb) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE tollgate.workers SET lease_until = clock_timestamp() + p_seconds * interval '1 second'
    WHERE id = p_worker AND ended_at IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM tollgate.expire();
  RETURN QUERY SELECT w.draining, EXISTS (SELECT 1 FROM tollgate.tasks t WHERE t.state = 'queued' AND t.job IS NULL), coalesce((SELECT jsonb_agg(jsonb_build_object('id', t.id, 'epoch', t.epoch, 'cancel', t.cancel_requested))
    FROM tollgate.tasks t WHERE t.worker = p_worker AND t.state = 'running'), '[]') FROM tollgate.workers w WHERE w.id = p_worker;
END $$;

-- Registers a worker. It continues the tasks that stopped workers of its machine left: their journals are on its disk.
CREATE FUNCTION tollgate.register(p_worker uuid, p_machine text, p_name text, p_version text, p_seconds double precision)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM 1 FROM tollgate.workers WHERE machine = p_machine AND ended_at IS NULL FOR NO KEY UPDATE;
  INSERT INTO tollgate.workers (id, machine, name, version, lease_until)
    VALUES (p_worker, p_machine, p_name, p_version, clock_timestamp() + p_seconds * interval '1 second');
  UPDATE tollgate.workers SET ended_at = clock_timestamp() WHERE machine = p_machine AND ended_at IS NULL AND id <> p_worker;
  UPDATE tollgate.tasks SET state = 'running', worker = p_worker, epoch = epoch + 1, message = NULL
    WHERE machine = p_machine AND state IN ('running', 'stopped', 'lost');
  UPDATE tollgate.reservations r SET worker = p_worker FROM tollgate.tasks t
    WHERE r.machine = p_machine AND r.state = 'reserved' AND t.id = r.task AND t.worker = p_worker AND t.state = 'running';
  -- Those of tasks that continue elsewhere, or not at all, use up no limit any more.
  UPDATE tollgate.reservations SET state = 'lost' WHERE machine = p_machine AND state = 'reserved' AND worker <> p_worker;
END $$;
`,
  `
-- A task that was cancelled while its worker was lost has ended.
UPDATE tollgate.tasks SET ended_at = clock_timestamp() WHERE state = 'cancelled' AND ended_at IS NULL;
CREATE OR REPLACE FUNCTION tollgate.expire() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE dead uuid;
BEGIN
  FOR dead IN SELECT id FROM tollgate.workers WHERE ended_at IS NULL AND lease_until < clock_timestamp() FOR NO KEY UPDATE SKIP LOCKED LOOP
    UPDATE tollgate.workers SET ended_at = clock_timestamp() WHERE id = dead;
    UPDATE tollgate.tasks SET epoch = epoch + 1, worker = NULL, job = NULL,
      state = CASE WHEN cancel_requested THEN 'cancelled' WHEN on_lost = 'retry' THEN 'queued' ELSE 'lost' END,
      ended_at = CASE WHEN cancel_requested THEN clock_timestamp() END,
      message = 'the lease of its worker ended; a call of it may have been paid'
      WHERE worker = dead AND state = 'running';
    UPDATE tollgate.reservations SET state = 'lost' WHERE worker = dead AND state = 'reserved';
  END LOOP;
END $$;
`,
  `
-- Stage, class, reason, signature and evidence of its failure, for those that only read.
ALTER TABLE tollgate.tasks ADD COLUMN failure jsonb;
`,
  `
-- tag: project and session tag of a task, as one hash. tree: names the checkout that tasks of a tag share on one machine.
ALTER TABLE tollgate.tasks ADD COLUMN tag text, ADD COLUMN tree bigint;
CREATE INDEX tasks_tag ON tollgate.tasks (tag, started_at) WHERE tag IS NOT NULL;

-- The task of a tag that began last; its machine has the conversations.
CREATE FUNCTION tollgate.last_of(p_tag text) RETURNS TABLE (machine text, state text, tree bigint, ended_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.machine, t.state, t.tree, t.ended_at FROM tollgate.tasks t
    WHERE t.tag = p_tag AND t.machine IS NOT NULL ORDER BY t.started_at DESC LIMIT 1
$$;

-- Whether a machine may begin a queued task: tasks of a tag run one after another, and for p_wait seconds only where the last one ran.
CREATE FUNCTION tollgate.may_begin(p_tag text, p_since timestamptz, p_machine text, p_wait double precision)
RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_tag IS NULL OR (NOT EXISTS (SELECT 1 FROM tollgate.tasks r WHERE r.tag = p_tag AND r.state = 'running')
    AND NOT EXISTS (SELECT 1 FROM tollgate.last_of(p_tag) l WHERE l.machine <> p_machine
      AND clock_timestamp() < greatest(p_since, l.ended_at) + p_wait * interval '1 second'))
$$;

-- Gives a fetched task to a worker. No row: it was cancelled. Epoch null: it must stay in the queue.
CREATE FUNCTION tollgate.begin_task(p_task bigint, p_job uuid, p_worker uuid, p_machine text, p_wait double precision)
RETURNS TABLE (epoch int) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE t record; l record;
BEGIN
  SELECT id, name, tag, tree, machine, submitted_at INTO t FROM tollgate.tasks
    WHERE id = p_task AND state = 'queued' AND job = p_job AND NOT cancel_requested FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF t.tag IS NOT NULL THEN
    -- Another worker may begin another task of the tag at this moment.
    PERFORM pg_advisory_xact_lock(hashtextextended(t.tag, 0));
    IF NOT tollgate.may_begin(t.tag, t.submitted_at, p_machine, p_wait) THEN RETURN QUERY SELECT NULL::int; RETURN; END IF;
    SELECT * INTO l FROM tollgate.last_of(t.tag);
    -- A record is never replaced: not that of a task that is open, nor that of one with the same name.
    t.tree := CASE WHEN t.machine = p_machine THEN t.tree
      WHEN l.machine = p_machine AND l.state IN ('done', 'failed', 'cancelled')
        AND NOT EXISTS (SELECT 1 FROM tollgate.tasks o WHERE o.tag = t.tag AND o.tree = l.tree AND o.name = t.name AND o.id <> t.id) THEN l.tree
      ELSE t.id END;
  END IF;
  RETURN QUERY UPDATE tollgate.tasks u SET state = 'running', worker = p_worker, machine = p_machine, epoch = u.epoch + 1, tree = t.tree,
    started_at = clock_timestamp(), message = NULL WHERE u.id = p_task RETURNING u.epoch;
END $$;
`,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema of pg-boss. */
export const QUEUE_SCHEMA = 'tollgate_queue';

/** For the owner of the database. A role is granted to a user by `GRANT tollgate_worker TO name`. */
export const ROLES = `
DO $$ BEGIN CREATE ROLE tollgate_reader NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE tollgate_submitter NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE tollgate_worker NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT USAGE ON SCHEMA tollgate, ${QUEUE_SCHEMA} TO tollgate_reader, tollgate_submitter, tollgate_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA tollgate, ${QUEUE_SCHEMA} TO tollgate_reader, tollgate_submitter, tollgate_worker;
GRANT INSERT, UPDATE ON tollgate.tasks, tollgate.budgets, tollgate.limits TO tollgate_submitter;
GRANT UPDATE ON tollgate.workers TO tollgate_submitter;
GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA tollgate TO tollgate_worker;
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO tollgate_submitter, tollgate_worker;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tollgate, ${QUEUE_SCHEMA} TO tollgate_submitter, tollgate_worker;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tollgate FROM PUBLIC;
`;
