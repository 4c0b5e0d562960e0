#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-robj on Debian's archives, as they are in its packages: every routine becomes an entry, and
# programs compute the same.
# bats file_tags=needs:routines

# bats file_tags=needs:routines

load ../fixture/job

setup_file() {
    export SOURCES=$JOBTRAIL_BUILD/test/debian-source
    "$JOBTRAIL_SOURCE/test/debian-source" "$SOURCES" --binary \
        libblas-dev libfftw3-dev libgsl-dev libhdf5-dev liblapack-dev
    "$JOBTRAIL_SOURCE/test/debian-source" "$SOURCES" lapack
    LIBRARIES=$(dirname "$(find "$SOURCES/libgsl-dev" -name libgsl.a)")
    export LIBRARIES=${LIBRARIES#"$SOURCES/libgsl-dev"}
}

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    export LC_ALL=C.UTF-8
    cd "$BATS_TEST_TMPDIR" || return
}

# prepare PACKAGE ARCHIVE [OPTION...]: ARCHIVE here, with all entries that it can have; entries: their names
prepare() {
    local archive=$SOURCES/$1$LIBRARIES/$2
    jobtrail-robj -m "${@:3}" "$archive" >all
    grep -v '^#' all >entries
    jobtrail-robj -w -a "${@:3}" -e entries -o "${archive##*/}" "$archive" >said
    [[ $(cat said) == "$(wc -l <entries) definitions and "*" references renamed, $(wc -l <entries) trampolines, noted as ${2##*/}" ]]
}

# same_program PACKAGE ARCHIVE SOURCE OPTION...: SOURCE prints the same with ARCHIVE as it is, and here, dynamic and static,
# and there are notes of what it calls
same_program() {
    local flags
    gcc -O2 -I"$SOURCES/$1/usr/include" -I"$SOURCES/$1$INCLUDES" "$3" "$SOURCES/$1$LIBRARIES/$2" "${@:4}" -o plain
    ./plain >expected
    for flags in "" -static-pie "-no-pie -fuse-ld=lld" "-fuse-ld=mold"; do
        # shellcheck disable=SC2086
        gcc -O2 $flags -I"$SOURCES/$1/usr/include" -I"$SOURCES/$1$INCLUDES" "$3" "${2##*/}" "${@:4}" -o program
        ./program | cmp - expected
        objcopy -O binary --only-section=.note.jobtrail.routine program notes
        for routine in $CALLED; do tr '\0' '\n' <notes | grep -qxF "$routine"; done
    done
}

@test "GSL: all routines, also with references" {
    cat >program.c <<'C'
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_bessel.h>
#include <math.h>
#include <stdio.h>
static double f(double x, void *p) { return log(*(double *)p * x) / sqrt(x); }
int main(void)
{
    double result, error, alpha = 1.5, a[] = {4, 1, 2, 1, 5, 3, 2, 3, 6}, b[] = {1, 2, 3};
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    gsl_function F = {f, &alpha};
    gsl_integration_qags(&F, 0, 1, 0, 1e-7, 1000, w, &result, &error);
    printf("%.17g %.17g %.17g\n", result, error, gsl_sf_bessel_J0(5.0));
    gsl_matrix_view m = gsl_matrix_view_array(a, 3, 3);
    gsl_vector_view v = gsl_vector_view_array(b, 3);
    gsl_linalg_cholesky_decomp1(&m.matrix);
    gsl_linalg_cholesky_svx(&m.matrix, &v.vector);
    printf("%.17g %.17g %.17g\n", b[0], b[1], b[2]);
    gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < 3; i++)
        printf("%.17g\n", gsl_ran_gaussian(r, 2.0));
    gsl_rng_free(r);
    gsl_integration_workspace_free(w);
    return 0;
}
C
    for way in "" -x; do
        # shellcheck disable=SC2086
        prepare libgsl-dev libgsl.a $way
        [[ $(wc -l <entries) -gt 5000 ]]
        CALLED="gsl_integration_qags gsl_sf_bessel_J0 gsl_linalg_cholesky_svx gsl_ran_gaussian gsl_rng_free" INCLUDES="" \
            same_program libgsl-dev libgsl.a program.c "$SOURCES/libgsl-dev$LIBRARIES/libgslcblas.a" -lm
    done
}

