-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The tables of the store, in both databases: ../CMakeLists.txt has what each of them says for a word
-- between two @. Types are MariaDB's, which SQLite takes too; REFERENCES is for the reader. Each statement
-- may be run again: a loader that is killed here starts anew. Extensions have more: contrib/NAME/load/tables.sql.
--
-- Times are seconds since the Epoch, durations are seconds; NULL means not known. Text is UTF-8; a
-- byte B that was not UTF-8 when it was recorded stands as the private-use code point U+EF00 + B.
--
-- What many runs share is stored once, by a sha1 (20 bytes): `identity` is that of the row's own
-- values, joined by NUL bytes (database.h); the `hash` of a set is that of its canonical JSON (of a set of
-- objects: of the syshost, a NUL byte and the JSON).
--
-- In MariaDB names that reports group by are VARCHAR, all that can be long is TEXT or larger. There are no
-- foreign keys: they would cost four indexes on `run_own`. There are no partitions: each would have an
-- index of its own for the uuid, and all would be asked for every record that is loaded. Ids have four
-- bytes, except for a run's: each is in many rows and indexes.
--
-- Anybody can write another's uuid into a record. So a uuid means one thing only together with its
-- `owner` alone: a number made of user, uid, job, restart and cluster (submit/load/store/record_owner.h), odd in
-- records of jobtrail and even in XALT's. The view `conflict` has what shares a uuid with others.
-- `proven` is 0 where a record came a way that others can write to and nothing proves whose it is.

CREATE TABLE IF NOT EXISTS store_state (
    name  VARCHAR(64) NOT NULL PRIMARY KEY,
    value LONGTEXT NOT NULL
) WITHOUT ROWID;
-- counts what may have made ids invalid that a loader remembers
@INSERT_ONCE@ store_state VALUES ('generation', '1');
-- counts the batches that changed rows which were complete: sums that were made of them are not right
@INSERT_ONCE@ store_state VALUES ('replaced', '0');

