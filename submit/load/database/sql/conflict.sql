-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What shares a uuid with another owner's, and packages that no run of their uuid has: a forger's, or of
-- nodes that are set up wrongly.
-- MariaDB is told the collation, since uuids of links are in ascii: in MariaDB 11.8 a CAST takes the character
-- set of such a column, if it can, and a UNION of them fails otherwise. The tables of schema_parts that are
-- `owned` are joined to it (store_schema.c).
CREATE OR REPLACE VIEW conflict AS
SELECT 'run' AS kind, CAST(run.uuid AS CHAR(36)) @COLLATE@ AS uuid, run.owner AS owner,
    run.user AS user,
    coalesce(CAST(run.job_id_raw AS CHAR), run.job_id) AS job_id, run.restart_count AS restart_count,
    run.cluster AS cluster, run.proven AS proven
FROM run
WHERE run.uuid IN (SELECT run_own.uuid FROM run_own GROUP BY run_own.uuid HAVING count(*) > 1)
UNION ALL
SELECT 'link', link.uuid, NULL, link.build_user, NULL, NULL, NULL, link.proven
FROM link
WHERE EXISTS (SELECT 1 FROM link AS other WHERE other.uuid = link.uuid AND other.build_user <> link.build_user)
UNION ALL
SELECT DISTINCT 'package', CAST(run_package.run_uuid AS CHAR(36)) @COLLATE@,
    run_package.owner, package_owner.user,
    CAST(package_owner.job_id AS CHAR), package_owner.restart_count, package_owner.cluster, run_package.proven
FROM run_package
LEFT JOIN package_owner ON package_owner.id = run_package.owner
WHERE EXISTS (SELECT 1 FROM run_own WHERE run_own.uuid = run_package.run_uuid)
    AND NOT EXISTS (SELECT 1 FROM run WHERE run.uuid = run_package.run_uuid
        AND run.package_owner = run_package.owner AND run.proven <= run_package.proven)
