-- SPDX-License-Identifier: LGPL-2.1-or-later
-- As submit/load/database/sql/expire.sql.
DELETE FROM ranks WHERE end_time < ?;
