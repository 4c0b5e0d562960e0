/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The optional signal handler (XALT_SIGNAL_HANDLER): signs the end of a run that dies by a signal
 * which nobody else handles, and lets the signal do what it would have done.
 */
#ifndef JOBTRAIL_SIGNALS_H
#define JOBTRAIL_SIGNALS_H

/* Calls `caught` with the signal's number, in the handler, before the signal does its work. Only
 * signals whose disposition is the default are caught. */
void signals_catch(void (*caught)(int signal));

#endif