# gsl_results FOLDER ARCHIVE: what GSL's own tests of a folder print, in full
gsl_results() {
    local sources archive
    archive=$(readlink -f "$2")
    cd "gsl/$1" || return
    read -ra sources < <(sed -n 's/^test_SOURCES = //p' Makefile.am | tr ' ' '\n' | grep '[.]c$' | paste -sd' ')
    [[ -d made ]] || (mkdir made && cd made && gcc -O1 -w -DHAVE_CONFIG_H -I.. -I../.. -c "${sources[@]/#/../}" \
        ../../test/results.c)
    gcc made/*.o "$archive" "$SOURCES/libgsl-dev$LIBRARIES/libgslcblas.a" -lm -o test.program
    GSL_TEST_VERBOSE=1 ./test.program 2>&1
    cd - >/dev/null || return
}

@test "GSL's own tests give the same results with each routine prepared; JOBTRAIL_SOAK: of more folders" {
    "$JOBTRAIL_SOURCE/test/debian-source" "$SOURCES" gsl
    prepare libgsl-dev libgsl.a
    cp -a "$SOURCES/gsl" .
    (cd gsl && ./configure -q --disable-shared >/dev/null 2>&1 && make -s -C gsl all >/dev/null)
    folders=(fft integration)
    [[ -z ${JOBTRAIL_SOAK-} ]] || folders+=(eigen interpolation linalg multimin ode-initval2 randist specfunc statistics)
    for folder in "${folders[@]}"; do
        gsl_results "$folder" "$SOURCES/libgsl-dev$LIBRARIES/libgsl.a" >expected
        [[ $(grep -c ^PASS expected) -gt 50 ]]
        gsl_results "$folder" libgsl.a | cmp - expected
    done
}

@test "FFTW: double precision, also with references" {
    cat >program.c <<'C'
#include <fftw3.h>
#include <stdio.h>
int main(void)
{
    fftw_complex in[30], out[30];
    fftw_plan plan = fftw_plan_dft_1d(30, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < 30; i++) {
        in[i][0] = i % 7;
        in[i][1] = i % 3;
    }
    fftw_execute(plan);
    for (int i = 0; i < 30; i++)
        printf("%.17g %.17g\n", out[i][0], out[i][1]);
    fftw_destroy_plan(plan);
    fftw_cleanup();
    return 0;
}
C
    for way in "" -x; do
        # shellcheck disable=SC2086
        prepare libfftw3-dev libfftw3.a $way
        CALLED="fftw_plan_dft_1d fftw_execute fftw_destroy_plan fftw_cleanup" INCLUDES="" \
            same_program libfftw3-dev libfftw3.a program.c -lm
    done
}

@test "HDF5: a file is written, and read, also with references" {
    cat >program.c <<'C'
#include <hdf5.h>
#include <stdio.h>
int main(void)
{
    hsize_t size[2] = {4, 6};
    int data[4][6], back[4][6] = {{0}};
    for (int i = 0; i < 24; i++)
        data[i / 6][i % 6] = i * i;
    hid_t file = H5Fcreate("made.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, size);
    H5Pset_shuffle(list);
    hid_t set = H5Dcreate2(file, "set", H5T_STD_I32BE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    herr_t status = H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    status |= H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    printf("%d %d %d %d\n", status, back[3][5], back[1][0], H5Dopen2(file, "none", H5P_DEFAULT) < 0);
    return H5Dclose(set) | H5Pclose(list) | H5Sclose(space) | H5Fclose(file);
}
C
    for way in "" -x; do
        # shellcheck disable=SC2086
        prepare libhdf5-dev libhdf5_serial.a $way
        [[ $(wc -l <entries) -gt 2500 ]]
        CALLED="H5Fcreate H5Dwrite H5Dread H5Fclose" INCLUDES=/usr/include/hdf5/serial \
            same_program libhdf5-dev libhdf5_serial.a program.c "$SOURCES/libhdf5-dev$LIBRARIES/libsz.a" \
            "$SOURCES/libhdf5-dev$LIBRARIES/libaec.a" -lz -lm
    done
}

@test "HDF5's own tests give the same results; JOBTRAIL_SOAK: more of them" {
    "$JOBTRAIL_SOURCE/test/debian-source" "$SOURCES" hdf5
    local from=$SOURCES/hdf5 package=$SOURCES/libhdf5-dev name
    local -a flags=(-O0 -w -Imade "-I$from/src" "-I$from/test" "-I$package/usr/include/hdf5/serial")
    local -a names=(enum stab)
    [[ -z ${JOBTRAIL_SOAK-} ]] || names+=(fillval gheap links mount ntypes unlink)
    mkdir made
    sed "s#@srcdir@#$from/test#" "$from/test/H5srcdir_str.h.in" >made/H5srcdir_str.h
    for name in h5test testframe; do gcc "${flags[@]}" -c "$from/test/$name.c" -o "made/$name.o"; done
    for name in "${names[@]}"; do gcc "${flags[@]}" -c "$from/test/$name.c"; done
    for way in "" -x; do
        # shellcheck disable=SC2086
        prepare libhdf5-dev libhdf5_serial.a $way
        for name in "${names[@]}"; do
            for archive in "$package$LIBRARIES/libhdf5_serial.a" libhdf5_serial.a; do
                gcc "$name.o" made/*.o "$archive" "$package$LIBRARIES/libsz.a" "$package$LIBRARIES/libaec.a" \
                    -lz -lm -ldl -o test.program
                (rm -rf place && mkdir place && cd place && ../test.program) >"results.${#archive}" 2>&1
            done
            [[ $(grep -c PASSED "results.${#archive}") -ge 5 ]]
            diff results.*
        done
    done
}

# build_tests LETTER LAPACK NAME: LAPACK's own test programs of one precision, with an archive, as NAME.lin and NAME.eig
build_tests() {
    local blas
    blas=$(find "$SOURCES/libblas-dev" -name libblas.a)
    rm -f "lapack/TESTING/LIN/xlintst$1" "lapack/TESTING/EIG/xeigtst$1"
    make -s -C lapack/TESTING/LIN BLASLIB="$blas" LAPACKLIB="$2" "xlintst$1"
    make -s -C lapack/TESTING/EIG BLASLIB="$blas" LAPACKLIB="$2" "xeigtst$1"
    mv "lapack/TESTING/LIN/xlintst$1" "$3.lin"
    mv "lapack/TESTING/EIG/xeigtst$1" "$3.eig"
}

# test_results NAME LETTER: what they print, but for the time that it took
test_results() {
    local input
    "./$1.lin" <"lapack/TESTING/$2test.in" | grep -v 'Total time used'
    for input in nep "$2ec" "$2sb" "${ALL_INPUTS[@]}"; do
        "./$1.eig" <"lapack/TESTING/$input.in" 2>&1 | grep -v 'Total time used'
    done
}

@test "LAPACK's own test programs give the same results; JOBTRAIL_SOAK: of all precisions, with all inputs" {
    cp -a "$SOURCES/lapack" .
    sed 's/^FFLAGS = .*/FFLAGS = -O0 -frecursive/' lapack/make.inc.example >lapack/make.inc
    letters=(d)
    ALL_INPUTS=()
    precisions=(double)
    if [[ -n ${JOBTRAIL_SOAK-} ]]; then
        letters=(s c d z)
        precisions=(single complex double complex16)
        ALL_INPUTS=(sep svd lse glm gqr gsv csd)
    fi
    make -s -C lapack/TESTING/MATGEN "${precisions[@]}"
    prepare liblapack-dev lapack/liblapack.a
    [[ $(wc -l <entries) == 1951 ]]
    cp liblapack.a every.a
    # with -x, what these programs have of their own does not become an entry, see jobtrail-robj(1)
    archive=$SOURCES/liblapack-dev$LIBRARIES/lapack/liblapack.a
    grep -vE '^(xerbla|ilaenv|ilaenv2stage|iparam2stage|iparmq)_$' entries >others
    jobtrail-robj -w -a -x -e others -o others.a "$archive"
    for letter in "${letters[@]}"; do
        build_tests "$letter" "$archive" plain
        build_tests "$letter" "$PWD/every.a" every
        build_tests "$letter" "$PWD/others.a" others
        test_results plain "$letter" >expected
        [[ $(grep -c 'passed the threshold' expected) -gt 20 ]]
        for name in every others; do
            [[ $(readelf -SW "$name.lin") == *.note.jobtrail.routine* ]]
            test_results "$name" "$letter" | diff - expected
        done
    done
}
