/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text logs about libraries, one a library: NAME.log. Each line begins with a date
 * (library_date.h), the time of the entry. In a log of changes a second one follows, the time of
 * last modification of the library's file. Then there are words with blanks between.
 *
 *     Mon_Mar_06_1995_07:00 Wed_Feb_08_1995_09:39 LOG_CREATED
 *     Tue_Aug_22_1995_17:00 Tue_Aug_22_1995_16:04 LIB_MODIFIED
 *     Wed_May_17_1995_08:49 L2TCG filei
 *
 * A line without a date is a remark.
 *
 * A log whose first line is LIBRARY_LOG_SORTED has times that do not go back: jobtrail-libq finds a
 * range of dates in it by bisection. Who begins a log so has to see to it: where a clock has been
 * set back, they write the time of the line before again. Local times that come twice, since the
 * zone sets its clocks back, are no fault.
 */
#ifndef JOBTRAIL_LIBRARY_LOG_H
#define JOBTRAIL_LIBRARY_LOG_H

#define LIBRARY_LOG_SORTED "# jobtrail: sorted\n"

/* The word of the line that a log begins with: it counts in no table. */
#define LIBRARY_LOG_CREATED "LOG_CREATED"

#endif
