/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/definition/record_signature.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "conf/base/crc.h"
#include "conf/base/text.h"
#include "conf/secret_file.h"

#define MEMBER    ",\"signature\":\""
#define ALGORITHM "hmac-sha256:"
#define OPENING   "{\"crc\":\"0x"
#define NEUTRAL   "FFFF"

enum { MAC_DIGITS = 2 * SIGNATURE_MAC_BYTES, ID_DIGITS = 16, CRC_DIGITS = 4 };

/* MEMBER ALGORITHM KEYID ':' HMAC '"' '}' */
enum {
    MEMBER_BYTES = sizeof MEMBER - 1,
    VALUE_BYTES = sizeof ALGORITHM - 1 + ID_DIGITS + 1 + MAC_DIGITS,
    TAIL_BYTES = MEMBER_BYTES + VALUE_BYTES + 2,
};

_Static_assert((size_t)TAIL_BYTES < (size_t)RECORD_SIGNATURE_ROOM, "there is room for a signature");

struct signature_key {
    size_t size;
    unsigned char bytes[KEY_BYTES_MAX];
    char id[ID_DIGITS + 1];
};

/* The text without its signature, in the parts that the HMAC is of. */
struct unsigned_text {
    const char *text;
    size_t length; /* with no '}' at its end */
    int has_crc;
};

/* ---- Keys ------------------------------------------------------------------------------------ */

void signature_hmac(const unsigned char *key, size_t key_size, const struct iovec *parts,
                    size_t count, unsigned char mac[SIGNATURE_MAC_BYTES])
{
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, key_size, key);
    for (size_t i = 0; i < count; i++)
        hmac_sha256_update(&context, parts[i].iov_len, parts[i].iov_base);
    hmac_sha256_digest(&context, SIGNATURE_MAC_BYTES, mac);
    explicit_bzero(&context, sizeof context);
}

/* A forked child has no key, and what is signed without one is not signed. */
static int hmac(const struct signature_key *key, const struct iovec *parts, size_t count,
                unsigned char mac[SIGNATURE_MAC_BYTES])
{
    if (key->size == 0)
        return -EIO;
    signature_hmac(key->bytes, key->size, parts, count, mac);
    return 0;
}

static int sign_text(const struct signature_key *key, const struct unsigned_text *part,
                     char digits[MAC_DIGITS + 1])
{
    static const char neutral[] = OPENING NEUTRAL;
    unsigned char mac[SIGNATURE_MAC_BYTES];
    size_t skipped = part->has_crc ? sizeof neutral - 1 : 0;
    const struct iovec parts[] = {{(char *)neutral, skipped},
                                  {(char *)part->text + skipped, part->length - skipped},
                                  {(char *)"}", 1}};
    int result = hmac(key, parts, 3, mac);
    if (result == 0)
        text_hex(mac, SIGNATURE_MAC_BYTES, digits);
    return result;
}

static int name_key(struct signature_key *key)
{
    static const char text[] = "jobtrail key id";
    const struct iovec part = {(char *)text, sizeof text - 1};
    unsigned char mac[SIGNATURE_MAC_BYTES];
    int result = hmac(key, &part, 1, mac);
    if (result == 0)
        text_hex(mac, ID_DIGITS / 2, key->id);
    return result;
}

int signature_key_read(const char *path, struct signature_key **key)
{
    struct signature_key *made =
        mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return -ENOMEM;
    int result = madvise(made, sizeof *made, MADV_WIPEONFORK) != 0 ||
                         madvise(made, sizeof *made, MADV_DONTDUMP) != 0
                     ? -errno
                     : 0;
    ssize_t size = result != 0 ? result : key_file_read(path, made->bytes);
    if (size > 0) {
        made->size = (size_t)size;
        result = name_key(made);
    } else {
        result = (int)size;
    }
    if (result != 0) {
        signature_key_free(made);
        return result;
    }
    *key = made;
    return 0;
}

