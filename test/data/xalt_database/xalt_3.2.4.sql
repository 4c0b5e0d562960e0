-- Made by XALT 3.2.4 and mariadb-dump; see README.md.
SET foreign_key_checks = 0;
CREATE TABLE `join_link_function` (
  `join_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `func_id` int(11) unsigned NOT NULL,
  `link_id` int(11) unsigned NOT NULL,
  `date` date NOT NULL,
  PRIMARY KEY (`join_id`),
  UNIQUE KEY `unique_func_link_id` (`func_id`,`link_id`),
  KEY `link_id` (`link_id`),
  CONSTRAINT `join_link_function_ibfk_1` FOREIGN KEY (`func_id`) REFERENCES `xalt_function` (`func_id`),
  CONSTRAINT `join_link_function_ibfk_2` FOREIGN KEY (`link_id`) REFERENCES `xalt_link` (`link_id`)
) ENGINE=InnoDB AUTO_INCREMENT=4 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `join_link_function` VALUES
(1,1,2,'2025-10-31'),(2,1,4,'2025-10-31'),(3,1,5,'2025-10-31');
CREATE TABLE `join_link_object` (
  `join_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `obj_id` int(11) unsigned NOT NULL,
  `link_id` int(11) unsigned NOT NULL,
  `date` date NOT NULL,
  PRIMARY KEY (`join_id`),
  KEY `link_id` (`link_id`),
  KEY `obj_id` (`obj_id`),
  CONSTRAINT `join_link_object_ibfk_1` FOREIGN KEY (`link_id`) REFERENCES `xalt_link` (`link_id`),
  CONSTRAINT `join_link_object_ibfk_2` FOREIGN KEY (`obj_id`) REFERENCES `xalt_object` (`obj_id`)
) ENGINE=InnoDB AUTO_INCREMENT=139 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `join_link_object` VALUES
(1,1,1,'2025-10-31'),(2,2,1,'2025-10-31'),(3,3,1,'2025-10-31'),(4,3,1,'2025-10-31'),(5,4,1,'2025-10-31'),(6,5,1,'2025-10-31'),(7,6,1,'2025-10-31'),
(8,4,1,'2025-10-31'),(9,7,1,'2025-10-31'),(10,8,1,'2025-10-31'),(11,9,1,'2025-10-31'),(12,10,1,'2025-10-31'),(13,9,1,'2025-10-31'),
(14,10,1,'2025-10-31'),(15,4,1,'2025-10-31'),(16,5,1,'2025-10-31'),(17,6,1,'2025-10-31'),(18,4,1,'2025-10-31'),(19,11,1,'2025-10-31'),
(20,12,1,'2025-10-31'),(21,1,1,'2025-10-31'),(22,2,1,'2025-10-31'),(23,3,1,'2025-10-31'),(24,7,1,'2025-10-31'),(25,8,1,'2025-10-31'),
(26,9,1,'2025-10-31'),(27,10,1,'2025-10-31'),(28,13,2,'2025-10-31'),(29,1,2,'2025-10-31'),(30,2,2,'2025-10-31'),(31,3,2,'2025-10-31'),
(32,3,2,'2025-10-31'),(33,4,2,'2025-10-31'),(34,5,2,'2025-10-31'),(35,6,2,'2025-10-31'),(36,4,2,'2025-10-31'),(37,7,2,'2025-10-31'),
(38,8,2,'2025-10-31'),(39,9,2,'2025-10-31'),(40,10,2,'2025-10-31'),(41,9,2,'2025-10-31'),(42,10,2,'2025-10-31'),(43,4,2,'2025-10-31'),
(44,5,2,'2025-10-31'),(45,6,2,'2025-10-31'),(46,4,2,'2025-10-31'),(47,11,2,'2025-10-31'),(48,12,2,'2025-10-31'),(49,1,2,'2025-10-31'),
(50,2,2,'2025-10-31'),(51,3,2,'2025-10-31'),(52,7,2,'2025-10-31'),(53,8,2,'2025-10-31'),(54,9,2,'2025-10-31'),(55,10,2,'2025-10-31'),
(56,1,3,'2025-10-31'),(57,2,3,'2025-10-31'),(58,3,3,'2025-10-31'),(59,3,3,'2025-10-31'),(60,4,3,'2025-10-31'),(61,5,3,'2025-10-31'),
(62,6,3,'2025-10-31'),(63,4,3,'2025-10-31'),(64,7,3,'2025-10-31'),(65,8,3,'2025-10-31'),(66,9,3,'2025-10-31'),(67,10,3,'2025-10-31'),
(68,9,3,'2025-10-31'),(69,10,3,'2025-10-31'),(70,4,3,'2025-10-31'),(71,5,3,'2025-10-31'),(72,6,3,'2025-10-31'),(73,4,3,'2025-10-31'),
(74,11,3,'2025-10-31'),(75,12,3,'2025-10-31'),(76,1,3,'2025-10-31'),(77,2,3,'2025-10-31'),(78,3,3,'2025-10-31'),(79,7,3,'2025-10-31'),
(80,8,3,'2025-10-31'),(81,9,3,'2025-10-31'),(82,10,3,'2025-10-31'),(83,14,4,'2025-10-31'),(84,1,4,'2025-10-31'),(85,2,4,'2025-10-31'),
(86,3,4,'2025-10-31'),(87,3,4,'2025-10-31'),(88,4,4,'2025-10-31'),(89,5,4,'2025-10-31'),(90,6,4,'2025-10-31'),(91,4,4,'2025-10-31'),
(92,7,4,'2025-10-31'),(93,8,4,'2025-10-31'),(94,9,4,'2025-10-31'),(95,10,4,'2025-10-31'),(96,9,4,'2025-10-31'),(97,10,4,'2025-10-31'),
(98,4,4,'2025-10-31'),(99,5,4,'2025-10-31'),(100,6,4,'2025-10-31'),(101,4,4,'2025-10-31'),(102,11,4,'2025-10-31'),(103,12,4,'2025-10-31'),
(104,1,4,'2025-10-31'),(105,2,4,'2025-10-31'),(106,3,4,'2025-10-31'),(107,7,4,'2025-10-31'),(108,8,4,'2025-10-31'),(109,9,4,'2025-10-31'),
(110,10,4,'2025-10-31'),(111,15,5,'2025-10-31'),(112,1,5,'2025-10-31'),(113,2,5,'2025-10-31'),(114,3,5,'2025-10-31'),(115,3,5,'2025-10-31'),
(116,4,5,'2025-10-31'),(117,5,5,'2025-10-31'),(118,6,5,'2025-10-31'),(119,4,5,'2025-10-31'),(120,7,5,'2025-10-31'),(121,8,5,'2025-10-31'),
(122,9,5,'2025-10-31'),(123,10,5,'2025-10-31'),(124,9,5,'2025-10-31'),(125,10,5,'2025-10-31'),(126,4,5,'2025-10-31'),(127,5,5,'2025-10-31'),
(128,6,5,'2025-10-31'),(129,4,5,'2025-10-31'),(130,11,5,'2025-10-31'),(131,12,5,'2025-10-31'),(132,1,5,'2025-10-31'),(133,2,5,'2025-10-31'),
(134,3,5,'2025-10-31'),(135,7,5,'2025-10-31'),(136,8,5,'2025-10-31'),(137,9,5,'2025-10-31'),(138,10,5,'2025-10-31');
CREATE TABLE `join_run_env` (
  `join_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `env_id` int(11) unsigned NOT NULL,
  `run_id` int(11) unsigned NOT NULL,
  `date` date NOT NULL,
  `env_value` blob NOT NULL,
  PRIMARY KEY (`join_id`),
  KEY `env_id` (`env_id`),
  KEY `run_id` (`run_id`),
  CONSTRAINT `join_run_env_ibfk_1` FOREIGN KEY (`env_id`) REFERENCES `xalt_env_name` (`env_id`),
  CONSTRAINT `join_run_env_ibfk_2` FOREIGN KEY (`run_id`) REFERENCES `xalt_run` (`run_id`)
) ENGINE=InnoDB AUTO_INCREMENT=37 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `join_run_env` VALUES
(1,1,1,'2025-10-30',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(2,2,1,'2025-10-30',0x6763632F31323A686466352F312E3130),
(3,3,1,'2025-10-30',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(4,1,2,'2025-11-01',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(5,2,2,'2025-11-01',0x6763632F31323A686466352F312E3130),
(6,3,2,'2025-11-01',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(7,1,3,'2025-11-03',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(8,2,3,'2025-11-03',0x6763632F31323A686466352F312E3130),
(9,3,3,'2025-11-03',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),(10,4,3,'2025-11-03',0x323536),(11,5,3,'2025-11-03',0x30),
(12,1,4,'2025-11-03',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(13,2,4,'2025-11-03',0x6763632F31323A686466352F312E3130),
(14,3,4,'2025-11-03',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(15,1,5,'2025-10-31',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(16,2,5,'2025-10-31',0x6763632F31323A686466352F312E3130),
(17,3,5,'2025-10-31',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(18,1,6,'2025-10-31',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(19,2,6,'2025-10-31',0x6763632F31323A686466352F312E3130),
(20,3,6,'2025-10-31',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(21,1,7,'2025-10-31',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(22,2,7,'2025-10-31',0x6763632F31323A686466352F312E3130),
(23,3,7,'2025-10-31',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(24,1,8,'2025-10-30',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(25,2,8,'2025-10-30',0x6763632F31323A686466352F312E3130),
(26,3,8,'2025-10-30',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(27,1,9,'2025-11-01',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(28,2,9,'2025-11-01',0x6763632F31323A686466352F312E3130),
(29,3,9,'2025-11-01',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(30,1,10,'2025-11-02',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(31,2,10,'2025-11-02',0x6763632F31323A686466352F312E3130),
(32,3,10,'2025-11-02',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561),
(33,6,10,'2025-11-02',0x2F686F6D652F78616C742F736974655F7061636B61676573),
(34,1,11,'2025-11-02',0x2F686F6D652F78616C742F62696E3A2F7573722F62696E3A2F62696E),(35,2,11,'2025-11-02',0x6763632F31323A686466352F312E3130),
(36,3,11,'2025-11-02',0x2F6D2F6763632F31322E6C75613A2F6D2F686466352F312E31302E6C7561);
CREATE TABLE `join_run_object` (
  `join_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `obj_id` int(11) unsigned NOT NULL,
  `run_id` int(11) unsigned NOT NULL,
  `date` date NOT NULL,
  PRIMARY KEY (`join_id`),
  KEY `run_id` (`run_id`),
  KEY `obj_id` (`obj_id`),
  CONSTRAINT `join_run_object_ibfk_1` FOREIGN KEY (`run_id`) REFERENCES `xalt_run` (`run_id`),
  CONSTRAINT `join_run_object_ibfk_2` FOREIGN KEY (`obj_id`) REFERENCES `xalt_object` (`obj_id`)
) ENGINE=InnoDB AUTO_INCREMENT=39 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `join_run_object` VALUES
(1,8,1,'2025-10-30'),(2,2,1,'2025-10-30'),(3,10,1,'2025-10-30'),(4,8,2,'2025-11-01'),(5,2,2,'2025-11-01'),(6,10,2,'2025-11-01'),(7,8,3,'2025-11-03'),
(8,2,3,'2025-11-03'),(9,10,3,'2025-11-03'),(10,16,4,'2025-11-03'),(11,8,4,'2025-11-03'),(12,2,4,'2025-11-03'),(13,10,4,'2025-11-03'),
(14,8,5,'2025-10-31'),(15,2,5,'2025-10-31'),(16,10,5,'2025-10-31'),(17,8,6,'2025-10-31'),(18,2,6,'2025-10-31'),(19,10,6,'2025-10-31'),
(20,8,7,'2025-10-31'),(21,2,7,'2025-10-31'),(22,10,7,'2025-10-31'),(23,8,8,'2025-10-30'),(24,2,8,'2025-10-30'),(25,10,8,'2025-10-30'),
(26,8,9,'2025-11-01'),(27,2,9,'2025-11-01'),(28,10,9,'2025-11-01'),(29,17,10,'2025-11-02'),(30,8,10,'2025-11-02'),(31,18,10,'2025-11-02'),
(32,12,10,'2025-11-02'),(33,2,10,'2025-11-02'),(34,19,10,'2025-11-02'),(35,10,10,'2025-11-02'),(36,8,11,'2025-11-02'),(37,2,11,'2025-11-02'),
(38,10,11,'2025-11-02');
CREATE TABLE `xalt_account` (
  `acct_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `account` varchar(32) NOT NULL,
  `anon_user` varchar(10) NOT NULL,
  `field_of_science` varchar(64) NOT NULL,
  PRIMARY KEY (`acct_id`),
  KEY `the_account` (`account`),
  KEY `a_acct` (`anon_user`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
CREATE TABLE `xalt_env_name` (
  `env_id` int(20) unsigned NOT NULL AUTO_INCREMENT,
  `env_name` varchar(64) NOT NULL,
  PRIMARY KEY (`env_id`),
  UNIQUE KEY `env_name` (`env_name`),
  KEY `a_env_name` (`env_name`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_env_name` VALUES
(2,'LOADEDMODULES'),(5,'OMPI_COMM_WORLD_RANK'),(4,'OMPI_COMM_WORLD_SIZE'),(1,'PATH'),(6,'PYTHONPATH'),(3,'_LMFILES_');
CREATE TABLE `xalt_field_of_science` (
  `fos_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `account` varchar(20) NOT NULL,
  `field_of_science` varchar(80) NOT NULL,
  `directorate` varchar(80) NOT NULL,
  PRIMARY KEY (`fos_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
CREATE TABLE `xalt_function` (
  `func_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `function_name` varchar(255) NOT NULL,
  PRIMARY KEY (`func_id`),
  UNIQUE KEY `function_name` (`function_name`)
) ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_function` VALUES
(1,'helper');
CREATE TABLE `xalt_link` (
  `link_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `uuid` char(36) NOT NULL,
  `hash_id` char(40) NOT NULL,
  `date` datetime NOT NULL,
  `link_program` varchar(64) NOT NULL,
  `link_path` varchar(1024) NOT NULL,
  `link_module_name` varchar(64) DEFAULT NULL,
  `link_line` blob DEFAULT NULL,
  `cwd` varchar(1024) DEFAULT NULL,
  `build_user` varchar(64) NOT NULL,
  `build_syshost` varchar(64) NOT NULL,
  `build_epoch` double NOT NULL,
  `exec_path` varchar(1024) NOT NULL,
  PRIMARY KEY (`link_id`),
  UNIQUE KEY `uuid` (`uuid`),
  KEY `index_date` (`date`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_link` VALUES
(1,'01a20780-51e0-78c9-b0b6-ffd7a0c575a9','1a24d09ef89cb3852724c2122a6e11043593e08e','2025-10-31 00:00:00','gcc','/usr/bin/x86_64-linux-gnu-gcc-12',NULL,0x30000000789C4B4F4E56D0F53754D0CD57482F3ABCE7F07C85F4FC921205FD8CFCDC54FDB49CFC72BD64858CD49C82D422BD7C05DD9C5C00A6CA1142,'/home/bob','bob','cluster',1761869379.8138,'/home/bob/grüß gott'),
(2,'01a20780-4a0b-77d6-884a-b8f4643b545f','47f1cdb7feee807b2b9414eb131f94552304b046','2025-10-31 00:00:00','gcc','/usr/bin/x86_64-linux-gnu-gcc-12',NULL,0x2D000000789C4B4F4E56D0F53750D0CD5748CBC92F57D0CFC8CF4DD50731F580123E7A0ABA3919A93905A94540462E003D080E24,'/home/alice','alice','cluster',1761869377.8114,'/home/alice/flow'),
(3,'01a20780-540a-7e73-a6e6-00cdd9b834ce','ac4f731812da1d8488dca81597f05159f4f54b43','2025-10-31 00:00:00','gcc','/usr/bin/x86_64-linux-gnu-gcc-12',NULL,0x2A000000789C4B4F4E56D0F53750D0CD5728C849CCCC53D0CFC8CF4DD54FCBC92FD74B56C848CD29482DD2CB57D0CDC905001CE70DBD,'/home/carol','carol','cluster',1761869380.3675,'/home/carol/plain'),
(4,'01a20780-4f5d-7361-a781-4be371cd4563','b9f66c6a9743765d844a8652a3b8917edadeff7a','2025-10-31 00:00:00','gcc','/usr/bin/x86_64-linux-gnu-gcc-12',NULL,0x2D000000789C4B4F4E56D0F53750D0CD5748CBC92F57D0CFC8CF4DD50731F580123E7A0ABA3919A93905A94540462E003D080E24,'/home/carol','carol','cluster',1761869379.1907,'/home/carol/flow'),
(5,'01a20780-4c8f-76e5-8ba8-67461fe96386','8fc90586e08ee19faa84aaf8f636d9e7aed26770','2025-10-31 00:00:00','gcc','/usr/bin/x86_64-linux-gnu-gcc-12',NULL,0x2D000000789C4B4F4E56D0F53750D0CD5748CBC92F57D0CFC8CF4DD50731F580123E7A0ABA3919A93905A94540462E003D080E24,'/home/bob','bob','cluster',1761869378.5014,'/home/bob/flow');
CREATE TABLE `xalt_object` (
  `obj_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `object_path` varchar(1024) NOT NULL,
  `syshost` varchar(64) NOT NULL,
  `hash_id` char(40) NOT NULL,
  `module_name` varchar(64) DEFAULT NULL,
  `timestamp` timestamp NULL DEFAULT NULL,
  `lib_type` char(2) NOT NULL,
  PRIMARY KEY (`obj_id`),
  KEY `index_hash_id` (`hash_id`),
  KEY `thekey` (`object_path`(128),`hash_id`,`syshost`)
) ENGINE=InnoDB AUTO_INCREMENT=20 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_object` VALUES
(1,'/usr/lib/x86_64-linux-gnu/libm.so','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(2,'/usr/lib/x86_64-linux-gnu/libm.so.6','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(3,'/usr/lib/x86_64-linux-gnu/libmvec.so.1','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(4,'/usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a','cluster','0','gcc/12','2026-11-23 08:23:09','a'),
(5,'/usr/lib/gcc/x86_64-linux-gnu/12/libgcc_s.so','cluster','0','gcc/12','2026-11-23 08:23:09','so'),
(6,'/usr/lib/x86_64-linux-gnu/libgcc_s.so.1','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(7,'/usr/lib/x86_64-linux-gnu/libc.so','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(8,'/usr/lib/x86_64-linux-gnu/libc.so.6','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(9,'/usr/lib/x86_64-linux-gnu/libc_nonshared.a','cluster','0','glibc/2.36','2026-11-23 08:23:09','a'),
(10,'/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(11,'/usr/lib/x86_64-linux-gnu/libdl.a','cluster','0','glibc/2.36','2026-11-23 08:23:09','a'),
(12,'/usr/lib/x86_64-linux-gnu/libz.so.1.2.13','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(13,'/home/alice/libhelper.a','cluster','0','flow/1.0','2026-11-23 08:23:09','a'),
(14,'/home/carol/libhelper.a','cluster','0',NULL,'2026-11-23 08:23:09','a'),(15,'/home/bob/libhelper.a','cluster','0',NULL,'2026-11-23 08:23:09','a'),
(16,'/usr/lib/x86_64-linux-gnu/libcrypt.so.1.1.0','cluster','0','glibc/2.36','2026-11-23 08:23:09','so'),
(17,'/usr/lib/python3.11/lib-dynload/_decimal.cpython-311-x86_64-linux-gnu.so','cluster','0',NULL,'2026-11-23 08:23:10','so'),
(18,'/usr/lib/x86_64-linux-gnu/libexpat.so.1.8.10','cluster','0','glibc/2.36','2026-11-23 08:23:10','so'),
(19,'/usr/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so','cluster','0',NULL,'2026-11-23 08:23:10','so');
CREATE TABLE `xalt_pkg` (
  `pkg_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `run_id` int(11) unsigned NOT NULL,
  `program` varchar(12) NOT NULL,
  `pkg_name` varchar(64) NOT NULL,
  `pkg_version` varchar(32) DEFAULT NULL,
  `pkg_path` varchar(1024) DEFAULT NULL,
  PRIMARY KEY (`pkg_id`),
  KEY `run_id` (`run_id`),
  CONSTRAINT `xalt_pkg_ibfk_1` FOREIGN KEY (`run_id`) REFERENCES `xalt_run` (`run_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_pkg` VALUES
(1,10,'python','fractions','3.11.2','/usr/lib/python3.11/fractions.py'),(2,10,'python','xml','3.11.2','/usr/lib/python3.11/xml/__init__.py'),
(3,10,'python','decimal','3.11.2','/usr/lib/python3.11/decimal.py'),(4,10,'python','numbers','3.11.2','/usr/lib/python3.11/numbers.py'),
(5,10,'python','json','3.11.2','/usr/lib/python3.11/json/__init__.py');
CREATE TABLE `xalt_run` (
  `run_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `job_id` char(64) NOT NULL,
  `run_uuid` char(36) NOT NULL,
  `date` datetime NOT NULL,
  `syshost` varchar(64) NOT NULL,
  `uuid` char(36) DEFAULT NULL,
  `hash_id` char(40) NOT NULL,
  `account` varchar(20) NOT NULL,
  `exec_type` char(7) NOT NULL,
  `start_time` double NOT NULL,
  `end_time` double NOT NULL,
  `run_time` double NOT NULL,
  `probability` double NOT NULL,
  `num_cores` int(11) unsigned NOT NULL,
  `num_nodes` int(11) unsigned NOT NULL,
  `num_threads` smallint(6) unsigned NOT NULL,
  `num_gpus` int(11) unsigned NOT NULL,
  `queue` varchar(64) NOT NULL,
  `sum_runs` int(11) unsigned NOT NULL,
  `sum_time` double NOT NULL,
  `user` varchar(32) NOT NULL,
  `exec_path` varchar(1024) NOT NULL,
  `module_name` varchar(64) DEFAULT NULL,
  `cwd` varchar(1024) NOT NULL,
  `cmdline` blob NOT NULL,
  `container` varchar(32) DEFAULT NULL,
  PRIMARY KEY (`run_id`),
  KEY `index_date` (`date`),
  KEY `index_run_uuid` (`run_uuid`),
  KEY `thekey` (`job_id`,`syshost`)
) ENGINE=InnoDB AUTO_INCREMENT=12 DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
INSERT INTO `xalt_run` VALUES
(1,'100','01a20780-552c-7165-9286-4c8f79d8a4e2','2025-10-30 23:54:40','cluster','01a20780-4a0b-77d6-884a-b8f4643b545f','47f1cdb7feee807b2b9414eb131f94552304b046','physics','binary',1761868481,1761868540.9,60.25,1,1,1,4,0,'normal',0,0,'alice','/home/alice/flow','flow/1.0','/home/alice',0x1D000000789C8B56D2D34FCBC92F57D2515032340091997905A5257A79B9394AB10073500838,NULL),
(2,'103_4','01a20780-5623-7b0d-919e-112a3452b793','2025-11-01 11:54:40','cluster','01a20780-4f5d-7361-a781-4be371cd4563','b9f66c6a9743765d844a8652a3b8917edadeff7a','physics','binary',1761998081,1761998321.9,241,1,1,1,1,0,'gpu',0,0,'carol','/home/carol/flow',NULL,'/home/carol',0x0F000000789C8B56D2D34FCBC92F57D2515032558A0500206103D7,NULL),
(3,'108','01a20780-5aa7-7171-9c4b-b4b25bc14dc2','2025-11-03 23:54:42','cluster','01a20780-4a0b-77d6-884a-b8f4643b545f','47f1cdb7feee807b2b9414eb131f94552304b046','physics','binary',1762214082,0,0,1,256,1,1,0,'normal',0,0,'alice','/home/alice/flow','flow/1.0','/home/alice',0x15000000789C8B56D2D34FCBC92F57D2515032320003A558003A8604F4,NULL),
(4,'107','01a20780-5cd9-7566-9a0e-a2a200c00e1c','2025-11-03 11:54:42','cluster',NULL,'57b676f8ff00fd06fb69fe426521800b84c4aef6','physics','binary',1762170883,1762171364.62,482,1,1,1,1,0,'normal',0,0,'alice','/usr/bin/perl',NULL,'/home/alice',0x22000000789C8B56D22F2D2ED24FCACCD32F482DCA51D25150D24D059105459979250A864AB100B64B0A00,NULL),
(5,'101','01a20780-556e-7018-a8bb-dde808ad9028','2025-10-31 11:54:40','cluster','01a20780-4a0b-77d6-884a-b8f4643b545f','47f1cdb7feee807b2b9414eb131f94552304b046','physics','binary',1761911681,1761911801.22,120.5,1,1,1,1,0,'normal',0,0,'alice','/home/alice/flow','flow/1.0','/home/alice',0x2F000000789C8B56D2D34FCBC92F57D2515032041185A5F925A9290A314A15314A0A897940560C888A2929494C528A05003C500E0E,NULL),
(6,'102','01a20780-55b9-7db3-bfad-c78686231683','2025-10-31 23:54:40','cluster','01a20780-51e0-78c9-b0b6-ffd7a0c575a9','1a24d09ef89cb3852724c2122a6e11043593e08e','chemistry','binary',1761954881,1761955061.54,180.75,1,1,1,1,0,'long',0,0,'bob','/home/bob/gr\\u00fc\\u00df gott',NULL,'/home/bob',0x3A000000789C8B56D2D34F2F8A293530484B069129690AE9F925254A3A0A4AC6200224966A12536A649008944FB1304E0192A906064AB100F6301118,NULL),
(7,'102','01a20780-55d0-7c0e-845f-61e769ebc6d5','2025-10-31 23:54:40','cluster','01a20780-4c8f-76e5-8ba8-67461fe96386','8fc90586e08ee19faa84aaf8f636d9e7aed26770','chemistry','binary',1761954881,1761955061.57,180.75,1,1,1,1,0,'long',0,0,'bob','/home/bob/flow',NULL,'/home/bob',0x00080000789C8B56D2D34FCBC92F57D2515032061131A370148EC251380A47E1281CEE1000A42FF7E3,NULL),
(8,'100','01a20780-555e-76ef-8c58-a9a8e9bb6e88','2025-10-30 23:54:40','cluster','01a20780-4a0b-77d6-884a-b8f4643b545f','47f1cdb7feee807b2b9414eb131f94552304b046','physics','binary',1761868481,1761868540.95,60.25,1,1,1,4,0,'normal',0,0,'alice','/home/alice/flow','flow/1.0','/home/alice',0x26000000789C8B56D2D34FCBC92F57D2515032320091890A699939A90AE59925190A49398979D9C54AB100C7750B2C,NULL),
(9,'104','01a20780-5659-79b6-bac5-b12dc7fa96a8','2025-11-01 23:54:40','cluster','01a20780-540a-7e73-a6e6-00cdd9b834ce','ac4f731812da1d8488dca81597f05159f4f54b43','','binary',1762041281,1762041582.2,301.25,1,1,1,1,0,'gpu',0,0,'carol','/home/carol/plain',NULL,'/home/carol',0x10000000789C8B56D2D32FC849CCCC53D2515032558A050025D20433,NULL),
(10,'106','01a20780-56e2-7c29-92de-83472fd6a1ac','2025-11-02 23:54:41','cluster',NULL,'1d7e086c5b65460bae260b1a029201d718d176bb','chemistry','binary',1762127681,1762128102.84,421.75,1,1,1,1,0,'normal',0,0,'bob','/usr/bin/python3.11',NULL,'/home/bob',0x46000000789C8B56D22F2D2ED24FCACCD32FA82CC9C8CF3356D25150D24D069199B905F945250A59C5F9793A0A29A9C999B989393A0A694589C92599F979C53A0A15B9397A29F9B94AB10028681752,NULL),
(11,'105','01a20780-5685-754d-a0ec-dee7196c20e5','2025-11-02 11:54:40','cluster','01a20780-540a-7e73-a6e6-00cdd9b834ce','ac4f731812da1d8488dca81597f05159f4f54b43','chemistry','binary',1762084481,1762084842.49,361.5,1,1,1,1,0,'normal',0,0,'carol','/home/carol/plain',NULL,'/home/carol',0x10000000789C8B56D2D32FC849CCCC53D2515032578A050025D80435,NULL);
CREATE TABLE `xalt_total_env` (
  `envT_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `run_id` int(11) unsigned NOT NULL,
  `date` date NOT NULL,
  `env_blob` blob NOT NULL,
  PRIMARY KEY (`envT_id`),
  KEY `run_id` (`run_id`),
  CONSTRAINT `xalt_total_env_ibfk_1` FOREIGN KEY (`run_id`) REFERENCES `xalt_run` (`run_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
CREATE TABLE `xalt_user` (
  `usr_id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `user` varchar(32) NOT NULL,
  `anon_user` varchar(12) NOT NULL,
  PRIMARY KEY (`usr_id`),
  KEY `the_user` (`user`),
  KEY `a_user` (`anon_user`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_bin;
