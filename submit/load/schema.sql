-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The SQLite store of jobtrail, version 1.
--
-- Times are seconds since the Epoch, durations are seconds; NULL means not known. What many runs
-- share is stored once: executables and objects by path and hash, sets of objects, environments
-- and ancestors by the sha1 of their canonical JSON. Text is UTF-8; a byte B that was not UTF-8
-- when it was recorded stands as the private-use code point U+EF00 + B.

CREATE TABLE executable (
    id      INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,
    hash_id TEXT NOT NULL,           -- sha1 of the file; '0' when not computed, as in XALT
    UNIQUE (path, hash_id)
);

CREATE TABLE object (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,              -- sha1 of the file; '0' when not computed
    UNIQUE (path, hash)
);

CREATE TABLE object_set (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
);

CREATE TABLE object_set_member (
    object_set_id INTEGER NOT NULL REFERENCES object_set (id),
    object_id     INTEGER NOT NULL REFERENCES object (id),
    PRIMARY KEY (object_set_id, object_id)
) WITHOUT ROWID;
CREATE INDEX object_set_member_object ON object_set_member (object_id);

CREATE TABLE environment (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL               -- {"NAME": "value", ...}
);

CREATE TABLE ancestors (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL               -- [{"cmd_name": ..., "cmd_path": ..., "pid": ...}, ...]
);

CREATE TABLE run (
    uuid           TEXT NOT NULL PRIMARY KEY,
    is_start_only  INTEGER NOT NULL, -- 1: the run's end has not been loaded

    user           TEXT,
    account        TEXT,
    queue          TEXT,             -- as XALT names the partition
    scheduler      TEXT,
    syshost        TEXT,
    submit_host    TEXT,
    container      TEXT,
    executable_id  INTEGER REFERENCES executable (id),
    exec_type      TEXT,
    exec_epoch     REAL,             -- when the executable was last modified
    cwd            TEXT,
    cmdline        TEXT,             -- JSON array
    object_set_id  INTEGER REFERENCES object_set (id),
    environment_id INTEGER REFERENCES environment (id),
    ancestors_id   INTEGER REFERENCES ancestors (id),

    record_epoch   REAL,             -- when the record was written
    start_time     REAL,
    end_time       REAL,
    run_time       REAL,
    probability    REAL,             -- of the record having been kept
    num_tasks      INTEGER,
    num_nodes      INTEGER,
    num_cores      INTEGER,          -- in XALT the number of tasks
    num_threads    INTEGER,
    num_gpus       INTEGER,

    job_id         TEXT,             -- as XALT writes it
    job_id_raw     INTEGER,          -- Slurm's own number of the job
    step_id        TEXT,             -- '0', 'batch', 'extern', 'interactive'
    array_job_id   INTEGER,
    array_task_id  INTEGER,
    het_job_id     INTEGER,
    het_offset     INTEGER,
    restart_count  INTEGER,
    cluster        TEXT,
    partition      TEXT,
    qos            TEXT,
    node           TEXT,
    node_id        INTEGER,
    task_id        INTEGER,
    cpus_alloc     INTEGER,
    gpus_alloc     INTEGER,
    dropped        INTEGER,          -- captures that the job lost on this node

    exit_code      INTEGER,
    signal         INTEGER,
    core_dumped    INTEGER,
    end_source     TEXT,             -- fini, exec, task_exit, step_end, epilog, reboot
    end_time_error REAL,             -- end_time may be wrong by so much

    build_uuid          TEXT,        -- from the executable's watermark
    build_user          TEXT,
    build_host          TEXT,
    build_syshost       TEXT,
    build_os            TEXT,
    build_cwd           TEXT,
    build_compiler      TEXT,
    build_compiler_path TEXT,
    build_modules       TEXT,
    build_lmfiles       TEXT,
    build_xalt          TEXT,        -- version of the linker wrapper
    build_epoch         REAL
);
CREATE INDEX run_job ON run (job_id_raw);
CREATE INDEX run_array ON run (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX run_het ON run (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX run_start ON run (start_time);
CREATE INDEX run_user ON run (user, start_time);
CREATE INDEX run_executable ON run (executable_id);
CREATE INDEX run_object_set ON run (object_set_id);

PRAGMA user_version = 1;
