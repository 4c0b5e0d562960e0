-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What reports add up: derived from the store, and made anew when it is lost.
--
-- A day is local, as days since 1970-01-01. Core hours are run_time times cores. Of records that were
-- kept with probability p, `n` counts 1, `weight` 1/p, `weight_var` (1-p)/p^2; `hours` is core hours,
-- `hours_weight` hours/p, `hours_var` hours^2 (1-p)/p^2: the Horvitz-Thompson estimates of the sums
-- over all runs, and the estimates of their variances. `uncertain` is how many core hours more it may have
-- been at the most, where nobody saw the end of a run, `uncertain_weight` uncertain/p.

CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- runs that had not ended when they were looked at last
CREATE TABLE pending (run_id INTEGER PRIMARY KEY);

CREATE TABLE who (id INTEGER PRIMARY KEY, user TEXT, account TEXT, syshost TEXT);

-- numbers of packages in the store, in order, with commas between
CREATE TABLE package_set (id INTEGER PRIMARY KEY, packages TEXT NOT NULL);

-- one program as it was built and loaded, and what it loads
CREATE TABLE program (
    id             INTEGER PRIMARY KEY,
    executable_id  INTEGER,
    object_set_id  INTEGER,
    build_id       INTEGER,
    package_set_id INTEGER
);

CREATE TABLE usage (
    day              INTEGER NOT NULL,
    who              INTEGER NOT NULL,
    program          INTEGER NOT NULL,
    outcome          TEXT NOT NULL, -- a state of jobtrail-acct(1), for KILLED with the signal
    n                INTEGER NOT NULL,
    weight           REAL NOT NULL,
    weight_var       REAL NOT NULL,
    hours            REAL NOT NULL,
    hours_weight     REAL NOT NULL,
    hours_var        REAL NOT NULL,
    uncertain        REAL NOT NULL,
    uncertain_weight REAL NOT NULL,
    last             REAL, -- start of the last of these runs
    PRIMARY KEY (day, who, program, outcome)
) WITHOUT ROWID;

-- A job counts on the day of its first run. Jobs that ran the same programs share a profile.
CREATE TABLE profile_member (
    profile INTEGER NOT NULL,
    program INTEGER NOT NULL,
    PRIMARY KEY (profile, program)
) WITHOUT ROWID;
CREATE TABLE job (
    name    TEXT PRIMARY KEY,        -- host and number
    day     INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    profile INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX job_day ON job (day, profile, who);

-- The same by month (YYYYMM), for periods that hold whole months.
CREATE TABLE usage_month (
    month            INTEGER NOT NULL,
    who              INTEGER NOT NULL,
    program          INTEGER NOT NULL,
    outcome          TEXT NOT NULL,
    n                INTEGER NOT NULL,
    weight           REAL NOT NULL,
    weight_var       REAL NOT NULL,
    hours            REAL NOT NULL,
    hours_weight     REAL NOT NULL,
    hours_var        REAL NOT NULL,
    uncertain        REAL NOT NULL,
    uncertain_weight REAL NOT NULL,
    last             REAL,
    PRIMARY KEY (month, program, who, outcome)
) WITHOUT ROWID;
-- and without programs, for what is asked of people alone
CREATE TABLE people_month (
    month            INTEGER NOT NULL,
    who              INTEGER NOT NULL,
    outcome          TEXT NOT NULL,
    n                INTEGER NOT NULL,
    weight           REAL NOT NULL,
    weight_var       REAL NOT NULL,
    hours            REAL NOT NULL,
    hours_weight     REAL NOT NULL,
    hours_var        REAL NOT NULL,
    uncertain        REAL NOT NULL,
    uncertain_weight REAL NOT NULL,
    last             REAL,
    PRIMARY KEY (month, who, outcome)
) WITHOUT ROWID;
CREATE TABLE job_month (
    month   INTEGER NOT NULL,
    profile INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    jobs    INTEGER NOT NULL,
    PRIMARY KEY (month, profile, who)
) WITHOUT ROWID;

CREATE TABLE coverage (
    day        INTEGER NOT NULL,
    who        INTEGER NOT NULL,
    outcome    TEXT NOT NULL,
    tasks      INTEGER NOT NULL,
    hours      REAL NOT NULL,
    uncertain  REAL NOT NULL,
    facts      INTEGER NOT NULL,
    PRIMARY KEY (day, who, outcome)
) WITHOUT ROWID;
