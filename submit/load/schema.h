/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * schema.sql as the build embeds it, and the version that it sets.
 */
#ifndef JOBTRAIL_SCHEMA_H
#define JOBTRAIL_SCHEMA_H

#define SCHEMA_VERSION 1

extern const char schema_sql[];

#endif
