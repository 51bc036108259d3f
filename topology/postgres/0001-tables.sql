-- The tables that processes agree on; docs: topology/README.md. Every instant is the database's.
-- Rights are in 0002-roles.sql and beside each service's functions.
CREATE SCHEMA delivery;

-- Accounts, devices, keys ---------------------------------------------------------------------------------------------

CREATE TABLE delivery.account (
    account_id          text PRIMARY KEY CHECK (account_id ~ '^[A-Za-z0-9_-]{1,128}$'),
    -- Grows whenever the set of active devices or their agreement keys changes (K3).
    device_set_version  bigint NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now()
);

-- One-time permission to enrol a device, obtained by the host backend (K5). Only the ticket's digest is stored.
CREATE TABLE delivery.enrolment_ticket (
    ticket_digest   bytea PRIMARY KEY CHECK (octet_length(ticket_digest) = 32),
    account_id      text NOT NULL REFERENCES delivery.account,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    consumed_at     timestamptz,
    device_id       uuid
);

CREATE TABLE delivery.device (
    device_id           uuid PRIMARY KEY,
    account_id          text NOT NULL REFERENCES delivery.account,
    platform            text NOT NULL CHECK (platform IN ('ios', 'android')),
    signing_algorithm   text NOT NULL CHECK (signing_algorithm IN ('ed25519', 'ecdsa-p256-sha256')),
    signing_key         bytea NOT NULL CHECK (octet_length(signing_key) BETWEEN 32 AND 128),
    state               text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'revoked')),
    enrolled_at         timestamptz NOT NULL DEFAULT now(),
    revoked_at          timestamptz,
    -- Set by the coordinator once the rest of a revocation is done.
    revocation_done_at  timestamptz,
    -- Highest registration number that a push-token call of this installation carried (K5).
    push_registration   bigint NOT NULL DEFAULT 0,
    CHECK ((state = 'revoked') = (revoked_at IS NOT NULL))
);
CREATE INDEX device_account ON delivery.device (account_id);
CREATE INDEX device_revocation_open ON delivery.device (revoked_at) WHERE state = 'revoked' AND revocation_done_at IS NULL;

-- X25519 keys to which producers seal; exactly one current per device.
CREATE TABLE delivery.device_key (
    device_id   uuid NOT NULL REFERENCES delivery.device,
    key_id      text NOT NULL CHECK (key_id ~ '^[A-Za-z0-9_.-]{1,64}$'),
    public_key  bytea NOT NULL CHECK (octet_length(public_key) = 32),
    state       text NOT NULL DEFAULT 'current' CHECK (state IN ('current', 'retired')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device_id, key_id)
);
CREATE UNIQUE INDEX device_key_current ON delivery.device_key (device_id) WHERE state = 'current';

-- states.md (e). The token itself is sealed (K4); `environment` is '' for FCM.
CREATE TABLE delivery.push_token (
    token_id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id           uuid NOT NULL REFERENCES delivery.device,
    provider            text NOT NULL CHECK (provider IN ('apns', 'fcm')),
    app                 text NOT NULL CHECK (app ~ '^[a-z0-9-]{1,40}$' AND app <> 'dead'),
    environment         text NOT NULL CHECK (environment IN ('production', 'sandbox', '')),
    kind                text NOT NULL CHECK (kind IN ('token', 'fid')),
    sealed              bytea NOT NULL,
    sealing_key_id      text NOT NULL,
    fingerprint         bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    fingerprint_key_id  text NOT NULL,
    -- Whole milliseconds, because it travels as such and is compared for equality and with Apple's milliseconds.
    registered_at       timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
    registration        bigint NOT NULL,
    state               text NOT NULL DEFAULT 'active'
                        CHECK (state IN ('active', 'set_aside', 'replaced', 'cleared', 'detached')),
    state_reason        text,
    state_at            timestamptz NOT NULL DEFAULT now(),
    -- Per-device cool-down: no hint is published before it.
    not_before          timestamptz,
    -- While set aside: who reported the suspicion, when it is judged next, how often it was tried again.
    suspected_by        text,
    suspected_at        timestamptz,
    judge_at            timestamptz,
    trials              smallint NOT NULL DEFAULT 0,
    CHECK ((provider = 'fcm') = (environment = ''))
);
CREATE UNIQUE INDEX push_token_of_device ON delivery.push_token (device_id, provider)
    WHERE state IN ('active', 'set_aside');
CREATE UNIQUE INDEX push_token_fingerprint ON delivery.push_token (provider, app, environment, fingerprint)
    WHERE state IN ('active', 'set_aside');
