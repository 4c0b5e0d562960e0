/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The number of the formats that the parts of jobtrail share on a node: compiled policy, ledger,
 * journal, the other files in a job's directory, sessions, outbox. It is raised with any change of
 * one of them that the version before cannot read, or reads otherwise. What tells versions apart in
 * these files is derived from it.
 *
 * Versions with different numbers may be used on one node at the same time, each from a prefix of
 * its own: a job stays with the number that it began under (spank/elder.h). So that none reads the
 * files of another one, each number but 1 has directories of its own:
 *
 *     number 1                  number N
 *     <spool>/JOB.RESTART       <spool>/.N/JOB.RESTART
 *     <state>/outbox            <state>/outbox.N
 *     <state>/sessions          <state>/sessions.N
 *     <sessions>                <sessions>.N
 *     jobtrail.policy           jobtrail.policy.N
 *
 * What versions rely on of each other never changes: these names; the file `version`
 * (spank/version_note.h); the marks SPOOL_EXTERN_ENDED and SPOOL_OVER (spool_path.h); that the
 * plugin exports jobtrail_hand_over() (spank/elder.h); and that jobtrail-submit has `--formats
 * NUMBER`, and ends with the status 4 where it has another number.
 */
#pragma once

#ifndef JOB_FORMATS /* tests build others: cmake -D JOBTRAIL_JOB_FORMATS=2 */
#define JOB_FORMATS 1
#endif

#define JOB_FORMATS_QUOTE_(number) #number
#define JOB_FORMATS_QUOTE(number)  JOB_FORMATS_QUOTE_(number)

/* JOB_FORMATS_SUFFIX follows the name of a file or directory, JOB_FORMATS_MARK begins the lines of
 * a journal. */
#if JOB_FORMATS == 1
#define JOB_FORMATS_SUFFIX ""
#define JOB_FORMATS_MARK   ""
#else
#define JOB_FORMATS_SUFFIX "." JOB_FORMATS_QUOTE(JOB_FORMATS)
#define JOB_FORMATS_MARK   JOB_FORMATS_QUOTE(JOB_FORMATS) ":"
#endif
