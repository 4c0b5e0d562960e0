/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the run of a capture ended (submit/facts/ending.h), by all that a request has.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "submit/facts/ending.h"
#include "submit/flush/kernel_witness.h"
#include "submit/flush/reading_request.h"

/* What the kernel reported of the process of a capture; NULL: nothing. `compared`: NULL where
 * nothing is known of other pid namespaces. */
const struct kernel_noted *run_ending_noted(const struct reading_request *request,
                                            const struct kernel_compared *compared,
                                            const struct capture *capture);

/* `noted`: as from run_ending_noted(). `next_ns`: as in struct succession_entry. `reads`: files of
 * programs may be looked at. */
struct ending run_ending_find(const struct reading_request *request,
                              const struct kernel_noted *noted, const struct capture *capture,
                              uint64_t next_ns, bool reads);
