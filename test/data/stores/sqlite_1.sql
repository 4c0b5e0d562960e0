-- SPDX-License-Identifier: LGPL-2.1-or-later
-- A store of version 1 with test/data/records in it, as sqlite3's .dump wrote it.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE executable (
    id      INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,
    hash_id TEXT NOT NULL,           -- sha1 of the file; '0' when not computed, as in XALT
    UNIQUE (path, hash_id)
);
INSERT INTO executable VALUES(1,'/home/alice/wrapper','0000000000000000000000000000000000abc735');
INSERT INTO executable VALUES(2,'/home/alice/bin/flow.mpi','0000000000000000000000000000000000abc8c8');
INSERT INTO executable VALUES(3,'/usr/bin/bash','0000000000000000000000000000000000abc4be');
INSERT INTO executable VALUES(4,'/home/bob/bin/solver','0000000000000000000000000000000000abc76c');
INSERT INTO executable VALUES(5,'/home/alice/bin/caf','0000000000000000000000000000000000abc91c');
INSERT INTO executable VALUES(6,'/usr/bin/python3.11','0000000000000000000000000000000000abc685');
INSERT INTO executable VALUES(7,'/home/bob/a.out','0000000000000000000000000000000000abc550');
INSERT INTO executable VALUES(8,'/sw/legacy/namd2','0000000000000000000000000000000000abc5be');
CREATE TABLE object (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    hash TEXT NOT NULL,              -- sha1 of the file; '0' when not computed
    UNIQUE (path, hash)
);
INSERT INTO object VALUES(1,'/usr/lib/x86_64-linux-gnu/libc.so.6','5b9c4eb1f3a1b0d6c2c7ab0a3b2f3d9f7c1d0e11');
INSERT INTO object VALUES(2,'/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0','a94a8fe5ccb19ba61c4c0873d391e987982fbbd3');
INSERT INTO object VALUES(3,'/usr/lib/x86_64-linux-gnu/libm.so.6','0');
CREATE TABLE object_set (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
);
INSERT INTO object_set VALUES(1,'24878d6cfdcd366184e80156cd149646fd47a497');
INSERT INTO object_set VALUES(2,'9c468f8a70b074f2ae16bf20c13b7662a17781d0');
INSERT INTO object_set VALUES(3,'bcb7d57d5f4f6151c98ef2277e43fa4a30e008dd');
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
CREATE TABLE environment (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL               -- {"NAME": "value", ...}
);
INSERT INTO environment VALUES(1,'5f8e69d50dbcb974bae3e86e999850bdcd80cd1d','{"OMP_NUM_THREADS":"4","PATH":"/usr/bin:/bin"}');
CREATE TABLE ancestors (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL               -- [{"cmd_name": ..., "cmd_path": ..., "pid": ...}, ...]
);
INSERT INTO ancestors VALUES(1,'8277488a502f5329abec94cbe19bfd40591fbd68','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [13.0]"],"pid":4006}]');
INSERT INTO ancestors VALUES(2,'41cb5e1671073a53fc3428954ac831f0789c690a','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [7.0]"],"pid":4003}]');
INSERT INTO ancestors VALUES(3,'9daca5fe72234e0faa96444e458db62d40b83412','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [12.batch]"],"pid":4001}]');
INSERT INTO ancestors VALUES(4,'42925e57a0435247f60a4884458141eb47901c2a','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [15.interactive]"],"pid":4008}]');
INSERT INTO ancestors VALUES(5,'8324d4a6da49803f1e06fddb9489ab4e55a9535b','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [16.0]"],"pid":4009}]');
INSERT INTO ancestors VALUES(6,'6009c36d8e08544c544fb9fd13aa68369c7ae071','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [12.0]"],"pid":4002}]');
INSERT INTO ancestors VALUES(7,'74a25d3538bd25fec228006974f2ef410fcede90','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [13.0]"],"pid":4005}]');
INSERT INTO ancestors VALUES(8,'39bb668436bf50de4b207fa43208ca8862a1f81a','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [9.0]"],"pid":4004}]');
INSERT INTO ancestors VALUES(9,'e7342254947b228013e347c1f2d2357ee18081ff','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [17.0]"],"pid":4010}]');
INSERT INTO ancestors VALUES(10,'afee1d2ab73deeab796133ad40d67ccea302dfa1','[{"cmd_name":"slurmstepd","cmd_path":"/usr/sbin/slurmstepd","cmdlineA":["slurmstepd: [14.0]"],"pid":4007}]');
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
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000006',0,'alice','climate','main','SLURM','tiny','login1','',1,'binary',1732010400.0,'/home/alice/run','["wrapper"]',1,1,1,1732096991.4999999999,1732096990.0,1732096990.5,0.5,1.0,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'exec',0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000003',0,'alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400.0,'/home/alice/run','["flow.mpi"]',2,1,2,1732186922.0,1732096860.0,1732186921.0,90061.0,1.0,1,1,1,1,0,'7',7,'0',6,1,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,3,0,0,'task_exit',0.0,'5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400.0);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000001',0,'alice','climate','main','SLURM','tiny','login1','',3,'binary',1732010400.0,'/home/alice/run','["/usr/bin/bash","/var/spool/job12/slurm_script"]',1,1,3,1732096806.0,1732096800.0,1732096805.0,5.0,1.0,1,1,1,1,0,'12',12,'batch',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000008',1,'bob','physics','main','SLURM','tiny','login1','',4,'binary',1732010400.0,'/home/bob/run','["solver"]',1,1,4,1732097041.0,1732097040.0,NULL,NULL,1.0,1,1,1,1,0,'15',15,'interactive',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,NULL,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000009',0,'alice','climate','main','SLURM','tiny','login1','',5,'binary',1732010400.0,'/home/alice/run','["caf","a|b","two\nlines\tand a tab","back\\slash","ü"]',1,1,5,1732097103.0,1732097100.0,1732097102.0,2.0,1.0,1,1,1,1,0,'16',16,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000002',0,'alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400.0,'/home/alice/run','["./flow.mpi","--in","a b.nc"]',2,1,6,1732096805.75,1732096801.25,1732096804.7499999999,3.5,1.0,1,1,1,1,0,'12',12,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0.0,'5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400.0);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000005',0,'alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400.0,'/home/alice/run','["python3","train.py"]',1,1,7,1732096982.0,1732096980.0,1732096981.0,1.0,1.0,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,NULL,4,NULL,0,NULL,NULL,0,'fini',0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000004',0,'bob','physics','main','SLURM','tiny','login1','',7,'binary',1732010400.0,'/home/bob/run','["a.out"]',1,1,8,1732096931.0,1732096920.0,1732096930.0,10.0,1.0,1,1,1,1,0,'9',9,'0',NULL,NULL,8,1,0,'tiny','main','normal','n2',0,0,4,NULL,0,NULL,9,0,'task_exit',0.010000000000000000208,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('8c8d61fb-98c1-44c0-874c-d613312269f4',0,'alice','climate','unknown','SLURM','tiny','unknown',NULL,8,'binary',1732010400.0,'/home/alice/run','["namd2","helloñ.namd"]',3,1,9,1732097168.0,1732097160.0,1732097167.0,7.0,1.0,1,1,1,1,0,'17',17,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO run VALUES('019a9f00-0000-7000-8000-000000000007',0,'alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400.0,'/home/alice/run','["python3","lost.py"]',1,1,10,1732097301.0,1732097000.0,1732097300.0,300.0,1.0,1,1,1,1,0,'14',14,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'reboot',300.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE INDEX object_set_member_object ON object_set_member (object_id);
CREATE INDEX run_job ON run (job_id_raw);
CREATE INDEX run_array ON run (array_job_id) WHERE array_job_id IS NOT NULL;
CREATE INDEX run_het ON run (het_job_id) WHERE het_job_id IS NOT NULL;
CREATE INDEX run_start ON run (start_time);
CREATE INDEX run_user ON run (user, start_time);
CREATE INDEX run_executable ON run (executable_id);
CREATE INDEX run_object_set ON run (object_set_id);
COMMIT;
PRAGMA user_version = 1;
