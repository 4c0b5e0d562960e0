-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 2, before mariadb.sql is run: what identifies a row is bytes and no longer hex
-- digits, ids are shorter, and the old `run` makes room. Every statement may be run again.
ALTER TABLE module MODIFY identity VARBINARY(40) NOT NULL;
UPDATE module SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE module MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL;
ALTER TABLE module_path MODIFY identity VARBINARY(40) NOT NULL;
UPDATE module_path SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE module_path MODIFY identity BINARY(20) NOT NULL,
    MODIFY module_id INT UNSIGNED NOT NULL;
ALTER TABLE executable MODIFY identity VARBINARY(40) NOT NULL;
UPDATE executable SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE executable MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL,
    MODIFY module_id INT UNSIGNED;
ALTER TABLE object MODIFY identity VARBINARY(40) NOT NULL;
UPDATE object SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE object MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL,
    MODIFY module_id INT UNSIGNED;
ALTER TABLE object_set MODIFY hash VARBINARY(40) NOT NULL;
UPDATE object_set SET hash = unhex(hash) WHERE length(hash) = 40;
ALTER TABLE object_set MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY hash BINARY(20) NOT NULL;
ALTER TABLE object_set_member MODIFY object_set_id INT UNSIGNED NOT NULL,
    MODIFY object_id INT UNSIGNED NOT NULL;
ALTER TABLE env_name MODIFY identity VARBINARY(40) NOT NULL;
UPDATE env_name SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE env_name MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL;
ALTER TABLE env_value MODIFY identity VARBINARY(40) NOT NULL;
UPDATE env_value SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE env_value MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL,
    MODIFY env_name_id INT UNSIGNED NOT NULL;
ALTER TABLE environment MODIFY hash VARBINARY(40) NOT NULL;
UPDATE environment SET hash = unhex(hash) WHERE length(hash) = 40;
ALTER TABLE environment MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY hash BINARY(20) NOT NULL,
    ADD COLUMN IF NOT EXISTS members LONGTEXT NOT NULL;
SET SESSION group_concat_max_len = 268435456;
BEGIN NOT ATOMIC
    IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database()
               AND table_name = 'environment_member' AND table_type = 'BASE TABLE') THEN
        UPDATE environment SET members = coalesce((
            SELECT json_arrayagg(env_value_id ORDER BY env_value_id) FROM environment_member
            WHERE environment_id = environment.id), '[]');
        DROP TABLE environment_member;
    END IF;
END;
ALTER TABLE ancestors MODIFY hash VARBINARY(40) NOT NULL;
UPDATE ancestors SET hash = unhex(hash) WHERE length(hash) = 40;
ALTER TABLE ancestors MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY hash BINARY(20) NOT NULL;
ALTER TABLE build MODIFY identity VARBINARY(40) NOT NULL;
UPDATE build SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE build MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL;
ALTER TABLE function_name MODIFY identity VARBINARY(40) NOT NULL;
UPDATE function_name SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE function_name MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL;
ALTER TABLE function_set MODIFY hash VARBINARY(40) NOT NULL;
UPDATE function_set SET hash = unhex(hash) WHERE length(hash) = 40;
ALTER TABLE function_set MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY hash BINARY(20) NOT NULL;
ALTER TABLE function_set_member MODIFY function_set_id INT UNSIGNED NOT NULL,
    MODIFY function_name_id INT UNSIGNED NOT NULL;
ALTER TABLE link MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY executable_id INT UNSIGNED,
    MODIFY object_set_id INT UNSIGNED,
    MODIFY function_set_id INT UNSIGNED,
    MODIFY module_id INT UNSIGNED;
ALTER TABLE package MODIFY identity VARBINARY(40) NOT NULL;
UPDATE package SET identity = unhex(identity) WHERE length(identity) = 40;
ALTER TABLE package MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT,
    MODIFY identity BINARY(20) NOT NULL;
-- uuids were kept as they were written, and say no case now
DELETE capital FROM run_package AS capital JOIN run_package AS other
    ON other.run_uuid = lower(capital.run_uuid) AND other.package_id = capital.package_id
WHERE capital.run_uuid <> lower(capital.run_uuid);
ALTER TABLE run_package
    ADD COLUMN IF NOT EXISTS id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT FIRST,
    ADD UNIQUE KEY IF NOT EXISTS run_package_id (id),
    MODIFY run_uuid UUID NOT NULL,
    MODIFY package_id INT UNSIGNED NOT NULL;
ALTER TABLE account_field MODIFY id INT UNSIGNED NOT NULL AUTO_INCREMENT;
BEGIN NOT ATOMIC
    IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database()
               AND table_name = 'run' AND table_type = 'BASE TABLE') THEN
        RENAME TABLE run TO run_2;
    END IF;
END;