void signature_key_free(struct signature_key *key)
{
    if (key == NULL)
        return;
    explicit_bzero(key, sizeof *key);
    munmap(key, sizeof *key);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The value of the signature that ends the text, which has `*length` bytes; then those become the
 * ones before it. NULL when there is none. A quotation mark within a string has a backslash before
 * it, so that the member is none of a string; and what ends with the object is a member of it. */
static const char *cut_signature(const char *text, size_t *length, size_t *value_length)
{
    size_t end = *length;
    if (end < 2 || text[end - 2] != '"' || text[end - 1] != '}')
        return NULL;
    const char *value = text + end - 2, *first = text + 1;
    while (value > first && value[-1] != '"' && text + end - value < RECORD_SIGNATURE_ROOM)
        value--;
    if (value - first < MEMBER_BYTES || memcmp(value - MEMBER_BYTES, MEMBER, MEMBER_BYTES) != 0)
        return NULL;
    *value_length = (size_t)(text + end - 2 - value);
    *length = (size_t)(value - MEMBER_BYTES - text);
    return value;
}

static int has_crc(const char *text, size_t length)
{
    size_t opening = strlen(OPENING);
    if (length < opening + CRC_DIGITS || memcmp(text, OPENING, opening) != 0)
        return 0;
    for (size_t i = 0; i < CRC_DIGITS; i++)
        if (memchr("0123456789abcdefABCDEF", text[opening + i], 22) == NULL)
            return 0;
    return 1;
}

/* Returns 0, or -EINVAL where the text is none of a JSON object that has a member. */
static int take_apart(const char *text, size_t length, struct unsigned_text *part,
                      const char **signature, size_t *signature_length)
{
    while (length > 0 && memchr(" \t\r\n", text[length - 1], 4) != NULL)
        length--;
    if (length < 3 || text[0] != '{' || text[length - 1] != '}')
        return -EINVAL;
    *signature = cut_signature(text, &length, signature_length);
    if (*signature == NULL)
        length--;
    *part = (struct unsigned_text){text, length, has_crc(text, length)};
    return 0;
}

int record_sign(const struct signature_key *key, const char *text, size_t length, char *to,
                size_t *signed_length)
{
    struct unsigned_text part;
    char digits[MAC_DIGITS + 1];
    const char *old;
    size_t old_length;
    int result = take_apart(text, length, &part, &old, &old_length);
    if (result == 0)
        result = sign_text(key, &part, digits);
    if (result != 0)
        return result;
    memcpy(to, part.text, part.length);
    int tail = snprintf(to + part.length, RECORD_SIGNATURE_ROOM, MEMBER ALGORITHM "%s:%s\"}",
                        key->id, digits);
    *signed_length = part.length + (size_t)tail;
    if (part.has_crc) {
        char *at = to + strlen(OPENING);
        memcpy(at, NEUTRAL, CRC_DIGITS);
        snprintf(digits, sizeof digits, "%04X", crc16(to, *signed_length));
        memcpy(at, digits, CRC_DIGITS);
    }
    return 0;
}

static const struct signature_key *find_key(const struct signature_key *const keys[], size_t count,
                                            const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(keys[i]->id, id, ID_DIGITS) == 0)
            return keys[i];
    return NULL;
}

enum signature_state record_signature_check(const struct signature_key *const keys[], size_t count,
                                            const char *text, size_t length)
{
    struct unsigned_text part;
    const char *value = NULL;
    size_t value_length = 0, algorithm = strlen(ALGORITHM);
    char digits[MAC_DIGITS + 1];
    if (take_apart(text, length, &part, &value, &value_length) != 0 || value == NULL)
        return SIGNATURE_NONE;
    if (value_length != VALUE_BYTES || memcmp(value, ALGORITHM, algorithm) != 0 ||
        value[algorithm + ID_DIGITS] != ':')
        return SIGNATURE_WRONG;
    const struct signature_key *key = find_key(keys, count, value + algorithm);
    if (key == NULL)
        return SIGNATURE_OTHER;
    if (sign_text(key, &part, digits) != 0 ||
        memeql_sec(digits, value + algorithm + ID_DIGITS + 1, MAC_DIGITS) == 0)
        return SIGNATURE_WRONG;
    return SIGNATURE_GOOD;
}
