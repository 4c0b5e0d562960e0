-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Changes of the site's libraries, and uses from outside of jobs and links.
CREATE TABLE IF NOT EXISTS library_event (
    uuid         @UUID_TEXT@ NOT NULL,  -- the same whenever the same fact is reported
    proven       TINYINT NOT NULL,
    event        @UUID_TEXT@ NOT NULL,  -- what the changes of one installation have in common
    kind         VARCHAR(255) NOT NULL, -- change, use
    what         VARCHAR(255) NOT NULL, -- added, modified, ...; open, exec, ...
    library      VARCHAR(255) NOT NULL,
    group_name   VARCHAR(255),
    path         TEXT NOT NULL,
    path_before  TEXT,                  -- of what was moved
    files        BIGINT,                -- that the row stands for
    links        BIGINT,                -- other names of the file
    uses         BIGINT,                -- at least
    first_scan   BIGINT,                -- found when its tree was scanned first
    found        DOUBLE NOT NULL,       -- when it was seen
    after_time   DOUBLE,                -- between these two it was
    before_time  DOUBLE,
    source       VARCHAR(255),          -- how it is known: scan, watch, atime
    uid          BIGINT,                -- of who did it; NULL: not known
    login_uid    BIGINT,                -- that they logged in with
    user         VARCHAR(255),
    program      TEXT,
    command      TEXT,
    cluster      VARCHAR(255),
    syshost      VARCHAR(255),
    node         VARCHAR(255),
    job_id_raw   BIGINT,
    step_id      VARCHAR(255),
    was_size     BIGINT,                -- of the file before; NULL: none, or not known
    was_mtime    DOUBLE,
    was_sha1     VARCHAR(255),
    was_build_id VARCHAR(255),
    was_soname   VARCHAR(255),
    was_package  VARCHAR(255),
    was_version  VARCHAR(255),
    was_owner    BIGINT,
    is_size      BIGINT,                -- of the file after
    is_mtime     DOUBLE,
    is_sha1      VARCHAR(255),
    is_build_id  VARCHAR(255),
    is_soname    VARCHAR(255),
    is_package   VARCHAR(255),
    is_version   VARCHAR(255),
    is_owner     BIGINT,
    PRIMARY KEY (uuid)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS library_event_library ON library_event (library, found);
CREATE INDEX IF NOT EXISTS library_event_found ON library_event (found);
