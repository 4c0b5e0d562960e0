/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indexer acknowledgement of Splunk's HTTP Event Collector: a request whose token has it is
 * answered with a number, and is on the indexers' disks when COLLECTOR/ack says so of that number
 * in that channel.
 */
#pragma once

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

struct http_ack;

/* Asks the collector of `url` (.../services/collector, and what follows that) as `like` is set up,
 * with these headers, which must outlive it. Returns NULL when out of memory; http_ack_free()
 * releases. */
struct http_ack *http_ack_new(CURL *like, struct curl_slist *headers, const char *url,
                              const char *channel);

/* Asks until the request with this number is acknowledged. Returns 0; or -ETIMEDOUT when it is not
 * at `deadline_ns` (CLOCK_MONOTONIC), with the last trouble in `size` bytes at `why`. */
int http_ack_wait(struct http_ack *ack, uint64_t number, uint64_t deadline_ns, char *why,
                  size_t size);

void http_ack_free(struct http_ack *ack);
