-- SPDX-License-Identifier: LGPL-2.1-or-later
-- A store of version 2 with test/data/records, a link and a package in it, as mariadb-dump wrote it.
/*M!999999\- enable the sandbox mode */ 
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `account_field` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
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
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `hash` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `json` longtext NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `ancestors` VALUES (1,'fe7fcfb96bac850333ebdeada2452129a664fdda','[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.0]\"]}]');
INSERT INTO `ancestors` VALUES (2,'02a831c0086a3275e97b460a7c2ddc1b870662fc','[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.batch]\"]}]');
INSERT INTO `ancestors` VALUES (3,'af91a0466cd583cc3b655dcc4e6b97b4dbd8cbee','[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"/usr/sbin/slurmstepd\",\"cmdlineA\":[\"slurmstepd: [%j.interactive]\"]}]');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `build` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
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
INSERT INTO `build` VALUES (1,'59e564d98fb0d72fcba4df6afd67edb1e0053747','5468e07b-0c8a-49a1-8010-3c9a11fce259','bob','login1','tiny','Linux 6.1.0','/home/bob/src','gcc','/sw/gcc/13.2/bin/gcc','gcc/13.2:hdf5/1.14.3','','0.1.0',1732010400);
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
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `env_name` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `env_name` VALUES (1,'9d65b3749a0a26d4bd1f9ef677810e94260f511d','OMP_NUM_THREADS');
INSERT INTO `env_name` VALUES (2,'09bd6a353a7bb8a33e37cfee71ada9fc9ce37d89','PATH');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `env_value` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `env_name_id` bigint(20) unsigned NOT NULL,
  `value` longtext NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `env_value_name` (`env_name_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `env_value` VALUES (1,'53ae5afefe9ca843ad1e41371bd60239b2f32b3b',1,'4');
INSERT INTO `env_value` VALUES (2,'f4539e7f28b3b9b62138fd0c399cc21914268e3d',2,'/usr/bin:/bin');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `environment` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `hash` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `environment` VALUES (1,'5f8e69d50dbcb974bae3e86e999850bdcd80cd1d');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `environment_member` (
  `environment_id` bigint(20) unsigned NOT NULL,
  `env_value_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`environment_id`,`env_value_id`),
  KEY `environment_member_value` (`env_value_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `environment_member` VALUES (1,1);
INSERT INTO `environment_member` VALUES (1,2);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `executable` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `path` text NOT NULL,
  `hash_id` varchar(255) NOT NULL,
  `module_id` bigint(20) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `executable_module` (`module_id`)
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `executable` VALUES (1,'0d12d49a20888f8e8007b873c5fe378a00010656','/home/alice/wrapper','0000000000000000000000000000000000abc735',NULL);
INSERT INTO `executable` VALUES (2,'f7327ececd7e4230015af7a17f9a8c7521e0ea07','/home/alice/bin/flow.mpi','0000000000000000000000000000000000abc8c8',NULL);
INSERT INTO `executable` VALUES (3,'fc19a9c8c5a32e60f35f7e0e1e75b18eb6a002ca','/usr/bin/bash','0000000000000000000000000000000000abc4be',NULL);
INSERT INTO `executable` VALUES (4,'4e4ec3fb6728e524b370ffb17d26cf2dd7b50499','/home/bob/bin/solver','0000000000000000000000000000000000abc76c',NULL);
INSERT INTO `executable` VALUES (5,'690edf98f1eab0713fc8776a4251613fd29d95a3','/home/alice/bin/caf','0000000000000000000000000000000000abc91c',NULL);
INSERT INTO `executable` VALUES (6,'c70f23a5e536c898dfcbf4e2381727f6e1eca960','/usr/bin/python3.11','0000000000000000000000000000000000abc685',NULL);
INSERT INTO `executable` VALUES (7,'204ebe129ed5e0ef68cc661145fac42db33c3c08','/home/bob/a.out','0000000000000000000000000000000000abc550',NULL);
INSERT INTO `executable` VALUES (8,'46e0ed4042873ccb68c6916e223f0b2907447bd1','/sw/legacy/namd2','0000000000000000000000000000000000abc5be',NULL);
INSERT INTO `executable` VALUES (9,'6cb9f5831e49860ae25bd91be143d3292d393634','/home/bob/flow','77',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_name` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_name` VALUES (1,'617b35d54275338937e0f15340677e956e08ef37','H5Fopen');
INSERT INTO `function_name` VALUES (2,'74288ba9c7d1d072a503b9cece78663e8c1b82af','fftw_plan');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_set` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `hash` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_set` VALUES (1,'194e75282cc468f9f91661c385e86aab1875db8d');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `function_set_member` (
  `function_set_id` bigint(20) unsigned NOT NULL,
  `function_name_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`function_set_id`,`function_name_id`),
  KEY `function_set_member_function` (`function_name_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `function_set_member` VALUES (1,1);
INSERT INTO `function_set_member` VALUES (1,2);
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
CREATE TABLE `link` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `uuid` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `date` datetime DEFAULT NULL,
  `executable_id` bigint(20) unsigned DEFAULT NULL,
  `object_set_id` bigint(20) unsigned DEFAULT NULL,
  `function_set_id` bigint(20) unsigned DEFAULT NULL,
  `link_program` varchar(255) DEFAULT NULL,
  `link_path` text DEFAULT NULL,
  `module_id` bigint(20) unsigned DEFAULT NULL,
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
INSERT INTO `link` VALUES (1,'5468e07b-0c8a-49a1-8010-3c9a11fce259','2024-11-19 07:06:40',9,4,1,'gcc','/sw/gcc/13.2/bin/gcc',NULL,'[\"gcc\",\"-o\",\"flow\"]','/home/bob','bob','login1','tiny',1732000000.5);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `module` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` text NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `module` VALUES (1,'0725ad52d428e93c725ad9b6f9b4ce1f946f2c2b','libc/2.36');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `module_path` (
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `prefix` text NOT NULL,
  `module_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`identity`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `module_path` VALUES ('bf8d53ba67867703f5abfc36402fa98e406109cc','/usr/lib/x86_64-linux-gnu',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `path` text NOT NULL,
  `hash` varchar(255) NOT NULL,
  `syshost` varchar(255) NOT NULL,
  `added` timestamp NOT NULL DEFAULT current_timestamp(),
  `module_id` bigint(20) unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `object_module` (`module_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object` VALUES (1,'7324826f750119d5afdc67d1230e0fbb2f37deec','/usr/lib/x86_64-linux-gnu/libc.so.6','5b9c4eb1f3a1b0d6c2c7ab0a3b2f3d9f7c1d0e11','tiny','2026-11-22 05:26:22',1);
INSERT INTO `object` VALUES (2,'d9c55c988fcb1b1e27c8793a95f8e1716a32f334','/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0','a94a8fe5ccb19ba61c4c0873d391e987982fbbd3','tiny','2026-11-22 05:26:22',NULL);
INSERT INTO `object` VALUES (3,'e6d89d565303a2375105e940ff50ed484939550d','/usr/lib/x86_64-linux-gnu/libm.so.6','0','tiny','2026-11-22 05:26:22',1);
INSERT INTO `object` VALUES (4,'1a133fb5d9d97d1a838acf19bfd8291d8280fd3c','/tmp/a.o','0','tiny','2026-11-22 05:26:22',NULL);
INSERT INTO `object` VALUES (5,'d1e385f407d505ab925ec4874e2156f16b43afd8','/usr/lib/libm.a','1','tiny','2026-11-22 05:26:22',NULL);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object_set` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `hash` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `hash` (`hash`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object_set` VALUES (4,'25ae3958ae6aacc725a51c2d713f2451e3fa9c46');
INSERT INTO `object_set` VALUES (3,'4ce5f8a4718c20401b9036affc6f66605d14ab9a');
INSERT INTO `object_set` VALUES (1,'9c2aa6bda8d07770db6e5ebf78d3d732bd5e9874');
INSERT INTO `object_set` VALUES (2,'cd2f877f297972df42599f342370ec4d89ff8ec5');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `object_set_member` (
  `object_set_id` bigint(20) unsigned NOT NULL,
  `object_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`object_set_id`,`object_id`),
  KEY `object_set_member_object` (`object_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `object_set_member` VALUES (1,1);
INSERT INTO `object_set_member` VALUES (2,1);
INSERT INTO `object_set_member` VALUES (2,2);
INSERT INTO `object_set_member` VALUES (2,3);
INSERT INTO `object_set_member` VALUES (3,1);
INSERT INTO `object_set_member` VALUES (3,3);
INSERT INTO `object_set_member` VALUES (4,4);
INSERT INTO `object_set_member` VALUES (4,5);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `package` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `identity` char(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `program` varchar(255) DEFAULT NULL,
  `name` text DEFAULT NULL,
  `version` varchar(255) DEFAULT NULL,
  `path` text DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `identity` (`identity`),
  KEY `package_name` (`name`(100))
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `package` VALUES (1,'47f3f593854fc690625ffd2a09ea11949bbe225a','R','ggplot2','3.5','/sw/R');
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `run` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `uuid` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `is_start_only` bigint(20) NOT NULL,
  `date` datetime DEFAULT NULL,
  `user` varchar(255) DEFAULT NULL,
  `account` varchar(255) DEFAULT NULL,
  `queue` varchar(255) DEFAULT NULL,
  `scheduler` varchar(255) DEFAULT NULL,
  `syshost` varchar(255) DEFAULT NULL,
  `submit_host` varchar(255) DEFAULT NULL,
  `container` varchar(255) DEFAULT NULL,
  `executable_id` bigint(20) unsigned DEFAULT NULL,
  `exec_type` varchar(255) DEFAULT NULL,
  `exec_epoch` double DEFAULT NULL,
  `cwd` text DEFAULT NULL,
  `cmdline` longtext DEFAULT NULL,
  `object_set_id` bigint(20) unsigned DEFAULT NULL,
  `environment_id` bigint(20) unsigned DEFAULT NULL,
  `ancestors_id` bigint(20) unsigned DEFAULT NULL,
  `ancestor_pids` text DEFAULT NULL,
  `build_id` bigint(20) unsigned DEFAULT NULL,
  `record_epoch` double DEFAULT NULL,
  `start_time` double DEFAULT NULL,
  `end_time` double DEFAULT NULL,
  `run_time` double DEFAULT NULL,
  `probability` double DEFAULT NULL,
  `num_tasks` bigint(20) DEFAULT NULL,
  `num_nodes` bigint(20) DEFAULT NULL,
  `num_cores` bigint(20) DEFAULT NULL,
  `num_threads` bigint(20) DEFAULT NULL,
  `num_gpus` bigint(20) DEFAULT NULL,
  `job_id` varchar(255) DEFAULT NULL,
  `job_id_raw` bigint(20) DEFAULT NULL,
  `step_id` varchar(255) DEFAULT NULL,
  `array_job_id` bigint(20) DEFAULT NULL,
  `array_task_id` bigint(20) DEFAULT NULL,
  `het_job_id` bigint(20) DEFAULT NULL,
  `het_offset` bigint(20) DEFAULT NULL,
  `restart_count` bigint(20) DEFAULT NULL,
  `cluster` varchar(255) DEFAULT NULL,
  `partition` varchar(255) DEFAULT NULL,
  `qos` varchar(255) DEFAULT NULL,
  `node` varchar(255) DEFAULT NULL,
  `node_id` bigint(20) DEFAULT NULL,
  `task_id` bigint(20) DEFAULT NULL,
  `cpus_alloc` bigint(20) DEFAULT NULL,
  `gpus_alloc` bigint(20) DEFAULT NULL,
  `dropped` bigint(20) DEFAULT NULL,
  `exit_code` bigint(20) DEFAULT NULL,
  `signal` bigint(20) DEFAULT NULL,
  `core_dumped` bigint(20) DEFAULT NULL,
  `end_source` varchar(255) DEFAULT NULL,
  `end_time_error` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uuid` (`uuid`),
  KEY `run_job` (`job_id_raw`),
  KEY `run_array` (`array_job_id`),
  KEY `run_het` (`het_job_id`),
  KEY `run_start` (`start_time`),
  KEY `run_date` (`date`),
  KEY `run_user` (`user`,`start_time`),
  KEY `run_executable` (`executable_id`),
  KEY `run_object_set` (`object_set_id`),
  KEY `run_build` (`build_id`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `run` VALUES (1,'019a9f00-0000-7000-8000-000000000006',0,'2024-11-20 10:03:10','alice','climate','main','SLURM','tiny','login1','',1,'binary',1732010400,'/home/alice/run','[\"wrapper\"]',1,1,1,'[4006]',NULL,1732096991.5,1732096990,1732096990.5,0.5,1,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'exec',0);
INSERT INTO `run` VALUES (2,'019a9f00-0000-7000-8000-000000000003',0,'2024-11-20 10:01:00','alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400,'/home/alice/run','[\"flow.mpi\"]',2,1,1,'[4003]',1,1732186922,1732096860,1732186921,90061,1,1,1,1,1,0,'7',7,'0',6,1,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,3,0,0,'task_exit',0);
INSERT INTO `run` VALUES (3,'019a9f00-0000-7000-8000-000000000001',0,'2024-11-20 10:00:00','alice','climate','main','SLURM','tiny','login1','',3,'binary',1732010400,'/home/alice/run','[\"/usr/bin/bash\",\"/var/spool/job12/slurm_script\"]',1,1,2,'[4001]',NULL,1732096806,1732096800,1732096805,5,1,1,1,1,1,0,'12',12,'batch',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0);
INSERT INTO `run` VALUES (4,'019a9f00-0000-7000-8000-000000000008',1,'2024-11-20 10:04:00','bob','physics','main','SLURM','tiny','login1','',4,'binary',1732010400,'/home/bob/run','[\"solver\"]',1,1,3,'[4008]',NULL,1732097041,1732097040,NULL,NULL,1,1,1,1,1,0,'15',15,'interactive',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,NULL,0);
INSERT INTO `run` VALUES (5,'019a9f00-0000-7000-8000-000000000009',0,'2024-11-20 10:05:00','alice','climate','main','SLURM','tiny','login1','',5,'binary',1732010400,'/home/alice/run','[\"caf\",\"a|b\",\"two\\nlines\\tand a tab\",\"back\\\\slash\",\"ü\"]',1,1,1,'[4009]',NULL,1732097103,1732097100,1732097102,2,1,1,1,1,1,0,'16',16,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0);
INSERT INTO `run` VALUES (6,'019a9f00-0000-7000-8000-000000000002',0,'2024-11-20 10:00:01','alice','climate','main','SLURM','tiny','login1','',2,'binary',1732010400,'/home/alice/run','[\"./flow.mpi\",\"--in\",\"a b.nc\"]',2,1,1,'[4002]',1,1732096805.75,1732096801.25,1732096804.75,3.5,1,1,1,1,1,0,'12',12,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,0,0,0,'task_exit',0);
INSERT INTO `run` VALUES (7,'019a9f00-0000-7000-8000-000000000005',0,'2024-11-20 10:03:00','alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400,'/home/alice/run','[\"python3\",\"train.py\"]',1,1,1,'[4005]',NULL,1732096982,1732096980,1732096981,1,1,1,1,1,1,0,'13',13,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,NULL,4,NULL,0,NULL,NULL,0,'fini',0);
INSERT INTO `run` VALUES (8,'019a9f00-0000-7000-8000-000000000004',0,'2024-11-20 10:02:00','bob','physics','main','SLURM','tiny','login1','',7,'binary',1732010400,'/home/bob/run','[\"a.out\"]',1,1,1,'[4004]',NULL,1732096931,1732096920,1732096930,10,1,1,1,1,1,0,'9',9,'0',NULL,NULL,8,1,0,'tiny','main','normal','n2',0,0,4,NULL,0,NULL,9,0,'task_exit',0.01);
INSERT INTO `run` VALUES (9,'8c8d61fb-98c1-44c0-874c-d613312269f4',0,'2024-11-20 10:06:00','alice','climate','unknown','SLURM','tiny','unknown',NULL,8,'binary',1732010400,'/home/alice/run','[\"namd2\",\"helloñ.namd\"]',3,1,1,'[4010]',NULL,1732097168,1732097160,1732097167,7,1,1,1,1,1,0,'17',17,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO `run` VALUES (10,'019a9f00-0000-7000-8000-000000000007',0,'2024-11-20 10:03:20','alice','climate','main','SLURM','tiny','login1','',6,'binary',1732010400,'/home/alice/run','[\"python3\",\"lost.py\"]',1,1,1,'[4007]',NULL,1732097301,1732097000,1732097300,300,1,1,1,1,1,0,'14',14,'0',NULL,NULL,NULL,NULL,0,'tiny','main','normal','n1',0,0,4,NULL,0,NULL,NULL,0,'reboot',300);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `run_package` (
  `run_uuid` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `package_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`run_uuid`,`package_id`),
  KEY `run_package_package` (`package_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `run_package` VALUES ('019a9f00-0000-7000-8000-000000000001',1);
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `store_state` (
  `name` varchar(64) NOT NULL,
  `value` longtext NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
/*!40101 SET character_set_client = @saved_cs_client */;
INSERT INTO `store_state` VALUES ('generation','2');
INSERT INTO `store_state` VALUES ('schema','2');
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
 NULL AS `cmdline` */;
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
/*!50001 VIEW `join_run_env` AS select `run`.`id` * 4294967296 + `env_value`.`id` AS `join_id`,`env_value`.`env_name_id` AS `env_id`,`run`.`id` AS `run_id`,cast(`run`.`date` as date) AS `date`,`env_value`.`value` AS `env_value` from ((`run` join `environment_member` on(`environment_member`.`environment_id` = `run`.`environment_id`)) join `env_value` on(`env_value`.`id` = `environment_member`.`env_value_id`)) */;
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
/*!50001 VIEW `xalt_link` AS select `link`.`id` AS `link_id`,`link`.`uuid` AS `uuid`,coalesce(`executable`.`hash_id`,'0') AS `hash_id`,`link`.`date` AS `date`,coalesce(`link`.`link_program`,'') AS `link_program`,coalesce(`link`.`link_path`,'') AS `link_path`,`module`.`name` AS `link_module_name`,compress(`link`.`link_line`) AS `link_line`,`link`.`cwd` AS `cwd`,coalesce(`link`.`build_user`,'') AS `build_user`,coalesce(`link`.`build_syshost`,'') AS `build_syshost`,coalesce(`link`.`build_epoch`,0) AS `build_epoch`,coalesce(`executable`.`path`,'') AS `exec_path` from ((`link` left join `executable` on(`executable`.`id` = `link`.`executable_id`)) left join `module` on(`module`.`id` = `link`.`module_id`)) */;
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
/*!50001 VIEW `xalt_object` AS select `object`.`id` AS `obj_id`,`object`.`path` AS `object_path`,`object`.`syshost` AS `syshost`,`object`.`hash` AS `hash_id`,`module`.`name` AS `module_name`,`object`.`added` AS `timestamp`,case when `object`.`path` like '%.so' or `object`.`path` like '%.so.%' then 'so' when `object`.`path` like '%.a' then 'a' when `object`.`path` like '%.o' then 'o' else '--' end AS `lib_type` from (`object` left join `module` on(`module`.`id` = `object`.`module_id`)) */;
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
/*!50001 VIEW `xalt_run` AS select `run`.`id` AS `run_id`,coalesce(`run`.`job_id`,'') AS `job_id`,`run`.`uuid` AS `run_uuid`,`run`.`date` AS `date`,coalesce(`run`.`syshost`,'') AS `syshost`,`build`.`build_uuid` AS `uuid`,coalesce(`executable`.`hash_id`,'0') AS `hash_id`,coalesce(`run`.`account`,'') AS `account`,coalesce(`run`.`exec_type`,'') AS `exec_type`,coalesce(`run`.`start_time`,0) AS `start_time`,coalesce(`run`.`end_time`,0) AS `end_time`,coalesce(`run`.`run_time`,0) AS `run_time`,coalesce(`run`.`probability`,1) AS `probability`,coalesce(`run`.`num_cores`,0) AS `num_cores`,coalesce(`run`.`num_nodes`,0) AS `num_nodes`,coalesce(`run`.`num_threads`,0) AS `num_threads`,coalesce(`run`.`num_gpus`,0) AS `num_gpus`,coalesce(`run`.`queue`,'') AS `queue`,0 AS `sum_runs`,0 AS `sum_time`,coalesce(`run`.`user`,'') AS `user`,coalesce(`executable`.`path`,'') AS `exec_path`,`module`.`name` AS `module_name`,coalesce(`run`.`cwd`,'') AS `cwd`,compress(coalesce(`run`.`cmdline`,'[]')) AS `cmdline` from (((`run` left join `executable` on(`executable`.`id` = `run`.`executable_id`)) left join `module` on(`module`.`id` = `executable`.`module_id`)) left join `build` on(`build`.`id` = `run`.`build_id`)) */;
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
/*!50001 VIEW `xalt_total_env` AS select `run`.`id` AS `envT_id`,`run`.`id` AS `run_id`,cast(`run`.`date` as date) AS `date`,compress((select json_objectagg(`env_name`.`name`,`env_value`.`value`) from ((`environment_member` join `env_value` on(`env_value`.`id` = `environment_member`.`env_value_id`)) join `env_name` on(`env_name`.`id` = `env_value`.`env_name_id`)) where `environment_member`.`environment_id` = `run`.`environment_id`)) AS `env_blob` from `run` where `run`.`environment_id` is not null */;
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
