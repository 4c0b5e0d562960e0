-- SPDX-License-Identifier: LGPL-2.1-or-later
-- From version 3, after mariadb.sql: packages had no owner, and stay with their run. Those without a run
-- are XALT's, as far as they say.
UPDATE run_package JOIN run_own ON run_own.uuid = run_package.run_uuid
SET run_package.owner = run_own.owner
WHERE run_package.owner = 0 AND run_own.owner % 2 = 1;
