/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The number of the formats that the parts of jobtrail share on a node: ledger, journal, packages,
 * stubs, files in the job's directory, compiled policy, outbox. It is raised with any change of one
 * of them that the version before cannot read, or that it reads otherwise. A job stays with the
 * number that it began under.
 */
#ifndef JOBTRAIL_JOB_FORMATS_H
#define JOBTRAIL_JOB_FORMATS_H

#ifndef JOB_FORMATS /* tests build others */
#define JOB_FORMATS 1
#endif

#endif
