-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Profiles of a step that a node has kept: a row for each file and MPI program in it.
CREATE TABLE IF NOT EXISTS profile (
    uuid             @UUID_TEXT@ NOT NULL, -- of the record: a program of a step on a node
    owner            BIGINT NOT NULL,
    proven           TINYINT NOT NULL,
    cluster          VARCHAR(255),
    syshost          VARCHAR(255),
    job_id_raw       BIGINT NOT NULL,
    array_job_id     BIGINT,
    array_task_id    BIGINT,
    het_job_id       BIGINT,
    het_offset       BIGINT,
    restart_count    BIGINT,
    node             VARCHAR(255) NOT NULL,
    uid              BIGINT,
    user             VARCHAR(255),
    account          VARCHAR(255),
    `partition`      VARCHAR(255),
    step_id          VARCHAR(255) NOT NULL,
    step_tasks       BIGINT,               -- of the whole step; 0: unknown
    step_nodes       BIGINT,               -- likewise
    node_tasks       BIGINT,               -- of the step on this node; 0: unknown
    path             TEXT NOT NULL,        -- of the file, on the node or where it sees it
    bytes            BIGINT NOT NULL,      -- of the file
    end_time         DOUBLE NOT NULL,      -- when the file was made
    joined           BIGINT,               -- 1: the file is of all nodes of the step; other rows tell of its ranks
    program          TEXT,                 -- what its launcher called the MPI program, as a hash; "": not known
    executable       TEXT,                 -- hash of the path that these ranks of it run; "": not known
    programs         BIGINT,               -- that the file has; at most 16 have rows
    runs             BIGINT,               -- that have processes in it
    mpi_runs         BIGINT,               -- of these, that called MPI
    run_uuids        TEXT,                 -- of the first 16, by blanks; those that called MPI first
    mpi_size         BIGINT,               -- ranks of the program on all nodes; 0: not known
    ranks            BIGINT,               -- that left a profile
    mpi_ranks        BIGINT,               -- of how many of these calls of MPI were counted
    mpi_calls        BIGINT,
    mpi_time         DOUBLE,               -- seconds in MPI, of all their threads that called it
    mpi_elapsed      DOUBLE,               -- seconds that they ran, for each of these threads
    mpi_outside_max  DOUBLE,               -- seconds that one of them was outside of MPI, the most
    mpi_outside_rank BIGINT,               -- that rank
    mpi_missed       BIGINT,               -- routines and objects of MPI that could not be counted
    mpi_untimed      BIGINT,               -- 1: of some of them no times are known
    mpi_open         BIGINT,               -- 1: some of them ran so long at least
    mpi_routines     TEXT,                 -- NAME=CALLS:SECONDS:OPEN, by blanks; the most time first
    PRIMARY KEY (uuid, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS profile_job ON profile (job_id_raw, step_id);
CREATE INDEX IF NOT EXISTS profile_end ON profile (end_time);
