#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What R programs load, and that they do not notice being asked.
# shellcheck disable=SC2016 # for R to expand

load ../fixture/job
load ../fixture/packages

setup() {
    new_job
    HOOKS=$JOBTRAIL_STAGE/share/jobtrail/hooks
    export LC_ALL=C.UTF-8
}

@test "attached packages and loaded namespaces are told once, with version, path and run" {
    hooked Rscript -e 'suppressMessages(library(jsonlite)); x <- requireNamespace("knitr"); library(jsonlite); xfun::file_ext("a.b")'
    flush
    [[ $(package_names) == *"jsonlite"*"knitr"*"xfun"* ]]
    [[ $(package_names) != *stats* && $(package_names) != *methods* ]]
    [[ $(package jsonlite package_version) == "$(dpkg-query -W -f '${Version}' r-cran-jsonlite | sed 's/[+-].*//')" ]]
    [[ $(package jsonlite package_path) == /usr/lib/R/site-library/jsonlite ]]
    [[ $(package jsonlite program) == R ]]
    # Rscript is a program of its own, which becomes R.
    [[ $(package jsonlite xalt_run_uuid) == $(records | jq -r '.[] | select(.userT.exec_path | endswith("/exec/R")) | .userT.run_uuid') ]]
}

@test "R's own packages are told where the site asks for them" {
    hooked JOBTRAIL_STANDARD_LIBRARY=yes Rscript -e 'library(parallel)'
    flush
    for name in base stats methods parallel; do
        [[ " $(package_names) " == *" $name "* ]]
    done
}

@test "what was loaded is known of a run that was killed" {
    hooked Rscript -e 'library(jsonlite); tools::pskill(Sys.getpid(), 9); Sys.sleep(10)' || [[ $? == 137 ]]
    flush
    [[ $(package_names) == jsonlite ]]
}

@test "R CMD BATCH, a script on stdin and knitr are watched" {
    cd "$BATS_TEST_TMPDIR"
    echo 'library(jsonlite)' >batch.R
    hooked R CMD BATCH --no-timing batch.R
    hooked R --no-save --quiet <<<'library(MASS)' >/dev/null
    printf '```{r}\nlibrary(MASS)\n```\n' >document.Rmd
    hooked Rscript -e 'knitr::knit("document.Rmd", quiet = TRUE)'
    flush
    [[ $(packages | jq -r 'map(.package_name) | unique | join(" ")') == *MASS*jsonlite*knitr* ]]
    [[ $(packages | jq 'map(select(.package_name == "MASS")) | length') == 2 ]]
}

@test "parallel's workers are watched: forked ones as part of the run, those on sockets as their own" {
    hooked Rscript -e 'library(parallel); x <- mclapply(1:2, function(i) loadNamespace("jsonlite"), mc.cores = 2)'
    flush
    [[ $(package_names) == jsonlite ]]
    rm -r "$RECORDS"
    new_job
    hooked Rscript -e 'library(parallel); cluster <- makePSOCKcluster(2); x <- clusterEvalQ(cluster, loadNamespace("MASS")); stopCluster(cluster)'
    flush
    # The workers return a namespace, which the parent loads in turn.
    [[ $(packages | jq 'map(select(.package_name == "MASS").xalt_run_uuid) | unique | length') -ge 2 ]]
}

@test "output, status, search path, options, descriptors and hooks are as ever" {
    cat >"$BATS_TEST_TMPDIR/look.R" <<'R'
setHook(packageEvent("jsonlite", "onLoad"), function(...) cat("the user's hook\n"))
setHook(packageEvent("jsonlite", "attach"), function(...) cat("the user's other hook\n"))
print(length(getHook(packageEvent("jsonlite", "onLoad"))))
library(jsonlite)
print(search()); print(loadedNamespaces()); print(ls(globalenv(), all.names = TRUE))
print(ls(baseenv(), all.names = TRUE)); print(exists(".Random.seed")); print(names(options()))
print(bindingIsLocked("getHook", baseenv())); print(formals(getHook)); print(warnings())
print(sort(as.integer(list.files("/proc/self/fd")))); print(geterrmessage())
try(library(none.such)); tryCatch(getHook(1:2), error = function(e) print(conditionMessage(e)))
traceback(); quit(status = 5)
R
    unnoticed_hook Rscript "$BATS_TEST_TMPDIR/look.R"
    unnoticed_hook R --quiet --no-save -f "$BATS_TEST_TMPDIR/look.R"
    unnoticed_hook Rscript -e 'options(warn = 2, error = quote(cat("seen\n"))); library(jsonlite); stop("x")'
}

