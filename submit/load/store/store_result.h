/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What became of a record.
 */
#ifndef JOBTRAIL_STORE_RESULT_H
#define JOBTRAIL_STORE_RESULT_H

/* The most owners of a uuid that are kept without a proof. Anybody can claim a uuid as often as
 * they like, and each claim costs time whenever a record with the uuid comes. */
#define STORE_CLAIMS 16

enum store_result {
    STORE_NEW,       /* the first record of this run, link or package */
    STORE_CONFLICT,  /* the same, and its uuid is another owner's, too: both are kept */
    STORE_UPDATED,   /* the end of a run whose start was known; proven, in place of unproven */
    STORE_UNCHANGED, /* nothing new */
    STORE_UNPROVEN,  /* an end that is not proven, of a start that is: left out */
    STORE_CROWDED    /* not proven, and STORE_CLAIMS others of its uuid are not: left out */
};

#endif