CREATE INDEX push_token_judgement ON delivery.push_token (judge_at) WHERE state = 'set_aside';

-- Jobs ----------------------------------------------------------------------------------------------------------------

CREATE TABLE delivery.generation_job (
    job_id              uuid PRIMARY KEY,
    account_id          text NOT NULL REFERENCES delivery.account,
    document_type       text NOT NULL CHECK (document_type IN ('RECEIPT', 'CREDIT_NOTE')),
    body_format         smallint NOT NULL,
    body_digest         bytea NOT NULL CHECK (octet_length(body_digest) = 32),
    commitment          bytea NOT NULL CHECK (octet_length(commitment) = 32),
    signature           bytea NOT NULL CHECK (octet_length(signature) = 64),
    signing_key_id      text NOT NULL CHECK (signing_key_id ~ '^[A-Za-z0-9_.-]{1,64}$'),
    device_set_version  bigint NOT NULL,
    recipients          text[] NOT NULL DEFAULT '{}',
    created_at          timestamptz NOT NULL DEFAULT now(),
    expires_at          timestamptz NOT NULL,
    traceparent         text CHECK (octet_length(traceparent) <= 128),
    completed_at        timestamptz,
    expired_at          timestamptz,
    cancelled_at        timestamptz,
    -- Set by the coordinator once the rest of a cancellation is done.
    cancellation_done_at timestamptz,
    -- Sealed keys and body are gone (never while fan-out is open).
    purged_at           timestamptz,
    CHECK (num_nonnulls(completed_at, expired_at, cancelled_at) <= 1)
);
CREATE INDEX generation_job_open ON delivery.generation_job (expires_at)
    WHERE completed_at IS NULL AND expired_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX generation_job_cancelled ON delivery.generation_job (cancelled_at)
    WHERE cancelled_at IS NOT NULL AND cancellation_done_at IS NULL;
CREATE INDEX generation_job_purge ON delivery.generation_job (coalesce(completed_at, expired_at, cancelled_at))
    WHERE purged_at IS NULL AND num_nonnulls(completed_at, expired_at, cancelled_at) > 0;
CREATE INDEX generation_job_account ON delivery.generation_job (account_id, created_at);

CREATE TABLE delivery.job_body (
    job_id  uuid PRIMARY KEY REFERENCES delivery.generation_job,
    body    bytea NOT NULL CHECK (octet_length(body) <= 262144)
);
ALTER TABLE delivery.job_body ALTER COLUMN body SET STORAGE EXTERNAL;  -- ciphertext does not compress

-- states.md (d)
CREATE TABLE delivery.job_device (
    job_id              uuid NOT NULL REFERENCES delivery.generation_job,
    device_id           uuid NOT NULL REFERENCES delivery.device,
    key_id              text NOT NULL,
    sealed_key          bytea,
    state               text NOT NULL DEFAULT 'pending'
                        CHECK (state IN ('pending', 'acknowledged', 'failed', 'expired', 'cancelled', 'revoked')),
    -- The hint: a row of push_outbox.
    entry               uuid NOT NULL,
    entry_created_at    timestamptz NOT NULL,
    claimed_at          timestamptz,
    finished_at         timestamptz,
    origin              text,
    evidence            bytea,
    failure_reason      text,
    late_ack_at         timestamptz,
    PRIMARY KEY (job_id, device_id)
);
CREATE INDEX job_device_pending ON delivery.job_device (device_id, job_id) WHERE state = 'pending';
CREATE INDEX job_device_device ON delivery.job_device (device_id, job_id);

-- The lease of the fan-out: device-and-leases.md (b.2). Logged on purpose: its epoch is a fence.
CREATE TABLE delivery.fanout_lease (
    job_id              uuid PRIMARY KEY REFERENCES delivery.generation_job,
    epoch               bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
    state               text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'held', 'done', 'closed')),
    holder_device       uuid,
    lease_nonce         uuid,
    attempt_id          uuid,
    granted_at          timestamptz,
    expires_at          timestamptz,
    hard_deadline       timestamptz,
    renewals            integer NOT NULL DEFAULT 0,
    done_at             timestamptz,
    CHECK (state <> 'held' OR num_nulls(holder_device, lease_nonce, attempt_id, granted_at, expires_at, hard_deadline) = 0)
);

CREATE INDEX fanout_lease_holder ON delivery.fanout_lease (holder_device) WHERE state = 'held';
CREATE INDEX fanout_lease_open ON delivery.fanout_lease (job_id) WHERE state IN ('open', 'held');

