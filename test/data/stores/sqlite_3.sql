-- SPDX-License-Identifier: LGPL-2.1-or-later
-- A store of version 3 with test/data/records, a link, two packages and coverage in it, as sqlite3's .dump wrote it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE store_state (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO store_state VALUES('generation','2');
CREATE TABLE module (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO module VALUES(1,X'0725ad52d428e93c725ad9b6f9b4ce1f946f2c2b','libc/2.36');
CREATE TABLE module_path (
    identity  BLOB NOT NULL PRIMARY KEY,
    prefix    TEXT NOT NULL,
    module_id INTEGER NOT NULL REFERENCES module (id)
) WITHOUT ROWID;
INSERT INTO module_path VALUES(X'bf8d53ba67867703f5abfc36402fa98e406109cc','/usr/lib/x86_64-linux-gnu',1);
CREATE TABLE executable (
    id        INTEGER PRIMARY KEY,
    identity  BLOB NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash_id   TEXT NOT NULL,         -- sha1 of the file; '0' when not computed, as in XALT
    module_id INTEGER REFERENCES module (id)
);
INSERT INTO executable VALUES(1,X'0d12d49a20888f8e8007b873c5fe378a00010656','/home/alice/wrapper','0000000000000000000000000000000000abc735',NULL);
INSERT INTO executable VALUES(2,X'204ebe129ed5e0ef68cc661145fac42db33c3c08','/home/bob/a.out','0000000000000000000000000000000000abc550',NULL);
INSERT INTO executable VALUES(3,X'46e0ed4042873ccb68c6916e223f0b2907447bd1','/sw/legacy/namd2','0000000000000000000000000000000000abc5be',NULL);
INSERT INTO executable VALUES(4,X'4e4ec3fb6728e524b370ffb17d26cf2dd7b50499','/home/bob/bin/solver','0000000000000000000000000000000000abc76c',NULL);
INSERT INTO executable VALUES(5,X'690edf98f1eab0713fc8776a4251613fd29d95a3','/home/alice/bin/caf','0000000000000000000000000000000000abc91c',NULL);
INSERT INTO executable VALUES(6,X'c70f23a5e536c898dfcbf4e2381727f6e1eca960','/usr/bin/python3.11','0000000000000000000000000000000000abc685',NULL);
INSERT INTO executable VALUES(7,X'f7327ececd7e4230015af7a17f9a8c7521e0ea07','/home/alice/bin/flow.mpi','0000000000000000000000000000000000abc8c8',NULL);
INSERT INTO executable VALUES(8,X'fc19a9c8c5a32e60f35f7e0e1e75b18eb6a002ca','/usr/bin/bash','0000000000000000000000000000000000abc4be',NULL);
INSERT INTO executable VALUES(9,X'6cb9f5831e49860ae25bd91be143d3292d393634','/home/bob/flow','77',NULL);
CREATE TABLE object (
    id        INTEGER PRIMARY KEY,
    identity  BLOB NOT NULL UNIQUE,
    path      TEXT NOT NULL,
    hash      TEXT NOT NULL,         -- sha1 of the file; '0' when not computed
    syshost   TEXT NOT NULL,         -- '' when not known
    added     TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    module_id INTEGER REFERENCES module (id)
);
INSERT INTO object VALUES(1,X'7324826f750119d5afdc67d1230e0fbb2f37deec','/usr/lib/x86_64-linux-gnu/libc.so.6','5b9c4eb1f3a1b0d6c2c7ab0a3b2f3d9f7c1d0e11','tiny','2026-11-22 15:26:02',1);
INSERT INTO object VALUES(2,X'd9c55c988fcb1b1e27c8793a95f8e1716a32f334','/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0','a94a8fe5ccb19ba61c4c0873d391e987982fbbd3','tiny','2026-11-22 15:26:02',NULL);
INSERT INTO object VALUES(3,X'e6d89d565303a2375105e940ff50ed484939550d','/usr/lib/x86_64-linux-gnu/libm.so.6','0','tiny','2026-11-22 15:26:02',1);
INSERT INTO object VALUES(4,X'1a133fb5d9d97d1a838acf19bfd8291d8280fd3c','/tmp/a.o','0','tiny','2026-11-22 15:26:02',NULL);
INSERT INTO object VALUES(5,X'd1e385f407d505ab925ec4874e2156f16b43afd8','/usr/lib/libm.a','1','tiny','2026-11-22 15:26:02',NULL);
CREATE TABLE object_set (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
);
INSERT INTO object_set VALUES(1,X'4ce5f8a4718c20401b9036affc6f66605d14ab9a');
INSERT INTO object_set VALUES(2,X'9c2aa6bda8d07770db6e5ebf78d3d732bd5e9874');
INSERT INTO object_set VALUES(3,X'cd2f877f297972df42599f342370ec4d89ff8ec5');
INSERT INTO object_set VALUES(4,X'25ae3958ae6aacc725a51c2d713f2451e3fa9c46');
CREATE TABLE object_set_member (
    object_set_id INTEGER NOT NULL REFERENCES object_set (id),
    object_id     INTEGER NOT NULL REFERENCES object (id),
    PRIMARY KEY (object_set_id, object_id)
) WITHOUT ROWID;
INSERT INTO object_set_member VALUES(1,1);
INSERT INTO object_set_member VALUES(2,1);
INSERT INTO object_set_member VALUES(3,1);
INSERT INTO object_set_member VALUES(3,2);
INSERT INTO object_set_member VALUES(1,3);
INSERT INTO object_set_member VALUES(3,3);
INSERT INTO object_set_member VALUES(4,4);
INSERT INTO object_set_member VALUES(4,5);
CREATE TABLE env_name (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO env_name VALUES(1,X'09bd6a353a7bb8a33e37cfee71ada9fc9ce37d89','PATH');
INSERT INTO env_name VALUES(2,X'9d65b3749a0a26d4bd1f9ef677810e94260f511d','OMP_NUM_THREADS');
CREATE TABLE env_value (
    id          INTEGER PRIMARY KEY,
    identity    BLOB NOT NULL UNIQUE, -- of name and value
    env_name_id INTEGER NOT NULL REFERENCES env_name (id),
    value       TEXT NOT NULL
);
INSERT INTO env_value VALUES(1,X'53ae5afefe9ca843ad1e41371bd60239b2f32b3b',2,'4');
INSERT INTO env_value VALUES(2,X'f4539e7f28b3b9b62138fd0c399cc21914268e3d',1,'/usr/bin:/bin');
CREATE TABLE environment (
    id      INTEGER PRIMARY KEY,
    hash    BLOB NOT NULL UNIQUE,
    members TEXT NOT NULL            -- JSON array of the ids of env_value, ascending
);
INSERT INTO environment VALUES(1,X'5f8e69d50dbcb974bae3e86e999850bdcd80cd1d','[1,2]');
CREATE TABLE ancestors (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    json TEXT NOT NULL               -- [{"cmd_name": ..., "cmd_path": ..., "cmdlineA": ...}, ...]
);
INSERT INTO ancestors VALUES(1,X'02a831c0086a3275e97b460a7c2ddc1b870662fc','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.batch]"]}]');
INSERT INTO ancestors VALUES(2,X'af91a0466cd583cc3b655dcc4e6b97b4dbd8cbee','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.interactive]"]}]');
INSERT INTO ancestors VALUES(3,X'fe7fcfb96bac850333ebdeada2452129a664fdda','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [%j.0]"]}]');
CREATE TABLE build (
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
INSERT INTO build VALUES(1,X'59e564d98fb0d72fcba4df6afd67edb1e0053747','5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400.0);
CREATE TABLE program (
    id            INTEGER PRIMARY KEY,
    identity      BLOB NOT NULL UNIQUE,
    executable_id INTEGER REFERENCES executable (id),
    object_set_id INTEGER REFERENCES object_set (id),
    build_id      INTEGER REFERENCES build (id),
    exec_type     TEXT,
    exec_epoch    REAL               -- when the executable was last modified
);
INSERT INTO program VALUES(1,X'0dabaf7a449d81af8a5b5834e78502f059265e8f',5,2,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(2,X'4f385b0436beeafd8ab44aea0d095cac48eec146',2,2,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(3,X'540850298fb927a9df19d99d30b17ab21e8a63f6',8,2,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(4,X'7931910e80a2c90758aa23be43900045af32168d',4,2,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(5,X'b1a570fb72ab37832ae0025d589e89d0d3ebd99d',7,3,1,'binary',1732010400.0);
INSERT INTO program VALUES(6,X'b744bac49c873806181d4a590a8fea1849b22ebb',3,1,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(7,X'e97212f996f2529463472c2b8e24ef04ef6abdc4',1,2,NULL,'binary',1732010400.0);
INSERT INTO program VALUES(8,X'f24bc78c1aa5c1ced01563ff37eeb02dd1a590d6',6,2,NULL,'binary',1732010400.0);
CREATE TABLE job_part (
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
INSERT INTO job_part VALUES(1,X'30820424ecf7473344956bdcb3ed15165cf4e7fb','alice','climate','main','SLURM','tiny','login1','','/home/alice/run','12',12,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(2,X'b401b7cfc1aeb72aef4bae3cb4f85dd7276e6cca','alice','climate','main','SLURM','tiny','login1','','/home/alice/run','7',7,6,1,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(3,X'9e38f3e4476b8d283a633a945f5c48384c55f32a','bob','physics','main','SLURM','tiny','login1','','/home/bob/run','9',9,NULL,NULL,8,1,0,'tiny','main','normal','n2',0);
INSERT INTO job_part VALUES(4,X'378641b7926517e01cbdaaf003480252079a14b6','alice','climate','main','SLURM','tiny','login1','','/home/alice/run','13',13,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(5,X'af2ea43d4211b1345d9860864d05e4d75fc50fd9','alice','climate','main','SLURM','tiny','login1','','/home/alice/run','14',14,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(6,X'de8698ba9d57e85d808e725367bd7538134e82ef','bob','physics','main','SLURM','tiny','login1','','/home/bob/run','15',15,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(7,X'96e4b24b48cdeb68f035770d8744ec24e2470802','alice','climate','main','SLURM','tiny','login1','','/home/alice/run','16',16,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0);
INSERT INTO job_part VALUES(8,X'abaebee391054fc9ab49e500b4a87b408019c757','alice','climate','unknown','SLURM','tiny','unknown',NULL,'/home/alice/run','17',17,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE layout (
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
    gpus_alloc  INTEGER
);
INSERT INTO layout VALUES(1,X'2216341bb5a8a02af7775397d7445c59d2d70ced',1.0,1,1,1,1,0,0,NULL,4,NULL);
INSERT INTO layout VALUES(2,X'45abe327004db8e87ba7708d905ba6fd8924a88f',1.0,1,1,1,1,0,NULL,NULL,NULL,NULL);
INSERT INTO layout VALUES(3,X'f93961a89d93210e19c8e3c2989bae445e56afb3',1.0,1,1,1,1,0,0,0,4,NULL);
CREATE TABLE ending (
    id             INTEGER PRIMARY KEY,
    identity       BLOB NOT NULL UNIQUE,
    exit_code      INTEGER,
    signal         INTEGER,
    core_dumped    INTEGER,
    end_source     TEXT,             -- fini, exec, task_exit, step_end, epilog, reboot
    end_time_error REAL              -- end_time may be wrong by so much
);
INSERT INTO ending VALUES(1,X'3637c916e04d6e368cefc0a3116938925dd33a31',NULL,NULL,0,'fini',0.0);
INSERT INTO ending VALUES(2,X'59d4e53412112a0d333b5ee9c7c9d740358187ae',3,0,0,'task_exit',0.0);
INSERT INTO ending VALUES(3,X'637f5c75490b2ac73bd3a918561e5f5c6076d2b8',NULL,NULL,0,NULL,0.0);
INSERT INTO ending VALUES(4,X'66c011b9a6cf11ca90e6a33b5df5e56da2ec20da',0,0,0,'task_exit',0.0);
INSERT INTO ending VALUES(5,X'7c760a175a9f77d7154968658000dc793ad313e7',NULL,NULL,NULL,NULL,NULL);
INSERT INTO ending VALUES(6,X'7e14f45fff469c9e12eb4a1787ca43388a7b46a5',NULL,NULL,0,'reboot',300.0);
INSERT INTO ending VALUES(7,X'a07f3e47af92eea9187cca5a5d266c47b5ad9e42',NULL,NULL,0,'exec',0.0);
INSERT INTO ending VALUES(8,X'a80ebae80acf974b067693e74d4097379af5d99e',NULL,9,0,'task_exit',0.010000000000000000208);
CREATE TABLE run_own (
    id             INTEGER PRIMARY KEY,
    uuid           TEXT NOT NULL UNIQUE,
    is_start_only  INTEGER NOT NULL, -- 1: the run's end has not been loaded
    date           TEXT,             -- start_time as 'YYYY-MM-DD HH:MM:SS', local to the loader
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
    end_time       REAL,
    run_time       REAL
);
INSERT INTO run_own VALUES(1,'019a9f00-0000-7000-8000-000000000001',0,'2024-11-20 10:00:00','batch','["/usr/bin/bash","/var/spool/job12/slurm_script"]','[4001]',3,1,3,4,1,1,NULL,1732096800.0,1732096805.0,5.0);
INSERT INTO run_own VALUES(2,'019a9f00-0000-7000-8000-000000000002',0,'2024-11-20 10:00:01','0','["./flow.mpi","--in","a b.nc"]','[4002]',5,1,3,4,1,3,NULL,1732096801.25,1732096804.7499999999,3.5);
INSERT INTO run_own VALUES(3,'019a9f00-0000-7000-8000-000000000003',0,'2024-11-20 10:01:00','0','["flow.mpi"]','[4003]',5,2,3,2,1,3,NULL,1732096860.0,1732186921.0,90061.0);
INSERT INTO run_own VALUES(4,'019a9f00-0000-7000-8000-000000000004',0,'2024-11-20 10:02:00','0','["a.out"]','[4004]',2,3,3,8,1,3,NULL,1732096920.0,1732096930.0,10.0);
INSERT INTO run_own VALUES(5,'019a9f00-0000-7000-8000-000000000005',0,'2024-11-20 10:03:00','0','["python3","train.py"]','[4005]',8,4,1,1,1,3,NULL,1732096980.0,1732096981.0,1.0);
INSERT INTO run_own VALUES(6,'019a9f00-0000-7000-8000-000000000006',0,'2024-11-20 10:03:10','0','["wrapper"]','[4006]',7,4,3,7,1,3,NULL,1732096990.0,1732096990.5,0.5);
INSERT INTO run_own VALUES(7,'019a9f00-0000-7000-8000-000000000007',0,'2024-11-20 10:03:20','0','["python3","lost.py"]','[4007]',8,5,3,6,1,3,NULL,1732097000.0,1732097300.0,300.0);
INSERT INTO run_own VALUES(8,'019a9f00-0000-7000-8000-000000000008',1,'2024-11-20 10:04:00','interactive','["solver"]','[4008]',4,6,3,3,1,2,NULL,1732097040.0,NULL,NULL);
INSERT INTO run_own VALUES(9,'019a9f00-0000-7000-8000-000000000009',0,'2024-11-20 10:05:00','0','["caf","a|b","two\nlines\tand a tab","back\\slash","ü"]','[4009]',1,7,3,4,1,3,NULL,1732097100.0,1732097102.0,2.0);
INSERT INTO run_own VALUES(10,'8c8d61fb-98c1-44c0-874c-d613312269f4',0,'2024-11-20 10:06:00',NULL,'["namd2","helloñ.namd"]','[4010]',6,8,2,5,1,3,NULL,1732097160.0,1732097167.0,7.0);
CREATE TABLE function_name (
    id       INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL
);
INSERT INTO function_name VALUES(1,X'617b35d54275338937e0f15340677e956e08ef37','H5Fopen');
INSERT INTO function_name VALUES(2,X'74288ba9c7d1d072a503b9cece78663e8c1b82af','fftw_plan');
CREATE TABLE function_set (
    id   INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE
);
INSERT INTO function_set VALUES(1,X'194e75282cc468f9f91661c385e86aab1875db8d');
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
    identity BLOB NOT NULL UNIQUE,
    program  TEXT,
    name     TEXT,
    version  TEXT,
    path     TEXT
);
INSERT INTO package VALUES(1,X'47f3f593854fc690625ffd2a09ea11949bbe225a','R','ggplot2','3.5','/sw/R');
CREATE TABLE run_package (
    id         INTEGER PRIMARY KEY,  -- in the order of loading
    run_uuid   TEXT NOT NULL,
    package_id INTEGER NOT NULL REFERENCES package (id),
    UNIQUE (run_uuid, package_id)
);
INSERT INTO run_package VALUES(1,'019a9f00-0000-7000-8000-000000000001',1);
INSERT INTO run_package VALUES(2,'8c8d61fb-98c1-44c0-874c-d613312269f4',1);
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
INSERT INTO coverage VALUES('019a9f00-0000-7000-8000-0000000000c1',0,'tiny','tiny','alice','climate','main',12,NULL,NULL,NULL,NULL,0,'n1',0,'0','recorded',NULL,1,0,0,4.0,1732096804.0,1732096805.0);
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
CREATE INDEX build_of_link ON build (build_uuid);
CREATE INDEX program_executable ON program (executable_id);
CREATE INDEX program_object_set ON program (object_set_id);
CREATE INDEX program_build ON program (build_id) WHERE build_id IS NOT NULL;
CREATE INDEX job_part_job ON job_part (job_id_raw);
CREATE INDEX job_part_array ON job_part (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX job_part_het ON job_part (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX job_part_user ON job_part (user);
CREATE INDEX run_own_job_part ON run_own (job_part_id);
CREATE INDEX run_own_program ON run_own (program_id);
CREATE INDEX run_own_start ON run_own (start_time);
CREATE INDEX function_set_member_function ON function_set_member (function_name_id);
CREATE INDEX link_time ON link (build_epoch);
CREATE INDEX link_executable ON link (executable_id);
CREATE INDEX link_object_set ON link (object_set_id);
CREATE INDEX link_function_set ON link (function_set_id);
CREATE INDEX package_name ON package (name);
CREATE INDEX run_package_package ON run_package (package_id);
CREATE INDEX coverage_job ON coverage (job_id_raw, step_id, leader);
CREATE INDEX coverage_start ON coverage (start_time);
CREATE VIEW run AS SELECT
    run_own.id, run_own.uuid, run_own.is_start_only, run_own.date, job_part.user, job_part.account,
    job_part.queue, job_part.scheduler, job_part.syshost, job_part.submit_host, job_part.container,
    program.executable_id, program.exec_type, program.exec_epoch, job_part.cwd, run_own.cmdline,
    program.object_set_id, run_own.environment_id, run_own.ancestors_id, run_own.ancestor_pids,
    program.build_id, run_own.record_epoch, run_own.start_time, run_own.end_time, run_own.run_time,
    layout.probability, layout.num_tasks, layout.num_nodes, layout.num_cores, layout.num_threads,
    layout.num_gpus, job_part.job_id, job_part.job_id_raw, run_own.step_id, job_part.array_job_id,
    job_part.array_task_id, job_part.het_job_id, job_part.het_offset, job_part.restart_count,
    job_part.cluster, job_part.partition, job_part.qos, job_part.node, layout.node_id,
    layout.task_id, layout.cpus_alloc, layout.gpus_alloc, job_part.dropped, ending.exit_code,
    ending.signal, ending.core_dumped, ending.end_source, ending.end_time_error
FROM run_own
JOIN program ON program.id = run_own.program_id
JOIN job_part ON job_part.id = run_own.job_part_id
LEFT JOIN layout ON layout.id = run_own.layout_id
LEFT JOIN ending ON ending.id = run_own.ending_id;
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
    0.0 AS sum_time,
    coalesce(run.user, '') AS user,
    coalesce(executable.path, '') AS exec_path,
    module.name AS module_name,
    coalesce(run.cwd, '') AS cwd,
    coalesce(run.cmdline, '[]') AS cmdline,
    run.container AS container
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
CREATE VIEW environment_member AS SELECT
    environment.id AS environment_id,
    member.value AS env_value_id
FROM environment, json_each(environment.members) AS member;
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
PRAGMA user_version = 3;
