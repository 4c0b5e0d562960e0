-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The store in SQLite. tables_mariadb.sql has the same tables, with the same meaning.
--
-- Times are seconds since the Epoch, durations are seconds; NULL means not known. Text is UTF-8; a
-- byte B that was not UTF-8 when it was recorded stands as the private-use code point U+EF00 + B.
--
-- What many runs share is stored once, by a sha1 (20 bytes): `identity` is that of the row's own
-- values, joined by NUL bytes (value_digest.h); the `hash` of a set is that of its canonical JSON (of a set of
-- objects: of the syshost, a NUL byte and the JSON).
--
-- Anybody can write another's uuid into a record. So a uuid means one thing only together with its
-- `owner` alone: a number made of user, job, restart and cluster (submit/load/store/record_owner.h), odd in
-- records of jobtrail and even in XALT's. The view `conflict` has what shares a uuid with others.
-- `proven` is 0 where a record came a way that others can write to and nothing proves whose it is.

CREATE TABLE IF NOT EXISTS store_state (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
-- counts what may have made ids invalid that a loader remembers
INSERT OR IGNORE INTO store_state VALUES ('generation', '1');
-- counts the batches that changed rows which were complete: sums that were made of them are not right
INSERT OR IGNORE INTO store_state VALUES ('replaced', '0');

-- Modules, and where their files are: the longest prefix that a path lies in is its module.
CREATE TABLE IF NOT EXISTS module (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS module_path (
    identity  BLOB NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id INTEGER NOT NULL REFERENCES module (id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS executable (
    id        INTEGER PRIMARY KEY,
    identity  BLOB NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   TEXT NOT NULL,         -- sha1 of the file; '0' when not computed, as in XALT
    module_id INTEGER REFERENCES module (id)
);
CREATE INDEX IF NOT EXISTS executable_module ON executable (module_id);

CREATE TABLE IF NOT EXISTS object (
    id        INTEGER PRIMARY KEY,
    identity  BLOB NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      TEXT NOT NULL,         -- sha1 of the file; if not computed 'build-id:' and that; '0' without either
    syshost   TEXT NOT NULL,         -- '' when not known
    added     TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id INTEGER REFERENCES module (id)
);
CREATE INDEX IF NOT EXISTS object_module ON object (module_id);

CREATE TABLE IF NOT EXISTS object_set (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS object_set_member (
    object_set_id INTEGER NOT NULL REFERENCES object_set (id),
    object_id     INTEGER NOT NULL REFERENCES object (id),
    PRIMARY KEY (object_set_id, object_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS object_set_member_object ON object_set_member (object_id);

-- An environment is a set of variables with their values. Nearly every job has one of its own, so its
-- members are an array in its row: rows of their own would take four times as much room. The view
-- environment_member has them as rows.
CREATE TABLE IF NOT EXISTS env_name (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS env_value (
    id          INTEGER PRIMARY KEY,
    identity    BLOB NOT NULL UNIQUE, -- of name and value
    env_name_id INTEGER NOT NULL REFERENCES env_name (id),
    value       TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS env_value_name ON env_value (env_name_id);
CREATE TABLE IF NOT EXISTS environment (
    id      INTEGER PRIMARY KEY,
    hash    BLOB NOT NULL UNIQUE,
    members TEXT NOT NULL            -- JSON array of the ids of env_value, ascending
);

-- Of a run's processes; their pids are the run's own. %j stands for its job_id, %% for a percent sign.
CREATE TABLE IF NOT EXISTS ancestors (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    json TEXT NOT NULL               -- [{"cmd_name": ..., "cmd_path": ..., "cmdlineA": ...}, ...]
);

-- An executable's watermark.
CREATE TABLE IF NOT EXISTS build (
    id                  INTEGER PRIMARY KEY,
    identity            BLOB NOT NULL UNIQUE,
    build_uuid          TEXT,        -- of the link record
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
CREATE INDEX IF NOT EXISTS build_of_link ON build (build_uuid);

-- A run is a row in each of the following five tables; the view `run` has them as one. Most runs
-- share four of the rows with others.

-- What ran: an executable with what was loaded into it.
CREATE TABLE IF NOT EXISTS program (
    id            INTEGER PRIMARY KEY,
    identity      BLOB NOT NULL UNIQUE,
    executable_id INTEGER REFERENCES executable (id),
    object_set_id INTEGER REFERENCES object_set (id),
    build_id      INTEGER REFERENCES build (id),
    exec_type     TEXT,
    exec_epoch    REAL               -- when the executable was last modified
);
CREATE INDEX IF NOT EXISTS program_executable ON program (executable_id);
CREATE INDEX IF NOT EXISTS program_object_set ON program (object_set_id);
CREATE INDEX IF NOT EXISTS program_build ON program (build_id) WHERE build_id IS NOT NULL;

-- Who ran it, and where: a job has a row for each node and directory that its runs were in.
CREATE TABLE IF NOT EXISTS job_part (
    id             INTEGER PRIMARY KEY,
    identity       BLOB NOT NULL UNIQUE,
    user           TEXT,
    account        TEXT,
    queue          TEXT,             -- as XALT names the partition
    scheduler      TEXT,
    syshost        TEXT,
    submit_host    TEXT,
    container      TEXT,
    cwd            TEXT,
    job_id         TEXT,             -- as XALT writes it
    job_id_raw     INTEGER,          -- Slurm's own number of the job
    array_job_id   INTEGER,
    array_task_id  INTEGER,
    het_job_id     INTEGER,
    het_offset     INTEGER,
    restart_count  INTEGER,
    cluster        TEXT,
    partition      TEXT,
    qos            TEXT,
    node           TEXT,
    dropped        INTEGER           -- captures that the job lost on this node
);
CREATE INDEX IF NOT EXISTS job_part_job ON job_part (job_id_raw);
CREATE INDEX IF NOT EXISTS job_part_array ON job_part (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_part_het ON job_part (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_part_user ON job_part (user);

-- On how much.
CREATE TABLE IF NOT EXISTS layout (
    id          INTEGER PRIMARY KEY,
    identity    BLOB NOT NULL UNIQUE,
    probability REAL,                -- of the record having been kept
    num_tasks   INTEGER,
    num_nodes   INTEGER,
    num_cores   INTEGER,             -- in XALT the number of tasks
    num_threads INTEGER,
    num_gpus    INTEGER,
    node_id     INTEGER,
    task_id     INTEGER,
    cpus_alloc  INTEGER,
    gpus_alloc  INTEGER,
    captured_by TEXT,                -- library, journal, kernel; NULL in older records
    mem_alloc   INTEGER              -- bytes that Slurm gave the step on the node; NULL: no bound, or not known
);

-- How it ended.
CREATE TABLE IF NOT EXISTS ending (
    id             INTEGER PRIMARY KEY,
    identity       BLOB NOT NULL UNIQUE,
    exit_code      INTEGER,
    signal         INTEGER,
    core_dumped    INTEGER,
    end_source     TEXT,             -- fini, exec, task_exit, ...: jobtrail-submit(8)
    outlived       INTEGER,          -- 1: it still ran after its job's epilog
    missing_library TEXT             -- for which its loader did not start it; NULL: none, or unknown
);

-- What is the run's own.
CREATE TABLE IF NOT EXISTS run_own (
    id             INTEGER PRIMARY KEY,
    uuid           TEXT NOT NULL,
    owner          INTEGER NOT NULL, -- whose record has the uuid, see above
    proven         INTEGER NOT NULL, -- see above
    is_start_only  INTEGER NOT NULL, -- 1: the run's end has not been loaded
    date           TEXT,             -- start_time as 'YYYY-MM-DD HH:MM:SS' in the store's zone
    step_id        TEXT,             -- '0', 'batch', 'extern', 'interactive'
    cmdline        TEXT,             -- JSON array
    ancestor_pids  TEXT,             -- JSON array, in the order of `ancestors`
    program_id     INTEGER NOT NULL REFERENCES program (id),
    job_part_id    INTEGER NOT NULL REFERENCES job_part (id),
    layout_id      INTEGER NOT NULL REFERENCES layout (id),
    ending_id      INTEGER NOT NULL REFERENCES ending (id),
    environment_id INTEGER REFERENCES environment (id),
    ancestors_id   INTEGER REFERENCES ancestors (id),
    record_epoch   REAL,             -- when the record was written, of a run without start_time
    start_time     REAL,
    end_time       REAL,             -- the lower bound where the end is not known, and so is
    run_time       REAL,             -- this
    end_time_error REAL,             -- the end may lie so far from end_time
    end_time_min   REAL,             -- the end lies between these two; NULL in records of XALT
    end_time_max   REAL,
    pid            INTEGER,
    core_seconds   REAL,             -- of the allocation, which no other run has; NULL in records of XALT
    core_seconds_max REAL,           -- at the most
    core_day       INTEGER,          -- the only day that core_seconds is of, since 1970-01-01 in the store's
                                     -- time zone; NULL: none, or run_day has them
    leads          INTEGER,          -- 1: it stands for the tasks that follow its own
    clock_step     REAL,             -- s by which the clock was set meanwhile; NULL: not known
    user_cpu       REAL,             -- s of processor time of its process, as the kernel told; NULL: not known
    system_cpu     REAL,             -- the same, in the kernel
    max_rss        INTEGER,          -- resident memory at its peak, bytes; NULL likewise
    disk_read      INTEGER,          -- bytes from storage; NULL likewise
    disk_write     INTEGER,          -- bytes to storage; NULL likewise
    forked         INTEGER,          -- processes that it forked and that executed nothing; NULL likewise
    forked_signaled INTEGER,         -- of these, how many a signal ended; NULL likewise
    forked_cpu     REAL,             -- s of processor time of them all; NULL likewise
    forked_max_rss INTEGER,          -- the largest peak of one of them, bytes; NULL likewise
    forked_read    INTEGER,          -- bytes from storage, of them all; NULL likewise
    forked_write   INTEGER,          -- bytes to storage, of them all; NULL likewise
    forked_least   INTEGER,          -- 1: there may be more of each of these
    UNIQUE (uuid, owner)
);
CREATE INDEX IF NOT EXISTS run_own_job_part ON run_own (job_part_id);
CREATE INDEX IF NOT EXISTS run_own_program ON run_own (program_id);
CREATE INDEX IF NOT EXISTS run_own_start ON run_own (start_time);

-- Days of runs that had core seconds on more than one: their sum is run_own.core_seconds.
CREATE TABLE IF NOT EXISTS run_day (
    run_id       INTEGER NOT NULL REFERENCES run_own (id),
    day          INTEGER NOT NULL,   -- since 1970-01-01
    core_seconds REAL NOT NULL,
    PRIMARY KEY (run_id, day)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_day_day ON run_day (day);

CREATE TABLE IF NOT EXISTS function_name (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS function_set (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS function_set_member (
    function_set_id  INTEGER NOT NULL REFERENCES function_set (id),
    function_name_id INTEGER NOT NULL REFERENCES function_name (id),
    PRIMARY KEY (function_set_id, function_name_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS function_set_member_function ON function_set_member (function_name_id);

CREATE TABLE IF NOT EXISTS link (
    id              INTEGER PRIMARY KEY,
    uuid            TEXT NOT NULL,
    build_user      TEXT NOT NULL,   -- '' when not known
    xalt_uuid       TEXT NOT NULL,   -- for XALT's queries: UUID/USER unless it is the only (proven) one
    proven          INTEGER NOT NULL,
    date            TEXT,            -- build_epoch, as in `run`
    executable_id   INTEGER REFERENCES executable (id), -- where it was linked to
    object_set_id   INTEGER REFERENCES object_set (id),
    function_set_id INTEGER REFERENCES function_set (id), -- taken from libraries of modules
    link_program    TEXT,
    link_path       TEXT,
    module_id       INTEGER REFERENCES module (id),       -- of link_path
    link_line       TEXT,            -- JSON array
    cwd             TEXT,
    build_host      TEXT,
    build_syshost   TEXT,
    build_epoch     REAL,
    wrapper         TEXT,            -- which called the compiler, such as mpicc; '' for none
    UNIQUE (uuid, build_user)
);
CREATE INDEX IF NOT EXISTS link_xalt_uuid ON link (xalt_uuid);
CREATE INDEX IF NOT EXISTS link_time ON link (build_epoch);
CREATE INDEX IF NOT EXISTS link_executable ON link (executable_id);
CREATE INDEX IF NOT EXISTS link_object_set ON link (object_set_id);
CREATE INDEX IF NOT EXISTS link_function_set ON link (function_set_id);

-- Packages of R, Python, MATLAB. A record of one may come before that of its run.
CREATE TABLE IF NOT EXISTS package (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    program  TEXT,
    name     TEXT,
    version  TEXT,
    path     TEXT
);
CREATE INDEX IF NOT EXISTS package_name ON package (name);
CREATE TABLE IF NOT EXISTS run_package (
    id         INTEGER PRIMARY KEY,  -- in the order of loading
    run_uuid   TEXT NOT NULL,
    owner      INTEGER NOT NULL,     -- 0: of a run that XALT wrote; else it is the run's
    package_id INTEGER NOT NULL REFERENCES package (id),
    proven     INTEGER NOT NULL,
    UNIQUE (run_uuid, owner, package_id)
);
CREATE INDEX IF NOT EXISTS run_package_package ON run_package (package_id);

-- Who the owners of packages are.
CREATE TABLE IF NOT EXISTS package_owner (
    id            INTEGER PRIMARY KEY, -- `owner`
    user          TEXT,
    job_id        INTEGER,
    restart_count INTEGER,
    cluster       TEXT
);

-- What became of the tasks that Slurm launched: a row for each fact of a job on a node.
CREATE TABLE IF NOT EXISTS coverage (
    uuid          TEXT NOT NULL,     -- of the record: a job on a node
    owner         INTEGER NOT NULL,
    proven        INTEGER NOT NULL,
    position      INTEGER NOT NULL,  -- of the fact in it
    cluster       TEXT,
    syshost       TEXT,
    user          TEXT,
    account       TEXT,
    partition     TEXT,
    job_id_raw    INTEGER,
    array_job_id  INTEGER,
    array_task_id INTEGER,
    het_job_id    INTEGER,
    het_offset    INTEGER,
    restart_count INTEGER,
    node          TEXT,
    dropped       INTEGER,
    cpus          INTEGER,           -- that Slurm allocated to the job on the node
    job_start     REAL,              -- of the allocation
    job_end       REAL,
    job_start_source TEXT,           -- slurm, prolog, step
    job_end_source TEXT,             -- epilog, reboot, flush
    suspended     REAL,
    allocation    REAL,              -- cpus x (job_end - job_start - suspended)
    timezone      TEXT,              -- that days are of
    others_runs   INTEGER,           -- that were sampled out, and of which nothing else is known
    others_seconds REAL,             -- their run time
    clock_step    REAL,              -- as a run's
    witness       TEXT,              -- of the kernel: off, none, ends, objects
    witness_processes INTEGER,       -- that it told of
    witness_older INTEGER,           -- of these, than the witness
    witness_partial INTEGER,         -- of these, not told of in full
    witness_left  INTEGER,           -- for which its file had no room
    witness_lost  INTEGER,           -- events of the node
    witness_overruns INTEGER,        -- times that ends of threads had no room
    witness_unheard REAL,            -- s of the job without a listener
    witness_agreed INTEGER,          -- processes: it and the ledger say the same
    witness_explained INTEGER,       -- that differ by a known cause
    witness_causes TEXT,             -- NAME=NUMBER ...
    witness_unexplained INTEGER,
    step_id       TEXT,
    outcome       TEXT NOT NULL,
    program       TEXT,
    tasks         INTEGER NOT NULL,
    runs          INTEGER,
    first_task    INTEGER,
    leader        INTEGER,
    day           TEXT,              -- YYYY-MM-DD
    core_seconds  REAL,              -- of the allocation, on that day
    start_time    REAL,
    end_time      REAL,
    PRIMARY KEY (uuid, owner, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS coverage_job ON coverage (job_id_raw, step_id, leader);
CREATE INDEX IF NOT EXISTS coverage_start ON coverage (start_time);

-- Ranks of a step on a node, summarised: a row for each program, and one for those that were not seen.
CREATE TABLE IF NOT EXISTS ranks (
    uuid          TEXT NOT NULL,   -- of the record: a program of a step on a node
    owner         INTEGER NOT NULL,
    proven        INTEGER NOT NULL,
    cluster       TEXT,
    syshost       TEXT,
    job_id_raw    INTEGER NOT NULL,
    array_job_id  INTEGER,
    array_task_id INTEGER,
    het_job_id    INTEGER,
    het_offset    INTEGER,
    restart_count INTEGER,
    node          TEXT NOT NULL,
    user          TEXT,
    account       TEXT,
    partition     TEXT,
    step_id       TEXT NOT NULL,
    step_tasks    INTEGER,         -- of the whole step; 0: unknown
    step_nodes    INTEGER,         -- likewise
    node_tasks    INTEGER,         -- of the step on this node; 0: unknown
    program       TEXT NOT NULL,   -- '': of tasks that the kernel told nothing of
    ranks         INTEGER NOT NULL, -- that the kernel told of
    unseen        INTEGER NOT NULL, -- tasks of the step here that it told nothing of
    start_time    REAL,
    end_time      REAL NOT NULL,   -- of the last one
    timed         INTEGER,         -- of how many the elapsed times are
    elapsed_min   REAL,
    elapsed_mean  REAL,
    elapsed_max   REAL,
    measured      INTEGER,         -- of how many times of processors and memory are
    cpu_min       REAL,            -- seconds of processors
    cpu_mean      REAL,
    cpu_max       REAL,
    memory_min    INTEGER,         -- bytes, the most that were resident
    memory_mean   REAL,
    memory_max    INTEGER,
    largest_task  INTEGER,         -- that had the most memory
    faults_min    INTEGER,         -- major page faults, as from swap
    faults_mean   REAL,
    faults_max    INTEGER,
    faults_task   INTEGER,         -- that had the most of them
    ended_zero    INTEGER,         -- with exit code 0
    ended_code    INTEGER,
    ended_signal  INTEGER,
    ended_unknown INTEGER,
    ends          TEXT,            -- EXIT:SIGNAL=RANKS, by blanks
    failed_task   INTEGER,         -- that ended first with anything but exit code 0
    failed_time   REAL,
    failed_end    TEXT,
    PRIMARY KEY (uuid, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ranks_job ON ranks (job_id_raw, step_id);
CREATE INDEX IF NOT EXISTS ranks_end ON ranks (end_time);

-- Profiles of a step that a node has kept: a row for each file and MPI program in it.
CREATE TABLE IF NOT EXISTS profile (
    uuid          TEXT NOT NULL,   -- of the record: a program of a step on a node
    owner         INTEGER NOT NULL,
    proven        INTEGER NOT NULL,
    cluster       TEXT,
    syshost       TEXT,
    job_id_raw    INTEGER NOT NULL,
    array_job_id  INTEGER,
    array_task_id INTEGER,
    het_job_id    INTEGER,
    het_offset    INTEGER,
    restart_count INTEGER,
    node          TEXT NOT NULL,
    user          TEXT,
    account       TEXT,
    partition     TEXT,
    step_id       TEXT NOT NULL,
    step_tasks    INTEGER,         -- of the whole step; 0: unknown
    step_nodes    INTEGER,         -- likewise
    node_tasks    INTEGER,         -- of the step on this node; 0: unknown
    path          TEXT NOT NULL,   -- of the file, on the node or where it sees it
    bytes         INTEGER NOT NULL, -- of the file
    end_time      REAL NOT NULL,   -- when the file was made
    joined        INTEGER,         -- 1: the file is of all nodes of the step; other rows tell of its ranks
    program       TEXT,            -- what its launcher called the MPI program, as a hash; "": not known
    executable    TEXT,            -- hash of the path that these ranks of it run; "": not known
    programs      INTEGER,         -- that the file has; at most 16 have rows
    runs          INTEGER,         -- that have processes in it
    mpi_runs      INTEGER,         -- of these, that called MPI
    run_uuids     TEXT,            -- of the first 16, by blanks; those that called MPI first
    mpi_size      INTEGER,         -- ranks of the program on all nodes; 0: not known
    ranks         INTEGER,         -- that left a profile
    mpi_ranks       INTEGER,       -- of how many of these calls of MPI were counted
    mpi_calls       INTEGER,
    mpi_time        REAL,          -- seconds in MPI, of all their threads that called it
    mpi_elapsed     REAL,          -- seconds that they ran, for each of these threads
    mpi_outside_max REAL,          -- seconds that one of them was outside of MPI, the most
    mpi_outside_rank INTEGER,      -- that rank
    mpi_missed      INTEGER,       -- routines and objects of MPI that could not be counted
    mpi_untimed     INTEGER,       -- 1: of some of them no times are known
    mpi_open        INTEGER,       -- 1: some of them ran so long at least
    mpi_routines    TEXT,          -- NAME=CALLS:SECONDS:OPEN, by blanks; the most time first
    PRIMARY KEY (uuid, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS profile_job ON profile (job_id_raw, step_id);
CREATE INDEX IF NOT EXISTS profile_end ON profile (end_time);

-- Changes of the site's libraries, and uses from outside of jobs and links.
CREATE TABLE IF NOT EXISTS library_event (
    uuid          TEXT NOT NULL,     -- the same whenever the same fact is told
    proven        INTEGER NOT NULL,
    event         TEXT NOT NULL,     -- what the changes of one installation have in common
    kind          TEXT NOT NULL,     -- change, use
    what          TEXT NOT NULL,     -- added, modified, ...; open, exec, ...
    library       TEXT NOT NULL,
    group_name    TEXT,
    path          TEXT NOT NULL,
    path_before   TEXT,              -- of what was moved
    files         INTEGER,           -- that the row stands for
    links         INTEGER,           -- other names of the file
    uses          INTEGER,           -- at least
    first_scan    INTEGER,           -- found when its tree was scanned first
    found         REAL NOT NULL,     -- when it was seen
    after_time    REAL,              -- between these two it was
    before_time   REAL,
    source        TEXT,              -- how it is known: scan, watch, atime
    uid           INTEGER,           -- of who did it; NULL: not known
    login_uid     INTEGER,           -- that they logged in with
    user          TEXT,
    program       TEXT,
    command       TEXT,
    cluster       TEXT,
    syshost       TEXT,
    node          TEXT,
    job_id_raw    INTEGER,
    step_id       TEXT,
    was_size      INTEGER,           -- of the file before; NULL: none, or not known
    was_mtime     REAL,
    was_sha1      TEXT,
    was_build_id  TEXT,
    was_soname    TEXT,
    was_package   TEXT,
    was_version   TEXT,
    was_owner     INTEGER,
    is_size       INTEGER,           -- of the file after
    is_mtime      REAL,
    is_sha1       TEXT,
    is_build_id   TEXT,
    is_soname     TEXT,
    is_package    TEXT,
    is_version    TEXT,
    is_owner      INTEGER,
    PRIMARY KEY (uuid)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS library_event_library ON library_event (library, found);
CREATE INDEX IF NOT EXISTS library_event_found ON library_event (found);

-- What runs called of the libraries that [routines] designates.
CREATE TABLE IF NOT EXISTS routine_library (
    id        INTEGER PRIMARY KEY,
    identity  BLOB NOT NULL UNIQUE,
    path      TEXT NOT NULL,         -- of a prepared archive its name
    build_id  TEXT NOT NULL,         -- '0' without one
    module_id INTEGER REFERENCES module (id)
);
CREATE TABLE IF NOT EXISTS routine (
    id                 INTEGER PRIMARY KEY,
    identity           BLOB NOT NULL UNIQUE,
    routine_library_id INTEGER NOT NULL REFERENCES routine_library (id),
    name               TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS routine_of_library ON routine (routine_library_id);
CREATE TABLE IF NOT EXISTS run_routine (
    run_id      INTEGER NOT NULL REFERENCES run_own (id),
    routine_id  INTEGER NOT NULL REFERENCES routine (id),
    first_call  REAL,                -- NULL: not known, or not in the time of the run
    calls       INTEGER,             -- NULL: not counted
    is_at_least INTEGER,             -- 1: there may have been more; NULL: not counted
    PRIMARY KEY (run_id, routine_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_routine_routine ON run_routine (routine_id);

-- The libraries that were there, and how much of their calls was seen.
CREATE TABLE IF NOT EXISTS run_routine_library (
    run_id             INTEGER NOT NULL REFERENCES run_own (id),
    routine_library_id INTEGER NOT NULL REFERENCES routine_library (id),
    PRIMARY KEY (run_id, routine_library_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_routine_library_library ON run_routine_library (routine_library_id);
CREATE TABLE IF NOT EXISTS run_routine_watch (
    run_id  INTEGER NOT NULL PRIMARY KEY REFERENCES run_own (id),
    watched INTEGER NOT NULL,        -- imports of routines
    missed  INTEGER NOT NULL,        -- imports and libraries by which calls were not seen
    unnamed INTEGER NOT NULL         -- called routines that have no row: see routine_maker
);

-- How many rows of routine and routine_library the runs of a user have added, as the loader bounds that.
CREATE TABLE IF NOT EXISTS routine_maker (
    id                 INTEGER PRIMARY KEY,
    user               TEXT NOT NULL,    -- '?': of all runs that are not proven
    day                INTEGER NOT NULL, -- of loading, since the Epoch
    routine_library_id INTEGER NOT NULL, -- 0: rows of libraries
    names              INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS routine_maker_day ON routine_maker (user, day);
CREATE INDEX IF NOT EXISTS routine_maker_library ON routine_maker (user, routine_library_id);

-- Allocations as Slurm's accounting has them (jobtrail-load --slurm): a row for each run of a requeued job, and
-- for each size of one that was resized, which have the same restart_count.
CREATE TABLE IF NOT EXISTS slurm_job (
    cluster       TEXT NOT NULL,
    job_id_raw    INTEGER NOT NULL,
    submit_time   INTEGER NOT NULL,  -- Slurm's own key with the two above: numbers of jobs are used again
    restart_count INTEGER NOT NULL,  -- how often the job was requeued before, as the store knows
    user          TEXT NOT NULL,
    account       TEXT NOT NULL,
    partition     TEXT NOT NULL,
    state         TEXT NOT NULL,     -- COMPLETED, CANCELLED, REQUEUED, RESIZING, RUNNING, ...
    array_job_id  INTEGER,
    array_task_id INTEGER,
    het_job_id    INTEGER,
    het_offset    INTEGER,
    start_time    REAL NOT NULL,
    end_time      REAL,              -- NULL: it went on at asked_time
    alloc_cpus    INTEGER NOT NULL,
    nodes         INTEGER NOT NULL,
    core_seconds  REAL NOT NULL,     -- CPUTimeRAW: up to asked_time where it went on
    suspended     REAL NOT NULL,
    asked_time    REAL NOT NULL,     -- when Slurm said so
    PRIMARY KEY (job_id_raw, cluster, submit_time)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS slurm_job_start ON slurm_job (start_time);
CREATE INDEX IF NOT EXISTS slurm_job_end ON slurm_job (end_time);
CREATE INDEX IF NOT EXISTS slurm_job_asked ON slurm_job (asked_time);

-- Filled by the site (jobtrail-load --accounts).
CREATE TABLE IF NOT EXISTS account_field (
    id               INTEGER PRIMARY KEY,
    account          TEXT NOT NULL UNIQUE,
    field_of_science TEXT NOT NULL,
    directorate      TEXT NOT NULL
);
