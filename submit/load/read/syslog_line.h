/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where in a line of a log the name of the program stands that has sent it, as rsyslog, syslog-ng
 * and journalctl write lines:
 *
 *   [<PRI>[1 ]][TIMESTAMP [HOST ]]PROGRAM...
 *
 * with one blank between. TIMESTAMP is RFC 3164's (Nov 22 01:57:19, with a year or a fraction of
 * the second too), RFC 3339's, or one of journalctl's short forms. What a program says comes after
 * its name: there nothing is looked for. A message of several lines goes on in lines that begin
 * with blanks, which have no program's name.
 */
#pragma once

/* Where in the NUL-terminated line the program's name stands, if it begins with `prefix`; else
 * NULL. */
const char *syslog_line_program(const char *line, const char *prefix);
