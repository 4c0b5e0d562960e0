/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the program's name stands in lines as rsyslog, syslog-ng and journalctl write them.
 */
#include "submit/load/read/syslog_line.h"
#include "test/unit/fixture/cases.h"

#define TAG "XALT_LOGGING_"

static const char *const ours[] = {
    /* rsyslog: RSYSLOG_TraditionalFileFormat, RSYSLOG_FileFormat, RSYSLOG_SyslogProtocol23Format */
    "Nov 22 01:57:19 n1 XALT_LOGGING_tiny: V:4",
    "Nov  2 01:57:19 n1 XALT_LOGGING_tiny: V:4",
    "2026-11-22T01:57:19.123456+00:00 n1 XALT_LOGGING_tiny: V:4",
    "<14>1 2026-11-22T01:57:19.123456+00:00 n1 XALT_LOGGING_tiny - - - V:4",
    /* as it was sent, and as it is forwarded */
    "<14>Nov 22 01:57:19 XALT_LOGGING_tiny: V:4",
    "<14>Nov 22 01:57:19 n1.example.org XALT_LOGGING_tiny: V:4",
    /* syslog-ng: the default, iso, full, and a long host name */
    "Nov 22 01:57:19 n1 XALT_LOGGING_tiny[123]: V:4",
    "2026-11-22T01:57:19+00:00 n1 XALT_LOGGING_tiny: V:4",
    "2026-11-22T01:57:19-08 n1 XALT_LOGGING_tiny: V:4",
    "2026-11-22T01:57:19.5Z fe80::1 XALT_LOGGING_tiny: V:4",
    "2026 Nov 22 01:57:19 s_src@n1 XALT_LOGGING_tiny: V:4",
    "1763776639 n1 XALT_LOGGING_tiny: V:4",
    "<13>1 2026-11-22T15:42:57+00:00 n1 XALT_LOGGING_x - - [meta sequenceId=\"1\"] V:4",
    /* journalctl: short, short-precise, short-iso, short-full, short-unix, short-monotonic */
    "Nov 22 01:57:19 n1 XALT_LOGGING_tiny[123]: V:4",
    "Nov 22 01:57:19.123456 n1 XALT_LOGGING_tiny[123]: V:4",
    "2026-11-22T01:57:19+0000 n1 XALT_LOGGING_tiny[123]: V:4",
    "Sun 2026-11-22 01:57:19 UTC n1 XALT_LOGGING_tiny[123]: V:4",
    "1763776639.123456 n1 XALT_LOGGING_tiny[123]: V:4",
    "[   12.345678] n1 XALT_LOGGING_tiny[123]: V:4",
    "[12345.678901] n1 XALT_LOGGING_tiny[123]: V:4",
    /* without a host; what our own quarantine has */
    "Nov 22 01:57:19 XALT_LOGGING_tiny[123]: V:4",
    "XALT_LOGGING_tiny: V:4",
};

static const char *const others[] = {
    "",
    " ",
    "<",
    "<14>",
    "Nov 22 01:57:19",
    "Nov 22 01:57:19 ",
    "Nov 22 01:57:19 n1",
    /* said by another program */
    "Nov 22 01:57:19 n1 root: XALT_LOGGING_tiny: V:4",
    "Nov 22 01:57:19 n1 logger[12]: XALT_LOGGING_tiny: V:4",
    "2026-11-22T01:57:19.123456+00:00 n1 root: XALT_LOGGING_tiny: V:4",
    "<14>1 2026-11-22T01:57:19.123456+00:00 n1 root - - - XALT_LOGGING_tiny: V:4",
    "<14>1 - n1 root - - - XALT_LOGGING_tiny: V:4",
    "Sun 2026-11-22 01:57:19 UTC n1 root[123]: XALT_LOGGING_tiny: V:4",
    "1763776639.123456 n1 root[123]: XALT_LOGGING_tiny: V:4",
    "[   12.345678] n1 root[123]: XALT_LOGGING_tiny: V:4",
    /* in a log without hosts */
    "Nov 22 01:57:19 root: XALT_LOGGING_tiny: V:4",
    "Nov 22 01:57:19 root[12]: XALT_LOGGING_tiny: V:4",
    /* where a message goes on */
    "  XALT_LOGGING_tiny: V:4",
    "\tXALT_LOGGING_tiny: V:4",
    "                                  XALT_LOGGING_tiny: V:4",
    /* a name that ends so, a name within a word, two words before it */
    "Nov 22 01:57:19 n1 notXALT_LOGGING_tiny: V:4",
    "Nov 22 01:57:19 n1XALT_LOGGING_tiny: V:4",
    "Nov 22 01:57:19 n1 su XALT_LOGGING_tiny: V:4",
    "n1 XALT_LOGGING_tiny V:4",
    "hello XALT_LOGGING_tiny: V:4",
    /* no timestamp */
    "Nov 22 01:57 n1 XALT_LOGGING_tiny: V:4",
    "2026-11-22T01:57:19+00: n1 XALT_LOGGING_tiny: V:4",
    "nov 22 01:57:19 n1 XALT_LOGGING_tiny: V:4",
    "12345 n1 XALT_LOGGING_tiny: V:4",
    "[12345] n1 XALT_LOGGING_tiny: V:4",
    "[12345.6 n1 XALT_LOGGING_tiny: V:4",
    "<14 XALT_LOGGING_tiny: V:4",
};

TEST(test_ours)
{
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        const char *found = syslog_line_program(ours[i], TAG);
        if (found == NULL || found != strstr(ours[i], TAG))
            fail_msg("not found: %s", ours[i]);
    }
}

TEST(test_others)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (syslog_line_program(others[i], TAG) != NULL)
            fail_msg("found: %s", others[i]);
}