-- Modules, and where their files are: the longest prefix that a path lies in is its module.
CREATE TABLE IF NOT EXISTS module (
    id       @ID@,
    identity @SHA1@ NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS module_path (
    identity  @SHA1@ NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id INT UNSIGNED NOT NULL REFERENCES module (id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS executable (
    id        @ID@,
    identity  @SHA1@ NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   VARCHAR(255) NOT NULL, -- sha1 of the file; '0' when not computed, as in XALT
    module_id INT UNSIGNED REFERENCES module (id)
);
CREATE INDEX IF NOT EXISTS executable_module ON executable (module_id);

CREATE TABLE IF NOT EXISTS object (
    id        @ID@,
    identity  @SHA1@ NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      VARCHAR(255) NOT NULL, -- sha1 of the file; if not computed 'build-id:' and that; '0' without either
    syshost   VARCHAR(255) NOT NULL, -- '' when not known
    added     @TIMESTAMP@ NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id INT UNSIGNED REFERENCES module (id)
);
CREATE INDEX IF NOT EXISTS object_module ON object (module_id);

CREATE TABLE IF NOT EXISTS object_set (
    id   @ID@,
    hash @SHA1@ NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS object_set_member (
    object_set_id INT UNSIGNED NOT NULL REFERENCES object_set (id),
    object_id     INT UNSIGNED NOT NULL REFERENCES object (id),
    PRIMARY KEY (object_set_id, object_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS object_set_member_object ON object_set_member (object_id);

-- An environment is a set of variables with their values. Nearly every job has one of its own, so its
-- members are an array in its row: rows of their own would take four times as much room. The view
-- environment_member has them as rows.
CREATE TABLE IF NOT EXISTS env_name (
    id       @ID@,
    identity @SHA1@ NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS env_value (
    id          @ID@,
    identity    @SHA1@ NOT NULL UNIQUE, -- of name and value
    env_name_id INT UNSIGNED NOT NULL REFERENCES env_name (id),
    value       LONGTEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS env_value_name ON env_value (env_name_id);
CREATE TABLE IF NOT EXISTS environment (
    id      @ID@,
    hash    @SHA1@ NOT NULL UNIQUE,
    members LONGTEXT NOT NULL -- JSON array of the ids of env_value, ascending
);

-- Of a run's processes; their pids are the run's own. %j stands for its job_id, %% for a percent sign.
CREATE TABLE IF NOT EXISTS ancestors (
    id   @ID@,
    hash @SHA1@ NOT NULL UNIQUE,
    json LONGTEXT NOT NULL -- [{"cmd_name": ..., "cmd_path": ..., "cmdlineA": ...}, ...]
);

-- An executable's watermark.
CREATE TABLE IF NOT EXISTS build (
    id                  @ID@,
    identity            @SHA1@ NOT NULL UNIQUE,
    build_uuid          VARCHAR(255), -- of the link record
    build_user          VARCHAR(255),
    build_host          VARCHAR(255),
    build_syshost       VARCHAR(255),
    build_os            VARCHAR(255),
    build_cwd           TEXT,
    build_compiler      VARCHAR(255),
    build_compiler_path TEXT,
    build_modules       TEXT,
    build_lmfiles       TEXT,
    build_xalt          VARCHAR(255), -- version of the linker wrapper
    build_epoch         DOUBLE
);
CREATE INDEX IF NOT EXISTS build_of_link ON build (build_uuid);

-- A run is a row in each of the following five tables; the view `run` has them as one. Most runs
-- share four of the rows with others.

-- What ran: an executable with what was loaded into it.
CREATE TABLE IF NOT EXISTS program (
    id            @ID@,
    identity      @SHA1@ NOT NULL UNIQUE,
    executable_id INT UNSIGNED REFERENCES executable (id),
    object_set_id INT UNSIGNED REFERENCES object_set (id),
    build_id      INT UNSIGNED REFERENCES build (id),
    exec_type     VARCHAR(255),
    exec_epoch    DOUBLE, -- when the executable was last modified
    unlisted      BIGINT  -- objects that were loaded, and that the set does not have; NULL: not known
);
CREATE INDEX IF NOT EXISTS program_executable ON program (executable_id);
CREATE INDEX IF NOT EXISTS program_object_set ON program (object_set_id);
CREATE INDEX IF NOT EXISTS program_build ON program (build_id) WHERE build_id IS NOT NULL;

-- Who ran it, and where: a job has a row for each node and directory that its runs were in.
CREATE TABLE IF NOT EXISTS job_part (
    id            @ID@,
    identity      @SHA1@ NOT NULL UNIQUE,
    user          VARCHAR(255),
    account       VARCHAR(255),
    queue         VARCHAR(255), -- as XALT names the partition
    scheduler     VARCHAR(255),
    syshost       VARCHAR(255),
    submit_host   VARCHAR(255),
    container     VARCHAR(255),
    cwd           TEXT,
    job_id        VARCHAR(255), -- as XALT writes it
    job_id_raw    BIGINT,       -- Slurm's own number of the job
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    restart_count BIGINT,
    cluster       VARCHAR(255),
    `partition`   VARCHAR(255),
    qos           VARCHAR(255),
    node          VARCHAR(255),
    uid           BIGINT,       -- of the user, on the node
    dropped       BIGINT        -- captures that the job lost on this node
);
CREATE INDEX IF NOT EXISTS job_part_job ON job_part (job_id_raw);
CREATE INDEX IF NOT EXISTS job_part_array ON job_part (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_part_het ON job_part (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS job_part_user ON job_part (user);

-- On how much.
CREATE TABLE IF NOT EXISTS layout (
    id          @ID@,
    identity    @SHA1@ NOT NULL UNIQUE,
    probability DOUBLE,       -- of the record having been kept
    num_tasks   BIGINT,
    num_nodes   BIGINT,
    num_cores   BIGINT,       -- in XALT the number of tasks
    num_threads BIGINT,
    num_gpus    BIGINT,
    node_id     BIGINT,
    task_id     BIGINT,
    cpus_alloc  BIGINT,
    gpus_alloc  BIGINT,
    captured_by VARCHAR(255), -- library, journal, kernel; NULL in records of XALT
    mem_alloc   BIGINT        -- bytes that Slurm gave the step on the node; NULL: no bound, or not known
);

-- How it ended.
CREATE TABLE IF NOT EXISTS ending (
    id              @ID@,
    identity        @SHA1@ NOT NULL UNIQUE,
    exit_code       BIGINT,
    `signal`        BIGINT,
    core_dumped     BIGINT,
    end_source      VARCHAR(255), -- fini, exec, task_exit, ...: jobtrail-submit(8)
    outlived        BIGINT,       -- 1: it still ran after its job's epilog
    missing_library VARCHAR(255)  -- for which its loader did not start it; NULL: none, or unknown
);

-- What is the run's own.
CREATE TABLE IF NOT EXISTS run_own (
    id               @RUN_ID@,
    uuid             @UUID@ NOT NULL,
    owner            BIGINT NOT NULL,  -- whose record has the uuid, see above
    proven           TINYINT NOT NULL, -- see above
    is_start_only    TINYINT NOT NULL, -- 1: the run's end has not been loaded
    date             @DATETIME@,       -- start_time as 'YYYY-MM-DD HH:MM:SS' in the store's zone
    step_id          VARCHAR(255),     -- '0', 'batch', 'extern', 'interactive'
    cmdline          LONGTEXT,         -- JSON array
    ancestor_pids    TEXT,             -- JSON array, in the order of `ancestors`
    program_id       INT UNSIGNED NOT NULL REFERENCES program (id),
    job_part_id      INT UNSIGNED NOT NULL REFERENCES job_part (id),
    layout_id        INT UNSIGNED NOT NULL REFERENCES layout (id),
    ending_id        INT UNSIGNED NOT NULL REFERENCES ending (id),
    environment_id   INT UNSIGNED REFERENCES environment (id),
    ancestors_id     INT UNSIGNED REFERENCES ancestors (id),
    record_epoch     DOUBLE,           -- when the record was written, of a run without start_time
    start_time       DOUBLE,
    end_time         DOUBLE,           -- the lower bound where the end is not known, and so is
    run_time         DOUBLE,           -- this
    end_time_error   DOUBLE,           -- the end may lie so far from end_time
    end_time_min     DOUBLE,           -- the end lies between these two; NULL in records of XALT
    end_time_max     DOUBLE,
    pid              BIGINT,
    core_seconds     DOUBLE,           -- of the allocation, which no other run has; NULL in records of XALT
    core_seconds_max DOUBLE,           -- at the most
    core_day         INT,              -- the only day that core_seconds is of, since 1970-01-01 in the store's
                                       -- zone; NULL: none, or run_day has them
    leads            BIGINT,           -- 1: it stands for the tasks that follow its own
    clock_step       DOUBLE,           -- s by which the clock was set meanwhile; NULL: not known
    user_cpu         DOUBLE,           -- s of processor time of its process, as the kernel reported; NULL: not known
    system_cpu       DOUBLE,           -- the same, in the kernel
    max_rss          BIGINT,           -- resident memory at its peak, bytes; NULL likewise
    disk_read        BIGINT,           -- bytes from storage; NULL likewise
    disk_write       BIGINT,           -- bytes to storage; NULL likewise
    forked           BIGINT,           -- processes that it forked and that executed nothing; NULL likewise
    forked_signaled  BIGINT,           -- of these, how many a signal ended; NULL likewise
    forked_cpu       DOUBLE,           -- s of processor time of them all; NULL likewise
    forked_max_rss   BIGINT,           -- the largest peak of one of them, bytes; NULL likewise
    forked_read      BIGINT,           -- bytes from storage, of them all; NULL likewise
    forked_write     BIGINT,           -- bytes to storage, of them all; NULL likewise
    forked_least     BIGINT,           -- 1: there may be more of each of these
    UNIQUE (uuid, owner)
);
CREATE INDEX IF NOT EXISTS run_own_job_part ON run_own (job_part_id);
CREATE INDEX IF NOT EXISTS run_own_program ON run_own (program_id);
CREATE INDEX IF NOT EXISTS run_own_time ON run_own (@RUN_TIME@);

-- Days of runs that had core seconds on more than one: their sum is run_own.core_seconds.
CREATE TABLE IF NOT EXISTS run_day (
    run_id       BIGINT UNSIGNED NOT NULL REFERENCES run_own (id),
    day          INT NOT NULL, -- since 1970-01-01
    core_seconds DOUBLE NOT NULL,
    PRIMARY KEY (run_id, day)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_day_day ON run_day (day);

CREATE TABLE IF NOT EXISTS function_name (
    id       @ID@,
    identity @SHA1@ NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS function_set (
    id   @ID@,
    hash @SHA1@ NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS function_set_member (
    function_set_id  INT UNSIGNED NOT NULL REFERENCES function_set (id),
    function_name_id INT UNSIGNED NOT NULL REFERENCES function_name (id),
    PRIMARY KEY (function_set_id, function_name_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS function_set_member_function ON function_set_member (function_name_id);

CREATE TABLE IF NOT EXISTS link (
    id              @ID@,
    uuid            @UUID_TEXT@ NOT NULL,
    build_user      VARCHAR(255) NOT NULL,   -- '' when not known
    xalt_uuid       VARCHAR(300) NOT NULL,   -- for XALT's queries: UUID/USER unless it is the only (proven) one
    proven          TINYINT NOT NULL,
    date            @DATETIME@,              -- build_epoch, as in `run`
    executable_id   INT UNSIGNED REFERENCES executable (id), -- where it was linked to
    object_set_id   INT UNSIGNED REFERENCES object_set (id),
    function_set_id INT UNSIGNED REFERENCES function_set (id), -- taken from libraries of modules
    link_program    VARCHAR(255),
    link_path       TEXT,
    module_id       INT UNSIGNED REFERENCES module (id), -- of link_path
    link_line       LONGTEXT,                -- JSON array
    cwd             TEXT,
    build_host      VARCHAR(255),
    build_syshost   VARCHAR(255),
    build_epoch     DOUBLE,
    wrapper         VARCHAR(255),            -- which called the compiler, such as mpicc; '' for none
    UNIQUE (uuid, build_user)
);
CREATE INDEX IF NOT EXISTS link_xalt_uuid ON link (xalt_uuid);
CREATE INDEX IF NOT EXISTS link_time ON link (build_epoch);
CREATE INDEX IF NOT EXISTS link_executable ON link (executable_id);
CREATE INDEX IF NOT EXISTS link_object_set ON link (object_set_id);
CREATE INDEX IF NOT EXISTS link_function_set ON link (function_set_id);

-- Packages of R, Python, MATLAB. A record of one may come before that of its run.
CREATE TABLE IF NOT EXISTS package (
    id       @ID@,
    identity @SHA1@ NOT NULL UNIQUE,
    program  VARCHAR(255),
    name     TEXT,
    version  VARCHAR(255),
    path     TEXT
);
CREATE INDEX IF NOT EXISTS package_name ON package (name@HEAD@);
CREATE TABLE IF NOT EXISTS run_package (
    id         @ROW_NUMBER@,    -- in the order of loading
    run_uuid   @UUID@ NOT NULL,
    owner      BIGINT NOT NULL, -- 0: of a run that XALT wrote; else it is the run's
    package_id INT UNSIGNED NOT NULL REFERENCES package (id),
    proven     TINYINT NOT NULL,
    @CLUSTERED@ (run_uuid, owner, package_id)
);
CREATE INDEX IF NOT EXISTS run_package_package ON run_package (package_id);

-- Who the owners of packages are.
CREATE TABLE IF NOT EXISTS package_owner (
    id            BIGINT NOT NULL PRIMARY KEY, -- `owner`
    user          VARCHAR(255),
    uid           BIGINT,
    job_id        BIGINT,
    restart_count BIGINT,
    cluster       VARCHAR(255)
) WITHOUT ROWID;

-- What became of the tasks that Slurm launched: a row for each fact of a job on a node.
CREATE TABLE IF NOT EXISTS coverage (
    uuid                @UUID_TEXT@ NOT NULL, -- of the record: a job on a node
    owner               BIGINT NOT NULL,
    proven              TINYINT NOT NULL,
    position            BIGINT NOT NULL,     -- of the fact in it
    cluster             VARCHAR(255),
    syshost             VARCHAR(255),
    user                VARCHAR(255),
    account             VARCHAR(255),
    `partition`         VARCHAR(255),
    job_id_raw          BIGINT,
    array_job_id        BIGINT,
    array_task_id       BIGINT,
    het_job_id          BIGINT,
    het_offset          BIGINT,
    restart_count       BIGINT,
    node                VARCHAR(255),
    uid                 BIGINT,
    dropped             BIGINT,
    cpus                BIGINT,              -- that Slurm allocated to the job on the node
    job_start           DOUBLE,              -- of the allocation
    job_end             DOUBLE,
    job_start_source    VARCHAR(255),        -- slurm, prolog, step
    job_end_source      VARCHAR(255),        -- epilog, reboot, flush
    suspended           DOUBLE,
    allocation          DOUBLE,              -- cpus x (job_end - job_start - suspended)
    timezone            VARCHAR(255),        -- that days are of
    others_runs         BIGINT,              -- that were sampled out, and of which nothing else is known
    others_seconds      DOUBLE,              -- their run time
    clock_step          DOUBLE,              -- as a run's
    witness             VARCHAR(255),        -- of the kernel: off, none, ends, objects
    witness_processes   BIGINT,              -- that it reported
    witness_older       BIGINT,              -- of these, than the witness
    witness_partial     BIGINT,              -- of these, not reported in full
    witness_left        BIGINT,              -- for which its file had no room
    witness_lost        BIGINT,              -- events of the node
    witness_overruns    BIGINT,              -- times that ends of threads had no room
    witness_unheard     DOUBLE,              -- s of the job without a listener
    witness_agreed      BIGINT,              -- processes: it and the ledger say the same
    witness_explained   BIGINT,              -- that differ by a known cause
    witness_causes      TEXT,                -- NAME=NUMBER ...
    witness_unexplained BIGINT,
    step_id             VARCHAR(255),
    outcome             VARCHAR(255) NOT NULL,
    program             VARCHAR(255),
    tasks               BIGINT NOT NULL,
    runs                BIGINT,
    first_task          BIGINT,
    leader              BIGINT,
    day                 VARCHAR(255),        -- YYYY-MM-DD
    core_seconds        DOUBLE,              -- of the allocation, on that day
    start_time          DOUBLE,
    end_time            DOUBLE,
    PRIMARY KEY (uuid, owner, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS coverage_job ON coverage (job_id_raw, step_id, leader);
CREATE INDEX IF NOT EXISTS coverage_start ON coverage (start_time);

-- Allocations as Slurm's accounting has them (jobtrail-load --slurm): a row for each run of a requeued job, and
-- for each size of one that was resized, which have the same restart_count.
CREATE TABLE IF NOT EXISTS slurm_job (
    cluster       VARCHAR(255) NOT NULL,
    job_id_raw    BIGINT NOT NULL,
    submit_time   BIGINT NOT NULL,       -- Slurm's own key with the two above: numbers of jobs are used again
    restart_count BIGINT NOT NULL,       -- how often the job was requeued before, as the store knows
    user          VARCHAR(255) NOT NULL,
    account       VARCHAR(255) NOT NULL,
    `partition`   VARCHAR(255) NOT NULL,
    state         VARCHAR(255) NOT NULL, -- COMPLETED, CANCELLED, REQUEUED, RESIZING, RUNNING, ...
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    start_time    DOUBLE NOT NULL,       -- 0: Slurm has lost it, and tells no core seconds of the run
    end_time      DOUBLE,                -- NULL: it went on at asked_time
    alloc_cpus    BIGINT NOT NULL,
    nodes         BIGINT NOT NULL,
    core_seconds  DOUBLE NOT NULL,       -- CPUTimeRAW: up to asked_time where it went on
    suspended     DOUBLE NOT NULL,
    asked_time    DOUBLE NOT NULL,       -- when Slurm said so
    PRIMARY KEY (job_id_raw, cluster, submit_time)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS slurm_job_start ON slurm_job (start_time);
CREATE INDEX IF NOT EXISTS slurm_job_end ON slurm_job (end_time);
CREATE INDEX IF NOT EXISTS slurm_job_asked ON slurm_job (asked_time);

-- Numbers of jobs come again: from this moment on a cluster's number is another job's. No row: it is not known to.
CREATE TABLE IF NOT EXISTS job_again (
    cluster    VARCHAR(255) NOT NULL,   -- '' when not known
    job_id_raw BIGINT NOT NULL,
    start_time DOUBLE NOT NULL,         -- between the one's end and the other's start
    PRIMARY KEY (job_id_raw, cluster, start_time)
) WITHOUT ROWID;

-- Filled by the site (jobtrail-load --accounts).
CREATE TABLE IF NOT EXISTS account_field (
    id               @ID@,
    account          VARCHAR(255) NOT NULL UNIQUE,
    field_of_science VARCHAR(255) NOT NULL,
    directorate      VARCHAR(255) NOT NULL
);
