-- SPDX-License-Identifier: LGPL-2.1-or-later
-- As submit/load/database/sql/expire.sql.
-- what a first scan found is reported once, however long it lies there
DELETE FROM library_event WHERE found < ? AND coalesce(first_scan, 0) = 0;
