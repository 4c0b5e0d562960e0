-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Ranks of a step on a node, summarised: a row for each program, and one for those that were not seen.
CREATE TABLE IF NOT EXISTS ranks (
    uuid          @UUID_TEXT@ NOT NULL, -- of the record: a program of a step on a node
    owner         BIGINT NOT NULL,
    proven        TINYINT NOT NULL,
    cluster       VARCHAR(255),
    syshost       VARCHAR(255),
    job_id_raw    BIGINT NOT NULL,
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    restart_count BIGINT,
    node          VARCHAR(255) NOT NULL,
    uid           BIGINT,
    user          VARCHAR(255),
    account       VARCHAR(255),
    `partition`   VARCHAR(255),
    step_id       VARCHAR(255) NOT NULL,
    step_tasks    BIGINT,               -- of the whole step; 0: unknown
    step_nodes    BIGINT,               -- likewise
    node_tasks    BIGINT,               -- of the step on this node; 0: unknown
    program       TEXT NOT NULL,        -- '': of tasks that the kernel did not report
    ranks         BIGINT NOT NULL,      -- that the kernel reported
    unseen        BIGINT NOT NULL,      -- tasks of the step here that it did not report
    start_time    DOUBLE,
    end_time      DOUBLE NOT NULL,      -- of the last one
    timed         BIGINT,               -- of how many the elapsed times are
    elapsed_min   DOUBLE,
    elapsed_mean  DOUBLE,
    elapsed_max   DOUBLE,
    measured      BIGINT,               -- of how many times of processors and memory are
    cpu_min       DOUBLE,               -- seconds of processors
    cpu_mean      DOUBLE,
    cpu_max       DOUBLE,
    memory_min    BIGINT,               -- bytes, the most that were resident
    memory_mean   DOUBLE,
    memory_max    BIGINT,
    largest_task  BIGINT,               -- that had the most memory
    faults_min    BIGINT,               -- major page faults, as from swap
    faults_mean   DOUBLE,
    faults_max    BIGINT,
    faults_task   BIGINT,               -- that had the most of them
    ended_zero    BIGINT,               -- with exit code 0
    ended_code    BIGINT,
    ended_signal  BIGINT,
    ended_unknown BIGINT,
    ends          TEXT,                 -- EXIT:SIGNAL=RANKS, by blanks
    failed_task   BIGINT,               -- that ended first with anything but exit code 0
    failed_time   DOUBLE,
    failed_end    VARCHAR(255),
    PRIMARY KEY (uuid, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ranks_job ON ranks (job_id_raw, step_id);
CREATE INDEX IF NOT EXISTS ranks_end ON ranks (end_time);
