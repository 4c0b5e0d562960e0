-- SPDX-License-Identifier: LGPL-2.1-or-later
-- A store of version 2 with test/data/records, a link and a package in it, as sqlite3's .dump wrote it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE store_state (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO store_state VALUES('generation','2');
CREATE TABLE module (
    id       INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO module VALUES(1,'0725ad52d428e93c725ad9b6f9b4ce1f946f2c2b','libc/2.36');
CREATE TABLE module_path (
    identity  TEXT NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id INTEGER NOT NULL REFERENCES module (id)
) WITHOUT ROWID;
INSERT INTO module_path VALUES('bf8d53ba67867703f5abfc36402fa98e406109cc','/usr/lib/x86_64-linux-gnu',1);
CREATE TABLE executable (
    id        INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   TEXT NOT NULL,         -- sha1 of the file; '0' when not computed, as in XALT
    module_id INTEGER REFERENCES module (id)
);
INSERT INTO executable VALUES(1,'0d12d49a20888f8e8007b873c5fe378a00010656','/home/alice/wrapper','0000000000000000000000000000000000abc735',NULL);
INSERT INTO executable VALUES(2,'f7327ececd7e4230015af7a17f9a8c7521e0ea07','/home/alice/bin/flow.mpi','0000000000000000000000000000000000abc8c8',NULL);
INSERT INTO executable VALUES(3,'fc19a9c8c5a32e60f35f7e0e1e75b18eb6a002ca','/usr/bin/bash','0000000000000000000000000000000000abc4be',NULL);
INSERT INTO executable VALUES(4,'4e4ec3fb6728e524b370ffb17d26cf2dd7b50499','/home/bob/bin/solver','0000000000000000000000000000000000abc76c',NULL);
INSERT INTO executable VALUES(5,'690edf98f1eab0713fc8776a4251613fd29d95a3','/home/alice/bin/caf','0000000000000000000000000000000000abc91c',NULL);
INSERT INTO executable VALUES(6,'c70f23a5e536c898dfcbf4e2381727f6e1eca960','/usr/bin/python3.11','0000000000000000000000000000000000abc685',NULL);
INSERT INTO executable VALUES(7,'204ebe129ed5e0ef68cc661145fac42db33c3c08','/home/bob/a.out','0000000000000000000000000000000000abc550',NULL);
INSERT INTO executable VALUES(8,'46e0ed4042873ccb68c6916e223f0b2907447bd1','/sw/legacy/namd2','0000000000000000000000000000000000abc5be',NULL);
INSERT INTO executable VALUES(9,'6cb9f5831e49860ae25bd91be143d3292d393634','/home/bob/flow','77',NULL);
CREATE TABLE object (
    id        INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      TEXT NOT NULL,         -- sha1 of the file; '0' when not computed
    syshost   TEXT NOT NULL,         -- '' when not known
    added     TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id INTEGER REFERENCES module (id)
);
INSERT INTO object VALUES(1,'7324826f750119d5afdc67d1230e0fbb2f37deec','/usr/lib/x86_64-linux-gnu/libc.so.6','5b9c4eb1f3a1b0d6c2c7ab0a3b2f3d9f7c1d0e11','tiny','2026-11-22 05:26:22',1);
INSERT INTO object VALUES(2,'d9c55c988fcb1b1e27c8793a95f8e1716a32f334','/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0','a94a8fe5ccb19ba61c4c0873d391e987982fbbd3','tiny','2026-11-22 05:26:22',NULL);
INSERT INTO object VALUES(3,'e6d89d565303a2375105e940ff50ed484939550d','/usr/lib/x86_64-linux-gnu/libm.so.6','0','tiny','2026-11-22 05:26:22',1);
INSERT INTO object VALUES(4,'1a133fb5d9d97d1a838acf19bfd8291d8280fd3c','/tmp/a.o','0','tiny','2026-11-22 05:26:22',NULL);
INSERT INTO object VALUES(5,'d1e385f407d505ab925ec4874e2156f16b43afd8','/usr/lib/libm.a','1','tiny','2026-11-22 05:26:22',NULL);
CREATE TABLE object_set (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
);
INSERT INTO object_set VALUES(1,'9c2aa6bda8d07770db6e5ebf78d3d732bd5e9874');
INSERT INTO object_set VALUES(2,'cd2f877f297972df42599f342370ec4d89ff8ec5');
INSERT INTO object_set VALUES(3,'4ce5f8a4718c20401b9036affc6f66605d14ab9a');
INSERT INTO object_set VALUES(4,'25ae3958ae6aacc725a51c2d713f2451e3fa9c46');
CREATE TABLE object_set_member (
    object_set_id INTEGER NOT NULL REFERENCES object_set (id),
    object_id     INTEGER NOT NULL REFERENCES object (id),
    PRIMARY KEY (object_set_id, object_id)
) WITHOUT ROWID;
INSERT INTO object_set_member VALUES(1,1);
INSERT INTO object_set_member VALUES(2,1);
INSERT INTO object_set_member VALUES(3,1);
INSERT INTO object_set_member VALUES(2,2);
INSERT INTO object_set_member VALUES(2,3);
INSERT INTO object_set_member VALUES(3,3);
INSERT INTO object_set_member VALUES(4,4);
INSERT INTO object_set_member VALUES(4,5);
CREATE TABLE env_name (
    id       INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO env_name VALUES(1,'9d65b3749a0a26d4bd1f9ef677810e94260f511d','OMP_NUM_THREADS');
INSERT INTO env_name VALUES(2,'09bd6a353a7bb8a33e37cfee71ada9fc9ce37d89','PATH');
CREATE TABLE env_value (
    id          INTEGER PRIMARY KEY,
    identity    TEXT NOT NULL UNIQUE, -- of name and value
    env_name_id INTEGER NOT NULL REFERENCES env_name (id),
    value       TEXT NOT NULL
);
INSERT INTO env_value VALUES(1,'53ae5afefe9ca843ad1e41371bd60239b2f32b3b',1,'4');
INSERT INTO env_value VALUES(2,'f4539e7f28b3b9b62138fd0c399cc21914268e3d',2,'/usr/bin:/bin');
CREATE TABLE environment (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
);
INSERT INTO environment VALUES(1,'5f8e69d50dbcb974bae3e86e999850bdcd80cd1d');
CREATE TABLE environment_member (
    environment_id INTEGER NOT NULL REFERENCES environment (id),
    env_value_id   INTEGER NOT NULL REFERENCES env_value (id),
    PRIMARY KEY (environment_id, env_value_id)
) WITHOUT ROWID;
INSERT INTO environment_member VALUES(1,1);
INSERT INTO environment_member VALUES(1,2);
CREATE TABLE ancestors (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL               -- [{"cmd_name": ..., "cmd_path": ..., "cmdlineA": ...}, ...]
);
INSERT INTO ancestors VALUES(1,'fe7fcfb96bac850333ebdeada2452129a664fdda','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.0]"]}]');
INSERT INTO ancestors VALUES(2,'02a831c0086a3275e97b460a7c2ddc1b870662fc','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.batch]"]}]');
INSERT INTO ancestors VALUES(3,'af91a0466cd583cc3b655dcc4e6b97b4dbd8cbee','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.interactive]"]}]');
CREATE TABLE build (
    id                  INTEGER PRIMARY KEY,
    identity            TEXT NOT NULL UNIQUE,
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
INSERT INTO build VALUES(1,'59e564d98fb0d72fcba4df6afd67edb1e0053747','5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400.0);
CREATE TABLE run (
    id             INTEGER PRIMARY KEY,
    uuid           TEXT NOT NULL UNIQUE,
    is_start_only  INTEGER NOT NULL, -- 1: the run's end has not been loaded
    date           TEXT,             -- start_time as 'YYYY-MM-DD HH:MM:SS', local to the loader

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
    ancestor_pids  TEXT,             -- JSON array, in the order of `ancestors`
    build_id       INTEGER REFERENCES build (id),

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
    end_time_error REAL              -- end_time may be wrong by so much
);
INSERT INTO run VALUES(1,'019a9f00-0000-7000-8000-000000000006',0,'2024-11-20 10:03:10','alice','climate','main','SLURM','tiny','login1','',1,'binary',1732010400.0,'/home/alice/run','["wrapper"]',1,1,1,'[4006]',NULL,1732096991.4999999999,1732096990.0,1732096990.5,0.5,1.0,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'exec',0.0);
INSERT INTO run VALUES(2,'019a9f00-0000-7000-8000-000000000003',0,'2024-11-20 10:01:00','alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400.0,'/home/alice/run','["flow.mpi"]',2,1,1,'[4003]',1,1732186922.0,1732096860.0,1732186921.0,90061.0,1.0,1,1,1,1,0,'7',7,'0',6,1,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,3,0,0,'task_exit',0.0);
INSERT INTO run VALUES(3,'019a9f00-0000-7000-8000-000000000001',0,'2024-11-20 10:00:00','alice','climate','main','SLURM','tiny','login1','',3,'binary',1732010400.0,'/home/alice/run','["/usr/bin/bash","/var/spool/job12/slurm_script"]',1,1,2,'[4001]',NULL,1732096806.0,1732096800.0,1732096805.0,5.0,1.0,1,1,1,1,0,'12',12,'batch',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0);
INSERT INTO run VALUES(4,'019a9f00-0000-7000-8000-000000000008',1,'2024-11-20 10:04:00','bob','physics','main','SLURM','tiny','login1','',4,'binary',1732010400.0,'/home/bob/run','["solver"]',1,1,3,'[4008]',NULL,1732097041.0,1732097040.0,NULL,NULL,1.0,1,1,1,1,0,'15',15,'interactive',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,NULL,0.0);
INSERT INTO run VALUES(5,'019a9f00-0000-7000-8000-000000000009',0,'2024-11-20 10:05:00','alice','climate','main','SLURM','tiny','login1','',5,'binary',1732010400.0,'/home/alice/run','["caf","a|b","two\nlines\tand a tab","back\\slash","ü"]',1,1,1,'[4009]',NULL,1732097103.0,1732097100.0,1732097102.0,2.0,1.0,1,1,1,1,0,'16',16,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0);
INSERT INTO run VALUES(6,'019a9f00-0000-7000-8000-000000000002',0,'2024-11-20 10:00:01','alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400.0,'/home/alice/run','["./flow.mpi","--in","a b.nc"]',2,1,1,'[4002]',1,1732096805.75,1732096801.25,1732096804.7499999999,3.5,1.0,1,1,1,1,0,'12',12,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0);
INSERT INTO run VALUES(7,'019a9f00-0000-7000-8000-000000000005',0,'2024-11-20 10:03:00','alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400.0,'/home/alice/run','["python3","train.py"]',1,1,1,'[4005]',NULL,1732096982.0,1732096980.0,1732096981.0,1.0,1.0,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,NULL,4,NULL,0,NULL,NULL,0,'fini',0.0);
INSERT INTO run VALUES(8,'019a9f00-0000-7000-8000-000000000004',0,'2024-11-20 10:02:00','bob','physics','main','SLURM','tiny','login1','',7,'binary',1732010400.0,'/home/bob/run','["a.out"]',1,1,1,'[4004]',NULL,1732096931.0,1732096920.0,1732096930.0,10.0,1.0,1,1,1,1,0,'9',9,'0',NULL,NULL,8,1,0,'tiny','main','normal','n2',0,0,4,NULL,0,NULL,9,0,'task_exit',0.010000000000000000208);
INSERT INTO run VALUES(9,'8c8d61fb-98c1-44c0-874c-d613312269f4',0,'2024-11-20 10:06:00','alice','climate','unknown','SLURM','tiny','unknown',NULL,8,'binary',1732010400.0,'/home/alice/run','["namd2","helloñ.namd"]',3,1,1,'[4010]',NULL,1732097168.0,1732097160.0,1732097167.0,7.0,1.0,1,1,1,1,0,'17',17,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES(10,'019a9f00-0000-7000-8000-000000000007',0,'2024-11-20 10:03:20','alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400.0,'/home/alice/run','["python3","lost.py"]',1,1,1,'[4007]',NULL,1732097301.0,1732097000.0,1732097300.0,300.0,1.0,1,1,1,1,0,'14',14,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'reboot',300.0);
CREATE TABLE function_name (
    id       INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO function_name VALUES(1,'617b35d54275338937e0f15340677e956e08ef37','H5Fopen');
INSERT INTO function_name VALUES(2,'74288ba9c7d1d072a503b9cece78663e8c1b82af','fftw_plan');
CREATE TABLE function_set (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
);
INSERT INTO function_set VALUES(1,'194e75282cc468f9f91661c385e86aab1875db8d');
CREATE TABLE function_set_member (
    function_set_id  INTEGER NOT NULL REFERENCES function_set (id),
    function_name_id INTEGER NOT NULL REFERENCES function_name (id),
    PRIMARY KEY (function_set_id, function_name_id)
) WITHOUT ROWID;
INSERT INTO function_set_member VALUES(1,1);
INSERT INTO function_set_member VALUES(1,2);
CREATE TABLE link (
    id              INTEGER PRIMARY KEY,
    uuid            TEXT NOT NULL UNIQUE,
    date            TEXT,            -- build_epoch, as in `run`
    executable_id   INTEGER REFERENCES executable (id), -- where it was linked to
    object_set_id   INTEGER REFERENCES object_set (id),
    function_set_id INTEGER REFERENCES function_set (id), -- taken from libraries of modules
    link_program    TEXT,
    link_path       TEXT,
    module_id       INTEGER REFERENCES module (id),       -- of link_path
    link_line       TEXT,            -- JSON array
    cwd             TEXT,
    build_user      TEXT,
    build_host      TEXT,
    build_syshost   TEXT,
    build_epoch     REAL
);
INSERT INTO link VALUES(1,'5468e07b-0c8a-49a1-8010-3c9a11fce259','2024-11-19 07:06:40',9,4,1,'gcc','/sw/gcc/13.2/bin/gcc',NULL,'["gcc","-o","flow"]','/home/bob','bob','login1','tiny',1732000000.5);
CREATE TABLE package (
    id       INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    program  TEXT,
    name     TEXT,
    version  TEXT,
    path     TEXT
);
INSERT INTO package VALUES(1,'47f3f593854fc690625ffd2a09ea11949bbe225a','R','ggplot2','3.5','/sw/R');
CREATE TABLE run_package (
    run_uuid   TEXT NOT NULL,
    package_id INTEGER NOT NULL REFERENCES package (id),
    PRIMARY KEY (run_uuid, package_id)
) WITHOUT ROWID;
INSERT INTO run_package VALUES('019a9f00-0000-7000-8000-000000000001',1);
CREATE TABLE coverage (
    uuid          TEXT NOT NULL,     -- of the record: a job on a node
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
    step_id       TEXT,
    outcome       TEXT NOT NULL,
    program       TEXT,
    tasks         INTEGER NOT NULL,
    first_task    INTEGER,
    leader        INTEGER,
    core_seconds  REAL,
    start_time    REAL,
    end_time      REAL,
    PRIMARY KEY (uuid, position)
) WITHOUT ROWID;
CREATE TABLE account_field (
    id               INTEGER PRIMARY KEY,
    account          TEXT NOT NULL UNIQUE,
    field_of_science TEXT NOT NULL,
    directorate      TEXT NOT NULL
);
CREATE INDEX executable_module ON executable (module_id);
CREATE INDEX object_module ON object (module_id);
CREATE INDEX object_set_member_object ON object_set_member (object_id);
CREATE INDEX env_value_name ON env_value (env_name_id);
CREATE INDEX environment_member_value ON environment_member (env_value_id);
CREATE INDEX build_of_link ON build (build_uuid);
CREATE INDEX run_job ON run (job_id_raw);
CREATE INDEX run_array ON run (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX run_het ON run (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX run_start ON run (start_time);
CREATE INDEX run_user ON run (user, start_time);
CREATE INDEX run_executable ON run (executable_id);
CREATE INDEX run_object_set ON run (object_set_id);
CREATE INDEX run_build ON run (build_id) WHERE build_id IS NOT NULL;
CREATE INDEX function_set_member_function ON function_set_member (function_name_id);
CREATE INDEX link_time ON link (build_epoch);
CREATE INDEX link_executable ON link (executable_id);
CREATE INDEX link_object_set ON link (object_set_id);
CREATE INDEX link_function_set ON link (function_set_id);
CREATE INDEX package_name ON package (name);
CREATE INDEX run_package_package ON run_package (package_id);
CREATE INDEX coverage_job ON coverage (job_id_raw, step_id, leader);
CREATE INDEX coverage_start ON coverage (start_time);
CREATE VIEW xalt_run AS SELECT
    run.id AS run_id,
    coalesce(run.job_id, '') AS job_id,
    run.uuid AS run_uuid,
    run.date AS date,
    coalesce(run.syshost, '') AS syshost,
    build.build_uuid AS uuid,
    coalesce(executable.hash_id, '0') AS hash_id,
    coalesce(run.account, '') AS account,
    coalesce(run.exec_type, '') AS exec_type,
    coalesce(run.start_time, 0) AS start_time,
    coalesce(run.end_time, 0) AS end_time,
    coalesce(run.run_time, 0) AS run_time,
    coalesce(run.probability, 1) AS probability,
    coalesce(run.num_cores, 0) AS num_cores,
    coalesce(run.num_nodes, 0) AS num_nodes,
    coalesce(run.num_threads, 0) AS num_threads,
    coalesce(run.num_gpus, 0) AS num_gpus,
    coalesce(run.queue, '') AS queue,
    0 AS sum_runs,
    0 AS sum_time,
    coalesce(run.user, '') AS user,
    coalesce(executable.path, '') AS exec_path,
    module.name AS module_name,
    coalesce(run.cwd, '') AS cwd,
    coalesce(run.cmdline, '[]') AS cmdline
FROM run
LEFT JOIN executable ON executable.id = run.executable_id
LEFT JOIN module ON module.id = executable.module_id
LEFT JOIN build ON build.id = run.build_id;
CREATE VIEW xalt_object AS SELECT
    object.id AS obj_id,
    object.path AS object_path,
    object.syshost AS syshost,
    object.hash AS hash_id,
    module.name AS module_name,
    object.added AS timestamp,
    CASE
        WHEN object.path LIKE '%.so' OR object.path LIKE '%.so.%' THEN 'so'
        WHEN object.path LIKE '%.a' THEN 'a'
        WHEN object.path LIKE '%.o' THEN 'o'
        ELSE '--'
    END AS lib_type
FROM object
LEFT JOIN module ON module.id = object.module_id
;
CREATE VIEW join_run_object AS SELECT
    run.id * 4294967296 + object_set_member.object_id AS join_id,
    object_set_member.object_id AS obj_id,
    run.id AS run_id,
    date(run.date) AS date
FROM run
JOIN object_set_member ON object_set_member.object_set_id = run.object_set_id;
CREATE VIEW xalt_link AS SELECT
    link.id AS link_id,
    link.uuid AS uuid,
    coalesce(executable.hash_id, '0') AS hash_id,
    link.date AS date,
    coalesce(link.link_program, '') AS link_program,
    coalesce(link.link_path, '') AS link_path,
    module.name AS link_module_name,
    link.link_line AS link_line,
    link.cwd AS cwd,
    coalesce(link.build_user, '') AS build_user,
    coalesce(link.build_syshost, '') AS build_syshost,
    coalesce(link.build_epoch, 0) AS build_epoch,
    coalesce(executable.path, '') AS exec_path
FROM link
LEFT JOIN executable ON executable.id = link.executable_id
LEFT JOIN module ON module.id = link.module_id;
CREATE VIEW join_link_object AS SELECT
    link.id * 4294967296 + object_set_member.object_id AS join_id,
    object_set_member.object_id AS obj_id,
    link.id AS link_id,
    date(link.date) AS date
FROM link
JOIN object_set_member ON object_set_member.object_set_id = link.object_set_id;
CREATE VIEW xalt_env_name AS SELECT
    id AS env_id,
    name AS env_name
FROM env_name;
CREATE VIEW join_run_env AS SELECT
    run.id * 4294967296 + env_value.id AS join_id,
    env_value.env_name_id AS env_id,
    run.id AS run_id,
    date(run.date) AS date,
    env_value.value AS env_value
FROM run
JOIN environment_member ON environment_member.environment_id = run.environment_id
JOIN env_value ON env_value.id = environment_member.env_value_id;
CREATE VIEW xalt_total_env AS SELECT
    run.id AS envT_id,
    run.id AS run_id,
    date(run.date) AS date,
    (SELECT json_group_object(env_name.name, env_value.value)
     FROM environment_member
     JOIN env_value ON env_value.id = environment_member.env_value_id
     JOIN env_name ON env_name.id = env_value.env_name_id
     WHERE environment_member.environment_id = run.environment_id) AS env_blob
FROM run
WHERE run.environment_id IS NOT NULL;
CREATE VIEW xalt_function AS SELECT
    id AS func_id,
    name AS function_name
FROM function_name;
CREATE VIEW join_link_function AS SELECT
    link.id * 4294967296 + function_set_member.function_name_id AS join_id,
    function_set_member.function_name_id AS func_id,
    link.id AS link_id,
    date(link.date) AS date
FROM link
JOIN function_set_member ON function_set_member.function_set_id = link.function_set_id;
CREATE VIEW xalt_pkg AS SELECT
    run.id * 4294967296 + package.id AS pkg_id,
    run.id AS run_id,
    coalesce(package.program, '') AS program,
    coalesce(package.name, '') AS pkg_name,
    package.version AS pkg_version,
    package.path AS pkg_path
FROM run_package
JOIN run ON run.uuid = run_package.run_uuid
JOIN package ON package.id = run_package.package_id;
CREATE VIEW xalt_user AS SELECT
    min(id) AS usr_id,
    user AS user,
    'u' || min(id) AS anon_user
FROM run
WHERE user IS NOT NULL
GROUP BY user;
CREATE VIEW xalt_account AS SELECT
    min(run.id) AS acct_id,
    run.account AS account,
    'a' || min(run.id) AS anon_user,
    coalesce(max(account_field.field_of_science), '') AS field_of_science
FROM run
LEFT JOIN account_field ON account_field.account = run.account
WHERE run.account IS NOT NULL
GROUP BY run.account;
CREATE VIEW xalt_field_of_science AS SELECT
    id AS fos_id,
    account AS account,
    field_of_science AS field_of_science,
    directorate AS directorate
FROM account_field;
COMMIT;
PRAGMA user_version = 2;