# bats test_tags=needs:root
@test "the site's profile and the user's run as ever, whichever there are" {
    mkdir "$BATS_TEST_TMPDIR/home"
    echo 'cat("the user: "); x <- 3' >"$BATS_TEST_TMPDIR/home/.Rprofile"
    echo 'cat("a site: "); 1 + 1; invisible(3); options(site = 1)' >"$BATS_TEST_TMPDIR/site"
    code='cat(get0("x", globalenv()), environmentName(topenv()), getOption("site"), "\n")'
    for profile in "" "$BATS_TEST_TMPDIR/site" /none/such; do
        observe without "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" R_PROFILE="$profile" Rscript -e "$code"
        observe with "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" R_PROFILE="$HOOKS/r/Rprofile" \
            JOBTRAIL_R_PROFILE="$profile" Rscript -e "$code"
        grep -q "the user: " "$BATS_TEST_TMPDIR/with/stdout"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    # Unset: R's own site profile, in a home of R's own.
    cp -R /usr/lib/R/etc "$BATS_TEST_TMPDIR/etc"
    rm -f "$BATS_TEST_TMPDIR/etc/Rprofile.site"
    cp "$BATS_TEST_TMPDIR/site" "$BATS_TEST_TMPDIR/etc/Rprofile.site"
    unshare --mount bash -c '
        mount --bind "$1" /usr/lib/R/etc
        shift
        "$@"' bash "$BATS_TEST_TMPDIR/etc" env "${TRACKED[@]}" R_PROFILE="$HOOKS/r/Rprofile" Rscript -e "$code" >"$BATS_TEST_TMPDIR/out"
    grep -q "a site: " "$BATS_TEST_TMPDIR/out"
}

@test "a user's profile that replaces hooks changes nothing of what is told" {
    mkdir "$BATS_TEST_TMPDIR/home"
    cat >"$BATS_TEST_TMPDIR/home/.Rprofile" <<'R'
setHook(packageEvent("jsonlite", "onLoad"), function(...) cat("the user's\n"), "replace")
getHook <- function(...) stop("not R's")
R
    hooked HOME="$BATS_TEST_TMPDIR/home" Rscript -e 'x <- jsonlite::toJSON(1); x <- requireNamespace("MASS"); attachNamespace("MASS")
        unloadNamespace("MASS"); x <- loadNamespace("MASS")' >"$BATS_TEST_TMPDIR/out"
    [[ $(<"$BATS_TEST_TMPDIR/out") == "the user's" ]]
    flush
    [[ $(package_names) == "MASS jsonlite" ]]
}

@test "where R does not run the hook, that is counted, and other programs cost nothing" {
    echo 'library(MASS)' >"$BATS_TEST_TMPDIR/load.R"
    cd "$BATS_TEST_TMPDIR"
    hooked Rscript --vanilla load.R
    hooked R CMD BATCH --no-site-file load.R
    hooked R --vanilla --quiet --no-echo <<<'library(MASS)'
    hooked R --no-site-file --quiet --no-echo --no-save <<<'library(MASS)'
    run --separate-stderr flush
    [[ $output == *"unhooked 4"* ]]
    [[ $(package_names) == "" ]]
}

@test "no room, a limit on files, no spool: R does not notice" {
    echo 'library(MASS); print(1)' >"$BATS_TEST_TMPDIR/load.R"
    unnoticed_hook bash -c '(ulimit -f 0 && "$@") 2>&1 | cat; exit ${PIPESTATUS[0]}' bash R --no-echo --no-save --no-restore -f "$BATS_TEST_TMPDIR/load.R"
    [[ $(<"$BATS_TEST_TMPDIR/with/stdout") == "[1] 1" ]]
    unnoticed_hook JOBTRAIL_SPOOL=/nowhere Rscript -e 'library(MASS); print(1)'
    unnoticed_hook LD_PRELOAD= Rscript -e 'library(MASS); print(1)'
    [[ ! -s $SPOOL/$JOB.0/user/packages ]]
}

@test "where files are limited nothing is written, also where there would be room" {
    hooked bash -c 'ulimit -f 1000; "$@" | cat; exit "${PIPESTATUS[0]}"' bash R --no-echo --no-save -e 'library(MASS)'
    [[ ! -s $SPOOL/$JOB.0/user/packages ]]
}

@test "the file of packages is not made larger than its bound" {
    truncate --size=$((16 << 20)) "$SPOOL/$JOB.0/user/packages"
    hooked Rscript -e 'library(MASS)'
    [[ $(stat -c %s "$SPOOL/$JOB.0/user/packages") == $((16 << 20)) ]]
}
