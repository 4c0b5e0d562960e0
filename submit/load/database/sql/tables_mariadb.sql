-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The store in MariaDB: the tables of tables_sqlite.sql, where their meaning is told.
--
-- Every statement may be run again, since MariaDB commits each of them: whoever is killed here starts
-- anew. Names that reports group by are VARCHAR, all that can be long is TEXT or larger. There are no
-- foreign keys: they would cost four indexes on `run_own`. There are no partitions: each would have an
-- index of its own for the uuid, and all would be asked for every record that is loaded. Ids have four
-- bytes, except for a run's: each is in many rows and indexes.

CREATE TABLE IF NOT EXISTS store_state (
    name  VARCHAR(64) NOT NULL PRIMARY KEY,
    value LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
-- counts what may have made ids invalid that a loader remembers
INSERT IGNORE INTO store_state VALUES ('generation', '1');
-- counts the batches that changed rows which were complete: sums that were made of them are not right
INSERT IGNORE INTO store_state VALUES ('replaced', '0');

-- Modules, and where their files are: the longest prefix that a path lies in is its module.
CREATE TABLE IF NOT EXISTS module (
    id       INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity BINARY(20) NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS module_path (
    identity  BINARY(20) NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id INT UNSIGNED NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS executable (
    id        INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity  BINARY(20) NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   VARCHAR(255) NOT NULL,
    module_id INT UNSIGNED,
    INDEX executable_module (module_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS object (
    id        INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity  BINARY(20) NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      VARCHAR(255) NOT NULL,
    syshost   VARCHAR(255) NOT NULL,
    added     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id INT UNSIGNED,
    INDEX object_module (module_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS object_set (
    id   INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash BINARY(20) NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS object_set_member (
    object_set_id INT UNSIGNED NOT NULL,
    object_id     INT UNSIGNED NOT NULL,
    PRIMARY KEY (object_set_id, object_id),
    INDEX object_set_member_object (object_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- An environment is a set of variables with their values.
CREATE TABLE IF NOT EXISTS env_name (
    id       INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity BINARY(20) NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS env_value (
    id          INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity    BINARY(20) NOT NULL UNIQUE,
    env_name_id INT UNSIGNED NOT NULL,
    value       LONGTEXT NOT NULL,
    INDEX env_value_name (env_name_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS environment (
    id      INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash    BINARY(20) NOT NULL UNIQUE,
    members LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Of a run's processes; %j stands for its job_id, %% for a percent sign.
CREATE TABLE IF NOT EXISTS ancestors (
    id   INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash BINARY(20) NOT NULL UNIQUE,
    json LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- An executable's watermark.
CREATE TABLE IF NOT EXISTS build (
    id                  INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity            BINARY(20) NOT NULL UNIQUE,
    build_uuid          VARCHAR(255),
    build_user          VARCHAR(255),
    build_host          VARCHAR(255),
    build_syshost       VARCHAR(255),
    build_os            VARCHAR(255),
    build_cwd           TEXT,
    build_compiler      VARCHAR(255),
    build_compiler_path TEXT,
    build_modules       TEXT,
    build_lmfiles       TEXT,
    build_xalt          VARCHAR(255),
    build_epoch         DOUBLE,
    INDEX build_of_link (build_uuid)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The five tables of which the view `run` is made.
CREATE TABLE IF NOT EXISTS program (
    id            INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity      BINARY(20) NOT NULL UNIQUE,
    executable_id INT UNSIGNED,
    object_set_id INT UNSIGNED,
    build_id      INT UNSIGNED,
    exec_type     VARCHAR(255),
    exec_epoch    DOUBLE,
    INDEX program_executable (executable_id),
    INDEX program_object_set (object_set_id),
    INDEX program_build (build_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS job_part (
    id            INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity      BINARY(20) NOT NULL UNIQUE,
    user          VARCHAR(255),
    account       VARCHAR(255),
    queue         VARCHAR(255),
    scheduler     VARCHAR(255),
    syshost       VARCHAR(255),
    submit_host   VARCHAR(255),
    container     VARCHAR(255),
    cwd           TEXT,
    job_id        VARCHAR(255),
    job_id_raw    BIGINT,
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    restart_count BIGINT,
    cluster       VARCHAR(255),
    `partition`   VARCHAR(255),
    qos           VARCHAR(255),
    node          VARCHAR(255),
    dropped       BIGINT,
    INDEX job_part_job (job_id_raw),
    INDEX job_part_array (array_job_id),
    INDEX job_part_het (het_job_id),
    INDEX job_part_user (user)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS layout (
    id          INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity    BINARY(20) NOT NULL UNIQUE,
    probability DOUBLE,
    num_tasks   BIGINT,
    num_nodes   BIGINT,
    num_cores   BIGINT,
    num_threads BIGINT,
    num_gpus    BIGINT,
    node_id     BIGINT,
    task_id     BIGINT,
    cpus_alloc  BIGINT,
    gpus_alloc  BIGINT,
    captured_by VARCHAR(255),
    mem_alloc   BIGINT
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS ending (
    id             INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity       BINARY(20) NOT NULL UNIQUE,
    exit_code      BIGINT,
    `signal`       BIGINT,
    core_dumped    BIGINT,
    end_source     VARCHAR(255),
    outlived       BIGINT,
    missing_library VARCHAR(255)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS run_own (
    id             BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    uuid           UUID NOT NULL,
    owner          BIGINT NOT NULL,
    proven         TINYINT NOT NULL,
    is_start_only  TINYINT NOT NULL,
    date           DATETIME,
    step_id        VARCHAR(255),
    cmdline        LONGTEXT,
    ancestor_pids  TEXT,
    program_id     INT UNSIGNED NOT NULL,
    job_part_id    INT UNSIGNED NOT NULL,
    layout_id      INT UNSIGNED NOT NULL,
    ending_id      INT UNSIGNED NOT NULL,
    environment_id INT UNSIGNED,
    ancestors_id   INT UNSIGNED,
    record_epoch   DOUBLE,
    start_time     DOUBLE,
    end_time       DOUBLE,
    run_time       DOUBLE,
    end_time_error DOUBLE,
    end_time_min   DOUBLE,
    end_time_max   DOUBLE,
    pid            BIGINT,
    core_seconds   DOUBLE,
    core_seconds_max DOUBLE,
    core_day       INT,
    leads          BIGINT,
    clock_step     DOUBLE,
    user_cpu       DOUBLE,
    system_cpu     DOUBLE,
    max_rss        BIGINT,
    disk_read      BIGINT,
    disk_write     BIGINT,
    forked         BIGINT,
    forked_signaled BIGINT,
    forked_cpu     DOUBLE,
    forked_max_rss BIGINT,
    forked_read    BIGINT,
    forked_write   BIGINT,
    forked_least   BIGINT,
    UNIQUE KEY run_own_key (uuid, owner),
    INDEX run_own_job_part (job_part_id),
    INDEX run_own_program (program_id),
    INDEX run_own_date (date)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Days of runs that had core seconds on more than one: their sum is run_own.core_seconds.
CREATE TABLE IF NOT EXISTS run_day (
    run_id       BIGINT UNSIGNED NOT NULL,
    day          INT NOT NULL,
    core_seconds DOUBLE NOT NULL,
    PRIMARY KEY (run_id, day),
    INDEX run_day_day (day)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS function_name (
    id       INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity BINARY(20) NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS function_set (
    id   INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash BINARY(20) NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS function_set_member (
    function_set_id  INT UNSIGNED NOT NULL,
    function_name_id INT UNSIGNED NOT NULL,
    PRIMARY KEY (function_set_id, function_name_id),
    INDEX function_set_member_function (function_name_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS link (
    id              INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    uuid            CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    build_user      VARCHAR(255) NOT NULL,
    xalt_uuid       VARCHAR(300) NOT NULL,
    proven          TINYINT NOT NULL,
    date            DATETIME,
    executable_id   INT UNSIGNED,
    object_set_id   INT UNSIGNED,
    function_set_id INT UNSIGNED,
    link_program    VARCHAR(255),
    link_path       TEXT,
    module_id       INT UNSIGNED,
    link_line       LONGTEXT,
    cwd             TEXT,
    build_host      VARCHAR(255),
    build_syshost   VARCHAR(255),
    build_epoch     DOUBLE,
    wrapper         VARCHAR(255),
    UNIQUE KEY link_key (uuid, build_user),
    INDEX link_xalt_uuid (xalt_uuid),
    INDEX link_time (build_epoch),
    INDEX link_executable (executable_id),
    INDEX link_object_set (object_set_id),
    INDEX link_function_set (function_set_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Packages of R, Python, MATLAB. A record of one may come before that of its run.
CREATE TABLE IF NOT EXISTS package (
    id       INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity BINARY(20) NOT NULL UNIQUE,
    program  VARCHAR(255),
    name     TEXT,
    version  VARCHAR(255),
    path     TEXT,
    INDEX package_name (name(100))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS run_package (
    id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    run_uuid   UUID NOT NULL,
    owner      BIGINT NOT NULL,
    package_id INT UNSIGNED NOT NULL,
    proven     TINYINT NOT NULL,
    PRIMARY KEY (run_uuid, owner, package_id),
    UNIQUE KEY run_package_id (id),
    INDEX run_package_package (package_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Who the owners of packages are.
CREATE TABLE IF NOT EXISTS package_owner (
    id            BIGINT NOT NULL PRIMARY KEY,
    user          VARCHAR(255),
    job_id        BIGINT,
    restart_count BIGINT,
    cluster       VARCHAR(255)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What became of the tasks that Slurm launched: a row for each fact of a job on a node.
CREATE TABLE IF NOT EXISTS coverage (
    uuid          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner         BIGINT NOT NULL,
    proven        TINYINT NOT NULL,
    position      BIGINT NOT NULL,
    cluster       VARCHAR(255),
    syshost       VARCHAR(255),
    user          VARCHAR(255),
    account       VARCHAR(255),
    `partition`   VARCHAR(255),
    job_id_raw    BIGINT,
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    restart_count BIGINT,
    node          VARCHAR(255),
    dropped       BIGINT,
    cpus          BIGINT,
    job_start     DOUBLE,
    job_end       DOUBLE,
    job_start_source VARCHAR(255),
    job_end_source VARCHAR(255),
    suspended     DOUBLE,
    allocation    DOUBLE,
    timezone      VARCHAR(255),
    others_runs   BIGINT,
    others_seconds DOUBLE,
    clock_step    DOUBLE,
    witness       VARCHAR(255),
    witness_processes BIGINT,
    witness_older BIGINT,
    witness_partial BIGINT,
    witness_left  BIGINT,
    witness_lost  BIGINT,
    witness_overruns BIGINT,
    witness_unheard DOUBLE,
    witness_agreed BIGINT,
    witness_explained BIGINT,
    witness_causes TEXT,
    witness_unexplained BIGINT,
    step_id       VARCHAR(255),
    outcome       VARCHAR(255) NOT NULL,
    program       VARCHAR(255),
    tasks         BIGINT NOT NULL,
    runs          BIGINT,
    first_task    BIGINT,
    leader        BIGINT,
    day           VARCHAR(255),
    core_seconds  DOUBLE,
    start_time    DOUBLE,
    end_time      DOUBLE,
    PRIMARY KEY (uuid, owner, position),
    INDEX coverage_job (job_id_raw, step_id, leader),
    INDEX coverage_start (start_time)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Ranks of a step on a node, summarised: a row for each program, and one for those that were not seen.
CREATE TABLE IF NOT EXISTS ranks (
    uuid          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- of the record: a program of a step on a node
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
    user          VARCHAR(255),
    account       VARCHAR(255),
    `partition`   VARCHAR(255),
    step_id       VARCHAR(255) NOT NULL,
    step_tasks    BIGINT,          -- of the whole step; 0: unknown
    step_nodes    BIGINT,          -- likewise
    node_tasks    BIGINT,          -- of the step on this node; 0: unknown
    program       TEXT NOT NULL,   -- '': of tasks that the kernel told nothing of
    ranks         BIGINT NOT NULL, -- that the kernel told of
    unseen        BIGINT NOT NULL, -- tasks of the step here that it told nothing of
    start_time    DOUBLE,
    end_time      DOUBLE NOT NULL, -- of the last one
    timed         BIGINT,          -- of how many the elapsed times are
    elapsed_min   DOUBLE,
    elapsed_mean  DOUBLE,
    elapsed_max   DOUBLE,
    measured      BIGINT,          -- of how many times of processors and memory are
    cpu_min       DOUBLE,          -- seconds of processors
    cpu_mean      DOUBLE,
    cpu_max       DOUBLE,
    memory_min    BIGINT,          -- bytes, the most that were resident
    memory_mean   DOUBLE,
    memory_max    BIGINT,
    largest_task  BIGINT,          -- that had the most memory
    faults_min    BIGINT,          -- major page faults, as from swap
    faults_mean   DOUBLE,
    faults_max    BIGINT,
    faults_task   BIGINT,          -- that had the most of them
    ended_zero    BIGINT,          -- with exit code 0
    ended_code    BIGINT,
    ended_signal  BIGINT,
    ended_unknown BIGINT,
    ends          TEXT,            -- EXIT:SIGNAL=RANKS, by blanks
    failed_task   BIGINT,          -- that ended first with anything but exit code 0
    failed_time   DOUBLE,
    failed_end    VARCHAR(255),
    PRIMARY KEY (uuid, owner),
    INDEX ranks_job (job_id_raw, step_id),
    INDEX ranks_end (end_time)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Profiles of a step that a node has kept: a row for each file and MPI program in it.
CREATE TABLE IF NOT EXISTS profile (
    uuid          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- of the record: a program of a step on a node
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
    user          VARCHAR(255),
    account       VARCHAR(255),
    `partition`   VARCHAR(255),
    step_id       VARCHAR(255) NOT NULL,
    step_tasks    BIGINT,          -- of the whole step; 0: unknown
    step_nodes    BIGINT,          -- likewise
    node_tasks    BIGINT,          -- of the step on this node; 0: unknown
    path          TEXT NOT NULL,   -- of the file, on the node or where it sees it
    bytes         BIGINT NOT NULL, -- of the file
    end_time      DOUBLE NOT NULL, -- when the file was made
    joined        BIGINT,          -- 1: the file is of all nodes of the step; other rows tell of its ranks
    program       TEXT,            -- what its launcher called the MPI program, as a hash; "": not known
    executable    TEXT,            -- hash of the path that these ranks of it run; "": not known
    programs      BIGINT,          -- that the file has; at most 16 have rows
    runs          BIGINT,          -- that have processes in it
    mpi_runs      BIGINT,          -- of these, that called MPI
    run_uuids     TEXT,            -- of the first 16, by blanks; those that called MPI first
    mpi_size      BIGINT,          -- ranks of the program on all nodes; 0: not known
    ranks         BIGINT,          -- that left a profile
    mpi_ranks       BIGINT,        -- of how many of these calls of MPI were counted
    mpi_calls       BIGINT,
    mpi_time        DOUBLE,        -- seconds in MPI, of all their threads that called it
    mpi_elapsed     DOUBLE,        -- seconds that they ran, for each of these threads
    mpi_outside_max DOUBLE,        -- seconds that one of them was outside of MPI, the most
    mpi_outside_rank BIGINT,       -- that rank
    mpi_missed      BIGINT,        -- routines and objects of MPI that could not be counted
    mpi_untimed     BIGINT,        -- 1: of some of them no times are known
    mpi_open        BIGINT,        -- 1: some of them ran so long at least
    mpi_routines    TEXT,          -- NAME=CALLS:SECONDS:OPEN, by blanks; the most time first
    PRIMARY KEY (uuid, owner),
    INDEX profile_job (job_id_raw, step_id),
    INDEX profile_end (end_time)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Changes of the site's libraries, and uses from outside of jobs and links.
CREATE TABLE IF NOT EXISTS library_event (
    uuid          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    proven        TINYINT NOT NULL,
    event         CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind          VARCHAR(255) NOT NULL,
    what          VARCHAR(255) NOT NULL,
    library       VARCHAR(255) NOT NULL,
    group_name    VARCHAR(255),
    path          TEXT NOT NULL,
    path_before   TEXT,
    files         BIGINT,
    links         BIGINT,
    uses          BIGINT,
    first_scan    BIGINT,
    found         DOUBLE NOT NULL,
    after_time    DOUBLE,
    before_time   DOUBLE,
    source        VARCHAR(255),
    uid           BIGINT,
    login_uid     BIGINT,
    user          VARCHAR(255),
    program       TEXT,
    command       TEXT,
    cluster       VARCHAR(255),
    syshost       VARCHAR(255),
    node          VARCHAR(255),
    job_id_raw    BIGINT,
    step_id       VARCHAR(255),
    was_size      BIGINT,
    was_mtime     DOUBLE,
    was_sha1      VARCHAR(255),
    was_build_id  VARCHAR(255),
    was_soname    VARCHAR(255),
    was_package   VARCHAR(255),
    was_version   VARCHAR(255),
    was_owner     BIGINT,
    is_size       BIGINT,
    is_mtime      DOUBLE,
    is_sha1       VARCHAR(255),
    is_build_id   VARCHAR(255),
    is_soname     VARCHAR(255),
    is_package    VARCHAR(255),
    is_version    VARCHAR(255),
    is_owner      BIGINT,
    PRIMARY KEY (uuid),
    INDEX library_event_library (library, found),
    INDEX library_event_found (found)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What runs called of the libraries that [routines] designates.
CREATE TABLE IF NOT EXISTS routine_library (
    id        INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity  BINARY(20) NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    build_id  VARCHAR(255) NOT NULL,
    module_id INT UNSIGNED
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS routine (
    id                 INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity           BINARY(20) NOT NULL UNIQUE,
    routine_library_id INT UNSIGNED NOT NULL,
    name               TEXT NOT NULL,
    INDEX routine_of_library (routine_library_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS run_routine (
    run_id      BIGINT UNSIGNED NOT NULL,
    routine_id  INT UNSIGNED NOT NULL,
    first_call  DOUBLE,
    calls       BIGINT,
    is_at_least TINYINT,
    PRIMARY KEY (run_id, routine_id),
    INDEX run_routine_routine (routine_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- The libraries that were there, and how much of their calls was seen.
CREATE TABLE IF NOT EXISTS run_routine_library (
    run_id             BIGINT UNSIGNED NOT NULL,
    routine_library_id INT UNSIGNED NOT NULL,
    PRIMARY KEY (run_id, routine_library_id),
    INDEX run_routine_library_library (routine_library_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS run_routine_watch (
    run_id  BIGINT UNSIGNED NOT NULL PRIMARY KEY,
    watched BIGINT NOT NULL,
    missed  BIGINT NOT NULL,
    unnamed BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- How many rows of routine and routine_library the runs of a user have added, as the loader bounds that.
CREATE TABLE IF NOT EXISTS routine_maker (
    id                 INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    user               VARCHAR(255) NOT NULL,
    day                BIGINT NOT NULL,
    routine_library_id INT UNSIGNED NOT NULL,
    names              BIGINT NOT NULL,
    INDEX routine_maker_day (user, day),
    INDEX routine_maker_library (user, routine_library_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Allocations as Slurm's accounting has them (jobtrail-load --slurm): a row for each run of a requeued job, and
-- for each size of one that was resized, which have the same restart_count.
CREATE TABLE IF NOT EXISTS slurm_job (
    cluster       VARCHAR(255) NOT NULL,
    job_id_raw    BIGINT NOT NULL,
    submit_time   BIGINT NOT NULL,
    restart_count BIGINT NOT NULL,
    user          VARCHAR(255) NOT NULL,
    account       VARCHAR(255) NOT NULL,
    `partition`   VARCHAR(255) NOT NULL,
    state         VARCHAR(255) NOT NULL,
    array_job_id  BIGINT,
    array_task_id BIGINT,
    het_job_id    BIGINT,
    het_offset    BIGINT,
    start_time    DOUBLE NOT NULL,
    end_time      DOUBLE,
    alloc_cpus    BIGINT NOT NULL,
    nodes         BIGINT NOT NULL,
    core_seconds  DOUBLE NOT NULL,
    suspended     DOUBLE NOT NULL,
    asked_time    DOUBLE NOT NULL,
    PRIMARY KEY (job_id_raw, cluster, submit_time),
    INDEX slurm_job_start (start_time),
    INDEX slurm_job_end (end_time),
    INDEX slurm_job_asked (asked_time)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Filled by the site (jobtrail-load --accounts).
CREATE TABLE IF NOT EXISTS account_field (
    id               INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    account          VARCHAR(255) NOT NULL UNIQUE,
    field_of_science VARCHAR(255) NOT NULL,
    directorate      VARCHAR(255) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
