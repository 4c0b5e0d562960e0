#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# FFTW's own test program with Debian's archive, and with each routine of it prepared: configure alone takes longer than all of
# archives.bats.
# bats file_tags=needs:routines,soak

@test "FFTW's own test program gives the same results" {
    local sources=$JOBTRAIL_BUILD/test/debian-source plain archive problem
    "$JOBTRAIL_SOURCE/test/debian-source" "$sources" --binary libfftw3-dev
    "$JOBTRAIL_SOURCE/test/debian-source" "$sources" fftw3
    plain=$(find "$sources/libfftw3-dev" -name libfftw3.a)
    cd "$BATS_TEST_TMPDIR"
    "$JOBTRAIL_BIN/jobtrail-robj" -m "$plain" | grep -v '^#' >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -o libfftw3.a "$plain"
    cp -a "$sources/fftw3" .
    (cd fftw3 && ./configure -q --enable-sse2 --enable-avx --disable-fortran && make -s -C libbench2) >/dev/null 2>&1
    for archive in "$plain" "$PWD/libfftw3.a"; do
        (cd fftw3 && gcc -O1 -w -DHAVE_CONFIG_H -I. -Ikernel -Iapi -Idft -Irdft -Ireodft -Ilibbench2 tests/*.c \
            libbench2/libbench2.a "$archive" -lm -o test.program)
        for problem in icf128 ocb7x9 ok5e10 ir64 "//obcd2x3x4v5" ofr30 ikr12h obc101 ofc3x5v7 ok16o00; do
            # the same random numbers each time; the errors of the transform are printed with all digits
            fftw3/test.program -v1 -o estimate --verify "$problem"
        done >results
        if [[ -e expected ]]; then cmp results expected; else mv results expected; fi
    done
    [[ $(wc -l <expected) -ge 10 ]]
}
