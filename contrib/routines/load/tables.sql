-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What runs called of the libraries that [routines] designates.
CREATE TABLE IF NOT EXISTS routine_library (
    id        @ID@,
    identity  @SHA1@ NOT NULL UNIQUE,
    path      TEXT NOT NULL,         -- of a prepared archive its name
    build_id  VARCHAR(255) NOT NULL, -- '0' without one
    module_id INT UNSIGNED REFERENCES module (id)
);
CREATE TABLE IF NOT EXISTS routine (
    id                 @ID@,
    identity           @SHA1@ NOT NULL UNIQUE,
    routine_library_id INT UNSIGNED NOT NULL REFERENCES routine_library (id),
    name               TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS routine_of_library ON routine (routine_library_id);
CREATE TABLE IF NOT EXISTS run_routine (
    run_id      BIGINT UNSIGNED NOT NULL REFERENCES run_own (id),
    routine_id  INT UNSIGNED NOT NULL REFERENCES routine (id),
    first_call  DOUBLE,  -- NULL: not known, or not in the time of the run
    calls       BIGINT,  -- NULL: not counted
    is_at_least TINYINT, -- 1: there may have been more; NULL: not counted
    PRIMARY KEY (run_id, routine_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_routine_routine ON run_routine (routine_id);

-- The libraries that were there, and how much of their calls was seen.
CREATE TABLE IF NOT EXISTS run_routine_library (
    run_id             BIGINT UNSIGNED NOT NULL REFERENCES run_own (id),
    routine_library_id INT UNSIGNED NOT NULL REFERENCES routine_library (id),
    PRIMARY KEY (run_id, routine_library_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_routine_library_library ON run_routine_library (routine_library_id);
CREATE TABLE IF NOT EXISTS run_routine_watch (
    run_id  BIGINT UNSIGNED NOT NULL PRIMARY KEY REFERENCES run_own (id),
    watched BIGINT NOT NULL, -- imports of routines
    missed  BIGINT NOT NULL, -- imports and libraries by which calls were not seen
    unnamed BIGINT NOT NULL  -- called routines that have no row: see routine_maker
) WITHOUT ROWID;

-- How many rows of routine and routine_library the runs of a user have added, as the loader bounds that.
CREATE TABLE IF NOT EXISTS routine_maker (
    id                 @ID@,
    user               VARCHAR(255) NOT NULL, -- '?': of all runs that are not proven
    day                BIGINT NOT NULL,       -- of loading, since the Epoch
    routine_library_id INT UNSIGNED NOT NULL, -- 0: rows of libraries
    names              BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS routine_maker_day ON routine_maker (user, day);
CREATE INDEX IF NOT EXISTS routine_maker_library ON routine_maker (user, routine_library_id);
