/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Root's service by which users append lines to logs of the site (log_message.h). The kernel says
 * who has connected. A user can neither write in another's name nor hold the service up: each has a
 * few connections at once, for a short time, and so many lines (line_limits.h).
 */
#ifndef JOBTRAIL_LINE_SERVICE_H
#define JOBTRAIL_LINE_SERVICE_H

#include "conf/conf.h"

/* Serves until SIGTERM, or SIGINT. Returns 0 then; or -errno, after saying on stderr what is wrong.
 */
int line_service_run(const struct conf *conf);

#endif
