-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What reports add up: derived from the store, and made anew when it is lost.
--
-- A day is one of the store's time zone, as days since 1970-01-01. `basis` is what a sum is made of (gather.py): 0 of
-- records with exclusive core hours, and of the tasks that follow them; 1 of runs that sampling left out, of
-- which number and core hours are known all the same; 2 of records that have run_time times cores (inclusive).
-- `p` is the probability with which such a run is kept. `n` are runs, on the day on which they began;
-- `hours` core hours, on the days on which they were used (inclusive ones: on the first); `squares` the sum of the
-- squares of the runs' hours, where p is less than 1; `largest` the most that one run has; `uncertain` the
-- sum of the hours that each may have had beside. `parts` counts what a row was added up from.

CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;

-- runs that had not ended when they were looked at last
CREATE TABLE pending (run_id INTEGER PRIMARY KEY);

CREATE TABLE who (id INTEGER PRIMARY KEY, user TEXT, account TEXT, syshost TEXT, partition TEXT);

-- numbers of packages in the store, in order, with commas between
CREATE TABLE package_set (id INTEGER PRIMARY KEY, packages TEXT NOT NULL);

-- one program as it was built and loaded, and what it loads; or one of which the path alone is known
CREATE TABLE program (
    id             INTEGER PRIMARY KEY,
    executable_id  INTEGER,
    object_set_id  INTEGER,
    build_id       INTEGER,
    package_set_id INTEGER,
    path           TEXT,
    lacks          INTEGER -- 1: it loaded more than the object set has; NULL: not known
);

CREATE TABLE usage (
    day       INTEGER NOT NULL,
    who       INTEGER NOT NULL,
    program   INTEGER NOT NULL,
    outcome   TEXT NOT NULL, -- a state of jobtrail-acct(1), for KILLED with the signal; '' where basis is 1
    basis     INTEGER NOT NULL,
    p         REAL NOT NULL,
    parts     INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    hours     REAL NOT NULL,
    squares   REAL NOT NULL,
    uncertain REAL NOT NULL,
    largest   REAL NOT NULL,
    last      REAL, -- start of the last of these runs
    PRIMARY KEY (day, who, program, outcome, basis, p)
) WITHOUT ROWID;

-- A job counts once, from the first day on which it was active. Jobs that ran the same programs share a profile.
CREATE TABLE profile_member (
    profile INTEGER NOT NULL,
    program INTEGER NOT NULL,
    PRIMARY KEY (profile, program)
) WITHOUT ROWID;
CREATE TABLE job (
    name    TEXT PRIMARY KEY,        -- host and number
    day     INTEGER NOT NULL,        -- the first one
    who     INTEGER NOT NULL,
    profile INTEGER NOT NULL,
    told    INTEGER NOT NULL         -- 1: its allocation is that of Slurm's accounting
) WITHOUT ROWID;
CREATE INDEX job_day ON job (day, profile, who, told);
-- days without a gap on which a job was active, of jobs that were so on more than one
CREATE TABLE span (
    name      TEXT NOT NULL,
    first_day INTEGER NOT NULL,
    last_day  INTEGER NOT NULL,
    begun     INTEGER NOT NULL,      -- the job's first day
    PRIMARY KEY (name, first_day)
) WITHOUT ROWID;

-- What the allocation of Slurm's jobs with this number was divided into. A part with an `ending` is of tasks
-- that follow a run of `program` which ended so and was kept with the probability p.
CREATE TABLE job_part (
    number  INTEGER NOT NULL,
    day     INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    outcome TEXT NOT NULL,           -- of coverage, jobtrail-record(5); assumed, no_record
    program INTEGER NOT NULL,        -- 0: not known, or in the runs' records
    ending  TEXT NOT NULL,
    p       REAL NOT NULL,
    tasks   REAL NOT NULL,
    runs    INTEGER NOT NULL,
    hours   REAL NOT NULL,
    PRIMARY KEY (number, day, who, outcome, program, ending, p)
) WITHOUT ROWID;
-- by what it can be seen that rows of these jobs have changed
CREATE TABLE job_state (number INTEGER PRIMARY KEY, facts INTEGER, seconds REAL, ends REAL, given INTEGER);

-- the sums of job_part; `program` only where no program had the time
CREATE TABLE division (
    day     INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    program INTEGER NOT NULL,
    parts   INTEGER NOT NULL,
    tasks   REAL NOT NULL,
    hours   REAL NOT NULL,
    PRIMARY KEY (day, who, outcome, program)
) WITHOUT ROWID;

-- The same by month (YYYYMM), for periods that hold whole months.
CREATE TABLE usage_month (
    month     INTEGER NOT NULL,
    who       INTEGER NOT NULL,
    program   INTEGER NOT NULL,
    outcome   TEXT NOT NULL,
    basis     INTEGER NOT NULL,
    p         REAL NOT NULL,
    parts     INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    hours     REAL NOT NULL,
    squares   REAL NOT NULL,
    uncertain REAL NOT NULL,
    largest   REAL NOT NULL,
    last      REAL,
    PRIMARY KEY (month, program, who, outcome, basis, p)
) WITHOUT ROWID;
-- and without programs, for what is asked of people alone
CREATE TABLE people_month (
    month     INTEGER NOT NULL,
    who       INTEGER NOT NULL,
    outcome   TEXT NOT NULL,
    basis     INTEGER NOT NULL,
    p         REAL NOT NULL,
    parts     INTEGER NOT NULL,
    n         INTEGER NOT NULL,
    hours     REAL NOT NULL,
    squares   REAL NOT NULL,
    uncertain REAL NOT NULL,
    largest   REAL NOT NULL,
    last      REAL,
    PRIMARY KEY (month, who, outcome, basis, p)
) WITHOUT ROWID;
CREATE TABLE job_month (
    month   INTEGER NOT NULL,
    profile INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    jobs    INTEGER NOT NULL,
    told    INTEGER NOT NULL,
    PRIMARY KEY (month, profile, who)
) WITHOUT ROWID;
CREATE TABLE division_month (
    month   INTEGER NOT NULL,
    who     INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    program INTEGER NOT NULL,
    parts   INTEGER NOT NULL,
    tasks   REAL NOT NULL,
    hours   REAL NOT NULL,
    PRIMARY KEY (month, who, outcome, program)
) WITHOUT ROWID;
