/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signatures of records, by a key that root of the nodes and the loader share. The last member of a
 * signed record is
 *
 *   "signature":"hmac-sha256:KEYID:HMAC"
 *
 * HMAC is the HMAC-SHA256 (RFC 2104), 64 hex digits, of the text without that member and with
 * "0xFFFF" in the place of its CRC; KEYID, 16 hex digits, is the beginning of the HMAC-SHA256 of
 * "jobtrail key id", so that a reader with several keys knows which it is. The CRC is that of the
 * text with its signature: a reader that knows nothing of signatures finds it right. A text that
 * was parsed and written again is not the text that was signed.
 */
#pragma once

#include <stddef.h>
#include <sys/uio.h>

/* What a signature adds to a text at the most. */
enum { RECORD_SIGNATURE_ROOM = 128 };

enum { SIGNATURE_MAC_BYTES = 32 };

struct signature_key;

enum signature_state {
    SIGNATURE_NONE,
    SIGNATURE_GOOD,
    SIGNATURE_OTHER, /* of a key that is not among ours */
    SIGNATURE_WRONG, /* of another text, or none that we know how to check */
};

/* Reads a key from its file (secret_file.h). It lies in memory that forked children and core dumps
 * do not have. Returns 0; or -errno as key_file_read(). signature_key_free() releases. */
int signature_key_read(const char *path, struct signature_key **key);

/* Takes NULL. */
void signature_key_free(struct signature_key *key);

/* Writes the record of `length` bytes at `text` with its signature, which replaces one that it has,
 * to `*signed_length` bytes at `to`, which has length + RECORD_SIGNATURE_ROOM. Returns 0; -EINVAL
 * where the text is no JSON object with a member; -EIO where the key is not there (a forked child).
 */
int record_sign(const struct signature_key *key, const char *text, size_t length, char *to,
                size_t *signed_length);

/* Checks the signature of a record with the `count` keys. Newlines behind it do not count. */
enum signature_state record_signature_check(const struct signature_key *const keys[], size_t count,
                                            const char *text, size_t length);

/* The HMAC-SHA256 of the `count` parts, one behind the other. */
void signature_hmac(const unsigned char *key, size_t key_size, const struct iovec *parts,
                    size_t count, unsigned char mac[SIGNATURE_MAC_BYTES]);
