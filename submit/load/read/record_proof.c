/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/record_proof.h"

#include "submit/definition/record_signature.h"
#include "submit/load/parse/record_crc.h"

int record_proof_add_key(struct record_proof *proof, const char *path)
{
    int error = signature_key_read(path, &proof->key[proof->keys]);
    proof->keys += error == 0;
    return error;
}

/* A damaged record has no good signature either: then the check sum is the better reason. */
static int refuse_proof(const char *text, size_t size, const char *why, struct load_reason *reason)
{
    int error = record_crc_check(text, size, reason);
    return error != 0 ? error : load_refuse(reason, "%s", why);
}

int record_prove(const struct record_proof *proof, const char *text, size_t size, bool closed,
                 bool *unproven, struct load_reason *reason)
{
    enum signature_state state = record_signature_check(
        (const struct signature_key *const *)proof->key, proof->keys, text, size);
    if (state == SIGNATURE_WRONG)
        return refuse_proof(text, size, "has a signature that is not of this text", reason);
    if (proof->required && state == SIGNATURE_OTHER)
        return refuse_proof(text, size, "is signed with a key that is none of ours", reason);
    if (proof->required && state == SIGNATURE_NONE)
        return refuse_proof(text, size, "is not signed", reason);
    *unproven = !closed && state != SIGNATURE_GOOD;
    return 0;
}

void record_proof_free(struct record_proof *proof)
{
    for (size_t i = 0; i < proof->keys; i++)
        signature_key_free(proof->key[i]);
    proof->keys = 0;
}
