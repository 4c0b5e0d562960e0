-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 3, before mariadb.sql is run: keys have an owner, which is made as record_owner.h says.
-- Every statement may be run again. A store of version 2 has no run_own yet.
BEGIN NOT ATOMIC
    IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database()
               AND table_name = 'run_own') THEN
        ALTER TABLE run_own
            ADD COLUMN IF NOT EXISTS owner BIGINT NOT NULL DEFAULT 0 AFTER uuid,
            ADD COLUMN IF NOT EXISTS proven TINYINT NOT NULL DEFAULT 1 AFTER owner;
        UPDATE run_own JOIN job_part AS job ON job.id = run_own.job_part_id
        SET owner = CAST(CONV(LEFT(SHA1(concat_ws(x'00', coalesce(cast(job.user AS BINARY), x'ff'),
        coalesce(IF(job.restart_count IS NULL,
        coalesce(cast(job.job_id_raw AS BINARY), cast(job.job_id AS BINARY)),
        cast(job.job_id_raw AS BINARY)), x'ff'),
        coalesce(cast(job.restart_count AS BINARY), x'ff'),
        coalesce(cast(job.cluster AS BINARY), x'ff'))), 16), 16, 10)
        AS UNSIGNED) >> 2 << 1 | (job.restart_count IS NOT NULL)
        WHERE owner = 0;
        ALTER TABLE run_own
            ALTER COLUMN owner DROP DEFAULT,
            ALTER COLUMN proven DROP DEFAULT,
            ADD UNIQUE KEY IF NOT EXISTS run_own_key (uuid, owner),
            DROP INDEX IF EXISTS uuid;
    END IF;
END;

ALTER TABLE link
    ADD COLUMN IF NOT EXISTS xalt_uuid VARCHAR(300) NOT NULL DEFAULT '' AFTER build_user,
    ADD COLUMN IF NOT EXISTS proven TINYINT NOT NULL DEFAULT 1 AFTER xalt_uuid;
UPDATE link SET build_user = '' WHERE build_user IS NULL;
UPDATE link SET xalt_uuid = uuid WHERE xalt_uuid = '';
ALTER TABLE link
    MODIFY build_user VARCHAR(255) NOT NULL,
    ALTER COLUMN xalt_uuid DROP DEFAULT,
    ALTER COLUMN proven DROP DEFAULT,
    ADD UNIQUE KEY IF NOT EXISTS link_key (uuid, build_user),
    DROP INDEX IF EXISTS uuid;

ALTER TABLE run_package
    ADD COLUMN IF NOT EXISTS owner BIGINT NOT NULL DEFAULT 0 AFTER run_uuid,
    ADD COLUMN IF NOT EXISTS proven TINYINT NOT NULL DEFAULT 1 AFTER package_id,
    DROP PRIMARY KEY,
    ADD PRIMARY KEY (run_uuid, owner, package_id);
ALTER TABLE run_package
    ALTER COLUMN owner DROP DEFAULT,
    ALTER COLUMN proven DROP DEFAULT;

ALTER TABLE coverage
    ADD COLUMN IF NOT EXISTS owner BIGINT NOT NULL DEFAULT 0 AFTER uuid,
    ADD COLUMN IF NOT EXISTS proven TINYINT NOT NULL DEFAULT 1 AFTER owner;
UPDATE coverage
SET owner = CAST(CONV(LEFT(SHA1(concat_ws(x'00', coalesce(cast(user AS BINARY), x'ff'),
        coalesce(cast(job_id_raw AS BINARY), x'ff'),
        coalesce(cast(restart_count AS BINARY), x'ff'),
        coalesce(cast(cluster AS BINARY), x'ff'))), 16), 16, 10)
        AS UNSIGNED) >> 2 << 1 | (restart_count IS NOT NULL)
WHERE owner = 0;
ALTER TABLE coverage
    ALTER COLUMN owner DROP DEFAULT,
    ALTER COLUMN proven DROP DEFAULT,
    DROP PRIMARY KEY,
    ADD PRIMARY KEY (uuid, owner, position);