-- An attemptId never grants twice in a job's life.
CREATE TABLE delivery.lease_attempt (
    job_id      uuid NOT NULL REFERENCES delivery.generation_job,
    attempt_id  uuid NOT NULL,
    device_id   uuid NOT NULL,
    epoch       bigint NOT NULL,
    PRIMARY KEY (job_id, attempt_id)
);

-- Append-only audit, written in the transaction of the change.
CREATE TABLE delivery.lease_event (
    event_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id      uuid NOT NULL,
    epoch       bigint NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('granted', 'renewed', 'released', 'expired', 'regranted', 'submitted',
                                              'refused', 'revoked', 'closed')),
    device_id   uuid,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    detail      text
);
CREATE INDEX lease_event_job ON delivery.lease_event (job_id, event_id);

CREATE TABLE delivery.downstream_submission (
    job_id          uuid PRIMARY KEY REFERENCES delivery.generation_job,
    device_id       uuid NOT NULL,
    epoch           bigint NOT NULL,
    digest          bytea NOT NULL CHECK (octet_length(digest) = 32),
    submitted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Set after the broker confirmed the message of every recipient.
    fanned_out_at   timestamptz,
    -- `outbox resend`: the coordinator publishes again; completion is untouched.
    resend_at       timestamptz,
    -- Until then one coordinator is publishing it; only saves work, since two would publish the same ids.
    taken_until     timestamptz,
    -- The ciphertexts are gone: nothing can be sent again.
    purged_at       timestamptz
);
CREATE INDEX downstream_submission_open ON delivery.downstream_submission (submitted_at) WHERE fanned_out_at IS NULL;
CREATE INDEX downstream_submission_resend ON delivery.downstream_submission (resend_at) WHERE resend_at IS NOT NULL;
CREATE INDEX downstream_submission_purge ON delivery.downstream_submission (fanned_out_at) WHERE purged_at IS NULL;

CREATE TABLE delivery.downstream_ciphertext (
    job_id      uuid NOT NULL REFERENCES delivery.downstream_submission ON DELETE CASCADE,
    recipient   text NOT NULL,
    ciphertext  bytea NOT NULL CHECK (octet_length(ciphertext) <= 262144),
    PRIMARY KEY (job_id, recipient)
);
ALTER TABLE delivery.downstream_ciphertext ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

-- Ciphertexts that came ahead of a submission too large for one request; those of older epochs are rubbish.
CREATE TABLE delivery.fanout_part (
    job_id      uuid NOT NULL REFERENCES delivery.fanout_lease ON DELETE CASCADE,
    epoch       bigint NOT NULL,
    recipient   text NOT NULL,
    ciphertext  bytea NOT NULL CHECK (octet_length(ciphertext) <= 262144),
    PRIMARY KEY (job_id, epoch, recipient)
);
ALTER TABLE delivery.fanout_part ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

-- Outbox --------------------------------------------------------------------------------------------------------------

-- One row a provider, environment and app; written by `topology apply`. Route 0 is that of the events.
-- The two halves never touch each other: states.md (e).
CREATE TABLE delivery.route_state (
    route           smallint PRIMARY KEY CHECK (route >= 0),
    provider        text NOT NULL,
    environment     text NOT NULL DEFAULT '',
    app             text NOT NULL DEFAULT '',
    hand_paused     boolean NOT NULL DEFAULT false,
    hand_by         text,
    hand_since      timestamptz,
    hand_reason     text,
    seen_paused     boolean NOT NULL DEFAULT false,
    seen_reason     text,
    seen_since      timestamptz,
    seen_probe_at   timestamptz,
    seen_instance   text,
    UNIQUE (provider, environment, app)
);
INSERT INTO delivery.route_state (route, provider) VALUES (0, 'events');

-- What every recorder saw a route and sender instance answer, by minute: token judgement reads it.
CREATE TABLE delivery.route_window (
    route       smallint NOT NULL,
    instance    text NOT NULL,
    minute      timestamptz NOT NULL,
    answers     integer NOT NULL DEFAULT 0,
    acceptances integer NOT NULL DEFAULT 0,
    suspicions  integer NOT NULL DEFAULT 0,
    PRIMARY KEY (route, instance, minute)
);

