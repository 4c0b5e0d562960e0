-- SPDX-License-Identifier: LGPL-2.1-or-later
-- A store of version 3 with test/data/records, a link, two packages and coverage in it, as mariadb-dump wrote it.
/*M!999999\- enable the sandbox mode */ 
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `account_field` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `account` varchar(255) NOT NULL,
  `field_of_science` varchar(255) NOT NULL,
  `directorate` varchar(255) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `account` (`account`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `ancestors` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `hash` binary(20) NOT NULL,
  `json` longtext NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `ancestors` VALUES
(1,0x02A831C0086A3275E97B460A7C2DDC1B870662FC,'[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.batch]\"]}]'),
(2,0xAF91A0466CD583CC3B655DCC4E6B97B4DBD8CBEE,'[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.interactive]\"]}]'),
(3,0xFE7FCFB96BAC850333EBDEADA2452129A664FDDA,'[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.0]\"]}]');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `build` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `build_uuid` varchar(255) DEFAULT NULL,
  `build_user` varchar(255) DEFAULT NULL,
  `build_host` varchar(255) DEFAULT NULL,
  `build_syshost` varchar(255) DEFAULT NULL,
  `build_os` varchar(255) DEFAULT NULL,
  `build_cwd` text DEFAULT NULL,
  `build_compiler` varchar(255) DEFAULT NULL,
  `build_compiler_path` text DEFAULT NULL,
  `build_modules` text DEFAULT NULL,
  `build_lmfiles` text DEFAULT NULL,
  `build_xalt` varchar(255) DEFAULT NULL,
  `build_epoch` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `build_of_link` (`build_uuid`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `build` VALUES
(1,0x59E564D98FB0D72FCBA4DF6AFD67EDB1E0053747,'5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `coverage` (
  `uuid` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `position` bigint(20) NOT NULL,
  `cluster` varchar(255) DEFAULT NULL,
  `syshost` varchar(255) DEFAULT NULL,
  `user` varchar(255) DEFAULT NULL,
  `account` varchar(255) DEFAULT NULL,
  `partition` varchar(255) DEFAULT NULL,
  `job_id_raw` bigint(20) DEFAULT NULL,
  `array_job_id` bigint(20) DEFAULT NULL,
  `array_task_id` bigint(20) DEFAULT NULL,
  `het_job_id` bigint(20) DEFAULT NULL,
  `het_offset` bigint(20) DEFAULT NULL,
  `restart_count` bigint(20) DEFAULT NULL,
  `node` varchar(255) DEFAULT NULL,
  `dropped` bigint(20) DEFAULT NULL,
  `step_id` varchar(255) DEFAULT NULL,
  `outcome` varchar(255) NOT NULL,
  `program` varchar(255) DEFAULT NULL,
  `tasks` bigint(20) NOT NULL,
  `first_task` bigint(20) DEFAULT NULL,
  `leader` bigint(20) DEFAULT NULL,
  `core_seconds` double DEFAULT NULL,
  `start_time` double DEFAULT NULL,
  `end_time` double DEFAULT NULL,
  PRIMARY KEY (`uuid`,`position`),
  KEY `coverage_job` (`job_id_raw`,`step_id`,`leader`),
  KEY `coverage_start` (`start_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `coverage` VALUES
('019a9f00-0000-7000-8000-0000000000c1',0,'tiny','tiny','alice','climate','main',12,NULL,NULL,NULL,NULL,0,'n1',0,'0','recorded',NULL,1,0,0,4,1732096804,1732096805);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `ending` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `exit_code` bigint(20) DEFAULT NULL,
  `signal` bigint(20) DEFAULT NULL,
  `core_dumped` bigint(20) DEFAULT NULL,
  `end_source` varchar(255) DEFAULT NULL,
  `end_time_error` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `ending` VALUES
(1,0x3637C916E04D6E368CEFC0A3116938925DD33A31,NULL,NULL,0,'fini',0),
(2,0x59D4E53412112A0D333B5EE9C7C9D740358187AE,3,0,0,'task_exit',0),
(3,0x637F5C75490B2AC73BD3A918561E5F5C6076D2B8,NULL,NULL,0,NULL,0),
(4,0x66C011B9A6CF11CA90E6A33B5DF5E56DA2EC20DA,0,0,0,'task_exit',0),
(5,0x7C760A175A9F77D7154968658000DC793AD313E7,NULL,NULL,NULL,NULL,NULL),
(6,0x7E14F45FFF469C9E12EB4A1787CA43388A7B46A5,NULL,NULL,0,'reboot',300),
(7,0xA07F3E47AF92EEA9187CCA5A5D266C47B5AD9E42,NULL,NULL,0,'exec',0),
(8,0xA80EBAE80ACF974B067693E74D4097379AF5D99E,NULL,9,0,'task_exit',0.01);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `env_name` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `env_name` VALUES
(1,0x09BD6A353A7BB8A33E37CFEE71ADA9FC9CE37D89,'PATH'),
(2,0x9D65B3749A0A26D4BD1F9EF677810E94260F511D,'OMP_NUM_THREADS');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `env_value` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `env_name_id` int(10) unsigned NOT NULL,
  `value` longtext NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `env_value_name` (`env_name_id`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `env_value` VALUES
(1,0x53AE5AFEFE9CA843AD1E41371BD60239B2F32B3B,2,'4'),
(2,0xF4539E7F28B3B9B62138FD0C399CC21914268E3D,1,'/usr/bin:/bin');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `environment` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `hash` binary(20) NOT NULL,
  `members` longtext NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `environment` VALUES
(1,0x5F8E69D50DBCB974BAE3E86E999850BDCD80CD1D,'[1,2]');
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `environment_member` AS SELECT
 NULL AS `environment_id`,
 NULL AS `env_value_id` */;
SET character_set_client = @saved_cs_client;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `executable` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `path` text NOT NULL,
  `hash_id` varchar(255) NOT NULL,
  `module_id` int(10) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `executable_module` (`module_id`)
) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `executable` VALUES
(1,0x0D12D49A20888F8E8007B873C5FE378A00010656,'/home/alice/wrapper','0000000000000000000000000000000000abc735',NULL),
(2,0x204EBE129ED5E0EF68CC661145FAC42DB33C3C08,'/home/bob/a.out','0000000000000000000000000000000000abc550',NULL),
(3,0x46E0ED4042873CCB68C6916E223F0B2907447BD1,'/sw/legacy/namd2','0000000000000000000000000000000000abc5be',NULL),
(4,0x4E4EC3FB6728E524B370FFB17D26CF2DD7B50499,'/home/bob/bin/solver','0000000000000000000000000000000000abc76c',NULL),
(5,0x690EDF98F1EAB0713FC8776A4251613FD29D95A3,'/home/alice/bin/caf','0000000000000000000000000000000000abc91c',NULL),
(6,0xC70F23A5E536C898DFCBF4E2381727F6E1ECA960,'/usr/bin/python3.11','0000000000000000000000000000000000abc685',NULL),
(7,0xF7327ECECD7E4230015AF7A17F9A8C7521E0EA07,'/home/alice/bin/flow.mpi','0000000000000000000000000000000000abc8c8',NULL),
(8,0xFC19A9C8C5A32E60F35F7E0E1E75B18EB6A002CA,'/usr/bin/bash','0000000000000000000000000000000000abc4be',NULL),
(16,0x6CB9F5831E49860AE25BD91BE143D3292D393634,'/home/bob/flow','77',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_name` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_name` VALUES
(1,0x617B35D54275338937E0F15340677E956E08EF37,'H5Fopen'),
(2,0x74288BA9C7D1D072A503B9CECE78663E8C1B82AF,'fftw_plan');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_set` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `hash` binary(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_set` VALUES
(1,0x194E75282CC468F9F91661C385E86AAB1875DB8D);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_set_member` (
  `function_set_id` int(10) unsigned NOT NULL,
  `function_name_id` int(10) unsigned NOT NULL,
  PRIMARY KEY (`function_set_id`,`function_name_id`),
  KEY `function_set_member_function` (`function_name_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_set_member` VALUES
(1,1),
(1,2);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `job_part` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `user` varchar(255) DEFAULT NULL,
  `account` varchar(255) DEFAULT NULL,
  `queue` varchar(255) DEFAULT NULL,
  `scheduler` varchar(255) DEFAULT NULL,
  `syshost` varchar(255) DEFAULT NULL,
  `submit_host` varchar(255) DEFAULT NULL,
  `container` varchar(255) DEFAULT NULL,
  `cwd` text DEFAULT NULL,
  `job_id` varchar(255) DEFAULT NULL,
  `job_id_raw` bigint(20) DEFAULT NULL,
  `array_job_id` bigint(20) DEFAULT NULL,
  `array_task_id` bigint(20) DEFAULT NULL,
  `het_job_id` bigint(20) DEFAULT NULL,
  `het_offset` bigint(20) DEFAULT NULL,
  `restart_count` bigint(20) DEFAULT NULL,
  `cluster` varchar(255) DEFAULT NULL,
  `partition` varchar(255) DEFAULT NULL,
  `qos` varchar(255) DEFAULT NULL,
  `node` varchar(255) DEFAULT NULL,
  `dropped` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `job_part_job` (`job_id_raw`),
  KEY `job_part_array` (`array_job_id`),
  KEY `job_part_het` (`het_job_id`),
  KEY `job_part_user` (`user`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `job_part` VALUES
(1,0x30820424ECF7473344956BDCB3ED15165CF4E7FB,'alice','climate','main','SLURM','tiny','login1','','/home/alice/run','12',12,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0),
(2,0xB401B7CFC1AEB72AEF4BAE3CB4F85DD7276E6CCA,'alice','climate','main','SLURM','tiny','login1','','/home/alice/run','7',7,6,1,NULL,NULL,0,'tiny','main','normal','n1',0),
(3,0x9E38F3E4476B8D283A633A945F5C48384C55F32A,'bob','physics','main','SLURM','tiny','login1','','/home/bob/run','9',9,NULL,NULL,8,1,0,'tiny','main','normal','n2',0),
(4,0x378641B7926517E01CBDAAF003480252079A14B6,'alice','climate','main','SLURM','tiny','login1','','/home/alice/run','13',13,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0),
(5,0xAF2EA43D4211B1345D9860864D05E4D75FC50FD9,'alice','climate','main','SLURM','tiny','login1','','/home/alice/run','14',14,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0),
(6,0xDE8698BA9D57E85D808E725367BD7538134E82EF,'bob','physics','main','SLURM','tiny','login1','','/home/bob/run','15',15,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0),
(7,0x96E4B24B48CDEB68F035770D8744EC24E2470802,'alice','climate','main','SLURM','tiny','login1','','/home/alice/run','16',16,NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0),
(8,0xABAEBEE391054FC9AB49E500B4A87B408019C757,'alice','climate','unknown','SLURM','tiny','unknown',NULL,'/home/alice/run','17',17,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `join_link_function` AS SELECT
 NULL AS `join_id`,
 NULL AS `func_id`,
 NULL AS `link_id`,
 NULL AS `date` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `join_link_object` AS SELECT
 NULL AS `join_id`,
 NULL AS `obj_id`,
 NULL AS `link_id`,
 NULL AS `date` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `join_run_env` AS SELECT
 NULL AS `join_id`,
 NULL AS `env_id`,
 NULL AS `run_id`,
 NULL AS `date`,
 NULL AS `env_value` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `join_run_object` AS SELECT
 NULL AS `join_id`,
 NULL AS `obj_id`,
 NULL AS `run_id`,
 NULL AS `date` */;
SET character_set_client = @saved_cs_client;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `layout` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `probability` double DEFAULT NULL,
  `num_tasks` bigint(20) DEFAULT NULL,
  `num_nodes` bigint(20) DEFAULT NULL,
  `num_cores` bigint(20) DEFAULT NULL,
  `num_threads` bigint(20) DEFAULT NULL,
  `num_gpus` bigint(20) DEFAULT NULL,
  `node_id` bigint(20) DEFAULT NULL,
  `task_id` bigint(20) DEFAULT NULL,
  `cpus_alloc` bigint(20) DEFAULT NULL,
  `gpus_alloc` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `layout` VALUES
(1,0x2216341BB5A8A02AF7775397D7445C59D2D70CED,1,1,1,1,1,0,0,NULL,4,NULL),
(2,0x45ABE327004DB8E87BA7708D905BA6FD8924A88F,1,1,1,1,1,0,NULL,NULL,NULL,NULL),
(3,0xF93961A89D93210E19C8E3C2989BAE445E56AFB3,1,1,1,1,1,0,0,0,4,NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `link` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `uuid` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `date` datetime DEFAULT NULL,
  `executable_id` int(10) unsigned DEFAULT NULL,
  `object_set_id` int(10) unsigned DEFAULT NULL,
  `function_set_id` int(10) unsigned DEFAULT NULL,
  `link_program` varchar(255) DEFAULT NULL,
  `link_path` text DEFAULT NULL,
  `module_id` int(10) unsigned DEFAULT NULL,
  `link_line` longtext DEFAULT NULL,
  `cwd` text DEFAULT NULL,
  `build_user` varchar(255) DEFAULT NULL,
  `build_host` varchar(255) DEFAULT NULL,
  `build_syshost` varchar(255) DEFAULT NULL,
  `build_epoch` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uuid` (`uuid`),
  KEY `link_time` (`build_epoch`),
  KEY `link_executable` (`executable_id`),
  KEY `link_object_set` (`object_set_id`),
  KEY `link_function_set` (`function_set_id`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `link` VALUES
(1,'5468e07b-0c8a-49a1-8010-3c9a11fce259','2024-11-19 07:06:40',16,4,1,'gcc','/sw/gcc/13.2/bin/gcc',NULL,'[\"gcc\",\"-o\",\"flow\"]','/home/bob','bob','login1','tiny',1732000000.5);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `module` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `module` VALUES
(1,0x0725AD52D428E93C725AD9B6F9B4CE1F946F2C2B,'libc/2.36');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `module_path` (
  `identity` binary(20) NOT NULL,
  `prefix` text NOT NULL,
  `module_id` int(10) unsigned NOT NULL,
  PRIMARY KEY (`identity`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `module_path` VALUES
(0xBF8D53BA67867703F5ABFC36402FA98E406109CC,'/usr/lib/x86_64-linux-gnu',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `path` text NOT NULL,
  `hash` varchar(255) NOT NULL,
  `syshost` varchar(255) NOT NULL,
  `added` timestamp NOT NULL DEFAULT current_timestamp(),
  `module_id` int(10) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `object_module` (`module_id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object` VALUES
(1,0x7324826F750119D5AFDC67D1230E0FBB2F37DEEC,'/usr/lib/x86_64-linux-gnu/libc.so.6','5b9c4eb1f3a1b0d6c2c7ab0a3b2f3d9f7c1d0e11','tiny','2026-11-22 15:26:34',1),
(2,0xD9C55C988FCB1B1E27C8793A95F8E1716A32F334,'/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0','a94a8fe5ccb19ba61c4c0873d391e987982fbbd3','tiny','2026-11-22 15:26:34',NULL),
(3,0xE6D89D565303A2375105E940FF50ED484939550D,'/usr/lib/x86_64-linux-gnu/libm.so.6','0','tiny','2026-11-22 15:26:34',1),
(4,0x1A133FB5D9D97D1A838ACF19BFD8291D8280FD3C,'/tmp/a.o','0','tiny','2026-11-22 15:26:34',NULL),
(5,0xD1E385F407D505AB925EC4874E2156F16B43AFD8,'/usr/lib/libm.a','1','tiny','2026-11-22 15:26:34',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object_set` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `hash` binary(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object_set` VALUES
(4,0x25AE3958AE6AACC725A51C2D713F2451E3FA9C46),
(1,0x4CE5F8A4718C20401B9036AFFC6F66605D14AB9A),
(2,0x9C2AA6BDA8D07770DB6E5EBF78D3D732BD5E9874),
(3,0xCD2F877F297972DF42599F342370EC4D89FF8EC5);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object_set_member` (
  `object_set_id` int(10) unsigned NOT NULL,
  `object_id` int(10) unsigned NOT NULL,
  PRIMARY KEY (`object_set_id`,`object_id`),
  KEY `object_set_member_object` (`object_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object_set_member` VALUES
(1,1),
(1,3),
(2,1),
(3,1),
(3,2),
(3,3),
(4,4),
(4,5);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `package` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `program` varchar(255) DEFAULT NULL,
  `name` text DEFAULT NULL,
  `version` varchar(255) DEFAULT NULL,
  `path` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `package_name` (`name`(100))
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `package` VALUES
(1,0x47F3F593854FC690625FFD2A09EA11949BBE225A,'R','ggplot2','3.5','/sw/R');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `program` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `identity` binary(20) NOT NULL,
  `executable_id` int(10) unsigned DEFAULT NULL,
  `object_set_id` int(10) unsigned DEFAULT NULL,
  `build_id` int(10) unsigned DEFAULT NULL,
  `exec_type` varchar(255) DEFAULT NULL,
  `exec_epoch` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `program_executable` (`executable_id`),
  KEY `program_object_set` (`object_set_id`),
  KEY `program_build` (`build_id`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `program` VALUES
(1,0x0DABAF7A449D81AF8A5B5834E78502F059265E8F,5,2,NULL,'binary',1732010400),
(2,0x4F385B0436BEEAFD8AB44AEA0D095CAC48EEC146,2,2,NULL,'binary',1732010400),
(3,0x540850298FB927A9DF19D99D30B17AB21E8A63F6,8,2,NULL,'binary',1732010400),
(4,0x7931910E80A2C90758AA23BE43900045AF32168D,4,2,NULL,'binary',1732010400),
(5,0xB1A570FB72AB37832AE0025D589E89D0D3EBD99D,7,3,1,'binary',1732010400),
(6,0xB744BAC49C873806181D4A590A8FEA1849B22EBB,3,1,NULL,'binary',1732010400),
(7,0xE97212F996F2529463472C2B8E24EF04EF6ABDC4,1,2,NULL,'binary',1732010400),
(8,0xF24BC78C1AA5C1CED01563FF37EEB02DD1A590D6,6,2,NULL,'binary',1732010400);
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `run` AS SELECT
 NULL AS `id`,
 NULL AS `uuid`,
 NULL AS `is_start_only`,
 NULL AS `date`,
 NULL AS `user`,
 NULL AS `account`,
 NULL AS `queue`,
 NULL AS `scheduler`,
 NULL AS `syshost`,
 NULL AS `submit_host`,
 NULL AS `container`,
 NULL AS `executable_id`,
 NULL AS `exec_type`,
 NULL AS `exec_epoch`,
 NULL AS `cwd`,
 NULL AS `cmdline`,
 NULL AS `object_set_id`,
 NULL AS `environment_id`,
 NULL AS `ancestors_id`,
 NULL AS `ancestor_pids`,
 NULL AS `build_id`,
 NULL AS `record_epoch`,
 NULL AS `start_time`,
 NULL AS `end_time`,
 NULL AS `run_time`,
 NULL AS `probability`,
 NULL AS `num_tasks`,
 NULL AS `num_nodes`,
 NULL AS `num_cores`,
 NULL AS `num_threads`,
 NULL AS `num_gpus`,
 NULL AS `job_id`,
 NULL AS `job_id_raw`,
 NULL AS `step_id`,
 NULL AS `array_job_id`,
 NULL AS `array_task_id`,
 NULL AS `het_job_id`,
 NULL AS `het_offset`,
 NULL AS `restart_count`,
 NULL AS `cluster`,
 NULL AS `partition`,
 NULL AS `qos`,
 NULL AS `node`,
 NULL AS `node_id`,
 NULL AS `task_id`,
 NULL AS `cpus_alloc`,
 NULL AS `gpus_alloc`,
 NULL AS `dropped`,
 NULL AS `exit_code`,
 NULL AS `signal`,
 NULL AS `core_dumped`,
 NULL AS `end_source`,
 NULL AS `end_time_error` */;
SET character_set_client = @saved_cs_client;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `run_own` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `uuid` uuid NOT NULL,
  `is_start_only` tinyint(4) NOT NULL,
  `date` datetime DEFAULT NULL,
  `step_id` varchar(255) DEFAULT NULL,
  `cmdline` longtext DEFAULT NULL,
  `ancestor_pids` text DEFAULT NULL,
  `program_id` int(10) unsigned NOT NULL,
  `job_part_id` int(10) unsigned NOT NULL,
  `layout_id` int(10) unsigned NOT NULL,
  `ending_id` int(10) unsigned NOT NULL,
  `environment_id` int(10) unsigned DEFAULT NULL,
  `ancestors_id` int(10) unsigned DEFAULT NULL,
  `record_epoch` double DEFAULT NULL,
  `start_time` double DEFAULT NULL,
  `end_time` double DEFAULT NULL,
  `run_time` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uuid` (`uuid`),
  KEY `run_own_job_part` (`job_part_id`),
  KEY `run_own_program` (`program_id`),
  KEY `run_own_date` (`date`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `run_own` VALUES
(1,'019a9f00-0000-7000-8000-000000000001',0,'2024-11-20 10:00:00','batch','[\"/usr/bin/bash\",\"/var/spool/job12/slurm_script\"]','[4001]',3,1,3,4,1,1,NULL,1732096800,1732096805,5),
(2,'019a9f00-0000-7000-8000-000000000002',0,'2024-11-20 10:00:01','0','[\"./flow.mpi\",\"--in\",\"a b.nc\"]','[4002]',5,1,3,4,1,3,NULL,1732096801.25,1732096804.75,3.5),
(3,'019a9f00-0000-7000-8000-000000000003',0,'2024-11-20 10:01:00','0','[\"flow.mpi\"]','[4003]',5,2,3,2,1,3,NULL,1732096860,1732186921,90061),
(4,'019a9f00-0000-7000-8000-000000000004',0,'2024-11-20 10:02:00','0','[\"a.out\"]','[4004]',2,3,3,8,1,3,NULL,1732096920,1732096930,10),
(5,'019a9f00-0000-7000-8000-000000000005',0,'2024-11-20 10:03:00','0','[\"python3\",\"train.py\"]','[4005]',8,4,1,1,1,3,NULL,1732096980,1732096981,1),
(6,'019a9f00-0000-7000-8000-000000000006',0,'2024-11-20 10:03:10','0','[\"wrapper\"]','[4006]',7,4,3,7,1,3,NULL,1732096990,1732096990.5,0.5),
(7,'019a9f00-0000-7000-8000-000000000007',0,'2024-11-20 10:03:20','0','[\"python3\",\"lost.py\"]','[4007]',8,5,3,6,1,3,NULL,1732097000,1732097300,300),
(8,'019a9f00-0000-7000-8000-000000000008',1,'2024-11-20 10:04:00','interactive','[\"solver\"]','[4008]',4,6,3,3,1,2,NULL,1732097040,NULL,NULL),
(9,'019a9f00-0000-7000-8000-000000000009',0,'2024-11-20 10:05:00','0','[\"caf\",\"a|b\",\"two\\nlines\\tand a tab\",\"back\\\\slash\",\"ü\"]','[4009]',1,7,3,4,1,3,NULL,1732097100,1732097102,2),
(10,'8c8d61fb-98c1-44c0-874c-d613312269f4',0,'2024-11-20 10:06:00',NULL,'[\"namd2\",\"helloñ.namd\"]','[4010]',6,8,2,5,1,3,NULL,1732097160,1732097167,7);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `run_package` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `run_uuid` uuid NOT NULL,
  `package_id` int(10) unsigned NOT NULL,
  PRIMARY KEY (`run_uuid`,`package_id`),
  UNIQUE KEY `run_package_id` (`id`),
  KEY `run_package_package` (`package_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `run_package` VALUES
(1,'019a9f00-0000-7000-8000-000000000001',1),
(2,'8c8d61fb-98c1-44c0-874c-d613312269f4',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `store_state` (
  `name` varchar(64) NOT NULL,
  `value` longtext NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `store_state` VALUES
('generation','2'),
('schema','3');
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_account` AS SELECT
 NULL AS `acct_id`,
 NULL AS `account`,
 NULL AS `anon_user`,
 NULL AS `field_of_science` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_env_name` AS SELECT
 NULL AS `env_id`,
 NULL AS `env_name` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_field_of_science` AS SELECT
 NULL AS `fos_id`,
 NULL AS `account`,
 NULL AS `field_of_science`,
 NULL AS `directorate` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_function` AS SELECT
 NULL AS `func_id`,
 NULL AS `function_name` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_link` AS SELECT
 NULL AS `link_id`,
 NULL AS `uuid`,
 NULL AS `hash_id`,
 NULL AS `date`,
 NULL AS `link_program`,
 NULL AS `link_path`,
 NULL AS `link_module_name`,
 NULL AS `link_line`,
 NULL AS `cwd`,
 NULL AS `build_user`,
 NULL AS `build_syshost`,
 NULL AS `build_epoch`,
 NULL AS `exec_path` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_object` AS SELECT
 NULL AS `obj_id`,
 NULL AS `object_path`,
 NULL AS `syshost`,
 NULL AS `hash_id`,
 NULL AS `module_name`,
 NULL AS `timestamp`,
 NULL AS `lib_type` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_pkg` AS SELECT
 NULL AS `pkg_id`,
 NULL AS `run_id`,
 NULL AS `program`,
 NULL AS `pkg_name`,
 NULL AS `pkg_version`,
 NULL AS `pkg_path` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_run` AS SELECT
 NULL AS `run_id`,
 NULL AS `job_id`,
 NULL AS `run_uuid`,
 NULL AS `date`,
 NULL AS `syshost`,
 NULL AS `uuid`,
 NULL AS `hash_id`,
 NULL AS `account`,
 NULL AS `exec_type`,
 NULL AS `start_time`,
 NULL AS `end_time`,
 NULL AS `run_time`,
 NULL AS `probability`,
 NULL AS `num_cores`,
 NULL AS `num_nodes`,
 NULL AS `num_threads`,
 NULL AS `num_gpus`,
 NULL AS `queue`,
 NULL AS `sum_runs`,
 NULL AS `sum_time`,
 NULL AS `user`,
 NULL AS `exec_path`,
 NULL AS `module_name`,
 NULL AS `cwd`,
 NULL AS `cmdline`,
 NULL AS `container` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_total_env` AS SELECT
 NULL AS `envT_id`,
 NULL AS `run_id`,
 NULL AS `date`,
 NULL AS `env_blob` */;
SET character_set_client = @saved_cs_client;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `xalt_user` AS SELECT
 NULL AS `usr_id`,
 NULL AS `user`,
 NULL AS `anon_user` */;
SET character_set_client = @saved_cs_client;
/*!50001 DROP VIEW IF EXISTS `environment_member`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `environment_member` AS select `jobtrail`.`environment`.`id` AS `environment_id`,`member`.`id` AS `env_value_id` from (`jobtrail`.`environment` join JSON_TABLE(`jobtrail`.`environment`.`members`, '$[*]' COLUMNS (`id` int(10) unsigned PATH '$')) `member`) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `join_link_function`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `join_link_function` AS select `link`.`id` * 4294967296 + `function_set_member`.`function_name_id` AS `join_id`,`function_set_member`.`function_name_id` AS `func_id`,`link`.`id` AS `link_id`,cast(`link`.`date` as date) AS `date` from (`link` join `function_set_member` on(`function_set_member`.`function_set_id` = `link`.`function_set_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `join_link_object`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `join_link_object` AS select `link`.`id` * 4294967296 + `object_set_member`.`object_id` AS `join_id`,`object_set_member`.`object_id` AS `obj_id`,`link`.`id` AS `link_id`,cast(`link`.`date` as date) AS `date` from (`link` join `object_set_member` on(`object_set_member`.`object_set_id` = `link`.`object_set_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `join_run_env`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `join_run_env` AS select `run`.`id` * 4294967296 + `jobtrail`.`env_value`.`id` AS `join_id`,`jobtrail`.`env_value`.`env_name_id` AS `env_id`,`run`.`id` AS `run_id`,cast(`run`.`date` as date) AS `date`,`jobtrail`.`env_value`.`value` AS `env_value` from ((`jobtrail`.`run` join `jobtrail`.`environment_member` on(`environment_member`.`environment_id` = `run`.`environment_id`)) join `jobtrail`.`env_value` on(`jobtrail`.`env_value`.`id` = `environment_member`.`env_value_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `join_run_object`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `join_run_object` AS select `run`.`id` * 4294967296 + `object_set_member`.`object_id` AS `join_id`,`object_set_member`.`object_id` AS `obj_id`,`run`.`id` AS `run_id`,cast(`run`.`date` as date) AS `date` from (`run` join `object_set_member` on(`object_set_member`.`object_set_id` = `run`.`object_set_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `run`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `run` AS select `run_own`.`id` AS `id`,`run_own`.`uuid` AS `uuid`,`run_own`.`is_start_only` AS `is_start_only`,`run_own`.`date` AS `date`,`job_part`.`user` AS `user`,`job_part`.`account` AS `account`,`job_part`.`queue` AS `queue`,`job_part`.`scheduler` AS `scheduler`,`job_part`.`syshost` AS `syshost`,`job_part`.`submit_host` AS `submit_host`,`job_part`.`container` AS `container`,`program`.`executable_id` AS `executable_id`,`program`.`exec_type` AS `exec_type`,`program`.`exec_epoch` AS `exec_epoch`,`job_part`.`cwd` AS `cwd`,`run_own`.`cmdline` AS `cmdline`,`program`.`object_set_id` AS `object_set_id`,`run_own`.`environment_id` AS `environment_id`,`run_own`.`ancestors_id` AS `ancestors_id`,`run_own`.`ancestor_pids` AS `ancestor_pids`,`program`.`build_id` AS `build_id`,`run_own`.`record_epoch` AS `record_epoch`,`run_own`.`start_time` AS `start_time`,`run_own`.`end_time` AS `end_time`,`run_own`.`run_time` AS `run_time`,`layout`.`probability` AS `probability`,`layout`.`num_tasks` AS `num_tasks`,`layout`.`num_nodes` AS `num_nodes`,`layout`.`num_cores` AS `num_cores`,`layout`.`num_threads` AS `num_threads`,`layout`.`num_gpus` AS `num_gpus`,`job_part`.`job_id` AS `job_id`,`job_part`.`job_id_raw` AS `job_id_raw`,`run_own`.`step_id` AS `step_id`,`job_part`.`array_job_id` AS `array_job_id`,`job_part`.`array_task_id` AS `array_task_id`,`job_part`.`het_job_id` AS `het_job_id`,`job_part`.`het_offset` AS `het_offset`,`job_part`.`restart_count` AS `restart_count`,`job_part`.`cluster` AS `cluster`,`job_part`.`partition` AS `partition`,`job_part`.`qos` AS `qos`,`job_part`.`node` AS `node`,`layout`.`node_id` AS `node_id`,`layout`.`task_id` AS `task_id`,`layout`.`cpus_alloc` AS `cpus_alloc`,`layout`.`gpus_alloc` AS `gpus_alloc`,`job_part`.`dropped` AS `dropped`,`ending`.`exit_code` AS `exit_code`,`ending`.`signal` AS `signal`,`ending`.`core_dumped` AS `core_dumped`,`ending`.`end_source` AS `end_source`,`ending`.`end_time_error` AS `end_time_error` from ((((`run_own` left join `program` on(`program`.`id` = `run_own`.`program_id`)) left join `job_part` on(`job_part`.`id` = `run_own`.`job_part_id`)) left join `layout` on(`layout`.`id` = `run_own`.`layout_id`)) left join `ending` on(`ending`.`id` = `run_own`.`ending_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_account`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_account` AS select min(`run`.`id`) AS `acct_id`,`run`.`account` AS `account`,concat('a',min(`run`.`id`)) AS `anon_user`,coalesce(max(`account_field`.`field_of_science`),'') AS `field_of_science` from (`run` left join `account_field` on(`account_field`.`account` = `run`.`account`)) where `run`.`account` is not null group by `run`.`account` */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_env_name`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_env_name` AS select `env_name`.`id` AS `env_id`,`env_name`.`name` AS `env_name` from `env_name` */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_field_of_science`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_field_of_science` AS select `account_field`.`id` AS `fos_id`,`account_field`.`account` AS `account`,`account_field`.`field_of_science` AS `field_of_science`,`account_field`.`directorate` AS `directorate` from `account_field` */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_function`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_function` AS select `function_name`.`id` AS `func_id`,`function_name`.`name` AS `function_name` from `function_name` */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_link`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_link` AS select `link`.`id` AS `link_id`,`link`.`uuid` AS `uuid`,coalesce(`executable`.`hash_id`,'0') AS `hash_id`,`link`.`date` AS `date`,coalesce(`link`.`link_program`,'') AS `link_program`,coalesce(`link`.`link_path`,'') AS `link_path`,`module`.`name` AS `link_module_name`,compress(coalesce(json_loose(`link`.`link_line`),'[]')) AS `link_line`,`link`.`cwd` AS `cwd`,coalesce(`link`.`build_user`,'') AS `build_user`,coalesce(`link`.`build_syshost`,'') AS `build_syshost`,coalesce(`link`.`build_epoch`,0) AS `build_epoch`,coalesce(`executable`.`path`,'') AS `exec_path` from ((`link` left join `executable` on(`executable`.`id` = `link`.`executable_id`)) left join `module` on(`module`.`id` = `link`.`module_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_object`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_object` AS select `object`.`id` AS `obj_id`,`object`.`path` AS `object_path`,`object`.`syshost` AS `syshost`,`object`.`hash` AS `hash_id`,`module`.`name` AS `module_name`,`object`.`added` AS `timestamp`,case when `object`.`path` regexp '(^|[.])so([.][^.]*[0-9][^.]*)*$' then 'so' when `object`.`path` regexp '(^|[.])a([.][^.]*[0-9][^.]*)*$' then 'a' when `object`.`path` regexp '(^|[.])o([.][^.]*[0-9][^.]*)*$' then 'o' else '--' end AS `lib_type` from (`object` left join `module` on(`module`.`id` = `object`.`module_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_pkg`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_pkg` AS select `run`.`id` * 4294967296 + `package`.`id` AS `pkg_id`,`run`.`id` AS `run_id`,coalesce(`package`.`program`,'') AS `program`,coalesce(`package`.`name`,'') AS `pkg_name`,`package`.`version` AS `pkg_version`,`package`.`path` AS `pkg_path` from ((`run_package` join `run` on(`run`.`uuid` = `run_package`.`run_uuid`)) join `package` on(`package`.`id` = `run_package`.`package_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_run`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_run` AS select `run`.`id` AS `run_id`,coalesce(`run`.`job_id`,'') AS `job_id`,`run`.`uuid` AS `run_uuid`,`run`.`date` AS `date`,coalesce(`run`.`syshost`,'') AS `syshost`,`build`.`build_uuid` AS `uuid`,coalesce(`executable`.`hash_id`,'0') AS `hash_id`,coalesce(`run`.`account`,'') AS `account`,coalesce(`run`.`exec_type`,'') AS `exec_type`,coalesce(`run`.`start_time`,0) AS `start_time`,coalesce(`run`.`end_time`,0) AS `end_time`,coalesce(`run`.`run_time`,0) AS `run_time`,coalesce(`run`.`probability`,1) AS `probability`,coalesce(`run`.`num_cores`,0) AS `num_cores`,coalesce(`run`.`num_nodes`,0) AS `num_nodes`,coalesce(`run`.`num_threads`,0) AS `num_threads`,coalesce(`run`.`num_gpus`,0) AS `num_gpus`,coalesce(`run`.`queue`,'') AS `queue`,0 AS `sum_runs`,0e0 AS `sum_time`,coalesce(`run`.`user`,'') AS `user`,coalesce(`executable`.`path`,'') AS `exec_path`,`module`.`name` AS `module_name`,coalesce(`run`.`cwd`,'') AS `cwd`,compress(coalesce(json_loose(`run`.`cmdline`),'[]')) AS `cmdline`,`run`.`container` AS `container` from (((`run` left join `executable` on(`executable`.`id` = `run`.`executable_id`)) left join `module` on(`module`.`id` = `executable`.`module_id`)) left join `build` on(`build`.`id` = `run`.`build_id`)) */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_total_env`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_total_env` AS select `run`.`id` AS `envT_id`,`run`.`id` AS `run_id`,cast(`run`.`date` as date) AS `date`,compress((select json_objectagg(`jobtrail`.`env_name`.`name`,`jobtrail`.`env_value`.`value`) from ((`jobtrail`.`environment_member` join `jobtrail`.`env_value` on(`jobtrail`.`env_value`.`id` = `environment_member`.`env_value_id`)) join `jobtrail`.`env_name` on(`jobtrail`.`env_name`.`id` = `jobtrail`.`env_value`.`env_name_id`)) where `environment_member`.`environment_id` = `run`.`environment_id`)) AS `env_blob` from `jobtrail`.`run` where `run`.`environment_id` is not null */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!50001 DROP VIEW IF EXISTS `xalt_user`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`loader`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `xalt_user` AS select min(`run`.`id`) AS `usr_id`,`run`.`user` AS `user`,concat('u',min(`run`.`id`)) AS `anon_user` from `run` where `run`.`user` is not null group by `run`.`user` */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
