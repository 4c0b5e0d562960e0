-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The store in MariaDB, version 2: the tables of sqlite.sql, where their meaning is told.
--
-- Every statement may be run again, since MariaDB commits each of them: whoever is killed here starts
-- anew. Names that reports group by are VARCHAR, all that can be long is TEXT or larger. There are no
-- foreign keys: they would cost five indexes on `run`. There are no partitions: each would have an
-- index of its own for the uuid, and all would be asked for every record that is loaded.

CREATE TABLE IF NOT EXISTS store_state (
    name  VARCHAR(64) NOT NULL PRIMARY KEY,
    value LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
-- counts what may have made ids invalid that a loader remembers
INSERT IGNORE INTO store_state VALUES ('generation', '1');

-- Modules, and where their files are: the longest prefix that a path lies in is its module.
CREATE TABLE IF NOT EXISTS module (
    id       BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS module_path (
    identity  CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id BIGINT UNSIGNED NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS executable (
    id        BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity  CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   VARCHAR(255) NOT NULL,
    module_id BIGINT UNSIGNED
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS executable_module ON `executable` (module_id);

CREATE TABLE IF NOT EXISTS object (
    id        BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity  CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      VARCHAR(255) NOT NULL,
    syshost   VARCHAR(255) NOT NULL,
    added     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id BIGINT UNSIGNED
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS object_module ON `object` (module_id);

CREATE TABLE IF NOT EXISTS object_set (
    id   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS object_set_member (
    object_set_id BIGINT UNSIGNED NOT NULL,
    object_id     BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (object_set_id, object_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS object_set_member_object ON `object_set_member` (object_id);

-- An environment is a set of variables with their values.
CREATE TABLE IF NOT EXISTS env_name (
    id       BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS env_value (
    id          BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity    CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    env_name_id BIGINT UNSIGNED NOT NULL,
    value       LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS env_value_name ON `env_value` (env_name_id);
CREATE TABLE IF NOT EXISTS environment (
    id   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS environment_member (
    environment_id BIGINT UNSIGNED NOT NULL,
    env_value_id   BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (environment_id, env_value_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS environment_member_value ON `environment_member` (env_value_id);

-- Of a run's processes; %j stands for its job_id, %% for a percent sign.
CREATE TABLE IF NOT EXISTS ancestors (
    id   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    json LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What an executable's watermark says.
CREATE TABLE IF NOT EXISTS build (
    id                  BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity            CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
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
    build_epoch         DOUBLE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS build_of_link ON `build` (build_uuid);

CREATE TABLE IF NOT EXISTS run (
    id             BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    uuid           CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    is_start_only  BIGINT NOT NULL,
    date           DATETIME,

    user           VARCHAR(255),
    account        VARCHAR(255),
    queue          VARCHAR(255),
    scheduler      VARCHAR(255),
    syshost        VARCHAR(255),
    submit_host    VARCHAR(255),
    container      VARCHAR(255),
    executable_id  BIGINT UNSIGNED,
    exec_type      VARCHAR(255),
    exec_epoch     DOUBLE,
    cwd            TEXT,
    cmdline        LONGTEXT,
    object_set_id  BIGINT UNSIGNED,
    environment_id BIGINT UNSIGNED,
    ancestors_id   BIGINT UNSIGNED,
    ancestor_pids  TEXT,
    build_id       BIGINT UNSIGNED,

    record_epoch   DOUBLE,
    start_time     DOUBLE,
    end_time       DOUBLE,
    run_time       DOUBLE,
    probability    DOUBLE,
    num_tasks      BIGINT,
    num_nodes      BIGINT,
    num_cores      BIGINT,
    num_threads    BIGINT,
    num_gpus       BIGINT,

    job_id         VARCHAR(255),
    job_id_raw     BIGINT,
    step_id        VARCHAR(255),
    array_job_id   BIGINT,
    array_task_id  BIGINT,
    het_job_id     BIGINT,
    het_offset     BIGINT,
    restart_count  BIGINT,
    cluster        VARCHAR(255),
    `partition`    VARCHAR(255),
    qos            VARCHAR(255),
    node           VARCHAR(255),
    node_id        BIGINT,
    task_id        BIGINT,
    cpus_alloc     BIGINT,
    gpus_alloc     BIGINT,
    dropped        BIGINT,

    exit_code      BIGINT,
    `signal`       BIGINT,
    core_dumped    BIGINT,
    end_source     VARCHAR(255),
    end_time_error DOUBLE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS run_job ON `run` (job_id_raw);
CREATE INDEX IF NOT EXISTS run_array ON `run` (array_job_id);
CREATE INDEX IF NOT EXISTS run_het ON `run` (het_job_id);
CREATE INDEX IF NOT EXISTS run_start ON `run` (start_time);
CREATE INDEX IF NOT EXISTS run_date ON `run` (date);
CREATE INDEX IF NOT EXISTS run_user ON `run` (user, start_time);
CREATE INDEX IF NOT EXISTS run_executable ON `run` (executable_id);
CREATE INDEX IF NOT EXISTS run_object_set ON `run` (object_set_id);
CREATE INDEX IF NOT EXISTS run_build ON `run` (build_id);

CREATE TABLE IF NOT EXISTS function_name (
    id       BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    name     TEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS function_set (
    id   BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    hash CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS function_set_member (
    function_set_id  BIGINT UNSIGNED NOT NULL,
    function_name_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (function_set_id, function_name_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS function_set_member_function ON `function_set_member` (function_name_id);

CREATE TABLE IF NOT EXISTS link (
    id              BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    uuid            CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    date            DATETIME,
    executable_id   BIGINT UNSIGNED,
    object_set_id   BIGINT UNSIGNED,
    function_set_id BIGINT UNSIGNED,
    link_program    VARCHAR(255),
    link_path       TEXT,
    module_id       BIGINT UNSIGNED,
    link_line       LONGTEXT,
    cwd             TEXT,
    build_user      VARCHAR(255),
    build_host      VARCHAR(255),
    build_syshost   VARCHAR(255),
    build_epoch     DOUBLE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS link_time ON `link` (build_epoch);
CREATE INDEX IF NOT EXISTS link_executable ON `link` (executable_id);
CREATE INDEX IF NOT EXISTS link_object_set ON `link` (object_set_id);
CREATE INDEX IF NOT EXISTS link_function_set ON `link` (function_set_id);

-- Packages of R, Python, MATLAB. A record of one may come before that of its run.
CREATE TABLE IF NOT EXISTS package (
    id       BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    identity CHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
    program  VARCHAR(255),
    name     TEXT,
    version  VARCHAR(255),
    path     TEXT
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS package_name ON `package` (name(100));
CREATE TABLE IF NOT EXISTS run_package (
    id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    run_uuid   CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    package_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (run_uuid, package_id),
    UNIQUE KEY run_package_id (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS run_package_package ON `run_package` (package_id);

-- What became of the tasks that Slurm launched: a row for each fact of a job on a node.
CREATE TABLE IF NOT EXISTS coverage (
    uuid          CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
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
    step_id       VARCHAR(255),
    outcome       VARCHAR(255) NOT NULL,
    program       VARCHAR(255),
    tasks         BIGINT NOT NULL,
    first_task    BIGINT,
    leader        BIGINT,
    core_seconds  DOUBLE,
    start_time    DOUBLE,
    end_time      DOUBLE,
    PRIMARY KEY (uuid, position)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS coverage_job ON `coverage` (job_id_raw, step_id, leader);
CREATE INDEX IF NOT EXISTS coverage_start ON `coverage` (start_time);

-- Filled by the site (jobtrail-load --accounts).
CREATE TABLE IF NOT EXISTS account_field (
    id               BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    account          VARCHAR(255) NOT NULL UNIQUE,
    field_of_science VARCHAR(255) NOT NULL,
    directorate      VARCHAR(255) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

REPLACE INTO store_state VALUES ('schema', '2');