-- History: one row a job and device, in daily partitions. states.md (a).
CREATE TABLE delivery.push_outbox (
    created_at      timestamptz NOT NULL,
    id              uuid NOT NULL,
    job_id          uuid NOT NULL,
    device_id       uuid NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN
                    ('pending', 'accepted', 'failed', 'expired', 'superseded', 'cancelled', 'no_token')),
    reason          text,
    seq             integer NOT NULL DEFAULT 0,
    life            integer NOT NULL DEFAULT 1,
    failures        integer NOT NULL DEFAULT 0,
    silences        integer NOT NULL DEFAULT 0,
    crashes         integer NOT NULL DEFAULT 0,
    disputes        integer NOT NULL DEFAULT 0,
    provider_id     text,
    finished_at     timestamptz,
    PRIMARY KEY (created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX push_outbox_id ON delivery.push_outbox (id);
CREATE TABLE delivery.push_outbox_default PARTITION OF delivery.push_outbox DEFAULT WITH (fillfactor = 50);

-- Immutable bodies of every other message that a service announces (decision 10).
CREATE TABLE delivery.event_outbox (
    created_at      timestamptz NOT NULL,
    id              uuid NOT NULL,
    exchange        text NOT NULL CHECK (exchange IN ('events', 'dead')),
    routing_key     text NOT NULL CHECK (octet_length(routing_key) BETWEEN 1 AND 255),
    type            text NOT NULL,
    -- message-id of the message: the event's id, but an entry's id for a dead hint (W3).
    message_id      uuid NOT NULL,
    headers         jsonb NOT NULL DEFAULT '{}' CHECK (octet_length(headers::text) <= 16384),
    body            bytea NOT NULL CHECK (octet_length(body) <= 262144),
    PRIMARY KEY (created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX event_outbox_id ON delivery.event_outbox (id);
CREATE TABLE delivery.event_outbox_default PARTITION OF delivery.event_outbox DEFAULT;

CREATE SEQUENCE delivery.lease_token;

-- Narrow and hot: only what still has to reach the broker or lacks its outcome. `entry` and `created_at` name the row of
-- push_outbox (route > 0) or event_outbox (route 0). Lease columns are in no index, so that a claim can be a HOT update.
-- A leased row has lease_token and no published_at; an awaiting one has both.
CREATE TABLE delivery.due (
    id              bigint GENERATED ALWAYS AS IDENTITY (CACHE 32) PRIMARY KEY,
    entry           uuid NOT NULL UNIQUE,
    created_at      timestamptz NOT NULL,
    due_at          timestamptz NOT NULL DEFAULT now(),
    first_failed_at timestamptz,
    lease_until     timestamptz,
    published_at    timestamptz,
    lease_token     bigint,
    lease_owner     uuid,
    seq             integer NOT NULL DEFAULT 0,
    life            integer NOT NULL DEFAULT 1,
    failures        smallint NOT NULL DEFAULT 0,
    silences        smallint NOT NULL DEFAULT 0,
    crashes         smallint NOT NULL DEFAULT 0,
    disputes        smallint NOT NULL DEFAULT 0,
    -- Of route_state, without a foreign key: every commit would lock the same few rows.
    route           smallint NOT NULL,
    share           smallint NOT NULL CHECK (share BETWEEN 0 AND 63),
    last_error      text CHECK (octet_length(last_error) <= 512)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX due_claim ON delivery.due (route, share, due_at, id);

-- Index of the dead-letter queues; no bodies. B3.
CREATE TABLE delivery.dead_letter (
    dead_letter_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue           text NOT NULL,
    message_id      text NOT NULL,
    -- seq of a hint, replay count of anything else
    seq             integer NOT NULL DEFAULT 0,
    type            text,
    reason          text NOT NULL,
    status          integer,
    provider_id     text,
    failures        integer NOT NULL DEFAULT 0,
    first_failed_at timestamptz,
    last_failed_at  timestamptz,
    exchange        text,
    routing_key     text,
    traceparent     text,
    job_id          uuid,
    device_id       uuid,
    entry           uuid,
    entry_created_at timestamptz,
    state           text NOT NULL DEFAULT 'open'
                    CHECK (state IN ('open', 'replayed', 'discarded', 'alive', 'expired')),
    state_at        timestamptz NOT NULL DEFAULT now(),
    repeats         integer NOT NULL DEFAULT 0,
    recorded_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (queue, message_id, seq)
);
CREATE INDEX dead_letter_open ON delivery.dead_letter (queue, dead_letter_id) WHERE state = 'open';
CREATE INDEX dead_letter_open_history ON delivery.dead_letter (entry_created_at) WHERE state = 'open';
CREATE INDEX dead_letter_entry ON delivery.dead_letter (entry) WHERE entry IS NOT NULL;

-- What operators changed: who, what, why. B8.
CREATE TABLE delivery.audit (
    audit_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT now(),
    actor       text NOT NULL,
    action      text NOT NULL,
    subject     text NOT NULL,
    detail      jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_at ON delivery.audit (at);
